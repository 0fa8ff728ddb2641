/** What bounded worlds stand in: a plain with dunes at its far end, pale in the haze, and the tray that they fill. */
import { BufferAttribute, BufferGeometry, Group, Mesh, MeshLambertMaterial, PlaneGeometry } from "three";
import type { Bounds } from "../wire/protocol";

const SPOKES = 144;
/** Radii of the rings, in spans of the world. */
const RINGS = [0, ...Array.from({ length: 44 }, (_, i) => 0.5 * 1.08 ** i)];

/** Depth of the plain below the world (m): the tray lies between them. */
const BELOW_M = 0.02;

export class Surroundings {
  readonly group = new Group();
  private readonly plain = new Mesh(relief(), new MeshLambertMaterial({ color: "#bfb193" }));
  /** What is seen where everything was dug away. */
  private readonly tray = new Mesh(new PlaneGeometry(), new MeshLambertMaterial({ color: "#55524d" }));

  constructor() {
    this.plain.receiveShadow = this.tray.receiveShadow = true;
    this.group.add(this.plain, this.tray);
  }

  /** Puts a world with these bounds in the middle; returns its span (m). Without bounds nothing is shown. */
  surround(bounds: Bounds | null): number | null {
    this.group.visible = bounds !== null;
    if (!bounds) return null;
    const [dx, dy] = [bounds.max[0] - bounds.min[0], bounds.max[1] - bounds.min[1]];
    const span = Math.hypot(dx, dy);
    this.group.position.set(bounds.min[0] + dx / 2, bounds.min[1] + dy / 2, bounds.min[2] - BELOW_M);
    this.plain.scale.setScalar(span);
    this.tray.position.z = BELOW_M / 2;
    this.tray.scale.set(dx, dy, 1);
    return span;
  }
}

function relief(): BufferGeometry {
  const positions: number[] = [];
  const indices: number[] = [];
  RINGS.forEach((radius, ring) => {
    for (let spoke = 0; spoke < SPOKES; spoke++) {
      const angle = (2 * Math.PI * spoke) / SPOKES;
      const [x, y] = [radius * Math.cos(angle), radius * Math.sin(angle)];
      positions.push(x, y, height(x, y, radius));
      if (ring === 0) continue;
      const next = (spoke + 1) % SPOKES;
      const [a, b] = [(ring - 1) * SPOKES + spoke, (ring - 1) * SPOKES + next];
      const [c, d] = [a + SPOKES, b + SPOKES];
      indices.push(a, c, d, a, d, b);
    }
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  geometry.setIndex(indices);
  geometry.computeVertexNormals();
  return geometry;
}

/** Flat under the world and low around it, so that nothing of it is hidden; high at the horizon. */
function height(x: number, y: number, radius: number): number {
  const near = Math.min(1, Math.max(0, (radius - 0.62) / 0.5));
  const far = Math.min(1, Math.max(0, (radius - 1.2) / 3));
  const swell = Math.sin(4.1 * x + 1.3 * Math.sin(2.3 * y)) + Math.sin(3.3 * y - 1.7 * x + 0.8);
  const ridges = Math.abs(Math.sin(1.1 * x + 0.9 * Math.sin(0.8 * y))) + 0.6 * Math.abs(Math.sin(1.7 * y + 0.5 * x + 1));
  return near * 0.012 * (swell - 2) + 0.16 * far * far * ridges;
}
