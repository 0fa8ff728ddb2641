/** Water as sprites, from far to near, in the colour of what each particle carries. */
import { Color, Float32BufferAttribute, BufferGeometry, Mesh, type PerspectiveCamera, ShaderMaterial } from "three";
import type { Material } from "../../wire/protocol";
import { Instances } from "./instances";
import type { ShownParticles } from "./shown";

const CLEAR = new Color("#5f9fc4");
/** Sprites are larger than the water in them, so that they overlap. */
const GROWN = 1.5;
const KEYS = 1 << 12;

const VERTEX = `
attribute vec4 place;
attribute vec4 tint;
varying vec2 vCorner;
varying vec4 vTint;
void main() {
  vCorner = position.xy;
  vTint = tint;
  vec4 at = viewMatrix * vec4(place.xyz, 1.0);
  at.xy += position.xy * place.w * ${GROWN.toFixed(2)};
  gl_Position = projectionMatrix * at;
}`;

const FRAGMENT = `
varying vec2 vCorner;
varying vec4 vTint;
void main() {
  float off = dot(vCorner, vCorner);
  if (off > 1.0) discard;
  float shade = 0.8 + 0.35 * (vCorner.y + sqrt(1.0 - off)) * 0.5;
  gl_FragColor = vec4(vTint.rgb * shade, vTint.a * (1.0 - 0.6 * off));
}`;

export class Sprites {
  readonly mesh: Mesh;
  private readonly instances = new Instances(square());
  private materials: [number, number, number][] = [];
  private order = new Uint32Array(0);
  private keys = new Uint16Array(0);

  constructor() {
    const material = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, toneMapped: false });
    this.mesh = new Mesh(this.instances.geometry, material);
    this.mesh.frustumCulled = false;
    // After the sky, over everything that is solid.
    this.mesh.renderOrder = 2000;
    this.mesh.visible = false;
  }

  setMaterials(materials: readonly Material[]): void {
    this.materials = materials.map(({ color }) => [...color]);
  }

  /** Sorts them by how far they are away. */
  prepare(shown: ShownParticles, lens: PerspectiveCamera): void {
    const { particles, places } = shown;
    if (!particles) return;
    const clear = CLEAR.clone().convertLinearToSRGB();
    const sorted = this.sort(shown, lens);
    this.instances.begin();
    for (let i = 0; i < sorted; i++) {
      const number = this.order[i]!;
      const load = Math.min(1, 4 * Math.sqrt(particles.sediment(number)));
      const [r, g, b] = this.materials[particles.kind(number)] ?? [160, 120, 80];
      const mix = (a: number, m: number): number => 255 * a * (1 - load) + m * load;
      this.instances.add(places, 4 * number, mix(clear.r, r), mix(clear.g, g), mix(clear.b, b), 110 + 120 * load);
    }
    this.instances.end();
    this.mesh.geometry = this.instances.geometry;
  }

  /** Puts numbers in order, the farthest first; returns how many there are. */
  private sort({ places, numbers }: ShownParticles, lens: PerspectiveCamera): number {
    if (numbers > this.order.length) {
      this.order = new Uint32Array(2 * numbers);
      this.keys = new Uint16Array(2 * numbers);
    }
    const m = lens.matrixWorldInverse.elements;
    const depth = (at: number): number => -(m[2]! * places[at]! + m[6]! * places[at + 1]! + m[10]! * places[at + 2]! + m[14]!);
    let [near, far] = [Infinity, -Infinity];
    for (let number = 0; number < numbers; number++) {
      if (places[4 * number + 3] === 0) continue;
      const d = depth(4 * number);
      near = Math.min(near, d);
      far = Math.max(far, d);
    }
    const scale = (KEYS - 1) / Math.max(far - near, 1e-6);
    const starts = new Uint32Array(KEYS + 1);
    for (let number = 0; number < numbers; number++) {
      if (places[4 * number + 3] === 0) continue;
      const key = Math.round((far - depth(4 * number)) * scale);
      this.keys[number] = key;
      starts[key + 1]!++;
    }
    for (let key = 0; key < KEYS; key++) starts[key + 1]! += starts[key]!;
    for (let number = 0; number < numbers; number++) {
      if (places[4 * number + 3] !== 0) this.order[starts[this.keys[number]!]!++] = number;
    }
    return starts[KEYS - 1]!;
  }
}

function square(): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return geometry;
}
