//! Why a triple is predicted: the rules that fire, and a path for each.

use crate::graph::Graph;
use crate::names::{Entity, Triple};
use crate::rule::{CountedRule, Form, Rule, Side};
use crate::walk::{Walk, holds};

/// A rule that predicts a triple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firing<'r> {
    /// The rule.
    pub rule: &'r CountedRule,
    /// Triples of the graph that make the body hold, along its path; the first such path.
    pub grounding: Vec<Triple>,
}

/// The rules that predict a triple from a graph, in their order.
pub fn firings<'r>(graph: &Graph, rules: &'r [CountedRule], triple: Triple) -> Vec<Firing<'r>> {
    let of_relation = rules
        .iter()
        .filter(|rule| rule.rule.head == triple.relation);
    let fired = of_relation.filter_map(|rule| {
        let grounding = grounding(graph, &rule.rule, triple)?;
        Some(Firing { rule, grounding })
    });
    fired.collect()
}

/// Triples that make the body of a rule hold for the triple that it predicts; none are needed for a
/// zero rule.
pub fn grounding(graph: &Graph, rule: &Rule, triple: Triple) -> Option<Vec<Triple>> {
    if rule.head != triple.relation || triple.head == triple.tail {
        return None;
    }
    let (start, excluded, end) = match rule.form {
        Form::Cyclic => (triple.head, None, Some(triple.tail)),
        Form::Constant { side, constant, .. } | Form::Open { side, constant } => {
            let (filled, start) = match side {
                Side::Head => (triple.head, triple.tail),
                Side::Tail => (triple.tail, triple.head),
            };
            // A zero rule predicts for every entity: the triple's own relation need not be known.
            if filled != constant || !rule.is_zero() && !holds(graph, rule, start) {
                return None;
            }
            match rule.form {
                Form::Constant { end, .. } => {
                    (start, (constant != end).then_some(constant), Some(end))
                }
                _ => (start, Some(constant), None),
            }
        }
    };
    let mut entities: Vec<Entity> = vec![start];
    let mut walk = Walk::new(graph, start, excluded);
    if !walk.path(&rule.body, start, end, &mut entities) {
        return None;
    }
    let pairs = entities.windows(2).zip(&rule.body);
    let triples = pairs.map(|(pair, step)| {
        let (head, tail) = if step.is_backward() {
            (pair[1], pair[0])
        } else {
            (pair[0], pair[1])
        };
        Triple {
            head,
            relation: step.relation(),
            tail,
        }
    });
    Some(triples.collect())
}
