/** Textures that are painted when they are first needed. */
import { CanvasTexture, DataTexture, SRGBColorSpace } from "three";

/** Changes nothing: a surface without pattern then shares its shader with those that have one. */
export const WHITE = new DataTexture(new Uint8Array([255, 255, 255, 255]), 1, 1);
WHITE.colorSpace = SRGBColorSpace;
WHITE.needsUpdate = true;

export function painted(width: number, height: number, draw: (pen: CanvasRenderingContext2D) => void): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d");
  if (pen) draw(pen);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  texture.anisotropy = 4;
  return texture;
}
