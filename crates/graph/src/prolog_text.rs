//! Rules as Prolog clauses: the only module that knows the reader and the printer of clauses.

use kibitz_prolog as prolog;
use prolog::{Atom, Clause, Constant, SymbolTable, Term, print_clause, read_clause};

use crate::literal::{Argument, Literal as PathLiteral};
use crate::names::Vocabulary;
use crate::rule::{CountedRule, Counts, Rule};
use crate::rules_text::{
    Mistake, NamedArgument, NamedLiteral, ParsedLine, check, known_rule, mistake,
};

/// Before the counts at the end of a line.
const COUNTS: &str = "  % ";

/// Marks counts from a sample.
pub(crate) const SAMPLED: &str = ", sampled";

/// The rule as a Prolog clause, with its full stop.
pub fn prolog_text(rule: &Rule, vocabulary: &Vocabulary) -> String {
    let mut symbols = SymbolTable::new();
    let (head, body) = rule.literals();
    let mut atom = |literal: PathLiteral| {
        let name = symbols.intern(vocabulary.relation_name(literal.relation));
        let arguments = literal.arguments.map(|argument| match argument {
            Argument::Variable(number) => Term::var(number),
            Argument::Entity(entity) => {
                Term::symbol(symbols.intern(vocabulary.entity_name(entity)))
            }
        });
        Atom::new(name, arguments)
    };
    let head = atom(head);
    let body = body
        .into_iter()
        .map(|literal| prolog::Literal::positive(atom(literal)));
    let clause = Clause::new(head, body.collect());
    print_clause(&clause.normalized(), &symbols).to_string()
}

/// A line of a file: the clause, and its counts in a comment.
pub(crate) fn line(rule: &CountedRule, vocabulary: &Vocabulary) -> String {
    let Counts {
        support,
        body,
        is_exact,
    } = rule.counts;
    let sampled = if is_exact { "" } else { SAMPLED };
    let text = prolog_text(&rule.rule, vocabulary);
    format!("{text}{COUNTS}{support} of {body}{sampled}\n")
}

const EXPECTED: &str = "expected a clause and its counts, such as `p(A,B) :- q(A,B).  % 3 of 4`";

pub(crate) fn counted_rule(line: &str, vocabulary: &Vocabulary) -> Result<ParsedLine, Mistake> {
    if line.is_empty() || line.starts_with('%') {
        return Ok(ParsedLine::Nothing);
    }
    let Some((text, comment)) = line.rsplit_once('%') else {
        return Err(mistake("no counts", EXPECTED));
    };
    let comment = comment.trim();
    let (numbers, is_exact) = match comment.strip_suffix(SAMPLED) {
        Some(numbers) => (numbers, false),
        None => (comment, true),
    };
    let parsed = numbers.split_once(" of ").and_then(|(support, body)| {
        Some(Counts {
            support: support.parse().ok()?,
            body: body.parse().ok()?,
            is_exact,
        })
    });
    let counts = parsed.ok_or_else(|| mistake(format!("`{comment}` are not counts"), EXPECTED))?;
    check(counts)?;
    let mut symbols = SymbolTable::new();
    let clause =
        read_clause(text, &mut symbols).map_err(|errors| mistake(errors.to_string(), EXPECTED))?;
    let named = |atom: &Atom| {
        let arguments: Vec<NamedArgument> = atom
            .args
            .iter()
            .map(|term| match term {
                Term::Var(var) => Some(NamedArgument::Variable(var.0)),
                Term::Const(Constant::Symbol(symbol)) => {
                    Some(NamedArgument::Name(symbols.name(*symbol).to_owned()))
                }
                Term::Const(Constant::Int(number)) => Some(NamedArgument::Name(number.to_string())),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let arguments: [NamedArgument; 2] = arguments.try_into().ok()?;
        Some(NamedLiteral {
            relation: symbols.name(atom.name).to_owned(),
            arguments,
        })
    };
    let not_binary = || {
        mistake(
            "a literal that is not a relation of two names or variables",
            EXPECTED,
        )
    };
    let head = named(&clause.head).ok_or_else(not_binary)?;
    let mut body = Vec::new();
    for literal in &clause.body {
        if !literal.positive {
            return Err(mistake("a negated literal", EXPECTED));
        }
        body.push(named(&literal.atom).ok_or_else(not_binary)?);
    }
    Ok(match known_rule(&head, &body, vocabulary)? {
        Some(rule) => ParsedLine::Rule(CountedRule { rule, counts }, None),
        None => ParsedLine::Unknown,
    })
}
