/** Keys and gestures. */
import { SHORTCUTS } from "../hands/keys";
import { el } from "../ui/dom";
import type { Panels } from "./panels";

export function helpPanel(panels: Panels): HTMLElement {
  const groups = SHORTCUTS.map(({ title, rows }) =>
    el("div", "", el("h3", "", title), ...rows.map(({ keys, does }) => el("p", "key-row", el("kbd", "", keys), el("span", "", does)))),
  );
  const touch = el(
    "div",
    "touch",
    el("h3", "", "Touch"),
    el("p", "key-row", el("kbd", "", "One finger"), el("span", "", "the tool in hand; turns with Look")),
    el("p", "key-row", el("kbd", "", "Two fingers"), el("span", "", "zoom and turn; move with Look")),
  );
  return panels.frame("help", "Keys and gestures", el("div", "help", ...groups, touch));
}
