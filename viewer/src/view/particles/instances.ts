/** One shape drawn at many places: a list of centres, radii and colours that is filled anew for every picture. */
import { type BufferGeometry, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry } from "three";

export class Instances {
  geometry: InstancedBufferGeometry;
  private room = 0;
  private places = new Float32Array(0);
  private colors = new Uint8Array(0);
  private used = 0;

  constructor(private readonly shape: BufferGeometry) {
    this.geometry = this.make(1024);
  }

  get count(): number {
    return this.used;
  }

  begin(): void {
    this.used = 0;
  }

  /** Adds one: centre and radius (m) at `at` in `places`, and a colour or whatever else four bytes tell. */
  add(places: Float32Array, at: number, r: number, g: number, b: number, a: number): void {
    if (this.used === this.room) this.grow();
    const to = 4 * this.used++;
    this.places[to] = places[at]!;
    this.places[to + 1] = places[at + 1]!;
    this.places[to + 2] = places[at + 2]!;
    this.places[to + 3] = places[at + 3]!;
    this.colors[to] = r;
    this.colors[to + 1] = g;
    this.colors[to + 2] = b;
    this.colors[to + 3] = a;
  }

  end(): void {
    this.geometry.instanceCount = this.used;
    for (const name of ["place", "tint"]) {
      const attribute = this.geometry.getAttribute(name) as InstancedBufferAttribute;
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, 4 * this.used);
      attribute.needsUpdate = true;
    }
  }

  private grow(): void {
    const [places, colors] = [this.places, this.colors];
    this.geometry.dispose();
    this.geometry = this.make(2 * this.room);
    this.places.set(places);
    this.colors.set(colors);
  }

  private make(room: number): InstancedBufferGeometry {
    this.room = room;
    this.places = new Float32Array(4 * room);
    this.colors = new Uint8Array(4 * room);
    const geometry = new InstancedBufferGeometry();
    geometry.setIndex(this.shape.index);
    for (const [name, attribute] of Object.entries(this.shape.attributes)) geometry.setAttribute(name, attribute);
    geometry.setAttribute("place", new InstancedBufferAttribute(this.places, 4).setUsage(DynamicDrawUsage));
    geometry.setAttribute("tint", new InstancedBufferAttribute(this.colors, 4, true).setUsage(DynamicDrawUsage));
    geometry.instanceCount = 0;
    return geometry;
  }
}
