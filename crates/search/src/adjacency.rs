//! Adjacency lists of a directed graph, stored as compressed sparse rows.

/// Adjacency lists of a directed graph with nodes numbered from 0, in compressed sparse row (CSR)
/// format: one array with all lists, and one with their offsets.
///
/// An item of a list is a node, or an edge that its owner codes as a number.
///
/// # Examples
/// ```
/// use kibitz_search::adjacency::Adjacency;
///
/// let successors: Adjacency = [vec![1, 2], vec![2], vec![]].into_iter().collect();
/// assert_eq!(successors.get(0), [1, 2]);
/// assert_eq!(successors.reversed().get(2), [0, 1]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjacency {
    /// The list of node v is `items[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Default for Adjacency {
    fn default() -> Self {
        Adjacency {
            starts: vec![0],
            items: Vec::new(),
        }
    }
}

impl<L: IntoIterator<Item = u32>> FromIterator<L> for Adjacency {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let mut adjacency = Adjacency::default();
        for list in lists {
            adjacency.push(list);
        }
        adjacency
    }
}

impl Adjacency {
    /// The lists of `n_nodes` nodes from edges (node, item), by a counting sort; a list keeps the
    /// order of the edges. `edges` is called twice and must yield the same edges.
    ///
    /// # Panics
    /// If an edge starts at a node that is not there, or there are 2^32 edges or more.
    pub fn from_edges<E: Iterator<Item = (u32, u32)>>(
        n_nodes: usize,
        edges: impl Fn() -> E,
    ) -> Adjacency {
        // A chain of iterators runs faster by `for_each` than by `for`.
        let mut starts = vec![0; n_nodes + 1];
        edges().for_each(|(node, _)| starts[node as usize + 1] += 1);
        for node in 0..n_nodes {
            starts[node + 1] += starts[node];
        }
        let mut ends = starts.clone();
        let mut items = vec![0; starts[n_nodes] as usize];
        edges().for_each(|(node, item)| {
            let end = &mut ends[node as usize];
            items[*end as usize] = item;
            *end += 1;
        });
        Adjacency { starts, items }
    }

    /// Adds a node with its list.
    ///
    /// # Panics
    /// If there are 2^32 edges or more.
    pub fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        self.starts.push(number(self.items.len()));
    }

    /// Adds the nodes of another graph behind those of this one; items stay as they are.
    ///
    /// # Panics
    /// If there are 2^32 edges or more.
    pub fn append(&mut self, other: &Adjacency) {
        let shift = number(self.items.len());
        self.items.extend(&other.items);
        let starts = other.starts[1..].iter();
        self.starts.extend(starts.map(|start| start + shift));
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The list of a node.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn get(&self, node: usize) -> &[u32] {
        &self.items[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The lists in the order of their nodes.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.n_nodes()).map(|node| self.get(node))
    }

    /// The graph with its edges reversed: for each node its predecessors, in ascending order.
    #[must_use]
    pub fn reversed(&self) -> Adjacency {
        Adjacency::from_edges(self.n_nodes(), || {
            (0..).zip(self.iter()).flat_map(|(node, list)| {
                let items = list.iter();
                items.map(move |item| (*item, node))
            })
        })
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2^32 edges")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_are_the_lists(lists in prop::collection::vec(prop::collection::vec(0..9_u32, 0..5), 9)) {
            let adjacency: Adjacency = lists.iter().cloned().collect();
            prop_assert!(adjacency.iter().eq(lists.iter().map(Vec::as_slice)));
            let reversed = adjacency.reversed();
            for node in 0..9 {
                let predecessors: Vec<u32> = (0..).zip(&lists)
                    .flat_map(|(from, list)| list.iter().filter(|to| **to == node).map(move |_| from))
                    .collect();
                prop_assert_eq!(reversed.get(node as usize), predecessors);
            }
            let mut twice = adjacency.clone();
            twice.append(&adjacency);
            prop_assert!(twice.iter().eq(adjacency.iter().chain(adjacency.iter())));
        }
    }
}
