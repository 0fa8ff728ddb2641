/** Puts the page together. */
import { Acts } from "./hands/acts";
import { Artist } from "./hands/artist";
import { Driving } from "./hands/driving";
import { listenToKeys } from "./hands/keys";
import { Pointer } from "./hands/pointer";
import { Hand, isMachine } from "./hands/tools";
import { artistPanel } from "./panels/artist";
import { machineConsole, walkStick } from "./panels/console";
import { filesPanel } from "./panels/files";
import { helpPanel } from "./panels/help";
import { numbersPanel } from "./panels/numbers";
import { particlesPanel } from "./panels/particles";
import { palette } from "./panels/palette";
import { Panels } from "./panels/panels";
import { scenesPanel } from "./panels/scenes";
import { sensorsPanel } from "./panels/sensors";
import { soilPanel } from "./panels/soil";
import { timeBar } from "./panels/time_bar";
import { connectionNotice, toasts } from "./panels/toasts";
import { Session } from "./session";
import { el } from "./ui/dom";
import { Stage } from "./view/stage";

/** Between two messages on where the eye is (ms). */
const EYE_PACE_MS = 150;
/** A machine is driven from no further away than this (m). */
const DRIVING_RANGE_M = 15;

const canvas = document.querySelector<HTMLCanvasElement>("#picture");
if (!canvas) throw new Error("the page has no picture");

const stage = new Stage(canvas);
const session = new Session(
  () => (stage.ground.isEmpty ? null : stage.camera.lens.position.toArray()),
  (frame) => {
    stage.take(frame);
    // For those who watch the page from outside: what has been taken in.
    document.body.dataset["frame"] = String(frame.number);
    if (frame.whole) document.body.dataset["whole"] = String(frame.epoch);
  },
);
// Answers come when all of this is put together: until then the server may already be at work.
session.connection.open();

const hand = new Hand();
const panels = new Panels();
const driving = new Driving(session);
const artist = new Artist(session, stage, hand);
const acts = new Acts(session, stage, hand, driving, artist);
const readout = el("div", "readout");
const pointer = new Pointer(stage, hand, acts, artist, () => driving.machine.value !== null, (point) => {
  readout.textContent = point ? `${point.toArray().map((x) => x.toFixed(2)).join("  ")} m` : "";
});

const home = (): void => {
  const view = session.state.value?.view;
  hand.walking.set(false);
  driving.following.set(false);
  if (view) stage.camera.place(view.eye_m, view.target_m);
  stage.invalidate();
};

document.body.append(
  timeBar(session, hand, panels, home),
  ...palette(session, hand),
  el("aside", "panels", artistPanel(session, hand, artist, panels), soilPanel(session, panels), particlesPanel(session, stage, panels), sensorsPanel(session, stage, panels, () => pointer.point), filesPanel(session, stage, panels), numbersPanel(session, stage, panels)),
  machineConsole(session, driving),
  walkStick(hand, stage.walk),
  scenesPanel(session, panels),
  helpPanel(panels),
  readout,
  connectionNotice(session),
  toasts(session),
);
panels.set("numbers", !panels.isSmall && innerWidth >= 1100);

listenToKeys({ session, stage, hand, driving, home, close: () => panels.closeTop(), toggleHelp: () => panels.toggle("help") });

let world = "";
session.state.watch((state) => {
  if (!state) return;
  const isOther = world !== `${state.scene} ${state.epoch}`;
  const isOtherScene = !world.startsWith(`${state.scene} `);
  world = `${state.scene} ${state.epoch}`;
  stage.setState(state, isOther && isOtherScene);
});
hand.walking.watch((walking) => {
  stage.camera.setWalking(walking);
  stage.invalidate();
});
hand.tool.watch((tool) => {
  const mine = driving.machine.value;
  if (mine && mine.kind !== tool) driving.leave();
  if (!isMachine(tool) || mine?.kind === tool) return;
  const standing = session.state.value?.machines.findLast(({ kind }) => kind === tool);
  if (standing) driving.take(standing.machine, standing.kind);
});
driving.machine.watch((machine) => {
  if (!machine) return;
  hand.walking.set(false);
  driving.following.set(true);
  stage.camera.approach(DRIVING_RANGE_M);
});
session.machines.watch((machines) => {
  const mine = machines.find(({ machine }) => machine === driving.machine.value?.machine);
  if (mine && driving.following.value) stage.camera.follow([mine.position[0], mine.position[1], mine.position[2] + 1]);
});

let eyeSent = "";
setInterval(() => {
  const eye = stage.camera.lens.position.toArray();
  const text = eye.map((x) => x.toFixed(1)).join();
  if (text === eyeSent || session.link.value !== "live") return;
  eyeSent = text;
  session.connection.send({ do: "eye", eye_m: eye });
}, EYE_PACE_MS);

const draw = (now: number): void => {
  pointer.follow();
  if (stage.draw(now)) document.body.dataset["drawn"] = String(Number(document.body.dataset["drawn"] ?? 0) + 1);
  requestAnimationFrame(draw);
};
requestAnimationFrame(draw);
