/** Mouse and touch on the picture, which fills the window: the tool on the ground, or the view. */
import { Vector3 } from "three";
import type { Stage } from "../view/stage";
import type { Acts } from "./acts";
import type { Artist } from "./artist";
import { type Hand, isStroke, toolNamed } from "./tools";

type Gesture = "tool" | "tap" | "turn" | "pan" | "none";

interface Finger {
  x: number;
  y: number;
}

/** A touch becomes a stroke after this time (ms) or way (pixels): until then it may become a gesture of two fingers. */
const TOUCH_WAIT_MS = 90;
const TOUCH_WAY = 8;

export class Pointer {
  /** The ground under the mouse. */
  point: Vector3 | null = null;
  /** Where the mouse is over the picture. */
  private at: Finger | null = null;
  private readonly fingers = new Map<number, Finger>();
  private gesture: Gesture = "none";
  private pending: number | null = null;
  private start: Finger = { x: 0, y: 0 };

  constructor(
    private readonly stage: Stage,
    private readonly hand: Hand,
    private readonly acts: Acts,
    private readonly artist: Artist,
    private readonly isDriving: () => boolean,
    private readonly readout: (point: Vector3 | null) => void,
  ) {
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.up(event));
    canvas.addEventListener("pointerleave", () => {
      if (this.fingers.size === 0) this.at = null;
    });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  /** Called for every picture: the ring follows the ground, which moves even when the hand does not. */
  follow(): void {
    const acting = !this.isDriving() && this.hand.tool.value !== "look";
    const camera = this.gesture === "turn" || this.gesture === "pan";
    const hit = this.at && acting && !camera ? this.stage.pick(this.at.x, this.at.y) : null;
    const radius = hit ? this.ringRadius() : 0;
    this.stage.ground.material.setRing(hit?.point ?? new Vector3(), radius, toolNamed(this.hand.tool.value).color);
    if (hit && this.gesture === "tool") this.acts.lead(hit.point, performance.now());
    this.point = hit?.point ?? (this.at && !camera ? (this.stage.pick(this.at.x, this.at.y)?.point ?? null) : null);
    this.artist.hover(hit?.point ?? null);
    this.readout(hit?.point ?? null);
    this.stage.invalidateRing(hit?.point ?? null, radius);
  }

  private ringRadius(): number {
    const tool = this.hand.tool.value;
    if (isStroke(tool)) return this.hand.radius.value;
    if (tool === "artist") return this.artist.settings.value.radius;
    if (tool === "spring") return Math.min(this.hand.radius.value, 1);
    if (tool === "box" || tool === "ball") return this.hand.size.value / 2;
    if (tool === "throw" || tool === "remove") return 0.25;
    return 1.4;
  }

  private down(event: PointerEvent): void {
    this.stage.canvas.setPointerCapture(event.pointerId);
    (document.activeElement as HTMLElement | null)?.blur();
    const finger = place(event);
    this.fingers.set(event.pointerId, finger);
    this.at = finger;
    if (this.fingers.size > 1) {
      this.abandon();
      this.gesture = "turn";
      return;
    }
    this.start = finger;
    this.gesture = this.meaning(event);
    if (this.gesture !== "tool") return;
    if (event.pointerType === "touch") {
      this.pending = window.setTimeout(() => this.beginStroke(), TOUCH_WAIT_MS);
    } else {
      this.beginStroke();
    }
  }

  private meaning(event: PointerEvent): Gesture {
    if (event.button === 1 || (event.button === 2 && event.shiftKey)) return "pan";
    const tool = this.hand.tool.value;
    if (event.button === 2 || event.altKey || tool === "look" || this.isDriving()) return "turn";
    const canMiss = tool === "throw" || tool === "remove";
    if (!canMiss && !this.stage.pick(event.clientX, event.clientY)) return "turn";
    return isStroke(tool) ? "tool" : "tap";
  }

  private beginStroke(): void {
    this.pending = null;
    const tool = this.hand.tool.value;
    const hit = this.at && this.stage.pick(this.at.x, this.at.y);
    if (hit && isStroke(tool)) this.acts.begin(tool, hit.point);
  }

  private move(event: PointerEvent): void {
    const now = place(event);
    const before = this.fingers.get(event.pointerId);
    this.at = now;
    if (!before) return;
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    if (this.fingers.size > 1) this.pinch(event.pointerId, before, now);
    else if (this.gesture === "turn") this.stage.camera.turn(dx, dy);
    else if (this.gesture === "pan") this.stage.camera.pan(dx, dy, this.stage.canvas.clientHeight);
    else if (this.gesture === "tool") this.lead(event);
    this.fingers.set(event.pointerId, now);
  }

  /** Slow pictures gather several moves of the hand in one event: a stroke takes them all. */
  private lead(event: PointerEvent): void {
    if (this.pending !== null) {
      if (distance(place(event), this.start) < TOUCH_WAY) return;
      clearTimeout(this.pending);
      this.beginStroke();
    }
    const gathered = event.getCoalescedEvents();
    for (const move of gathered.length > 0 ? gathered : [event]) {
      const hit = this.stage.pick(move.clientX, move.clientY);
      if (hit) this.acts.lead(hit.point, move.timeStamp);
    }
  }

  /** Two fingers: apart and together zoom; side by side they turn, or move the view with the tool «look». */
  private pinch(id: number, before: Finger, now: Finger): void {
    const other = [...this.fingers.entries()].find(([key]) => key !== id)?.[1];
    if (!other) return;
    const { camera, canvas } = this.stage;
    camera.zoom(Math.max(1, distance(before, other)) / Math.max(1, distance(now, other)));
    const [dx, dy] = [(now.x - before.x) / 2, (now.y - before.y) / 2];
    if (this.hand.tool.value === "look" || this.fingers.size > 2) camera.pan(dx, dy, canvas.clientHeight);
    else camera.turn(dx, dy);
  }

  private up(event: PointerEvent): void {
    const wasAlone = this.fingers.size === 1;
    this.fingers.delete(event.pointerId);
    if (this.pending !== null && wasAlone) {
      // A short touch is a short stroke.
      clearTimeout(this.pending);
      this.beginStroke();
    }
    if (wasAlone && this.gesture === "tap" && distance(place(event), this.start) < TOUCH_WAY) {
      this.acts.tap(event.clientX, event.clientY);
    }
    if (this.fingers.size > 0) return;
    this.acts.lift();
    this.gesture = "none";
    if (event.pointerType === "touch") this.at = null;
  }

  private abandon(): void {
    if (this.pending !== null) clearTimeout(this.pending);
    this.pending = null;
    this.acts.abandon();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    if (event.ctrlKey && !event.shiftKey) this.hand.grow(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    else this.stage.camera.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) * 0.0014));
  }
}

const place = (event: PointerEvent): Finger => ({ x: event.clientX, y: event.clientY });
const distance = (a: Finger, b: Finger): number => Math.hypot(a.x - b.x, a.y - b.y);
