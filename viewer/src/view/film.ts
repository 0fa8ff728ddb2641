/** From light to the screen, as traced pictures do it: a little less colour, then the curve of film (fit of ACES by Narkowicz 2015). */
import { CustomToneMapping, ShaderChunk, type WebGLRenderer } from "three";

/** Brightness of the picture. */
const EXPOSURE = 0.44;

const FILM = `
vec3 CustomToneMapping(vec3 color) {
  float grey = dot(color, vec3(0.2126, 0.7152, 0.0722));
  vec3 light = max(mix(vec3(grey), color, 0.86) * toneMappingExposure, 0.0);
  return saturate(light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14));
}`;

/** Develops all pictures of a renderer so. Shaders that were compiled before are not affected. */
export function useFilm(renderer: WebGLRenderer): void {
  const chunk = ShaderChunk.tonemapping_pars_fragment;
  ShaderChunk.tonemapping_pars_fragment = chunk.replace(/vec3 CustomToneMapping\([^}]*\}/, FILM);
  renderer.toneMapping = CustomToneMapping;
  renderer.toneMappingExposure = EXPOSURE;
}
