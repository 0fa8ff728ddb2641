/** What the page knows of the server, and how its parts reach it. */
import { Signal } from "./ui/signal";
import { Connection, type Link } from "./wire/connection";
import type { MachinePose } from "./wire/bodies";
import type { Frame, Statistics } from "./wire/frame";
import type { State, Vec3, Welcome } from "./wire/protocol";

export interface Message {
  kind: "error" | "notice";
  text: string;
}

export class Session {
  readonly link = new Signal<Link>("connecting");
  readonly welcome = new Signal<Welcome | null>(null);
  readonly state = new Signal<State | null>(null);
  readonly statistics = new Signal<Statistics | null>(null);
  readonly machines = new Signal<readonly MachinePose[]>([]);
  readonly message = new Signal<Message | null>(null);
  readonly timeS = new Signal(0);
  readonly connection: Connection;

  constructor(eye: () => Vec3 | null, take: (frame: Frame) => void) {
    this.connection = new Connection(
      {
        link: (link) => this.link.set(link),
        welcome: (welcome) => this.welcome.set(welcome),
        state: (state) => this.state.set(state),
        error: (text) => this.message.set({ kind: "error", text }),
        notice: (text) => this.message.set({ kind: "notice", text }),
        frame: (frame) => {
          if (frame.statistics) this.statistics.set(frame.statistics);
          if (frame.machines) this.machines.set(frame.machines);
          this.timeS.set(frame.timeS);
          take(frame);
        },
      },
      eye,
    );
  }

  togglePlaying(): void {
    this.connection.send({ do: this.state.value?.playing ? "pause" : "play" });
  }

  /** One step; a running world is halted first. */
  step(): void {
    if (this.state.value?.playing) this.connection.send({ do: "pause" });
    this.connection.send({ do: "step" });
  }
}
