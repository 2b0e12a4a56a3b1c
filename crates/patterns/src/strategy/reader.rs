//! Strategies as text.

use std::ops::Range;
use std::sync::Arc;

use kibitz_board::Endgame;

use super::built_in::{BUILT_IN, CHANGES, FURTHER, QUANTITIES};
use super::definitions::Definitions;
use super::problem::{Problem, Problems};
use super::{Concept, Condition, Key, Rule, RuleStrategy};
use crate::chess_constants::ROLES;

/// Words that begin something, and are no names of concepts.
const KEYWORDS: [&str; 10] = [
    "strategy", "for", "prefer", "rule", "if", "with", "ensure", "and", "not", "define",
];

/// A word, or a text in quotation marks.
#[derive(Clone, Debug)]
struct Token<'t> {
    text: &'t str,
    span: Range<usize>,
}

/// Words up to the definitions, and where these begin.
fn tokens(text: &str) -> Result<(Vec<Token<'_>>, usize), Problem> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            return Ok((found, text.len()));
        };
        let len = match first {
            '%' => {
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
                continue;
            }
            '"' => match rest[1..].find(['"', '\n']) {
                Some(end) if rest[1 + end..].starts_with('"') => end + 2,
                _ => {
                    let message = "this quotation mark is never closed on its line".to_owned();
                    return Err(Problem::at(text, at..at + 1, message));
                }
            },
            _ => rest
                .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
                .unwrap_or(rest.len()),
        };
        if len == 0 {
            let message = format!("unexpected character `{first}`");
            return Err(Problem::at(text, at..at + first.len_utf8(), message));
        }
        if &rest[..len] == "define" {
            return Ok((found, at + len));
        }
        found.push(Token {
            text: &rest[..len],
            span: at..at + len,
        });
        rest = &rest[len..];
    }
}

impl RuleStrategy {
    /// The same rules with one way to choose among moves, written as behind `prefer`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn preferring(mut self, text: &str) -> Result<RuleStrategy, Problems> {
        let fail = |problems| Problems {
            file: "prefer".to_owned(),
            problems,
        };
        let (tokens, _) = tokens(text).map_err(|problem| fail(vec![problem]))?;
        let mut reader = Reader {
            text,
            tokens: &tokens,
            definitions: &self.definitions,
            problems: Vec::new(),
        };
        let keys = reader.keys();
        match keys {
            Ok(keys) if reader.problems.is_empty() => {
                self.preferences = vec![keys];
                Ok(self)
            }
            Ok(_) => Err(fail(reader.problems)),
            Err(problem) => Err(fail(vec![problem])),
        }
    }

    /// Reads a strategy; `file` is the name that problems show.
    ///
    /// # Errors
    /// What is wrong with the text, each with its place.
    pub fn read(file: &str, text: &str) -> Result<RuleStrategy, Problems> {
        let fail = |problems| Problems {
            file: file.to_owned(),
            problems,
        };
        let (tokens, prolog) = tokens(text).map_err(|problem| fail(vec![problem]))?;
        let definitions = Definitions::read(text, prolog).map_err(fail)?;
        let mut reader = Reader {
            text,
            tokens: &tokens,
            definitions: &definitions,
            problems: Vec::new(),
        };
        match reader.strategy() {
            Ok((title, endgame, preferences, rules)) if reader.problems.is_empty() => {
                Ok(RuleStrategy {
                    title,
                    endgame,
                    rules,
                    preferences,
                    definitions: Arc::new(definitions),
                })
            }
            Ok(_) => Err(fail(reader.problems)),
            Err(problem) => {
                reader.problems.push(problem);
                Err(fail(reader.problems))
            }
        }
    }
}

struct Reader<'r, 't> {
    text: &'t str,
    tokens: &'r [Token<'t>],
    definitions: &'r Definitions,
    /// Names that are wrong; the rest can still be read.
    problems: Vec<Problem>,
}

type Parts = (String, Endgame, Vec<Vec<Key>>, Vec<Rule>);

impl<'t> Reader<'_, 't> {
    fn strategy(&mut self) -> Result<Parts, Problem> {
        self.expect("strategy")?;
        let title = self.next("a title in quotation marks")?;
        let inner = title
            .text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        let Some(inner) = inner else {
            let message = format!("expected a title in quotation marks, not `{}`", title.text);
            return Err(Problem::at(self.text, title.span, message));
        };
        self.expect("for")?;
        let material = self.next("the men, as in `KRvK`")?;
        let endgame = (material.text.parse())
            .map_err(|error| Problem::at(self.text, material.span, format!("{error}")))?;
        let mut preferences = Vec::new();
        while self.take("prefer") {
            preferences.push(self.keys()?);
        }
        let mut rules: Vec<Rule> = Vec::new();
        while !self.tokens.is_empty() {
            self.expect("rule")?;
            let name = self.next("the name of a rule")?;
            if rules.iter().any(|rule| rule.name == name.text) {
                let message = format!("there is a rule `{}` already", name.text);
                self.problems
                    .push(Problem::at(self.text, name.span.clone(), message));
            }
            let before = if self.take("if") {
                self.conditions()?
            } else {
                Vec::new()
            };
            self.expect("with")?;
            self.expect("move")?;
            let man = self.next("the name of a piece")?;
            let roles = ROLES.iter().map(|(name, role)| (*name, Some(*role)));
            let role = self
                .named("piece", &man, roles.chain([("any", None)]))
                .flatten();
            let after = if self.take("ensure") {
                self.conditions()?
            } else {
                Vec::new()
            };
            let prefer = if self.take("prefer") {
                self.keys()?
            } else {
                Vec::new()
            };
            rules.push(Rule {
                name: name.text.to_owned(),
                before,
                role,
                after,
                prefer,
            });
        }
        if rules.is_empty() {
            return Err(self.at_end("a rule"));
        }
        Ok((inner.to_owned(), endgame, preferences, rules))
    }

    /// Quantities with `more` or `less`.
    fn keys(&mut self) -> Result<Vec<Key>, Problem> {
        let mut keys = Vec::new();
        while !self.at_keyword() {
            let more = self.take("more");
            if !more {
                self.expect("less")?;
            }
            let name = self.next("a quantity")?;
            let known = QUANTITIES.iter().map(|known| (known.name, known));
            let quantity = self.named("quantity", &name, known);
            keys.extend(quantity.map(|quantity| Key { quantity, more }));
        }
        Ok(keys)
    }

    /// Conditions between `and`.
    fn conditions(&mut self) -> Result<Vec<Condition>, Problem> {
        let mut conditions = Vec::new();
        loop {
            let positive = !self.take("not");
            let name = self.next("a concept")?;
            if KEYWORDS.contains(&name.text) {
                let message = format!("expected a concept, found `{}`", name.text);
                return Err(Problem::at(self.text, name.span, message));
            }
            let built_in = (BUILT_IN.iter().chain(CHANGES).chain(FURTHER))
                .map(|own| (own.name, Concept::BuiltIn(own)));
            let defined = self.definitions.concepts();
            let concept = self.named("concept", &name, defined.chain(built_in));
            conditions.extend(concept.map(|concept| Condition { concept, positive }));
            if !self.take("and") {
                return Ok(conditions);
            }
        }
    }

    /// What a name stands for; else a problem is noted, with the nearest name.
    fn named<'k, T>(
        &mut self,
        what: &str,
        name: &Token<'_>,
        known: impl Iterator<Item = (&'k str, T)>,
    ) -> Option<T> {
        let mut names = Vec::new();
        for (own, value) in known {
            if own == name.text {
                return Some(value);
            }
            names.push(own);
        }
        let mut message = format!("unknown {what} `{}`", name.text);
        let help = match nearest(name.text, &names) {
            Some(near) => format!("; did you mean `{near}`?"),
            None if names.len() <= 12 => format!("; there are {}", names.join(", ")),
            None => String::new(),
        };
        message.push_str(&help);
        self.problems
            .push(Problem::at(self.text, name.span.clone(), message));
        None
    }

    fn at_keyword(&self) -> bool {
        self.tokens
            .first()
            .is_none_or(|token| KEYWORDS.contains(&token.text))
    }

    fn take(&mut self, keyword: &str) -> bool {
        match self.tokens.split_first() {
            Some((first, rest)) if first.text == keyword => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }

    fn expect(&mut self, keyword: &str) -> Result<(), Problem> {
        if self.take(keyword) {
            return Ok(());
        }
        let Some(found) = self.tokens.first() else {
            return Err(self.at_end(&format!("`{keyword}`")));
        };
        let message = format!("expected `{keyword}`, found `{}`", found.text);
        Err(Problem::at(self.text, found.span.clone(), message))
    }

    fn next(&mut self, what: &str) -> Result<Token<'t>, Problem> {
        let Some((first, rest)) = self.tokens.split_first() else {
            return Err(self.at_end(what));
        };
        self.tokens = rest;
        Ok(first.clone())
    }

    fn at_end(&self, what: &str) -> Problem {
        let end = self.text.trim_end().len();
        let message = format!("expected {what}, found the end of the rules");
        Problem::at(self.text, end..end, message)
    }
}

/// The known name most similar to another one, if it may be meant.
fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let name = name.to_lowercase();
    (known.iter())
        .map(|own| {
            (
                strsim::normalized_damerau_levenshtein(&name, &own.to_lowercase()),
                *own,
            )
        })
        .filter(|(similarity, _)| *similarity >= 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, own)| own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> String {
        match RuleStrategy::read("mine.rules", text) {
            Ok(_) => panic!("{text} can be read"),
            Err(problems) => problems.to_string(),
        }
    }

    const HEAD: &str = "strategy \"mine\" for KRvK\n";

    #[test]
    fn unknown_names_come_with_the_nearest_one() {
        let text = "rule A\n  if oposition and not stalle\n  with move rok\n  ensure near\nrule A with move king\n";
        insta::assert_snapshot!(problems(&format!("{HEAD}prefer more man_distanse\n{text}")));
    }

    #[test]
    fn what_is_expected_is_said() {
        let cases = [
            "",
            "strategy mine for KRvK",
            "strategy \"mine for KRvK\n",
            "strategy \"mine\" for KRK rule A with move king",
            "strategy \"mine\" for KRvK",
            "strategy \"mine\" for KRvK rule A if opposition move king",
            "strategy \"mine\" for KRvK rule A if opposition and with move king",
            "strategy \"mine\" for KRvK rule A with move king ensure ; stale",
            "strategy \"mine\" for KRvK rule A with move king prefer less aera, more suport",
            "strategy \"mine\" for KRvK rule A with move king prefer area",
        ];
        let shown: Vec<String> = cases.iter().map(|text| problems(text)).collect();
        insta::assert_snapshot!(shown.join("\n\n"));
    }

    #[test]
    fn definitions_are_checked_in_their_place() {
        let with = |definitions: &str| {
            problems(&format!(
                "{HEAD}rule A with move king ensure mine\ndefine\n{definitions}\n"
            ))
        };
        let cases = [
            "mine(Pos) :- contents(white, king, square(1, X), Pos",
            "mine(Pos) :- content(white, king, square(1, X), Pos).",
            "mine(A, B, C) :- contents(A, B, square(1, 1), C).",
            "stale(Pos) :- contents(_, _, square(1, 1), Pos).",
        ];
        let shown: Vec<String> = cases.iter().map(|text| with(text)).collect();
        insta::assert_snapshot!(shown.join("\n\n"));
    }
}
