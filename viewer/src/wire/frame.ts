/** Binary frames: what the ground and the bodies look like. */
import { inflateSync } from "fflate";
import { type Block, type KnownBlocks, readBlocks, readRenewedBlocks } from "./blocks";
import {
  type Body,
  type MachinePose,
  type Pose,
  readBodies,
  readGone,
  readMachines,
  readPoses,
} from "./bodies";
import { VERSION } from "./protocol";
import { Reader } from "./reader";

export interface Statistics {
  stepsPerSecond: number;
  stepMilliseconds: number;
  awakeBricks: number;
  bodies: number;
  /** Units by which the books are off. */
  offBy: number;
  stocks: Stock[];
  triangles: number;
  viewers: number;
  /** Milliseconds per step, in the order of `welcome.processes`. */
  processes: number[];
}

/** What there is of one kind on one account. */
export interface Stock {
  /** Place in `welcome.accounts`. */
  account: number;
  /** Number of a material. */
  kind: number;
  /** In units, as the next two. */
  held: number;
  entered: number;
  left: number;
  /** Cubic metres as it lies, and kilograms dry. */
  m3: number;
  kg: number;
}

export interface Frame {
  number: number;
  epoch: number;
  /** Forget all blocks and bodies before taking this in. */
  anew: boolean;
  /** With this frame we have everything there is at present. */
  whole: boolean;
  timeS: number;
  steps: number;
  blocks: Block[];
  poses: Pose[];
  bodies: Body[];
  gone: number[];
  machines: MachinePose[] | null;
  statistics: Statistics | null;
}

const ANEW = 1;
const WHOLE = 2;

/** Reads a frame of a connection whose earlier frames brought the blocks `known`, and brings those up to date. */
export function readFrame(data: ArrayBuffer, known: KnownBlocks): Frame {
  const reader = new Reader(new Uint8Array(data));
  const frame = readHeader(reader);
  if (frame.anew) known.clear();
  while (reader.left > 0) {
    const tag = reader.u8();
    const encoding = reader.u8();
    reader.skip(2);
    const bytes = reader.bytes(reader.u32());
    reader.align4();
    const plain = encoding === 1 ? inflateSync(bytes) : bytes;
    readSection(frame, tag, new Reader(plain), known);
  }
  return frame;
}

function readHeader(reader: Reader): Frame {
  const kind = reader.u8();
  const version = reader.u8();
  if (kind !== 1 || version !== VERSION) throw new RangeError(`frame of kind ${kind}, version ${version}`);
  const flags = reader.u16();
  const number = reader.u32();
  const epoch = reader.u32();
  reader.skip(4);
  return {
    number,
    epoch,
    anew: (flags & ANEW) !== 0,
    whole: (flags & WHOLE) !== 0,
    timeS: reader.f64(),
    steps: reader.u64(),
    blocks: [],
    poses: [],
    bodies: [],
    gone: [],
    machines: null,
    statistics: null,
  };
}

/** Unknown sections are skipped: a newer server may know more. */
function readSection(frame: Frame, tag: number, reader: Reader, known: KnownBlocks): void {
  if (tag === 1) frame.blocks.push(...readBlocks(reader, known));
  else if (tag === 7) frame.blocks.push(...readRenewedBlocks(reader, known));
  else if (tag === 2) frame.poses.push(...readPoses(reader));
  else if (tag === 3) frame.bodies.push(...readBodies(reader));
  else if (tag === 4) frame.gone.push(...readGone(reader));
  else if (tag === 5) frame.statistics = readStatistics(reader);
  else if (tag === 6) frame.machines = readMachines(reader);
}

function readStock(reader: Reader): Stock {
  return {
    account: reader.u8(),
    kind: reader.u8(),
    held: reader.f64(),
    entered: reader.f64(),
    left: reader.f64(),
    m3: reader.f64(),
    kg: reader.f64(),
  };
}

function readStatistics(reader: Reader): Statistics {
  return {
    stepsPerSecond: reader.f32(),
    stepMilliseconds: reader.f32(),
    awakeBricks: reader.u32(),
    bodies: reader.u32(),
    offBy: reader.f64(),
    stocks: Array.from({ length: reader.u16() }, () => readStock(reader)),
    triangles: reader.u32(),
    viewers: reader.u32(),
    processes: Array.from({ length: reader.u32() }, () => reader.f32()),
  };
}
