/** Section 8: particles. We are told where one is and how it moves, and lead it on by ourselves until we hear otherwise. */
import type { Reader } from "./reader";

export const FORMS = ["water", "grain"] as const;

/** Ticks in a second of the world, quanta per second in a step of velocity, and the shift from both to quanta. */
const TICKS_PER_S = 256;
const VELOCITY_STEP = 4;
const TICKS_PER_QUANTUM = 64;
/** Codes for a doubling of a radius and of a force, and the force of code 0 (N). */
const SIZE_CODES = 16;
const FORCE_CODES = 8;
const SMALLEST_FORCE_N = 1e-6;
const LOOKS = 5;
const MOST = 1 << 24;
const ANEW = 1;

/** All particles of one form. A particle has a number that is its own while it lives; arrays go by it. */
export class Particles {
  /** Numbers in use are below this. */
  numbers = 0;
  /** How many there are. */
  count = 0;
  /** Grows with everything that is taken in. */
  revision = 0;
  quantumM = 0;
  private tick = 0;
  private room = 0;
  private isThere = new Uint8Array(0);
  private places = new Int32Array(0);
  private velocities = new Int16Array(0);
  private ticks = new Uint32Array(0);
  private looks = new Uint8Array(0);

  clear(): void {
    this.isThere.fill(0);
    this.numbers = this.count = 0;
    this.revision++;
  }

  has(number: number): boolean {
    return this.isThere[number] === 1;
  }

  /** The particle's radius (m). */
  radiusM(number: number): number {
    return 2 ** (this.looks[LOOKS * number]! / SIZE_CODES) * this.quantumM;
  }

  /** Number of its material. */
  kind(number: number): number {
    return this.looks[LOOKS * number + 1]!;
  }

  /** Share of sediment, 0 to 1. */
  sediment(number: number): number {
    return (this.looks[LOOKS * number + 2]! / 255) ** 2;
  }

  contacts(number: number): number {
    return this.looks[LOOKS * number + 3]!;
  }

  /** Sum of the forces on it (N). */
  forceN(number: number): number {
    const code = this.looks[LOOKS * number + 4]!;
    return code === 0 ? 0 : 2 ** (code / FORCE_CODES) * SMALLEST_FORCE_N;
  }

  speedMS(number: number): number {
    const [x, y, z] = [0, 1, 2].map((axis) => this.velocities[3 * number + axis]!) as [number, number, number];
    return Math.hypot(x, y, z) * VELOCITY_STEP * this.quantumM;
  }

  /** Coordinate of its centre along an axis (m), by the time of the last frame. */
  placeM(number: number, axis: number): number {
    return this.ledOn(number, axis) * this.quantumM;
  }

  /** Time has come to a moment (s). */
  leadOn(timeS: number): void {
    const tick = Math.floor(timeS * TICKS_PER_S) >>> 0;
    if (tick === this.tick) return;
    this.tick = tick;
    if (this.count > 0) this.revision++;
  }

  /** Takes in news of which the form was read already. */
  read(reader: Reader): void {
    if (reader.u8() & ANEW) this.clear();
    reader.skip(2);
    this.quantumM = reader.f32();
    const numbers = reader.u32();
    if (numbers > MOST) throw new RangeError(`${numbers} particles are too many`);
    this.makeRoom(numbers);
    this.numbers = numbers;
    const [gone, fresh, changed] = [reader.u32(), reader.u32(), reader.u32()];
    for (const number of sums(planes(reader, gone, 4))) {
      if (this.isThere[this.check(number)] === 1) this.count--;
      this.isThere[number] = 0;
    }
    this.readNew(reader, fresh);
    this.readChanged(reader, changed);
    this.revision++;
  }

  private readNew(reader: Reader, count: number): void {
    const numbers = sums(planes(reader, count, 4));
    const places = [0, 1, 2].map(() => sums(unzigzag(planes(reader, count, 4))));
    const velocities = [0, 1, 2].map(() => unzigzag(planes(reader, count, 2)));
    const looks = Array.from({ length: LOOKS }, () => reader.bytes(count));
    numbers.forEach((number, at) => {
      if (this.isThere[this.check(number)] === 0) this.count++;
      this.isThere[number] = 1;
      this.ticks[number] = this.tick;
      for (let axis = 0; axis < 3; axis++) {
        this.places[3 * number + axis] = places[axis]![at]!;
        this.velocities[3 * number + axis] = velocities[axis]![at]!;
      }
      for (let look = 0; look < LOOKS; look++) this.looks[LOOKS * number + look] = looks[look]![at]!;
    });
  }

  private readChanged(reader: Reader, count: number): void {
    const numbers = sums(planes(reader, count, 2));
    const offsets = Array.from({ length: 6 }, () => unzigzag(planes(reader, count, 2)));
    const looks = Array.from({ length: LOOKS }, () => reader.bytes(count));
    numbers.forEach((number, at) => {
      if (this.isThere[this.check(number)] === 0) throw new RangeError(`particle ${number} changed, but is not there`);
      for (let axis = 0; axis < 3; axis++) {
        this.places[3 * number + axis] = this.ledOn(number, axis) + offsets[axis]![at]!;
      }
      for (let axis = 0; axis < 3; axis++) this.velocities[3 * number + axis]! += offsets[3 + axis]![at]!;
      for (let look = 0; look < LOOKS; look++) this.looks[LOOKS * number + look]! += looks[look]![at]!;
      this.ticks[number] = this.tick;
    });
  }

  /** The same whole numbers as on the other side of the wire. */
  private ledOn(number: number, axis: number): number {
    const ticks = (this.tick - this.ticks[number]!) | 0;
    const at = 3 * number + axis;
    return this.places[at]! + Math.floor((this.velocities[at]! * ticks) / TICKS_PER_QUANTUM);
  }

  private check(number: number): number {
    if (number >= this.numbers) throw new RangeError(`particle ${number} of ${this.numbers}`);
    return number;
  }

  private makeRoom(numbers: number): void {
    if (numbers <= this.room) return;
    this.room = Math.max(numbers, 2 * this.room, 1024);
    this.isThere = grown(this.isThere, new Uint8Array(this.room));
    this.places = grown(this.places, new Int32Array(3 * this.room));
    this.velocities = grown(this.velocities, new Int16Array(3 * this.room));
    this.ticks = grown(this.ticks, new Uint32Array(this.room));
    this.looks = grown(this.looks, new Uint8Array(LOOKS * this.room));
  }
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Numbers of so many bytes: all lowest bytes, then the next. */
function planes(reader: Reader, count: number, bytes: number): Int32Array {
  if (count > reader.left) throw new RangeError("a frame has more particles than it has bytes");
  const numbers = new Int32Array(count);
  for (let byte = 0; byte < bytes; byte++) {
    const plane = reader.bytes(count);
    for (let at = 0; at < count; at++) numbers[at]! |= plane[at]! << (8 * byte);
  }
  return numbers;
}

function unzigzag(numbers: Int32Array): Int32Array {
  return numbers.map((z) => (z >>> 1) ^ -(z & 1));
}

function sums(numbers: Int32Array): Int32Array {
  for (let at = 1; at < numbers.length; at++) numbers[at]! += numbers[at - 1]!;
  return numbers;
}
