/** Parts of excavators and bulldozers: the box that the ground feels, dressed as what it stands for. */
import {
  BoxGeometry,
  type BufferGeometry,
  CylinderGeometry,
  ExtrudeGeometry,
  Group,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  Shape as Outline,
} from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import type { Body } from "../wire/bodies";
import type { Vec3 } from "../wire/protocol";
import { WHITE } from "./paint";

const YELLOW = new MeshStandardMaterial({ map: WHITE, color: "#f0ae1b", roughness: 0.42, metalness: 0.15 });
const DARK = new MeshStandardMaterial({ map: WHITE, color: "#3d4045", roughness: 0.75, metalness: 0.1 });
const STEEL = new MeshStandardMaterial({ map: WHITE, color: "#9a9ea3", roughness: 0.42, metalness: 0.25 });
const GLASS = new MeshStandardMaterial({ map: WHITE, color: "#3d6072", emissive: "#16242d", roughness: 0.12, metalness: 0.25 });
const RUBBER = new MeshStandardMaterial({ map: WHITE, color: "#34363a", roughness: 0.95 });

export function machinePart(body: Body, plain: () => BufferGeometry): Object3D {
  const { name, shape } = body;
  if (shape.kind !== "box") return new Mesh(plain(), /bucket|blade/.test(name) ? STEEL : YELLOW);
  const { half } = shape;
  if (name.includes("track")) return track(half);
  if (name.includes("cab")) return cab(half);
  if (/house|body/.test(name)) return hull(half);
  if (/boom|stick/.test(name)) return beam(half);
  if (/bucket|blade/.test(name)) return block(half, STEEL, 0.02);
  return block(half, YELLOW, 0.03);
}

function block(half: Vec3, material: MeshStandardMaterial, bevel: number): Mesh {
  const radius = Math.min(bevel, ...half.map((side) => side * 0.9));
  return new Mesh(new RoundedBoxGeometry(2 * half[0], 2 * half[1], 2 * half[2], 2, radius), material);
}

function placed(mesh: Mesh, x: number, y: number, z: number): Mesh {
  mesh.position.set(x, y, z);
  return mesh;
}

/** A belt around wheels, with shoes across it. */
function track(half: Vec3): Object3D {
  const [length, width, height] = half;
  const group = new Group();
  const straight = length - height;
  const outline = new Outline();
  outline.moveTo(-straight, -height);
  outline.lineTo(straight, -height);
  outline.absarc(straight, 0, height, -Math.PI / 2, Math.PI / 2, false);
  outline.lineTo(-straight, height);
  outline.absarc(-straight, 0, height, Math.PI / 2, 1.5 * Math.PI, false);
  const belt = new ExtrudeGeometry(outline, { depth: 2 * width, bevelEnabled: false, curveSegments: 8 });
  group.add(new Mesh(belt.rotateX(Math.PI / 2).translate(0, width, 0), RUBBER));
  const wheel = new CylinderGeometry(height * 0.62, height * 0.62, 2 * width + 0.04, 18);
  for (let i = 0; i < 4; i++) group.add(placed(new Mesh(wheel, STEEL), straight * ((2 * i) / 3 - 1), 0, 0));
  const shoe = new BoxGeometry(0.07, 2 * width + 0.06, 0.06);
  const shoes = Math.max(4, Math.round((2 * straight) / 0.2));
  for (let i = 0; i <= shoes; i++) {
    const x = straight * ((2 * i) / shoes - 1);
    group.add(placed(new Mesh(shoe, DARK), x, 0, height), placed(new Mesh(shoe, DARK), x, 0, -height));
  }
  return group;
}

/** A frame of steel with glass between. */
function cab(half: Vec3): Object3D {
  const [x, y, z] = half;
  const group = new Group();
  group.add(block([x * 0.94, y * 0.94, z * 0.9], GLASS, 0.05));
  group.add(placed(block([x * 1.04, y * 1.04, z * 0.1], YELLOW, 0.04), 0, 0, z * 0.92));
  group.add(placed(block([x, y, z * 0.3], YELLOW, 0.04), 0, 0, -z * 0.7));
  for (const sx of [-1, 1]) {
    for (const sy of [-1, 1]) group.add(placed(block([0.05, 0.05, z * 0.9], DARK, 0.02), sx * (x - 0.05), sy * (y - 0.05), 0));
  }
  return group;
}

/** The body with its engine: louvres at the back, a rail, an exhaust. */
function hull(half: Vec3): Object3D {
  const [x, y, z] = half;
  const group = new Group();
  group.add(block(half, YELLOW, 0.1));
  group.add(placed(block([x * 0.2, y * 1.02, z * 0.92], DARK, 0.08), -x * 0.84, 0, -0.03));
  for (let i = 0; i < 4; i++) group.add(placed(block([x * 0.2, y + 0.012, 0.02], DARK, 0.01), -x * 0.35, 0, z * (0.5 - 0.28 * i)));
  const pipe = new CylinderGeometry(0.05, 0.05, 0.42, 12).rotateX(Math.PI / 2);
  group.add(placed(new Mesh(pipe, DARK), -x * 0.45, -y * 0.55, z + 0.18));
  return group;
}

/** A boom or stick with its cylinder on top and pins at both ends. */
function beam(half: Vec3): Object3D {
  const [x, y, z] = half;
  const group = new Group();
  group.add(block([x, y, z * 0.85], YELLOW, 0.05));
  const sleeve = new CylinderGeometry(0.07, 0.07, x * 0.9, 14).rotateZ(Math.PI / 2);
  const rod = new CylinderGeometry(0.04, 0.04, x * 0.9, 12).rotateZ(Math.PI / 2);
  group.add(placed(new Mesh(sleeve, DARK), -x * 0.4, 0, z + 0.09), placed(new Mesh(rod, STEEL), x * 0.4, 0, z + 0.09));
  const pin = new CylinderGeometry(z * 0.55, z * 0.55, 2 * y + 0.12, 16);
  group.add(placed(new Mesh(pin, DARK), -x, 0, 0), placed(new Mesh(pin, DARK), x, 0, 0));
  return group;
}
