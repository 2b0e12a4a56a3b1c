//! Popper's layout: `exs.pl`, `bk.pl` and `bias.pl`.

mod declarations;
mod names;

use kibitz_prolog::{
    Argument, Atom, Clause, Dialect, Direction, Mode, Predicate, SentenceKind, SymbolTable, Term,
};

use declarations::Declarations;

use super::example_targets::ExampleTargets;
use super::issue::{Issue, IssueKind, TaskError};
use super::source::{Places, Source, show, show_all};
use super::types::{fit_types, label_arguments};
use super::weights::{StatedWeights, WEIGHT, Weights, is_weight, weight};
use super::{Bias, Task, share};

impl Task {
    /// Reads a task in Popper's layout.
    ///
    /// Types and directions may be missing: if some are declared, an argument without a type has that
    /// of the arguments with which it shares constants, otherwise all share one; arguments without a
    /// direction may be filled with known or new variables. Rules and constraints of the bias are
    /// supported where they are about single clauses; the others are ignored with a warning.
    ///
    /// # Errors
    /// Every problem found, with file, line and column.
    pub fn from_popper(
        examples: Source<'_>,
        background: Source<'_>,
        bias: Source<'_>,
    ) -> Result<Task, TaskError> {
        Self::only(
            Self::each_from_popper(examples, background, bias)?,
            bias.name,
        )
    }

    /// Reads a task for each `head_pred`, in their order: each has its own examples, and background and
    /// body predicates are shared.
    pub(super) fn each_from_popper(
        examples: Source<'_>,
        background: Source<'_>,
        bias: Source<'_>,
    ) -> Result<Vec<Task>, TaskError> {
        let mut symbols = SymbolTable::new();
        let mut issues = Vec::new();
        let mut declared = Declarations::read(&bias, &mut symbols, &mut issues);
        if declared.heads.is_empty() {
            // A capitalized name was meant to declare it.
            if !declared.is_capitalized {
                let issue = Issue::new(bias.name, IssueKind::NoTarget)
                    .help("add a line such as head_pred(east,1).");
                issues.push(issue);
            }
            return Err(TaskError { issues });
        }
        let n = declared.heads.len();
        let heads = declared.target_declarations(&bias);
        let of_heads = ExampleTargets::new(&declared.heads, &heads);
        let read = read_examples(&examples, of_heads, &mut symbols, &mut issues);
        let background_name = background.name;
        let mut background = super::source_clauses(
            &background,
            &mut symbols,
            &mut issues,
            &mut declared.remarks,
        );
        declared.remarks.extend(misplaced_weight(
            &background,
            &declared,
            background_name,
            &symbols,
        ));
        symbols.intern("any");
        symbols.intern("in");
        declared.check_lists(&bias, &symbols, &mut issues);
        let mut ignored = declared.check_magic(&bias, &symbols);
        ignored.extend(declared.check_names(&bias, &symbols));
        declared.remarks.extend(ignored);
        let mut tasks = Vec::with_capacity(n);
        for (place, (own, weights)) in read.into_iter().enumerate() {
            let background = if place + 1 == n {
                std::mem::take(&mut background)
            } else {
                background.clone()
            };
            let mut task = declared.task(place, &bias, std::mem::take(&mut symbols));
            ([task.positive, task.negative], task.weights) = (own, weights);
            task.background = background;
            task.declared_at = heads.get(place).map(|own| own.place.clone());
            finish(&mut task, &bias);
            if place + 1 < n {
                symbols.clone_from(&task.symbols);
            }
            tasks.push(task);
        }
        share(&mut tasks);
        TaskError::check(issues, tasks)
    }
}

impl Declarations {
    /// The task of one of the predicates to learn, without examples and background.
    fn task(&self, place: usize, bias: &Source<'_>, mut symbols: SymbolTable) -> Task {
        let target = self.heads[place];
        let (any, bound) = (symbols.intern("any"), symbols.intern("in"));
        let mode = |predicate: Predicate| {
            let listed = |list: usize, argument: usize| {
                let (names, _) = self.lists[list].get(&predicate.name)?;
                names.get(argument).copied()
            };
            let argument = |i| Argument {
                direction: match listed(1, i) {
                    _ if self.magic.contains(&(predicate.name, i)) => Direction::Constant,
                    Some(name) if name == bound => Direction::In,
                    _ => Direction::Out,
                },
                kind: listed(0, i).unwrap_or(any),
            };
            Mode {
                predicate,
                arguments: (0..predicate.arity).map(argument).collect(),
                recall: None,
            }
        };
        let body = self.body.iter().copied().map(mode).collect();
        let mut own = Bias::new(mode(target), body);
        // A body that may hold the head's predicate asks for recursion, too.
        if self.recursion || self.body.contains(&target) {
            own.allow_recursion();
        }
        // What nothing is said about is known of an example.
        if !self.lists[1].contains_key(&target.name) {
            let arguments = own.head.arguments.iter_mut();
            arguments.for_each(|argument| argument.direction = Direction::In);
        }
        let value = |limit: Option<(usize, usize)>| limit.map(|(value, _)| value);
        own.max_body = value(self.max_body);
        own.max_vars = value(self.max_vars);
        own.max_clauses = value(self.max_clauses);
        own.constraints = self.constraints.clone();
        if !self.are_predicates {
            own.constants.clone_from(&self.constants);
        }
        let mut remarks = self.remarks.clone();
        remarks.extend(self.check_targets_in_bodies(bias, target, &symbols));
        let others = self.heads.iter().copied();
        Task {
            others: others.filter(|other| *other != target).collect(),
            search: self.search.clone(),
            remarks,
            ..Task::new(symbols, own)
        }
    }
}

/// A warning about facts of the background that look like weights of examples, and are none.
fn misplaced_weight(
    background: &[Clause],
    declared: &Declarations,
    file: &str,
    symbols: &SymbolTable,
) -> Option<Issue> {
    // Most tasks have no such name.
    symbols.get(WEIGHT)?;
    let is_example = |term: &Term| {
        let atom = Atom::from_term(term);
        atom.is_some_and(|atom| declared.heads.contains(&atom.predicate()))
    };
    let mut facts = background
        .iter()
        .filter(|clause| is_weight(clause, symbols) && is_example(&clause.head.args[0]));
    let first = facts.next()?.head.predicate();
    if declared.body.contains(&first) {
        return None;
    }
    let n = kibitz_text::counted(1 + facts.count(), "fact", "facts");
    let message = format!("{n} of {WEIGHT}/2 about examples: part of the background, no weights");
    let issue = Issue::new(file, IssueKind::Unexpected(message));
    Some(issue.help("weights belong into the file of the examples"))
}

/// Gives arguments without a type one, from the constants of a task.
fn finish(task: &mut Task, bias: &Source<'_>) {
    let any = task.symbols.intern("any");
    fit_types(task, any);
    let help = "declare its values, as in constant(good,label). constant(bad,label)., and give \
                the argument of the head the type label";
    let labels = label_arguments(task, any).into_iter();
    let labels = labels.map(|kind| Issue::new(bias.name, kind).help(help));
    task.remarks.extend(labels);
    task.name_values_of_head();
    task.take_head_constants();
}

impl Task {
    /// Reads further examples of the target to test on, as `pos(...)` and `neg(...)`; their weights become
    /// [`Task::test_weights`]. Examples of the other targets of the files are left out.
    ///
    /// # Errors
    /// Every problem found, with file, line and column.
    pub fn read_examples(&mut self, source: Source<'_>) -> Result<[Vec<Atom>; 2], TaskError> {
        let mut issues = Vec::new();
        let targets = self.all_targets();
        let of_targets = ExampleTargets::of_known(&targets);
        let read = read_examples(&source, of_targets, &mut self.symbols, &mut issues);
        let own = read.into_iter().next().unwrap_or_default();
        let (examples, weights) = TaskError::check(issues, own)?;
        self.test_weights = weights;
        Ok(examples)
    }

    /// Reads examples of one side, as Aleph's files `.f` and `.n` have them: an atom of the target each.
    /// Examples of the other targets of the files are left out.
    ///
    /// # Errors
    /// Every problem found, with file, line and column.
    pub fn read_side(&mut self, source: Source<'_>) -> Result<Vec<Atom>, TaskError> {
        let mut issues = Vec::new();
        let targets = self.all_targets();
        let sentences = source.sentences(Dialect::Prolog, &mut self.symbols, &mut issues);
        let mut of_targets = ExampleTargets::of_known(&targets);
        let mut examples = Vec::new();
        for sentence in sentences {
            let SentenceKind::Clause(clause) = sentence.kind else {
                continue;
            };
            let (symbols, offset) = (&self.symbols, sentence.offset);
            let read = of_targets.take(&source, offset, clause, symbols, &mut issues);
            examples.extend(read.filter(|(place, _)| *place == 0).map(|(_, own)| own));
        }
        of_targets.finish(&self.symbols, &mut issues);
        TaskError::check(issues, examples)
    }

    /// The predicates to learn of the files, the own one first.
    pub(super) fn all_targets(&self) -> Vec<Predicate> {
        let others = self.others.iter().copied();
        std::iter::once(self.target).chain(others).collect()
    }

    /// Reads the clauses of a theory; directives are skipped, and so are the definitions of the other
    /// targets of the files. A text without any clause is the theory that covers nothing.
    ///
    /// # Errors
    /// Every problem found, with file, line and column; clauses of which none is of a target; a clause
    /// that calls another target, which only its theory defines.
    pub fn read_theory(&mut self, source: Source<'_>) -> Result<Vec<Clause>, TaskError> {
        let mut issues = Vec::new();
        let symbols = &mut self.symbols;
        let mut clauses = super::source_clauses(&source, symbols, &mut issues, &mut Vec::new());
        let targets = self.all_targets();
        let mut heads = clauses.iter().map(|clause| clause.head.predicate());
        let is_other = !clauses.is_empty() && !heads.any(|head| targets.contains(&head));
        if issues.is_empty() && is_other {
            let targets = show_all(&targets, &self.symbols, " or ");
            let issue = format!("no clause defines {targets}");
            issues.push(source.unexpected(0, issue));
        }
        clauses.retain(|clause| !self.others.contains(&clause.head.predicate()));
        for clause in &clauses {
            let called = clause.body.iter().map(|literal| literal.atom.predicate());
            let mut called = called.filter(|own| self.others.contains(own));
            let is_given = |own: &Predicate| {
                let mut background = self.background.iter();
                background.any(|given| given.head.predicate() == *own)
            };
            if let Some(other) = called.find(|own| !is_given(own)) {
                let other = show(other, &self.symbols);
                let message = format!("this clause calls {other}, another target of the files");
                let help = format!(
                    "the theory of each target is judged with the background alone: define {other} there"
                );
                let issue = Issue::new(source.name, IssueKind::Unexpected(message)).help(help);
                issues.push(Issue {
                    location: source.place_of(clause, Dialect::Prolog, &self.symbols),
                    ..issue
                });
            }
        }
        TaskError::check(issues, clauses)
    }
}

/// A text with blanks for the lines that begin with a number sign.
fn without_headings(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| match line.strip_prefix('#') {
            Some(rest) => format!(" {}", rest.replace(|c: char| c.is_ascii_graphic(), " ")),
            None => line.to_owned(),
        })
        .collect()
}

/// The example that a clause of the file gives, and its weight.
fn example_in(clause: &Clause, has_side: bool, is_weight: bool) -> (Option<Atom>, Option<&Term>) {
    match &clause.head.args[..] {
        [atom] if clause.body.is_empty() && has_side => (Atom::from_term(atom), None),
        [atom, term] if clause.body.is_empty() && (has_side || is_weight) => {
            (Atom::from_term(atom), Some(term))
        }
        _ => (None, None),
    }
}

/// Positive and negative examples of one target, with their weights.
type Examples = ([Vec<Atom>; 2], Weights);

/// The examples of each target.
fn read_examples(
    source: &Source<'_>,
    mut targets: ExampleTargets<'_>,
    symbols: &mut SymbolTable,
    issues: &mut Vec<Issue>,
) -> Vec<Examples> {
    let signs = [symbols.intern("pos"), symbols.intern("neg")];
    let mut read: Vec<[Vec<Atom>; 2]> = vec![Default::default(); targets.len()];
    let mut stated = vec![StatedWeights::default(); targets.len()];
    let text = without_headings(source.text);
    let own = Source {
        text: &text,
        ..*source
    };
    let mut places = Places::default();
    for sentence in own.sentences(Dialect::Prolog, symbols, issues) {
        let (SentenceKind::Clause(clause), offset) = (sentence.kind, sentence.offset) else {
            continue;
        };
        let side = signs.iter().position(|sign| *sign == clause.head.name);
        let is_weight = symbols.name(clause.head.name) == WEIGHT;
        let (atom, term) = example_in(&clause, side.is_some(), is_weight);
        let Some(atom) = atom else {
            let kind = IssueKind::Unexpected("an example is expected".to_owned());
            let issue = places.issue(source, offset, kind);
            issues.push(issue.help("write pos(east(t1)). or neg(east(t2))."));
            continue;
        };
        let example = targets.take(source, offset, Clause::fact(atom), symbols, issues);
        let weight = term.map(|term| weight(source, offset, term, symbols, issues));
        let Some((place, atom)) = example else {
            continue;
        };
        match (side, weight) {
            (Some(side), weight) => {
                if let Some(weight) = weight.flatten() {
                    stated[place].add(side, &atom, weight);
                }
                read[place][side].push(atom);
            }
            (None, Some(Some(weight))) => stated[place].add_fact(atom, weight, (0, offset)),
            (None, _) => {}
        }
    }
    targets.finish(symbols, issues);
    let all = read.into_iter().zip(stated);
    all.map(|(examples, stated)| {
        let own = examples.each_ref().map(|side| &side[..]);
        let weights = stated.resolve(&[source], own, symbols, issues);
        (examples, weights)
    })
    .collect()
}
