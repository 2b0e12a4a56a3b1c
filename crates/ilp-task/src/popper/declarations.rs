//! What a bias file declares.

use indexmap::IndexMap;
use kibitz_prolog::{
    Atom, Clause, Constant, Dialect, Predicate, SentenceKind, Symbol, SymbolTable, Term,
};
use rustc_hash::FxBuildHasher;

use super::names::Names;
use crate::bias::{ConstantSet, add_constant};
use crate::constraints::asp::{self, Goal, Statement};
use crate::constraints::evaluation::{Item, derived};
use crate::constraints::{Builder, Constraints};
use crate::example_targets::TargetDeclaration;
use crate::issue::{Issue, IssueKind};
use crate::settings::{SearchSetting, SearchSettings};
use crate::source::{Source, as_count, as_name, check_arity, other_target_in_bodies, show};

/// The declarations that list something for each argument of a predicate.
pub(super) const LISTS: [&str; 2] = ["type", "direction"];

/// Settings that say what holds here anyway.
const PASSED_OVER: [&str; 3] = ["non_datalog", "allow_singletons", "explain"];

/// Settings that a misspelled one may be meant to be.
pub(super) const SETTINGS: [&str; 13] = [
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
    "constant",
    "magic_value",
    "noisy",
];

/// Declarations that rules may derive.
const DERIVED: [&str; 5] = ["body_pred", "type", "direction", "constant", "magic_value"];

/// What `bias.pl` declares.
#[derive(Default)]
pub(super) struct Declarations {
    /// The predicates to learn, in the order of their declarations.
    pub(super) heads: Vec<Predicate>,
    /// Where they are declared.
    head_offsets: Vec<usize>,
    pub(super) body: Vec<Predicate>,
    /// Where they are declared.
    body_offsets: Vec<usize>,
    /// The names listed by `type` and by `direction`, and where, by predicate.
    pub(super) lists: [IndexMap<Symbol, (Vec<Symbol>, usize), FxBuildHasher>; 2],
    /// The limits, and where they are declared.
    pub(super) max_vars: Option<(usize, usize)>,
    pub(super) max_body: Option<(usize, usize)>,
    pub(super) max_clauses: Option<(usize, usize)>,
    pub(super) recursion: bool,
    pub(super) constants: Vec<ConstantSet>,
    /// Whether a rule makes the constants predicates for bodies.
    pub(super) are_predicates: bool,
    /// Places that take constants.
    pub(super) magic: Vec<(Symbol, usize)>,
    /// Where they are declared.
    pub(super) magic_offsets: Vec<usize>,
    /// Predicates that clauses may have once, and where that is declared.
    pub(super) once: Vec<(Symbol, usize)>,
    pub(super) constraints: Constraints,
    pub(super) search: SearchSettings,
    pub(super) remarks: Vec<Issue>,
    /// Whether a predicate has a capitalized name.
    pub(super) is_capitalized: bool,
}

/// A declaration to carry out.
struct Declaration<'s> {
    bias: &'s Source<'s>,
    offset: usize,
    atom: Atom,
}

impl Declarations {
    pub(super) fn read(
        bias: &Source<'_>,
        symbols: &mut SymbolTable,
        issues: &mut Vec<Issue>,
    ) -> Self {
        let mut declared = Self::default();
        let (statements, facts) = asp::split(bias.text);
        let mut builder = Builder::default();
        let mut unknown = Vec::new();
        let text = Source {
            text: &facts,
            ..*bias
        };
        for sentence in text.sentences(Dialect::Popper, symbols, issues) {
            let offset = sentence.offset;
            let SentenceKind::Clause(Clause { head: atom, .. }) = sentence.kind else {
                continue;
            };
            let items = atom.args.iter().map(|arg| Item::of_term(arg, symbols));
            if let Some(items) = items.collect::<Option<Vec<_>>>() {
                builder
                    .facts
                    .push((symbols.name(atom.name).to_owned(), items));
            }
            match declared.declare(&Declaration { bias, offset, atom }, symbols) {
                Ok(None) => {}
                Ok(Some(name)) => unknown.push((offset, name)),
                Err(issue) => declared.report(*issue, issues),
            }
        }
        let rules: Vec<_> = statements.iter().map(Statement::rule).collect();
        declared.derive(bias, &statements, &rules, &builder, symbols, issues);
        let skipped = declared.constrain(bias, builder, &statements, rules, symbols);
        let mentioned = |name: &str| statements.iter().any(|it| it.text.contains(name));
        for (offset, (name, arity)) in unknown {
            if !mentioned(&name) {
                let issue = unknown_setting(bias, offset, &name, arity);
                if kibitz_text::nearest(&name, SETTINGS).is_some() {
                    issues.push(issue);
                } else {
                    declared.remarks.push(issue.help("it is ignored"));
                }
            }
        }
        declared.remarks.extend(warning_of_skipped(bias, &skipped));
        declared
    }

    /// Reports a mistake, but capitalized names once.
    fn report(&mut self, issue: Issue, issues: &mut Vec<Issue>) {
        let is_capital = matches!(&issue.kind, IssueKind::Unexpected(text)
            if text.contains("capital letter"));
        if !(is_capital && std::mem::replace(&mut self.is_capitalized, true)) {
            issues.push(issue);
        }
        self.is_capitalized |= is_capital;
    }

    /// Carries out the declarations that rules derive from facts.
    fn derive(
        &mut self,
        bias: &Source<'_>,
        statements: &[Statement<'_>],
        rules: &[Option<asp::Rule>],
        builder: &Builder,
        symbols: &mut SymbolTable,
        issues: &mut Vec<Issue>,
    ) {
        for (statement, rule) in statements.iter().zip(rules) {
            let Some((rule, name)) = rule.as_ref().and_then(|rule| {
                let name = rule.head_name()?;
                DERIVED.contains(&name).then_some((rule, name))
            }) else {
                continue;
            };
            self.are_predicates |= name == "body_pred" && rule.mentions("constant");
            for row in derived(rule, &builder.facts) {
                let args = row.iter().map(|item| item.to_term(symbols));
                let args: Vec<Term> = args.collect();
                let declaration = Declaration {
                    bias,
                    offset: statement.offset,
                    atom: Atom::new(symbols.intern(name), args),
                };
                if let Err(issue) = self.declare(&declaration, symbols) {
                    self.report(*issue, issues);
                    break;
                }
            }
        }
    }

    /// Takes the constraints that can be kept; the others are returned.
    fn constrain<'t>(
        &mut self,
        bias: &Source<'_>,
        mut builder: Builder,
        statements: &[Statement<'t>],
        rules: Vec<Option<asp::Rule>>,
        symbols: &SymbolTable,
    ) -> Vec<Statement<'t>> {
        let names = Names {
            declared: self,
            facts: &builder.facts,
            statements,
            rules: &rules,
            symbols,
        };
        let unknown = names.unknown(bias);
        self.remarks.extend(unknown);
        let mut places = Vec::new();
        let mut skipped = Vec::new();
        for (statement, rule) in statements.iter().zip(rules) {
            match rule {
                Some(rule) if rule.head_name().is_some_and(|name| DERIVED.contains(&name)) => {}
                Some(rule) => {
                    builder.rules.push((rule, bias.place(statement.offset)));
                    places.push(*statement);
                }
                None => skipped.push(*statement),
            }
        }
        for (name, offset) in &self.once {
            let rule = asp::Rule {
                head: None,
                body: vec![Goal::more_than_once(symbols.name(*name))],
            };
            builder.rules.push((rule, bias.place(*offset)));
        }
        builder.types = (self.lists[0].iter())
            .map(|(name, (kinds, _))| {
                let kinds = kinds.iter().map(|kind| symbols.name(*kind).to_owned());
                (symbols.name(*name).to_owned(), kinds.collect())
            })
            .collect();
        let (constraints, has_no_effect) = builder.build();
        self.constraints = constraints;
        let without = places.iter().zip(has_no_effect);
        skipped.extend(without.filter(|(_, skip)| *skip).map(|(place, _)| *place));
        skipped.sort_by_key(|statement| statement.offset);
        skipped
    }

    /// Carries out one declaration; its name and arity if it is none.
    fn declare(
        &mut self,
        declaration: &Declaration<'_>,
        symbols: &SymbolTable,
    ) -> Result<Option<(String, usize)>, Box<Issue>> {
        let Declaration { bias, offset, atom } = declaration;
        let (bias, offset) = (*bias, *offset);
        let name = symbols.name(atom.name);
        match (name, &atom.args[..]) {
            ("head_pred" | "body_pred", [predicate, arity]) => {
                let predicate = declared_predicate(bias, offset, predicate, arity, name)?;
                if name == "head_pred" {
                    if !self.heads.contains(&predicate) {
                        self.heads.push(predicate);
                        self.head_offsets.push(offset);
                    }
                } else if !self.body.contains(&predicate) {
                    self.body.push(predicate);
                    self.body_offsets.push(offset);
                }
            }
            ("type" | "direction", [Term::Const(Constant::Symbol(predicate)), list]) => {
                let names = listed_names(bias, offset, name, list, symbols)?;
                let list = usize::from(name == "direction");
                let earlier = self.lists[list].get(predicate);
                if let Some((_, earlier)) = earlier.filter(|(own, _)| *own != names) {
                    let what = format!("{name} of {}", symbols.name(*predicate));
                    return Err(contradiction(bias, offset, &what, *earlier));
                }
                self.lists[list].insert(*predicate, (names, offset));
            }
            ("max_vars" | "max_body" | "max_clauses" | "max_rules", [number]) => {
                let Some(number) = as_count(number) else {
                    let message = format!("{name} takes an integer");
                    return Err(Box::new(bias.unexpected(offset, message)));
                };
                let limit = match name {
                    "max_vars" => &mut self.max_vars,
                    "max_body" => &mut self.max_body,
                    _ => &mut self.max_clauses,
                };
                if let Some((_, earlier)) = limit.filter(|(own, _)| *own != number) {
                    return Err(contradiction(bias, offset, name, earlier));
                }
                *limit = Some((number, offset));
            }
            ("constant", [constant, Term::Const(Constant::Symbol(kind))]) => {
                add_constant(&mut self.constants, *kind, constant.clone());
            }
            ("magic_value", [Term::Const(Constant::Symbol(predicate)), place]) => {
                let place = as_count(place).ok_or_else(|| {
                    let issue =
                        bias.unexpected(offset, "magic_value takes a predicate and a place");
                    Box::new(issue.help("write magic_value(geq,1) for its second argument"))
                })?;
                self.magic.push((*predicate, place));
                self.magic_offsets.push(offset);
            }
            ("enable_recursion", []) => self.recursion = true,
            ("noisy", []) => {
                self.search.noisy = true;
                let place = bias.place(offset);
                self.search
                    .given
                    .push((SearchSetting::Noisy, "noisy".into(), place));
            }
            ("enable_pi", []) => {
                self.search.invention = true;
                let place = bias.place(offset);
                self.search
                    .given
                    .push((SearchSetting::Invention, "enable_pi".into(), place));
            }
            ("only_once", [Term::Const(Constant::Symbol(predicate))]) => {
                self.once.push((*predicate, offset));
            }
            (_, []) if PASSED_OVER.contains(&name) => {}
            (_, args) if SETTINGS.contains(&name) => {
                let message = format!("{name}/{} is not a setting of a bias file", args.len());
                let issue = bias.unexpected(offset, message);
                return Err(Box::new(
                    issue.help("check the number and kind of its arguments"),
                ));
            }
            (name, args) => return Ok(Some((name.to_owned(), args.len()))),
        }
        Ok(None)
    }

    /// The declarations of the predicates to learn.
    pub(super) fn target_declarations(&self, bias: &Source<'_>) -> Vec<TargetDeclaration> {
        let heads = self.heads.iter().zip(&self.head_offsets);
        let declaration = |(predicate, offset): (&Predicate, &usize)| TargetDeclaration {
            predicate: *predicate,
            by: "head_pred",
            place: bias.place(*offset),
        };
        heads.map(declaration).collect()
    }

    /// A warning for each body predicate that is to be learned, too, in a task of its own.
    pub(super) fn check_targets_in_bodies(
        &self,
        bias: &Source<'_>,
        target: Predicate,
        symbols: &SymbolTable,
    ) -> Vec<Issue> {
        let body = self.body.iter().zip(&self.body_offsets);
        let others = body.filter(|(own, _)| **own != target && self.heads.contains(own));
        let issue = |(own, offset): (&Predicate, &usize)| {
            let (own, target) = (show(*own, symbols), show(target, symbols));
            bias.unexpected(*offset, other_target_in_bodies(&own, &target))
        };
        others.map(issue).collect()
    }

    /// Whether each list has a name for each argument.
    pub(super) fn check_lists(
        &self,
        bias: &Source<'_>,
        symbols: &SymbolTable,
        issues: &mut Vec<Issue>,
    ) {
        let heads = self.heads.iter().filter(|own| !self.body.contains(own));
        for &predicate in self.body.iter().chain(heads) {
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

/// One warning about all rules and constraints that are ignored.
fn warning_of_skipped(bias: &Source<'_>, skipped: &[Statement<'_>]) -> Option<Issue> {
    let first = skipped.first()?;
    let lines = skipped
        .iter()
        .map(|it| line_of(bias, it.offset).to_string());
    let lines: Vec<String> = lines.collect();
    let (these, lines) = match &lines[..] {
        [only] => ("1 rule or constraint is", format!("line {only}")),
        _ => (
            "rules and constraints are",
            format!("lines {}", lines.join(", ")),
        ),
    };
    let n = if skipped.len() == 1 {
        String::new()
    } else {
        format!("{} ", skipped.len())
    };
    let message = format!("{n}{these} not supported: {lines}");
    let help = "only constraints on one clause are supported: how often a predicate or a type occurs, and \
                which literals exclude each other; say the rest with types, directions and limits";
    Some(bias.unexpected(first.offset, message).help(help))
}

fn line_of(bias: &Source<'_>, offset: usize) -> usize {
    bias.text[..offset].matches('\n').count() + 1
}

/// What is declared twice, with different values.
fn contradiction(bias: &Source<'_>, offset: usize, what: &str, earlier: usize) -> Box<Issue> {
    let line = line_of(bias, earlier);
    let message = format!("{what} differs from line {line}");
    Box::new(bias.unexpected(offset, message).help("keep one of the two"))
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
        let message = format!("{declaration} lists something that is not a name");
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
    let message = format!("{name}/{arity} is not a setting of a bias file");
    let issue = bias.unexpected(offset, message);
    issue.help(kibitz_text::suggestion(name, SETTINGS))
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
