//! A list that grows piece by piece: nothing in it ever moves, so that growing takes no pause.

/// Entries of a piece.
const PIECE: usize = 1 << 14;

/// A list in pieces of equal length.
#[derive(Clone, Debug)]
pub(super) struct Segments<T> {
    pieces: Vec<Vec<T>>,
    len: usize,
}

impl<T> Segments<T> {
    pub fn new() -> Self {
        Self { pieces: Vec::new(), len: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn push(&mut self, entry: T) {
        if self.len.is_multiple_of(PIECE) {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        self.pieces[self.len / PIECE].push(entry);
        self.len += 1;
    }

    #[inline]
    pub fn get(&self, at: usize) -> &T {
        &self.pieces[at / PIECE][at % PIECE]
    }

    #[inline]
    pub fn get_mut(&mut self, at: usize) -> &mut T {
        &mut self.pieces[at / PIECE][at % PIECE]
    }

    /// Memory that is set aside for it (bytes).
    pub fn bytes(&self) -> u64 {
        (self.pieces.len() * PIECE * size_of::<T>()) as u64
    }
}
