/** Water: a smooth surface made of its particles in screen space, or, by a switch, sprites from far to near. */
import {
  BufferGeometry,
  Color,
  CustomBlending,
  DepthTexture,
  FloatType,
  Float32BufferAttribute,
  GLSL3,
  HalfFloatType,
  LinearFilter,
  type Material as ThreeMaterial,
  Mesh,
  NearestFilter,
  NoBlending,
  OneFactor,
  Camera as PlainCamera,
  type PerspectiveCamera,
  RGBAFormat,
  RawShaderMaterial,
  RedFormat,
  SRGBColorSpace,
  Scene,
  UnsignedIntType,
  Vector2,
  Vector3,
  type WebGLRenderer,
  WebGLRenderTarget,
} from "three";
import type { Particles } from "../../wire/particles";
import type { Material } from "../../wire/protocol";
import { HORIZON, TO_SUN, ZENITH } from "../light";
import { Instances } from "./instances";
import { ShownParticles } from "./shown";
import { Sprites } from "./sprites";
import {
  BALL_VERTEX,
  BLUR_FRAGMENT,
  DEPTH_FRAGMENT,
  SCREEN_VERTEX,
  SMOOTH_FRAGMENT,
  THICKNESS_FRAGMENT,
  WATER_FRAGMENT,
} from "./water_shaders";

/** Balls are drawn so much larger than the water in them that neighbours overlap: told balls hold a cube of 1.6 radii. */
const GROWN = 1.75;
/** Over how many radii the filter reaches, time after time: first the shape, then what the first left. */
const REACH_RADII = [8, 4, 2] as const;

export class Water {
  readonly shown = new ShownParticles();
  readonly sprites = new Sprites();
  isSmooth = true;
  private materials: [number, number, number][] = [];
  private readonly balls = new Instances(quad());
  private readonly screen = new Mesh(triangle());
  private readonly ballMesh = new Mesh(this.balls.geometry);
  private readonly ballScene = new Scene();
  private readonly screenScene = new Scene();
  private readonly plain = new PlainCamera();
  private targets: Targets | null = null;
  private meanRadius = 0.05;

  private readonly depth = ball(DEPTH_FRAGMENT, { grown: { value: GROWN } });
  private readonly thickness = ball(THICKNESS_FRAGMENT, {
    grown: { value: GROWN },
    sceneDepth: { value: null },
    nearFar: { value: new Vector2() },
    size: { value: new Vector2() },
  });
  private readonly smooth = onScreen(SMOOTH_FRAGMENT, {
    depth: { value: null },
    axis: { value: new Vector2() },
    pixels: { value: 1 },
    reach: { value: 1 },
    near_: { value: 1 },
  });
  private readonly blur = onScreen(BLUR_FRAGMENT, { amount: { value: null }, axis: { value: new Vector2() } });
  private readonly light = onScreen(WATER_FRAGMENT, {
    sceneColor: { value: null },
    sceneDepth: { value: null },
    depth: { value: null },
    amount: { value: null },
    viewToWorld: { value: null },
    slope: { value: new Vector2() },
    shift: { value: new Vector2() },
    nearFar: { value: new Vector2() },
    texel: { value: new Vector2() },
    toSun: { value: TO_SUN },
    zenith: { value: new Vector3(...ZENITH.toArray()) },
    horizon: { value: new Vector3(...HORIZON.toArray()) },
    near_: { value: 1 },
  });

  constructor() {
    this.thickness.blending = CustomBlending;
    this.thickness.blendSrc = this.thickness.blendDst = OneFactor;
    this.thickness.transparent = true;
    this.thickness.depthTest = this.thickness.depthWrite = false;
    this.ballMesh.frustumCulled = this.screen.frustumCulled = false;
    this.ballScene.add(this.ballMesh);
    this.screenScene.add(this.screen);
  }

  /** Whether the picture has to be drawn by `draw`. */
  get isSurface(): boolean {
    return this.isSmooth && this.shown.count > 0;
  }

  setMaterials(materials: readonly Material[]): void {
    // As bright as they can be in their hue: how much light comes back depends on how much of it there is.
    this.materials = materials.map(({ color }) => {
      const { r, g, b } = new Color().setRGB(color[0] / 255, color[1] / 255, color[2] / 255, "srgb");
      const most = Math.max(r, g, b, 1e-3);
      return [(255 * r) / most, (255 * g) / most, (255 * b) / most];
    });
    this.sprites.setMaterials(materials);
  }

  take(particles: Particles): boolean {
    if (!this.shown.take(particles)) return false;
    let sum = 0;
    for (let number = 0; number < particles.numbers; number++) sum += this.shown.places[4 * number + 3]!;
    this.meanRadius = sum / Math.max(1, particles.count);
    return true;
  }

  /** Gets ready for a picture. */
  prepare(lens: PerspectiveCamera): void {
    const { particles, places } = this.shown;
    this.sprites.mesh.visible = !this.isSmooth && this.shown.count > 0;
    if (!particles || particles.count === 0) return;
    if (!this.isSmooth) {
      this.sprites.prepare(this.shown, lens);
      return;
    }
    this.balls.begin();
    for (let number = 0; number < particles.numbers; number++) {
      if (places[4 * number + 3] === 0) continue;
      const [r, g, b] = this.materials[particles.kind(number)] ?? [255, 220, 170];
      this.balls.add(places, 4 * number, r, g, b, 255 * Math.sqrt(particles.sediment(number)));
    }
    this.balls.end();
    this.ballMesh.geometry = this.balls.geometry;
  }

  /** Draws `scene` and the water in it. `share`: of the pixels across, for the water. */
  draw(renderer: WebGLRenderer, scene: Scene, lens: PerspectiveCamera, samples: number, share: number): void {
    const full = renderer.getDrawingBufferSize(new Vector2());
    const targets = this.sized(full, samples, share);
    const { width, height } = targets.depth;
    const nearFar = [lens.near, lens.far] as const;
    const slope = new Vector2(1 / lens.projectionMatrix.elements[0]!, 1 / lens.projectionMatrix.elements[5]!);

    renderer.setRenderTarget(targets.scene);
    renderer.render(scene, lens);
    const autoClear = renderer.autoClear;
    renderer.setClearColor(0x000000, 0);
    this.pass(renderer, this.ballScene, lens, this.depth, targets.depth, true);
    this.set(this.thickness, { sceneDepth: targets.scene.depthTexture });
    this.thickness.uniforms["nearFar"]!.value.set(...nearFar);
    this.thickness.uniforms["size"]!.value.set(targets.amount.width, targets.amount.height);
    this.pass(renderer, this.ballScene, lens, this.thickness, targets.amount, true);

    this.set(this.smooth, {
      pixels: height / (2 * slope.y),
      near_: this.meanRadius * GROWN,
    });
    let [from, to] = [targets.depth, targets.smooth];
    for (const radii of REACH_RADII) {
      for (const axis of [new Vector2(1 / width, 0), new Vector2(0, 1 / height)]) {
        this.set(this.smooth, { depth: from.texture, axis, reach: radii * this.meanRadius });
        this.pass(renderer, this.screenScene, this.plain, this.smooth, to, false);
        [from, to] = [to, from === targets.depth ? targets.other : from];
      }
    }
    for (const [source, goal, axis] of [
      [targets.amount, targets.evened, new Vector2(1 / targets.amount.width, 0)],
      [targets.evened, targets.amount, new Vector2(0, 1 / targets.amount.height)],
    ] as const) {
      this.set(this.blur, { amount: source.texture, axis });
      this.pass(renderer, this.screenScene, this.plain, this.blur, goal, false);
    }
    this.set(this.light, {
      sceneColor: targets.scene.texture,
      sceneDepth: targets.scene.depthTexture,
      depth: from.texture,
      amount: targets.amount.texture,
      viewToWorld: lens.matrixWorld,
      slope,
      near_: this.meanRadius * GROWN,
    });
    const projection = lens.projectionMatrix.elements;
    this.light.uniforms["shift"]!.value.set(projection[8]!, projection[9]!);
    this.light.uniforms["nearFar"]!.value.set(...nearFar);
    this.light.uniforms["texel"]!.value.set(1 / width, 1 / height);
    this.pass(renderer, this.screenScene, this.plain, this.light, null, false);
    renderer.autoClear = autoClear;
  }

  private set(material: RawShaderMaterial, values: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(values)) material.uniforms[name]!.value = value;
  }

  private pass(
    renderer: WebGLRenderer,
    scene: Scene,
    camera: PlainCamera,
    material: ThreeMaterial,
    target: WebGLRenderTarget | null,
    clears: boolean,
  ): void {
    (scene === this.ballScene ? this.ballMesh : this.screen).material = material;
    renderer.setRenderTarget(target);
    renderer.autoClear = clears;
    const needsUpdate = renderer.shadowMap.needsUpdate;
    renderer.shadowMap.needsUpdate = false;
    renderer.render(scene, camera);
    renderer.shadowMap.needsUpdate = needsUpdate;
  }

  private sized(full: Vector2, samples: number, share: number): Targets {
    const key = `${full.x} ${full.y} ${samples} ${share}`;
    if (this.targets?.key === key) return this.targets;
    this.targets?.dispose();
    this.targets = new Targets(key, full, samples, share);
    return this.targets;
  }
}

/** What pictures of water are put together from. */
class Targets {
  readonly scene: WebGLRenderTarget;
  readonly depth: WebGLRenderTarget;
  readonly smooth: WebGLRenderTarget;
  readonly other: WebGLRenderTarget;
  readonly amount: WebGLRenderTarget;
  readonly evened: WebGLRenderTarget;

  constructor(
    readonly key: string,
    full: Vector2,
    samples: number,
    share: number,
  ) {
    const size = full.clone().multiplyScalar(share).ceil();
    const few = size.clone().multiplyScalar(0.5).ceil();
    this.scene = new WebGLRenderTarget(full.x, full.y, { samples, colorSpace: SRGBColorSpace, generateMipmaps: false });
    this.scene.depthTexture = new DepthTexture(full.x, full.y, UnsignedIntType);
    // Colours as they go to the screen: the renderer does for such a target what it does for the screen itself.
    this.scene.texture.internalFormat = "RGBA8";
    (this.scene as { isXRRenderTarget?: boolean }).isXRRenderTarget = true;
    const distances = { type: FloatType, format: RedFormat, minFilter: NearestFilter, magFilter: NearestFilter } as const;
    this.depth = new WebGLRenderTarget(size.x, size.y, distances);
    this.smooth = new WebGLRenderTarget(size.x, size.y, { ...distances, depthBuffer: false });
    this.other = new WebGLRenderTarget(size.x, size.y, { ...distances, depthBuffer: false });
    const sums = { type: HalfFloatType, format: RGBAFormat, minFilter: LinearFilter, magFilter: LinearFilter, depthBuffer: false } as const;
    this.amount = new WebGLRenderTarget(few.x, few.y, sums);
    this.evened = new WebGLRenderTarget(few.x, few.y, sums);
  }

  dispose(): void {
    for (const target of [this.scene, this.depth, this.smooth, this.other, this.amount, this.evened]) target.dispose();
    this.scene.depthTexture?.dispose();
  }
}

type Uniforms = Record<string, { value: unknown }>;

function ball(fragmentShader: string, uniforms: Uniforms): RawShaderMaterial {
  return new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: BALL_VERTEX, fragmentShader, uniforms, blending: NoBlending });
}

function onScreen(fragmentShader: string, uniforms: Uniforms): RawShaderMaterial {
  const look = { glslVersion: GLSL3, vertexShader: SCREEN_VERTEX, fragmentShader, uniforms, blending: NoBlending } as const;
  return new RawShaderMaterial({ ...look, depthTest: false, depthWrite: false });
}

function quad(): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return geometry;
}

/** One triangle that covers the screen. */
function triangle(): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
  return geometry;
}
