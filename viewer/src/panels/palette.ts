/** The palette of tools, and the settings of the one in hand. */
import { type Hand, TOOLS, isMachine, isStroke, toolNamed } from "../hands/tools";
import type { Session } from "../session";
import { button, el, slider, words } from "../ui/dom";
import type { Material } from "../wire/protocol";

export function palette(session: Session, hand: Hand): HTMLElement[] {
  const tools = el("nav", "glass palette");
  tools.ariaLabel = "Tools";
  for (const tool of TOOLS) {
    const look = { icon: tool.icon, label: tool.label, title: `${tool.label} (${tool.key})`, className: "tool" };
    const press = button(look, () => hand.tool.set(tool.name));
    press.dataset["tool"] = tool.name;
    hand.tool.watch((name) => press.setAttribute("aria-pressed", String(name === tool.name)));
    hand.tool.watch((name) => {
      if (name === tool.name) press.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    });
    tools.append(press);
  }
  return [tools, settings(session, hand)];
}

function settings(session: Session, hand: Hand): HTMLElement {
  const title = el("h2");
  const hint = el("p", "hint");
  const radius = slider({ label: "Radius", low: 0.1, high: 5, step: 0.05, format: metres }, (r) => hand.radius.set(r));
  const strength = slider({ label: "Strength", low: 0.05, high: 1, step: 0.05, format: percent }, (s) => hand.strength.set(s));
  const size = slider({ label: "Size", low: 0.2, high: 3, step: 0.05, format: metres }, (s) => hand.size.set(s));
  const speed = slider({ label: "Speed", low: 2, high: 30, step: 1, format: (v) => `${v} m/s` }, (v) => hand.throwSpeed.set(v));
  const swatches = materials(session, hand);
  const card = el("section", "glass card settings", title, hint, swatches, radius.element, strength.element, size.element, speed.element);
  hand.radius.watch(radius.show);
  hand.strength.watch(strength.show);
  hand.size.watch(size.show);
  hand.throwSpeed.watch(speed.show);
  session.welcome.watch((welcome) => {
    if (welcome) radius.setRange(...welcome.tools.radius_m);
    radius.show(hand.radius.value);
  });
  hand.tool.watch((name) => {
    const tool = toolNamed(name);
    title.textContent = tool.label;
    hint.textContent = tool.hint;
    swatches.hidden = name !== "pour" && name !== "grains";
    radius.element.hidden = !isStroke(name) && name !== "spring";
    strength.element.hidden = (!isStroke(name) && name !== "spring") || name === "push";
    size.element.hidden = name !== "box" && name !== "ball" && name !== "throw";
    speed.element.hidden = name !== "throw";
    card.classList.toggle("bare", name === "look" || name === "artist" || name === "remove" || isMachine(name));
  });
  return card;
}

/** The materials that can be poured. */
function materials(session: Session, hand: Hand): HTMLElement {
  const list = el("div", "swatches");
  let shown = "";
  session.state.watch((state) => {
    const soils = state?.materials.filter(({ phase }) => phase === "soil") ?? [];
    const key = soils.map(({ name, color }) => name + color.join()).join();
    if (key === shown) return;
    shown = key;
    if (!soils.some(({ name }) => name === hand.material.value)) hand.material.set(soils[0]?.name ?? null);
    list.replaceChildren(...soils.map((soil) => swatch(soil, hand)));
    mark();
  });
  const mark = (): void => {
    for (const child of list.children) {
      const isChosen = (child as HTMLElement).dataset["material"] === hand.material.value;
      child.setAttribute("aria-pressed", String(isChosen));
    }
  };
  hand.material.watch(mark);
  return list;
}

function swatch({ name, color }: Material, hand: Hand): HTMLElement {
  const press = button({ label: words(name), title: `Pour ${words(name).toLowerCase()}`, className: "swatch" }, () => hand.material.set(name));
  press.dataset["material"] = name;
  const dot = el("i", "dot");
  dot.style.backgroundColor = `rgb(${color.join(" ")})`;
  press.prepend(dot);
  return press;
}

const metres = (value: number): string => `${value.toFixed(2)} m`;
const percent = (value: number): string => `${Math.round(100 * value)} %`;
