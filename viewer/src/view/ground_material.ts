/** How the ground looks: the colours of its materials, small-scale relief, wetness, and the ring of the tool. */
import { Color, MeshLambertMaterial, Vector3, Vector4, type WebGLProgramParametersWithUniforms } from "three";
import type { Material } from "../wire/protocol";
import { detailTexture } from "./detail";
import { GROUND_FRAGMENT, GROUND_VERTEX, MOST_MATERIALS } from "./ground_shader";

/** Shares of sand, soil, rock and pebbles in the relief of a material, and of layers in its colour. */
type Relief = [sand: number, soil: number, rock: number, pebbles: number];

export class GroundMaterial extends MeshLambertMaterial {
  private readonly shared = {
    uDetail: { value: detailTexture() },
    uColors: { value: Array.from({ length: MOST_MATERIALS }, () => new Color("#c8b48c")) },
    uReliefs: { value: Array.from({ length: MOST_MATERIALS }, () => new Vector4(1, 0, 0, 0)) },
    uRing: { value: new Vector4(0, 0, 0, 0) },
    uRingColor: { value: new Color("#ffffff") },
    uMiddle: { value: new Vector3() },
  };

  setMaterials(materials: readonly Material[]): void {
    materials.slice(0, MOST_MATERIALS).forEach((material, i) => {
      const [r, g, b] = material.color;
      this.shared.uColors.value[i]!.setRGB(r / 255, g / 255, b / 255, "srgb");
      this.shared.uReliefs.value[i]!.set(...reliefOf(material));
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

function reliefOf({ name, phase }: Material): Relief {
  if (/gravel|scree|debris|talus|pebble/.test(name)) return [0.1, 0, 0.1, 0.9];
  if (/snow|ice/.test(name)) return [0.35, 0.15, 0, 0];
  if (phase === "rock") return [0, 0.15, 1, 0];
  if (/loam|clay|soil|earth|mud|grass|peat|regolith/.test(name)) return [0.2, 0.95, 0, 0.08];
  return [1, 0.05, 0, 0];
}
