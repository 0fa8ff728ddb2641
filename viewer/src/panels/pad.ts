/** A stick for a finger or the mouse: two axes, back to the middle when it is let go. */
import { el } from "../ui/dom";

export interface PadLook {
  title: string;
  /** Keys that do the same, and what they do: up, down, left, right. */
  keys: readonly [PadKey, PadKey, PadKey, PadKey];
}

export interface PadKey {
  key: string;
  does: string;
}

/** Way of the knob (pixels). */
const WAY = 30;
const SIDES = ["n", "s", "w", "e"] as const;

/** `tilt` is called with -1 to 1 for right and up. */
export function pad({ title, keys }: PadLook, tilt: (x: number, y: number) => void): HTMLElement {
  const knob = el("i", "knob");
  const area = el("div", "stick", ...keys.map((key, i) => label(key, SIDES[i]!)), knob);
  area.dataset["stick"] = title;
  const set = (x: number, y: number): void => {
    knob.style.transform = `translate(${x * WAY}px, ${-y * WAY}px)`;
    tilt(x, y);
  };
  const follow = (event: PointerEvent): void => {
    if (!area.hasPointerCapture(event.pointerId)) return;
    const { left, top, width, height } = area.getBoundingClientRect();
    set(axis((2 * (event.clientX - left)) / width - 1), axis(1 - (2 * (event.clientY - top)) / height));
  };
  area.addEventListener("pointerdown", (event) => {
    area.setPointerCapture(event.pointerId);
    follow(event);
  });
  area.addEventListener("pointermove", follow);
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const) area.addEventListener(end, () => set(0, 0));
  return el("div", "pad", area, el("span", "pad-title", title));
}

/** Full before the rim, and nothing near the middle, so that one axis can be moved alone. */
function axis(value: number): number {
  const size = Math.abs(value) < 0.22 ? 0 : Math.min(1, (Math.abs(value) - 0.22) / 0.5);
  return Math.sign(value) * size;
}

function label({ key, does }: PadKey, side: string): HTMLElement {
  const mark = el("kbd", `on-${side}`, key);
  mark.title = does;
  return mark;
}
