//! The experiments of Morales 1992, "First-Order Induction of Patterns in Chess": chess patterns
//! learned by PAL and by the learners it is compared with, and qualitative models of the U-tube.
//!
//! # Map
//! | module | kind | what it computes |
//! | --- | --- | --- |
//! | `concept_learning` | `concept-learning` | Tables 6.2 and 6.3 (`beyond/pal-foresight` beside them); sections 6.1 and 6.2.1 (`illegal-krk`, `diagonal`) and appendix B (`pin`): concepts learned by PAL |
//! | `concept_trace` | `concept-trace` | appendix A (`can-threat-trace`): a printed run of PAL |
//! | `example_learning` | `example-learning` | sections 6.1 and 6.2 (`illegal-krk-random`, `diagonal-examples`): learners on sampled examples |
//! | `example_order` | `example-order` | section 5.3 (`example-order`): Cigol's examples in two orders |
//! | `model_acceptance` | `model-acceptance` | Table 8.3 (`table8-3`) and section 8.4.2 (`utube-others`): states that qualitative models accept |
//! | `model_learning` | `model-learning` | sections 8.3 and 8.4 (`utube-learned`): qualitative models learned from states |
//! | `model_recovery` | `model-recovery` | `beyond/qsim-systems`: systems recovered from some of their states |
//! | `qualitative` | | the learners of chapter 8 on states |
//! | `qualitative_behavior` | `qualitative-behavior` | Table 8.1 (`table8-1`): what a qualitative model goes through |
//! | `concepts` | | what PAL is told of a concept, as data |
//! | `clauses` | | Prolog text in parameters and tables |
//! | `systems` | | the systems of `kibitz-qsim` by name |

mod clauses;
mod concept_learning;
mod concept_trace;
mod concepts;
mod example_learning;
mod example_order;
mod model_acceptance;
mod model_learning;
mod model_recovery;
mod qualitative;
mod qualitative_behavior;
mod systems;

use kibitz_experiment::{Code, Kind};

/// The code that decides the results.
const CODE: Code = kibitz_experiment::code!();

/// Every kind of this paper.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind::of::<concept_learning::ConceptLearning>(CODE),
        Kind::of::<concept_trace::ConceptTrace>(CODE),
        Kind::of::<example_learning::ExampleLearning>(CODE),
        Kind::of::<example_order::ExampleOrder>(CODE),
        Kind::of::<model_acceptance::ModelAcceptance>(CODE),
        Kind::of::<model_learning::ModelLearning>(CODE),
        Kind::of::<model_recovery::ModelRecovery>(CODE),
        Kind::of::<qualitative_behavior::QualitativeBehavior>(CODE),
    ]
}
