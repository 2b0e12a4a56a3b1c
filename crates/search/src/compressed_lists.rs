//! Adjacency lists of large graphs, compressed.

/// Adjacency lists with ascending items, delta-encoded as variable-length integers: seven bits per byte,
/// and the highest bit set if another byte follows.
///
/// In the graphs of endgames, where neighbors have similar numbers, an item takes two bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompressedLists {
    /// The list of node v is in `bytes[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    bytes: Vec<u8>,
}

impl CompressedLists {
    /// The items of a list.
    pub(crate) fn get(&self, node: usize) -> impl Iterator<Item = u32> {
        let bytes = &self.bytes[self.starts[node] as usize..self.starts[node + 1] as usize];
        let mut bytes = bytes.iter();
        let mut item = 0;
        std::iter::from_fn(move || {
            let mut byte = *bytes.next()?;
            let mut difference = u32::from(byte & 0x7f);
            let mut shift = 7;
            while byte & 0x80 != 0 {
                byte = *bytes.next()?;
                difference |= u32::from(byte & 0x7f) << shift;
                shift += 7;
            }
            item += difference;
            Some(item)
        })
    }
}

/// Builds [`CompressedLists`] lists in two passes over the same edges: every item of every list is
/// counted, then written.
#[derive(Debug)]
pub(crate) struct Compressor {
    /// The last item of each list.
    last: Vec<u32>,
    /// First the size of each list, then where its next item goes.
    places: Vec<u32>,
    bytes: Vec<u8>,
}

impl Compressor {
    /// Empty lists for nodes numbered from 0, as many as are counted.
    pub(crate) fn new() -> Self {
        Self {
            last: Vec::new(),
            places: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Makes room for lists up to this number.
    pub(crate) fn resize(&mut self, n_nodes: usize) {
        self.last.resize(n_nodes, 0);
        self.places.resize(n_nodes, 0);
    }

    /// Counts an item, no smaller than those before in its list.
    pub(crate) fn count(&mut self, node: usize, item: u32) {
        let difference = item - self.last[node];
        self.last[node] = item;
        let n_bits = u32::BITS - difference.leading_zeros();
        self.places[node] += n_bits.div_ceil(7).max(1);
    }

    /// Ends the first pass.
    ///
    /// # Panics
    /// If the lists take 4 GiB or more.
    pub(crate) fn begin_writing(&mut self) {
        let mut start = 0_u32;
        for place in &mut self.places {
            let size = std::mem::replace(place, start);
            start = start.checked_add(size).expect("lists of less than 4 GiB");
        }
        self.last.fill(0);
        self.bytes = vec![0; start as usize];
    }

    /// Writes an item that was counted.
    pub(crate) fn write(&mut self, node: usize, item: u32) {
        let mut difference = item - self.last[node];
        self.last[node] = item;
        let place = &mut self.places[node];
        loop {
            let bits = difference.to_le_bytes()[0] & 0x7f;
            difference >>= 7;
            let follows = difference != 0;
            self.bytes[*place as usize] = bits | u8::from(follows) << 7;
            *place += 1;
            if !follows {
                return;
            }
        }
    }

    /// The lists, all of whose items are written.
    pub(crate) fn finish(self) -> CompressedLists {
        // Each place has come to where the next list begins.
        let mut starts = self.places;
        starts.insert(0, 0);
        starts.shrink_to_fit();
        CompressedLists {
            starts,
            bytes: self.bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_read_as_they_were_written(
            lists in prop::collection::vec(prop::collection::vec(any::<u32>(), 0..9), 0..9),
        ) {
            let mut lists = lists;
            let mut compressor = Compressor::new();
            compressor.resize(lists.len());
            for (node, list) in lists.iter_mut().enumerate() {
                list.sort_unstable();
                for item in list.iter() {
                    compressor.count(node, *item);
                }
            }
            compressor.begin_writing();
            for (node, list) in lists.iter().enumerate() {
                for item in list {
                    compressor.write(node, *item);
                }
            }
            let compressed = compressor.finish();
            for (node, list) in lists.iter().enumerate() {
                prop_assert_eq!(&compressed.get(node).collect::<Vec<_>>(), list);
            }
        }
    }
}
