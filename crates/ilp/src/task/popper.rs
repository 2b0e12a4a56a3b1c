//! Popper's layout: `exs.pl`, `bk.pl` and `bias.pl`.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::issue::{Issue, IssueKind, TaskError};
use super::source::{Source, as_count, as_name, check_arity, push_example, show};
use super::{Bias, Task};
use crate::mode::{Argument, Direction, Mode};
use crate::reader::{Dialect, SentenceKind};
use crate::term::{Atom, Clause, Constant, Predicate, Symbol, SymbolTable, Term};

/// The declarations that list something for each argument of a predicate.
const LISTS: [&str; 2] = ["type", "direction"];

/// What `bias.pl` declares.
#[derive(Default)]
struct Declarations {
    head: Option<Predicate>,
    body: Vec<Predicate>,
    /// The names listed by `type` and by `direction`, and where, by predicate.
    lists: [IndexMap<Symbol, (Vec<Symbol>, usize), FxBuildHasher>; 2],
    max_vars: Option<usize>,
    max_body: Option<usize>,
    max_clauses: Option<usize>,
    recursion: bool,
}

impl Task {
    /// Reads a task in Popper's layout.
    ///
    /// Types and directions may be missing: arguments without a type share one, and arguments
    /// without a direction may be filled with known or new variables.
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
        let declared = Declarations::read(&bias, &mut symbols, &mut issues);
        let Some(target) = declared.head else {
            let issue = Issue::new(bias.name, IssueKind::NoTarget)
                .help("add a line such as head_pred(east,1).");
            issues.push(issue);
            return Err(TaskError { issues });
        };
        let (positive, negative) = read_examples(&examples, target, &mut symbols, &mut issues);
        let background = super::source_clauses(&background, &mut symbols, &mut issues);
        let (any, bound) = (symbols.intern("any"), symbols.intern("in"));
        let mode = |predicate: Predicate| {
            let listed = |list: usize, argument: usize| {
                let (names, _) = declared.lists[list].get(&predicate.name)?;
                names.get(argument).copied()
            };
            let argument = |i| Argument {
                direction: match listed(1, i) {
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
        declared.check_lists(&bias, target, &symbols, &mut issues);
        let mut own = Bias::new(
            mode(target),
            declared.body.iter().copied().map(mode).collect(),
        );
        own.recursion = declared.recursion;
        if own.recursion && own.body.iter().all(|mode| mode.predicate != target) {
            own.body.push(own.head.clone());
        }
        own.max_body = declared.max_body;
        own.max_vars = declared.max_vars;
        own.max_clauses = declared.max_clauses;
        let task = Task {
            positive,
            negative,
            background,
            ..Task::new(symbols, own)
        };
        TaskError::check(issues, task)
    }
}

/// Settings that are passed over: they say what holds here anyway, or how Popper is to search.
const PASSED_OVER: [&str; 5] = [
    "non_datalog",
    "allow_singletons",
    "enable_pi",
    "noisy",
    "explain",
];

/// Settings that a misspelled one may be meant to be.
const SETTINGS: [&str; 10] = [
    "head_pred",
    "body_pred",
    "type",
    "direction",
    "max_vars",
    "max_body",
    "max_clauses",
    "enable_recursion",
    "non_datalog",
    "allow_singletons",
];

impl Declarations {
    fn read(bias: &Source<'_>, symbols: &mut SymbolTable, issues: &mut Vec<Issue>) -> Self {
        let mut declared = Self::default();
        for sentence in bias.sentences(Dialect::Popper, symbols, issues) {
            let offset = sentence.offset;
            let SentenceKind::Clause(Clause { head, body }) = sentence.kind else {
                let issue = bias.unexpected(offset, "constraints on hypotheses are not supported");
                let help = "express the restriction with types, directions and limits";
                issues.push(issue.help(help));
                continue;
            };
            let read = if body.is_empty() {
                declared.declare(bias, offset, &head, symbols)
            } else {
                let issue = bias.unexpected(offset, "rules are not supported in a bias file");
                Err(Box::new(issue.help("list the declarations one by one")))
            };
            if let Err(issue) = read {
                issues.push(*issue);
            }
        }
        declared
    }

    fn declare(
        &mut self,
        bias: &Source<'_>,
        offset: usize,
        declaration: &Atom,
        symbols: &SymbolTable,
    ) -> Result<(), Box<Issue>> {
        let name = symbols.name(declaration.name);
        match (name, &declaration.args[..]) {
            ("head_pred" | "body_pred", [predicate, arity]) => {
                let predicate = declared_predicate(bias, offset, predicate, arity, name)?;
                if name == "body_pred" {
                    self.body.push(predicate);
                } else if self.head.replace(predicate).is_some() {
                    let message = "head_pred is declared twice; one predicate is learned at a time";
                    return Err(Box::new(bias.unexpected(offset, message)));
                }
            }
            ("type" | "direction", [Term::Const(Constant::Symbol(predicate)), list]) => {
                let names = listed_names(bias, offset, name, list, symbols)?;
                let list = usize::from(name == "direction");
                self.lists[list].insert(*predicate, (names, offset));
            }
            ("max_vars" | "max_body" | "max_clauses" | "max_rules", [number]) => {
                let Some(number) = as_count(number) else {
                    let message = format!("{name} takes a whole number");
                    return Err(Box::new(bias.unexpected(offset, message)));
                };
                match name {
                    "max_vars" => self.max_vars = Some(number),
                    "max_body" => self.max_body = Some(number),
                    _ => self.max_clauses = Some(number),
                }
            }
            ("enable_recursion", []) => self.recursion = true,
            (_, []) if PASSED_OVER.contains(&name) => {}
            (_, args) => return Err(Box::new(unknown_setting(bias, offset, name, args.len()))),
        }
        Ok(())
    }

    /// Whether each list has a name for each argument.
    fn check_lists(
        &self,
        bias: &Source<'_>,
        target: Predicate,
        symbols: &SymbolTable,
        issues: &mut Vec<Issue>,
    ) {
        for &predicate in self.body.iter().chain([&target]) {
            for (declaration, lists) in LISTS.iter().zip(&self.lists) {
                if let Some((names, offset)) = lists.get(&predicate.name)
                    && names.len() != predicate.arity
                {
                    issues.push(bias.issue(
                        *offset,
                        IssueKind::Arity {
                            declaration: (*declaration).into(),
                            predicate: show(predicate, symbols),
                            found: names.len(),
                            expected: predicate.arity,
                        },
                    ));
                }
            }
        }
    }
}

/// The names that `type` or `direction` lists.
fn listed_names(
    bias: &Source<'_>,
    offset: usize,
    declaration: &str,
    list: &Term,
    symbols: &SymbolTable,
) -> Result<Vec<Symbol>, Box<Issue>> {
    let parts = list.conjuncts();
    let names: Vec<Symbol> = parts.iter().filter_map(|it| as_name(it)).collect();
    if names.len() != parts.len() {
        let message = format!("{declaration} lists something that is no name");
        let issue = bias.unexpected(offset, message);
        return Err(Box::new(
            issue.help("write type(adj,(square,square)) with lower-case names"),
        ));
    }
    let is_direction = |name: &Symbol| ["in", "out"].contains(&symbols.name(*name));
    if declaration == "direction" && !names.iter().all(is_direction) {
        let issue = bias.unexpected(offset, "a direction is neither in nor out");
        return Err(Box::new(issue.help("write direction(next,(in,out))")));
    }
    Ok(names)
}

fn unknown_setting(bias: &Source<'_>, offset: usize, name: &str, arity: usize) -> Issue {
    let message = format!("{name}/{arity} is no setting of a bias file");
    let issue = bias.unexpected(offset, message);
    if SETTINGS.contains(&name) {
        issue.help("check the number and kind of its arguments")
    } else {
        issue.help(kibitz_text::suggestion(name, SETTINGS))
    }
}

fn declared_predicate(
    bias: &Source<'_>,
    offset: usize,
    name: &Term,
    arity: &Term,
    declaration: &str,
) -> Result<Predicate, Box<Issue>> {
    match (name, as_count(arity)) {
        (Term::Const(Constant::Symbol(name)), Some(arity)) => {
            let predicate = Predicate { name: *name, arity };
            let checked = check_arity(arity).map(|()| predicate);
            checked.map_err(|problem| Box::new(bias.unexpected(offset, problem)))
        }
        (Term::Var(_), _) => Err(Box::new(bias
            .unexpected(offset, format!("{declaration} names a predicate with a capital letter"))
            .help("capitalized names are variables in Prolog; write it in lower case, here and in the other files"))),
        _ => Err(Box::new(bias
            .unexpected(offset, format!("{declaration} takes a name and an arity"))
            .help(format!("write {declaration}(name,2).")))),
    }
}

fn read_examples(
    source: &Source<'_>,
    target: Predicate,
    symbols: &mut SymbolTable,
    issues: &mut Vec<Issue>,
) -> (Vec<Atom>, Vec<Atom>) {
    let (pos, neg) = (symbols.intern("pos"), symbols.intern("neg"));
    let (mut positive, mut negative) = (Vec::new(), Vec::new());
    for sentence in source.sentences(Dialect::Prolog, symbols, issues) {
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
