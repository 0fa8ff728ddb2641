/** A map of what the ground is like, as a texture that its shader looks up. */
import { DataTexture, LinearFilter, NearestFilter, RGBAFormat, SRGBColorSpace, Vector4 } from "three";
import type { OverlayMap, Vec3 } from "../wire/protocol";

export class Overlay {
  readonly uniforms = {
    uOverlay: { value: emptyTexture() },
    /** Lowest corner and size of the map (m). */
    uOverlayBox: { value: new Vector4(0, 0, 1, 1) },
    uOverlayShare: { value: 0 },
  };

  show(map: OverlayMap | null): void {
    this.uniforms.uOverlayShare.value = map ? 1 : 0;
    if (!map) return;
    const bytes = Uint8Array.from(atob(map.values), (letter) => letter.charCodeAt(0));
    const pixels = new Uint8Array(4 * bytes.length);
    bytes.forEach((byte, i) => {
      if (byte > 0) pixels.set([...between(map.colors, (byte - 1) / 254), 255], 4 * i);
    });
    const texture = new DataTexture(pixels, map.width, map.height, RGBAFormat);
    texture.colorSpace = SRGBColorSpace;
    texture.magFilter = map.width < 64 ? NearestFilter : LinearFilter;
    texture.minFilter = LinearFilter;
    texture.needsUpdate = true;
    this.uniforms.uOverlay.value.dispose();
    this.uniforms.uOverlay.value = texture;
    const [[x, y], [right, top]] = [map.min_m, map.max_m];
    this.uniforms.uOverlayBox.value.set(x, y, right - x, top - y);
  }
}

/** The colour at a share of the range. */
function between(colors: readonly Vec3[], share: number): Vec3 {
  const along = share * (colors.length - 1);
  const first = Math.min(Math.floor(along), colors.length - 2);
  const [from, to] = [colors[first]!, colors[first + 1]!];
  return [0, 1, 2].map((i) => Math.round(from[i]! + (to[i]! - from[i]!) * (along - first))) as Vec3;
}

function emptyTexture(): DataTexture {
  const texture = new DataTexture(new Uint8Array(4), 1, 1, RGBAFormat);
  texture.needsUpdate = true;
  return texture;
}
