import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Known, readFrame } from "./frame";
import { VERSION } from "./protocol";

/** Writes what the reader reads. */
class Writer {
  private readonly parts: Buffer[] = [];

  put(write: (buffer: Buffer) => void, bytes: number): this {
    const buffer = Buffer.alloc(bytes);
    write(buffer);
    this.parts.push(buffer);
    return this;
  }

  bytes(...values: number[]): this {
    return this.put((b) => values.forEach((value, i) => (b[i] = value & 255)), values.length);
  }

  u16(value: number): this {
    return this.put((b) => b.writeUInt16LE(value), 2);
  }

  i16(...values: number[]): this {
    return this.put((b) => values.forEach((value, i) => b.writeInt16LE(value, 2 * i)), 2 * values.length);
  }

  u32(...values: number[]): this {
    return this.put((b) => values.forEach((value, i) => b.writeUInt32LE(value, 4 * i)), 4 * values.length);
  }

  i32(...values: number[]): this {
    return this.put((b) => values.forEach((value, i) => b.writeInt32LE(value, 4 * i)), 4 * values.length);
  }

  f32(...values: number[]): this {
    return this.put((b) => values.forEach((value, i) => b.writeFloatLE(value, 4 * i)), 4 * values.length);
  }

  f64(...values: number[]): this {
    return this.put((b) => values.forEach((value, i) => b.writeDoubleLE(value, 8 * i)), 8 * values.length);
  }

  raw(buffer: Buffer): this {
    return this.put((b) => buffer.copy(b), buffer.length);
  }

  align(): this {
    const length = this.done().length;
    return this.bytes(...Array<number>((4 - (length % 4)) % 4).fill(0));
  }

  done(): Buffer {
    return Buffer.concat(this.parts);
  }
}

type Section = [tag: number, content: Buffer, deflated?: boolean];

function frame(...sections: Section[]): ArrayBuffer {
  return frameWith(3, ...sections);
}

function frameWith(flags: number, ...sections: Section[]): ArrayBuffer {
  const writer = new Writer().bytes(1, VERSION).u16(flags).u32(7, 2, 0);
  writer.put((b) => b.writeDoubleLE(1.5), 8).put((b) => b.writeBigUInt64LE(90n), 8);
  for (const [tag, content, deflated] of sections) {
    const bytes = deflated ? deflateRawSync(content) : content;
    writer.bytes(tag, deflated ? 1 : 0).u16(0).u32(bytes.length).raw(bytes).align();
  }
  return new Uint8Array(writer.done()).buffer;
}

/** Three vertices, q = (10, 20, 30), (5, 300, 30), (65535, 0, 29), one triangle 2, 0, 1. */
function block(): Buffer {
  const difference = (values: number[]): number[] => values.map((value, i) => (value - (values[i - 1] ?? 0)) & 0xffff);
  const planes = (values: number[]): number[] => [...values.map((v) => v & 255), ...values.map((v) => v >> 8)];
  const zigzag = (d: number): number => ((d << 1) ^ (d >> 31)) & 0xffff;
  return new Writer()
    .u32(1)
    .i32(-1, 2, 3)
    .bytes(1, 0, 0, 0)
    .f32(1, 2, 3, 0.5)
    .u32(3, 1)
    .bytes(...planes(difference([10, 5, 65535])))
    .bytes(...planes(difference([20, 300, 0])))
    .bytes(...planes(difference([30, 30, 29])))
    .bytes(...difference([0, 127, -127]).map((d) => d & 255))
    .bytes(...difference([0, 0, -127]).map((d) => d & 255))
    .bytes(1, 2, 3, 4, 5, 6, 255, 128, 0, 9, 8, 7)
    .bytes(...planes([2, -2, 1].map(zigzag)))
    .align()
    .done();
}

describe("a frame", () => {
  it("has a header", () => {
    const read = readFrame(frame(), new Known());
    expect(read).toMatchObject({ number: 7, epoch: 2, anew: true, whole: true, timeS: 1.5, steps: 90, statistics: null });
  });

  it.each([false, true])("holds blocks (deflated: %s)", (deflated) => {
    const { blocks } = readFrame(frame([1, block(), deflated]), new Known());
    expect(blocks).toHaveLength(1);
    const { key, positions, normals, materials, indices } = blocks[0]!;
    expect(key).toBe("-1,2,3,1");
    expect([...positions]).toEqual([6, 12, 18, 3.5, 152, 18, 32768.5, 2, 17.5]);
    expect([...indices]).toEqual([2, 0, 1]);
    expect([...materials]).toEqual([1, 4, 255, 9, 2, 5, 128, 8, 3, 6, 0, 7]);
    // Straight up, along x, and the corner (-127, -127) that folds over to straight down.
    expect([...normals].filter((_, i) => i % 4 < 3)).toEqual([0, 0, 32767, 32767, 0, 0, -0, -0, -32767].map((n) => n + 0));
  });

  it("holds blocks as differences to those before", () => {
    const known = new Known();
    readFrame(frame([1, block()]), known);
    const before = block().subarray(4);
    const after = Buffer.from(before);
    after.writeFloatLE(11, 16);
    const packed = deflateRawSync(after, { dictionary: before });
    const renewed = new Writer().u32(1).i32(-1, 2, 3).bytes(1, 0, 0, 0).u32(after.length, packed.length).raw(packed).align().done();
    const { blocks } = readFrame(frameWith(0, [7, renewed]), known);
    expect([...blocks[0]!.positions]).toEqual([16, 12, 18, 13.5, 152, 18, 32778.5, 2, 17.5]);
    expect([...known.blocks.get("-1,2,3,1")!]).toEqual([...after]);
    expect(() => readFrame(frame([7, renewed]), known)).toThrow("is not there");
  });

  it("holds bodies, poses and those that are gone", () => {
    const bodies = new Writer().u32(1, 4).bytes(0, 5, 10, 20, 30, 3).u16(0).f32(1, 2, 3).raw(Buffer.from("cab")).align().done();
    const poses = new Writer().u32(1, 4).f32(7, 8, 9).i16(0, 0, 0, 32767).done();
    const read = readFrame(frame([3, bodies], [2, poses], [4, new Writer().u32(2, 11, 12).done()]), new Known());
    expect(read.bodies).toEqual([{ body: 4, shape: { kind: "box", half: [1, 2, 3] }, role: 5, color: [10, 20, 30], name: "cab" }]);
    expect(read.poses).toEqual([{ body: 4, position: [7, 8, 9], rotation: [0, 0, 0, 32767] }]);
    expect(read.gone).toEqual([11, 12]);
  });

  it("holds statistics and machines", () => {
    const numbers = new Writer().f32(60, 4).u32(12, 3).f64(5).u16(1).bytes(1, 4).f64(7, 8, 1, 0.5, 900).u32(1000, 2, 2).f32(0.5, 1.5).done();
    const machine = new Writer().u32(1, 9).bytes(0, 2, 1, 0).f32(1, 2, 3, 0.25, 0.5, -0.5, 0.5, 800).done();
    const read = readFrame(frame([5, numbers], [6, machine]), new Known());
    expect(read.statistics).toMatchObject({ stepsPerSecond: 60, awakeBricks: 12, offBy: 5, triangles: 1000, processes: [0.5, 1.5] });
    expect(read.statistics!.stocks).toEqual([{ account: 1, kind: 4, held: 7, entered: 8, left: 1, m3: 0.5, kg: 900 }]);
    expect(read.machines).toEqual([{ machine: 9, position: [1, 2, 3], heading: 0.25, joints: [0.5, -0.5], carves: true, fill: 0.5, payload: 800 }]);
  });

  it("holds particles, which go on by themselves", () => {
    const known = new Known();
    const [low, high] = [(values: number[]) => values.map((v) => v & 255), (values: number[]) => values.map((v) => v >> 8)];
    const two = (values: number[]): number[] => [...low(values), ...high(values)];
    const four = (values: number[]): number[] => [...two(values), ...values.map(() => 0), ...values.map(() => 0)];
    const zigzag = (values: number[]): number[] => values.map((d) => ((d << 1) ^ (d >> 31)) & 0xffff);
    // Two grains of sand, at (0, 8, 16) and (-8, 8, 400) quanta of half a metre, the second with 2 m/s along x.
    const first = new Writer().bytes(1, 1, 0, 0).f32(0.5).u32(4, 0, 2, 0);
    first.bytes(...four([1, 2]));
    for (const places of [[0, -8], [8, 0], [16, 384]]) first.bytes(...four(zigzag(places)));
    for (const velocities of [[0, 1], [0, 0], [0, 0]]) first.bytes(...two(zigzag(velocities)));
    first.bytes(48, 32, 7, 7, 255, 0, 3, 4, 0, 160).align();
    const { grains, water } = readFrame(frame([8, first.done(), true]), known);
    expect([grains.count, water.count]).toEqual([2, 0]);
    expect([0, 1, 2].map((axis) => [grains.placeM(1, axis), grains.placeM(3, axis)])).toEqual([[0, -4], [4, 4], [8, 200]]);
    expect([grains.radiusM(1), grains.radiusM(3)]).toEqual([4, 2]);
    expect([grains.kind(3), grains.sediment(1), grains.contacts(3), grains.speedMS(3)]).toEqual([7, 1, 4, 2]);
    expect(grains.forceN(3)).toBeCloseTo(2 ** 20 * 1e-6);
    // A second later the one has gone on, and is half a metre short of that; the other is gone.
    const later = (section: Buffer): ArrayBuffer => {
      const bytes = frameWith(0, [8, section]);
      new DataView(bytes).setFloat64(16, 2.5, true);
      return bytes;
    };
    const none = new Writer().bytes(1, 0, 0, 0).f32(0.5).u32(4, 0, 0, 0).done();
    readFrame(later(none), known);
    expect(grains.placeM(3, 0)).toBe(-2);
    const second = new Writer().bytes(1, 0, 0, 0).f32(0.5).u32(4, 1, 0, 1).bytes(...four([1]), ...two([3]));
    for (const offset of [-1, 0, 0, -1, 0, 0]) second.bytes(...two(zigzag([offset])));
    second.bytes(0, 0, 0, 252, 0).align();
    readFrame(later(second.done()), known);
    expect([grains.count, grains.has(1), grains.placeM(3, 0), grains.speedMS(3), grains.contacts(3)]).toEqual([1, false, -2.5, 0, 0]);
    expect(() => readFrame(later(new Writer().bytes(1, 0, 0, 0).f32(0.5).u32(4, 0, 0, 1).bytes(...two([1]), ...Array<number>(17).fill(0)).align().done()), known)).toThrow("is not there");
    expect(readFrame(frame(), known).grains.count).toBe(0);
  });

  it("skips sections that it does not know", () => {
    const read = readFrame(frame([99, Buffer.from("?")], [4, new Writer().u32(1, 5).done()]), new Known());
    expect(read.gone).toEqual([5]);
  });

  it("is refused when it is cut short, of another version, or names vertices that are not there", () => {
    const whole = frame([1, block()]);
    expect(() => readFrame(whole.slice(0, whole.byteLength - 20), new Known())).toThrow("too early");
    const other = new Uint8Array(frame());
    other[1] = 9;
    expect(() => readFrame(other.buffer, new Known())).toThrow("version 9");
    const wrong = block();
    wrong[wrong.length - 8] = 40;
    expect(() => readFrame(frame([1, wrong]), new Known())).toThrow("vertices");
  });
});
