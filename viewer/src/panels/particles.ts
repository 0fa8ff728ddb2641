/** How water and grains look, and how many of them there are. */
import type { Session } from "../session";
import { button, el, words } from "../ui/dom";
import type { Signal } from "../ui/signal";
import { COLOR_KEYS, SCALE_CSS } from "../view/particles/coloring";
import type { Stage } from "../view/stage";
import type { Panels } from "./panels";

/** How often numbers change (ms): faster cannot be read. */
const PACE_MS = 250;

export function particlesPanel(session: Session, stage: Stage, panels: Panels): HTMLElement {
  const counts = el("dl", "facts");
  const scale = el("div", "scale");
  const [low, high] = [el("span", "", "0"), el("span")];
  scale.style.background = SCALE_CSS;
  const legend = el("div", "scale-legend", low, scale, high);
  let isOpen = false;
  const show = (): void => {
    if (!isOpen) return;
    const { water, grains } = stage;
    counts.replaceChildren(fact("Particles of water", water.shown.count), fact("Spheres of grains", grains.shown.count));
    const top = grains.coloring.top;
    legend.hidden = top === null;
    high.textContent = top ? `${top.value.toPrecision(3)} ${top.unit}`.trim() : "";
  };
  panels.watch("particles", (open) => {
    isOpen = open;
    show();
  });
  stage.colorKey.watch(show);
  session.statistics.watch(show);
  setInterval(show, PACE_MS);
  return panels.frame(
    "particles",
    "Water and grains",
    counts,
    el("h3", "", "Water as (L)"),
    chips(stage.smoothWater, [
      [true, "Surface", "A smooth surface that refracts and mirrors"],
      [false, "Sprites", "Every particle in the colour of what it carries"],
    ]),
    el("h3", "", "Colour grains by (K)"),
    chips(stage.colorKey, COLOR_KEYS.map((key) => [key, words(key), `Colour grains by ${key}`] as const)),
    legend,
  );
}

/** One of several, the one that is chosen pressed in. */
function chips<T>(choice: Signal<T>, options: readonly (readonly [T, string, string])[]): HTMLElement {
  const presses = options.map(([value, label, title]) => {
    const press = button({ label, title, className: "chip" }, () => choice.set(value));
    choice.watch((chosen) => press.setAttribute("aria-pressed", String(Object.is(chosen, value))));
    return press;
  });
  return el("div", "chips", ...presses);
}

function fact(name: string, value: number): HTMLElement {
  return el("div", "", el("dt", "", name), el("dd", "", value.toLocaleString("en")));
}
