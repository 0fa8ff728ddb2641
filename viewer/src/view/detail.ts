/** A tile of small-scale relief: sand, soil, rock and gravel in one texture, made when the page opens. */
import { DataTexture, LinearFilter, LinearMipmapLinearFilter, RGBAFormat, RepeatWrapping } from "three";

const SIZE = 256;

/** Red: rippled sand; green: crumbling soil; blue: cracked rock; alpha: pebbles. 0 low, 255 high; repeats without a seam. */
export function detailTexture(): DataTexture {
  const pebbles = pebbleField(26);
  const data = new Uint8Array(4 * SIZE * SIZE);
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) {
      const u = x / SIZE;
      const v = y / SIZE;
      const at = 4 * (y * SIZE + x);
      data[at] = 255 * sand(u, v);
      data[at + 1] = 255 * soil(u, v);
      data[at + 2] = 255 * rock(u, v);
      data[at + 3] = 255 * pebbles(u, v);
    }
  }
  const texture = new DataTexture(data, SIZE, SIZE, RGBAFormat);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.needsUpdate = true;
  return texture;
}

function sand(u: number, v: number): number {
  const bend = 0.35 * octaves(u, v, 3, 2);
  const ripple = 0.5 + 0.5 * Math.sin(2 * Math.PI * (9 * v + 2 * u + 2.2 * bend));
  return clamp(0.28 * ripple + 0.34 * octaves(u, v, 8, 3) + 0.38 * random(u * SIZE, v * SIZE));
}

function soil(u: number, v: number): number {
  const clods = octaves(u, v, 7, 4);
  return clamp(1.5 * (clods - 0.5) + 0.5 + 0.2 * (random(u * SIZE, v * SIZE) - 0.5));
}

function rock(u: number, v: number): number {
  const ridges = 1 - Math.abs(2 * octaves(u, v, 5, 4) - 1);
  const cracks = Math.min(1, Math.abs(2 * octaves(u + 0.37, v + 0.11, 4, 3) - 1) * 9);
  return clamp((0.25 + 0.75 * ridges * ridges) * (0.55 + 0.45 * cracks));
}

/** Rounded stones around scattered points: the height falls off towards the edge between two of them. */
function pebbleField(cells: number): (u: number, v: number) => number {
  return (u, v) => {
    const x = u * cells;
    const y = v * cells;
    let first = 9;
    let second = 9;
    let tone = 0;
    for (let j = -1; j <= 1; j++) {
      for (let i = -1; i <= 1; i++) {
        const cx = Math.floor(x) + i;
        const cy = Math.floor(y) + j;
        const wx = wrap(cx, cells);
        const wy = wrap(cy, cells);
        const d = Math.hypot(cx + random(wx, wy) - x, cy + random(wx + 71, wy + 13) - y);
        if (d < first) {
          second = first;
          first = d;
          tone = random(wx + 29, wy + 57);
        } else if (d < second) second = d;
      }
    }
    return clamp(Math.min(1, 2.2 * (second - first)) * (0.45 + 0.55 * tone));
  };
}

/** Value noise that repeats every `cells` lattice cells, summed over octaves; 0 to 1. */
function octaves(u: number, v: number, cells: number, count: number): number {
  let sum = 0;
  let total = 0;
  for (let i = 0, weight = 1, period = cells; i < count; i++, weight *= 0.55, period *= 2) {
    sum += weight * valueNoise(u * period, v * period, period);
    total += weight;
  }
  return sum / total;
}

function valueNoise(x: number, y: number, period: number): number {
  const i = Math.floor(x);
  const j = Math.floor(y);
  const fx = smooth(x - i);
  const fy = smooth(y - j);
  const lattice = latticeOf(period);
  const i0 = wrap(i, period);
  const i1 = wrap(i + 1, period);
  const row0 = wrap(j, period) * period;
  const row1 = wrap(j + 1, period) * period;
  const low = lattice[row0 + i0]! + (lattice[row0 + i1]! - lattice[row0 + i0]!) * fx;
  const high = lattice[row1 + i0]! + (lattice[row1 + i1]! - lattice[row1 + i0]!) * fx;
  return low + (high - low) * fy;
}

const lattices = new Map<number, Float32Array>();

/** Random values at the corners of a lattice, the same whenever they are asked for. */
function latticeOf(period: number): Float32Array {
  let lattice = lattices.get(period);
  if (!lattice) {
    lattice = Float32Array.from({ length: period * period }, (_, at) => random((at % period) + 0.5 * period, Math.floor(at / period)));
    lattices.set(period, lattice);
  }
  return lattice;
}

/** The same for the same pair of numbers, otherwise without pattern; 0 to 1. */
function random(x: number, y: number): number {
  let h = (Math.imul(Math.floor(x * 2), 374_761_393) + Math.imul(Math.floor(y * 2), 668_265_263)) | 0;
  h = Math.imul(h ^ (h >>> 13), 1_274_126_177);
  return ((h ^ (h >>> 16)) >>> 0) / 4_294_967_295;
}

const wrap = (i: number, period: number): number => ((i % period) + period) % period;
const smooth = (t: number): number => t * t * (3 - 2 * t);
const clamp = (x: number): number => Math.min(1, Math.max(0, x));
