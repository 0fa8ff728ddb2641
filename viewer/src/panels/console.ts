/** What is steered with sticks: the machine in hand, or our own feet. */
import { CONSOLES, type Driving, type Stick } from "../hands/driving";
import type { Hand } from "../hands/tools";
import type { Session } from "../session";
import { button, el, words } from "../ui/dom";
import type { Walk } from "../view/camera";
import { pad } from "./pad";

export function machineConsole(session: Session, driving: Driving): HTMLElement {
  const title = el("b");
  const sticks = el("div", "sticks");
  const follow = button({ icon: "follow", title: "Let the view follow the machine", className: "small" }, () => driving.following.set(!driving.following.value));
  driving.following.watch((on) => follow.setAttribute("aria-pressed", String(on)));
  const remove = button({ icon: "remove", title: "Take the machine away", className: "small" }, () => {
    const machine = driving.machine.value;
    if (machine) session.connection.send({ do: "remove_machine", machine: machine.machine });
  });
  const carve = button({ label: "Particles", title: "Dig with particles, or push voxels", className: "small carve" }, () => {
    const machine = driving.machine.value;
    const mine = session.machines.value.find((one) => one.machine === machine?.machine);
    if (mine) session.connection.send({ do: "carve", on: !mine.carves });
  });
  const load = el("output", "load");
  session.machines.watch((machines) => {
    const mine = machines.find(({ machine }) => machine === driving.machine.value?.machine);
    if (!mine) return;
    load.textContent = `${mine.fill.toFixed(2)} m³ · ${Math.round(mine.payload)} kg`;
    carve.setAttribute("aria-pressed", String(mine.carves));
  });
  const leave = button({ icon: "close", title: "Leave the machine (Esc)", className: "small" }, () => driving.leave());
  const panel = el("section", "glass card console", el("div", "console-head", title, load, carve, follow, remove, leave), sticks);
  driving.machine.watch((machine) => {
    panel.hidden = machine === null;
    document.body.classList.toggle("driving", machine !== null);
    if (!machine) return;
    title.textContent = words(machine.kind);
    sticks.replaceChildren(...CONSOLES[machine.kind].map((stick) => machinePad(stick, driving)));
  });
  return panel;
}

function machinePad(stick: Stick, driving: Driving): HTMLElement {
  const { title, up, down, left, right } = stick;
  return pad({ title, keys: [up, down, left, right] }, (x, y) => driving.tilt(stick, x, y));
}

/** For walking without a keyboard. */
export function walkStick(hand: Hand, walk: Walk): HTMLElement {
  const key = (key: string, does: string) => ({ key, does });
  const keys = [key("W", "forward"), key("S", "back"), key("A", "left"), key("D", "right")] as const;
  const stick = pad({ title: "Walk", keys }, (x, y) => Object.assign(walk, { right: x, forward: y }));
  const panel = el("section", "glass card walk-stick", stick);
  hand.walking.watch((walking) => (panel.hidden = !walking));
  return panel;
}
