/** What an edit would change, as boxes over the ground: what goes, what comes, what turns into something else. */
import { BoxGeometry, Color, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from "three";
import type { PreviewRows, VoxelRow } from "../wire/protocol";

const COLORS = { gone: new Color("#ff5a4d"), come: new Color("#6fe08a"), turned: new Color("#6fb4ff") };
/** Boxes stand out of the smooth surface by this share of a voxel. */
const MARGIN = 0.12;

export class Preview {
  mesh = this.make(1);

  /** Shows rows of voxels with edges of `voxelM` (m); null: nothing. Returns whether anything was or is shown. */
  show(rows: PreviewRows | null, voxelM: number): boolean {
    const before = this.mesh.count;
    const all: [VoxelRow, Color][] = [];
    for (const name of ["gone", "come", "turned"] as const) {
      for (const row of rows?.[name] ?? []) all.push([row, COLORS[name]]);
    }
    if (all.length > this.mesh.instanceMatrix.count) this.grow(all.length);
    const [matrix, turn] = [new Matrix4(), new Quaternion()];
    all.forEach(([[x, y, z, n], color], place) => {
      const middle = new Vector3(x + 0.5, y + 0.5, z + n / 2).multiplyScalar(voxelM);
      const size = new Vector3(1 + MARGIN, 1 + MARGIN, n + MARGIN).multiplyScalar(voxelM);
      this.mesh.setMatrixAt(place, matrix.compose(middle, turn, size));
      this.mesh.setColorAt(place, color);
    });
    this.mesh.count = all.length;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
    return before + all.length > 0;
  }

  private grow(room: number): void {
    const old = this.mesh;
    this.mesh = this.make(2 * room);
    old.parent?.add(this.mesh);
    old.removeFromParent();
    old.dispose();
  }

  private make(room: number): InstancedMesh {
    const material = new MeshBasicMaterial({ transparent: true, opacity: 0.5, depthWrite: false });
    const mesh = new InstancedMesh(new BoxGeometry(1, 1, 1), material, room);
    mesh.setColorAt(0, new Color());
    mesh.count = 0;
    mesh.frustumCulled = false;
    return mesh;
  }
}
