/** Lowers what a picture costs while pictures are slow, and raises it again when there is time to spare. */

export interface Grade {
  /** Pixels drawn per pixel of the page. */
  ratio: number;
  shadow: number;
  /** Fine relief of the ground, and water in every pixel. */
  fine: boolean;
}

const MOST_RATIO = 2;
/** Better grades for a picture that stays, the best first: drawn larger, its edges are smoothed when it is scaled down. */
const REST_RATIOS = [1.5, 1];
/** Longest time that such a picture may take (ms), as far as it can be foretold: the best of them, and any of them. */
const REST_MS = [800, 2000] as const;
/** Fine relief costs this much more. */
const FINE_COST = 1.5;
const GRADES: readonly Grade[] = [
  { ratio: MOST_RATIO, shadow: 2048, fine: true },
  { ratio: 1.25, shadow: 2048, fine: true },
  { ratio: 1, shadow: 1024, fine: true },
  { ratio: 1, shadow: 1024, fine: false },
  { ratio: 0.75, shadow: 1024, fine: false },
];

/** Pictures slower than this (ms) ask for less, faster than that for more. */
const SLOW_MS = 55;
const FAST_MS = 14;
const WINDOW = 6;

export class Quality {
  private level: number;
  private readonly times: number[] = [];
  /** Going up to a level that was too slow before takes ever longer, so that quality does not swing. */
  private patience = 40;
  private calm = 0;
  /** How long pictures of this grade take (ms). */
  private median = 100;

  constructor(private readonly software: boolean) {
    this.level = software ? 3 : 0;
  }

  get grade(): Grade {
    const grade = GRADES[this.level]!;
    return { ...grade, ratio: Math.min(grade.ratio, Math.max(1, devicePixelRatio) * Math.min(1, grade.ratio)) };
  }

  /** For a picture that will stay for a while: worth more time. None when nothing is to be gained. */
  get restGrade(): Grade | null {
    const { ratio, shadow, fine } = this.grade;
    const sharpest = Math.min(MOST_RATIO, devicePixelRatio);
    const wanted = this.software ? [Math.max(sharpest, REST_RATIOS[0]!), ...REST_RATIOS] : [sharpest];
    const better = wanted.filter((other) => other > ratio || !fine);
    const within = (limit: number) => better.find((other) => this.cost(other / ratio, fine) < limit);
    const best = within(REST_MS[0]) ?? (within(REST_MS[1]) && better.at(-1));
    return best === undefined ? null : { ratio: Math.max(ratio, best), shadow, fine: true };
  }

  /** Shadows of what moves are drawn no more often than this (ms). */
  get shadowPaceMs(): number {
    return this.software ? 200 : 0;
  }

  /** Takes in how long a picture took (ms). Returns whether the grade changed. */
  took(milliseconds: number): boolean {
    this.times.push(milliseconds);
    const isDire = this.times.length >= 2 && Math.min(...this.times) > 4 * SLOW_MS;
    if (this.times.length < WINDOW && !isDire) return false;
    const median = this.times.sort((a, b) => a - b)[this.times.length >> 1]!;
    this.median = median;
    this.times.length = 0;
    if (median > SLOW_MS && this.level < GRADES.length - 1) {
      this.level++;
      this.patience *= 2;
      this.calm = 0;
      return true;
    }
    this.calm = median < FAST_MS ? this.calm + 1 : 0;
    if (this.calm < this.patience || this.level === 0) return false;
    this.level--;
    this.calm = 0;
    return true;
  }

  /** What a picture would take with so many times the pixels across, and fine relief (ms). */
  private cost(scale: number, isFine: boolean): number {
    return this.median * Math.max(1, scale) ** 2 * (isFine ? 1 : FINE_COST);
  }
}
