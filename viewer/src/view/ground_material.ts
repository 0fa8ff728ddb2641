/** How the ground looks: the colours and patterns of its materials, grass, wetness, and the ring of the tool. */
import { Color, MeshLambertMaterial, Vector3, Vector4, type WebGLProgramParametersWithUniforms } from "three";
import type { GroundKind, Material } from "../wire/protocol";
import { detailTexture } from "./detail";
import { Overlay } from "./overlay";
import { GROUND_FRAGMENT, GROUND_VERTEX, MOST_MATERIALS } from "./ground_shader";

/** How strongly patches, lumps and grain show in the colour, and the share of pebbles. */
type Tone = [patches: number, lumps: number, grain: number, pebbles: number];
/** Ripples, beds and relief (in parts of its tone) of a material, and whether grass can grow on it. */
type Form = [ripples: number, beds: number, relief: number, grass: number];

/** The looks of traced pictures, as far as the screen has them. */
const LOOKS: Record<GroundKind, { tone: Tone; form: Form }> = {
  sand: { tone: [0.06, 0, 0.1, 0], form: [1, 0, 0.6, 0] },
  loam: { tone: [0.14, 0.16, 0.14, 0], form: [0, 0, 1.3, 1] },
  clay: { tone: [0.1, 0.07, 0.05, 0], form: [0, 0, 1.1, 0] },
  stones: { tone: [0.08, 0, 0, 1], form: [0, 0, 1, 0] },
  dust: { tone: [0.03, 0.02, 0.05, 0], form: [0, 0, 1, 0] },
  snow: { tone: [0.03, 0.02, 0.05, 0], form: [0, 0, 1, 0] },
  bedded: { tone: [0.1, 0.06, 0.07, 0], form: [0, 1, 0.9, 0] },
  crystalline: { tone: [0.1, 0.08, 0.14, 0], form: [0, 0, 0.5, 0] },
};

export class GroundMaterial extends MeshLambertMaterial {
  readonly overlay = new Overlay();
  private readonly shared = {
    uDetail: { value: detailTexture() },
    uColors: { value: Array.from({ length: MOST_MATERIALS }, () => new Color("#c8b48c")) },
    uTones: { value: Array.from({ length: MOST_MATERIALS }, () => new Vector4(...LOOKS.sand.tone)) },
    uForms: { value: Array.from({ length: MOST_MATERIALS }, () => new Vector4(...LOOKS.sand.form)) },
    uVoxelSize: { value: 0.1 },
    uRing: { value: new Vector4(0, 0, 0, 0) },
    uRingColor: { value: new Color("#ffffff") },
    ...this.overlay.uniforms,
  };

  setMaterials(materials: readonly Material[], voxelSize: number): void {
    this.shared.uVoxelSize.value = voxelSize;
    materials.slice(0, MOST_MATERIALS).forEach(({ color: [r, g, b], look }, i) => {
      this.shared.uColors.value[i]!.setRGB(r / 255, g / 255, b / 255, "srgb");
      this.shared.uTones.value[i]!.set(...LOOKS[look].tone);
      this.shared.uForms.value[i]!.set(...LOOKS[look].form);
    });
  }

  /** Shows the ring of the tool around a point of the ground; none with radius 0. */
  setRing(centre: Vector3, radius: number, color: string): void {
    this.shared.uRing.value.set(centre.x, centre.y, centre.z, radius);
    this.shared.uRingColor.value.set(color);
  }

  /** Fine relief costs the most of all shading: it is left out on slow machines. */
  setFine(fine: boolean): void {
    const defines: Record<string, string> = fine ? { FINE: "1" } : {};
    if (("FINE" in (this.defines ?? {})) === fine && this.defines) return;
    this.defines = defines;
    this.needsUpdate = true;
  }

  override onBeforeCompile(shader: WebGLProgramParametersWithUniforms): void {
    Object.assign(shader.uniforms, this.shared);
    shader.vertexShader = GROUND_VERTEX(shader.vertexShader);
    shader.fragmentShader = GROUND_FRAGMENT(shader.fragmentShader);
  }

  override customProgramCacheKey(): string {
    return "ground";
  }
}
