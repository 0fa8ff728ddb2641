/** One stroke at a time: begun on the ground, led on as often as the hand moves, lifted. */
import type { Vector3 } from "three";
import type { Connection } from "../wire/connection";
import type { StrokeTool } from "../wire/protocol";
import type { Hand } from "./tools";

/** Between two messages of a stroke (ms): the pace of a screen. */
const PACE_MS = 15;
/** A second finger within this time (ms) says that the first was not meant as a stroke. */
const SLIP_MS = 400;

export class Strokes {
  private open = false;
  private begun = 0;
  private lastSent = 0;
  private readonly last: [number, number, number] = [0, 0, 0];

  constructor(
    private readonly connection: Connection,
    private readonly hand: Hand,
  ) {}

  begin(tool: StrokeTool, point: Vector3): void {
    this.open = true;
    this.begun = performance.now();
    this.remember(point, performance.now());
    const material = this.hand.material.value;
    this.connection.send({
      do: "stroke",
      tool,
      point_m: point.toArray(),
      radius_m: this.hand.radius.value,
      ...(tool === "push" ? {} : { strength: this.hand.strength.value }),
      ...((tool === "pour" || tool === "grains") && material !== null ? { material } : {}),
    });
  }

  /** Leads the stroke to where the hand was at a time (ms), unless it was there just before. */
  lead(point: Vector3, time: number): void {
    if (!this.open || time - this.lastSent < PACE_MS) return;
    const [x, y, z] = this.last;
    if (Math.abs(point.x - x) + Math.abs(point.y - y) + Math.abs(point.z - z) < 1e-3) return;
    this.remember(point, time);
    this.connection.send({ do: "move", point_m: point.toArray(), radius_m: this.hand.radius.value });
  }

  lift(): void {
    if (!this.open) return;
    this.open = false;
    this.connection.send({ do: "lift" });
  }

  /** Ends a stroke that turned out to be the beginning of something else, and takes back what little it did. */
  abandon(): void {
    if (!this.open) return;
    this.lift();
    if (performance.now() - this.begun < SLIP_MS) this.connection.send({ do: "undo" });
  }

  private remember(point: Vector3, time: number): void {
    this.lastSent = time;
    point.toArray(this.last);
  }
}
