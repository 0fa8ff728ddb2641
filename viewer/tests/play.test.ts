/** Plays in a real browser as a person would, and asks both the server and the screen what came of it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Area, type Picture, Screen } from "./screen";
import { Server } from "./server";

/** A place on the ground that no panel covers, and the area around it. */
const SPOT = { x: 640, y: 460 };
const AROUND: Area = { x: SPOT.x - 90, y: SPOT.y - 90, width: 180, height: 180 };
/** Where the machine is while the view follows it. */
const MACHINE: Area = { x: 490, y: 180, width: 300, height: 300 };
/** The picture between the panels. */
const MIDDLE: Area = { x: 340, y: 70, width: 640, height: 630 };
/** Soil that makes a heap or a hole one cannot overlook (units). How long it takes is the machine's affair. */
const PLENTY = 8_000_000;
/** As much as it takes where nothing slides into the hole and widens it (units). */
const DEEP = 6 * PLENTY;
/** Pictures that differ by more than this were changed by more than the renderer's grain. */
const CHANGED = 3;
/** A picture with less spread than this is blank. */
const BLANK = 8;

const server = new Server();
let screen: Screen;

beforeAll(async () => {
  await server.start();
  screen = await Screen.open();
  await screen.page.goto(server.url);
});

afterAll(async () => {
  await screen?.close();
  await server.end();
});

/** Waits until an area looks different from `before`: pictures follow the world when the machine gets to drawing them. */
async function seen(area: Area, before: Picture): Promise<void> {
  const change = async () => (await screen.picture(area)).difference(before);
  await expect.poll(change, { timeout: 20_000 }).toBeGreaterThan(CHANGED);
}

describe("the sandbox", () => {
  it("loads: the world is in view", async () => {
    const { epoch } = await server.world();
    await screen.shows(epoch);
    const world = await server.until("one viewer", ({ viewers }) => viewers === 1);
    expect(world.playing).toBe(true);
    expect((await screen.picture(MIDDLE)).spread).toBeGreaterThan(BLANK);
    expect(await screen.page.textContent(".scene")).not.toBe("");
  });

  it("pours: soil enters the world, and a heap is seen", async () => {
    const before = await server.world();
    const picture = await screen.picture(AROUND);
    const [x, y] = await screen.pointOnGround(SPOT.x, SPOT.y);
    const height = await server.height(x, y);
    await screen.page.keyboard.press("3");
    await screen.stroke(SPOT.x, SPOT.y, () =>
      server.until("a heap", ({ ledger }) => ledger.in > before.ledger.in + PLENTY),
    );
    const after = await server.until("the end of the stroke", ({ undo }) => undo > before.undo);
    expect(after.ledger.soil).toBeGreaterThan(before.ledger.soil);
    expect(after.ledger.balance).toBe(0);
    expect(await server.height(x, y)).toBeGreaterThan(height);
    await seen(AROUND, picture);
  });

  it("digs: soil leaves the world, and a hole is seen; undo brings it back", async () => {
    // While time stands still nothing but the stroke changes the picture; the heap from before may still be sliding.
    await screen.page.keyboard.press("Space");
    const before = await server.until("a pause", ({ playing }) => !playing);
    await screen.page.keyboard.press("2");
    const picture = await screen.stillPicture(AROUND);
    await screen.stroke(SPOT.x, SPOT.y, () =>
      server.until("a hole", ({ ledger }) => ledger.out > before.ledger.out + DEEP),
    );
    const dug = await server.until("the end of the stroke", ({ undo }) => undo > before.undo);
    expect(dug.ledger.soil + dug.ledger.rock).toBeLessThan(before.ledger.soil + before.ledger.rock);
    expect(dug.ledger.balance).toBe(0);
    await seen(AROUND, picture);
    const hole = await screen.stillPicture(AROUND);

    await screen.page.keyboard.press("Control+z");
    const undone = await server.until("the soil is back", ({ redo }) => redo > 0);
    expect(undone.ledger.soil).toBe(before.ledger.soil);
    expect(undone.ledger.balance).toBe(0);
    await screen.page.waitForSelector("[data-act=redo]:enabled");
    const nearness = async () => {
      const back = await screen.picture(AROUND);
      return back.difference(hole) - back.difference(picture);
    };
    await expect.poll(nearness, { timeout: 20_000 }).toBeGreaterThan(0);
    await screen.page.keyboard.press("Space");
    await server.until("time goes on", ({ playing }) => playing);
  });

  it("pauses, and makes single steps", async () => {
    await screen.page.click("[data-act=play]");
    const paused = await server.until("a pause", ({ playing }) => !playing);
    await screen.page.waitForTimeout(300);
    expect((await server.world()).steps).toBe(paused.steps);
    await screen.page.waitForSelector("[data-act=play][aria-pressed=true]");
    await screen.page.click("[data-act=step]");
    await server.until("one step", ({ steps }) => steps === paused.steps + 1);
    await screen.page.keyboard.press("Space");
    await server.until("time goes on", ({ steps }) => steps > paused.steps + 5);
  });

  it("drives the excavator through one cycle, and earth is moved", async () => {
    const before = await server.world();
    const index = before.machines.findLastIndex(({ kind }) => kind === "excavator");
    expect(index).toBeGreaterThanOrEqual(0);
    await screen.page.keyboard.press("9");
    await screen.page.waitForSelector(".console:not([hidden])");
    await screen.drawn(10);
    const picture = await screen.picture(MACHINE);
    const joint = (number: number, holds: (value: number) => boolean) => () =>
      server.until(`joint ${number} moves`, ({ machines }) => holds(machines[index]!.joints[number]!));
    const [swing, boom, stick, bucket] = before.machines[index]!.joints as [number, number, number, number];
    await screen.hold("t", joint(2, (value) => value > stick + 0.4));
    await screen.hold("f", joint(1, (value) => value < boom - 0.7));
    await screen.hold("g", joint(2, (value) => value < stick));
    await screen.hold("h", joint(3, (value) => value < bucket - 0.5));
    await screen.hold("r", joint(1, (value) => value > boom - 0.1));
    await screen.hold("q", joint(0, (value) => value > swing + 0.8));
    await screen.hold("y", joint(3, (value) => value > bucket));
    const after = await server.world();
    expect(after.digest).not.toBe(before.digest);
    expect(after.ledger.balance).toBe(0);
    // What the bucket cuts is particles until it rests.
    expect(after.ledger.soil + after.ledger.grains).toBe(before.ledger.soil + before.ledger.grains);
    await seen(MACHINE, picture);
    await screen.page.keyboard.press("Escape");
    await screen.page.waitForSelector(".console", { state: "hidden" });
  });

  it("saves, and loads what was saved", async () => {
    await screen.page.click("[data-act=play]");
    const saved = await server.until("a pause", ({ playing }) => !playing);
    await screen.page.click("[data-panel=files]");
    await screen.page.fill(".panel[data-name=files] input", "kept-by-a-test");
    await screen.page.click("[data-act=save]");
    await screen.page.waitForSelector("[data-save=kept-by-a-test]");
    await screen.page.keyboard.press("2");
    await screen.stroke(SPOT.x, SPOT.y, () => server.until("a hole", ({ ledger }) => ledger.soil < saved.ledger.soil));
    await screen.page.click("[data-save=kept-by-a-test]");
    const loaded = await server.until("another world", ({ epoch }) => epoch > saved.epoch);
    expect(loaded.ledger.soil).toBe(saved.ledger.soil);
    expect(loaded.ledger.balance).toBe(0);
    await screen.shows(loaded.epoch);
    expect((await screen.picture(MIDDLE)).spread).toBeGreaterThan(BLANK);
    await screen.page.click("[data-panel=files]");
  });

  it("adds rock and weathers it: a look before, one click, the time of each stage, undo", async () => {
    const { page } = screen;
    const paused = async (): Promise<void> => {
      if ((await server.world()).playing) await page.keyboard.press("Space");
      await server.until("a pause", ({ playing }) => !playing);
    };
    await paused();
    const before = await server.world();
    await page.keyboard.press("p");
    await page.waitForSelector(".panel[data-name=artist]:not([hidden])");
    await page.click("[data-op=add]");
    await page.selectOption("select[aria-label=Material]", "granite");
    const bare = await screen.stillPicture(AROUND);
    // Over the ground the mouse shows what a click would change.
    await page.mouse.move(SPOT.x, SPOT.y);
    const look = async () => new Promise<number>((resolve) => setTimeout(resolve, 100)).then(async () => (await screen.clip(AROUND)).difference(bare));
    await expect.poll(look, { timeout: 20_000 }).toBeGreaterThan(CHANGED);
    expect((await server.world()).digest).toBe(before.digest);

    await page.mouse.click(SPOT.x, SPOT.y);
    const added = await server.until("rock", ({ ledger }) => ledger.rock > before.ledger.rock);
    await page.click("[data-op=weather]");
    await page.mouse.click(SPOT.x, SPOT.y);
    const weathered = await server.until("less rock", ({ ledger }) => ledger.rock < added.ledger.rock);
    expect(weathered.ledger.balance).toBe(0);
    expect(weathered.ledger.soil).toBeGreaterThan(added.ledger.soil);
    await page.waitForSelector(".stages dt:text('Count')");
    await page.keyboard.press("Control+z");
    const undone = await server.until("rock again", ({ ledger }) => ledger.rock === added.ledger.rock);
    expect(undone.digest).toBe(added.digest);
    await page.keyboard.press("Escape");
    await page.keyboard.press("2");
  });

  it("changes the scene", async () => {
    const before = await server.world();
    const picture = await screen.picture(MIDDLE);
    await screen.page.click("[data-panel=scenes]");
    await screen.page.click("[data-scene=heaps]");
    const after = await server.until("another scene", ({ scene }) => scene === "heaps");
    expect(after.epoch).toBeGreaterThan(before.epoch);
    await screen.shows(after.epoch);
    const other = await screen.picture(MIDDLE);
    expect(other.difference(picture)).toBeGreaterThan(CHANGED);
    expect(other.spread).toBeGreaterThan(BLANK);
  });

  it("connects again after the server was restarted", async () => {
    await server.stop();
    await screen.page.waitForSelector(".notice:not([hidden])");
    expect((await screen.picture(MIDDLE)).spread).toBeGreaterThan(BLANK);
    await screen.page.evaluate(() => delete document.body.dataset["whole"]);
    await server.start();
    await screen.page.waitForSelector("body[data-link=live]");
    await screen.shows((await server.world()).epoch);
    expect((await server.world()).viewers).toBe(1);
    expect((await screen.picture(MIDDLE)).spread).toBeGreaterThan(BLANK);
  });

  it("can be used on a phone", async () => {
    const phone = await Screen.open(390, 844);
    try {
      await phone.page.goto(server.url);
      await phone.shows((await server.world()).epoch);
      expect((await phone.picture({ x: 20, y: 120, width: 350, height: 480 })).spread).toBeGreaterThan(BLANK);
      for (const selector of ["[data-act=play]", "[data-act=undo]", "[data-tool=dig]"]) {
        const box = await phone.page.locator(selector).boundingBox();
        expect(box!.width, selector).toBeGreaterThanOrEqual(40);
        expect(box!.height, selector).toBeGreaterThanOrEqual(40);
        expect(box!.x + box!.width, selector).toBeLessThanOrEqual(390);
      }
      const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide).toBeLessThanOrEqual(390);
    } finally {
      await phone.close();
    }
  });
});
