//! Data files of LAMMPS and LIGGGHTS in: spheres, and clumps of them.
//!
//! What is read: the count in `N atoms`, the section `Atoms` (number, type, diameter, density, x, y, z: the styles `sphere` and
//! `granular`), `Velocities` (number, velocity, spin) and `Molecules` (number, clump), as `write_data` and `fix property/atom`
//! have them. All other sections are passed over. Lengths are metres, times seconds.

use std::collections::BTreeMap;

use barchan_sim::grains::{Ball, Bulk, GrainSpec, Template};
use glam::{DMat3, DQuat, DVec3};

use crate::error::FormatError;

const FORMAT: &str = "LAMMPS data";

/// Most spheres of a file.
const MOST: usize = 20_000_000;

/// Clumps whose spheres are this close to those of a known one are alike (share of the diameter).
const ALIKE: f64 = 1e-3;

/// A sphere of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Atom {
    /// Its number.
    pub id: u64,
    /// Diameter (m).
    pub diameter_m: f64,
    /// Density (kg/m³).
    pub density_kg_m3: f64,
    /// Centre (m).
    pub position_m: DVec3,
    /// Velocity (m/s).
    pub velocity_m_s: DVec3,
    /// Rate of turning (rad/s).
    pub spin_rad_s: DVec3,
    /// Which clump it belongs to; 0: to none.
    pub molecule: u64,
}

/// The grains of a file: templates with their sizes (m), and grains whose form is the number of one of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clumps {
    /// Templates and sizes.
    pub forms: Vec<(Template, f64)>,
    /// The grains.
    pub grains: Vec<GrainSpec>,
    /// Mean density of the spheres (kg/m³).
    pub density_kg_m3: f64,
}

/// The spheres of a data file, in the order of their numbers.
pub fn read_lammps(bytes: &[u8]) -> Result<Vec<Atom>, FormatError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| FormatError::Corrupt { format: FORMAT, reason: "it is no text".to_owned() })?;
    let mut section = "";
    let mut announced = None;
    let mut atoms: BTreeMap<u64, Atom> = BTreeMap::new();
    // The first line is a title.
    for (at, line) in text.lines().enumerate().skip(1) {
        let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        let Some(first) = words.first() else { continue };
        if first.starts_with(|c: char| c.is_ascii_alphabetic()) {
            section = first;
            continue;
        }
        if section.is_empty() {
            if words.get(1) == Some(&"atoms") {
                announced = Some(number(&words, 0, at)? as usize);
            }
            continue;
        }
        let id = number(&words, 0, at)? as u64;
        match section {
            "Atoms" => {
                let atom = Atom {
                    id,
                    diameter_m: number(&words, 2, at)?,
                    density_kg_m3: number(&words, 3, at)?,
                    position_m: vector(&words, 4, at)?,
                    velocity_m_s: DVec3::ZERO,
                    spin_rad_s: DVec3::ZERO,
                    molecule: 0,
                };
                if !(atom.diameter_m > 0.0 && atom.density_kg_m3 > 0.0) {
                    return Err(wrong(at, "a diameter and a density above 0", line));
                }
                if atoms.insert(id, atom).is_some() {
                    return Err(wrong(at, "a number that no other sphere has", first));
                }
                if atoms.len() > MOST {
                    let allowed = format!("at most {MOST}");
                    let found = format!("{MOST} and more");
                    return Err(FormatError::OutOfRange { format: FORMAT, what: "spheres", allowed, found });
                }
            }
            "Velocities" | "Molecules" => {
                let Some(atom) = atoms.get_mut(&id) else {
                    return Err(wrong(at, "the number of a sphere of section Atoms", first));
                };
                if section == "Molecules" {
                    atom.molecule = number(&words, 1, at)? as u64;
                } else {
                    atom.velocity_m_s = vector(&words, 1, at)?;
                    // Without a spin the sphere does not turn.
                    atom.spin_rad_s = if words.len() >= 7 { vector(&words, 4, at)? } else { DVec3::ZERO };
                }
            }
            _ => {}
        }
    }
    let (expected, found) = (announced.unwrap_or(0) as u64, atoms.len() as u64);
    if expected != found || found == 0 {
        return Err(FormatError::Count { format: FORMAT, what: "atoms", expected, found });
    }
    Ok(atoms.into_values().collect())
}

/// Spheres put together to grains: each that belongs to no clump, and each clump. Clumps whose spheres stand alike, in the same
/// order, are of one template.
pub fn clumps(atoms: &[Atom]) -> Clumps {
    let mut found = Clumps {
        density_kg_m3: atoms.iter().map(|atom| atom.density_kg_m3).sum::<f64>() / atoms.len().max(1) as f64,
        ..Clumps::default()
    };
    let mut by_clump: BTreeMap<(u64, u64), Vec<&Atom>> = BTreeMap::new();
    for atom in atoms {
        let name = if atom.molecule == 0 { (1, atom.id) } else { (0, atom.molecule) };
        by_clump.entry(name).or_default().push(atom);
    }
    let mut centres: Vec<DVec3> = Vec::new();
    for members in by_clump.values() {
        let middle = members.iter().map(|atom| atom.position_m).sum::<DVec3>() / members.len() as f64;
        let size = members.iter().map(|atom| atom.diameter_m).fold(0.0, f64::max);
        let balls: Vec<Ball> = members
            .iter()
            .map(|atom| Ball {
                centre: (atom.position_m - middle) / size,
                radius: 0.5 * atom.diameter_m / size,
            })
            .collect();
        let known = found.forms.iter().enumerate().find_map(|(form, (template, known_size))| {
            let alike = (known_size / size - 1.0).abs() < 1e-6;
            let turn = if alike { turn_onto(&template.balls, &balls) } else { None };
            turn.map(|turn| (form, turn))
        });
        let (form, turn) = known.unwrap_or_else(|| {
            let template = Template { name: format!("clump {}", found.forms.len()), balls };
            centres.push(Bulk::of(&template).centre);
            found.forms.push((template, size));
            (found.forms.len() - 1, DQuat::IDENTITY)
        });
        let position_m = middle + turn * centres[form] * size;
        let first = members[0];
        let velocity_m_s = first.velocity_m_s + first.spin_rad_s.cross(position_m - first.position_m);
        found.grains.push(GrainSpec {
            form: u16::try_from(form).unwrap_or(u16::MAX),
            position_m,
            turn,
            velocity_m_s,
            spin_rad_s: first.spin_rad_s,
        });
    }
    found
}

/// The turn that brings the balls of a template onto others, one by one; none where there is no such turn.
fn turn_onto(template: &[Ball], balls: &[Ball]) -> Option<DQuat> {
    if template.len() != balls.len() {
        return None;
    }
    let [from, to] = [template, balls].map(frame);
    let turn = to * from.transpose();
    let fits = template
        .iter()
        .zip(balls)
        .all(|(a, b)| (turn * a.centre).distance(b.centre) < ALIKE && (a.radius - b.radius).abs() < ALIKE);
    fits.then(|| DQuat::from_mat3(&turn).normalize())
}

/// Axes of a clump: towards its first ball, and towards the one farthest from that line.
fn frame(balls: &[Ball]) -> DMat3 {
    let along = balls.iter().map(|ball| ball.centre).find(|c| c.length() > ALIKE);
    let Some(x) = along.map(DVec3::normalize) else { return DMat3::IDENTITY };
    let aside = |c: DVec3| c - x * c.dot(x);
    let off = balls.iter().map(|ball| aside(ball.centre)).find(|c| c.length() > 0.05);
    let y = off.map_or_else(|| x.any_orthonormal_vector(), DVec3::normalize);
    DMat3::from_cols(x, y, x.cross(y))
}

fn number(words: &[&str], index: usize, line: usize) -> Result<f64, FormatError> {
    let word = words.get(index).copied().unwrap_or("the end of the line");
    let found = word.parse::<f64>().ok().filter(|x| x.is_finite());
    found.ok_or_else(|| wrong(line, "a number", word))
}

fn vector(words: &[&str], first: usize, line: usize) -> Result<DVec3, FormatError> {
    Ok(DVec3::new(
        number(words, first, line)?,
        number(words, first + 1, line)?,
        number(words, first + 2, line)?,
    ))
}

fn wrong(line: usize, expected: &str, found: &str) -> FormatError {
    let (expected, found) = (expected.to_owned(), found.chars().take(80).collect());
    FormatError::Syntax { format: FORMAT, line: line + 1, expected, found }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "two dimers and a sphere\n\n5 atoms\n1 atom types\n\n-1 1 xlo xhi\n\nAtoms # sphere\n\n\
        1 1 0.002 2500 0 0 0 0 0 0\n2 1 0.002 2500 0.002 0 0\n3 1 0.002 2500 0 0.01 0\n4 1 0.002 2500 0 0.01 0.002\n\
        5 1 0.004 2400 0.1 0 0\n\nVelocities\n\n3 1 0 0 0 10 0\n4 1.02 0 0 0 10 0\n\nMolecules\n\n1 1\n2 1\n3 2\n4 2\n5 0\n";

    #[test]
    fn spheres_and_clumps_are_read_and_put_together() {
        let atoms = read_lammps(FILE.as_bytes()).unwrap();
        assert_eq!(atoms.len(), 5);
        let clumps = clumps(&atoms);
        assert_eq!(clumps.forms.len(), 2);
        assert_eq!(clumps.grains.len(), 3);
        let [a, b, c] = [0, 1, 2].map(|i| clumps.grains[i]);
        assert!(a.position_m.distance(DVec3::new(0.001, 0.0, 0.0)) < 1e-9);
        // The second dimer stands upright and turns about y.
        assert_eq!((a.form, b.form, c.form), (0, 0, 1));
        let along = b.turn * DVec3::X;
        assert!(along.z.abs() > 0.999, "{along}");
        assert!(b.velocity_m_s.distance(DVec3::new(1.01, 0.0, 0.0)) < 1e-9);
        assert_eq!(clumps.forms[1].1, 0.004);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (from, to, word) in [
            ("5 atoms", "6 atoms", "expected 6 atoms"),
            ("0.004 2400", "0.004 heavy", "found heavy"),
            ("5 1 0.004", "5 1 0", "above 0"),
            ("5 1 0.004", "4 1 0.004", "no other sphere"),
            ("\n3 1 0 0 0 10 0", "\n9 1 0 0 0 10 0", "section Atoms"),
        ] {
            let error = read_lammps(FILE.replace(from, to).as_bytes()).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        assert!(read_lammps(&[0xff, 0xfe]).is_err());
    }
}
