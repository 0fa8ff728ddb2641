/** Bodies as the page shows them: one object per body, moved by poses. */
import { Group, Mesh, type Object3D, Quaternion, type Raycaster, Vector3 } from "three";
import type { Body, Pose } from "../wire/bodies";
import { bodyObject } from "./body_object";

/** Share of the way to the newest pose made in a second is 1 - e^-RATE: hides the unevenness of the net. */
const RATE = 28;
/** Further apart than this (m) a body did not move but was put. */
const JUMP_M = 1.5;

interface Shown {
  body: Body;
  object: Object3D;
  position: Vector3;
  rotation: Quaternion;
  placed: boolean;
}

export class Bodies {
  readonly group = new Group();
  private readonly shown = new Map<number, Shown>();
  private readonly moving = new Set<Shown>();

  clear(): void {
    this.remove([...this.shown.keys()]);
  }

  add(bodies: readonly Body[]): void {
    for (const body of bodies) {
      this.remove([body.body]);
      const object = bodyObject(body);
      object.userData["body"] = body.body;
      object.visible = false;
      this.group.add(object);
      const entry = { body, object, position: new Vector3(), rotation: new Quaternion(), placed: false };
      this.shown.set(body.body, entry);
    }
  }

  remove(ids: readonly number[]): void {
    for (const id of ids) {
      const entry = this.shown.get(id);
      if (!entry) continue;
      this.group.remove(entry.object);
      entry.object.traverse((child) => {
        if (child instanceof Mesh) child.geometry.dispose();
      });
      this.shown.delete(id);
      this.moving.delete(entry);
    }
  }

  move(poses: readonly Pose[]): void {
    for (const pose of poses) {
      const entry = this.shown.get(pose.body);
      if (!entry) continue;
      entry.position.set(...pose.position);
      entry.rotation.set(...pose.rotation).normalize();
      if (!entry.placed || entry.object.position.distanceTo(entry.position) > JUMP_M) {
        entry.object.position.copy(entry.position);
        entry.object.quaternion.copy(entry.rotation);
        entry.object.visible = entry.placed = true;
      }
      this.moving.add(entry);
    }
  }

  /** Leads the bodies on towards their newest poses. Returns whether any moved. */
  advance(seconds: number): boolean {
    const share = 1 - Math.exp(-RATE * seconds);
    for (const entry of this.moving) {
      const { object, position, rotation } = entry;
      object.position.lerp(position, share);
      object.quaternion.slerp(rotation, share);
      if (object.position.distanceToSquared(position) < 1e-6 && object.quaternion.angleTo(rotation) < 1e-3) {
        object.position.copy(position);
        object.quaternion.copy(rotation);
        this.moving.delete(entry);
        continue;
      }
    }
    return this.moving.size > 0;
  }

  /** The body under a ray, no further away than `reach` (m). */
  pick(raycaster: Raycaster, reach: number): Body | null {
    const [hit] = raycaster.intersectObject(this.group, true);
    if (!hit || hit.distance > reach) return null;
    for (let object: Object3D | null = hit.object; object; object = object.parent) {
      const id: unknown = object.userData["body"];
      if (typeof id === "number") return this.shown.get(id)?.body ?? null;
    }
    return null;
  }
}
