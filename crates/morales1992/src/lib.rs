//! The experiments of Morales 1992, "First-Order Induction of Patterns in Chess": chess patterns
//! learned by PAL and by baseline learners, endgame strategies built from them, and qualitative models
//! of the U-tube.
//!
//! # Map
//! | module | kind | what it computes |
//! | --- | --- | --- |
//! | `clause_lengths` | `clause-lengths` | sections 5.1.4.1 and 5.2.3.2 (`clause-lengths`): literals of clauses before reduction |
//! | `clause_operations` | `clause-operations` | chapter 4 (`chapter4`): generalization, absorption, saturation and flattening of the clauses it shows them on |
//! | `component_learning` | `component-learning` | section 6.4.3 (`eight-puzzle`, `cards`): PAL in other domains |
//! | `concept_learning` | `concept-learning` | Tables 6.2 and 6.3 (with `beyond/pal-foresight`, `beyond/pal-symmetries`); sections 6.1 and 6.2.1 (`illegal-krk`, `diagonal`) and appendix B (`pin`): concepts learned by PAL |
//! | `concept_trace` | `concept-trace` | appendix A (`can-threat-trace`): a published run of PAL |
//! | `definition_check` | `definition-check` | section 7.4 (`confined`): a printed definition in all placements of two pieces |
//! | `depth_classes` | `depth-classes` | `beyond/krk-depth`: the distance to mate in king and rook against king, learned by Foil |
//! | `endgame_concepts` | `endgame-concepts` | Tables 7.2 and E.1 (`table7-2` and its interpretations, `table-e1`) and appendix F (`kpk-can-run-learned`): the concepts of an endgame, learned from random starts |
//! | `endgame_positions` | `endgame-positions` | the dataset of an endgame (`krk-positions`): distance to mate, moves of strategies |
//! | `example_learning` | `example-learning` | sections 6.1 and 6.2 (`illegal-krk-random`, `illegal-krk-1989`, `diagonal-examples`): learners on sampled examples |
//! | `example_order` | `example-order` | section 5.3 (`example-order`): Cigol's examples in two orders, MIS and Itou on the same |
//! | `model_acceptance` | `model-acceptance` | Table 8.3 (`table8-3`) and section 8.4.2 (`utube-others`): states that qualitative models accept |
//! | `model_learning` | `model-learning` | sections 8.3 and 8.4 (`utube-learned`, `utube-golem`): qualitative models learned from states |
//! | `model_recovery` | `model-recovery` | `beyond/qsim-systems`: systems recovered from some of their states |
//! | `pawn_run` | `pawn-run` | appendix F (`kpk-can-run`): pawns that promote without their king |
//! | `qualitative` | | the learners of chapter 8 on states |
//! | `qualitative_behavior` | `qualitative-behavior` | Table 8.1 (`table8-1`): the behaviors of a qualitative model |
//! | `strategy_learning` | `strategy-learning` | `beyond/krk-learned`: rules learned from perfect play |
//! | `strategy_repair` | `strategy-repair` | section 7.3 (`krk-repairs`): the smallest changes that make a strategy win |
//! | `strategy_verification` | `strategy-verification` | chapter 7, appendices D and E (`krk-strategy-1`, `krk-strategy-2`): strategies against every reply |
//! | `concepts` | | the concepts of an experiment, from its data |
//! | `clauses` | | Prolog text in parameters and tables |
//! | `memo` | | a memo shared by threads |
//! | `strategies` | | the strategies of `kibitz-patterns` by name |
//! | `systems` | | the systems of `kibitz-qsim` by name |

mod clause_lengths;
mod clause_operations;
mod clauses;
mod component_learning;
mod concept_learning;
mod concept_trace;
mod concepts;
mod definition_check;
mod depth_classes;
mod endgame_concepts;
mod endgame_positions;
mod example_learning;
mod example_order;
mod memo;
mod model_acceptance;
mod model_learning;
mod model_recovery;
mod pawn_run;
mod qualitative;
mod qualitative_behavior;
mod strategies;
mod strategy_learning;
mod strategy_repair;
mod strategy_verification;
mod systems;

use kibitz_experiment::{Code, Kind};

/// The code that decides the results.
const CODE: Code = kibitz_experiment::code!();

/// Every kind of this paper.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind::of::<clause_lengths::ClauseLengths>(CODE),
        Kind::of::<clause_operations::ClauseOperations>(CODE),
        Kind::of::<component_learning::ComponentLearning>(CODE),
        Kind::of::<concept_learning::ConceptLearning>(CODE),
        Kind::of::<concept_trace::ConceptTrace>(CODE),
        Kind::of::<definition_check::DefinitionCheck>(CODE),
        Kind::of::<depth_classes::DepthClasses>(CODE),
        Kind::of::<endgame_concepts::EndgameConcepts>(CODE),
        Kind::of::<endgame_positions::EndgamePositions>(CODE),
        Kind::of::<example_learning::ExampleLearning>(CODE),
        Kind::of::<example_order::ExampleOrder>(CODE),
        Kind::of::<model_acceptance::ModelAcceptance>(CODE),
        Kind::of::<model_learning::ModelLearning>(CODE),
        Kind::of::<model_recovery::ModelRecovery>(CODE),
        Kind::of::<pawn_run::PawnRun>(CODE),
        Kind::of::<qualitative_behavior::QualitativeBehavior>(CODE),
        Kind::of::<strategy_learning::StrategyLearning>(CODE),
        Kind::of::<strategy_repair::StrategyRepair>(CODE),
        Kind::of::<strategy_verification::StrategyVerification>(CODE),
    ]
}
