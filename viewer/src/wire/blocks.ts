/** Section 1: blocks of the surface of the ground. */
import type { Reader } from "./reader";

export interface Block {
  /** Coordinates and level of detail: what a later block replaces this one by. */
  key: string;
  level: number;
  /** Three per vertex (m). */
  positions: Float32Array<ArrayBuffer>;
  /** Four per vertex, of which three are used: 32,767 times the component. */
  normals: Int16Array<ArrayBuffer>;
  /** Four per vertex: dominant and second material, share of the dominant (255 all), moisture (255 all). */
  materials: Uint8Array<ArrayBuffer>;
  indices: Uint16Array<ArrayBuffer>;
}

export function readBlocks(reader: Reader): Block[] {
  const count = reader.u32();
  const blocks: Block[] = [];
  for (let i = 0; i < count; i++) blocks.push(readBlock(reader));
  return blocks;
}

function readBlock(reader: Reader): Block {
  const [x, y, z] = [reader.i32(), reader.i32(), reader.i32()];
  const level = reader.u8();
  reader.skip(3);
  const origin = reader.vec3();
  const quantum = reader.f32();
  const vertices = reader.u32();
  const corners = 3 * reader.u32();
  const positions = readPositions(reader, vertices, origin, quantum);
  const normals = readNormals(reader, vertices);
  const materials = readMaterials(reader, vertices);
  const indices = readIndices(reader, corners, vertices);
  reader.align4();
  return { key: `${x},${y},${z},${level}`, level, positions, normals, materials, indices };
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
