/** The time of each process per step over the last half minute, stacked. */
import { el } from "../ui/dom";

const SAMPLES = 100;
const COLORS = ["#e6b566", "#7cc4ff", "#f08a7b", "#8fd694", "#c79bff", "#ffd97a", "#7fe0d8", "#f2a6d0"];
const HEIGHT = 74;

export class TimeChart {
  readonly element = el("div", "chart");
  private readonly canvas = el("canvas");
  private readonly legend = el("div", "legend");
  private names: string[] = [];
  private samples: number[][] = [];
  private width = 0;

  constructor() {
    this.element.append(this.canvas, this.legend);
  }

  setNames(names: string[]): void {
    this.names = names;
    this.samples = [];
  }

  add(milliseconds: number[]): void {
    this.samples.push(milliseconds);
    if (this.samples.length > SAMPLES) this.samples.shift();
  }

  draw(): void {
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    this.fit(pen);
    pen.clearRect(0, 0, this.width, HEIGHT);
    const top = niceAbove(Math.max(...this.samples.map((sample) => sample.reduce((a, b) => a + b, 0)), 0.5));
    const floor = this.samples.map(() => 0);
    this.names.forEach((_, process) => this.layer(pen, process, floor, top));
    this.scale(pen, top);
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

  private layer(pen: CanvasRenderingContext2D, process: number, floor: number[], top: number): void {
    const x = (i: number): number => this.width * (1 - (this.samples.length - 1 - i) / (SAMPLES - 1));
    const y = (value: number): number => HEIGHT - (value / top) * (HEIGHT - 4);
    pen.beginPath();
    floor.forEach((value, i) => pen.lineTo(x(i), y(value)));
    this.samples.forEach((sample, i) => (floor[i] = floor[i]! + (sample[process] ?? 0)));
    for (let i = floor.length - 1; i >= 0; i--) pen.lineTo(x(i), y(floor[i]!));
    pen.closePath();
    pen.fillStyle = COLORS[process % COLORS.length]!;
    pen.fill();
  }

  private scale(pen: CanvasRenderingContext2D, top: number): void {
    pen.fillStyle = "rgba(255,255,255,0.65)";
    pen.font = "10px system-ui, sans-serif";
    pen.fillText(`${top} ms`, 3, 11);
    pen.strokeStyle = "rgba(255,255,255,0.14)";
    pen.beginPath();
    for (const y of [4, HEIGHT / 2 + 2]) {
      pen.moveTo(0, y);
      pen.lineTo(this.width, y);
    }
    pen.stroke();
  }

  private showLegend(): void {
    const last = this.samples.at(-1) ?? [];
    this.legend.replaceChildren(
      ...this.names.map((name, i) => {
        const dot = el("i", "dot");
        dot.style.backgroundColor = COLORS[i % COLORS.length]!;
        return el("span", "", dot, `${name} `, el("b", "", (last[i] ?? 0).toFixed(1)));
      }),
    );
  }
}

/** The next of 1, 2, 5, 10, … above a number. */
function niceAbove(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((factor) => factor * decade >= value) ?? 10;
  return Number((step * decade).toPrecision(2));
}
