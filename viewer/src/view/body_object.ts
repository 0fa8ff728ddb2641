/** What a body looks like: its shape, painted by what it is. */
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  SphereGeometry,
  type Texture,
  Vector3,
} from "three";
import { type Body, Role, type Shape } from "../wire/bodies";
import { BodyBatch } from "./body_batch";
import { machinePart } from "./machine_part";
import { WHITE, painted } from "./paint";

export function bodyObject(body: Body): Object3D {
  const object =
    body.role === Role.Excavator || body.role === Role.Bulldozer
      ? machinePart(body, () => geometryOf(body.shape))
      : new Mesh(geometryOf(body.shape), paint(body));
  object.traverse((child) => {
    if (child instanceof Mesh) child.castShadow = child.receiveShadow = true;
  });
  if (body.role === Role.Pusher) object.castShadow = false;
  return object;
}

/** Something with the shader that most bodies have. */
export function sampleBody(): Object3D {
  const shape: Shape = { kind: "box", half: [0.1, 0.1, 0.1] };
  return bodyObject({ body: 0, shape, role: Role.Free, color: [0, 0, 0], name: "" });
}

/** Shapes of three.js stand along y, ours along z. */
function geometryOf(shape: Shape): BufferGeometry {
  switch (shape.kind) {
    case "box":
      return new BoxGeometry(2 * shape.half[0], 2 * shape.half[1], 2 * shape.half[2]);
    case "ball":
      return new SphereGeometry(shape.radius, 32, 20);
    case "cylinder":
      return new CylinderGeometry(shape.radius, shape.radius, 2 * shape.halfHeight, 32).rotateX(Math.PI / 2);
    case "cone":
      return new ConeGeometry(shape.radius, 2 * shape.halfHeight, 32).rotateX(Math.PI / 2);
    case "capsule":
      return new CapsuleGeometry(shape.radius, 2 * shape.halfHeight, 8, 24).rotateX(Math.PI / 2);
    case "mesh":
      return facetted(shape.positions, shape.corners);
  }
}

/** A mesh with flat faces, whatever its triangles share. */
function facetted(positions: Float32Array, corners: Uint32Array): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setIndex(new BufferAttribute(corners, 1));
  const flat = geometry.toNonIndexed();
  geometry.dispose();
  flat.computeVertexNormals();
  return flat;
}

/** Kinds of shapes of which there may be thousands. */
export type Batched = "box" | "ball";

/** Whether a body is one of many that are drawn at once, and how large it is in shapes of size 1. */
export function batchOf({ role, shape }: Body): { kind: Batched; scale: Vector3 } | null {
  if (role !== Role.Free) return null;
  if (shape.kind === "box") return { kind: "box", scale: new Vector3(...shape.half).multiplyScalar(2) };
  return shape.kind === "ball" ? { kind: "ball", scale: new Vector3().setScalar(shape.radius) } : null;
}

/** What many are drawn with. */
export function newBatch(kind: Batched): BodyBatch {
  const geometry = kind === "box" ? new BoxGeometry(1, 1, 1) : new SphereGeometry(1, 32, 20);
  return new BodyBatch(geometry, new MeshStandardMaterial({ map: kind === "box" ? crate() : stripes(), roughness: 0.55, metalness: 0.05 }));
}

/** The colour of a body. Neighbours differ a little, so that a heap of them can be told apart. */
export function freeColor({ color, body }: Body): Color {
  const base = new Color().setRGB(color[0] / 255, color[1] / 255, color[2] / 255, "srgb");
  return base.offsetHSL(0, 0, 0.05 * Math.sin(body * 2.4));
}

function paint(body: Body): MeshStandardMaterial {
  const { role, color } = body;
  if (role === Role.Pusher) {
    return new MeshStandardMaterial({ color: "#6fb7ff", transparent: true, opacity: 0.35, roughness: 0.3 });
  }
  if (role === Role.Free) return new MeshStandardMaterial({ color: freeColor(body), map: WHITE, roughness: 0.55, metalness: 0.05 });
  const base = new Color().setRGB(color[0] / 255, color[1] / 255, color[2] / 255, "srgb");
  return new MeshStandardMaterial({ color: base, map: WHITE, roughness: 0.75, metalness: 0.1 });
}

let crateMap: Texture | null = null;
let stripesMap: Texture | null = null;

/** Boards in a frame, in grey: the colour of the body tints it. */
function crate(): Texture {
  crateMap ??= painted(128, 128, (pen) => {
    pen.fillStyle = "#dcdcdc";
    pen.fillRect(0, 0, 128, 128);
    pen.fillStyle = "#9a9a9a";
    for (let y = 16; y < 128; y += 19) pen.fillRect(0, y, 128, 2);
    pen.fillStyle = "#f6f6f6";
    for (const [x, y, w, h] of [[0, 0, 128, 16], [0, 112, 128, 16], [0, 0, 16, 128], [112, 0, 16, 128]] as const) {
      pen.fillRect(x, y, w, h);
    }
    pen.strokeStyle = "#8a8a8a";
    pen.lineWidth = 2;
    pen.strokeRect(16, 16, 96, 96);
    pen.strokeRect(1, 1, 126, 126);
  });
  return crateMap;
}

/** Bands that show how a ball rolls. */
function stripes(): Texture {
  stripesMap ??= painted(128, 64, (pen) => {
    pen.fillStyle = "#ffffff";
    pen.fillRect(0, 0, 128, 64);
    pen.fillStyle = "#8e8e8e";
    for (let x = 0; x < 128; x += 32) pen.fillRect(x, 0, 16, 64);
    pen.fillStyle = "#f2f2f2";
    pen.fillRect(0, 27, 128, 10);
  });
  return stripesMap;
}
