/** A `barchan play` of our own, on a folder of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The program under test; `cargo xtask test` names the one it built. */
const PROGRAM = process.env["BARCHAN_PROGRAM"] ?? "../target/release/barchan";

export interface WorldState {
  epoch: number;
  scene: string;
  steps: number;
  playing: boolean;
  undo: number;
  redo: number;
  ledger: { rock: number; soil: number; grains: number; in: number; out: number; balance: number };
  viewers: number;
  digest: string;
  bodies: { body: number; name: string; role: number; position_m: [number, number, number] }[];
  machines: { machine: number; kind: string; joints: number[] }[];
}

export class Server {
  private process: ChildProcess | null = null;
  private readonly files = mkdtempSync(join(tmpdir(), "barchan-play-"));
  url = "";

  /** Starts it, on the same port as before if it ran before. */
  async start(): Promise<void> {
    const port = this.url ? ["--port", new URL(this.url).port] : [];
    const child = spawn(PROGRAM, ["play", "--no-open", "--files", this.files, ...port], { stdio: ["ignore", "pipe", "inherit"] });
    this.process = child;
    this.url = await new Promise<string>((resolve, reject) => {
      let text = "";
      child.stdout.on("data", (data: Buffer) => {
        text += data.toString();
        const address = /http:\/\/\S+/.exec(text)?.[0];
        if (address) resolve(address);
      });
      child.on("error", reject);
      child.on("exit", (code) => reject(new Error(`${PROGRAM} ended with ${code} before it said where it is: ${text}`)));
    });
  }

  async stop(): Promise<void> {
    const child = this.process;
    this.process = null;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGINT");
    await gone;
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.files, { recursive: true, force: true });
  }

  world(): Promise<WorldState> {
    return this.get<WorldState>("/api/world");
  }

  async height(x: number, y: number): Promise<number> {
    const { height_m } = await this.get<{ height_m: number | null }>(`/api/height?x=${x}&y=${y}`);
    return height_m ?? -Infinity;
  }

  /** Waits until the world is as it should be, and returns it. A test that waits in vain is ended by its runner. */
  async until(what: string, holds: (world: WorldState) => boolean): Promise<WorldState> {
    const give_up = Date.now() + 90_000;
    for (;;) {
      const world = await this.world();
      if (holds(world)) return world;
      if (Date.now() > give_up) throw new Error(`never came to be: ${what}; the world is ${JSON.stringify(world)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  private async get<T>(path: string): Promise<T> {
    const answer = await fetch(new URL(path, this.url));
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }
}
