/** Water and grains: where they come from, how they look, and how many of them there are. */
import type { Session } from "../session";
import { button, el, slider, words } from "../ui/dom";
import type { Signal } from "../ui/signal";
import { COLOR_KEYS, SCALE_CSS } from "../view/particles/coloring";
import type { Stage } from "../view/stage";
import type { Spring } from "../wire/protocol";
import type { Panels } from "./panels";

/** How often numbers change (ms): faster cannot be read. */
const PACE_MS = 250;
/** Rain when it is let on first (mm/h): a cloudburst. What falls on a sandbox is little else. */
const USUAL_RAIN_MM_H = 2000;

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
    ...rain(session),
    springs(session),
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

/** Rain over everything: a switch, and how strong it is. */
function rain(session: Session): HTMLElement[] {
  let wanted = USUAL_RAIN_MM_H;
  const send = (rate: number): void => session.connection.send({ do: "rain", rate_mm_h: rate });
  const falls = (): boolean => (session.state.value?.rain_mm_h ?? 0) > 0;
  const press = button({ icon: "rain", label: "Let it rain", title: "Rain over everything", className: "chip" }, () => send(falls() ? 0 : wanted));
  press.dataset["act"] = "rain";
  const strength = slider({ label: "Rain", low: 100, high: 20_000, step: 100, format: (v) => `${v.toLocaleString("en")} mm/h` }, (v) => (wanted = v), (v) => {
    if (falls()) send(v);
  });
  strength.show(wanted);
  session.state.watch((state) => {
    press.setAttribute("aria-pressed", String(falls()));
    if (!state || state.rain_mm_h <= 0) return;
    wanted = state.rain_mm_h;
    strength.show(wanted);
  });
  return [press, strength.element];
}

/** All springs: how much flows from each, and the end of it. */
function springs(session: Session): HTMLElement {
  const list = el("div", "springs");
  let shown = "";
  session.state.watch((state) => {
    const sources = state?.sources ?? [];
    const key = JSON.stringify(sources);
    if (key === shown) return;
    shown = key;
    list.replaceChildren(...sources.map((source, number) => spring(session, source, number)));
  });
  return list;
}

function spring(session: Session, source: Spring, number: number): HTMLElement {
  const rate = slider({ label: `Spring ${number + 1}`, low: 0, high: 3, step: 0.02, format: (v) => `${v.toFixed(2)} m³/s` }, () => {}, (v) =>
    session.connection.send({ do: "change_source", source: number, rate_m3_s: v }),
  );
  rate.show(source.rate_m3_s);
  const mud = slider({ label: "Sediment", low: 0, high: 0.2, step: 0.005, format: (v) => `${(100 * v).toFixed(1)} %` }, () => {}, (v) =>
    session.connection.send({ do: "change_source", source: number, sediment: v }),
  );
  mud.show(source.sediment);
  const remove = button({ icon: "remove", label: "Remove", title: "Take the spring away", className: "chip" }, () =>
    session.connection.send({ do: "remove_source", source: number }),
  );
  return el("div", "spring", rate.element, mud.element, remove);
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
