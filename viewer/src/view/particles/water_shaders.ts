/**
 * Water as a surface, in screen space: the nearest of its balls for every pixel, smoothed until no ball is seen in it (narrow-range
 * filter, Truong and Yuksel 2018), how much water lies behind that, and what light does there.
 */

/** Balls are quads that face the eye. `grown`: how much larger than the water in them they are drawn, so that none has gaps. */
export const BALL_VERTEX = `
in vec3 position;
in vec4 place;
in vec4 tint;
uniform mat4 viewMatrix, projectionMatrix;
uniform float grown;
out vec2 vCorner;
out vec3 vCentre;
out float vRadius;
out vec4 vTint;
void main() {
  vCorner = position.xy;
  vRadius = place.w * grown;
  vCentre = (viewMatrix * vec4(place.xyz, 1.0)).xyz;
  vTint = tint;
  vec4 at = vec4(vCentre + vec3(position.xy * vRadius, 0.0), 1.0);
  gl_Position = projectionMatrix * at;
}`;

/** Distance along the view of the nearest ball. */
export const DEPTH_FRAGMENT = `
precision highp float;
uniform mat4 projectionMatrix;
in vec2 vCorner;
in vec3 vCentre;
in float vRadius;
out vec4 color;
void main() {
  float off = dot(vCorner, vCorner);
  if (off > 1.0) discard;
  float z = vCentre.z + vRadius * (sqrt(1.0 - off) - 0.6);
  if (z > -0.05) discard;
  vec4 clip = projectionMatrix * vec4(0.0, 0.0, z, 1.0);
  gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
  color = vec4(-z, 0.0, 0.0, 1.0);
}`;

/** Water along the view, in front of what stands behind it (m), and the colours of its sediment times how much of it there is. */
export const THICKNESS_FRAGMENT = `
precision highp float;
uniform sampler2D sceneDepth;
uniform vec2 nearFar;
uniform vec2 size;
uniform float grown;
in vec2 vCorner;
in vec3 vCentre;
in float vRadius;
in vec4 vTint;
out vec4 color;
float away(float depth) {
  float n = nearFar.x, f = nearFar.y;
  return n * f / (f - depth * (f - n));
}
void main() {
  float off = dot(vCorner, vCorner);
  if (off > 1.0) discard;
  float half_ = vRadius * sqrt(1.0 - off);
  float behind = away(texture(sceneDepth, gl_FragCoord.xy / size).r);
  float water = clamp(behind + vCentre.z + half_, 0.0, 2.0 * half_) / (grown * grown * grown);
  // Most water carries little: alpha is the root of the share.
  color = vec4(vTint.rgb * vTint.a * vTint.a, 1.0) * water;
}`;

export const SCREEN_VERTEX = `
in vec3 position;
out vec2 vUv;
void main() {
  vUv = 0.5 + 0.5 * position.xy;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

/** One direction of the filter. What is far behind counts as lying just behind; what is far in front is another water. */
export const SMOOTH_FRAGMENT = `
precision highp float;
uniform sampler2D depth;
uniform vec2 axis;
uniform float pixels;
uniform float reach;
uniform float near_;
in vec2 vUv;
out vec4 color;
const int TAPS = 12;
void main() {
  float own = texture(depth, vUv).r;
  if (own <= 0.0) {
    color = vec4(0.0);
    return;
  }
  // As wide as so many balls, in pixels: never less than is seen, never more than is paid for.
  float wide = clamp(reach * pixels / own, 2.0, 60.0);
  float stride = ceil(wide / float(TAPS));
  float sum = own, total = 1.0;
  float limit = 8.0 * near_, slack = 0.9 * near_;
  float low = own - limit, high = own + limit;
  for (int i = 1; i <= TAPS; i++) {
    float off = float(i) * stride;
    if (off > wide) break;
    float weight = exp(-2.0 * (off / wide) * (off / wide));
    float a = texture(depth, vUv + axis * off).r, b = texture(depth, vUv - axis * off).r;
    // Both sides or none: else the surface would lean.
    if (a <= 0.0 || b <= 0.0 || a < low || b < low) continue;
    // Waters that are seen belong to each other within the range that was reached so far.
    float farA = a > high ? own + slack : a, farB = b > high ? own + slack : b;
    if (a <= high) high = max(high, a + limit);
    if (b <= high) high = max(high, b + limit);
    low = min(low, min(farA, farB) - limit);
    sum += weight * (farA + farB);
    total += 2.0 * weight;
  }
  color = vec4(sum / total, 0.0, 0.0, 1.0);
}`;

/** Evens out how much water there is: it is a sum over balls, too. */
export const BLUR_FRAGMENT = `
precision highp float;
uniform sampler2D amount;
uniform vec2 axis;
in vec2 vUv;
out vec4 color;
void main() {
  vec4 sum = 0.2 * texture(amount, vUv);
  for (int i = 1; i <= 5; i++) {
    float weight = 0.2 * exp(-0.12 * float(i * i));
    sum += weight * (texture(amount, vUv + axis * float(i)) + texture(amount, vUv - axis * float(i)));
  }
  color = sum / (0.2 * (1.0 + 2.0 * (0.887 + 0.619 + 0.340 + 0.147 + 0.050)));
}`;

/** Light in water: refracted, taken away with depth, thrown back by sediment, mirrored at the surface (Schlick 1994). */
export const WATER_FRAGMENT = `
precision highp float;
uniform sampler2D sceneColor, sceneDepth, depth, amount;
uniform mat4 viewToWorld;
uniform vec2 slope, shift, nearFar, texel;
uniform vec3 toSun, zenith, horizon;
uniform float near_;
in vec2 vUv;
out vec4 color;

float away(float depth) {
  float n = nearFar.x, f = nearFar.y;
  return n * f / (f - depth * (f - n));
}
vec3 fromScreen(vec3 c) { return pow(max(c, 0.0), vec3(2.2)); }
vec3 toScreen(vec3 c) { return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)); }
vec3 at(vec2 uv, float d) { return vec3((2.0 * uv - 1.0 + shift) * slope * d, -d); }

vec3 sky(vec3 d) {
  float up = pow(clamp(d.z, 0.0, 1.0), 0.55);
  vec3 c = mix(horizon, zenith, up);
  // Below the horizon lies ground in the sun.
  return mix(fromScreen(c), vec3(0.34, 0.29, 0.21), smoothstep(0.02, -0.25, d.z));
}

// Between the pixels of the water, which may be larger than those of the screen, unless its surface ends there.
float surface(vec2 uv) {
  vec2 place = uv / texel - 0.5;
  ivec2 first = ivec2(floor(place)), last = textureSize(depth, 0) - 1;
  vec2 share = place - floor(place);
  float a = texelFetch(depth, clamp(first, ivec2(0), last), 0).r;
  float b = texelFetch(depth, clamp(first + ivec2(1, 0), ivec2(0), last), 0).r;
  float c = texelFetch(depth, clamp(first + ivec2(0, 1), ivec2(0), last), 0).r;
  float e = texelFetch(depth, clamp(first + ivec2(1, 1), ivec2(0), last), 0).r;
  float low = min(min(a, b), min(c, e)), high = max(max(a, b), max(c, e));
  if (low <= 0.0 || high - low > 3.0 * near_) return texture(depth, uv).r;
  return mix(mix(a, b, share.x), mix(c, e, share.x), share.y);
}

// The side on which the surface goes on, not the one on which it ends.
vec3 along(vec2 step, vec3 here) {
  vec2 uvA = vUv + step, uvB = vUv - step;
  float a = surface(uvA), b = surface(uvB);
  vec3 forward = at(uvA, a) - here, back = here - at(uvB, b);
  bool hasA = a > 0.0, hasB = b > 0.0;
  if (hasA && hasB) {
    float da = abs(forward.z), db = abs(back.z);
    if (max(da, db) < 3.0 * near_) return 0.5 * (forward + back);
    return da < db ? forward : back;
  }
  return hasA ? forward : back;
}

void main() {
  vec3 behindScreen = texture(sceneColor, vUv).rgb;
  float d = surface(vUv);
  float wall = away(texture(sceneDepth, vUv).r);
  color = vec4(behindScreen, 1.0);
  if (d <= 0.0 || d > wall) return;
  vec3 here = at(vUv, d);
  vec3 n = cross(along(vec2(texel.x, 0.0), here), along(vec2(0.0, texel.y), here));
  n = length(n) > 0.0 ? normalize(n) : vec3(0.0, 0.0, 1.0);
  vec3 view = normalize(here);
  if (dot(n, view) > 0.0) n = -n;
  vec4 water = texture(amount, vUv);
  float thick = min(water.a, 30.0);
  // Where the bent ray leaves the water (Snell); what stands in front of the water is not seen in it.
  vec3 end = here + refract(view, n, 0.75) * min(thick, 2.0);
  vec2 uv = 0.5 + 0.5 * (end.xy / (slope * -end.z) - shift);
  uv = clamp(mix(vUv, uv, 0.9), 0.002, 0.998);
  float wallThere = away(texture(sceneDepth, uv).r);
  if (wallThere < d) uv = vUv;
  vec3 ground = fromScreen(texture(sceneColor, uv).rgb);
  // Clear water takes away red first; this is that of a stream, greener than that of the sea.
  vec3 clear = exp(-vec3(0.95, 0.30, 0.24) * thick);
  vec3 mud = water.rgb;
  float load = max(mud.r, max(mud.g, mud.b));
  vec3 mudColor = load > 0.0 ? mud / load : vec3(0.5);
  float murk = 1.0 - exp(-160.0 * load);
  vec3 world = normalize(mat3(viewToWorld) * n);
  vec3 seen = mat3(viewToWorld) * view;
  float sunny = 0.35 + 0.65 * max(dot(world, toSun), 0.0);
  vec3 deep = vec3(0.016, 0.075, 0.085) * (0.5 + 0.8 * sunny);
  vec3 body = ground * clear + deep * (1.0 - clear);
  body = mix(body, mudColor * 0.55 * sunny, murk);
  float facing = clamp(-dot(view, n), 0.0, 1.0);
  float mirror = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
  // Drops and edges are curved within a pixel: they mirror all of the sky at once.
  mirror *= 0.85;
  vec3 r = reflect(seen, world);
  vec3 light = mix(body, sky(r), mirror);
  float glint = max(dot(r, toSun), 0.0);
  light += vec3(1.0, 0.93, 0.8) * (1.6 * pow(glint, 420.0) + 0.12 * pow(glint, 40.0)) * mix(1.0, 0.35, murk);
  // Where it is as thin as a film, or ends on the ground, it fades.
  float edge = smoothstep(0.0, 0.5 * near_, wall - d) * smoothstep(0.0, 0.25 * near_, thick);
  color = vec4(toScreen(mix(ground, light, edge)), 1.0);
}`;
