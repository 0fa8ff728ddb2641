/** Debian's Chromium with our page, and what can be seen in it. */
import { type Browser, type Page, chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--use-angle=gl-egl",
  "--ignore-gpu-blocklist",
];

/** Pictures that differ by less than this are the same but for the renderer's grain. */
const STILL = 0.5;

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Pixels of an area: red, green, blue, 0 to 255. */
export class Picture {
  constructor(readonly pixels: number[][]) {}

  /** How much colours spread: nothing in a blank picture. */
  get spread(): number {
    const means = [0, 1, 2].map((c) => mean(this.pixels.map((pixel) => pixel[c]!)));
    return Math.sqrt(mean(this.pixels.map((pixel) => mean(pixel.map((value, c) => (value - means[c]!) ** 2)))));
  }

  /** Mean difference of all channels. */
  difference(other: Picture): number {
    return mean(this.pixels.map((pixel, i) => mean(pixel.map((value, c) => Math.abs(value - other.pixels[i]![c]!)))));
  }
}

export class Screen {
  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
    private readonly darkroom: Page,
  ) {}

  static async open(width = 1280, height = 720): Promise<Screen> {
    const browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: FLAGS });
    const page = await browser.newPage({ viewport: { width, height } });
    page.setDefaultTimeout(90_000);
    return new Screen(browser, page, await browser.newPage());
  }

  close(): Promise<void> {
    return this.browser.close();
  }

  /** Waits until the page shows everything of the world of this epoch. */
  async shows(epoch: number): Promise<void> {
    await this.page.waitForFunction((epoch) => document.body.dataset["whole"] === String(epoch), epoch);
    await this.drawn(2);
  }

  /** Waits until some more pictures were drawn, or the page has come to rest. */
  async drawn(count: number): Promise<void> {
    const read = (): Promise<number> => this.page.evaluate(() => Number(document.body.dataset["drawn"] ?? 0));
    const first = await read();
    for (let rest = 0, last = first; last < first + count && rest < 20; ) {
      await this.page.waitForTimeout(50);
      const now = await read();
      rest = now === last && now > 0 ? rest + 1 : 0;
      last = now;
    }
  }

  /** The picture in an area, without the ring of the tool. */
  async picture(area: Area): Promise<Picture> {
    // Over the bar the tool has no ring.
    await this.page.mouse.move(640, 36);
    await this.drawn(3);
    return this.clip(area);
  }

  /** The picture in an area as it is, with whatever the mouse shows. */
  async clip(area: Area): Promise<Picture> {
    const png = (await this.page.screenshot({ clip: area })).toString("base64");
    return new Picture(await this.darkroom.evaluate(develop, png));
  }

  /** The picture in an area once it changes no more: what the server has sent may not all be drawn yet. */
  async stillPicture(area: Area): Promise<Picture> {
    let last = await this.picture(area);
    for (let tries = 0, same = 0; tries < 60 && same < 2; tries++) {
      await this.page.waitForTimeout(200);
      const now = await this.picture(area);
      same = now.difference(last) < STILL ? same + 1 : 0;
      last = now;
    }
    return last;
  }

  /** Presses the mouse and draws circles of 12 pixels, until `done`. */
  async stroke(x: number, y: number, done: () => Promise<unknown>): Promise<void> {
    const { mouse } = this.page;
    await mouse.move(x, y);
    await mouse.down();
    let going = true;
    const circling = (async () => {
      for (let i = 0; going; i++) {
        await mouse.move(x + 12 * Math.sin(i / 5), y + 12 * Math.cos(i / 5));
        await this.page.waitForTimeout(16);
      }
    })();
    try {
      await done();
    } finally {
      going = false;
      await circling;
      await mouse.up();
    }
  }

  /** Where the pointer is on the ground (m). */
  async pointOnGround(x: number, y: number): Promise<[number, number, number]> {
    await this.page.mouse.move(x, y);
    await this.page.waitForFunction(() => document.querySelector(".readout")?.textContent);
    const text = (await this.page.textContent(".readout")) ?? "";
    const [px, py, pz] = text.split(/\s+/).map(Number);
    return [px!, py!, pz!];
  }

  /** Holds a key until `done`. */
  async hold(key: string, done: () => Promise<unknown>): Promise<void> {
    await this.page.keyboard.down(key);
    try {
      await done();
    } finally {
      await this.page.keyboard.up(key);
    }
  }
}

/** Runs in the browser, which can read PNG. Every third pixel in each direction is enough. */
async function develop(png: string): Promise<number[][]> {
  const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
  if (!pen) throw new Error("no canvas");
  pen.drawImage(image, 0, 0);
  const { data } = pen.getImageData(0, 0, image.width, image.height);
  const pixels: number[][] = [];
  for (let y = 0; y < image.height; y += 3) {
    for (let x = 0; x < image.width; x += 3) {
      const at = 4 * (y * image.width + x);
      pixels.push([data[at]!, data[at + 1]!, data[at + 2]!]);
    }
  }
  return pixels;
}

const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
