//! The list of learners: names, summaries, requirements, and constructors.
//!
//! The program `kibitz-ilp`, with the feature `cli`, takes its learners from here, as do programs that offer
//! a choice of them by name. A program that always learns in one way needs that learner's crate only.

use std::str::FromStr;

use kibitz_ilp::learn::bottom_clause::Bounds;
use kibitz_ilp::learn::mml::{Criterion, Noise};
use kibitz_ilp::learn::{
    Auto, ClosedWorld, Covering, Foil, Golem, Learner, Lff, Mfoil, Mio, Mml, Progol,
};
use kibitz_ilp::{SearchSetting, Task};
use kibitz_ilp_classics::{Cigol, Itou, Mis};
use kibitz_prolog::Limits;
use kibitz_text::{Diagnostic, counted};
use thiserror::Error;

/// The learners by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Algorithm {
    /// Top-down, by information gain.
    Foil,
    /// Top-down with a beam, by estimated accuracy and significance: for noisy examples.
    Mfoil,
    /// Bottom-up, by relative least general generalization of determinate clauses.
    Golem,
    /// Top-down within the bottom clause of an example, in macros, by IDA*.
    Mio,
    /// Top-down within the bottom clause of an example, by compression, best first.
    Progol,
    /// By message length: the theory that codes itself and the labels in the fewest bits, under noise
    /// and from positive examples alone, too.
    Mml,
    /// Generate and test with learning from failures: the smallest theory first, recursive ones
    /// included.
    Lff,
    /// The best theory of Foil, mml, Lff and mFoil, which take turns.
    Auto,
    /// Bottom-up covering by constrained generalization: PAL's algorithm for given examples.
    Covering,
    /// Closed-world specialization: Foil's clauses with exceptions to those that cover negative
    /// examples.
    ClosedWorld,
    /// Truncation, absorption and intra-construction of the examples alone, by inverse resolution.
    Cigol,
    /// Top-down by refinement, one example at a time; false clauses are found by contradiction
    /// backtracing.
    Mis,
    /// Bottom-up from the saturation of an example, whose literals are taken away; with
    /// intra-construction.
    Itou,
    /// Bottom-up by constrained generalization, with examples that it generates and asks about.
    Pal,
}

/// Parameters that several learners share; the others ignore them.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Most search steps; the default of the learner if `None`.
    pub max_steps: Option<u64>,
    /// Seed of random choices (Golem, Mio); the default of the learner if `None`.
    pub seed: Option<u64>,
    /// Bounds on queries to the background and on the memory of the search.
    pub limits: Limits,
    /// The search space (Mio, Progol); the default of the learner if `None`. `limits` stands for its
    /// own.
    pub bounds: Option<Bounds>,
    /// Classes of the target's arguments (covering).
    pub classes: Vec<u32>,
    /// What is to be shortest (mml).
    pub criterion: Criterion,
    /// Whether labels may be wrong (mml).
    pub noise: Noise,
}

/// An entry of the list.
struct Entry {
    name: &'static str,
    summary: &'static str,
    needs: &'static str,
}

/// What [`Algorithm::Auto`] chooses from, in the order of their turns: most often the first end early.
const CHOICE: [Algorithm; 4] = [
    Algorithm::Foil,
    Algorithm::Mml,
    Algorithm::Lff,
    Algorithm::Mfoil,
];

/// Turns of [`Algorithm::Auto`] without a better theory after which it ends, where no number of steps is
/// given.
const PATIENCE: u32 = 4;

const BOTH_SIDES: &str = "positive and negative examples";
const TABLES: &str = "positive and negative examples, and background whose answers can be listed";

impl Algorithm {
    /// All of them: those for your data first, then those from the literature.
    pub const ALL: [Self; 14] = [
        Self::Auto,
        Self::Foil,
        Self::Mml,
        Self::Lff,
        Self::Mfoil,
        Self::Golem,
        Self::Mio,
        Self::Progol,
        Self::Covering,
        Self::ClosedWorld,
        Self::Cigol,
        Self::Mis,
        Self::Itou,
        Self::Pal,
    ];

    fn entry(self) -> Entry {
        let (name, summary, needs) = match self {
            Self::Foil => ("foil", "Top-down, by information gain", TABLES),
            Self::Mfoil => (
                "mfoil",
                "Top-down with a beam, by estimated accuracy and significance: for noisy examples",
                TABLES,
            ),
            Self::Golem => (
                "golem",
                "Bottom-up, by relative least general generalization of determinate clauses",
                TABLES,
            ),
            Self::Mio => (
                "mio",
                "Top-down within the bottom clause of an example, in macros, by IDA*",
                BOTH_SIDES,
            ),
            Self::Progol => (
                "progol",
                "Top-down within the bottom clause of an example, by compression, best first",
                BOTH_SIDES,
            ),
            Self::Mml => (
                "mml",
                "By message length: the theory that codes itself and the labels in the fewest bits, \
                 under noise and from positive examples alone, too",
                "positive examples, and background whose answers can be listed",
            ),
            Self::Lff => (
                "lff",
                "Generate and test with learning from failures: the smallest theory first, recursive \
                 ones included",
                BOTH_SIDES,
            ),
            Self::Auto => (
                "auto",
                "The best theory of `foil`, `mml`, `lff` and `mfoil`, which take turns: by its message, and by \
                 tests on held-out examples",
                BOTH_SIDES,
            ),
            Self::Covering => (
                "covering",
                "Bottom-up covering by constrained generalization: PAL's algorithm for given \
                 examples",
                "positive examples, and facts that relate two of their arguments",
            ),
            Self::ClosedWorld => (
                "closed-world",
                "Closed-world specialization: Foil's clauses, with exceptions to those that cover \
                 negative examples",
                TABLES,
            ),
            Self::Cigol => (
                "cigol",
                "Truncation, absorption and intra-construction of the examples alone, by inverse resolution",
                "positive examples, few enough to be compared in pairs, and negative ones or a user \
                 to judge its clauses",
            ),
            Self::Mis => (
                "mis",
                "Top-down by refinement, one example at a time; false clauses are found by \
                 contradiction backtracing",
                BOTH_SIDES,
            ),
            Self::Itou => (
                "itou",
                "Bottom-up from the saturation of an example, whose literals are taken away; with \
                 intra-construction",
                "positive examples, and negative ones or a user to judge its clauses",
            ),
            Self::Pal => (
                "pal",
                "Bottom-up by constrained generalization, with examples that it generates and asks \
                 about",
                "a domain of states, features of them, a first example of each clause, and a \
                 teacher or an oracle to answer its questions",
            ),
        };
        Entry {
            name,
            summary,
            needs,
        }
    }

    /// The name on the command line and in experiments.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// When to choose it, in one line; `None` for the learners from the literature, which are here to
    /// reproduce and compare results.
    pub fn when_to_choose(self) -> Option<&'static str> {
        match self {
            Self::Auto => {
                Some("if you do not know which: the others take turns, the best theory is kept")
            }
            Self::Foil => Some("thousands of clean examples, or an answer in milliseconds"),
            Self::Mml => {
                Some("wrong labels, or positive examples alone; says what its theory saves")
            }
            Self::Lff => Some("recursion, few examples, or the smallest theory"),
            Self::Mfoil => Some("noisy examples whose clauses need several literals at once"),
            _ => None,
        }
    }

    /// How it learns, in one line.
    pub fn summary(self) -> &'static str {
        self.entry().summary
    }

    /// Its requirements: examples, background, and whatever else.
    pub fn needs(self) -> &'static str {
        self.entry().needs
    }

    /// Whether it supports a setting of the search that the files of a task give.
    pub fn obeys(self, setting: SearchSetting) -> bool {
        use SearchSetting::{
            Compression, Costs, Invention, MaxDepth, MaxFalsePositives, MaxNodes, MinAccuracy,
            MinPositives, Noisy,
        };
        match self {
            Self::Foil | Self::Mfoil | Self::ClosedWorld => matches!(
                setting,
                MaxFalsePositives | MinAccuracy | MinPositives | MaxDepth | Noisy
            ),
            Self::Golem => matches!(
                setting,
                MaxFalsePositives | MinAccuracy | MinPositives | MaxDepth
            ),
            Self::Mio | Self::Progol => matches!(
                setting,
                MaxFalsePositives | MinAccuracy | MinPositives | MaxDepth | MaxNodes | Compression
            ),
            Self::Mml => matches!(setting, MinPositives | Noisy | Costs),
            Self::Lff => matches!(
                setting,
                MaxFalsePositives | MinAccuracy | MinPositives | Noisy | Invention
            ),
            Self::Auto => CHOICE.iter().any(|own| own.obeys(setting)),
            Self::Mis => setting == MaxNodes,
            Self::Itou => setting == MaxDepth,
            Self::Covering | Self::Cigol | Self::Pal => false,
        }
    }

    /// The learners among those that it chooses from that ignore a setting which others support.
    pub fn choices_without(self, setting: SearchSetting) -> Vec<&'static str> {
        let choices = CHOICE.iter().filter(|own| !own.obeys(setting));
        let is_choice = self == Self::Auto && self.obeys(setting);
        choices
            .filter(|_| is_choice)
            .map(|own| own.name())
            .collect()
    }

    /// A warning for each setting of the search that the files of a task give and that it ignores, and one for
    /// all weights of examples if it ignores those.
    pub fn ignored_settings(self, task: &Task) -> Vec<Diagnostic> {
        let given = task.search.given();
        let ignored = given.filter(|(setting, ..)| !self.obeys(*setting));
        let ignored = ignored.map(|(_, name, place)| {
            let message = format!("setting `{name}` is ignored by {}", self.name());
            Diagnostic::warning(message).at(place.clone())
        });
        let mut ignored: Vec<Diagnostic> = ignored.collect();
        if task.weights.are_given() && !self.weighs_examples() {
            let weights = counted(task.weights.len(), "weight", "weights");
            ignored.push(Diagnostic::warning(format!(
                "{weights} of examples ignored by {}, which counts each example once",
                self.name()
            )));
        }
        ignored
    }

    /// Whether its search has a limit on steps.
    pub fn counts_steps(self) -> bool {
        !matches!(self, Self::Covering | Self::Pal)
    }

    /// Whether an example counts as its weight in what it learns.
    pub fn weighs_examples(self) -> bool {
        matches!(self, Self::Mml | Self::Auto)
    }

    /// Whether it works on tables of the background's answers, instead of proving as it goes.
    pub fn lists_background(self) -> bool {
        matches!(
            self,
            Self::Foil | Self::Mfoil | Self::Golem | Self::Mml | Self::ClosedWorld
        )
    }

    /// A learner of its kind with its usual parameters and these settings.
    ///
    /// # Errors
    /// [`NeedsMore`] for PAL: `PalLearner` of `kibitz-pal` is made with its domain.
    pub fn learner(self, settings: &Settings) -> Result<Box<dyn Learner>, NeedsMore> {
        let Settings {
            max_steps, limits, ..
        } = *settings;
        Ok(match self {
            Self::Foil => Box::new(foil(settings)),
            Self::Mfoil => {
                let usual = Mfoil::default();
                let max_steps = max_steps.unwrap_or(usual.max_steps);
                Box::new(Mfoil {
                    max_steps,
                    limits,
                    ..usual
                })
            }
            Self::Golem => {
                let usual = Golem::default();
                Box::new(Golem {
                    max_steps: max_steps.unwrap_or(usual.max_steps),
                    seed: settings.seed.unwrap_or(usual.seed),
                    limits,
                    ..usual
                })
            }
            Self::Mio => {
                let usual = Mio::default();
                Box::new(Mio {
                    bounds: bounds(settings, usual.bounds),
                    max_steps: max_steps.unwrap_or(usual.max_steps),
                    seed: settings.seed.unwrap_or(usual.seed),
                    ..usual
                })
            }
            Self::Progol => {
                let usual = Progol::default();
                Box::new(Progol {
                    bounds: bounds(settings, usual.bounds),
                    max_steps: max_steps.unwrap_or(usual.max_steps),
                })
            }
            Self::Mml => {
                let own = Mml {
                    criterion: settings.criterion,
                    noise: settings.noise,
                    limits,
                    ..Mml::default()
                };
                Box::new(max_steps.map_or(own, |most| own.with_max_steps(most)))
            }
            Self::Lff => {
                let usual = Lff::default();
                let max_steps = max_steps.unwrap_or(usual.max_steps);
                Box::new(Lff {
                    max_steps,
                    limits,
                    ..usual
                })
            }
            Self::Auto => {
                // Turns and tests take four times as many steps as the last turn.
                let max_steps = max_steps.map(|most| most.div_ceil(4));
                let quarter = Settings {
                    max_steps,
                    ..settings.clone()
                };
                let learners = CHOICE.iter().map(|own| own.learner(&quarter));
                Box::new(Auto {
                    learners: learners.collect::<Result<_, _>>()?,
                    folds: 5,
                    seed: settings.seed.unwrap_or(1),
                    patience: max_steps.is_none().then_some(PATIENCE),
                    limits,
                })
            }
            Self::Covering => Box::new(Covering {
                classes: settings.classes.clone(),
            }),
            Self::ClosedWorld => Box::new(ClosedWorld::new(foil(settings))),
            Self::Cigol => {
                let usual = Cigol::default();
                let max_steps = max_steps.unwrap_or(usual.max_steps);
                Box::new(Cigol { max_steps, ..usual })
            }
            Self::Mis => {
                let usual = Mis::default();
                let max_steps = max_steps.unwrap_or(usual.max_steps);
                Box::new(Mis {
                    max_steps,
                    limits,
                    ..usual
                })
            }
            Self::Itou => {
                let usual = Itou::default();
                let max_steps = max_steps.unwrap_or(usual.max_steps);
                Box::new(Itou {
                    max_steps,
                    limits,
                    ..usual
                })
            }
            Self::Pal => return Err(NeedsMore(self)),
        })
    }
}

fn foil(settings: &Settings) -> Foil {
    let usual = Foil::default();
    Foil {
        max_steps: settings.max_steps.unwrap_or(usual.max_steps),
        limits: settings.limits,
        ..usual
    }
}

fn bounds(settings: &Settings, usual: Bounds) -> Bounds {
    Bounds {
        limits: settings.limits,
        ..settings.bounds.unwrap_or(usual)
    }
}

/// A learner that needs more than a task and settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{} needs {}", .0.name(), .0.needs())]
pub struct NeedsMore(pub Algorithm);

/// A name that no learner has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown learner {0}")]
pub struct UnknownAlgorithm(pub String);

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|known| known.name() == name);
        known.ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_learners_and_are_read_back() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
            let learner = algorithm.learner(&Settings::default());
            assert_eq!(learner.is_err(), algorithm == Algorithm::Pal);
            if let Ok(learner) = learner {
                assert_eq!(learner.name(), algorithm.name());
            }
        }
        let error = "foyl".parse::<Algorithm>().unwrap_err();
        assert_eq!(error.to_string(), "unknown learner foyl");
    }
}
