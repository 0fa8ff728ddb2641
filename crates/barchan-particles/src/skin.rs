//! How long lists of neighbours hold.

use rayon::prelude::*;

use crate::Place;

/// The places for which lists were made with a skin: they hold as long as nothing has moved by half of it.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    places: Vec<Place>,
    /// Half the skin, squared, in coarse parts of a cell.
    squared_half: i64,
}

impl Skin {
    /// Lists are made for `places` with a skin of `skin` (cell edges).
    pub fn wrap(&mut self, places: &[Place], skin: f32) {
        places.clone_into(&mut self.places);
        let half = f64::from(skin) / 2.0 * f64::from(1 << Place::COARSE_BITS);
        self.squared_half = (half * half) as i64;
    }

    /// Whether something moved so far, or came or went, that lists may lack a neighbour.
    #[must_use]
    pub fn is_outgrown(&self, places: &[Place]) -> bool {
        places.len() != self.places.len()
            || places.par_iter().with_min_len(4096).zip(&self.places).any(|(now, then)| {
                let way: [i64; 3] =
                    std::array::from_fn(|axis| (now.0[axis] - then.0[axis]) >> (32 - Place::COARSE_BITS));
                // What moved by cells overflows no sum.
                way.iter().any(|x| x.abs() > 1 << Place::COARSE_BITS)
                    || way.iter().map(|x| x * x).sum::<i64>() >= self.squared_half
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lattice;
    use glam::DVec3;

    #[test]
    fn a_skin_holds_until_something_moves_by_half_of_it() {
        let lattice = Lattice::new(0.5).unwrap();
        let places: Vec<_> = (0..10_000).map(|i| Place([i << 20, -i << 31, i << 33])).collect();
        let mut skin = Skin::default();
        skin.wrap(&places, 0.1);
        assert!(!skin.is_outgrown(&places));
        // A tenth of an edge is 0.05 m; half of it is 0.025 m.
        for (way, outgrown) in [(0.024, false), (0.026, true), (1e9, true)] {
            let mut moved = places.clone();
            moved[7_777] = lattice.moved(moved[7_777], DVec3::new(0.6, 0.0, -0.8) * way);
            assert_eq!(skin.is_outgrown(&moved), outgrown, "{way} m");
        }
        assert!(skin.is_outgrown(&places[1..]));
    }
}
