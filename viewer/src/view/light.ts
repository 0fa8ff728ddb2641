/** Sun, sky light and sky: one afternoon, the same in every scene. */
import {
  BackSide,
  Color,
  DirectionalLight,
  Fog,
  HemisphereLight,
  Mesh,
  type Scene,
  ShaderMaterial,
  SphereGeometry,
  Vector3,
} from "three";

/** From the ground towards the sun: where traced pictures have it. */
export const TO_SUN = new Vector3(-0.745, -0.363, 0.559).normalize();

/** Light of the sun, of the sky, and back from the ground (linear RGB): that of traced pictures, which leave out pi. */
const SUN = new Color(3.05, 2.71, 2.24);
const SKY = new Color(0.44, 0.57, 0.8);
const BOUNCED = new Color(0.65, 0.58, 0.48);

export const ZENITH = new Color("#3f7fc6").convertLinearToSRGB();
export const HORIZON = new Color("#dde6ec").convertLinearToSRGB();
const GLOW = new Color("#ffe9c4").convertLinearToSRGB();

/** Radius of the dome (m): within the far plane, beyond every world. */
const DOME_M = 4000;
/** Distance at which the shadow camera stands off what it looks at (m). */
const STAND_OFF_M = 200;

const SKY_VERTEX = `
varying vec3 vDirection;
void main() {
  vDirection = position;
  gl_Position = (projectionMatrix * vec4(mat3(modelViewMatrix) * position, 1.0)).xyww;
}`;

// Colours are those of the screen already: the sky is not lit, and the fog has to meet it.
const SKY_FRAGMENT = `
uniform vec3 zenith, horizon, glow, toSun;
varying vec3 vDirection;
void main() {
  vec3 d = normalize(vDirection);
  float up = pow(clamp(d.z, 0.0, 1.0), 0.55);
  vec3 c = mix(horizon, zenith, up);
  float s = max(dot(d, toSun), 0.0);
  c = mix(c, glow, 0.35 * pow(s, 6.0) + 0.5 * pow(s, 60.0));
  c += smoothstep(0.9994, 0.9998, s);
  gl_FragColor = vec4(c, 1.0);
}`;

export class Light {
  readonly sun = new DirectionalLight(SUN, Math.PI);
  private readonly focus = new Vector3();
  private reach = 0;

  constructor(private readonly scene: Scene) {
    const sky = new HemisphereLight(SKY, BOUNCED, Math.PI);
    sky.position.set(0, 0, 1);
    scene.add(sky, this.sun, this.sun.target, dome());
    this.sun.castShadow = true;
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.06;
    this.setResolution(2048);
  }

  setResolution(pixels: number): void {
    const { shadow } = this.sun;
    if (shadow.mapSize.x === pixels && shadow.map) return;
    shadow.mapSize.set(pixels, pixels);
    shadow.map?.dispose();
    shadow.map = null;
  }

  /** Fog takes away what lies around a world of this span (m), not the world itself. */
  setHaze(size: number): void {
    this.scene.fog = new Fog(HORIZON.clone().convertSRGBToLinear(), size * 2.4, size * 6.5);
  }

  /** Lets the shadows cover `reach` (m) around `focus`. Returns whether they have to be drawn again. */
  follow(focus: Vector3, reach: number): boolean {
    const moved = focus.distanceTo(this.focus) > reach * 0.1 || Math.abs(reach / this.reach - 1) > 0.15;
    if (!moved) return false;
    this.focus.copy(focus);
    this.reach = reach;
    this.sun.target.position.copy(focus);
    this.sun.position.copy(focus).addScaledVector(TO_SUN, STAND_OFF_M);
    this.sun.target.updateMatrixWorld();
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 1;
    camera.far = 2 * STAND_OFF_M;
    camera.updateProjectionMatrix();
    return true;
  }
}

function dome(): Mesh {
  const material = new ShaderMaterial({
    side: BackSide,
    depthWrite: false,
    fog: false,
    toneMapped: false,
    vertexShader: SKY_VERTEX,
    fragmentShader: SKY_FRAGMENT,
    uniforms: {
      zenith: { value: ZENITH },
      horizon: { value: HORIZON },
      glow: { value: GLOW },
      toSun: { value: TO_SUN },
    },
  });
  const mesh = new Mesh(new SphereGeometry(DOME_M, 32, 16), material);
  mesh.frustumCulled = false;
  // Drawn last, where nothing else was: no pixel is shaded twice.
  mesh.renderOrder = 1000;
  return mesh;
}
