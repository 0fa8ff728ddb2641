/** Arrows of the force that the ground puts on bodies. */
import { ArrowHelper, Group, Vector3 } from "three";
import type { Felt } from "../wire/protocol";

/** Length of an arrow (m) for the strongest force there is, as a share of the way from the eye. */
const LONGEST_SHARE = 0.16;
/** Weaker forces than this share of the strongest have no arrow. */
const LEAST_SHARE = 0.01;
const COLOR = 0xff4b3e;

export class ForceArrows {
  readonly group = new Group();
  private felt: readonly Felt[] = [];

  constructor() {
    this.group.visible = false;
  }

  show(felt: readonly Felt[]): void {
    this.felt = felt;
    this.group.visible = felt.length > 0;
  }

  /** Makes the arrows as long as they should look from `eye`. */
  prepare(eye: Vector3): void {
    if (!this.group.visible) return;
    const most = Math.max(...this.felt.map(({ force_n }) => Math.hypot(...force_n)), 1e-9);
    const seen = this.felt.filter(({ force_n }) => Math.hypot(...force_n) > LEAST_SHARE * most);
    while (this.group.children.length > seen.length) (this.group.children.at(-1) as ArrowHelper).removeFromParent();
    while (this.group.children.length < seen.length) this.group.add(newArrow());
    seen.forEach(({ force_n, point_m }, i) => {
      const arrow = this.group.children[i] as ArrowHelper;
      const force = new Vector3(...force_n);
      const end = new Vector3(...point_m);
      const length = LONGEST_SHARE * eye.distanceTo(end) * (force.length() / most) ** 0.5;
      const direction = force.normalize();
      // The tip is where the force acts: the ground pushes there.
      arrow.position.copy(end).addScaledVector(direction, -length);
      arrow.setDirection(direction);
      arrow.setLength(length, 0.3 * length, 0.16 * length);
    });
  }
}

function newArrow(): ArrowHelper {
  const arrow = new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 1, COLOR);
  for (const part of [arrow.line, arrow.cone]) {
    const material = part.material as { depthTest: boolean; toneMapped: boolean };
    // Most of what pushes a tool lies behind it or in the ground.
    material.depthTest = false;
    material.toneMapped = false;
    part.renderOrder = 10;
  }
  return arrow;
}
