//! Popper's layout: `exs.pl`, `bk.pl` and `bias.pl`.

mod declarations;

use kibitz_prolog::{
    Argument, Atom, Clause, Dialect, Direction, Mode, Predicate, SentenceKind, SymbolTable,
};

use declarations::Declarations;

use super::issue::{Issue, IssueKind, TaskError};
use super::source::{Source, push_example};
use super::types::{fit_types, label_arguments};
use super::{Bias, Task};

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
        let mut symbols = SymbolTable::new();
        let mut issues = Vec::new();
        let mut declared = Declarations::read(&bias, &mut symbols, &mut issues);
        let Some(target) = declared.head else {
            // A capitalized name was meant to declare it.
            if !declared.is_capitalized {
                let issue = Issue::new(bias.name, IssueKind::NoTarget)
                    .help("add a line such as head_pred(east,1).");
                issues.push(issue);
            }
            return Err(TaskError { issues });
        };
        let (positive, negative) = read_examples(
            &examples,
            target,
            &declared.others,
            &mut symbols,
            &mut issues,
        );
        let background = super::source_clauses(
            &background,
            &mut symbols,
            &mut issues,
            &mut declared.remarks,
        );
        let (any, bound) = (symbols.intern("any"), symbols.intern("in"));
        declared.check_lists(&bias, target, &symbols, &mut issues);
        let ignored = declared.check_magic(&bias, target, &symbols);
        declared.remarks.extend(ignored);
        let mode = |predicate: Predicate| {
            let listed = |list: usize, argument: usize| {
                let (names, _) = declared.lists[list].get(&predicate.name)?;
                names.get(argument).copied()
            };
            let argument = |i| Argument {
                direction: match listed(1, i) {
                    _ if declared.magic.contains(&(predicate.name, i)) => Direction::Constant,
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
        let body = declared.body.iter().copied().map(mode).collect();
        let mut own = Bias::new(mode(target), body);
        // A body that may hold the head's predicate asks for recursion, too.
        if declared.recursion || declared.body.contains(&target) {
            own.allow_recursion();
        }
        // What nothing is said about is known of an example.
        if !declared.lists[1].contains_key(&target.name) {
            let arguments = own.head.arguments.iter_mut();
            arguments.for_each(|argument| argument.direction = Direction::In);
        }
        own.max_body = declared.max_body;
        own.max_vars = declared.max_vars;
        own.max_clauses = declared.max_clauses;
        own.constraints = std::mem::take(&mut declared.constraints);
        if !declared.are_predicates {
            own.constants = std::mem::take(&mut declared.constants);
        }
        let mut task = Task {
            positive,
            negative,
            background,
            search: declared.search,
            remarks: declared.remarks,
            ..Task::new(symbols, own)
        };
        fit_types(&mut task, any);
        let help = "declare its values, as in constant(good,label). constant(bad,label)., and give \
                    the argument of the head the type label";
        let labels = label_arguments(&mut task, any).into_iter();
        let labels = labels.map(|kind| Issue::new(bias.name, kind).help(help));
        task.remarks.extend(labels);
        TaskError::check(issues, task)
    }
}

impl Task {
    /// Reads further examples of the target, as `pos(...)` and `neg(...)`.
    ///
    /// # Errors
    /// Every problem found, with file, line and column.
    pub fn read_examples(&mut self, source: Source<'_>) -> Result<[Vec<Atom>; 2], TaskError> {
        let mut issues = Vec::new();
        let (symbols, target) = (&mut self.symbols, self.target);
        let (positive, negative) = read_examples(&source, target, &[], symbols, &mut issues);
        TaskError::check(issues, [positive, negative])
    }

    /// Reads examples of one side, as Aleph's files `.f` and `.n` have them: an atom of the target each.
    ///
    /// # Errors
    /// Every problem found, with file, line and column.
    pub fn read_side(&mut self, source: Source<'_>) -> Result<Vec<Atom>, TaskError> {
        let mut issues = Vec::new();
        let sentences = source.sentences(Dialect::Prolog, &mut self.symbols, &mut issues);
        let mut examples = Vec::new();
        for sentence in sentences {
            let SentenceKind::Clause(clause) = sentence.kind else {
                continue;
            };
            push_example(
                &source,
                sentence.offset,
                clause,
                self.target,
                &self.symbols,
                &mut examples,
                &mut issues,
            );
        }
        TaskError::check(issues, examples)
    }

    /// Reads the clauses of a theory; directives are skipped.
    ///
    /// # Errors
    /// Every problem found, with file, line and column; a theory without a clause of the target.
    pub fn read_theory(&mut self, source: Source<'_>) -> Result<Vec<Clause>, TaskError> {
        let mut issues = Vec::new();
        let symbols = &mut self.symbols;
        let clauses = super::source_clauses(&source, symbols, &mut issues, &mut Vec::new());
        let mut heads = clauses.iter().map(|clause| clause.head.predicate());
        if issues.is_empty() && !heads.any(|head| head == self.target) {
            let target = super::source::show(self.target, &self.symbols);
            let issue = format!("no clause defines {target}");
            issues.push(source.unexpected(0, issue));
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

fn read_examples(
    source: &Source<'_>,
    target: Predicate,
    others: &[Predicate],
    symbols: &mut SymbolTable,
    issues: &mut Vec<Issue>,
) -> (Vec<Atom>, Vec<Atom>) {
    let (pos, neg) = (symbols.intern("pos"), symbols.intern("neg"));
    let (mut positive, mut negative) = (Vec::new(), Vec::new());
    let text = without_headings(source.text);
    let read = Source {
        text: &text,
        ..*source
    };
    for sentence in read.sentences(Dialect::Prolog, symbols, issues) {
        let SentenceKind::Clause(clause) = sentence.kind else {
            continue;
        };
        let side = match (clause.head.name, &clause.head.args[..]) {
            _ if !clause.body.is_empty() => None,
            (name, [atom]) if name == pos => Some((atom, &mut positive)),
            (name, [atom]) if name == neg => Some((atom, &mut negative)),
            _ => None,
        };
        let side = side.and_then(|(atom, side)| Some((Atom::from_term(atom)?, side)));
        match side {
            // Of another predicate to learn, of which was spoken already.
            Some((atom, _)) if others.contains(&atom.predicate()) => {}
            Some((atom, examples)) => push_example(
                source,
                sentence.offset,
                Clause::fact(atom),
                target,
                symbols,
                examples,
                issues,
            ),
            None => issues.push(
                source
                    .unexpected(sentence.offset, "an example is expected")
                    .help("write pos(east(t1)). or neg(east(t2))."),
            ),
        }
    }
    (positive, negative)
}
