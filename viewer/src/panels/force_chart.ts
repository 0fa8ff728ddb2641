/** The force of the ground on bodies against time. */
import { el, words } from "../ui/dom";
import type { Felt } from "../wire/protocol";

/** Moments that are kept: as many as pixels. */
const SAMPLES = 220;
const HEIGHT = 110;
const COLORS = ["#e6b566", "#7cc4ff", "#f08a7b", "#8fd694", "#c79bff", "#7fe0d8"];

interface Moment {
  timeS: number;
  /** By body (N). */
  strengths: Map<number, number>;
}

export class ForceChart {
  readonly element = el("div", "chart forces");
  private readonly canvas = el("canvas");
  private readonly legend = el("div", "legend");
  private moments: Moment[] = [];
  private names = new Map<number, string>();
  private width = 0;

  constructor() {
    this.element.append(this.canvas, this.legend);
  }

  clear(): void {
    this.moments = [];
    this.names.clear();
  }

  /** A moment that has passed; one that was told before says nothing new. */
  add(timeS: number, felt: readonly Felt[]): void {
    const last = this.moments.at(-1)?.timeS ?? -Infinity;
    if (timeS < last) this.clear();
    if (timeS === last) return;
    felt.forEach(({ body, name }) => {
      if (this.names.size < COLORS.length) this.names.set(body, name);
    });
    this.moments.push({ timeS, strengths: new Map(felt.map(({ body, force_n }) => [body, Math.hypot(...force_n)])) });
    if (this.moments.length > SAMPLES) this.moments.shift();
  }

  draw(): void {
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    this.fit(pen);
    pen.clearRect(0, 0, this.width, HEIGHT);
    const top = Math.max(...this.moments.flatMap(({ strengths }) => [...this.names.keys()].map((body) => strengths.get(body) ?? 0)), 1);
    const [first, last] = [this.moments[0]?.timeS ?? 0, this.moments.at(-1)?.timeS ?? 1];
    const x = (timeS: number): number => (this.width * (timeS - first)) / Math.max(last - first, 1e-6);
    const y = (newton: number): number => HEIGHT - 16 - (newton / top) * (HEIGHT - 30);
    [...this.names.keys()].forEach((body, i) => {
      pen.beginPath();
      this.moments.forEach(({ timeS, strengths }) => pen.lineTo(x(timeS), y(strengths.get(body) ?? 0)));
      pen.strokeStyle = COLORS[i]!;
      pen.lineWidth = 1.5;
      pen.stroke();
    });
    pen.fillStyle = "rgba(255,255,255,0.65)";
    pen.font = "10px system-ui, sans-serif";
    pen.fillText(newtons(top), 3, 10);
    pen.fillText(`${first.toFixed(1)} s`, 3, HEIGHT - 4);
    const end = `${last.toFixed(1)} s`;
    pen.fillText(end, this.width - pen.measureText(end).width - 3, HEIGHT - 4);
    this.showLegend();
  }

  /** Two pixels for each of the page keep it sharp on any screen. */
  private fit(pen: CanvasRenderingContext2D): void {
    const width = this.canvas.clientWidth;
    if (width === this.width) return;
    this.width = width;
    this.canvas.width = 2 * width;
    this.canvas.height = 2 * HEIGHT;
    pen.setTransform(2, 0, 0, 2, 0, 0);
  }

  private showLegend(): void {
    const now = this.moments.at(-1)?.strengths;
    this.legend.replaceChildren(
      ...[...this.names].map(([body, name], i) => {
        const dot = el("i", "dot");
        dot.style.backgroundColor = COLORS[i]!;
        return el("span", "", dot, `${words(name)} `, el("b", "", newtons(now?.get(body) ?? 0)));
      }),
    );
  }
}

/** A force in the unit that keeps its number short. */
export function newtons(value: number): string {
  return value < 1000 ? `${value.toFixed(0)} N` : `${(value / 1000).toPrecision(3)} kN`;
}
