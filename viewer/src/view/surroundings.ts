/** What bounded worlds stand in: a plain with dunes at its far end, pale in the haze. */
import { BufferAttribute, BufferGeometry, Mesh, MeshLambertMaterial } from "three";

const SPOKES = 144;
/** Radii of the rings, in spans of the world. */
const RINGS = [0, ...Array.from({ length: 44 }, (_, i) => 0.5 * 1.08 ** i)];

export function surroundings(): Mesh {
  const mesh = new Mesh(relief(), new MeshLambertMaterial({ color: "#d3c4a6" }));
  mesh.receiveShadow = true;
  return mesh;
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
