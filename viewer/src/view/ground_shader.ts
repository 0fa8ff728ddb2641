/**
 * What the ground adds to the shader of a plain lit surface. Positions are in the world already. Patterns are those of traced
 * pictures (`ground_look.rs`): functions of space, measured in voxels.
 */
import { BRIGHTEST_PEBBLE, PATCHES_VOXELS, TILE_VOXELS } from "./detail";

export const MOST_MATERIALS = 24;

const float = (x: number): string => (Number.isInteger(x) ? `${x}.0` : String(x));

const VARYINGS = `
varying vec3 vPlace; // in voxels
varying vec3 vFacing;
varying vec4 vEarth; // colour and wetness
varying vec4 vTone;
varying vec4 vForm;
`;

const VERTEX_HEAD = `
attribute vec4 ground;
uniform float uVoxelSize;
uniform vec3 uColors[${MOST_MATERIALS}];
uniform vec4 uTones[${MOST_MATERIALS}];
uniform vec4 uForms[${MOST_MATERIALS}];
${VARYINGS}`;

// Tops of rock are weathered: their beds are seen as a whole, not one by one.
const VERTEX_BODY = `
int dominant = min(int(ground.x + 0.5), ${MOST_MATERIALS - 1});
int second = min(int(ground.y + 0.5), ${MOST_MATERIALS - 1});
float grass = step(127.5, ground.z);
float share = (128.0 + ground.z - 128.0 * grass) / 255.0;
vEarth = vec4(mix(uColors[second], uColors[dominant], share), ground.w / 255.0);
vTone = mix(uTones[second], uTones[dominant], share);
vForm = mix(uForms[second], uForms[dominant], share);
vForm.y *= 1.0 - 0.65 * smoothstep(0.55, 0.9, normal.z);
vForm.w *= grass;
vPlace = position / uVoxelSize;
vFacing = normal;
`;

const FRAGMENT_HEAD = `
uniform sampler2D uDetail;
uniform float uVoxelSize;
uniform vec4 uRing;
uniform vec3 uRingColor;
uniform sampler2D uOverlay;
uniform vec4 uOverlayBox;
uniform float uOverlayShare;
${VARYINGS}
// A little sharper than it should be: pictures that stay are drawn with several pixels for one.
vec4 detail(vec2 p) {
  return texture2D(uDetail, p / ${float(TILE_VOXELS)}, -0.7);
}

// From 0 at low to 1 at high: the smoothstep that costs nothing.
float ramp(float low, float high, float x) {
  return clamp((x - low) / (high - low), 0.0, 1.0);
}
`;

// Patterns: patches and, where there is time for them, lumps, grain and pebbles.
const FRAGMENT_PATTERNS = `
vec4 patches = 2.0 * texture2D(uDetail, (vPlace.xy + vPlace.z * vec2(0.9, 0.7)) / ${float(PATCHES_VOXELS)}) - 1.0;
#ifdef FINE
  vec3 facing = normalize(vFacing);
  vec3 planes = facing * facing;
  planes *= planes;
  planes /= planes.x + planes.y + planes.z;
  vec4 tile = detail(vPlace.xy) * planes.z + detail(vPlace.yz) * planes.x + detail(vPlace.xz) * planes.y;
  vec2 lumps = 2.0 * tile.gb - 1.0;
  float pebbles = tile.a;
#else
  vec3 facing = vFacing;
  vec2 lumps = vec2(0.7 * patches.b, 0.0);
  const float pebbles = 0.7;
#endif
`;

// Colour: that of the material with its patterns; beds in rock; grass; wet is darker than dry (Lekner and Dorf 1988).
const FRAGMENT_COLOR = `
float height = vPlace.z + 2.4 * patches.g;
float beds = sin(0.75 * height + 2.0 * sin(0.31 * height));
float layers = 0.15 * beds;
#ifdef FINE
  float fading = 1.0 - smoothstep(0.4, 1.2, fwidth(height));
  layers += 0.1 * fading * sin(2.9 * height + 1.7 * sin(1.13 * height));
#endif
vec3 earth = vEarth.rgb * (1.0 + vTone.x * patches.g + dot(vTone.yz, lumps) + vForm.y * layers);
earth *= 1.0 + vForm.y * ramp(-0.8, 1.0, beds) * vec3(0.06, -0.02, -0.1);
earth *= mix(1.0, ${float(BRIGHTEST_PEBBLE)} * pebbles, vTone.w);
float cover = ramp(0.25, 0.75, vForm.w + 0.25 * lumps.x) * ramp(-0.7, -0.3, patches.g + 0.35 * lumps.x);
cover *= ramp(0.82, 0.91, facing.z + 0.05 * patches.g + 0.03 * lumps.x);
vec3 grass = mix(vec3(0.085, 0.145, 0.028), vec3(0.2, 0.19, 0.06), ramp(-0.35, 0.7, 0.8 * patches.r + 0.4 * lumps.x));
earth = mix(earth, grass * (1.0 + 0.35 * lumps.y + 0.18 * lumps.x), cover);
diffuseColor.rgb = mix(earth, earth * (0.42 + 0.25 * earth), vEarth.w);
if (uOverlayShare > 0.0) {
  vec2 onMap = (vPlace.xy * uVoxelSize - uOverlayBox.xy) / uOverlayBox.zw;
  vec4 told = texture2D(uOverlay, onMap);
  diffuseColor.rgb = mix(diffuseColor.rgb, told.rgb, uOverlayShare * told.a);
}
`;

// Relief in the light: the slope of the height across neighbouring pixels tilts the normal, and so do ripples of sand.
const FRAGMENT_NORMAL = `
#ifdef FINE
  vec2 waves = vTone.yz * vForm.z * vec2(1.6, 0.5) + vec2(0.0, 0.08 * cover);
  float lift = uVoxelSize * (dot(waves, lumps) + 1.2 * vTone.w * pebbles);
  vec3 alongX = dFdx(vViewPosition), alongY = dFdy(vViewPosition);
  vec3 r1 = cross(alongY, normal), r2 = cross(normal, alongX);
  float det = dot(alongX, r1);
  vec3 slope = sign(det) * (dFdx(lift) * r1 + dFdy(lift) * r2);
  normal = normalize(abs(det) * normal + slope);
  vec3 across = vec3(0.94, 0.34, 0.0);
  float phase = 2.417 * dot(vPlace, across) + 7.0 * patches.g;
  float rippled = vForm.x * smoothstep(0.88, 0.97, facing.z) * smoothstep(-0.3, 0.6, patches.r);
  rippled *= 1.0 - smoothstep(0.8, 2.2, fwidth(phase));
  normal = normalize(normal - 0.085 * rippled * sin(phase) * (viewMatrix * vec4(across, 0.0)).xyz);
#endif
`;

// A film of water mirrors the sky, most of it at a grazing look (Schlick 1994).
const FRAGMENT_OUT = `
float film = ramp(0.5, 0.95, vEarth.w);
float glance = 1.0 - clamp(dot(normalize(vViewPosition), normal), 0.0, 1.0);
float grazing = glance * glance;
grazing *= grazing * glance;
outgoingLight += film * (0.03 + (0.125 + 0.375 * film) * grazing) * vec3(0.7, 0.78, 0.92);
if (uRing.w > 0.0) {
  vec3 place = vPlace * uVoxelSize;
  float away = distance(place.xy, uRing.xy);
  float pixel = max(fwidth(away), 1e-4);
  float near = 1.0 - smoothstep(uRing.w + 1.0, uRing.w + 2.5, abs(place.z - uRing.z));
  float line = 1.0 - smoothstep(1.2, 2.4, abs(away - uRing.w) / pixel);
  float disc = 0.1 * (1.0 - smoothstep(uRing.w - pixel, uRing.w, away));
  float dot_ = 1.0 - smoothstep(2.0, 3.2, away / pixel);
  outgoingLight = mix(outgoingLight, uRingColor * 3.0, near * max(max(line, disc), dot_ * 0.9));
}
`;

export const GROUND_VERTEX = (source: string): string =>
  source
    .replace("#include <common>", `#include <common>\n${VERTEX_HEAD}`)
    .replace("#include <begin_vertex>", `#include <begin_vertex>\n${VERTEX_BODY}`);

export const GROUND_FRAGMENT = (source: string): string =>
  source
    .replace("#include <common>", `#include <common>\n${FRAGMENT_HEAD}`)
    .replace("#include <color_fragment>", `#include <color_fragment>\n${FRAGMENT_PATTERNS}${FRAGMENT_COLOR}`)
    .replace("#include <normal_fragment_maps>", `#include <normal_fragment_maps>\n${FRAGMENT_NORMAL}`)
    .replace("#include <opaque_fragment>", `${FRAGMENT_OUT}\n#include <opaque_fragment>`);
