/** The console of the machine in hand: sticks for fingers and mouse that also show the keys. */
import { CONSOLES, type Driving, type Push, type Stick } from "../hands/driving";
import { button, el, words } from "../ui/dom";
import type { Session } from "../session";

export function machineConsole(session: Session, driving: Driving): HTMLElement {
  const title = el("b");
  const sticks = el("div", "sticks");
  const follow = button({ icon: "follow", title: "Let the view follow the machine", className: "small" }, () => driving.following.set(!driving.following.value));
  driving.following.watch((on) => follow.setAttribute("aria-pressed", String(on)));
  const remove = button({ icon: "remove", title: "Take the machine away", className: "small" }, () => {
    const machine = driving.machine.value;
    if (machine) session.connection.send({ do: "remove_machine", machine: machine.machine });
  });
  const leave = button({ icon: "close", title: "Leave the machine (Esc)", className: "small" }, () => driving.leave());
  const panel = el("section", "glass card console", el("div", "console-head", title, follow, remove, leave), sticks);
  driving.machine.watch((machine) => {
    panel.hidden = machine === null;
    document.body.classList.toggle("driving", machine !== null);
    if (!machine) return;
    title.textContent = words(machine.kind);
    sticks.replaceChildren(...CONSOLES[machine.kind].map((stick) => pad(stick, driving)));
  });
  return panel;
}

function pad(stick: Stick, driving: Driving): HTMLElement {
  const knob = el("i", "knob");
  const area = el("div", "stick", label(stick.up, "n"), label(stick.down, "s"), label(stick.left, "w"), label(stick.right, "e"), knob);
  area.dataset["stick"] = stick.title;
  const tilt = (x: number, y: number): void => {
    knob.style.transform = `translate(${x * 30}px, ${-y * 30}px)`;
    driving.tilt(stick, x, y);
  };
  const follow = (event: PointerEvent): void => {
    if (!area.hasPointerCapture(event.pointerId)) return;
    const { left, top, width, height } = area.getBoundingClientRect();
    tilt(axis((2 * (event.clientX - left)) / width - 1), axis(1 - (2 * (event.clientY - top)) / height));
  };
  area.addEventListener("pointerdown", (event) => {
    area.setPointerCapture(event.pointerId);
    follow(event);
  });
  area.addEventListener("pointermove", follow);
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const) area.addEventListener(end, () => tilt(0, 0));
  return el("div", "pad", area, el("span", "pad-title", stick.title));
}

/** Full before the rim, and nothing near the middle, so that one axis can be moved alone. */
function axis(value: number): number {
  const size = Math.abs(value) < 0.22 ? 0 : Math.min(1, (Math.abs(value) - 0.22) / 0.5);
  return Math.sign(value) * size;
}

function label(push: Push, side: string): HTMLElement {
  const key = el("kbd", `on-${side}`, push.key);
  key.title = push.does;
  return key;
}
