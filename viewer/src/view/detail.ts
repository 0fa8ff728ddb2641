/** A tile of noise and pebbles in one texture, made when the page opens: all small-scale looks of the ground come from it. */
import { DataTexture, LinearFilter, LinearMipmapLinearFilter, RGBAFormat, RepeatWrapping } from "three";

const SIZE = 256;
/** Waves of noise across the tile: broad, lumps and grain; and pebbles across it. */
const BROAD = 8;
const LUMPS = 20;
const GRAIN = 64;
const PEBBLES = 28;

/** How wide the tile is laid for what is near, so that lumps are 1.6 and grain 0.5 wide (voxels). */
export const TILE_VOXELS = 32;
/** How wide it is laid for patches: lumps are 17 and broad waves 42 wide (voxels). */
export const PATCHES_VOXELS = 340;
/** The brightest pebble, in parts of the colour of its material. */
export const BRIGHTEST_PEBBLE = 1.3;

/** Red, green, blue: broad waves, lumps, grain. Alpha: how bright pebbles and the gaps between them are. Repeats without a seam. */
export function detailTexture(): DataTexture {
  const [broad, lumps, grain] = [noise(BROAD), noise(LUMPS), noise(GRAIN)];
  const pebbles = pebbleField(PEBBLES);
  const data = new Uint8Array(4 * SIZE * SIZE);
  for (let y = 0, at = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++, at += 4) {
      const [u, v] = [x / SIZE, y / SIZE];
      data[at] = 255 * broad(u, v);
      data[at + 1] = 255 * lumps(u, v);
      data[at + 2] = 255 * grain(u, v);
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

type Field = (u: number, v: number) => number;

/** Smooth noise between random values at the corners of so many cells; 0 to 1. */
function noise(cells: number): Field {
  const corners = Float32Array.from({ length: cells * cells }, (_, at) => random(at % cells, cells + Math.floor(at / cells)));
  return (u, v) => {
    const [x, y] = [u * cells, v * cells];
    const [i, j] = [Math.floor(x), Math.floor(y)];
    const [fx, fy] = [smooth(x - i), smooth(y - j)];
    const [i1, row, row1] = [(i + 1) % cells, j * cells, ((j + 1) % cells) * cells];
    const low = corners[row + i]! + (corners[row + i1]! - corners[row + i]!) * fx;
    const high = corners[row1 + i]! + (corners[row1 + i1]! - corners[row1 + i]!) * fx;
    return low + (high - low) * fy;
  };
}

/** Stones around scattered points, each with a shade of its own, and dark where one ends and the next begins. */
function pebbleField(cells: number): Field {
  return (u, v) => {
    const [x, y] = [u * cells, v * cells];
    let first = 9;
    let second = 9;
    let shade = 0;
    for (let j = -1; j <= 1; j++) {
      for (let i = -1; i <= 1; i++) {
        const [cx, cy] = [Math.floor(x) + i, Math.floor(y) + j];
        const [wx, wy] = [(cx + cells) % cells, (cy + cells) % cells];
        const d = Math.hypot(cx + random(wx, wy) - x, cy + random(wx + 71, wy + 13) - y);
        if (d < first) {
          second = first;
          first = d;
          shade = random(wx + 29, wy + 57);
        } else if (d < second) second = d;
      }
    }
    const gap = smooth(clamp((second - first - 0.02) / 0.25));
    return ((0.8 + 0.5 * shade) * (0.4 + 0.6 * gap)) / BRIGHTEST_PEBBLE;
  };
}

/** The same for the same pair of whole numbers, otherwise without pattern; 0 to 1. */
function random(x: number, y: number): number {
  let h = (Math.imul(x, 374_761_393) + Math.imul(y, 668_265_263)) | 0;
  h = Math.imul(h ^ (h >>> 13), 1_274_126_177);
  h = Math.imul(h ^ (h >>> 15), 2_246_822_519);
  return ((h ^ (h >>> 16)) >>> 0) / 4_294_967_295;
}

const smooth = (t: number): number => t * t * (3 - 2 * t);
const clamp = (x: number): number => Math.min(1, Math.max(0, x));
