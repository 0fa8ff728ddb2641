/** Bodies as the page shows them, moved by poses: one object for each, or one for all boxes and one for all balls. */
import { Group, Mesh, Object3D, Quaternion, type Raycaster, Vector3 } from "three";
import type { Body, Pose } from "../wire/bodies";
import type { BodyBatch } from "./body_batch";
import { type Batched, batchOf, bodyObject, freeColor, newBatch } from "./body_object";

/** Share of the way to the newest pose made in a second is 1 - e^-RATE: hides the unevenness of the net. */
const RATE = 28;
/** Further apart than this (m) a body did not move but was put. */
const JUMP_M = 1.5;

interface Shown {
  body: Body;
  /** What stands for it; one of many is not drawn by itself. */
  object: Object3D;
  batch: BodyBatch | null;
  position: Vector3;
  rotation: Quaternion;
  placed: boolean;
}

export class Bodies {
  readonly group = new Group();
  private readonly shown = new Map<number, Shown>();
  private readonly moving = new Set<Shown>();
  private readonly batches = new Map<Batched, BodyBatch>();

  clear(): void {
    this.remove([...this.shown.keys()]);
  }

  add(bodies: readonly Body[]): void {
    for (const body of bodies) {
      this.remove([body.body]);
      const entry = { body, ...this.object(body), position: new Vector3(), rotation: new Quaternion(), placed: false };
      this.shown.set(body.body, entry);
    }
  }

  remove(ids: readonly number[]): void {
    for (const id of ids) {
      const entry = this.shown.get(id);
      if (!entry) continue;
      entry.batch?.remove(id);
      this.group.remove(entry.object);
      entry.object.traverse((child) => {
        if (child instanceof Mesh) child.geometry.dispose();
      });
      this.shown.delete(id);
      this.moving.delete(entry);
    }
  }

  move(poses: readonly Pose[]): void {
    for (const pose of poses) {
      const entry = this.shown.get(pose.body);
      if (!entry) continue;
      entry.position.set(...pose.position);
      entry.rotation.set(...pose.rotation).normalize();
      if (!entry.placed || entry.object.position.distanceTo(entry.position) > JUMP_M) {
        entry.object.position.copy(entry.position);
        entry.object.quaternion.copy(entry.rotation);
        entry.object.visible = entry.placed = true;
        entry.batch?.put(pose.body, entry.object);
      }
      this.moving.add(entry);
    }
  }

  /** Leads the bodies on towards their newest poses. Returns whether any moved. */
  advance(seconds: number): boolean {
    const share = 1 - Math.exp(-RATE * seconds);
    for (const entry of this.moving) {
      const { object, position, rotation, batch, body } = entry;
      object.position.lerp(position, share);
      object.quaternion.slerp(rotation, share);
      if (object.position.distanceToSquared(position) < 1e-6 && object.quaternion.angleTo(rotation) < 1e-3) {
        object.position.copy(position);
        object.quaternion.copy(rotation);
        this.moving.delete(entry);
      }
      batch?.put(body.body, object);
    }
    return this.moving.size > 0;
  }

  /** The body under a ray, no further away than `reach` (m). */
  pick(raycaster: Raycaster, reach: number): Body | null {
    const [hit] = raycaster.intersectObject(this.group, true);
    if (!hit || hit.distance > reach) return null;
    for (const batch of this.batches.values()) {
      const body = batch.at(hit.object, hit.instanceId);
      if (body !== undefined) return this.shown.get(body)?.body ?? null;
    }
    for (let object: Object3D | null = hit.object; object; object = object.parent) {
      const id: unknown = object.userData["body"];
      if (typeof id === "number") return this.shown.get(id)?.body ?? null;
    }
    return null;
  }

  /** What stands for a body: an object of its own, or one of many. */
  private object(body: Body): { object: Object3D; batch: BodyBatch | null } {
    const one = batchOf(body);
    if (!one) {
      const object = bodyObject(body);
      object.userData["body"] = body.body;
      object.visible = false;
      this.group.add(object);
      return { object, batch: null };
    }
    let batch = this.batches.get(one.kind);
    if (!batch) {
      batch = newBatch(one.kind);
      this.batches.set(one.kind, batch);
      this.group.add(batch.group);
    }
    batch.add(body.body, freeColor(body));
    const object = new Object3D();
    object.scale.copy(one.scale);
    return { object, batch };
  }
}
