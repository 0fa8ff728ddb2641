/** What soil is like: strength and weight, changed while it moves. */
import type { Session } from "../session";
import { button, el, slider, words } from "../ui/dom";
import type { Material, SoilPreset } from "../wire/protocol";
import type { Panels } from "./panels";

type Property = "friction_angle_deg" | "cohesion_kpa" | "unit_weight_kn_m3";

const PROPERTIES: readonly { key: Property; label: string; low: number; high: number; step: number; unit: string }[] = [
  { key: "friction_angle_deg", label: "Friction angle φ", low: 0, high: 60, step: 0.5, unit: "°" },
  { key: "cohesion_kpa", label: "Cohesion c", low: 0, high: 30, step: 0.1, unit: " kPa" },
  { key: "unit_weight_kn_m3", label: "Unit weight γ", low: 1, high: 40, step: 0.1, unit: " kN/m³" },
];

export function soilPanel(session: Session, panels: Panels): HTMLElement {
  const choice = el("select");
  choice.ariaLabel = "Material";
  const presets = el("div", "chips");
  const chosen = (): Material | undefined => session.state.value?.materials.find(({ name }) => name === choice.value);
  const sliders = PROPERTIES.map(({ key, unit, ...look }) => {
    const change = (value: number): void => session.connection.send({ do: "soil", material: choice.value, [key]: value });
    return { key, ...slider({ ...look, format: (value) => value.toFixed(1) + unit }, () => {}, change) };
  });
  const friction = slider({ label: "Friction of bodies", low: 0, high: 2, step: 0.05, format: (v) => v.toFixed(2) }, () => {}, (value) =>
    session.connection.send({ do: "body_friction", friction: value }),
  );
  const show = (): void => {
    const material = chosen();
    for (const { key, show } of sliders) if (material) show(material[key]);
    friction.show(session.state.value?.body_friction ?? 0.6);
  };
  choice.addEventListener("change", () => {
    show();
    choice.blur();
  });
  session.state.watch((state) => {
    fillChoice(choice, state?.materials ?? []);
    show();
  });
  session.welcome.watch((welcome) => {
    presets.replaceChildren(...(welcome?.presets ?? []).map((preset) => chip(preset, () => apply(session, choice.value, preset))));
  });
  return panels.frame(
    "soil",
    "Soil",
    el("label", "field", el("span", "name", "Material"), choice),
    ...sliders.map(({ element }) => element),
    el("h3", "", "Make it like"),
    presets,
    el("h3", "", "Bodies"),
    friction.element,
  );
}

function fillChoice(choice: HTMLSelectElement, materials: readonly Material[]): void {
  const soils = materials.filter(({ phase }) => phase === "soil").map(({ name }) => name);
  if (soils.join() === [...choice.options].map(({ value }) => value).join()) return;
  const before = choice.value;
  choice.replaceChildren(...soils.map((name) => new Option(words(name), name)));
  if (soils.includes(before)) choice.value = before;
}

function chip(preset: SoilPreset, press: () => void): HTMLElement {
  const title = `φ ${preset.friction_angle_deg}°, c ${preset.cohesion_kpa} kPa, γ ${preset.unit_weight_kn_m3} kN/m³`;
  return button({ label: words(preset.name), title, className: "chip" }, press);
}

function apply(session: Session, material: string, preset: SoilPreset): void {
  const { friction_angle_deg, cohesion_kpa, unit_weight_kn_m3 } = preset;
  session.connection.send({ do: "soil", material, friction_angle_deg, cohesion_kpa, unit_weight_kn_m3 });
}
