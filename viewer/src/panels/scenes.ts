/** The menu of scenes, with their pictures. */
import type { Session } from "../session";
import { button, el } from "../ui/dom";
import type { SceneEntry } from "../wire/protocol";
import type { Panels } from "./panels";

export function scenesPanel(session: Session, panels: Panels): HTMLElement {
  const list = el("div", "scenes");
  const fill = (): void => {
    const scenes = session.welcome.value?.scenes ?? [];
    list.replaceChildren(
      ...scenes.map((scene) =>
        card(scene, scene.name === session.state.value?.scene, () => {
          session.connection.send({ do: "scene", name: scene.name });
          panels.set("scenes", false);
        }),
      ),
    );
  };
  // Pictures are fetched only when somebody looks.
  panels.watch("scenes", (open) => {
    if (open) fill();
  });
  return panels.frame("scenes", "Scenes", list);
}

function card(scene: SceneEntry, isShown: boolean, choose: () => void): HTMLElement {
  const press = button({ title: `${scene.title}: ${scene.about}`, className: "scene-card" }, choose);
  press.dataset["scene"] = scene.name;
  press.setAttribute("aria-pressed", String(isShown));
  const picture = el("img");
  picture.alt = "";
  picture.loading = "lazy";
  picture.addEventListener("error", () => picture.classList.add("absent"));
  picture.src = scene.picture;
  press.append(el("span", "frame", picture), el("b", "", scene.title), el("span", "about", scene.about));
  return press;
}
