//! Types that a task does not declare, from the constants it has.

use kibitz_prolog::{Argument, Mode, Predicate, Symbol, Term, print_term};
use rustc_hash::FxHashSet;

use super::Task;
use super::issue::IssueKind;

/// Most modes that one predicate with undeclared types may stand for.
const MAX_MODES: usize = 64;
/// An argument of the head with at most this many values may be a label.
const MAX_LABELS: usize = 50;

/// Gives arguments without a type those of the declared types whose constants they share, or of all
/// types where they have no constants. Nothing changes where no type is declared.
pub(super) fn fit_types(task: &mut Task, any: Symbol) {
    let mut kinds: Vec<Symbol> = Vec::new();
    let modes = || std::iter::once(&task.bias.head).chain(&task.bias.body);
    for argument in modes().flat_map(|mode| &mode.arguments) {
        if argument.kind != any && !kinds.contains(&argument.kind) {
            kinds.push(argument.kind);
        }
    }
    let is_untyped = |argument: &Argument| argument.kind == any;
    if kinds.is_empty() || !modes().any(|mode| mode.arguments.iter().any(is_untyped)) {
        return;
    }
    let known: Vec<FxHashSet<Term>> = (kinds.iter())
        .map(|kind| task.constants_of(*kind).into_iter().collect())
        .collect();
    let fitting = |task: &Task, predicate: Predicate, place: usize| -> Vec<Symbol> {
        let values = values_of(task, predicate, place);
        let shares = |known: &FxHashSet<Term>| values.iter().any(|value| known.contains(value));
        let own = kinds.iter().zip(&known);
        let own: Vec<Symbol> = own
            .filter(|(_, known)| shares(known))
            .map(|(kind, _)| *kind)
            .collect();
        match (own.is_empty(), values.is_empty()) {
            (false, _) => own,
            (true, true) => kinds.clone(),
            (true, false) => vec![any],
        }
    };
    let mut head = task.bias.head.clone();
    for (place, argument) in head.arguments.iter_mut().enumerate() {
        if is_untyped(argument) {
            argument.kind = fitting(task, head.predicate, place)[0];
        }
    }
    let mut body = Vec::with_capacity(task.bias.body.len());
    for mode in &task.bias.body {
        let mut choices = vec![mode.clone()];
        for (place, argument) in mode.arguments.iter().enumerate() {
            if !is_untyped(argument) {
                continue;
            }
            let kinds = if mode.predicate == head.predicate {
                vec![head.arguments[place].kind]
            } else {
                fitting(task, mode.predicate, place)
            };
            if choices.len() * kinds.len() <= MAX_MODES {
                choices = with_kinds(&choices, place, &kinds);
            }
        }
        body.extend(choices);
    }
    task.bias.head = head;
    task.bias.body = body;
}

/// Gives the arguments of a head that no mode declares the type with most of their constants, or the only
/// type of bodies where its constants are not known. The others keep `any`.
pub(super) fn infer_head(task: &mut Task, any: Symbol) {
    let mut kinds: Vec<Symbol> = Vec::new();
    for argument in task.bias.body.iter().flat_map(|mode| &mode.arguments) {
        if argument.kind != any && !kinds.contains(&argument.kind) {
            kinds.push(argument.kind);
        }
    }
    for argument in &mut task.bias.head.arguments {
        argument.kind = any;
    }
    let known: Vec<FxHashSet<Term>> = (kinds.iter())
        .map(|kind| task.constants_of(*kind).into_iter().collect())
        .collect();
    for place in 0..task.target.arity {
        let values = values_of(task, task.target, place);
        let mut best = (0, any);
        for (kind, known) in kinds.iter().zip(&known) {
            let n_shared = values.iter().filter(|value| known.contains(*value)).count();
            if n_shared > best.0 {
                best = (n_shared, *kind);
            }
        }
        if let ([only], [known]) = (&kinds[..], &known[..])
            && known.is_empty()
        {
            best.1 = *only;
        }
        task.bias.head.arguments[place].kind = best.1;
    }
}

fn with_kinds(modes: &[Mode], place: usize, kinds: &[Symbol]) -> Vec<Mode> {
    let with = |mode: &Mode, kind: Symbol| {
        let mut mode = mode.clone();
        mode.arguments[place].kind = kind;
        mode
    };
    let modes = modes.iter();
    modes
        .flat_map(|mode| {
            kinds
                .iter()
                .map(|kind| with(mode, *kind))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The constants that a predicate has at a place, in examples and ground facts.
pub(super) fn values_of(task: &Task, predicate: Predicate, place: usize) -> FxHashSet<Term> {
    let examples = task.positive.iter().chain(&task.negative);
    let facts = task
        .background
        .iter()
        .filter(|clause| clause.body.is_empty());
    let atoms = examples.chain(facts.map(|clause| &clause.head));
    let own = atoms.filter(|atom| atom.predicate() == predicate);
    let values = own.filter_map(|atom| atom.args.get(place));
    values.filter(|value| value.is_ground()).cloned().collect()
}

/// Arguments of the head whose values no body predicate has: labels, which need constants. Those for
/// which constants are declared get their type, the others are reported.
pub(super) fn label_arguments(task: &mut Task, any: Symbol) -> Vec<IssueKind> {
    let mut told = Vec::new();
    let target = task.target;
    let modes = || {
        task.bias
            .body
            .iter()
            .filter(|mode| mode.predicate != target)
    };
    let is_fact = |predicate: Predicate| {
        let own = task
            .background
            .iter()
            .filter(|clause| clause.head.predicate() == predicate);
        let mut own = own.peekable();
        own.peek().is_some() && own.all(|clause| clause.body.is_empty() && clause.head.is_ground())
    };
    let all_facts = modes().all(|mode| is_fact(mode.predicate));
    let is_open = |argument: &Argument| argument.kind == any;
    if !all_facts || !task.bias.head.arguments.iter().any(is_open) {
        return told;
    }
    let mut bound: FxHashSet<Term> = FxHashSet::default();
    for mode in modes() {
        for place in 0..mode.arguments.len() {
            bound.extend(values_of(task, mode.predicate, place));
        }
    }
    let n_examples = task.positive.len() + task.negative.len();
    for place in 0..target.arity {
        let values = values_of(task, target, place);
        let is_label = task.bias.head.arguments[place].kind == any
            && !bound.is_empty()
            && (2..=MAX_LABELS).contains(&values.len())
            && 2 * values.len() <= n_examples
            && values.iter().all(|value| matches!(value, Term::Const(_)))
            && values.is_disjoint(&bound);
        if !is_label {
            continue;
        }
        let mut sets = task.bias.constants.iter();
        let declared = sets.find(|set| values.iter().all(|value| set.constants.contains(value)));
        if let Some(set) = declared {
            task.bias.head.arguments[place].kind = set.kind;
            continue;
        }
        let mut names: Vec<String> = values
            .iter()
            .map(|value| print_term(value, &task.symbols).to_string())
            .collect();
        names.sort();
        told.push(IssueKind::Label {
            argument: place + 1,
            values: names.join(", "),
        });
    }
    told
}
