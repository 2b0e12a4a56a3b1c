use kibitz_text::Location;

/// What the files of a task ask of the search, beyond what clauses may look like. Learners support those
/// that mean something to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchSettings {
    /// Most negative examples that a clause may cover: Aleph's `noise`.
    pub max_false_positives: Option<usize>,
    /// Least share of positive examples among those that a clause covers: Aleph's `minacc`, and what
    /// Progol's `noise` leaves.
    pub min_accuracy: Option<f64>,
    /// Fewest positive examples that a clause must cover: Aleph's `minpos`.
    pub min_positives: Option<usize>,
    /// Most literals between a variable and the head: `i`.
    pub max_depth: Option<usize>,
    /// Most clauses evaluated in one search: `nodes`.
    pub max_nodes: Option<usize>,
    /// Whether clauses are to be judged by compression: `evalfn`.
    pub compression: bool,
    /// Whether examples may be wrong: Popper's `noisy`.
    pub noisy: bool,
    /// Whether predicates may be invented: Popper's `enable_pi`.
    pub invention: bool,
    /// What mistakes cost.
    pub costs: Costs,
    /// How many times a bit of the theory weighs a bit of the labels, where it is not once.
    pub size_weight: Option<f64>,
    /// The settings as they are called in the file, and where they stand.
    pub(super) given: Vec<(SearchSetting, String, Location)>,
}

/// What a mistake costs, in integers of at least 1; what counts is how many times one costs the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Of a positive example that is not covered.
    pub false_negative: u32,
    /// Of a negative example that is covered.
    pub false_positive: u32,
}

impl Default for Costs {
    /// Mistakes cost the same.
    fn default() -> Self {
        Self {
            false_negative: 1,
            false_positive: 1,
        }
    }
}

impl Costs {
    /// What so many uncovered positive and covered negative examples cost.
    pub fn loss(self, n_negatives: usize, n_positives: usize) -> u64 {
        let each = [self.false_negative, self.false_positive].map(u64::from);
        each[0] * n_negatives as u64 + each[1] * n_positives as u64
    }

    /// Whether mistakes cost the same.
    pub fn are_equal(self) -> bool {
        self.false_negative == self.false_positive
    }

    /// What mistakes cost by the weights of the uncovered positive and of the covered negative examples.
    pub fn weighted_loss(self, [positive, negative]: [f64; 2]) -> f64 {
        f64::from(self.false_negative) * positive + f64::from(self.false_positive) * negative
    }

    /// What it costs to be wrong about each of the positive and negative examples that have these weights.
    pub fn of(self, [positive, negative]: [Vec<f64>; 2]) -> Vec<f64> {
        let positive = positive
            .into_iter()
            .map(|own| self.weighted_loss([own, 0.0]));
        let negative = negative
            .into_iter()
            .map(|own| self.weighted_loss([0.0, own]));
        positive.chain(negative).collect()
    }
}

/// A setting of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchSetting {
    /// [`SearchSettings::max_false_positives`].
    MaxFalsePositives,
    /// [`SearchSettings::min_accuracy`].
    MinAccuracy,
    /// [`SearchSettings::min_positives`].
    MinPositives,
    /// [`SearchSettings::max_depth`].
    MaxDepth,
    /// [`SearchSettings::max_nodes`].
    MaxNodes,
    /// [`SearchSettings::compression`].
    Compression,
    /// [`SearchSettings::noisy`].
    Noisy,
    /// [`SearchSettings::invention`].
    Invention,
    /// [`SearchSettings::costs`].
    Costs,
}

impl SearchSettings {
    /// The depth that the files ask for, or the most that fits; a learner's own if they ask for none.
    pub fn depth_or<T: TryFrom<usize>>(&self, own: T, most: T) -> T {
        match self.max_depth.map(T::try_from) {
            Some(asked) => asked.unwrap_or(most),
            None => own,
        }
    }

    /// The negative examples that the files let a clause cover; a learner's own if they do not say.
    pub fn false_positives_or(&self, own: usize) -> usize {
        self.max_false_positives.unwrap_or(own)
    }

    /// The settings that files give, with their names there and their places.
    pub fn given(&self) -> impl Iterator<Item = (SearchSetting, &str, &Location)> {
        let given = self.given.iter();
        given.map(|(setting, name, place)| (*setting, &name[..], place))
    }
}
