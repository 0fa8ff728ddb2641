/** Saving and loading worlds, and taking things home. */
import type { Session } from "../session";
import { button, el } from "../ui/dom";
import { type IconName, icon } from "../ui/icons";
import type { Stage } from "../view/stage";
import type { Panels } from "./panels";

export function filesPanel(session: Session, stage: Stage, panels: Panels): HTMLElement {
  const name = el("input");
  name.type = "text";
  name.placeholder = "name";
  name.maxLength = 64;
  name.pattern = "[A-Za-z0-9_\\-]{1,64}";
  name.title = "Letters, digits, _ and -";
  name.value = "world";
  name.ariaLabel = "Name of the file";
  const form = el("form", "row", name, submit());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    session.connection.send({ do: "save", name: name.value });
    name.blur();
  });
  const saves = el("div", "saves");
  session.state.watch((state) => {
    const names = state?.saves ?? [];
    const rows = names.map((save) => loadButton(save, () => session.connection.send({ do: "load", name: save })));
    saves.replaceChildren(...(rows.length > 0 ? rows : [el("p", "hint", "Nothing saved yet.")]));
  });
  return panels.frame(
    "files",
    "Files",
    el("h3", "", "Save this world"),
    form,
    el("h3", "", "Load"),
    saves,
    el("h3", "", "Download"),
    el(
      "div",
      "downloads",
      link("download", "World (.barchan)", () => "/download/world.barchan", "world.barchan"),
      link("box", "Mesh (.glb)", () => "/download/mesh.glb", "mesh.glb"),
      link("camera", "Traced picture", () => picturePath(stage), "picture.png"),
      button({ icon: "camera", label: "Picture of this view", title: "What is on the screen, as a PNG", className: "chip" }, () => void takeSnapshot(stage)),
    ),
  );
}

function submit(): HTMLElement {
  const press = el("button", "chip strong", "Save");
  press.type = "submit";
  press.dataset["act"] = "save";
  return press;
}

function loadButton(name: string, press: () => void): HTMLElement {
  const element = button({ label: name, title: `Load ${name}`, className: "chip" }, press);
  element.dataset["save"] = name;
  return element;
}

/** The address is made when it is pressed: a picture is taken from where we look then. */
function link(name: IconName, label: string, path: () => string, file: string): HTMLElement {
  const anchor = el("a", "chip", icon(name), el("span", "label", label));
  anchor.href = "#";
  anchor.download = file;
  anchor.addEventListener("click", () => (anchor.href = path()));
  return anchor;
}

function picturePath(stage: Stage): string {
  const { lens, focus } = stage.camera;
  const triple = (at: { toArray(): number[] }): string => at.toArray().map((x) => x.toFixed(3)).join(",");
  return `/download/picture.png?eye=${triple(lens.position)}&target=${triple(focus)}&width=1280&height=720&fov_deg=${lens.fov}`;
}

async function takeSnapshot(stage: Stage): Promise<void> {
  const blob = await stage.snapshot();
  if (!blob) return;
  const anchor = el("a");
  anchor.href = URL.createObjectURL(blob);
  anchor.download = "barchan.png";
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}
