/** Text messages of the wire, version 6: see docs/wire.md. Lengths in metres, angles in radians unless named. */

export const VERSION = 6;

export type Vec3 = [number, number, number];

export interface SceneEntry {
  name: string;
  title: string;
  about: string;
  picture: string;
}

export interface SoilPreset {
  name: string;
  friction_angle_deg: number;
  cohesion_kpa: number;
  unit_weight_kn_m3: number;
}

export type MachineKind = "excavator" | "bulldozer";

export interface Welcome {
  version: number;
  program: string;
  processes: string[];
  accounts: string[];
  scenes: SceneEntry[];
  tools: { radius_m: [number, number] };
  presets: SoilPreset[];
  machines: { kind: MachineKind; controls: string[] }[];
}

/** Kinds of ground that look alike. */
export type GroundKind = "sand" | "loam" | "clay" | "stones" | "dust" | "snow" | "bedded" | "crystalline";

export interface Material extends SoilPreset {
  phase: string;
  look: GroundKind;
  color: Vec3;
  repose_deg: number;
}

export interface Machine {
  machine: number;
  kind: MachineKind;
  bodies: number[];
}

export interface Bounds {
  min: Vec3;
  max: Vec3;
}

/** A box from which water flows. */
export interface Spring {
  point_m: Vec3;
  size_m: Vec3;
  rate_m3_s: number;
  sediment: number;
}

export interface State {
  epoch: number;
  scene: string;
  voxel_size_m: number;
  bounds_m: Bounds | null;
  view: { eye_m: Vec3; target_m: Vec3 };
  step_s: number;
  playing: boolean;
  speed: number;
  undo: number;
  redo: number;
  materials: Material[];
  body_friction: number | null;
  rain_mm_h: number;
  sources: Spring[];
  machines: Machine[];
  saves: string[];
}

/** The answer to a command; what else it holds depends on the command. */
export interface Reply {
  reply: number | null;
  ok: boolean;
  error?: string;
  machine?: number;
}

export type ServerText = { welcome: Welcome } | { state: State } | Reply | { notice: string };

export type StrokeTool = "pour" | "dig" | "smooth" | "push" | "rain" | "grains";

export type Controls = Record<string, number>;

export type Command =
  | { do: "start"; version: number; eye_m?: Vec3 }
  | { do: "ack"; frame: number }
  | { do: "eye"; eye_m: Vec3 }
  | { do: "stroke"; tool: StrokeTool; point_m: Vec3; radius_m: number; material?: string; strength?: number }
  | { do: "move"; point_m: Vec3; radius_m?: number }
  | { do: "lift" }
  | { do: "body"; shape: "box" | "ball"; size_m: number; point_m: Vec3; velocity_m_s?: Vec3; density_kg_m3?: number }
  | { do: "remove_body"; body: number }
  | { do: "machine"; kind: MachineKind; point_m: Vec3; heading?: number }
  | { do: "drive"; machine: number; controls: Controls }
  | { do: "remove_machine"; machine: number }
  | { do: "carve"; on: boolean }
  | { do: "play" | "pause" | "step" | "reset" | "undo" | "redo" }
  | { do: "rain"; rate_mm_h: number }
  | { do: "source"; point_m: Vec3; radius_m: number; rate_m3_s: number; sediment?: number }
  | { do: "change_source"; source: number; point_m?: Vec3; rate_m3_s?: number; sediment?: number }
  | { do: "remove_source"; source: number }
  | { do: "speed"; factor: number }
  | { do: "scene" | "save" | "load"; name: string }
  | {
      do: "soil";
      material: string;
      friction_angle_deg?: number;
      cohesion_kpa?: number;
      unit_weight_kn_m3?: number;
    }
  | { do: "body_friction"; friction: number };
