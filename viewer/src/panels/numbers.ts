/** Numbers in view: pace, books, and where the time of a step goes. */
import type { Session } from "../session";
import { el, words } from "../ui/dom";
import type { Stage } from "../view/stage";
import type { Statistics } from "../wire/frame";
import { TimeChart } from "./time_chart";
import type { Panels } from "./panels";

/** How often numbers change (ms): faster cannot be read. */
const PACE_MS = 250;

export function numbersPanel(session: Session, stage: Stage, panels: Panels): HTMLElement {
  const steps = el("b");
  const frames = el("b");
  const books = el("dl", "facts");
  const chart = new TimeChart();
  const balance = el("span", "badge");
  const head = el("div", "pace", el("div", "", steps, el("span", "", "steps/s")), el("div", "", frames, el("span", "", "pictures/s")));
  let isOpen = false;
  panels.watch("numbers", (open) => (isOpen = open));
  session.welcome.watch((welcome) => chart.setNames((welcome?.processes ?? []).map(words)));
  setInterval(() => {
    const statistics = session.statistics.value;
    if (!statistics) return;
    chart.add(statistics.processes);
    if (!isOpen) return;
    steps.textContent = statistics.stepsPerSecond.toFixed(0);
    frames.textContent = stage.framesPerSecond > 0 ? stage.framesPerSecond.toFixed(0) : "–";
    books.replaceChildren(...facts(statistics, stage.ground.triangles));
    balance.textContent = statistics.balance === 0 ? "The books balance" : `The books are off by ${whole(statistics.balance)}`;
    balance.classList.toggle("wrong", statistics.balance !== 0);
    chart.draw();
  }, PACE_MS);
  return panels.frame("numbers", "Numbers", head, el("h3", "", "Time of a step"), chart.element, books, balance);
}

function facts(statistics: Statistics, triangles: number): HTMLElement[] {
  const rows: [string, string][] = [
    ["Awake bricks", whole(statistics.awakeBricks)],
    ["Bodies", whole(statistics.bodies)],
    ["Triangles", whole(triangles)],
    ["Viewers", whole(statistics.viewers)],
    ["Rock (units)", large(statistics.rock)],
    ["Soil (units)", large(statistics.soil)],
    ["Entered", large(statistics.entered)],
    ["Left", large(statistics.left)],
  ];
  return rows.map(([name, value]) => el("div", "", el("dt", "", name), el("dd", "", value)));
}

const whole = (value: number): string => value.toLocaleString("en");

/** Units are counted by the billion: four digits say enough, the tooltip of the books says zero. */
function large(value: number): string {
  return Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 }).format(value);
}
