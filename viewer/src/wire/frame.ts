/** Binary frames: what ground, bodies and particles look like. */
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
import { Particles } from "./particles";
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

/** What the frames of a connection have brought so far: later ones come as differences to it. */
export class Known {
  readonly blocks: KnownBlocks = new Map();
  readonly water = new Particles();
  readonly grains = new Particles();
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
  /** All particles, brought up to date. */
  water: Particles;
  grains: Particles;
}

const ANEW = 1;
const WHOLE = 2;

/** Reads a frame of a connection whose earlier frames brought what is `known`, and brings that up to date. */
export function readFrame(data: ArrayBuffer, known: Known): Frame {
  const reader = new Reader(new Uint8Array(data));
  const frame = readHeader(reader, known);
  if (frame.anew) {
    known.blocks.clear();
    known.water.clear();
    known.grains.clear();
  }
  known.water.leadOn(frame.timeS);
  known.grains.leadOn(frame.timeS);
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

function readHeader(reader: Reader, { water, grains }: Known): Frame {
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
    water,
    grains,
  };
}

/** Unknown sections are skipped: a newer server may know more. */
function readSection(frame: Frame, tag: number, reader: Reader, known: Known): void {
  if (tag === 1) frame.blocks.push(...readBlocks(reader, known.blocks));
  else if (tag === 7) frame.blocks.push(...readRenewedBlocks(reader, known.blocks));
  else if (tag === 2) frame.poses.push(...readPoses(reader));
  else if (tag === 3) frame.bodies.push(...readBodies(reader));
  else if (tag === 4) frame.gone.push(...readGone(reader));
  else if (tag === 5) frame.statistics = readStatistics(reader);
  else if (tag === 6) frame.machines = readMachines(reader);
  else if (tag === 8) readParticles(reader, known);
}

function readParticles(reader: Reader, { water, grains }: Known): void {
  const form = reader.u8();
  const known = [water, grains][form];
  if (!known) throw new RangeError(`unknown form ${form} of particles`);
  known.read(reader);
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
