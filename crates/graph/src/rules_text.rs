//! Files of rules: `AnyBURL`'s lines, and Prolog text.

use std::fmt::Write as _;
use std::io::BufRead;
use std::path::Path;

use kibitz_text::{Diagnostic, Diagnostics, Exit, Failure, Location};

use crate::graph::{Graph, Step};
use crate::input::{opened, utf8};
use crate::learn::{LearnSettings, sort};
use crate::literal::{Argument, Literal, RuleFormError, X, Y};
use crate::names::{Entity, Relation, Vocabulary};
use crate::prolog_text;
use crate::rule::{CountedRule, Counts, Rule};

/// How a file of rules is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSyntax {
    /// One rule per line, after its body count, support and confidence, separated by tabs:
    /// `40<tab>35<tab>0.875<tab>speaks(X,english) <= lives(X,london)`.
    AnyBurl,
    /// One clause per line, with its counts in a comment:
    /// `speaks(A,english) :- lives(A,london).  % 35 of 40`.
    Prolog,
}

impl RuleSyntax {
    /// The syntax by a file's name: `.pl` is Prolog.
    pub fn of(path: &Path) -> Self {
        let is_prolog = path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("pl"));
        if is_prolog {
            Self::Prolog
        } else {
            Self::AnyBurl
        }
    }
}

/// Rules that were read.
#[derive(Clone, Debug)]
pub struct RuleFile {
    /// The syntax; only Prolog marks counts of a sample.
    pub syntax: RuleSyntax,
    /// By relation and strength, the strongest first.
    pub rules: Vec<CountedRule>,
    /// Rules that name entities or relations that are not in the vocabulary, and cannot fire.
    pub n_unknown: usize,
    /// Rules whose heads have one variable twice; they predict nothing under Object Identity.
    pub n_reflexive: usize,
    /// Rules that the file has already; only the first one is used.
    pub n_repeated: usize,
    /// Lines whose third field is not the support divided by the body count; the counts are used.
    pub wrong_shares: Vec<usize>,
}

impl RuleFile {
    fn remove_repetitions(&mut self) {
        // The order is stable: of equal rules the first one stays.
        self.rules.sort_by(|a, b| a.rule.cmp(&b.rule));
        let n_read = self.rules.len();
        self.rules.dedup_by(|a, b| a.rule == b.rule);
        self.n_repeated = n_read - self.rules.len();
    }
}

/// Errors of a file that are listed; the others are counted.
const MAX_LISTED: usize = 20;

/// Difference that rounding may make between a share and the counts it is computed from.
const SHARE_TOLERANCE: f64 = 0.005;

/// Reads a file of rules, plain or compressed.
///
/// # Errors
/// The file cannot be read, or lines hold no rule: the first of them are listed.
pub fn read_rules(path: &Path, vocabulary: &Vocabulary) -> Result<RuleFile, Failure> {
    let input = opened(path, "rules")?;
    let name = path.display().to_string();
    let plain = [".zst", ".gz", ".bz2"]
        .iter()
        .fold(name.as_str(), |name, ending| name.trim_end_matches(ending));
    parse_rules(&name, RuleSyntax::of(Path::new(plain)), input, vocabulary)
}

/// Reads rules from something called `name`.
///
/// # Errors
/// See [`read_rules`].
pub fn parse_rules(
    name: &str,
    syntax: RuleSyntax,
    mut input: impl BufRead,
    vocabulary: &Vocabulary,
) -> Result<RuleFile, Failure> {
    let mut found = RuleFile {
        syntax,
        rules: Vec::new(),
        n_unknown: 0,
        n_reflexive: 0,
        n_repeated: 0,
        wrong_shares: Vec::new(),
    };
    let mut mistakes = Diagnostics::new();
    let mut n_mistakes = 0;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        if read.map_err(|error| Failure::unreadable(name, &error))? == 0 {
            break;
        }
        let text = utf8(name, &line, number)?.trim_end();
        let parsed = match syntax {
            RuleSyntax::AnyBurl => any_burl(text, vocabulary),
            RuleSyntax::Prolog => prolog_text::counted_rule(text, vocabulary),
        };
        match parsed {
            Ok(ParsedLine::Nothing) => {}
            Ok(ParsedLine::Rule(rule, share)) => {
                let counted = f64::from(rule.counts.support) / f64::from(rule.counts.body.max(1));
                if share.is_some_and(|share| (share - counted).abs() > SHARE_TOLERANCE) {
                    found.wrong_shares.push(number);
                }
                found.rules.push(rule);
            }
            Ok(ParsedLine::Unknown) => found.n_unknown += 1,
            Err(Mistake::Form(RuleFormError::SameVariable)) => found.n_reflexive += 1,
            Err(mistake) => {
                n_mistakes += 1;
                if n_mistakes <= MAX_LISTED {
                    mistakes.push(mistake.at(name, number, text));
                }
            }
        }
    }
    if n_mistakes > MAX_LISTED {
        let n = n_mistakes - MAX_LISTED;
        let others = kibitz_text::counted(n, "line without a rule", "lines without a rule");
        mistakes.push(Diagnostic::new(format!("{name}: {others} more")));
    }
    if !mistakes.is_empty() {
        return Err(Failure {
            exit: Exit::BadInput,
            diagnostics: mistakes,
        });
    }
    found.remove_repetitions();
    sort(&mut found.rules);
    Ok(found)
}

/// The content of a line.
pub(crate) enum ParsedLine {
    Nothing,
    /// A rule, and the share of its predictions that are known, if the line has it.
    Rule(CountedRule, Option<f64>),
    /// Names that the vocabulary does not have.
    Unknown,
}

/// An error in a line.
pub(crate) enum Mistake {
    Form(RuleFormError),
    Text { message: String, expected: String },
}

impl From<RuleFormError> for Mistake {
    fn from(form: RuleFormError) -> Self {
        Self::Form(form)
    }
}

impl Mistake {
    /// The error in a line of a file.
    fn at(self, name: &str, number: usize, line: &str) -> Diagnostic {
        let (message, label) = match self {
            Self::Form(form) => {
                let expected = "expected a rule whose body is a path";
                (form.message(), expected.to_owned())
            }
            Self::Text { message, expected } => (message, expected),
        };
        let mut location = Location::new(name, line, 0..line.len());
        if let Some(excerpt) = &mut location.excerpt {
            excerpt.line = number;
        }
        Diagnostic::new(message).at(location).with_label(label)
    }
}

pub(crate) fn mistake(message: impl Into<String>, expected: impl Into<String>) -> Mistake {
    Mistake::Text {
        message: message.into(),
        expected: expected.into(),
    }
}

/// A literal by names, before they are looked up.
pub(crate) struct NamedLiteral {
    pub(crate) relation: String,
    pub(crate) arguments: [NamedArgument; 2],
}

pub(crate) enum NamedArgument {
    Variable(u32),
    Name(String),
}

/// The rule of named literals; `None` if a name is unknown.
pub(crate) fn known_rule(
    head: &NamedLiteral,
    body: &[NamedLiteral],
    vocabulary: &Vocabulary,
) -> Result<Option<Rule>, RuleFormError> {
    let argument = |named: &NamedArgument| match named {
        NamedArgument::Variable(number) => Some(Argument::Variable(*number)),
        NamedArgument::Name(name) => vocabulary.known_entity(name).map(Argument::Entity),
    };
    let known = |named: &NamedLiteral| {
        Some(Literal {
            relation: vocabulary.known_relation(&named.relation)?,
            arguments: [
                argument(&named.arguments[0])?,
                argument(&named.arguments[1])?,
            ],
        })
    };
    let Some(head) = known(head) else {
        return Ok(None);
    };
    let Some(body) = body.iter().map(known).collect() else {
        return Ok(None);
    };
    Rule::of_literals(head, body).map(Some)
}

const EXPECTED: &str = "expected body count, support, their share and a rule, separated by tabs";

fn any_burl(line: &str, vocabulary: &Vocabulary) -> Result<ParsedLine, Mistake> {
    if line.is_empty() {
        return Ok(ParsedLine::Nothing);
    }
    let fields: Vec<&str> = line.splitn(4, '\t').collect();
    let [body, support, share, text] = fields[..] else {
        let n = kibitz_text::counted(fields.len(), "field", "fields");
        return Err(mistake(format!("{n} instead of four"), EXPECTED));
    };
    let count = |field: &str| {
        let wrong = |_| mistake(format!("`{field}` is not a count"), EXPECTED);
        field.parse::<u32>().map_err(wrong)
    };
    let counts = Counts {
        support: count(support)?,
        body: count(body)?,
        is_exact: true,
    };
    check(counts)?;
    let share: f64 = share
        .parse()
        .map_err(|_| mistake(format!("`{share}` is not a number"), EXPECTED))?;
    let Some((head, body)) = text.split_once("<=") else {
        return Err(mistake(
            "no `<=` between head and body",
            "expected `head(X,Y) <= body(X,Y)`",
        ));
    };
    let head = literal(head.trim())?;
    let mut literals = Vec::new();
    let mut rest = body.trim();
    while !rest.is_empty() {
        let end = rest.find("), ").map_or(rest.len(), |at| at + 1);
        literals.push(literal(rest[..end].trim())?);
        rest = rest[end..].trim_start_matches(',').trim_start();
    }
    let rule = known_rule(&head, &literals, vocabulary)?;
    Ok(match rule {
        Some(rule) => ParsedLine::Rule(CountedRule { rule, counts }, Some(share)),
        None => ParsedLine::Unknown,
    })
}

/// Whether counts are possible.
pub(crate) fn check(counts: Counts) -> Result<(), Mistake> {
    if counts.support > counts.body {
        let message = format!(
            "support {} is greater than the body count {}",
            counts.support, counts.body
        );
        return Err(mistake(message, "expected at most the body count"));
    }
    Ok(())
}

fn literal(text: &str) -> Result<NamedLiteral, Mistake> {
    let wrong = || {
        mistake(
            format!("`{text}` is not a literal"),
            "expected `relation(X,Y)`",
        )
    };
    let inner = text.strip_suffix(')').ok_or_else(wrong)?;
    let (relation, arguments) = inner.split_once('(').ok_or_else(wrong)?;
    let (first, second) = arguments.split_once(',').ok_or_else(wrong)?;
    Ok(NamedLiteral {
        relation: relation.to_owned(),
        arguments: [argument(first), argument(second)],
    })
}

/// `AnyBURL`'s variables are single capital letters.
fn argument(text: &str) -> NamedArgument {
    match text.as_bytes() {
        [b'X'] => NamedArgument::Variable(X),
        [b'Y'] => NamedArgument::Variable(Y),
        [letter @ b'A'..=b'W'] => NamedArgument::Variable(Y + 1 + u32::from(letter - b'A')),
        _ => NamedArgument::Name(text.to_owned()),
    }
}

/// Writes rules, one a line.
///
/// # Errors
/// A name cannot be written in `AnyBURL`'s syntax.
pub fn write_rules(
    rules: &[CountedRule],
    vocabulary: &Vocabulary,
    syntax: RuleSyntax,
    out: &mut impl std::io::Write,
) -> Result<(), WriteError> {
    for rule in rules {
        let line = match syntax {
            RuleSyntax::AnyBurl => {
                let Counts { support, body, .. } = rule.counts;
                let share = f64::from(support) / f64::from(body.max(1));
                let text = any_burl_text(&rule.rule, vocabulary)?;
                format!("{body}\t{support}\t{share}\t{text}\n")
            }
            RuleSyntax::Prolog => prolog_text::line(rule, vocabulary),
        };
        out.write_all(line.as_bytes()).map_err(WriteError::Io)?;
    }
    out.flush().map_err(WriteError::Io)
}

/// Why rules could not be written.
#[derive(Debug)]
pub enum WriteError {
    /// The file cannot be written.
    Io(std::io::Error),
    /// A name that means something else in `AnyBURL`'s syntax.
    Name(String),
}

/// The rule in `AnyBURL`'s syntax.
///
/// # Errors
/// A name in it has brackets, commas or line breaks that are ambiguous with the syntax, or looks like
/// a variable.
pub fn any_burl_text(rule: &Rule, vocabulary: &Vocabulary) -> Result<String, WriteError> {
    let (head, body) = rule.literals();
    let mut text = String::new();
    any_burl_literal(&mut text, head, vocabulary)?;
    text += " <= ";
    for (place, literal) in body.into_iter().enumerate() {
        if place > 0 {
            text += ", ";
        }
        any_burl_literal(&mut text, literal, vocabulary)?;
    }
    Ok(text)
}

fn is_any_burl_relation(name: &str) -> bool {
    name.trim() == name && !name.contains(['(', ')', '\t', '\n']) && !name.contains("<=")
}

fn is_any_burl_entity(name: &str, is_first: bool) -> bool {
    let is_variable = matches!(name.as_bytes(), [b'A'..=b'Z']);
    let is_ambiguous = name.contains("<=") || name.contains("), ");
    let has_comma = is_first && name.contains(',');
    !(is_variable || is_ambiguous || has_comma || name.contains(['\t', '\n']))
}

/// A name that rules learned from the graph may have and that cannot be written in `AnyBURL`'s
/// syntax, if there is one: the first relation, otherwise the first entity.
pub fn unwritable_name<'v>(
    graph: &Graph,
    settings: &LearnSettings,
    vocabulary: &'v Vocabulary,
) -> Option<&'v str> {
    let of_graph = |relation: &Relation| !graph.triples_of(*relation).is_empty();
    let relations = vocabulary.relations().filter(of_graph);
    let mut relations = relations.map(|relation| vocabulary.relation_name(relation));
    if let Some(name) = relations.find(|name| !is_any_burl_relation(name)) {
        return Some(name);
    }
    // A constant has that many edges of one kind, unless a longer body ends in it.
    let n_edges = match settings.max_constant_path {
        0 | 1 => settings.min_support as usize,
        _ => 1,
    };
    let is_unwritable = |entity: &Entity| {
        let name = vocabulary.entity_name(*entity);
        let as_any = is_any_burl_entity(name, true);
        let is_wrong = |step: Step| !is_any_burl_entity(name, !step.is_backward());
        let mut steps = graph.steps(*entity);
        !as_any && steps.any(|(step, ends)| ends.len() >= n_edges && is_wrong(step))
    };
    let mut entities = (0..graph.entity_bound() as u32).map(Entity);
    let entity = entities.find(is_unwritable)?;
    Some(vocabulary.entity_name(entity))
}

fn any_burl_literal(
    text: &mut String,
    literal: Literal,
    vocabulary: &Vocabulary,
) -> Result<(), WriteError> {
    let relation = vocabulary.relation_name(literal.relation);
    if !is_any_burl_relation(relation) {
        return Err(WriteError::Name(relation.to_owned()));
    }
    let _ = write!(text, "{relation}(");
    for (place, argument) in literal.arguments.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        match argument {
            Argument::Variable(X) => text.push('X'),
            Argument::Variable(Y) => text.push('Y'),
            Argument::Variable(inner) => text.push(char::from(b'A' + (inner - Y - 1) as u8)),
            Argument::Entity(entity) => {
                let name = vocabulary.entity_name(entity);
                if !is_any_burl_entity(name, place == 0) {
                    return Err(WriteError::Name(name.to_owned()));
                }
                text.push_str(name);
            }
        }
    }
    text.push(')');
    Ok(())
}
