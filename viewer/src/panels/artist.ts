/** The tools of a terrain artist: one panel for all of them, how far an edit is, and how long its stages took. */
import { type Artist, BUBBLES, MIRRORS, OPS, type Op, SHAPES, type Settings, hasColor, hasMaterial, hasShape } from "../hands/artist";
import type { Hand } from "../hands/tools";
import type { Session } from "../session";
import { button, el, slider, words } from "../ui/dom";
import type { Panels } from "./panels";

const metres = (value: number): string => `${value.toFixed(2)} m`;
const share = (value: number): string => `${Math.round(100 * value)} %`;
const voxels = (value: number): string => `${value} ${value === 1 ? "voxel" : "voxels"}`;

export function artistPanel(session: Session, hand: Hand, artist: Artist, panels: Panels): HTMLElement {
  const shown: ((s: Settings) => void)[] = [];
  /** Shows a part only for some tools. */
  const only = (part: HTMLElement, when: (op: Op) => boolean): HTMLElement => {
    shown.push(({ op }) => (part.hidden = !when(op)));
    return part;
  };
  const number = (label: string, range: [number, number, number], format: (v: number) => string, get: (s: Settings) => number, set: (v: number) => Partial<Settings>): HTMLElement => {
    const [low, high, step] = range;
    const part = slider({ label, low, high, step, format }, (v) => artist.set(set(v)));
    part.element.dataset["setting"] = label;
    shown.push((s) => part.show(get(s)));
    return part.element;
  };
  const choice = <T extends string>(label: string, options: readonly T[], get: (s: Settings) => T, set: (v: T) => Partial<Settings>): HTMLElement => {
    const select = el("select");
    select.ariaLabel = label;
    for (const option of options) select.append(new Option(words(option), option));
    select.addEventListener("change", () => {
      artist.set(set(select.value as T));
      select.blur();
    });
    shown.push((s) => (select.value = get(s)));
    return el("label", "field", el("span", "name", label), select);
  };
  const flag = (label: string, title: string, key: "smooth" | "hollows" | "pieces"): HTMLElement => {
    const press = button({ label, title, className: "chip" }, () => artist.set({ [key]: !artist.settings.value[key] }));
    shown.push((s) => press.setAttribute("aria-pressed", String(s[key])));
    return press;
  };
  const radius = (axis: 0 | 1 | 2): HTMLElement =>
    number(`Bubble ${"xyz"[axis]}`, [1, 32, 1], voxels, (s) => s.radii[axis], (v) => {
      const radii = [...artist.settings.value.radii] as [number, number, number];
      radii[axis] = v;
      return { radii };
    });
  const isWeather = (op: Op): boolean => op === "weather";
  const ops = OPS.map((op) => {
    const press = button({ label: words(op), title: words(op), className: "chip" }, () => {
      artist.set({ op });
      hand.tool.set("artist");
    });
    press.dataset["op"] = op;
    shown.push((s) => press.setAttribute("aria-pressed", String(s.op === op)));
    return press;
  });
  const everywhere = button({ label: "Everywhere", title: "The same everywhere at once", className: "chip" }, () => void artist.everywhere());
  const panel = panels.frame(
    "artist",
    "Terrain tools",
    el("div", "chips", ...ops),
    el("p", "hint", "Hover to see what a click would change: red goes, green comes, blue turns."),
    only(choice("Region", SHAPES, (s) => s.shape, (shape) => ({ shape })), hasShape),
    number("Region radius", [0.1, 10, 0.05], metres, (s) => s.radius, (r) => ({ radius: r })),
    only(choice("Bubble", BUBBLES, (s) => s.bubble, (bubble) => ({ bubble })), isWeather),
    ...([0, 1, 2] as const).map((axis) => only(radius(axis), isWeather)),
    only(number("Threshold", [0, 1, 0.01], (v) => v.toFixed(2), (s) => s.threshold, (threshold) => ({ threshold })), isWeather),
    only(number("Share of debris", [0, 1, 0.05], share, (s) => s.share, (v) => ({ share: v })), isWeather),
    only(materials(session, "Debris", "soil", "As the rock crumbles", (s) => s.debris, (debris) => artist.set({ debris }), shown), isWeather),
    only(el("div", "chips", flag("Smooth", "Partly filled voxels lose in proportion", "smooth"), flag("Fill hollows", "Enclosed hollows count as solid", "hollows"), flag("Drop pieces", "Rock that loses its hold comes down", "pieces")), isWeather),
    only(materials(session, "Material", null, "As what is there", (s) => s.material, (material) => artist.set({ material }), shown), hasMaterial),
    only(colors(artist, shown), hasColor),
    only(number("Height", [-3, 3, 0.05], metres, (s) => s.height, (height) => ({ height })), (op) => op === "raise"),
    only(number("Strength", [0, 1, 0.05], share, (s) => s.strength, (strength) => ({ strength })), (op) => op === "smooth"),
    only(number("By", [1, 16, 1], voxels, (s) => s.voxels, (by) => ({ voxels: by })), (op) => op === "grow" || op === "shrink"),
    only(number("Quarter turns", [0, 3, 1], String, (s) => s.turns, (turns) => ({ turns })), (op) => op === "copy"),
    only(choice("Mirror", MIRRORS, (s) => s.mirror, (mirror) => ({ mirror })), (op) => op === "copy"),
    only(el("div", "chips", everywhere), (op) => op === "weather" || op === "grow" || op === "shrink"),
    outcome(session, artist),
  );
  artist.settings.watch((settings) => shown.forEach((show) => show(settings)));
  panels.watch("artist", (open) => {
    if (open) hand.tool.set("artist");
  });
  hand.tool.watch((tool) => {
    if (tool === "artist") panels.set("artist", true);
  });
  return panel;
}

function materials(session: Session, label: string, phase: string | null, none: string, get: (s: Settings) => string, set: (name: string) => void, shown: ((s: Settings) => void)[]): HTMLElement {
  const select = el("select");
  select.ariaLabel = label;
  let chosen = "";
  session.state.watch((state) => {
    const names = (state?.materials ?? []).filter((m) => phase === null || m.phase === phase).map(({ name }) => name);
    if (names.join() === [...select.options].slice(1).map(({ value }) => value).join()) return;
    select.replaceChildren(new Option(none, ""), ...names.map((name) => new Option(words(name), name)));
    select.value = names.includes(chosen) ? chosen : "";
  });
  select.addEventListener("change", () => {
    set(select.value);
    select.blur();
  });
  shown.push((s) => (select.value = chosen = get(s)));
  return el("label", "field", el("span", "name", label), select);
}

function colors(artist: Artist, shown: ((s: Settings) => void)[]): HTMLElement {
  const input = el("input");
  input.type = "color";
  input.ariaLabel = "Colour";
  input.addEventListener("input", () => artist.set({ color: input.value }));
  shown.push((s) => (input.value = s.color));
  return el("label", "field", el("span", "name", "Colour"), input);
}

/** How far the edit is, with a way to give it up; then what it did and how long its stages took. */
function outcome(session: Session, artist: Artist): HTMLElement {
  const bar = el("progress");
  const stage = el("span", "name");
  const cancel = button({ label: "Cancel", title: "Give the edit up; nothing of it stays", className: "chip" }, () => artist.cancel());
  cancel.dataset["act"] = "cancel";
  const going = el("div", "going", stage, bar, cancel);
  const facts = el("dl", "facts stages");
  const hint = el("p", "hint");
  session.state.watch((state) => {
    const work = state?.work;
    going.hidden = !work;
    if (!work) return;
    bar.max = work.stages.length;
    bar.value = work.stages.indexOf(work.stage) + 0.5;
    stage.textContent = `${words(work.op)}: ${work.stage}…`;
  });
  artist.mark.watch((mark) => (hint.textContent = mark ? "Now click where it is to go." : ""));
  artist.done.watch((done) => {
    const seconds = Object.entries(done?.stages ?? {}).filter(([, s]) => s > 0);
    const fact = (name: string, value: string): HTMLElement => el("div", "", el("dt", "", name), el("dd", "", value));
    facts.replaceChildren(
      ...(done ? [fact("Voxels", (done.voxels ?? 0).toLocaleString("en")), ...seconds.map(([name, s]) => fact(words(name), `${(1e3 * s).toFixed(1)} ms`)), fact("All", `${(1e3 * (done.seconds ?? 0)).toFixed(1)} ms`)] : []),
    );
  });
  return el("div", "outcome", hint, going, facts);
}
