/** Driving machines: levers from keys and on-screen sticks, sent when they change. */
import type { Session } from "../session";
import { Signal } from "../ui/signal";
import type { Controls, MachineKind } from "../wire/protocol";

/** A direction of a stick: what it says, its key, and what it moves. */
export interface Push {
  code: string;
  key: string;
  does: string;
  levers: Controls;
}

/** A stick of the console, with two axes. */
export interface Stick {
  title: string;
  up: Push;
  down: Push;
  left: Push;
  right: Push;
}

const push = (code: string, does: string, levers: Controls): Push => ({ code, key: code.replace("Key", ""), does, levers });

const TRACKS: Stick = {
  title: "Tracks",
  up: push("KeyW", "forward", { left_track: 1, right_track: 1 }),
  down: push("KeyS", "back", { left_track: -1, right_track: -1 }),
  left: push("KeyA", "left", { left_track: -1, right_track: 1 }),
  right: push("KeyD", "right", { left_track: 1, right_track: -1 }),
};

export const CONSOLES: Record<MachineKind, readonly Stick[]> = {
  excavator: [
    TRACKS,
    {
      title: "Swing · Stick",
      up: push("KeyT", "stick out", { stick: 1 }),
      down: push("KeyG", "stick in", { stick: -1 }),
      left: push("KeyQ", "swing left", { swing: 1 }),
      right: push("KeyE", "swing right", { swing: -1 }),
    },
    {
      title: "Boom · Bucket",
      up: push("KeyR", "boom up", { boom: 1 }),
      down: push("KeyF", "boom down", { boom: -1 }),
      left: push("KeyH", "curl bucket", { bucket: -1 }),
      right: push("KeyY", "open bucket", { bucket: 1 }),
    },
  ],
  bulldozer: [
    TRACKS,
    {
      title: "Blade",
      up: push("KeyR", "blade up", { blade: 1 }),
      down: push("KeyF", "blade down", { blade: -1 }),
      left: push("KeyT", "lean back", { tilt: 1 }),
      right: push("KeyG", "lean forward", { tilt: -1 }),
    },
  ],
};

export const pushes = (stick: Stick): readonly Push[] => [stick.up, stick.down, stick.left, stick.right];

export class Driving {
  /** The machine in our hands. */
  readonly machine = new Signal<{ machine: number; kind: MachineKind } | null>(null);
  readonly following = new Signal(true);
  private readonly keys = new Set<string>();
  private readonly sticks = new Map<Stick, [x: number, y: number]>();
  private sent = "";

  constructor(private readonly session: Session) {
    session.state.watch((state) => {
      const mine = this.machine.value;
      if (mine && !state?.machines.some(({ machine }) => machine === mine.machine)) this.leave();
    });
    session.link.watch((link) => {
      if (link !== "live") this.sent = "";
    });
  }

  take(machine: number, kind: MachineKind): void {
    this.leave();
    this.machine.set({ machine, kind });
  }

  leave(): void {
    this.release();
    this.machine.set(null);
    this.sent = "";
  }

  /** Lets go of everything. */
  release(): void {
    this.keys.clear();
    this.sticks.clear();
    this.send();
  }

  /** Takes a key. Returns whether it belongs to the machine. */
  press(code: string, down: boolean): boolean {
    const mine = this.machine.value;
    if (!mine || !CONSOLES[mine.kind].some((stick) => pushes(stick).some((push) => push.code === code))) return false;
    if (down) this.keys.add(code);
    else this.keys.delete(code);
    this.send();
    return true;
  }

  /** Takes a stick, -1 to 1 on each axis, y up. */
  tilt(stick: Stick, x: number, y: number): void {
    this.sticks.set(stick, [x, y]);
    this.send();
  }

  private send(): void {
    const mine = this.machine.value;
    if (!mine) return;
    const controls = this.levers(mine.kind);
    const text = JSON.stringify(controls);
    if (text === this.sent) return;
    this.sent = text;
    this.session.connection.send({ do: "drive", machine: mine.machine, controls });
  }

  private levers(kind: MachineKind): Controls {
    const controls: Controls = {};
    for (const stick of CONSOLES[kind]) {
      const [x, y] = this.sticks.get(stick) ?? [0, 0];
      const amounts = [Math.max(0, y), Math.max(0, -y), Math.max(0, -x), Math.max(0, x)];
      pushes(stick).forEach((push, i) => {
        const amount = Math.max(amounts[i]!, this.keys.has(push.code) ? 1 : 0);
        for (const [lever, way] of Object.entries(push.levers)) controls[lever] = (controls[lever] ?? 0) + way * amount;
      });
    }
    for (const [lever, value] of Object.entries(controls)) {
      // Twentieths are finer than a hand; fewer messages.
      controls[lever] = Math.round(20 * Math.min(1, Math.max(-1, value))) / 20;
    }
    return controls;
  }
}
