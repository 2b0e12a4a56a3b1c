//! The constraints of a frontier after propagation, and its groups of tiles.

use rustc_hash::FxHashMap;

use crate::NoProbabilities;

/// Covered tiles, by their places, and the mines among them.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) tiles: Vec<usize>,
    pub(crate) n_mines: usize,
}

/// Tiles in the same constraints.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) constraints: Vec<usize>,
    pub(super) tiles: Vec<usize>,
}

/// The constraints and groups that propagation leaves.
#[derive(Debug)]
pub(super) struct Frontier {
    pub(super) constraints: Vec<Constraint>,
    pub(super) groups: Vec<Group>,
    /// Per constraint its groups.
    pub(super) members: Vec<Vec<usize>>,
    /// Per tile whether it is a mine, where that is certain.
    pub(super) known: Vec<Option<bool>>,
}

impl Frontier {
    /// Propagates constraints to a fixed point, and groups the tiles that are left.
    pub(super) fn new(
        n_tiles: usize,
        mut constraints: Vec<Constraint>,
    ) -> Result<Self, NoProbabilities> {
        let mut known = vec![None; n_tiles];
        while deduce(&mut constraints, &mut known)? {}
        constraints.retain(|constraint| !constraint.tiles.is_empty());
        let mut touching: Vec<Vec<usize>> = vec![Vec::new(); n_tiles];
        for (number, constraint) in constraints.iter().enumerate() {
            for &tile in &constraint.tiles {
                touching[tile].push(number);
            }
        }
        let mut groups: Vec<Group> = Vec::new();
        let mut place: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        let mut members = vec![Vec::new(); constraints.len()];
        for (tile, constraints) in touching.into_iter().enumerate() {
            if constraints.is_empty() {
                continue;
            }
            let group = *place.entry(constraints.clone()).or_insert_with(|| {
                for &number in &constraints {
                    members[number].push(groups.len());
                }
                groups.push(Group {
                    constraints,
                    tiles: Vec::new(),
                });
                groups.len() - 1
            });
            groups[group].tiles.push(tile);
        }
        Ok(Self {
            constraints,
            groups,
            members,
            known,
        })
    }

    /// Groups that are linked through numbers.
    pub(super) fn components(&self) -> Vec<Vec<usize>> {
        let mut is_seen = vec![false; self.groups.len()];
        let mut components = Vec::new();
        for first in 0..self.groups.len() {
            if is_seen[first] {
                continue;
            }
            is_seen[first] = true;
            let mut component = vec![first];
            let mut at = 0;
            while let Some(&group) = component.get(at) {
                at += 1;
                let linked = self.groups[group].constraints.iter();
                for &next in linked.flat_map(|&number| &self.members[number]) {
                    if !is_seen[next] {
                        is_seen[next] = true;
                        component.push(next);
                    }
                }
            }
            component.sort_unstable();
            components.push(component);
        }
        components
    }
}

/// One round of constraint propagation over single constraints and pairs; whether it determined any
/// tile.
fn deduce(
    constraints: &mut [Constraint],
    known: &mut [Option<bool>],
) -> Result<bool, NoProbabilities> {
    for constraint in constraints.iter_mut() {
        let mut n_found = 0;
        constraint.tiles.retain(|tile| {
            n_found += usize::from(known[*tile] == Some(true));
            known[*tile].is_none()
        });
        let left = constraint.n_mines.checked_sub(n_found);
        constraint.n_mines = left
            .filter(|left| *left <= constraint.tiles.len())
            .ok_or(NoProbabilities::Contradiction)?;
    }
    let mut touching: Vec<Vec<usize>> = vec![Vec::new(); known.len()];
    for (number, constraint) in constraints.iter().enumerate() {
        for &tile in &constraint.tiles {
            touching[tile].push(number);
        }
    }
    let mut is_new = false;
    let mut note = |tiles: &mut dyn Iterator<Item = usize>, is_mine: bool| {
        for tile in tiles {
            is_new |= known[tile].is_none();
            known[tile] = Some(is_mine);
        }
    };
    for (number, first) in constraints.iter().enumerate() {
        if first.n_mines == 0 || first.n_mines == first.tiles.len() {
            note(&mut first.tiles.iter().copied(), first.n_mines > 0);
            continue;
        }
        let mut linked: Vec<usize> = (first.tiles.iter())
            .flat_map(|&tile| touching[tile].iter().copied())
            .filter(|other| *other != number)
            .collect();
        linked.sort_unstable();
        linked.dedup();
        for other in linked {
            let second = &constraints[other];
            let only = |tiles: &[usize], other: &[usize]| -> Vec<usize> {
                let only = tiles.iter().filter(|tile| !other.contains(tile));
                only.copied().collect()
            };
            let only_first = only(&first.tiles, &second.tiles);
            // With as many mines more as tiles more, all of these are mines.
            if first.n_mines == second.n_mines + only_first.len() {
                note(&mut only_first.into_iter(), true);
                note(&mut only(&second.tiles, &first.tiles).into_iter(), false);
            }
        }
    }
    Ok(is_new)
}
