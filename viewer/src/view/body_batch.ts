/** Bodies of one shape that are free to move, drawn all at once: thousands of boxes cost as much as a few. */
import { type BufferGeometry, Color, DynamicDrawUsage, Group, InstancedMesh, Matrix4, type MeshStandardMaterial, type Object3D } from "three";

export class BodyBatch {
  readonly group = new Group();
  private mesh: InstancedMesh;
  /** Which body stands at which place of the mesh. */
  private readonly bodies: number[] = [];
  private readonly places = new Map<number, number>();
  private readonly matrix = new Matrix4();

  /** Bodies of the shape `geometry`, which is scaled to the size of each, in a `material` that its colour tints. */
  constructor(
    private readonly geometry: BufferGeometry,
    private readonly material: MeshStandardMaterial,
  ) {
    this.mesh = this.make(64);
  }

  add(body: number, color: Color): void {
    if (this.bodies.length === this.mesh.instanceMatrix.count) this.grow();
    const place = this.bodies.push(body) - 1;
    this.places.set(body, place);
    this.mesh.count = this.bodies.length;
    this.mesh.setColorAt(place, color);
    // Unseen until it is put somewhere.
    this.mesh.setMatrixAt(place, new Matrix4().makeScale(0, 0, 0));
    this.changed();
  }

  remove(body: number): void {
    const place = this.places.get(body);
    const last = this.bodies.pop();
    if (place === undefined || last === undefined) return;
    this.places.delete(body);
    if (last !== body) {
      const color = new Color();
      this.bodies[place] = last;
      this.places.set(last, place);
      this.mesh.getMatrixAt(this.bodies.length, this.matrix);
      this.mesh.setMatrixAt(place, this.matrix);
      this.mesh.getColorAt(this.bodies.length, color);
      this.mesh.setColorAt(place, color);
    }
    this.mesh.count = this.bodies.length;
    this.changed();
  }

  /** Puts a body where `object` is, as large as that. */
  put(body: number, object: Object3D): void {
    const place = this.places.get(body);
    if (place === undefined) return;
    this.mesh.setMatrixAt(place, this.matrix.compose(object.position, object.quaternion, object.scale));
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null;
  }

  /** The body at a place of the mesh that a ray has hit. */
  at(mesh: Object3D, place: number | undefined): number | undefined {
    return mesh === this.mesh && place !== undefined ? this.bodies[place] : undefined;
  }

  private changed(): void {
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
    this.mesh.boundingSphere = null;
  }

  private grow(): void {
    const old = this.mesh;
    this.mesh = this.make(2 * old.instanceMatrix.count);
    this.mesh.count = old.count;
    this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
    const colors = this.mesh.instanceColor;
    if (colors && old.instanceColor) colors.array.set(old.instanceColor.array);
    this.group.remove(old);
    old.dispose();
  }

  private make(room: number): InstancedMesh {
    const mesh = new InstancedMesh(this.geometry, this.material, room);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.setColorAt(0, new Color());
    mesh.count = 0;
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return mesh;
  }
}
