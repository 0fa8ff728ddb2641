/** Particles as they are drawn: led on softly between the frames that tell where they are. */
import type { Particles } from "../../wire/particles";

/** Share of the way to the newest place made in a second is 1 - e^-RATE: hides the unevenness of the net. */
const RATE = 24;
/** A particle that is further off than so many radii did not move but was put. */
const JUMP_RADII = 24;
/** Nearer than this share of its radius it has arrived. */
const ARRIVED = 0.02;

export class ShownParticles {
  /** Centre and radius (m) by number; a radius of 0 where there is none. */
  places = new Float32Array(0);
  /** Grows whenever a place changes. */
  revision = 0;
  private goals = new Float32Array(0);
  private source: Particles | null = null;
  private taken = -1;
  private isMoving = false;

  get particles(): Particles | null {
    return this.source;
  }

  /** Numbers in use are below this. */
  get numbers(): number {
    return this.source?.numbers ?? 0;
  }

  get count(): number {
    return this.source?.count ?? 0;
  }

  /** Takes in where they are by now. Returns whether anything changed. */
  take(particles: Particles): boolean {
    if (this.source === particles && this.taken === particles.revision) return false;
    if (this.source !== particles) this.places.fill(0);
    this.source = particles;
    this.taken = particles.revision;
    this.makeRoom(particles.numbers);
    const { places, goals } = this;
    for (let number = 0; number < particles.numbers; number++) {
      const at = 4 * number;
      if (!particles.has(number)) {
        places[at + 3] = 0;
        continue;
      }
      const radius = particles.radiusM(number);
      const [x, y, z] = [particles.placeM(number, 0), particles.placeM(number, 1), particles.placeM(number, 2)];
      const far = Math.abs(places[at]! - x) + Math.abs(places[at + 1]! - y) + Math.abs(places[at + 2]! - z);
      if (places[at + 3] === 0 || far > JUMP_RADII * radius) {
        places[at] = x;
        places[at + 1] = y;
        places[at + 2] = z;
      }
      places[at + 3] = radius;
      goals[3 * number] = x;
      goals[3 * number + 1] = y;
      goals[3 * number + 2] = z;
    }
    places.fill(0, 4 * particles.numbers);
    this.isMoving = true;
    this.revision++;
    return true;
  }

  /** Leads them on. Returns whether any moved. */
  advance(seconds: number): boolean {
    if (!this.isMoving) return false;
    const share = 1 - Math.exp(-RATE * seconds);
    const { places, goals } = this;
    let isMoving = false;
    for (let number = 0; number < this.numbers; number++) {
      const radius = places[4 * number + 3]!;
      if (radius === 0) continue;
      for (let axis = 0; axis < 3; axis++) {
        const way = goals[3 * number + axis]! - places[4 * number + axis]!;
        places[4 * number + axis]! += way * share;
        if (Math.abs(way) > ARRIVED * radius) isMoving = true;
      }
    }
    this.isMoving = isMoving;
    this.revision++;
    return true;
  }

  private makeRoom(numbers: number): void {
    if (4 * numbers <= this.places.length) return;
    const room = Math.max(2 * numbers, 1024);
    const places = new Float32Array(4 * room);
    places.set(this.places);
    this.places = places;
    const goals = new Float32Array(3 * room);
    goals.set(this.goals);
    this.goals = goals;
  }
}
