/** What colour a grain has, by a key: its material, or how it moves and is loaded. */
import { Color } from "three";
import type { Particles } from "../../wire/particles";
import type { Material } from "../../wire/protocol";

export const COLOR_KEYS = ["material", "speed", "force", "contacts"] as const;
export type ColorKey = (typeof COLOR_KEYS)[number];

/** Colours from little to much, of a scale that those who see colours otherwise can read too (after viridis). */
const SCALE = ["#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"].map((c) => new Color(c));
const STEPS = 256;
/** Contacts of a grain that is held on all sides. */
const MANY_CONTACTS = 12;
/** Forces are shown over so many powers of ten below the largest. */
const FORCE_DECADES = 3;
/** The largest value falls to what is seen now over so many looks: a scale that jumps cannot be read. */
const FADING = 0.97;

type Bytes = [r: number, g: number, b: number];

export class Coloring {
  private by: ColorKey = "material";
  private materials: Bytes[] = [];
  private readonly ramp: Bytes[] = Array.from({ length: STEPS }, (_, i) => rampColor(i / (STEPS - 1)));
  private largest = 0;

  setMaterials(materials: readonly Material[]): void {
    // The light of day is brighter than white paper: what lies in it is given as linear light.
    this.materials = materials.map(({ color: [r, g, b] }) => linear(new Color().setRGB(r / 255, g / 255, b / 255, "srgb")));
  }

  get key(): ColorKey {
    return this.by;
  }

  set key(key: ColorKey) {
    this.by = key;
    this.largest = 0;
  }

  /** The value at the upper end of the scale, for the legend; none where there is no scale. */
  get top(): { value: number; unit: string } | null {
    if (this.key === "speed") return { value: this.largest, unit: "m/s" };
    if (this.key === "force") return { value: this.largest, unit: "N" };
    return this.key === "contacts" ? { value: MANY_CONTACTS, unit: "" } : null;
  }

  /** Looks at all of them, to know how much is much. */
  survey(particles: Particles): void {
    if (this.key !== "speed" && this.key !== "force") return;
    let largest = 0;
    for (let number = 0; number < particles.numbers; number++) {
      if (particles.has(number)) largest = Math.max(largest, this.value(particles, number));
    }
    this.largest = Math.max(largest, FADING * this.largest);
  }

  /** Colour of a grain (linear, 0 to 255). Neighbours of one material differ a little, so that they can be told apart. */
  of(particles: Particles, number: number, into: Bytes): void {
    if (this.key === "material") {
      const [r, g, b] = this.materials[particles.kind(number)] ?? [128, 110, 80];
      const shade = 0.82 + 0.3 * scatter(number);
      into[0] = Math.min(255, r * shade);
      into[1] = Math.min(255, g * shade);
      into[2] = Math.min(255, b * shade);
      return;
    }
    const [r, g, b] = this.ramp[Math.round((STEPS - 1) * this.share(particles, number))]!;
    into[0] = r;
    into[1] = g;
    into[2] = b;
  }

  private value(particles: Particles, number: number): number {
    return this.key === "speed" ? particles.speedMS(number) : particles.forceN(number);
  }

  private share(particles: Particles, number: number): number {
    if (this.key === "contacts") return Math.min(1, particles.contacts(number) / MANY_CONTACTS);
    const value = this.value(particles, number);
    if (value <= 0 || this.largest <= 0) return 0;
    const share = this.key === "speed" ? value / this.largest : 1 + Math.log10(value / this.largest) / FORCE_DECADES;
    return Math.min(1, Math.max(0, share));
  }
}

/** The scale as a CSS gradient. */
export const SCALE_CSS = `linear-gradient(90deg, ${SCALE.map((color) => `#${color.getHexString()}`).join()})`;

function rampColor(share: number): Bytes {
  const at = share * (SCALE.length - 1);
  const low = Math.min(Math.floor(at), SCALE.length - 2);
  return linear(new Color().lerpColors(SCALE[low]!, SCALE[low + 1]!, at - low));
}

const linear = (color: Color): Bytes => [255 * color.r, 255 * color.g, 255 * color.b];

/** A number from 0 to 1 that looks random and is the same every time. */
function scatter(number: number): number {
  let h = Math.imul(number + 1, 0x9e3779b1);
  h ^= h >>> 15;
  return ((Math.imul(h, 0x85ebca6b) >>> 8) & 0xffff) / 0xffff;
}
