/** Sections 2, 3, 4 and 6: poses, bodies, bodies that are gone, machines. */
import type { Vec3 } from "./protocol";
import type { Reader } from "./reader";

export interface Pose {
  body: number;
  position: Vec3;
  /** Quaternion x, y, z, w, not scaled. */
  rotation: [number, number, number, number];
}

export type Shape =
  | { kind: "box"; half: Vec3 }
  | { kind: "ball"; radius: number }
  | { kind: "cylinder" | "cone" | "capsule"; radius: number; halfHeight: number }
  | { kind: "mesh"; positions: Float32Array; corners: Uint32Array };

export const Role = { Free: 0, Fixed: 1, Planned: 2, Pusher: 3, Excavator: 4, Bulldozer: 5 } as const;

export interface Body {
  body: number;
  shape: Shape;
  role: number;
  color: Vec3;
  name: string;
}

export interface MachinePose {
  machine: number;
  position: Vec3;
  heading: number;
  joints: number[];
  /** Its tool carves particles. */
  carves: boolean;
  /** What its tool holds, loose (m³), and its mass (kg). */
  fill: number;
  payload: number;
}

export function readPoses(reader: Reader): Pose[] {
  return list(reader, () => ({
    body: reader.u32(),
    position: reader.vec3(),
    rotation: [reader.i16(), reader.i16(), reader.i16(), reader.i16()],
  }));
}

export function readBodies(reader: Reader): Body[] {
  return list(reader, () => {
    const body = reader.u32();
    const shape = reader.u8();
    const role = reader.u8();
    const color: Vec3 = [reader.u8(), reader.u8(), reader.u8()];
    const nameBytes = reader.u8();
    reader.skip(2);
    const size = reader.vec3();
    const read = { body, shape: readShape(reader, shape, size), role, color, name: reader.text(nameBytes) };
    reader.align4();
    return read;
  });
}

function readShape(reader: Reader, shape: number, size: Vec3): Shape {
  const [radius, halfHeight] = size;
  switch (shape) {
    case 0:
      return { kind: "box", half: size };
    case 1:
      return { kind: "ball", radius };
    case 2:
      return { kind: "cylinder", radius, halfHeight };
    case 3:
      return { kind: "cone", radius, halfHeight };
    case 4:
      return { kind: "capsule", radius, halfHeight };
    case 5: {
      const vertices = reader.u32();
      const triangles = reader.u32();
      if (12 * (vertices + triangles) > reader.left) throw new RangeError("a body is larger than its frame");
      const positions = Float32Array.from({ length: 3 * vertices }, () => reader.f32());
      const corners = Uint32Array.from({ length: 3 * triangles }, () => reader.u32());
      return { kind: "mesh", positions, corners };
    }
    default:
      throw new RangeError(`unknown shape ${shape}`);
  }
}

export function readGone(reader: Reader): number[] {
  return list(reader, () => reader.u32());
}

export function readMachines(reader: Reader): MachinePose[] {
  return list(reader, () => {
    const machine = reader.u32();
    reader.skip(1);
    const count = reader.u8();
    const carves = reader.u16() === 1;
    const position = reader.vec3();
    const heading = reader.f32();
    const joints = Array.from({ length: count }, () => reader.f32());
    return { machine, position, heading, joints, carves, fill: reader.f32(), payload: reader.f32() };
  });
}

function list<T>(reader: Reader, item: () => T): T[] {
  const count = reader.u32();
  const items: T[] = [];
  for (let i = 0; i < count; i++) items.push(item());
  return items;
}
