/** Numbers in view: pace, books, and where the time of a step goes. */
import type { Session } from "../session";
import { el, words } from "../ui/dom";
import type { Stage } from "../view/stage";
import type { Statistics, Stock } from "../wire/frame";
import { TimeChart } from "./time_chart";
import type { Panels } from "./panels";

/** How often numbers change (ms): faster cannot be read. */
const PACE_MS = 250;

export function numbersPanel(session: Session, stage: Stage, panels: Panels): HTMLElement {
  const steps = el("b");
  const frames = el("b");
  const counts = el("dl", "facts");
  const books = el("table", "stocks");
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
    counts.replaceChildren(...facts(statistics, stage.ground.triangles));
    books.replaceChildren(...stockRows(statistics.stocks, session));
    balance.textContent = statistics.offBy === 0 ? "The books balance" : `The books are off by ${whole(statistics.offBy)} units`;
    balance.classList.toggle("wrong", statistics.offBy !== 0);
    chart.draw();
  }, PACE_MS);
  return panels.frame("numbers", "Numbers", head, el("h3", "", "Time of a step"), chart.element, counts, el("h3", "", "Books"), books, balance);
}

function facts(statistics: Statistics, triangles: number): HTMLElement[] {
  const rows: [string, string][] = [
    ["Awake bricks", whole(statistics.awakeBricks)],
    ["Bodies", whole(statistics.bodies)],
    ["Triangles", whole(triangles)],
    ["Viewers", whole(statistics.viewers)],
  ];
  return rows.map(([name, value]) => el("div", "", el("dt", "", name), el("dd", "", value)));
}

/** What there is of everything, in amounts that people know; the units of the books in a tooltip. */
function stockRows(stocks: readonly Stock[], session: Session): HTMLElement[] {
  const accounts = session.welcome.value?.accounts ?? [];
  const materials = session.state.value?.materials ?? [];
  const rows: HTMLElement[] = [];
  let last = "";
  for (const stock of stocks) {
    const account = accounts[stock.account] ?? "";
    // Of water there is one kind; all else is of some material.
    const isWater = account.endsWith("water");
    const name = isWater ? account : (materials[stock.kind]?.name ?? account);
    if (account !== last && !isWater) rows.push(el("tr", "account", el("th", "", words(account))));
    last = account;
    const row = el("tr", "", el("th", "", words(name)), el("td", "", `${short(stock.m3)} m³`), el("td", "", mass(stock.kg)));
    row.title = `${words(account)}: ${whole(stock.held)} units held, ${whole(stock.entered)} entered, ${whole(stock.left)} left`;
    rows.push(row);
  }
  return rows;
}

const whole = (value: number): string => value.toLocaleString("en");

/** Four digits say enough. */
const short = (value: number): string => Intl.NumberFormat("en", { maximumSignificantDigits: 4 }).format(value);

const mass = (kg: number): string => (kg < 1000 ? `${short(kg)} kg` : `${short(kg / 1000)} t`);
