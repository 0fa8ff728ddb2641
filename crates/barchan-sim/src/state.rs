//! The state of a world: all that decides what happens next, listed once.
//!
//! Saving, loading and the digest go through this list, so what stands in it is stored and told apart, and what does not is a
//! cache. A new process adds one line. The ground and the bodies are the two members with bytes of their own.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::bearing::Bearing;
use crate::bodies::Bodies;
use crate::carry::Carry;
use crate::carve::Carve;
use crate::clock::Clock;
use crate::fall::Fall;
use crate::grains::Grains;
use crate::ground::Ground;
use crate::ledger::Ledger;
use crate::material::{Hardness, Materials};
use crate::merge::Merge;
use crate::slip::Slip;
use crate::water::Water;
use crate::weather::Weather;

/// Which member of a state: four letters that stand in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberTag(pub [u8; 4]);

/// One member of a state as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberBytes {
    /// Which.
    pub tag: MemberTag,
    /// Of which form these bytes are; it grows when the form changes.
    pub version: u16,
    /// The member.
    pub bytes: Vec<u8>,
}

/// Why bytes are no member of a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemberError {
    /// Nobody knows what this is.
    #[error("there is no '{0}' in a world")]
    Unknown(String),
    /// It was written by a program that knows more.
    #[error("'{name}' is of version {found}; this program knows up to {known}")]
    Version {
        /// What it is.
        name: &'static str,
        /// Its version.
        found: u16,
        /// The highest version known.
        known: u16,
    },
    /// The bytes do not follow the form.
    #[error("'{name}' cannot be read: {reason}")]
    Damaged {
        /// What it is.
        name: &'static str,
        /// What is wrong.
        reason: String,
    },
}

macro_rules! members {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $tag:literal, version $version:literal;)*) => {
        /// All that decides what happens next in a world.
        #[derive(Clone, Debug)]
        pub struct WorldState {
            /// The ground.
            pub ground: Ground,
            /// The bodies.
            pub bodies: Bodies,
            $($(#[$doc])* pub $field: $type,)*
        }

        impl WorldState {
            /// The state with this ground and no bodies, and all else as it is where nothing is said.
            pub fn new(ground: Ground) -> Self {
                Self { ground, bodies: Bodies::new(), $($field: Initial::initial(),)* }
            }

            /// Every member but ground and bodies, in order.
            pub fn members(&self) -> Vec<MemberBytes> {
                vec![$(MemberBytes { tag: MemberTag(*$tag), version: $version, bytes: encode(&self.$field) },)*]
            }

            /// What the member of this tag is called.
            pub fn member_name(tag: MemberTag) -> Option<&'static str> {
                match &tag.0 {
                    $($tag => Some(stringify!($field)),)*
                    _ => None,
                }
            }

            /// Reads one member; those that are never read stay as they are.
            pub fn read_member(&mut self, member: &MemberBytes) -> Result<(), MemberError> {
                // Soil that slid had one speed for a whole pile in version 1: it stands.
                if (&member.tag.0, member.version) == (b"SLIP", 1) {
                    return Ok(());
                }
                let older = brought_up(member);
                let member = older.as_ref().unwrap_or(member);
                match &member.tag.0 {
                    $($tag => self.$field = decode(stringify!($field), $version, member)?,)*
                    tag => return Err(MemberError::Unknown(tag.escape_ascii().to_string())),
                }
                Ok(())
            }
        }
    };
}

members! {
    /// The materials.
    materials: Materials = b"MATS", version 3;
    /// How hard the ground is at every place.
    hardness: Hardness = b"HARD", version 1;
    /// Gravity (m/s²).
    gravity_m_s2: Vec3 = b"GRAV", version 1;
    /// The clock.
    clock: Clock = b"CLOK", version 1;
    /// The seed of everything random.
    seed: u64 = b"SEED", version 1;
    /// The books.
    ledger: Ledger = b"BOOK", version 1;
    /// How the ground bears the bodies.
    bearing: Bearing = b"BEAR", version 2;
    /// How the soil on bodies moves.
    carry: Carry = b"CARR", version 1;
    /// The soil that is in the air.
    fall: Fall = b"FALL", version 1;
    /// The soil that slides.
    slip: Slip = b"SLIP", version 2;
    /// The rock that weathers.
    weather: Weather = b"WTHR", version 1;
    /// The water that runs free.
    water: Water = b"WATR", version 2;
    /// Sand as single bodies.
    grains: Grains = b"GRNS", version 2;
    /// What tools carve into particles.
    carve: Carve = b"CARV", version 1;
    /// Grains that come to rest on the ground.
    merge: Merge = b"MERG", version 1;
}

impl WorldState {
    /// The state with this ground, booked as if all of it had just come in.
    pub fn entered(ground: Ground) -> Self {
        let held = ground.count();
        let ledger = Ledger { held: held.clone(), entered: held, ..Ledger::default() };
        Self { ledger, ..Self::new(ground) }
    }
}

/// What a member is where nothing is said about it.
trait Initial {
    fn initial() -> Self;
}

macro_rules! initially_default {
    ($($type:ty),*) => { $(impl Initial for $type { fn initial() -> Self { Self::default() } })* };
}

initially_default!(
    Clock, u64, Hardness, Ledger, Bearing, Carry, Fall, Slip, Weather, Water, Grains, Carve, Merge
);

impl Initial for Materials {
    fn initial() -> Self {
        Self::builtin()
    }
}

impl Initial for Vec3 {
    /// Gravity: the standard one.
    fn initial() -> Self {
        Self::new(0.0, 0.0, -9.81)
    }
}

/// A member of an earlier form as one of today; none where it is of today, or of a form that nobody knows.
fn brought_up(member: &MemberBytes) -> Option<MemberBytes> {
    let (version, bytes) = match &member.tag.0 {
        b"MATS" => (3, Materials::brought_up(member.version, &member.bytes)?),
        // Nothing was sheared yet: an empty map follows.
        b"BEAR" if member.version == 1 => (2, [&member.bytes[..], &[0]].concat()),
        b"WATR" if member.version == 1 => (2, Water::brought_up(&member.bytes)?),
        b"GRNS" if member.version == 1 => (2, Grains::brought_up(&member.bytes)?),
        _ => return None,
    };
    Some(MemberBytes { tag: member.tag, version, bytes })
}

fn encode(member: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(member).expect("plain data serialises")
}

fn decode<T: for<'de> Deserialize<'de>>(
    name: &'static str,
    known: u16,
    member: &MemberBytes,
) -> Result<T, MemberError> {
    if member.version != known {
        return Err(MemberError::Version { name, found: member.version, known });
    }
    let damaged = |reason: String| MemberError::Damaged { name, reason };
    match postcard::take_from_bytes(&member.bytes) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(damaged(format!("{} bytes are left over", rest.len()))),
        Err(error) => Err(damaged(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_back_as_they_were_and_others_are_refused_by_name() {
        let mut state = WorldState::new(Ground::new(0.1, None));
        (state.seed, state.clock.steps, state.gravity_m_s2) = (7, 9, Vec3::X);
        let mut other = WorldState::new(Ground::new(0.1, None));
        for member in state.members() {
            other.read_member(&member).expect("just written");
        }
        assert_eq!(other.members(), state.members());

        let mut member = state.members().remove(4);
        member.version = 9;
        let refused = other.read_member(&member).unwrap_err().to_string();
        assert!(refused.contains("'seed' is of version 9"), "{refused}");
        member.tag = MemberTag(*b"NOPE");
        assert_eq!(other.read_member(&member).unwrap_err(), MemberError::Unknown("NOPE".into()));
    }

    #[test]
    fn no_two_members_share_a_tag() {
        let mut tags: Vec<_> =
            WorldState::new(Ground::new(0.1, None)).members().iter().map(|m| m.tag).collect();
        let count = tags.len();
        tags.sort_unstable();
        tags.dedup();
        assert_eq!(tags.len(), count);
    }
}
