/** The tools of a terrain artist: what they are set to, what they would change where the mouse is, and doing it. */
import type { Vector3 } from "three";
import type { Session } from "../session";
import { Signal } from "../ui/signal";
import type { Stage } from "../view/stage";
import type { EditKeys, Reply, Vec3 } from "../wire/protocol";
import type { Hand } from "./tools";

export const OPS = ["weather", "add", "remove", "paint", "color", "fill", "raise", "flatten", "smooth", "grow", "shrink", "copy"] as const;
export type Op = (typeof OPS)[number];
export const SHAPES = ["box", "ball", "cylinder", "cone", "rough_ball", "path"] as const;
export const BUBBLES = ["ball", "box", "flattened_ball", "tall_ball", "teardrop", "rhombus", "falloff"] as const;
export const MIRRORS = ["none", "x", "y", "z"] as const;

/** Between two looks at what would change (ms). */
const PACE_MS = 140;
/** A look is not taken anew until the mouse has gone so far (voxels). */
const STEP = 0.6;

/** What the tools are set to. */
export interface Settings {
  op: Op;
  shape: (typeof SHAPES)[number];
  radius: number;
  bubble: (typeof BUBBLES)[number];
  /** Radii of the bubble along x, y and z (voxels). */
  radii: [number, number, number];
  threshold: number;
  /** Share of what goes that stays as debris, and its soil; "": what each rock crumbles to. */
  share: number;
  debris: string;
  smooth: boolean;
  hollows: boolean;
  pieces: boolean;
  material: string;
  color: string;
  height: number;
  strength: number;
  voxels: number;
  turns: number;
  mirror: (typeof MIRRORS)[number];
}

const BEGINNING: Settings = {
  op: "weather",
  shape: "ball",
  radius: 1.2,
  bubble: "ball",
  radii: [4, 4, 4],
  threshold: 0.6,
  share: 1,
  debris: "",
  smooth: false,
  hollows: false,
  pieces: true,
  material: "",
  color: "#b4643c",
  height: 0.5,
  strength: 0.8,
  voxels: 1,
  turns: 0,
  mirror: "none",
};

/** Ops that work on a region of space, those that lay something down, those that take a colour. */
export const hasShape = (op: Op): boolean => ["weather", "add", "remove", "paint", "grow", "shrink"].includes(op);
export const hasMaterial = (op: Op): boolean => ["add", "fill", "raise", "grow"].includes(op);
export const hasColor = (op: Op): boolean => op === "paint" || op === "color";

export class Artist {
  readonly settings = new Signal<Settings>(BEGINNING);
  /** What the last edit told. */
  readonly done = new Signal<Reply | null>(null);
  /** The first of two points, of a path or a copy. */
  readonly mark = new Signal<Vec3 | null>(null);
  private asked = 0;
  private isLooking = false;
  private looked = "";

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
    private readonly hand: Hand,
  ) {
    hand.tool.watch((tool) => {
      if (tool !== "artist") this.forget();
    });
    this.settings.watch(() => (this.looked = ""));
    session.state.watch(() => (this.looked = ""));
  }

  set(change: Partial<Settings>): void {
    if (change.op || change.shape) this.mark.set(null);
    this.settings.set({ ...this.settings.value, ...change });
  }

  /** The mouse is over this point of the ground, or over none: shows what a click would change. */
  hover(point: Vector3 | null): void {
    if (!point || this.hand.tool.value !== "artist" || this.session.state.value?.work) {
      this.forget();
      return;
    }
    const voxel = this.session.state.value?.voxel_size_m ?? 0.1;
    const place = point.toArray().map((x) => Math.round(x / (STEP * voxel))).join();
    const now = performance.now();
    if (place === this.looked || this.isLooking || now - this.asked < PACE_MS) return;
    [this.looked, this.asked, this.isLooking] = [place, now, true];
    const { op, keys } = this.line(point.toArray());
    void this.session.connection.ask({ do: "preview", op, keys }, true).then((reply) => {
      this.isLooking = false;
      // What was looked for may be wanted no more.
      if (this.looked !== "") this.stage.showPreview(reply.preview ?? null, voxel);
    });
  }

  /** One click. Paths and copies take two. */
  async click(point: Vector3): Promise<void> {
    const place = point.toArray();
    if (this.takesTwo && !this.mark.value) {
      this.mark.set(place);
      return;
    }
    const { op, keys } = this.line(place);
    this.mark.set(null);
    await this.run(op, keys);
  }

  /** The same everywhere, for tools that need no place. */
  async everywhere(): Promise<void> {
    const { op, keys } = this.line([0, 0, 0], false);
    await this.run(op, keys);
  }

  cancel(): void {
    this.session.connection.send({ do: "cancel" });
  }

  private get takesTwo(): boolean {
    const { op, shape } = this.settings.value;
    return op === "copy" || (hasShape(op) && shape === "path");
  }

  private async run(op: string, keys: EditKeys): Promise<void> {
    this.forget();
    this.done.set(null);
    const reply = await this.session.connection.ask({ do: "edit", op, keys });
    this.done.set(reply.ok ? reply : null);
  }

  private forget(): void {
    this.looked = "";
    this.stage.showPreview(null, 1);
  }

  /** The edit at a point, in the words of scenes. */
  private line(point: Vec3, hasPlace = true): { op: string; keys: EditKeys } {
    const s = this.settings.value;
    const voxel = this.session.state.value?.voxel_size_m ?? 0.1;
    const keys: EditKeys = hasShape(s.op) && hasPlace ? region(s, point, this.mark.value ?? point) : {};
    // What is laid down must be said; what grows or is raised may be as what is there.
    const needed = s.op === "add" || s.op === "fill" ? (this.session.state.value?.materials[0]?.name ?? "") : "";
    const material = s.material || needed;
    if (hasMaterial(s.op) && material) keys["material"] = material;
    if (hasColor(s.op)) keys["color"] = rgb(s.color);
    if (s.op === "weather") Object.assign(keys, weathering(s));
    if (s.op === "raise" || s.op === "flatten" || s.op === "smooth") {
      Object.assign(keys, { center_m: point, radius_m: s.radius });
      if (s.op === "raise") keys["height_m"] = Math.max(-s.radius, Math.min(s.radius, s.height));
      if (s.op === "smooth") keys["strength"] = s.strength;
    }
    if (s.op === "grow" || s.op === "shrink") keys["voxels"] = s.voxels;
    if (s.op === "fill" || s.op === "color") {
      // The surface lies between what is open and what is solid.
      const side = s.op === "fill" ? 1 : -1;
      keys["from_m"] = [point[0], point[1], point[2] + side * voxel];
      Object.assign(keys, boxAround(point, s.radius));
    }
    if (s.op === "copy") {
      const from = this.mark.value ?? point;
      const corner = point.map((x) => x - s.radius) as Vec3;
      Object.assign(keys, boxAround(from, s.radius), { to_m: corner, turns: s.turns, mirror: s.mirror });
    }
    return { op: s.op, keys };
  }
}

function weathering(s: Settings): EditKeys {
  return {
    bubble: s.bubble,
    bubble_radius_voxels: s.radii,
    threshold: s.threshold,
    smooth: s.smooth,
    fill_hollows: s.hollows,
    drop_pieces: s.pieces,
    debris_share: s.share,
    ...(s.debris ? { debris: s.debris } : {}),
  };
}

/** A region of the shape that is set around a point; a path comes from `from`. */
function region(s: Settings, point: Vec3, from: Vec3): EditKeys {
  const r = s.radius;
  if (s.shape === "path") return { kind: "path", points_m: [from, point], radius_m: r };
  const keys: EditKeys = { kind: s.shape, center_m: point };
  if (s.shape === "box") return { ...keys, size_m: [2 * r, 2 * r, 2 * r] };
  if (s.shape === "cylinder" || s.shape === "cone") return { ...keys, radius_m: r, height_m: 2 * r };
  if (s.shape === "rough_ball") return { ...keys, radius_m: r, roughness_m: 0.35 * r, feature_size_m: 0.7 * r };
  return { ...keys, radius_m: r };
}

function boxAround(point: Vec3, radius: number): EditKeys {
  return { min_m: point.map((x) => x - radius), max_m: point.map((x) => x + radius) };
}

function rgb(color: string): number[] {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}
