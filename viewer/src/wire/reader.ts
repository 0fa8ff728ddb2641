/** Reads little-endian numbers one after the other. Reading past the end throws, so that no frame is half taken in. */
export class Reader {
  private readonly view: DataView;
  private at = 0;

  constructor(private readonly data: Uint8Array) {
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  get left(): number {
    return this.data.length - this.at;
  }

  /** How far it has been read. */
  get place(): number {
    return this.at;
  }

  /** The bytes from `place` up to here. */
  since(place: number): Uint8Array {
    return this.data.subarray(place, this.at);
  }

  u8(): number {
    return this.view.getUint8(this.advance(1));
  }

  u16(): number {
    return this.view.getUint16(this.advance(2), true);
  }

  i16(): number {
    return this.view.getInt16(this.advance(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.advance(4), true);
  }

  i32(): number {
    return this.view.getInt32(this.advance(4), true);
  }

  f32(): number {
    return this.view.getFloat32(this.advance(4), true);
  }

  f64(): number {
    return this.view.getFloat64(this.advance(8), true);
  }

  /** A 64-bit count; exact up to 2^53, which is more than any world holds. */
  u64(): number {
    return Number(this.view.getBigUint64(this.advance(8), true));
  }

  vec3(): [number, number, number] {
    return [this.f32(), this.f32(), this.f32()];
  }

  bytes(count: number): Uint8Array {
    const from = this.advance(count);
    return this.data.subarray(from, from + count);
  }

  text(count: number): string {
    return new TextDecoder().decode(this.bytes(count));
  }

  skip(count: number): void {
    this.advance(count);
  }

  /** Skips the zeros up to the next multiple of 4 from the start. */
  align4(): void {
    this.at = Math.min((this.at + 3) & ~3, this.data.length);
  }

  private advance(count: number): number {
    const from = this.at;
    if (count > this.left) throw new RangeError(`the frame ends ${count - this.left} bytes too early`);
    this.at += count;
    return from;
  }
}
