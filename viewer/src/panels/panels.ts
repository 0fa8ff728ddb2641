/** Which panels are open. Small screens and dialogs show one at a time. */
import { button, el } from "../ui/dom";
import { Signal } from "../ui/signal";

export type PanelName = "scenes" | "artist" | "soil" | "particles" | "sensors" | "numbers" | "files" | "help";

const DIALOGS: readonly PanelName[] = ["scenes", "help"];
const SMALL = matchMedia("(max-width: 760px)");

export class Panels {
  private readonly open: Record<PanelName, Signal<boolean>> = {
    scenes: new Signal(false),
    artist: new Signal(false),
    soil: new Signal(false),
    particles: new Signal(false),
    sensors: new Signal(false),
    numbers: new Signal(false),
    files: new Signal(false),
    help: new Signal(false),
  };

  get isSmall(): boolean {
    return SMALL.matches;
  }

  toggle(name: PanelName): void {
    this.set(name, !this.open[name].value);
  }

  set(name: PanelName, open: boolean): void {
    if (open) {
      for (const other of Object.keys(this.open) as PanelName[]) {
        if (other !== name && (this.isSmall || DIALOGS.includes(other))) this.open[other].set(false);
      }
    }
    this.open[name].set(open);
  }

  watch(name: PanelName, watcher: (open: boolean) => void): void {
    this.open[name].watch(watcher);
  }

  /** Closes what lies on top. Returns whether there was anything. */
  closeTop(): boolean {
    const order: PanelName[] = [...DIALOGS, "files", "sensors", "particles", "soil", "artist"];
    const top = order.find((name) => this.open[name].value);
    if (top) this.open[top].set(false);
    return top !== undefined;
  }

  /** A panel with its title, shown while it is open. */
  frame(name: PanelName, title: string, ...content: Node[]): HTMLElement {
    const close = button({ icon: "close", title: "Close", className: "close" }, () => this.set(name, false));
    const isDialog = DIALOGS.includes(name);
    const panel = el("section", `glass card panel ${isDialog ? "dialog" : ""}`, el("h2", "", title), close, ...content);
    panel.dataset["name"] = name;
    panel.ariaLabel = title;
    this.watch(name, (open) => (panel.hidden = !open));
    return panel;
  }
}
