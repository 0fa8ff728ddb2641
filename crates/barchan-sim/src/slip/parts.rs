//! Lists in parts, for threads to fill at the same time.

/// The parts of these lengths that `list` begins with, in their order.
pub(super) fn parts<T>(list: &mut [T], lengths: impl IntoIterator<Item = usize>) -> Vec<&mut [T]> {
    let mut rest = list;
    let mut next = |length| rest.split_off_mut(..length).expect("the list is as long as its parts");
    lengths.into_iter().map(&mut next).collect()
}
