/** What the ground adds to the shader of a plain lit surface. Positions are in the world already. */

export const MOST_MATERIALS = 24;

const VERTEX_HEAD = `
attribute vec4 ground;
uniform vec3 uColors[${MOST_MATERIALS}];
uniform vec4 uReliefs[${MOST_MATERIALS}];
varying vec3 vPlace;
varying vec3 vFacing;
varying vec3 vEarth;
varying vec4 vRelief;
varying float vWet;
`;

const VERTEX_BODY = `
int dominant = min(int(ground.x + 0.5), ${MOST_MATERIALS - 1});
int second = min(int(ground.y + 0.5), ${MOST_MATERIALS - 1});
float share = ground.z / 255.0;
vEarth = mix(uColors[second], uColors[dominant], share);
vRelief = mix(uReliefs[second], uReliefs[dominant], share);
vWet = ground.w / 255.0;
vPlace = position;
vFacing = normal;
`;

const FRAGMENT_HEAD = `
uniform sampler2D uDetail;
uniform vec4 uRing;
uniform vec3 uRingColor;
varying vec3 vPlace;
varying vec3 vFacing;
varying vec3 vEarth;
varying vec4 vRelief;
varying float vWet;

vec4 detailAt(vec3 p, vec3 w) {
  return texture2D(uDetail, p.xy) * w.z + texture2D(uDetail, p.yz) * w.x + texture2D(uDetail, p.xz) * w.y;
}

float groundHeight;
float groundBroad;
`;

// Colour: broad patches, layers in rock, hollows darker than crests, wet darker than dry.
const FRAGMENT_COLOR = `
vec3 facing = normalize(vFacing);
vec3 planes = facing * facing;
planes *= planes;
planes /= planes.x + planes.y + planes.z;
vec4 broad = texture2D(uDetail, vPlace.xy * 0.045 + vPlace.z * 0.03);
groundBroad = broad.g;
#ifdef FINE
  vec4 fine = detailAt(vPlace * 0.62, planes);
  groundHeight = dot(vRelief, fine) / max(dot(vRelief, vec4(1.0)), 0.4);
#else
  groundHeight = 0.5;
#endif
vec3 earth = vEarth * (0.86 + 0.28 * groundBroad);
earth = mix(earth, earth * vec3(1.06, 0.99, 0.9), broad.b - 0.4);
float layers = sin(vPlace.z * 5.0 + 5.0 * broad.g + 1.5 * sin(vPlace.z * 1.9));
earth *= 1.0 + vRelief.z * (1.0 - 0.6 * planes.z) * 0.16 * layers;
earth *= 0.72 + 0.56 * groundHeight;
earth *= mix(1.0, 0.5, vWet * vWet * (3.0 - 2.0 * vWet));
diffuseColor.rgb = earth;
`;

// Relief in the light: the slope of the height across neighbouring pixels tilts the normal.
const FRAGMENT_NORMAL = `
#ifdef FINE
  float amplitude = 0.03 + 0.05 * vRelief.z + 0.035 * vRelief.y + 0.03 * vRelief.w;
  float lift = groundHeight * amplitude;
  vec3 alongX = dFdx(vViewPosition), alongY = dFdy(vViewPosition);
  vec3 r1 = cross(alongY, normal), r2 = cross(normal, alongX);
  float det = dot(alongX, r1);
  vec3 slope = sign(det) * (dFdx(lift) * r1 + dFdy(lift) * r2);
  normal = normalize(abs(det) * normal + slope);
#endif
`;

const FRAGMENT_OUT = `
float glance = 1.0 - clamp(dot(normalize(vViewPosition), normal), 0.0, 1.0);
outgoingLight += vWet * vWet * vec3(0.35, 0.42, 0.5) * (0.05 + 0.5 * glance * glance * glance);
if (uRing.w > 0.0) {
  float away = distance(vPlace.xy, uRing.xy);
  float pixel = max(fwidth(away), 1e-4);
  float near = 1.0 - smoothstep(uRing.w + 1.0, uRing.w + 2.5, abs(vPlace.z - uRing.z));
  float line = 1.0 - smoothstep(1.2, 2.4, abs(away - uRing.w) / pixel);
  float disc = 0.1 * (1.0 - smoothstep(uRing.w - pixel, uRing.w, away));
  float dot_ = 1.0 - smoothstep(2.0, 3.2, away / pixel);
  outgoingLight = mix(outgoingLight, uRingColor * 1.4, near * max(max(line, disc), dot_ * 0.9));
}
`;

export const GROUND_VERTEX = (source: string): string =>
  source
    .replace("#include <common>", `#include <common>\n${VERTEX_HEAD}`)
    .replace("#include <begin_vertex>", `#include <begin_vertex>\n${VERTEX_BODY}`);

export const GROUND_FRAGMENT = (source: string): string =>
  source
    .replace("#include <common>", `#include <common>\n${FRAGMENT_HEAD}`)
    .replace("#include <color_fragment>", `#include <color_fragment>\n${FRAGMENT_COLOR}`)
    .replace("#include <normal_fragment_maps>", `#include <normal_fragment_maps>\n${FRAGMENT_NORMAL}`)
    .replace("#include <opaque_fragment>", `${FRAGMENT_OUT}\n#include <opaque_fragment>`);
