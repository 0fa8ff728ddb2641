/** From light to the screen, as traced pictures do it: through haze, with a little less colour, along the curve of film. */
import { CustomToneMapping, ShaderChunk, type WebGLRenderer } from "three";

/** Brightness of the picture. */
const EXPOSURE = 0.44;

// Haze takes away all but 1/e of the light over 13 spans of the world; fog ends at 6.5 of them.
const HAZE = `
#ifdef USE_FOG
  outgoingLight = mix(vec3(1.03, 1.05, 1.08), outgoingLight, exp(-0.5 * vFogDepth / fogFar));
#endif
`;

// The fit of ACES by Narkowicz (2015).
const FILM = `
vec3 CustomToneMapping(vec3 color) {
  float grey = dot(color, vec3(0.2126, 0.7152, 0.0722));
  vec3 light = max(mix(vec3(grey), color, 0.86) * toneMappingExposure, 0.0);
  return saturate(light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14));
}`;

/** Develops all pictures of a renderer so. Shaders that were compiled before are not affected. */
export function useFilm(renderer: WebGLRenderer): void {
  const curves = ShaderChunk.tonemapping_pars_fragment;
  ShaderChunk.tonemapping_pars_fragment = curves.replace(/vec3 CustomToneMapping\([^}]*\}/, FILM);
  ShaderChunk.opaque_fragment = HAZE + ShaderChunk.opaque_fragment;
  renderer.toneMapping = CustomToneMapping;
  renderer.toneMappingExposure = EXPOSURE;
}
