/** What tools do to the world. */
import { Box3, Ray, Vector3 } from "three";
import type { Session } from "../session";
import type { Stage } from "../view/stage";
import type { MachineKind, StrokeTool } from "../wire/protocol";
import type { Driving } from "./driving";
import type { Artist } from "./artist";
import { Strokes } from "./strokes";
import { type Hand, isMachine } from "./tools";

/** Ahead of the eye (m), where thrown balls begin; and how far before what they are thrown at, at most. */
const ARM_M = 1.2;
const THROW_FROM_M = 9;
/** What flows from a spring of the greatest strength (m³/s). */
const MOST_FLOW_M3_S = 1;

export class Acts {
  private readonly strokes: Strokes;

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
    private readonly hand: Hand,
    private readonly driving: Driving,
    private readonly artist: Artist,
  ) {
    this.strokes = new Strokes(session.connection, hand);
  }

  begin(tool: StrokeTool, point: Vector3): void {
    this.strokes.begin(tool, point);
  }

  lead(point: Vector3, time: number): void {
    this.strokes.lead(point, time);
  }

  lift(): void {
    this.strokes.lift();
  }

  abandon(): void {
    this.strokes.abandon();
  }

  /** One press of a tool that acts once. */
  tap(x: number, y: number): void {
    const tool = this.hand.tool.value;
    const hit = this.stage.pick(x, y);
    if (tool === "throw") this.throwBall(x, y, hit?.distance ?? Infinity);
    else if (tool === "remove") this.remove(x, y);
    else if (tool === "artist" && hit) void this.artist.click(hit.point);
    else if ((tool === "box" || tool === "ball") && hit) {
      const size = this.hand.size.value;
      this.session.connection.send({ do: "body", shape: tool, size_m: size, point_m: hit.point.toArray() });
    } else if (tool === "spring" && hit) this.putSpring(hit.point);
    else if (isMachine(tool) && hit) void this.place(tool, hit.point);
  }

  /** Puts a spring just above the ground: as wide as the ring, as strong as the strength. */
  private putSpring(point: Vector3): void {
    const radius = Math.min(this.hand.radius.value, 1);
    const rate = MOST_FLOW_M3_S * this.hand.strength.value;
    this.session.connection.send({ do: "source", point_m: [point.x, point.y, point.z + radius + 0.1], radius_m: radius, rate_m3_s: rate });
  }

  /** Puts a machine on the ground, looking away from us, and gets in. */
  async place(kind: MachineKind, point: Vector3): Promise<void> {
    const eye = this.stage.camera.lens.position;
    const heading = Math.atan2(point.y - eye.y, point.x - eye.x);
    const reply = await this.session.connection.ask({ do: "machine", kind, point_m: point.toArray(), heading });
    if (reply.ok && reply.machine !== undefined) this.driving.take(reply.machine, kind);
  }

  private throwBall(x: number, y: number, distance: number): void {
    const direction = this.stage.direction(x, y);
    const eye = this.stage.camera.lens.position;
    const far = Number.isFinite(distance) ? Math.max(ARM_M, distance - THROW_FROM_M) : ARM_M;
    const start = this.within(new Ray(eye.clone().addScaledVector(direction, far), direction));
    const speed = this.hand.throwSpeed.value;
    this.session.connection.send({
      do: "body",
      shape: "ball",
      size_m: this.hand.size.value,
      point_m: start.toArray(),
      velocity_m_s: direction.multiplyScalar(speed).toArray(),
    });
  }

  /** Where a ray is first inside the walls of the world. */
  private within(ray: Ray): Vector3 {
    const bounds = this.session.state.value?.bounds_m;
    if (!bounds) return ray.origin;
    const margin = this.hand.size.value / 2 + 0.1;
    const [min, max] = [new Vector3(...bounds.min), new Vector3(...bounds.max)];
    // Above the world the sky is open.
    const box = new Box3(min.addScalar(margin), max.addScalar(-margin).setZ(1e5));
    if (box.containsPoint(ray.origin)) return ray.origin;
    return ray.intersectBox(box, new Vector3()) ?? box.clampPoint(ray.origin, new Vector3());
  }

  private remove(x: number, y: number): void {
    const body = this.stage.pickBody(x, y);
    if (!body) return;
    const machine = this.session.state.value?.machines.find(({ bodies }) => bodies.includes(body.body));
    if (machine) this.session.connection.send({ do: "remove_machine", machine: machine.machine });
    else this.session.connection.send({ do: "remove_body", body: body.body });
  }
}
