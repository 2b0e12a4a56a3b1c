//! Indices in fewer bits than `usize`.

/// The index in a narrower type; the limits on variables, regions and states leave it room.
pub(crate) fn compact<T: TryFrom<usize>>(index: usize) -> T {
    T::try_from(index).ok().expect("limits keep indices small")
}
