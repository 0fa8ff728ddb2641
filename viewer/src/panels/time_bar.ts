/** The bar at the top: whose world this is, its time, its history, and the doors to the panels. */
import type { Hand } from "../hands/tools";
import type { Session } from "../session";
import { type ButtonLook, button, el } from "../ui/dom";
import { icon } from "../ui/icons";
import type { Link } from "../wire/connection";
import type { Panels } from "./panels";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

const LINK_WORDS: Record<Link, string> = { connecting: "Connecting…", live: "Live", lost: "Reconnecting…" };

export function timeBar(session: Session, hand: Hand, panels: Panels, home: () => void): HTMLElement {
  const folded = more(session, hand, panels, home);
  const bar = el("header", "glass bar", brand(session, panels), time(session), history(session), folded);
  folded.addEventListener("click", () => bar.classList.remove("open"));
  const menu = button({ icon: "menu", title: "More", className: "only-small" }, () => bar.classList.toggle("open"));
  bar.append(menu);
  addEventListener("pointerdown", (event) => {
    if (event.target instanceof Node && !bar.contains(event.target)) bar.classList.remove("open");
  });
  return bar;
}

function brand(session: Session, panels: Panels): HTMLElement {
  const scene = el("span", "scene");
  const link = el("span", "link");
  session.state.watch((state) => {
    const entry = session.welcome.value?.scenes.find(({ name }) => name === state?.scene);
    scene.textContent = entry?.title ?? state?.scene ?? "Barchan";
  });
  session.link.watch((value) => {
    link.dataset["link"] = value;
    link.title = LINK_WORDS[value];
    link.textContent = LINK_WORDS[value];
  });
  const press = button({ title: "Choose a scene", className: "brand" }, () => panels.toggle("scenes"));
  press.append(logo(), el("span", "names", el("b", "", "Barchan"), scene), link);
  return press;
}

function logo(): HTMLElement {
  const mark = el("span", "logo");
  return mark;
}

function time(session: Session): HTMLElement {
  const play = button({ icon: "pause", title: "Play or pause (space)", className: "primary" }, () => session.togglePlaying());
  play.dataset["act"] = "play";
  const step = button({ icon: "step", title: "One step (.)" }, () => session.step());
  step.dataset["act"] = "step";
  const speed = el("select", "speed");
  speed.title = "Speed of time (− and +)";
  speed.ariaLabel = speed.title;
  for (const factor of SPEEDS) speed.append(new Option(`${factor}×`, String(factor)));
  speed.addEventListener("change", () => {
    session.connection.send({ do: "speed", factor: Number(speed.value) });
    speed.blur();
  });
  const clock = el("span", "clock wide-only");
  session.timeS.watch((seconds) => (clock.textContent = clockText(seconds)));
  session.state.watch((state) => {
    if (!state) return;
    play.replaceChildren(icon(state.playing ? "pause" : "play"));
    play.setAttribute("aria-pressed", String(!state.playing));
    const near = SPEEDS.reduce((a, b) => (Math.abs(b - state.speed) < Math.abs(a - state.speed) ? b : a));
    speed.value = String(near);
  });
  return el("div", "group", play, step, speed, clock);
}

function history(session: Session): HTMLElement {
  const undo = button({ icon: "undo", title: "Undo (ctrl Z)" }, () => session.connection.send({ do: "undo" }));
  const redo = button({ icon: "redo", title: "Redo (ctrl Y)" }, () => session.connection.send({ do: "redo" }));
  undo.dataset["act"] = "undo";
  redo.dataset["act"] = "redo";
  session.state.watch((state) => {
    undo.disabled = !state?.undo;
    redo.disabled = !state?.redo;
  });
  return el("div", "group", undo, redo);
}

/** On a small screen these fold into a menu. */
function more(session: Session, hand: Hand, panels: Panels, home: () => void): HTMLElement {
  const door = (name: Parameters<Panels["toggle"]>[0], look: ButtonLook): HTMLElement => {
    const press = button({ ...look, className: "door" }, () => panels.toggle(name));
    press.dataset["panel"] = name;
    panels.watch(name, (open) => press.setAttribute("aria-pressed", String(open)));
    return press;
  };
  const walk = button({ icon: "walk", label: "Walk", title: "Walk on the ground (V)", className: "door" }, () => hand.walking.set(!hand.walking.value));
  hand.walking.watch((walking) => walk.setAttribute("aria-pressed", String(walking)));
  const reset = button({ icon: "reset", label: "Reset", title: "The scene from its beginning", className: "door" }, () => session.connection.send({ do: "reset" }));
  reset.dataset["act"] = "reset";
  return el(
    "div",
    "more",
    reset,
    button({ icon: "home", label: "Home", title: "Back to the first view (C)", className: "door" }, home),
    walk,
    el("span", "gap"),
    door("scenes", { icon: "scenes", label: "Scenes", title: "Scenes" }),
    door("soil", { icon: "soil", label: "Soil", title: "Properties of the soil" }),
    door("particles", { icon: "drop", label: "Water", title: "How water and grains look" }),
    door("sensors", { icon: "force", label: "Forces", title: "Forces on tools, and what the ground is like" }),
    door("numbers", { icon: "numbers", label: "Numbers", title: "Numbers" }),
    door("files", { icon: "files", label: "Files", title: "Save, load, download" }),
    door("help", { icon: "help", label: "Help", title: "Keys and gestures (?)" }),
  );
}

function clockText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - 60 * minutes).toFixed(1).padStart(4, "0")}`;
}
