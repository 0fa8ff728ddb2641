/** The ground as the page holds it: one mesh per block, replaced as they come, and the ray that finds it. */
import { Box3, BufferAttribute, BufferGeometry, Group, Mesh, type Ray, Sphere, Vector3 } from "three";
import type { Block } from "../wire/blocks";
import { GroundMaterial } from "./ground_material";

export interface Hit {
  point: Vector3;
  distance: number;
}

interface Patch {
  mesh: Mesh;
  block: Block;
  box: Box3;
}

export class Ground {
  readonly group = new Group();
  readonly material = new GroundMaterial();
  private readonly patches = new Map<string, Patch>();
  private count = 0;

  get triangles(): number {
    return this.count;
  }

  get isEmpty(): boolean {
    return this.patches.size === 0;
  }

  clear(): void {
    for (const key of [...this.patches.keys()]) this.remove(key);
  }

  take(blocks: readonly Block[]): void {
    for (const block of blocks) {
      this.remove(block.key);
      if (block.indices.length > 0) this.add(block);
    }
  }

  /** The first ground on a ray. */
  pick(ray: Ray): Hit | null {
    const entry = new Vector3();
    let nearest = Infinity;
    for (const { block, box } of this.patches.values()) {
      if (!box.containsPoint(ray.origin)) {
        if (!ray.intersectBox(box, entry)) continue;
        if (entry.distanceTo(ray.origin) > nearest) continue;
      }
      nearest = Math.min(nearest, nearestOn(block, ray));
    }
    if (nearest === Infinity) return null;
    return { point: ray.at(nearest, new Vector3()), distance: nearest };
  }

  /** Something with the shader of the ground. */
  sample(): Mesh {
    const positions = new Float32Array(9);
    const normals = new Int16Array(12);
    const materials = new Uint8Array(12);
    return this.meshOf({ key: "", level: 0, positions, normals, materials, indices: new Uint16Array([0, 1, 2]) });
  }

  private add(block: Block): void {
    const mesh = this.meshOf(block);
    this.group.add(mesh);
    this.patches.set(block.key, { mesh, block, box: mesh.geometry.boundingBox! });
    this.count += block.indices.length / 3;
  }

  private meshOf(block: Block): Mesh {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(block.positions, 3));
    geometry.setAttribute("normal", new BufferAttribute(block.normals, 4, true));
    geometry.setAttribute("ground", new BufferAttribute(block.materials, 4));
    geometry.setIndex(new BufferAttribute(block.indices, 1));
    const box = new Box3().setFromArray(block.positions);
    geometry.boundingBox = box;
    geometry.boundingSphere = box.getBoundingSphere(new Sphere());
    const mesh = new Mesh(geometry, this.material);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    return mesh;
  }

  private remove(key: string): void {
    const patch = this.patches.get(key);
    if (!patch) return;
    this.group.remove(patch.mesh);
    patch.mesh.geometry.dispose();
    this.patches.delete(key);
    this.count -= patch.block.indices.length / 3;
  }
}

/** Möller and Trumbore's test over all triangles of a block, both sides; distance along the ray or infinity. */
function nearestOn({ positions: p, indices }: Block, ray: Ray): number {
  const { x: ox, y: oy, z: oz } = ray.origin;
  const { x: dx, y: dy, z: dz } = ray.direction;
  let nearest = Infinity;
  for (let i = 0; i < indices.length; i += 3) {
    const a = 3 * indices[i]!;
    const b = 3 * indices[i + 1]!;
    const c = 3 * indices[i + 2]!;
    const [ax, ay, az] = [p[a]!, p[a + 1]!, p[a + 2]!];
    const e1x = p[b]! - ax;
    const e1y = p[b + 1]! - ay;
    const e1z = p[b + 2]! - az;
    const e2x = p[c]! - ax;
    const e2y = p[c + 1]! - ay;
    const e2z = p[c + 2]! - az;
    const px = dy * e2z - dz * e2y;
    const py = dz * e2x - dx * e2z;
    const pz = dx * e2y - dy * e2x;
    const det = e1x * px + e1y * py + e1z * pz;
    if (det === 0) continue;
    const sx = ox - ax;
    const sy = oy - ay;
    const sz = oz - az;
    const u = (sx * px + sy * py + sz * pz) / det;
    if (u < 0 || u > 1) continue;
    const qx = sy * e1z - sz * e1y;
    const qy = sz * e1x - sx * e1z;
    const qz = sx * e1y - sy * e1x;
    const v = (dx * qx + dy * qy + dz * qz) / det;
    if (v < 0 || u + v > 1) continue;
    const t = (e2x * qx + e2y * qy + e2z * qz) / det;
    if (t > 0 && t < nearest) nearest = t;
  }
  return nearest;
}
