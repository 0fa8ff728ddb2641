/** The tools of the palette and what the hand is set to. */
import type { IconName } from "../ui/icons";
import { Signal } from "../ui/signal";
import type { MachineKind, StrokeTool } from "../wire/protocol";

export type ToolName = "look" | "artist" | StrokeTool | "box" | "ball" | "throw" | "spring" | "remove" | MachineKind;

export interface Tool {
  name: ToolName;
  icon: IconName;
  label: string;
  key: string;
  hint: string;
  /** Colour of the ring on the ground. */
  color: string;
}

export const TOOLS: readonly Tool[] = [
  { name: "look", icon: "look", label: "Look", key: "1", color: "#ffffff", hint: "Drag to turn the view. Two fingers or the wheel zoom." },
  { name: "dig", icon: "dig", label: "Dig", key: "2", color: "#ffb45c", hint: "Hold and drag on the ground to dig a trench." },
  { name: "pour", icon: "pour", label: "Pour", key: "3", color: "#ffe08a", hint: "Hold to pour a heap of the chosen material." },
  { name: "smooth", icon: "smooth", label: "Smooth", key: "4", color: "#9be7c4", hint: "Drag to level the ground within the ring." },
  { name: "push", icon: "push", label: "Push", key: "5", color: "#7cc4ff", hint: "Drag a ball through the ground; soil gives way." },
  { name: "rain", icon: "rain", label: "Water", key: "u", color: "#7fd0ff", hint: "Hold to let water fall from above." },
  { name: "spring", icon: "drop", label: "Spring", key: "i", color: "#7fd0ff", hint: "Click the ground to put a spring there; the panel «Water» lists them." },
  { name: "grains", icon: "grains", label: "Grains", key: "o", color: "#ffe08a", hint: "Hold to pour single grains of the chosen material." },
  { name: "artist", icon: "artist", label: "Terrain", key: "p", color: "#f0a0ff", hint: "Weather, add, remove, paint, copy and more: the panel «Terrain tools» says what." },
  { name: "box", icon: "box", label: "Box", key: "6", color: "#d9b3ff", hint: "Click to drop a box." },
  { name: "ball", icon: "ball", label: "Ball", key: "7", color: "#d9b3ff", hint: "Click to drop a ball." },
  { name: "throw", icon: "throw", label: "Throw", key: "8", color: "#ff9d9d", hint: "Click to throw a ball from where you stand." },
  { name: "excavator", icon: "excavator", label: "Excavator", key: "9", color: "#ffcf4a", hint: "Click the ground to place an excavator and drive it." },
  { name: "bulldozer", icon: "bulldozer", label: "Dozer", key: "0", color: "#ffcf4a", hint: "Click the ground to place a bulldozer and drive it." },
  { name: "remove", icon: "remove", label: "Remove", key: "Delete", color: "#ff7b7b", hint: "Click a body or a machine to take it away." },
];

export const isStroke = (name: ToolName): name is StrokeTool =>
  name === "pour" || name === "dig" || name === "smooth" || name === "push" || name === "rain" || name === "grains";

export const isMachine = (name: ToolName): name is MachineKind => name === "excavator" || name === "bulldozer";

export const toolNamed = (name: ToolName): Tool => TOOLS.find((tool) => tool.name === name) ?? TOOLS[0]!;

/** What the hand is set to. */
export class Hand {
  readonly tool = new Signal<ToolName>("dig");
  /** Radius of the ring (m). */
  readonly radius = new Signal(0.9);
  readonly strength = new Signal(0.4);
  /** Edge or diameter of bodies (m). */
  readonly size = new Signal(0.8);
  /** Speed of what is thrown (m/s). */
  readonly throwSpeed = new Signal(14);
  readonly material = new Signal<string | null>(null);
  readonly walking = new Signal(false);

  /** Makes the ring, or the body, larger or smaller. */
  grow(factor: number): void {
    const value = isStroke(this.tool.value) ? this.radius : this.size;
    value.set(Math.min(5, Math.max(0.1, value.value * factor)));
  }
}
