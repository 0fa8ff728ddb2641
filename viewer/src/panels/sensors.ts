/** What the ground is like and what it does to tools: overlays, forces against time, and the soil that is pointed at. */
import type { Vector3 } from "three";
import type { Session } from "../session";
import { button, el, words } from "../ui/dom";
import { Signal } from "../ui/signal";
import type { Stage } from "../view/stage";
import type { OverlayMap, SoilReading } from "../wire/protocol";
import { ForceChart } from "./force_chart";
import type { Panels } from "./panels";

/** How often questions are asked (ms). */
const FORCES_MS = 100;
const OVERLAY_MS = 700;
const PROBE_MS = 250;

const OVERLAYS = ["void_ratio", "stress", "strength", "sinkage", "yield", "safety"] as const;
type OverlayName = (typeof OVERLAYS)[number] | "";

export function sensorsPanel(session: Session, stage: Stage, panels: Panels, pointed: () => Vector3 | null): HTMLElement {
  const overlay = new Signal<OverlayName>("");
  const arrows = new Signal(true);
  const chart = new ForceChart();
  const soil = el("dl", "facts");
  const legend = overlayLegend();
  let isOpen = false;
  let world = "";
  panels.watch("sensors", (open) => {
    isOpen = open;
    if (!open) stage.showForces([]);
  });
  session.state.watch((state) => {
    const now = state ? `${state.scene} ${state.epoch}` : "";
    if (now !== world) chart.clear();
    world = now;
  });
  arrows.watch((shown) => shown || stage.showForces([]));
  overlay.watch((name) => {
    if (name === "") stage.showOverlay(null);
    legend.show(null);
  });
  every(FORCES_MS, () => isOpen, async () => {
    const reply = await session.connection.ask({ do: "forces" });
    if (!reply.ok || !isOpen) return;
    const felt = reply.bodies ?? [];
    chart.add(reply.time_s ?? 0, felt);
    chart.draw();
    if (arrows.value) stage.showForces(felt);
  });
  // The colours of the ground stay when the panel is closed: they are what one wants to see.
  every(OVERLAY_MS, () => overlay.value !== "", async () => {
    const name = overlay.value;
    const reply = await session.connection.ask({ do: "overlay", name });
    if (!reply.ok || overlay.value !== name) return;
    const map = reply as OverlayMap & typeof reply;
    stage.showOverlay(map);
    legend.show(map);
  });
  every(PROBE_MS, () => isOpen, async () => {
    const point = pointed();
    if (!point) return;
    const reply = await session.connection.ask({ do: "probe", point_m: point.toArray() });
    if (reply.ok) soil.replaceChildren(...facts(reply.soil ?? null));
  });
  const switchArrows = button({ label: "Arrows", title: "Arrows of the force of the ground", className: "chip" }, () => arrows.set(!arrows.value));
  arrows.watch((shown) => switchArrows.setAttribute("aria-pressed", String(shown)));
  return panels.frame(
    "sensors",
    "Forces and soil",
    el("h3", "", "Force of the ground on bodies"),
    chart.element,
    el("div", "chips", switchArrows),
    el("h3", "", "Colour the ground by"),
    overlayChips(overlay),
    legend.element,
    el("h3", "", "Soil that is pointed at"),
    soil,
  );
}

/** Asks again and again while it is wanted, never twice at once. */
function every(ms: number, wanted: () => boolean, ask: () => Promise<void>): void {
  let asks = false;
  setInterval(() => {
    if (asks || !wanted()) return;
    asks = true;
    void ask().finally(() => (asks = false));
  }, ms);
}

function overlayChips(overlay: Signal<OverlayName>): HTMLElement {
  const options: readonly OverlayName[] = ["", ...OVERLAYS];
  const presses = options.map((name) => {
    const label = name === "" ? "Nothing" : words(name);
    const press = button({ label, title: `Colour the ground by ${label.toLowerCase()}`, className: "chip" }, () => overlay.set(name));
    press.dataset["overlay"] = name;
    overlay.watch((chosen) => press.setAttribute("aria-pressed", String(chosen === name)));
    return press;
  });
  return el("div", "chips", ...presses);
}

function overlayLegend(): { element: HTMLElement; show: (map: OverlayMap | null) => void } {
  const title = el("span", "overlay-title");
  const [low, scale, high] = [el("span"), el("div", "scale"), el("span")];
  const element = el("div", "overlay-legend", title, el("div", "scale-legend", low, scale, high));
  const show = (map: OverlayMap | null): void => {
    element.hidden = map === null;
    if (!map) return;
    title.textContent = words(map.title);
    [low.textContent, high.textContent] = map.range.map((value) => Number(value.toPrecision(3)).toString()) as [string, string];
    scale.style.background = `linear-gradient(to right, ${map.colors.map(([r, g, b]) => `rgb(${r} ${g} ${b})`).join()})`;
  };
  return { element, show };
}

function facts(soil: SoilReading | null): HTMLElement[] {
  if (!soil) return [fact("Here", "no soil")];
  return [
    fact("Soil", words(soil.material)),
    fact("Void ratio", soil.void_ratio.toFixed(3)),
    fact("Friction", `${soil.friction_angle_deg.toFixed(1)}°`),
    fact("Cohesion", kpa(soil.cohesion_pa)),
    fact("Weight above", kpa(soil.overburden_pa)),
    fact("Pressed by bodies", kpa(soil.load_pa)),
    fact("Borne before", kpa(soil.preconsolidation_pa)),
    fact("Factor of safety", soil.safety === null ? "level" : soil.safety.toFixed(2)),
  ];
}

const kpa = (pa: number): string => `${(pa / 1000).toPrecision(3)} kPa`;

const fact = (name: string, value: string): HTMLElement => el("div", "", el("dt", "", name), el("dd", "", value));
