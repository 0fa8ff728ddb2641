//! What few voxels have: a short list beside a brick instead of a place in every voxel.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::material::MaterialId;

/// What an entry of a [`SideList`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Channel {
    /// Of the soil in the layer `under`, how much is of another kind than it names. Key: the kind; value (units).
    Soil = 0,
    /// Of the rock, how much is of another kind than the voxel names. Key: the kind; value (units).
    Rock = 1,
}

impl Channel {
    /// All of them, in order.
    pub const ALL: [Self; 2] = [Self::Soil, Self::Rock];
}

/// One number beside one voxel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SideEntry {
    /// Place of the voxel in its brick.
    pub voxel: u16,
    /// What it tells.
    pub channel: Channel,
    /// Of what: the kind, where the channel counts kinds.
    pub key: u8,
    /// How much; never zero.
    pub value: u16,
}

impl SideEntry {
    /// Bytes of an entry in [`SideEntry::to_bytes`].
    pub const BYTES: usize = 6;

    /// Every field, little-endian, in the order of declaration.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let ([a, b], [c, d]) = (self.voxel.to_le_bytes(), self.value.to_le_bytes());
        [a, b, self.channel as u8, self.key, c, d]
    }

    fn order(&self) -> (u16, Channel, u8) {
        (self.voxel, self.channel, self.key)
    }
}

/// The rare things of the voxels of one brick, in the order of voxels, channels and keys. Shared copy-on-write like the brick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideList(Option<Arc<Vec<SideEntry>>>);

impl SideList {
    /// Nothing rare.
    pub const EMPTY: Self = Self(None);

    /// The list of these entries; none where two stand for the same, one is zero or a voxel is not of a brick.
    pub fn from_entries(entries: Vec<SideEntry>) -> Option<Self> {
        let in_order = entries.windows(2).all(|pair| pair[0].order() < pair[1].order());
        let sound =
            |entry: &SideEntry| entry.value > 0 && usize::from(entry.voxel) < barchan_volume::brick::VOXELS;
        (in_order && entries.iter().all(sound))
            .then(|| Self((!entries.is_empty()).then(|| Arc::new(entries))))
    }

    /// All entries, in order.
    pub fn entries(&self) -> &[SideEntry] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// True when there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The entries of one voxel and channel.
    pub fn of(&self, voxel: usize, channel: Channel) -> &[SideEntry] {
        let entries = self.entries();
        let first = entries.partition_point(|entry| (entry.voxel, entry.channel) < (voxel as u16, channel));
        let count =
            entries[first..].iter().take_while(|e| (e.voxel, e.channel) == (voxel as u16, channel)).count();
        &entries[first..first + count]
    }

    /// The kinds of rock that the list names.
    pub(crate) fn rock_kinds(&self) -> impl Iterator<Item = MaterialId> + '_ {
        self.entries()
            .iter()
            .filter(|entry| entry.channel == Channel::Rock)
            .map(|entry| MaterialId(entry.key))
    }

    /// True when both are certainly the same without a look at the entries.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Puts `entries` (key and value, any order, zeros left out) in the place of those of one voxel and channel.
    pub(super) fn set(
        &mut self,
        voxel: usize,
        channel: Channel,
        entries: impl IntoIterator<Item = (u8, u16)>,
    ) {
        let mut list = self.0.take().map_or_else(Vec::new, Arc::unwrap_or_clone);
        list.retain(|entry| (usize::from(entry.voxel), entry.channel) != (voxel, channel));
        let new = entries.into_iter().filter(|(_, value)| *value > 0);
        list.extend(new.map(|(key, value)| SideEntry { voxel: voxel as u16, channel, key, value }));
        list.sort_unstable_by_key(SideEntry::order);
        self.0 = (!list.is_empty()).then(|| Arc::new(list));
    }

    /// Heap memory that it holds (bytes).
    pub fn memory_bytes(&self) -> usize {
        self.0
            .as_ref()
            .map_or(0, |list| list.capacity() * size_of::<SideEntry>() + size_of::<Vec<SideEntry>>())
    }
}
