//! Popper's layout: `exs.pl`, `bk.pl` and `bias.pl`.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::issue::{Issue, IssueKind, TaskError};
use super::source::{Source, as_count, push_example, show};
use super::{Bias, Task};
use crate::mode::{Argument, Direction, Mode};
use crate::reader::{Dialect, SentenceKind};
use crate::term::{Atom, Clause, Constant, Predicate, Symbol, SymbolTable, Term};

/// What `bias.pl` declares.
#[derive(Default)]
struct Declarations {
    head: Option<Predicate>,
    body: Vec<(Predicate, usize)>,
    types: IndexMap<Symbol, (Vec<Symbol>, usize), FxBuildHasher>,
    directions: IndexMap<Symbol, (Vec<Direction>, usize), FxBuildHasher>,
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
        let declared = declarations(&bias, &mut symbols, &mut issues)?;
        let Some(target) = declared.head else {
            let issue = Issue::new(bias.name, IssueKind::NoTarget)
                .help("add a line such as head_pred(east,1).");
            issues.push(issue);
            return Err(TaskError { issues });
        };
        let (positive, negative) = read_examples(&examples, target, &mut symbols, &mut issues)?;
        let background = super::source_clauses(&background, &mut symbols)?;
        let any = symbols.intern("any");
        let mode = |predicate: Predicate| {
            let kinds = declared.types.get(&predicate.name).map(|(kinds, _)| kinds);
            let directions = declared.directions.get(&predicate.name).map(|(d, _)| d);
            Mode {
                predicate,
                arguments: (0..predicate.arity)
                    .map(|i| Argument {
                        direction: directions
                            .and_then(|d| d.get(i).copied())
                            .unwrap_or(Direction::Out),
                        kind: kinds.and_then(|k| k.get(i).copied()).unwrap_or(any),
                    })
                    .collect(),
                recall: None,
            }
        };
        let all = declared.body.iter().copied().chain([(target, 0)]);
        for (predicate, _) in all {
            let lists = [
                (
                    "type",
                    declared
                        .types
                        .get(&predicate.name)
                        .map(|(k, o)| (k.len(), *o)),
                ),
                (
                    "direction",
                    declared
                        .directions
                        .get(&predicate.name)
                        .map(|(d, o)| (d.len(), *o)),
                ),
            ];
            for (declaration, list) in lists {
                if let Some((found, offset)) = list
                    && found != predicate.arity
                {
                    issues.push(bias.issue(
                        offset,
                        IssueKind::Arity {
                            declaration: declaration.into(),
                            predicate: show(predicate, &symbols),
                            found,
                            expected: predicate.arity,
                        },
                    ));
                }
            }
        }
        let mut own = Bias::new(
            mode(target),
            declared.body.iter().map(|(p, _)| mode(*p)).collect(),
        );
        own.recursion = declared.recursion;
        if own.recursion && own.body.iter().all(|mode| mode.predicate != target) {
            own.body.push(own.head.clone());
        }
        own.max_body = declared.max_body;
        own.max_vars = declared.max_vars;
        own.max_clauses = declared.max_clauses;
        let task = Task {
            symbols,
            target,
            positive,
            negative,
            background,
            natives: Vec::new(),
            bias: own,
        };
        TaskError::check(issues, task)
    }
}

fn declarations(
    bias: &Source<'_>,
    symbols: &mut SymbolTable,
    issues: &mut Vec<Issue>,
) -> Result<Declarations, TaskError> {
    let mut declared = Declarations::default();
    for sentence in bias.sentences(Dialect::Popper, symbols)? {
        let SentenceKind::Clause(Clause { head, body }) = sentence.kind else {
            issues.push(
                bias.unexpected(
                    sentence.offset,
                    "constraints on hypotheses are not supported",
                )
                .help("express the restriction with types, directions and limits"),
            );
            continue;
        };
        if !body.is_empty() {
            issues.push(
                bias.unexpected(sentence.offset, "rules are not supported in a bias file")
                    .help("list the declarations one by one"),
            );
            continue;
        }
        let offset = sentence.offset;
        let name = symbols.name(head.name).to_owned();
        match (name.as_str(), &head.args[..]) {
            ("head_pred" | "body_pred", [predicate, arity]) => {
                match declared_predicate(bias, offset, predicate, arity, &name) {
                    Ok(predicate) if name == "head_pred" => {
                        if declared.head.replace(predicate).is_some() {
                            issues.push(bias.unexpected(
                                offset,
                                "head_pred is declared twice; one predicate is learned at a time",
                            ));
                        }
                    }
                    Ok(predicate) => declared.body.push((predicate, offset)),
                    Err(issue) => issues.push(*issue),
                }
            }
            ("type" | "direction", [Term::Const(Constant::Symbol(predicate)), list]) => {
                let names: Vec<Symbol> = list
                    .conjuncts()
                    .into_iter()
                    .filter_map(|part| match part {
                        Term::Const(Constant::Symbol(name)) => Some(*name),
                        _ => None,
                    })
                    .collect();
                if names.len() != list.conjuncts().len() {
                    issues.push(
                        bias.unexpected(offset, format!("{name} lists something that is no name"))
                            .help("write type(adj,(square,square)) with lower-case names"),
                    );
                } else if name == "type" {
                    declared.types.insert(*predicate, (names, offset));
                } else {
                    let directions: Vec<Direction> = names
                        .iter()
                        .filter_map(|name| match symbols.name(*name) {
                            "in" => Some(Direction::In),
                            "out" => Some(Direction::Out),
                            _ => None,
                        })
                        .collect();
                    if directions.len() != names.len() {
                        issues.push(
                            bias.unexpected(offset, "a direction is neither in nor out")
                                .help("write direction(next,(in,out))"),
                        );
                    }
                    declared.directions.insert(*predicate, (directions, offset));
                }
            }
            ("max_vars" | "max_body" | "max_clauses" | "max_rules", [number]) => {
                let Some(number) = as_count(number) else {
                    issues.push(bias.unexpected(offset, format!("{name} takes a whole number")));
                    continue;
                };
                match name.as_str() {
                    "max_vars" => declared.max_vars = Some(number),
                    "max_body" => declared.max_body = Some(number),
                    _ => declared.max_clauses = Some(number),
                }
            }
            ("enable_recursion", []) => declared.recursion = true,
            ("non_datalog" | "allow_singletons" | "enable_pi" | "noisy" | "explain", []) => {}
            _ => {
                let known = [
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
                let arity = head.args.len();
                let issue = bias.unexpected(
                    offset,
                    format!("{name}/{arity} is no setting of a bias file"),
                );
                issues.push(match crate::suggest::nearest(&name, known.into_iter()) {
                    Some(near) => issue.help(format!("did you mean {near}?")),
                    None if known.contains(&name.as_str()) => {
                        issue.help("check the number and kind of its arguments")
                    }
                    None => issue.help(format!("known settings: {}", known.join(", "))),
                });
            }
        }
    }
    Ok(declared)
}

fn declared_predicate(
    bias: &Source<'_>,
    offset: usize,
    name: &Term,
    arity: &Term,
    declaration: &str,
) -> Result<Predicate, Box<Issue>> {
    match (name, as_count(arity)) {
        (Term::Const(Constant::Symbol(name)), Some(arity)) => Ok(Predicate { name: *name, arity }),
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
) -> Result<(Vec<Atom>, Vec<Atom>), TaskError> {
    let (pos, neg) = (symbols.intern("pos"), symbols.intern("neg"));
    let (mut positive, mut negative) = (Vec::new(), Vec::new());
    for sentence in source.sentences(Dialect::Prolog, symbols)? {
        let SentenceKind::Clause(clause) = sentence.kind else {
            continue;
        };
        let side = match (
            clause.head.name,
            &clause.head.args[..],
            clause.body.is_empty(),
        ) {
            (name, [atom], true) if name == pos || name == neg => {
                Atom::from_term(atom).map(|atom| {
                    (
                        atom,
                        if name == pos {
                            &mut positive
                        } else {
                            &mut negative
                        },
                    )
                })
            }
            _ => None,
        };
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
    Ok((positive, negative))
}
