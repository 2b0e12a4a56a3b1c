//! From the ends backwards through a graph.

use super::Failure;

/// A list of nodes for each node.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// Where each list ends.
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    pub(super) fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        self.ends.push(super::number(self.items.len()));
    }

    pub(super) fn append(&mut self, other: Lists) {
        let shift = super::number(self.items.len());
        self.items.extend(other.items);
        self.ends.extend(other.ends.iter().map(|end| end + shift));
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, node: usize) -> &[u32] {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start as usize..self.ends[node] as usize]
    }

    /// For each node, those whose list it is in.
    pub(super) fn reversed(&self) -> Lists {
        let mut starts = vec![0_u32; self.len() + 1];
        for &item in &self.items {
            starts[item as usize + 1] += 1;
        }
        for node in 0..self.len() {
            starts[node + 1] += starts[node];
        }
        let mut items = vec![0; self.items.len()];
        for node in 0..self.len() {
            for &item in self.get(node) {
                let place = &mut starts[item as usize];
                items[*place as usize] = super::number(node);
                *place += 1;
            }
        }
        // Each start has moved on to where its list ends.
        starts.truncate(self.len());
        Lists {
            ends: starts,
            items,
        }
    }
}

/// Which of the nodes that a node leads to have to have the property for it to have it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Needs {
    One,
    All(usize),
    Never,
}

/// Plies to an end, for the nodes from which it is reached.
#[derive(Debug)]
pub(super) struct Distances {
    found: Vec<Option<(u16, Failure)>>,
}

impl Distances {
    /// Spreads the ends, given as arrivals at nodes after some plies, in the order of the plies: the
    /// first arrival is the shortest way, the last one the longest.
    ///
    /// A node leads on to another only where `leads` says so of the two.
    pub(super) fn new(
        next: &Lists,
        before: &Lists,
        needs: impl Fn(usize, usize) -> Needs,
        ends: impl Iterator<Item = (usize, u16, Failure)>,
        leads: impl Fn(usize, usize) -> bool,
    ) -> Distances {
        let mut missing: Vec<u32> = (0..next.len())
            .map(|node| match needs(node, next.get(node).len()) {
                Needs::One => 1,
                Needs::All(count) => super::number(count),
                Needs::Never => u32::MAX,
            })
            .collect();
        let mut found = vec![None; next.len()];
        let mut arrivals: Vec<Vec<(usize, Failure)>> = Vec::new();
        for (node, plies, end) in ends {
            arrive(&mut arrivals, plies, node, end);
        }
        let mut plies = 0;
        while usize::from(plies) < arrivals.len() {
            for (node, end) in std::mem::take(&mut arrivals[usize::from(plies)]) {
                missing[node] = missing[node].saturating_sub(1);
                if missing[node] > 0 || found[node].is_some() {
                    continue;
                }
                found[node] = Some((plies, end));
                for &earlier in before.get(node) {
                    let earlier = earlier as usize;
                    if found[earlier].is_none() && leads(earlier, node) {
                        arrive(&mut arrivals, plies + 1, earlier, end);
                    }
                }
            }
            plies += 1;
        }
        Distances { found }
    }

    pub(super) fn get(&self, node: usize) -> Option<(u16, Failure)> {
        self.found[node]
    }
}

fn arrive(arrivals: &mut Vec<Vec<(usize, Failure)>>, plies: u16, node: usize, end: Failure) {
    let plies = usize::from(plies);
    if arrivals.len() <= plies {
        arrivals.resize_with(plies + 1, Vec::new);
    }
    arrivals[plies].push((node, end));
}
