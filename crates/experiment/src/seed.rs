//! Seeds by name: adding a row, a replicate or a stream leaves all others alone.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Everything a seed depends on, except the name of the stream.
#[derive(Clone, Copy, Debug)]
pub struct SeedName<'a> {
    /// `run.seed` of the experiment.
    pub root: u64,
    /// Experiment id, `<paper>/<table>`.
    pub experiment: &'a str,
    /// Cell id.
    pub cell: &'a str,
    /// Zero-based replicate.
    pub replicate: u32,
}

impl SeedName<'_> {
    /// The seed of the named stream: BLAKE3 over all parts, each with its length in front so that
    /// no two different names spell the same bytes.
    pub fn seed(&self, stream: &str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("kibitz seed 1");
        hasher.update(&self.root.to_le_bytes());
        for part in [self.experiment, self.cell, stream] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.update(&self.replicate.to_le_bytes());
        *hasher.finalize().as_bytes()
    }

    /// The generator of the named stream.
    pub fn rng(&self, stream: &str) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.seed(stream))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: SeedName<'_> = SeedName {
        root: 7,
        experiment: "paper/table",
        cell: "row",
        replicate: 0,
    };

    #[test]
    fn every_part_of_the_name_counts() {
        let seeds = [
            NAME.seed("main"),
            NAME.seed("other"),
            SeedName { root: 8, ..NAME }.seed("main"),
            SeedName {
                experiment: "paper/tabl",
                cell: "erow",
                ..NAME
            }
            .seed("main"),
            SeedName {
                cell: "row2",
                ..NAME
            }
            .seed("main"),
            SeedName {
                replicate: 1,
                ..NAME
            }
            .seed("main"),
        ];
        for (idx, seed) in seeds.iter().enumerate() {
            assert!(!seeds[..idx].contains(seed), "seed {idx} is not new");
        }
    }

    #[test]
    fn seeds_stay_what_they_were() {
        // Every committed result that draws random numbers rests on this derivation.
        let seed = NAME.seed("main");
        assert_eq!(blake3::Hash::from(seed).to_hex()[..16], *"4040ca5efae1ad93");
    }
}
