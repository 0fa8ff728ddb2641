/** Lowers what a picture costs while pictures are slow, and raises it again when there is time to spare. */

export interface Grade {
  /** Pixels drawn per pixel of the page. */
  ratio: number;
  shadow: number;
  /** Fine relief of the ground. */
  fine: boolean;
}

const MOST_RATIO = 2;
/** Drawn by the processor without smoothed edges, and scaled down by the browser, which smooths them. */
const SOFTWARE_REST_RATIO = 1.5;
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

  constructor(private readonly software: boolean) {
    this.level = software ? 2 : 0;
  }

  /** For a picture that will stay for a while: worth more time. None when nothing is to be gained. */
  get restGrade(): Grade | null {
    const { ratio, shadow, fine } = this.grade;
    const best = Math.min(MOST_RATIO, Math.max(this.software ? SOFTWARE_REST_RATIO : 1, devicePixelRatio));
    return fine && ratio >= best ? null : { ratio: Math.max(ratio, best), shadow, fine: true };
  }

  get grade(): Grade {
    const grade = GRADES[this.level]!;
    return { ...grade, ratio: Math.min(grade.ratio, Math.max(1, devicePixelRatio) * Math.min(1, grade.ratio)) };
  }

  /** Shadows of what moves are drawn no more often than this (ms). */
  get shadowPaceMs(): number {
    return this.software ? 200 : 0;
  }

  /** Takes in how long a picture took (ms). Returns whether the grade changed. */
  took(milliseconds: number): boolean {
    this.times.push(milliseconds);
    if (this.times.length < WINDOW) return false;
    const median = this.times.sort((a, b) => a - b)[WINDOW >> 1]!;
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
}
