//! Leaves as words: the one form in which equal leaves are equal words.
//!
//! ```text
//! mask of solid voxels | header | palette | its indices | mask of exact voxels, planes | their words | rare things
//! header: next of the chain 31 bits, mark 1, length 16, the one material 8, width of an index 3, exact 1, rare 1, even 1, -, free 1
//! ```
//! The eight words of exact contents lie in planes: one that is zero in all voxels is left out, one that is the same in all is
//! kept once. Ground that is settled differs from voxel to voxel in a word or two.

use super::leaf::{Contents, Leaf, Rare, VOXELS, each_bit};

const LENGTH_SHIFT: u32 = 32;
const ONE_SHIFT: u32 = 48;
const WIDTH_SHIFT: u32 = 56;
const EXACT: u64 = 1 << 59;
const RARE: u64 = 1 << 60;
const EVEN: u64 = 1 << 61;
/// Nothing is stored here.
pub(super) const FREE: u64 = 1 << 63;

/// Widths of an index into a palette by their code (bits); the last is no index but the material.
const WIDTHS: [u32; 5] = [0, 1, 2, 4, 8];

/// What a leaf is, once it is in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Wholly of one material, or air: the words are not needed.
    Whole(u8),
    /// All of its voxels are equal.
    Even,
    /// Anything else.
    Mixed,
}

/// Number of words of a leaf, from its header.
#[inline]
pub(super) fn length(header: u64) -> usize {
    (header >> LENGTH_SHIFT & 0xffff) as usize
}

/// The part of a header that does not tell what the leaf is: its chain and its mark.
pub(super) const BESIDE: u64 = (1 << LENGTH_SHIFT) - 1;

/// The one material of all that is solid; 0: there are several.
#[inline]
pub(super) fn one_material(header: u64) -> u8 {
    (header >> ONE_SHIFT) as u8
}

impl Leaf {
    /// Writes the leaf into `words`.
    pub(super) fn to_words(&self, words: &mut Vec<u64>) -> Form {
        words.clear();
        if self.solid | self.exact == 0 && self.rare.is_empty() {
            return Form::Whole(0);
        }
        let palette = Palette::of(self);
        let one = palette.one();
        if self.solid == !0 && self.exact == 0 && self.rare.is_empty() && one != 0 {
            return Form::Whole(one);
        }
        words.extend([self.solid, 0]);
        let mut header = u64::from(one) << ONE_SHIFT | (palette.code as u64) << WIDTH_SHIFT;
        palette.write(self, words);
        let mut form = Form::Mixed;
        if self.exact != 0 {
            header |= EXACT;
            let varying = self.write_exact(words);
            let same_material = self.solid == 0 || self.solid == !0 && one != 0;
            if self.exact == !0 && varying == 0 && same_material && self.rare.is_empty() {
                header |= EVEN;
                form = Form::Even;
            }
        }
        if !self.rare.is_empty() {
            header |= RARE;
            words.push(self.rare.len() as u64);
            words.extend(self.rare.iter().map(|rare| u64::from(rare.data) << 8 | u64::from(rare.voxel)));
        }
        words[1] = header | (words.len() as u64) << LENGTH_SHIFT;
        form
    }

    /// Reads a leaf from its words. Words that are none make some leaf.
    pub(super) fn read_words(&mut self, words: &[u64]) {
        let mut words = words.iter().copied();
        let mut next = || words.next().unwrap_or(0);
        let (solid, header) = (next(), next());
        (self.solid, self.one, self.exact) = (solid, one_material(header), 0);
        self.rare.clear();
        let code = (header >> WIDTH_SHIFT & 7).min(4) as usize;
        if code > 0 {
            self.one = 0;
            self.read_materials(code, &mut next);
        }
        if header & EXACT != 0 {
            self.read_exact(&mut next);
        }
        if header & RARE != 0 {
            for _ in 0..next().min(0xffff) {
                let word = next();
                self.rare.push(Rare { voxel: word as u8 & 63, data: (word >> 8) as u32 });
            }
        }
    }

    fn read_materials(&mut self, code: usize, next: &mut impl FnMut() -> u64) {
        let width = WIDTHS[code];
        let mut palette = [0_u8; 16];
        for part in palette.chunks_exact_mut(8).take(palette_words(code)) {
            part.copy_from_slice(&next().to_le_bytes());
        }
        let (mut word, mut left) = (0, 0);
        let materials = &mut self.materials;
        each_bit(self.solid, |at| {
            if left == 0 {
                (word, left) = (next(), 64);
            }
            let index = word & ((1 << width) - 1);
            materials[at] = if width == 8 { index as u8 } else { palette[index as usize] };
            (word, left) = (word >> width, left - width);
        });
    }

    /// Writes mask, planes and words of the exact contents; returns which planes vary.
    fn write_exact(&self, words: &mut Vec<u64>) -> u8 {
        let first: Contents = self.contents[self.exact.trailing_zeros() as usize];
        let mut varies = [0_u16; 8];
        each_bit(self.exact, |at| {
            for plane in 0..8 {
                varies[plane] |= self.contents[at][plane] ^ first[plane];
            }
        });
        let (mut varying, mut constant) = (0_u8, 0_u8);
        for plane in 0..8 {
            varying |= u8::from(varies[plane] != 0) << plane;
            constant |= u8::from(varies[plane] == 0 && first[plane] != 0) << plane;
        }
        words.extend([self.exact, u64::from(constant) << 8 | u64::from(varying)]);
        let mut packer = Packer { words, word: 0, count: 0 };
        each_bit(constant.into(), |plane| packer.push(first[plane]));
        each_bit(varying.into(), |plane| each_bit(self.exact, |at| packer.push(self.contents[at][plane])));
        packer.finish();
        varying
    }

    fn read_exact(&mut self, next: &mut impl FnMut() -> u64) {
        self.exact = next();
        let planes = next();
        let (varying, constant) = (planes & 0xff, planes >> 8 & 0xff & !planes);
        let (mut word, mut left) = (0, 0);
        let mut half = || {
            if left == 0 {
                (word, left) = (next(), 4);
            }
            let half = word as u16;
            (word, left) = (word >> 16, left - 1);
            half
        };
        let mut first: Contents = [0; 8];
        each_bit(constant, |plane| first[plane] = half());
        let contents = &mut self.contents;
        each_bit(self.exact, |at| contents[at] = first);
        each_bit(varying, |plane| each_bit(self.exact, |at| contents[at][plane] = half()));
    }
}

/// The materials of a leaf that has several, or the one.
struct Palette {
    materials: [u8; VOXELS],
    count: usize,
    /// See [`WIDTHS`].
    code: usize,
}

impl Palette {
    fn of(leaf: &Leaf) -> Self {
        let mut palette = Self { materials: [0; VOXELS], count: 0, code: 0 };
        if leaf.solid == 0 {
            return palette;
        }
        if leaf.one != 0 {
            palette.materials[0] = leaf.one;
            palette.count = 1;
            return palette;
        }
        let mut seen = [0_u64; 4];
        each_bit(leaf.solid, |at| {
            let material = leaf.materials[at];
            seen[usize::from(material >> 6)] |= 1 << (material & 63);
        });
        for (part, bits) in seen.into_iter().enumerate() {
            each_bit(bits, |bit| {
                palette.materials[palette.count] = (part * 64 + bit) as u8;
                palette.count += 1;
            });
        }
        palette.code = match palette.count {
            0..=1 => 0,
            2 => 1,
            3..=4 => 2,
            5..=16 => 3,
            _ => 4,
        };
        palette
    }

    /// The one material; 0 where there are several, or none.
    fn one(&self) -> u8 {
        if self.count == 1 { self.materials[0] } else { 0 }
    }

    fn write(&self, leaf: &Leaf, words: &mut Vec<u64>) {
        if self.code == 0 {
            return;
        }
        let parts = self.materials.chunks_exact(8).take(palette_words(self.code));
        words.extend(parts.map(|part| u64::from_le_bytes(std::array::from_fn(|at| part[at]))));
        let width = WIDTHS[self.code];
        let (mut word, mut filled) = (0_u64, 0);
        each_bit(leaf.solid, |at| {
            let material = leaf.materials[at];
            let index = if width == 8 { material as usize } else { self.index(material) };
            word |= (index as u64) << filled;
            filled += width;
            if filled == 64 {
                words.push(word);
                (word, filled) = (0, 0);
            }
        });
        if filled > 0 {
            words.push(word);
        }
    }

    fn index(&self, material: u8) -> usize {
        self.materials[..self.count].partition_point(|other| *other < material)
    }
}

fn palette_words(code: usize) -> usize {
    [0, 1, 1, 2, 0][code]
}

/// Puts halves of halves of words together.
struct Packer<'a> {
    words: &'a mut Vec<u64>,
    word: u64,
    count: u32,
}

impl Packer<'_> {
    #[inline]
    fn push(&mut self, half: u16) {
        self.word |= u64::from(half) << (16 * self.count);
        self.count += 1;
        if self.count == 4 {
            self.words.push(self.word);
            (self.word, self.count) = (0, 0);
        }
    }

    fn finish(self) {
        if self.count > 0 {
            self.words.push(self.word);
        }
    }
}
