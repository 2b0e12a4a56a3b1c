//! Rules from knowledge graphs.
//!
//! Learns rules such as `speaks(X,english) <= lives(X,london)` from triples, bottom-up from the paths
//! between the entities of known ones, as `AnyBURL` does (Meilicke et al., *Anytime Bottom-Up Rule
//! Learning for Knowledge Graph Completion*, IJCAI 2019); applies them to rank candidates for one
//! place of a triple; evaluates the ranks; and shows why a triple is predicted.
//!
//! # Examples
//! ```
//! use kibitz_graph::{Graph, LearnSettings, Vocabulary, any_burl_text, learn};
//!
//! let mut vocabulary = Vocabulary::default();
//! let mut triples = Vec::new();
//! for (a, b) in [("ann", "bob"), ("cas", "dan"), ("eve", "fay")] {
//!     triples.push(vocabulary.triple(a, "married", b));
//!     triples.push(vocabulary.triple(b, "married", a));
//! }
//! let graph = Graph::new(triples);
//! let learned = learn(&graph, &LearnSettings::default(), &|| false, &|| {});
//! let best = &learned.rules[0];
//! assert_eq!(any_burl_text(&best.rule, &vocabulary)?, "married(X,Y) <= married(Y,X)");
//! assert_eq!((best.counts.support, best.counts.body), (6, 6));
//! # Ok::<(), kibitz_graph::WriteError>(())
//! ```
//!
//! # Map
//! | module | contents |
//! | --- | --- |
//! | `names` | entities, relations and triples as numbers, and their names |
//! | `input`, `fields` | triples from files |
//! | `graph` | triples indexed in both directions |
//! | `rule`, `literal` | rules as paths and as literals |
//! | `rules_text`, `prolog_text` | files of rules, in `AnyBURL`'s syntax and as Prolog |
//! | `walk` | paths under Object Identity, and the counts of rules |
//! | `paths` | the paths between the ends of a triple |
//! | `learn` | the search for rules |
//! | `learned` | what a search found, and what it left out |
//! | `select` | the same, with a validation set that chooses the length of paths |
//! | `apply` | ranked candidates |
//! | `evaluate` | ranks, mean reciprocal rank, hits |
//! | `explain` | the rules that fire for a triple |
//! | `stats` | statistics of a graph, and consistency of its splits |
//! | `experiment` | the experiment kind `graph-rules`, with the feature `experiment` |
//! | `cli` | the command `graph`, with the feature `cli` |
//!
//! Invariants: the same graph, settings and seed give the same rules on any number of threads; no
//! clock or environment is read.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "ids and counts have 32 bits: reading rejects more triples than that"
)]

mod apply;
#[cfg(feature = "cli")]
pub mod cli;
mod evaluate;
#[cfg(feature = "experiment")]
pub mod experiment;
mod explain;
mod fields;
mod graph;
mod input;
mod learn;
mod learned;
mod literal;
mod names;
mod paths;
mod prolog_text;
mod rule;
mod rules_text;
mod select;
mod stats;
mod walk;

pub use apply::{Aggregation, Applier, ApplySettings, Candidate, Query, Scratch};
pub use evaluate::{HITS, Measures, Rank, by_relation, filled, ranks};
pub use explain::{Firing, firings, grounding};
pub use graph::{Graph, MAX_TRIPLES, Step};
pub use input::{MemoryLimit, TripleFile, read_tabs, read_triples};
pub use learn::{LearnSettings, learn, n_rounds};
pub use learned::{LearnedRules, Round, Sample};
pub use names::{Entity, Relation, Triple, Vocabulary};
pub use prolog_text::prolog_text;
pub use rule::{CountedRule, Counts, Form, MAX_PATH, Path, Rule, Side, UNSEEN};
pub use rules_text::{
    RuleFile, RuleSyntax, WriteError, any_burl_text, parse_rules, read_rules, unwritable_name,
    write_rules,
};
pub use select::learn_selected;
pub use stats::{Fit, RelationStats, fit, n_common, relation_stats};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
