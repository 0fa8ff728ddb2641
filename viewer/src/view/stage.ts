/** The picture: ground, bodies, particles and light, drawn only when something changed. */
import {
  PCFShadowMap,
  Raycaster,
  Scene,
  Vector2,
  type Vector3,
  WebGLRenderer,
} from "three";
import { Signal } from "../ui/signal";
import type { Frame } from "../wire/frame";
import type { Felt, OverlayMap, PreviewRows, State } from "../wire/protocol";
import { Bodies } from "./bodies";
import { sampleBody } from "./body_object";
import { Camera, type Walk } from "./camera";
import { useFilm } from "./film";
import { ForceArrows } from "./force_arrows";
import { Ground, type Hit } from "./ground";
import { Light } from "./light";
import type { ColorKey } from "./particles/coloring";
import { Grains } from "./particles/grains";
import { Water } from "./particles/water";
import { Preview } from "./preview";
import { type Grade, Quality } from "./quality";
import { Surroundings } from "./surroundings";

/** The first pictures of a world bring it to the graphics card: they say nothing on those after them. */
const WARM_UP = 3;
/** Parts of a world are shown after this time (ms). */
const PARTS_MS = 1500;
/** Without change for this long (ms), a picture is at rest. */
const REST_MS = 350;

export class Stage {
  readonly ground = new Ground();
  readonly bodies = new Bodies();
  readonly grains = new Grains();
  private readonly forces = new ForceArrows();
  readonly water = new Water();
  private readonly preview = new Preview();
  readonly camera = new Camera((ray) => this.ground.pick(ray));
  /** What grains are coloured by, and whether water is a surface or sprites. */
  readonly colorKey = new Signal<ColorKey>("material");
  readonly smoothWater = new Signal(true);
  readonly walk: Walk = { forward: 0, right: 0, run: false };
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly light = new Light(this.scene);
  private readonly quality: Quality;
  /** Samples of a pixel at the edges of things. */
  private readonly samples: number;
  private readonly surroundings = new Surroundings();
  private readonly raycaster = new Raycaster();
  private stale = true;
  private shadowsStale = true;
  private last = 0;
  private lastDrawn = false;
  private interval = 0;
  private lastChange = 0;
  private lastShadows = -Infinity;
  private isAtRest = false;
  private isPrepared = false;
  private isFine = false;
  private warmUp = WARM_UP;
  /** Nothing is drawn of a world of which we have only parts, unless the rest takes long. */
  private waitsUntil = Infinity;
  private span = 40;
  private ring = "";

  constructor(readonly canvas: HTMLCanvasElement) {
    const software = drawsBySoftware();
    this.renderer = new WebGLRenderer({ canvas, antialias: !software, powerPreference: "high-performance" });
    this.samples = software ? 0 : 4;
    this.quality = new Quality(software);
    // Asking for errors waits for the compiler of the graphics card; those who develop want to know them.
    this.renderer.debug.checkShaderErrors = import.meta.env.DEV;
    useFilm(this.renderer);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.scene.add(
      this.ground.group,
      this.bodies.group,
      this.grains.group,
      this.water.sprites.mesh,
      this.surroundings.group,
      this.forces.group,
      this.preview.mesh,
    );
    this.light.setHaze(this.span);
    this.colorKey.watch((key) => {
      this.grains.colorBy(key);
      this.stale = true;
    });
    this.smoothWater.watch((isSmooth) => {
      this.water.isSmooth = isSmooth;
      this.stale = true;
    });
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.regrade();
    void this.prepare();
  }

  /** Has the shaders compiled while the first frames are on their way. */
  private async prepare(): Promise<void> {
    const samples = [this.ground.sample(), sampleBody()];
    this.scene.add(...samples);
    await this.renderer.compileAsync(this.scene, this.camera.lens);
    this.scene.remove(...samples);
    this.isPrepared = true;
  }

  /** Pictures per second while something moves; none are drawn at rest. */
  get framesPerSecond(): number {
    return this.interval > 0 ? 1000 / this.interval : 0;
  }

  /** Anything that was changed from outside is drawn with the next picture. */
  invalidate(): void {
    this.stale = true;
  }

  /** Shows what the ground does to bodies; nothing with none. */
  showForces(felt: readonly Felt[]): void {
    if (felt.length === 0 && !this.forces.group.visible) return;
    this.forces.show(felt);
    this.stale = true;
  }

  /** Colours the ground by a map; as it is with none. */
  showOverlay(map: OverlayMap | null): void {
    this.ground.material.overlay.show(map);
    this.stale = true;
  }

  /** The ring of the tool is part of the picture: draws again when it moved. */
  invalidateRing(centre: Vector3 | null, radius: number): void {
    const text = centre && radius > 0 ? `${centre.toArray().map((x) => x.toFixed(3)).join()},${radius}` : "";
    if (text !== this.ring) this.stale = true;
    this.ring = text;
  }

  /** Shows what an edit would change, with voxels of an edge of `voxelM` (m); null: nothing. */
  showPreview(rows: PreviewRows | null, voxelM: number): void {
    if (this.preview.show(rows, voxelM)) this.stale = true;
  }

  setState(state: State, isOther: boolean): void {
    this.ground.material.setMaterials(state.materials, state.voxel_size_m);
    this.grains.coloring.setMaterials(state.materials);
    this.water.setMaterials(state.materials);
    this.stale = true;
    if (!isOther) return;
    this.resize();
    this.camera.place(state.view.eye_m, state.view.target_m);
    this.span = this.surroundings.surround(state.bounds_m) ?? this.span;
    this.light.setHaze(this.span);
  }

  take(frame: Frame): void {
    if (frame.anew) {
      this.ground.clear();
      this.bodies.clear();
      this.waitsUntil = performance.now() + PARTS_MS;
      this.warmUp = WARM_UP;
    }
    if (frame.whole) this.waitsUntil = 0;
    this.ground.take(frame.blocks);
    this.bodies.remove(frame.gone);
    this.bodies.add(frame.bodies);
    this.bodies.move(frame.poses);
    if (this.grains.take(frame.grains)) this.stale = this.shadowsStale = true;
    if (this.water.take(frame.water)) this.stale = true;
    if (frame.anew || frame.blocks.length + frame.bodies.length + frame.gone.length + frame.poses.length > 0) {
      this.stale = this.shadowsStale = true;
    }
  }

  /** The ground under a point of the window (pixels). */
  pick(x: number, y: number): Hit | null {
    this.aim(x, y);
    return this.ground.pick(this.raycaster.ray);
  }

  pickBody(x: number, y: number): ReturnType<Bodies["pick"]> {
    const reach = this.pick(x, y)?.distance ?? Infinity;
    return this.bodies.pick(this.raycaster, reach);
  }

  /** The direction from the eye through a point of the window. */
  direction(x: number, y: number): Vector3 {
    this.aim(x, y);
    return this.raycaster.ray.direction.clone();
  }

  /** Draws the next picture if anything changed. */
  draw(now: number): boolean {
    if (!this.isPrepared || now < this.waitsUntil) return false;
    const seconds = Math.min((now - this.last) / 1000, 0.25);
    // Time between two pictures in a row is what the machine can do; after a rest it says nothing.
    if (this.lastDrawn && --this.warmUp < 0) {
      this.interval += (now - this.last - this.interval) * (this.interval > 0 ? 0.15 : 1);
      if (this.quality.took(now - this.last)) this.regrade();
    }
    this.last = now;
    if (this.bodies.advance(seconds)) this.stale = this.shadowsStale = true;
    if (this.grains.shown.advance(seconds)) this.stale = this.shadowsStale = true;
    if (this.water.shown.advance(seconds)) this.stale = true;
    if (this.camera.advance(seconds, this.walk)) this.stale = true;
    if (this.light.follow(this.camera.focus, this.shadowReach())) this.shadowsStale = this.stale = true;
    this.lastDrawn = this.stale;
    if (!this.stale) return this.drawAtRest(now);
    if (this.isAtRest) this.apply(this.quality.grade);
    this.isAtRest = false;
    this.lastChange = now;
    const castShadows = this.shadowsStale && now - this.lastShadows >= this.quality.shadowPaceMs;
    if (castShadows) {
      this.lastShadows = now;
      this.shadowsStale = false;
    }
    this.renderer.shadowMap.needsUpdate = castShadows;
    this.render();
    this.stale = this.shadowsStale;
    return true;
  }

  /** The picture as it is now, as a file. */
  snapshot(): Promise<Blob | null> {
    this.render();
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }

  /** When nothing has changed for a moment, draws once more, better. */
  private drawAtRest(now: number): boolean {
    const grade = this.quality.restGrade;
    if (this.isAtRest || !grade || now - this.lastChange < REST_MS) return false;
    this.isAtRest = true;
    this.apply(grade);
    this.render();
    return true;
  }

  private render(): void {
    const { renderer, scene, water } = this;
    const { lens } = this.camera;
    lens.updateMatrixWorld();
    this.forces.prepare(lens.position);
    this.grains.prepare(lens, renderer.domElement.height);
    water.prepare(lens);
    if (water.isSurface) {
      water.draw(renderer, scene, lens, this.samples, this.isFine ? 1 : 0.5);
      return;
    }
    renderer.setRenderTarget(null);
    renderer.render(scene, lens);
  }

  private shadowReach(): number {
    return Math.min(Math.max(this.camera.range * 0.9, 8), Math.max(this.span * 0.62, 14));
  }

  private aim(x: number, y: number): void {
    const { clientWidth, clientHeight } = this.canvas;
    this.raycaster.setFromCamera(new Vector2((x / clientWidth) * 2 - 1, 1 - (y / clientHeight) * 2), this.camera.lens);
  }

  private regrade(): void {
    const grade = this.quality.grade;
    this.light.setResolution(grade.shadow);
    this.shadowsStale = true;
    this.lastShadows = -Infinity;
    this.apply(grade);
    this.resize();
  }

  private apply(grade: Grade): void {
    this.renderer.setPixelRatio(grade.ratio);
    this.ground.material.setFine(grade.fine);
    this.isFine = grade.fine;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.lens.aspect = clientWidth / clientHeight;
    // A tall window has its tools at the lower edge: the middle of what is seen lies above its middle.
    const lift = clientWidth < clientHeight ? 0.07 * clientHeight : 0;
    this.camera.lens.setViewOffset(clientWidth, clientHeight, 0, lift, clientWidth, clientHeight);
    this.camera.lens.updateProjectionMatrix();
    this.stale = true;
  }
}

/** Whether pictures are drawn by the processor: then begin modestly. */
function drawsBySoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = info ? gl?.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software/i.test(String(name));
}
