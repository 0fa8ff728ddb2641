/** Grains: spheres with light and shadow, of as many triangles as can be seen of each. */
import {
  BufferGeometry,
  Float32BufferAttribute,
  Group,
  IcosahedronGeometry,
  Mesh,
  MeshDepthMaterial,
  MeshLambertMaterial,
  OctahedronGeometry,
  type PerspectiveCamera,
  RGBADepthPacking,
  type WebGLProgramParametersWithUniforms,
} from "three";
import type { Particles } from "../../wire/particles";
import { type ColorKey, Coloring } from "./coloring";
import { Instances } from "./instances";
import { ShownParticles } from "./shown";

/** Levels of detail: a shape, and the radius on the screen (pixels) from which on it is drawn. */
const LEVELS: readonly { shape: () => BufferGeometry; pixels: number }[] = [
  { shape: () => ball(new IcosahedronGeometry(1, 5)), pixels: 28 },
  { shape: () => ball(new IcosahedronGeometry(1, 2)), pixels: 7 },
  { shape: () => ball(new IcosahedronGeometry(1, 1)), pixels: 2.5 },
  { shape: () => ball(new OctahedronGeometry(1, 0)), pixels: 0 },
];
/** Smaller than this (pixels) not all are drawn, but so much larger that as much is covered. */
const SMALLEST_PIXELS = 0.6;

export class Grains {
  readonly group = new Group();
  readonly shown = new ShownParticles();
  readonly coloring = new Coloring();
  private readonly material = placed(new MeshLambertMaterial(), true);
  private readonly depth = placed(new MeshDepthMaterial({ depthPacking: RGBADepthPacking }), false);
  private readonly levels = LEVELS.map(({ shape, pixels }) => {
    const instances = new Instances(shape());
    const mesh = new Mesh(instances.geometry, this.material);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.customDepthMaterial = this.depth;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return { instances, mesh, pixels };
  });

  constructor() {
    this.group.visible = false;
  }

  take(particles: Particles): boolean {
    const changed = this.shown.take(particles);
    if (changed) this.coloring.survey(particles);
    this.group.visible = particles.count > 0;
    return changed;
  }

  colorBy(key: ColorKey): void {
    this.coloring.key = key;
    if (this.shown.particles) this.coloring.survey(this.shown.particles);
  }

  /** Gets ready for a picture of `height` pixels. */
  prepare(lens: PerspectiveCamera, height: number): void {
    const { particles, places } = this.shown;
    if (!particles || particles.count === 0) return;
    const eye = lens.position;
    const pixelsPerSlope = height / (2 * Math.tan((lens.fov * Math.PI) / 360));
    for (const { instances } of this.levels) instances.begin();
    const color: [number, number, number] = [0, 0, 0];
    for (let number = 0; number < particles.numbers; number++) {
      const at = 4 * number;
      const radius = places[at + 3]!;
      if (radius === 0) continue;
      const away = Math.hypot(places[at]! - eye.x, places[at + 1]! - eye.y, places[at + 2]! - eye.z);
      const pixels = (radius / Math.max(away, 1e-3)) * pixelsPerSlope;
      if (pixels < SMALLEST_PIXELS) {
        // One of so many, as large as all of them.
        const many = 4 ** Math.ceil(Math.log2(SMALLEST_PIXELS / pixels));
        if (number % many !== 0) continue;
        this.coloring.of(particles, number, color);
        scaled[0] = places[at]!;
        scaled[1] = places[at + 1]!;
        scaled[2] = places[at + 2]!;
        scaled[3] = radius * Math.sqrt(many);
        this.levels[this.levels.length - 1]!.instances.add(scaled, 0, color[0], color[1], color[2], 255);
        continue;
      }
      const level = this.levels.find((one) => pixels >= one.pixels)!;
      this.coloring.of(particles, number, color);
      level.instances.add(places, at, color[0], color[1], color[2], 255);
    }
    for (const { instances, mesh } of this.levels) {
      instances.end();
      mesh.geometry = instances.geometry;
      mesh.visible = instances.count > 0;
    }
  }
}

const scaled = new Float32Array(4);

/** A sphere of triangles, lit as if it were round. */
function ball(shape: BufferGeometry): BufferGeometry {
  const positions = shape.getAttribute("position");
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", positions);
  geometry.setAttribute("normal", new Float32BufferAttribute(positions.array, 3));
  return geometry;
}

/** A material whose shape stands at a place, with a radius, in a colour. */
function placed<T extends MeshLambertMaterial | MeshDepthMaterial>(material: T, isColored: boolean): T {
  material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", `#include <common>\nattribute vec4 place;\n${isColored ? "attribute vec4 tint;\nvarying vec3 vTint;" : ""}`)
      .replace("#include <begin_vertex>", `vec3 transformed = position * place.w + place.xyz;\n${isColored ? "vTint = tint.rgb;" : ""}`);
    if (!isColored) return;
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vTint;")
      .replace("#include <color_fragment>", "diffuseColor.rgb = vTint;");
  };
  material.customProgramCacheKey = () => `grains ${isColored}`;
  return material;
}
