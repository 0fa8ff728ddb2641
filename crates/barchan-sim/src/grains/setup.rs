//! What grains there can be: laws, substances, templates and forms, and the walls around them.

use barchan_particles::Lattice;
use serde::{Deserialize, Serialize};

use super::covers::Covering;
use super::damping::Dampings;
use super::form::{BallKind, Form, FormSpec};
use super::inertia::Bulk;
use super::law::{Laws, Pace, Pair, Touching};
use super::substance::{Between, Substance, manners};
use super::template::{Template, TemplateError};
use super::wall::{Wall, WallError};

/// Most kinds of balls: the table of pairs has their square.
pub const MOST_KINDS: usize = 256;

/// Smallest and largest size of a grain (m).
pub const SIZES_M: [f64; 2] = [1e-5, 1e3];

/// Skin of neighbour lists, as a share of the smallest radius.
const SKIN: f64 = 0.35;

/// What grains there can be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The laws of contacts.
    pub laws: Laws,
    /// Substances.
    pub substances: Vec<Substance>,
    /// Pairs of substances of which something is said.
    pub between: Vec<Between>,
    /// Templates.
    pub templates: Vec<Template>,
    /// Forms.
    pub forms: Vec<FormSpec>,
    /// Walls that only grains feel.
    pub walls: Vec<Wall>,
    /// How meshes that are bodies are covered with spheres.
    pub covering: Covering,
}

/// What is wrong with grains.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GrainsError {
    /// A template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A wall.
    #[error(transparent)]
    Wall(#[from] WallError),
    /// A number outside its range.
    #[error("{field} = {value} is outside {low} to {high}")]
    OutOfRange {
        /// What.
        field: String,
        /// Its value.
        value: f64,
        /// Lowest allowed.
        low: f64,
        /// Highest allowed.
        high: f64,
    },
    /// Something that is not there.
    #[error("there is no {what} {index}")]
    Missing {
        /// What.
        what: &'static str,
        /// Which.
        index: usize,
    },
    /// More kinds of balls than fit the table of pairs.
    #[error("there are {count} kinds of balls; there may be at most {MOST_KINDS}")]
    Kinds {
        /// How many.
        count: usize,
    },
    /// Grains are there already.
    #[error("there are {count} grains already: what grains there can be is said before the first comes")]
    Busy {
        /// How many.
        count: usize,
    },
    /// A place that cannot be.
    #[error("grain at {position}: {problem}")]
    Place {
        /// Where (m).
        position: glam::DVec3,
        /// Why not.
        problem: &'static str,
    },
    /// A grain behind a wall.
    #[error("grain at {position} is behind the wall '{wall}': it would be flung out")]
    Behind {
        /// Where (m).
        position: glam::DVec3,
        /// The wall.
        wall: String,
    },
    /// More than the memory allows.
    #[error("{count} grains with {balls} balls need {needed_mib} MiB; {limit_mib} MiB are allowed")]
    TooMany {
        /// Grains.
        count: usize,
        /// Balls.
        balls: usize,
        /// What they would take (MiB).
        needed_mib: u64,
        /// What is allowed (MiB).
        limit_mib: u64,
    },
}

/// A setup worked out: what the step reads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Worked {
    /// Forms.
    pub forms: Vec<Form>,
    /// Kinds of balls.
    pub kinds: Vec<BallKind>,
    /// The numbers of all pairs of kinds, row by row.
    pub pairs: Vec<Pair>,
    /// True where some pair resists rolling.
    pub rolls: bool,
    /// The pace of the fastest contact; none where there are no forms.
    pub fastest: Option<Pace>,
    /// Edge of the cells of the lattice (m).
    pub edge_m: f64,
    /// Skin of neighbour lists (m).
    pub skin_m: f64,
}

impl Setup {
    /// Checks and works it out.
    pub fn work_out(&self) -> Result<Worked, GrainsError> {
        self.check()?;
        let bulks: Vec<_> = self.templates.iter().map(Bulk::of).collect();
        let mut worked = Worked::default();
        for &spec in &self.forms {
            let (template, bulk) =
                (&self.templates[usize::from(spec.template)], &bulks[usize::from(spec.template)]);
            let substance = &self.substances[usize::from(spec.substance)];
            worked.forms.push(Form::new(spec, template, bulk, substance, &mut worked.kinds));
        }
        if worked.kinds.len() > MOST_KINDS {
            return Err(GrainsError::Kinds { count: worked.kinds.len() });
        }
        let mut dampings = Dampings::default();
        for a in &worked.kinds {
            for b in &worked.kinds {
                let manners = manners(&self.substances, &self.between, a.substance, b.substance);
                worked.rolls |= manners.rolling > 0.0;
                let pair =
                    Pair::new(&self.laws, &self.touching(a), &self.touching(b), &manners, &mut dampings);
                worked.pairs.push(pair);
            }
        }
        worked.fastest = self.fastest(&worked.kinds);
        let radii = worked.kinds.iter().map(|kind| kind.radius_m);
        let (least, most) = radii.fold((f64::INFINITY, 0.0f64), |(l, m), r| (l.min(r), m.max(r)));
        if least.is_finite() {
            worked.skin_m = SKIN * least;
            worked.edge_m = 2.0 * most + worked.skin_m;
            let range = [Lattice::EDGES_M[0], Lattice::EDGES_M[1]];
            check_range("size of the largest ball (m)", worked.edge_m, range)?;
        }
        Ok(worked)
    }

    /// A kind of ball as a side of a contact.
    pub(super) fn touching(&self, kind: &BallKind) -> Touching {
        let substance = &self.substances[usize::from(kind.substance)];
        Touching {
            radius_m: kind.radius_m,
            mass_kg: kind.mass_kg,
            young_pa: substance.young_pa,
            poisson: substance.poisson,
        }
    }

    /// Something flat that does not move and is as stiff as the substance of a kind.
    pub(super) fn flat(&self, kind: &BallKind) -> Touching {
        Touching { radius_m: f64::INFINITY, mass_kg: f64::INFINITY, ..self.touching(kind) }
    }

    /// The pace of the fastest contact among all kinds, and of them with walls.
    fn fastest(&self, kinds: &[BallKind]) -> Option<Pace> {
        let mut fastest: Option<Pace> = None;
        for (i, a) in kinds.iter().enumerate() {
            let with_wall =
                Pace::new(&self.laws, &self.touching(a), &self.flat(a), a.light_kg, f64::INFINITY);
            let with_others = kinds[i..]
                .iter()
                .map(|b| Pace::new(&self.laws, &self.touching(a), &self.touching(b), a.light_kg, b.light_kg));
            for pace in with_others.chain([with_wall]) {
                if fastest.is_none_or(|known| pace.period_s(1.0) < known.period_s(1.0)) {
                    fastest = Some(pace);
                }
            }
        }
        fastest
    }

    fn check(&self) -> Result<(), GrainsError> {
        check_range("restitution_speed_m_s", self.laws.restitution_speed_m_s, [1e-6, 1e3])?;
        check_range("substeps_per_contact", self.laws.substeps_per_contact, [8.0, 1e4])?;
        self.templates.iter().try_for_each(Template::check)?;
        for substance in &self.substances {
            if let Some((field, value, [low, high])) = substance.problem() {
                let field = format!("grains '{}': {field}", substance.name);
                return Err(GrainsError::OutOfRange { field, value, low, high });
            }
        }
        for spec in &self.forms {
            check_index("template", spec.template, self.templates.len())?;
            check_index("substance", spec.substance, self.substances.len())?;
            check_range("size of a grain (m)", spec.size_m, SIZES_M)?;
        }
        for said in &self.between {
            check_index("substance", said.a, self.substances.len())?;
            check_index("substance", said.b, self.substances.len())?;
            check_range("friction", said.friction, [0.0, 10.0])?;
            check_range("restitution", said.restitution, [super::damping::LOWEST_RESTITUTION, 1.0])?;
        }
        self.walls.iter().try_for_each(Wall::check)?;
        self.covering.check()?;
        Ok(())
    }
}

pub(super) fn check_range(field: &str, value: f64, [low, high]: [f64; 2]) -> Result<(), GrainsError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(GrainsError::OutOfRange { field: field.to_owned(), value, low, high })
}

fn check_index(what: &'static str, index: u16, count: usize) -> Result<(), GrainsError> {
    if usize::from(index) < count { Ok(()) } else { Err(GrainsError::Missing { what, index: index.into() }) }
}
