/** The WebSocket to our own server: connects, reads what comes, and connects again by itself when it is lost. */
import { type Frame, Known, readFrame } from "./frame";
import { type Command, type Reply, type ServerText, type State, VERSION, type Vec3, type Welcome } from "./protocol";

export type Link = "connecting" | "live" | "lost";

export interface Listener {
  link(link: Link, retryInS: number): void;
  welcome(welcome: Welcome): void;
  state(state: State): void;
  frame(frame: Frame): void;
  error(text: string): void;
  notice(text: string): void;
}

/** Waits between attempts (ms): short at first, because a restarted server is back within a second. */
const WAITS_MS = [300, 500, 1000, 2000, 4000];

export class Connection {
  private socket: WebSocket | null = null;
  private attempts = 0;
  private lastId = 0;
  private readonly quiet = new Set<number>();
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  /** What the frames of this connection have brought. */
  private known = new Known();

  constructor(
    private readonly listener: Listener,
    private readonly eye: () => Vec3 | null,
  ) {}

  get isLive(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  open(): void {
    this.listener.link("connecting", 0);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/socket`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.take(socket, event.data);
    socket.onclose = () => this.lost(socket);
    this.socket = socket;
    this.known = new Known();
  }

  /** Sends a command whose reply matters only when it is an error. */
  send(command: Command): void {
    if (this.isLive) this.socket?.send(JSON.stringify(command));
  }

  /** Sends a command and waits for its reply. Of a quiet one nobody hears that it was refused but the one who asks. */
  ask(command: Command, isQuiet = false): Promise<Reply> {
    if (!this.isLive) return Promise.resolve({ reply: null, ok: false, error: "not connected" });
    const id = ++this.lastId;
    if (isQuiet) this.quiet.add(id);
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.socket?.send(JSON.stringify({ ...command, id }));
    });
  }

  private take(socket: WebSocket, data: string | ArrayBuffer): void {
    if (typeof data === "string") {
      this.takeText(JSON.parse(data) as ServerText);
      return;
    }
    if (socket !== this.socket) return;
    try {
      this.takeFrame(socket, readFrame(data, this.known));
    } catch (error: unknown) {
      this.listener.error(`A frame could not be read: ${String(error)}`);
      socket.close();
    }
  }

  private takeFrame(socket: WebSocket, frame: Frame): void {
    this.listener.frame(frame);
    const acknowledge = (): void => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ do: "ack", frame: frame.number }));
    };
    // Once we have everything, the next frame is asked for when this one has been drawn: a slow screen gets fewer,
    // newer frames.
    if (frame.whole) afterDrawing(acknowledge);
    else acknowledge();
  }

  private takeText(message: ServerText): void {
    if ("welcome" in message) this.begin(message.welcome);
    else if ("state" in message) this.listener.state(message.state);
    else if ("notice" in message) this.listener.notice(message.notice);
    else this.takeReply(message);
  }

  private begin(welcome: Welcome): void {
    this.attempts = 0;
    this.listener.welcome(welcome);
    const eye = this.eye();
    this.send({ do: "start", version: VERSION, ...(eye ? { eye_m: eye } : {}) });
    this.listener.link("live", 0);
  }

  private takeReply(reply: Reply): void {
    const isQuiet = reply.reply !== null && this.quiet.delete(reply.reply);
    if (!reply.ok && !isQuiet) this.listener.error(reply.error ?? "The server refused a command");
    if (reply.reply === null) return;
    this.waiting.get(reply.reply)?.(reply);
    this.waiting.delete(reply.reply);
  }

  private lost(socket: WebSocket): void {
    if (socket !== this.socket) return;
    for (const resolve of this.waiting.values()) resolve({ reply: null, ok: false, error: "connection lost" });
    this.waiting.clear();
    this.quiet.clear();
    const wait = WAITS_MS[Math.min(this.attempts++, WAITS_MS.length - 1)]!;
    this.listener.link("lost", wait / 1000);
    setTimeout(() => this.open(), wait);
  }
}

/** Calls back after the next picture, or soon in a hidden tab, where no pictures are drawn. */
function afterDrawing(then: () => void): void {
  let done = false;
  const once = () => {
    if (!done) then();
    done = true;
  };
  requestAnimationFrame(once);
  setTimeout(once, 250);
}
