/** The keyboard: shortcuts, walking and driving. Keys are taken by their place, so that any layout works. */
import type { Session } from "../session";
import { COLOR_KEYS } from "../view/particles/coloring";
import type { Stage } from "../view/stage";
import type { Driving } from "./driving";
import { type Hand, TOOLS } from "./tools";

export interface Shortcut {
  keys: string;
  does: string;
}

export const SHORTCUTS: readonly { title: string; rows: readonly Shortcut[] }[] = [
  {
    title: "View",
    rows: [
      { keys: "Right drag", does: "turn" },
      { keys: "Middle drag, ⇧ right drag", does: "move" },
      { keys: "Wheel, pinch", does: "zoom" },
      { keys: "V", does: "walk, then W A S D; ⇧ runs" },
      { keys: "C", does: "back to the first view" },
      { keys: "← ↑ → ↓", does: "turn" },
      { keys: "K", does: "colour grains by something else" },
      { keys: "L", does: "water as a surface, as sprites" },
    ],
  },
  {
    title: "Hands",
    rows: [
      { keys: "1 … 0", does: "choose a tool" },
      { keys: "[  ]  or ctrl wheel", does: "smaller, larger" },
      { keys: "Ctrl Z, Ctrl Y", does: "undo, redo" },
      { keys: "Esc", does: "leave the machine, close" },
    ],
  },
  {
    title: "Time",
    rows: [
      { keys: "Space", does: "play, pause" },
      { keys: ".", does: "one step" },
      { keys: "−  +", does: "slower, faster" },
    ],
  },
  {
    title: "Machines",
    rows: [
      { keys: "W S A D", does: "tracks" },
      { keys: "Q E", does: "swing left, right" },
      { keys: "R F", does: "boom or blade up, down" },
      { keys: "T G", does: "stick out, in; blade back, forward" },
      { keys: "Y H", does: "bucket open, curl" },
    ],
  },
];

const WALK: Record<string, ["forward" | "right", number]> = {
  KeyW: ["forward", 1],
  KeyS: ["forward", -1],
  KeyD: ["right", 1],
  KeyA: ["right", -1],
  ArrowUp: ["forward", 1],
  ArrowDown: ["forward", -1],
};

/** What an arrow turns the view by, in pixels of a drag. */
const TURN: Record<string, [number, number]> = {
  ArrowLeft: [18, 0],
  ArrowRight: [-18, 0],
  ArrowUp: [0, 18],
  ArrowDown: [0, -18],
};

export interface KeyTargets {
  session: Session;
  stage: Stage;
  hand: Hand;
  driving: Driving;
  toggleHelp(): void;
  /** Closes what is open on top. Returns whether anything was. */
  close(): boolean;
  home(): void;
}

export function listenToKeys(targets: KeyTargets): void {
  const { stage, driving } = targets;
  addEventListener("keydown", (event) => {
    if (isTyping(event.target)) return;
    if (event.ctrlKey || event.metaKey) {
      if (history(targets, event)) event.preventDefault();
      return;
    }
    if (driving.press(event.code, true) || walk(targets, event.code, 1) || shortcut(targets, event)) event.preventDefault();
    stage.walk.run = event.shiftKey;
  });
  addEventListener("keyup", (event) => {
    driving.press(event.code, false);
    walk(targets, event.code, 0);
    stage.walk.run = event.shiftKey;
  });
  addEventListener("blur", () => {
    if (driving.machine.value) driving.release();
    Object.assign(stage.walk, { forward: 0, right: 0, run: false });
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement ? target.type !== "range" : target instanceof HTMLSelectElement;
}

function history({ session }: KeyTargets, event: KeyboardEvent): boolean {
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return false;
  session.connection.send({ do: key === "y" || event.shiftKey ? "redo" : "undo" });
  return true;
}

function walk({ stage, hand }: KeyTargets, code: string, down: number): boolean {
  const way = WALK[code];
  if (!way || !hand.walking.value) return false;
  const [axis, amount] = way;
  if (down || Math.sign(stage.walk[axis]) === Math.sign(amount)) stage.walk[axis] = amount * down;
  return true;
}

function shortcut(targets: KeyTargets, event: KeyboardEvent): boolean {
  const { session, stage, hand, driving } = targets;
  const tool = TOOLS.find(({ key }) => key === event.key);
  const turn = TURN[event.code];
  if (tool) hand.tool.set(tool.name);
  else if (turn) stage.camera.turn(...turn);
  else if (event.key === "?") targets.toggleHelp();
  else if (event.code === "Space") session.togglePlaying();
  else if (event.key === ".") session.step();
  else if (event.key === "+" || event.key === "=") changeSpeed(session, 2);
  else if (event.key === "-") changeSpeed(session, 0.5);
  else if (event.key === "[") hand.grow(1 / 1.15);
  else if (event.key === "]") hand.grow(1.15);
  else if (event.code === "KeyV") hand.walking.set(!hand.walking.value);
  else if (event.code === "KeyC") targets.home();
  else if (event.code === "KeyK") stage.colorKey.set(COLOR_KEYS[(COLOR_KEYS.indexOf(stage.colorKey.value) + 1) % COLOR_KEYS.length]!);
  else if (event.code === "KeyL") stage.smoothWater.set(!stage.smoothWater.value);
  else if (event.key === "Escape") {
    if (targets.close()) return true;
    if (driving.machine.value) driving.leave();
    else hand.walking.set(false);
  } else return false;
  return true;
}

function changeSpeed(session: Session, factor: number): void {
  const speed = session.state.value?.speed ?? 1;
  session.connection.send({ do: "speed", factor: Math.min(4, Math.max(0.1, speed * factor)) });
}
