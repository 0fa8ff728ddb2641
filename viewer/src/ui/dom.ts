/** Small pieces of page: elements, buttons, sliders. */
import { type IconName, icon } from "./icons";

type Child = Node | string;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

export interface ButtonLook {
  icon?: IconName;
  label?: string;
  /** What it does, with its key: shown as a tooltip and read out. */
  title: string;
  className?: string;
}

export function button(look: ButtonLook, press: () => void): HTMLButtonElement {
  const element = el("button", look.className ?? "");
  element.type = "button";
  element.title = look.title;
  element.setAttribute("aria-label", look.title);
  if (look.icon) element.append(icon(look.icon));
  if (look.label) element.append(el("span", "label", look.label));
  element.addEventListener("click", () => {
    press();
    // Keys steer the ground, not the button that was pressed last.
    element.blur();
  });
  return element;
}

export interface Slider {
  element: HTMLElement;
  /** Shows a value without telling anybody. */
  show(value: number): void;
  setRange(low: number, high: number): void;
}

export interface SliderLook {
  label: string;
  low: number;
  high: number;
  step: number;
  format: (value: number) => string;
}

/** `input` is called while it is dragged, `change` when it is let go. */
export function slider(look: SliderLook, input: (value: number) => void, change?: (value: number) => void): Slider {
  const range = el("input");
  range.type = "range";
  range.ariaLabel = look.label;
  const value = el("output", "value");
  const show = (number: number): void => {
    range.value = String(number);
    value.textContent = look.format(number);
    const [low, high] = [Number(range.min), Number(range.max)];
    range.style.setProperty("--filled", `${(100 * (number - low)) / (high - low)}%`);
  };
  const setRange = (low: number, high: number): void => {
    [range.min, range.max, range.step] = [String(low), String(high), String(look.step)];
  };
  setRange(look.low, look.high);
  range.addEventListener("input", () => {
    show(Number(range.value));
    input(Number(range.value));
  });
  range.addEventListener("change", () => {
    change?.(Number(range.value));
    range.blur();
  });
  return { element: el("label", "slider", el("span", "name", look.label), value, range), show, setRange };
}

/** Turns `dry_sand` into `Dry sand`. */
export function words(name: string): string {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
