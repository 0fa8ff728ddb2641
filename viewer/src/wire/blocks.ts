/** Sections 1 and 7: blocks of the surface of the ground. */
import { inflateSync } from "fflate";
import { Reader } from "./reader";

export interface Block {
  /** Coordinates and level of detail: what a later block replaces this one by. */
  key: string;
  level: number;
  /** Three per vertex (m). */
  positions: Float32Array<ArrayBuffer>;
  /** Four per vertex, of which three are used: 32,767 times the component. */
  normals: Int16Array<ArrayBuffer>;
  /** Four per vertex: dominant and second material, share of the dominant (0 half, 127 all) plus 128 where grass grows, moisture (255 all). */
  materials: Uint8Array<ArrayBuffer>;
  indices: Uint16Array<ArrayBuffer>;
}

/** The bytes of all blocks that we have, by key: later ones come as differences to them. */
export type KnownBlocks = Map<string, Uint8Array>;

export function readBlocks(reader: Reader, known: KnownBlocks): Block[] {
  const count = reader.u32();
  const blocks: Block[] = [];
  for (let i = 0; i < count; i++) {
    const from = reader.place;
    const block = readBlock(reader);
    keep(block, reader.since(from).slice(), known);
    blocks.push(block);
  }
  return blocks;
}

export function readRenewedBlocks(reader: Reader, known: KnownBlocks): Block[] {
  const count = reader.u32();
  const blocks: Block[] = [];
  for (let i = 0; i < count; i++) {
    const { key } = readKey(reader);
    const length = reader.u32();
    const packed = reader.bytes(reader.u32());
    reader.align4();
    const dictionary = known.get(key);
    if (!dictionary) throw new RangeError(`block ${key} is to be renewed, but is not there`);
    const bytes = inflateSync(packed, { dictionary, out: new Uint8Array(length) });
    const block = readBlock(new Reader(bytes));
    keep(block, bytes, known);
    blocks.push(block);
  }
  return blocks;
}

function keep(block: Block, bytes: Uint8Array, known: KnownBlocks): void {
  if (block.indices.length > 0) known.set(block.key, bytes);
  else known.delete(block.key);
}

function readKey(reader: Reader): { key: string; level: number } {
  const [x, y, z] = [reader.i32(), reader.i32(), reader.i32()];
  const level = reader.u8();
  reader.skip(3);
  return { key: `${x},${y},${z},${level}`, level };
}

function readBlock(reader: Reader): Block {
  const { key, level } = readKey(reader);
  const origin = reader.vec3();
  const quantum = reader.f32();
  const vertices = reader.u32();
  const corners = 3 * reader.u32();
  const positions = readPositions(reader, vertices, origin, quantum);
  const normals = readNormals(reader, vertices);
  const materials = readMaterials(reader, vertices);
  const indices = readIndices(reader, corners, vertices);
  reader.align4();
  return { key, level, positions, normals, materials, indices };
}

function readPositions(
  reader: Reader,
  vertices: number,
  origin: readonly number[],
  quantum: number,
): Float32Array<ArrayBuffer> {
  const positions = new Float32Array(3 * vertices);
  for (let axis = 0; axis < 3; axis++) {
    const low = reader.bytes(vertices);
    const high = reader.bytes(vertices);
    const from = origin[axis]!;
    let q = 0;
    for (let i = 0; i < vertices; i++) {
      q = (q + (low[i]! | (high[i]! << 8))) & 0xffff;
      positions[3 * i + axis] = from + q * quantum;
    }
  }
  return positions;
}

function readNormals(reader: Reader, vertices: number): Int16Array<ArrayBuffer> {
  const us = reader.bytes(vertices);
  const vs = reader.bytes(vertices);
  const normals = new Int16Array(4 * vertices);
  let u = 0;
  let v = 0;
  for (let i = 0; i < vertices; i++) {
    u = ((u + us[i]!) << 24) >> 24;
    v = ((v + vs[i]!) << 24) >> 24;
    let x = u / 127;
    let y = v / 127;
    const z = 1 - Math.abs(x) - Math.abs(y);
    if (z < 0) {
      const folded = (1 - Math.abs(y)) * (x < 0 ? -1 : 1);
      y = (1 - Math.abs(x)) * (y < 0 ? -1 : 1);
      x = folded;
    }
    const scale = 32_767 / Math.hypot(x, y, z);
    normals[4 * i] = x * scale;
    normals[4 * i + 1] = y * scale;
    normals[4 * i + 2] = z * scale;
  }
  return normals;
}

/** Dominant, second, weight and moisture come as planes and go to the graphics card side by side. */
function readMaterials(reader: Reader, vertices: number): Uint8Array<ArrayBuffer> {
  const materials = new Uint8Array(4 * vertices);
  for (let channel = 0; channel < 4; channel++) {
    const plane = reader.bytes(vertices);
    for (let i = 0; i < vertices; i++) materials[4 * i + channel] = plane[i]!;
  }
  return materials;
}

function readIndices(reader: Reader, corners: number, vertices: number): Uint16Array<ArrayBuffer> {
  const low = reader.bytes(corners);
  const high = reader.bytes(corners);
  const indices = new Uint16Array(corners);
  let index = 0;
  for (let i = 0; i < corners; i++) {
    const zigzag = low[i]! | (high[i]! << 8);
    index = (index + ((zigzag >> 1) ^ -(zigzag & 1))) & 0xffff;
    if (index >= vertices) throw new RangeError(`corner ${index} of a block with ${vertices} vertices`);
    indices[i] = index;
  }
  return indices;
}
