/** Where we look from: an orbit around a point, or walking on the ground. Moves follow the hand softly. */
import { MathUtils, PerspectiveCamera, Ray, Vector3 } from "three";
import type { Hit } from "./ground";

export type Walk = { forward: number; right: number; run: boolean };

const UP = new Vector3(0, 0, 1);
const EYE_M = 1.7;
const WALK_M_S = 2.6;
const BACK_M = 6;
/** Scenes are composed for pictures; a window with panels at its sides may stand a little closer. */
const WIDE = 0.84;
/** Steepest looks (rad). */
const PITCH = { orbit: [-0.05, 1.5], walk: [-1.4, 1.4] } as const;

export class Camera {
  readonly lens = new PerspectiveCamera(48, 1, 0.1, 6000);
  walking = false;
  private readonly target = new Vector3();
  private readonly softTarget = new Vector3();
  private distance = 30;
  private softDistance = 30;
  private yaw = 0;
  private pitch = 0.6;
  private softYaw = 0;
  private softPitch = 0.6;
  private readonly feet = new Vector3();

  constructor(private readonly pick: (ray: Ray) => Hit | null) {
    this.lens.up.copy(UP);
  }

  get focus(): Vector3 {
    return this.walking ? this.feet : this.softTarget;
  }

  get range(): number {
    return this.walking ? 12 : this.softDistance;
  }

  /** Looks from `eye` at `target`, at once. */
  place(eye: readonly number[], target: readonly number[]): void {
    this.walking = false;
    this.target.fromArray(target);
    const way = new Vector3().fromArray(eye).sub(this.target);
    this.distance = Math.max(way.length(), 1);
    this.yaw = Math.atan2(way.y, way.x);
    this.pitch = Math.asin(MathUtils.clamp(way.z / this.distance, -1, 1));
    // A narrow window shows less to the sides: stand further off.
    this.distance *= this.lens.aspect < 1 ? Math.min(2.4, 1 / this.lens.aspect ** 0.92) : WIDE;
    this.settle();
  }

  turn(dx: number, dy: number): void {
    this.yaw -= dx * 0.006;
    const [low, high] = this.walking ? PITCH.walk : PITCH.orbit;
    this.pitch = MathUtils.clamp(this.pitch + dy * (this.walking ? -0.005 : 0.005), low, high);
  }

  pan(dx: number, dy: number, height: number): void {
    if (this.walking) return;
    const perPixel = (2 * this.distance * Math.tan(MathUtils.degToRad(this.lens.fov / 2))) / height;
    const right = new Vector3(-Math.sin(this.yaw), Math.cos(this.yaw), 0);
    const ahead = new Vector3(-Math.cos(this.yaw), -Math.sin(this.yaw), 0);
    this.target.addScaledVector(right, -dx * perPixel);
    this.target.addScaledVector(ahead, (dy * perPixel) / Math.max(0.35, Math.sin(this.pitch)));
  }

  zoom(factor: number): void {
    if (!this.walking) this.distance = MathUtils.clamp(this.distance * factor, 1.5, 1500);
  }

  /** Comes at least this close (m). */
  approach(distance: number): void {
    this.distance = Math.min(this.distance, distance * (this.lens.aspect < 1 ? 1.4 : 1));
  }

  /** Keeps looking at something that moves. */
  follow(point: readonly number[]): void {
    this.target.fromArray(point);
  }

  setWalking(walking: boolean): void {
    if (walking === this.walking) return;
    this.walking = walking;
    if (walking) {
      // Some steps back, so that what was looked at is in view.
      const back = Math.min(BACK_M, this.distance / 2);
      this.feet.copy(this.target);
      this.feet.x += back * Math.cos(this.yaw);
      this.feet.y += back * Math.sin(this.yaw);
      this.feet.z = (this.pick(down(this.feet, 1000)) ?? { point: this.target }).point.z;
      this.yaw = this.softYaw = this.yaw + Math.PI;
      this.pitch = this.softPitch = -0.05;
    } else {
      this.target.copy(this.feet);
      this.yaw = this.softYaw = this.yaw + Math.PI;
      this.pitch = this.softPitch = 0.5;
      this.distance = this.softDistance = 14;
      this.softTarget.copy(this.target);
    }
  }

  /** Moves on for some seconds. Returns whether the view changed. */
  advance(seconds: number, walk: Walk): boolean {
    const before = this.lens.matrixWorld.elements.slice();
    const share = 1 - Math.exp(-16 * seconds);
    this.softYaw += (this.yaw - this.softYaw) * share;
    this.softPitch += (this.pitch - this.softPitch) * share;
    if (this.walking) this.stride(seconds, walk);
    else this.orbit(share);
    this.lens.updateMatrixWorld();
    return this.lens.matrixWorld.elements.some((value, i) => Math.abs(value - before[i]!) > 1e-5);
  }

  private settle(): void {
    this.softTarget.copy(this.target);
    this.softDistance = this.distance;
    this.softYaw = this.yaw;
    this.softPitch = this.pitch;
  }

  private orbit(share: number): void {
    this.softTarget.lerp(this.target, share);
    this.softDistance += (this.distance - this.softDistance) * share;
    const flat = Math.cos(this.softPitch) * this.softDistance;
    const eye = this.lens.position;
    eye.set(flat * Math.cos(this.softYaw), flat * Math.sin(this.softYaw), Math.sin(this.softPitch) * this.softDistance);
    eye.add(this.softTarget);
    const ground = this.groundBelow(eye);
    if (ground) eye.z = Math.max(eye.z, ground.z + 0.5);
    this.lens.lookAt(this.softTarget);
  }

  private stride(seconds: number, { forward, right, run }: Walk): void {
    const length = Math.hypot(forward, right);
    if (length > 0) {
      const way = (WALK_M_S * (run ? 2.5 : 1) * Math.min(seconds, 0.1)) / Math.max(1, length);
      this.feet.x += (forward * Math.cos(this.softYaw) + right * Math.sin(this.softYaw)) * way;
      this.feet.y += (forward * Math.sin(this.softYaw) - right * Math.cos(this.softYaw)) * way;
    }
    const ground = this.groundBelow(this.feet);
    if (ground) this.feet.z += (ground.z - this.feet.z) * (1 - Math.exp(-12 * seconds));
    this.lens.position.copy(this.feet).addScaledVector(UP, EYE_M);
    const flat = Math.cos(this.softPitch);
    const look = new Vector3(flat * Math.cos(this.softYaw), flat * Math.sin(this.softYaw), Math.sin(this.softPitch));
    this.lens.lookAt(look.add(this.lens.position));
  }

  /** The highest ground in the column of a point, or under it in a cave. */
  private groundBelow(point: Vector3): Vector3 | null {
    return this.pick(down(point, this.walking ? point.z + 1.2 : 1000))?.point ?? null;
  }
}

function down(point: Vector3, from: number): Ray {
  return new Ray(new Vector3(point.x, point.y, from), new Vector3(0, 0, -1));
}
