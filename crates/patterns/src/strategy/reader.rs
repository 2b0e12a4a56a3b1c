//! Strategies as text.

use std::ops::Range;
use std::sync::Arc;

use kibitz_board::{Color, Endgame};
use kibitz_text::{Diagnostic, Diagnostics, SourceFile, suggestion};

use super::built_in::{BUILT_IN, CHANGES, FURTHER, QUANTITIES};
use super::definitions::{Definitions, men_of, missing_piece};
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

/// Words up to the definitions, and where these begin; anything else is reported and skipped.
fn tokens<'t>(source: &'t SourceFile, mistakes: &mut Diagnostics) -> (Vec<Token<'t>>, usize) {
    let text = source.text();
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            return (found, text.len());
        };
        let len = match first {
            '%' => {
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
                continue;
            }
            '"' => match rest[1..].find(['"', '\n']) {
                Some(end) if rest[1 + end..].starts_with('"') => end + 2,
                end => {
                    let message = "this quotation mark is never closed on its line";
                    mistakes.push(source.error_at(at..at + 1, message));
                    end.map_or(rest.len(), |end| end + 1)
                }
            },
            _ => rest
                .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
                .unwrap_or(rest.len()),
        };
        if len == 0 {
            let message = format!("unexpected character `{first}`");
            mistakes.push(source.error_at(at..at + first.len_utf8(), message));
            rest = &rest[first.len_utf8()..];
            continue;
        }
        if &rest[..len] == "define" {
            return (found, at + len);
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
    /// All mistakes of the text.
    pub fn preferring(mut self, text: &str) -> Result<RuleStrategy, Diagnostics> {
        let source = SourceFile::new("prefer", text);
        let mut mistakes = Diagnostics::new();
        let (tokens, _) = tokens(&source, &mut mistakes);
        let mut reader = Reader {
            source: &source,
            tokens: &tokens,
            definitions: Some(&self.definitions),
            mistakes,
        };
        let keys = reader.keys();
        let keys = keys.map_err(|mistake| reader.mistakes.push(*mistake));
        reader.mistakes.in_reading_order().into_result(())?;
        self.preferences = keys.into_iter().collect();
        Ok(self)
    }

    /// Reads a strategy; `file` is the name that messages show.
    ///
    /// # Errors
    /// All mistakes of the text.
    pub fn read(file: &str, text: &str) -> Result<RuleStrategy, Diagnostics> {
        let source = SourceFile::new(file, text);
        let mut mistakes = Diagnostics::new();
        let (tokens, prolog) = tokens(&source, &mut mistakes);
        let definitions = Definitions::read(&source, prolog)
            .map_err(|found| mistakes.append(found))
            .ok();
        let mut reader = Reader {
            source: &source,
            tokens: &tokens,
            definitions: definitions.as_ref(),
            mistakes,
        };
        let parts = reader.strategy();
        let parts = parts.map_err(|mistake| reader.mistakes.push(*mistake)).ok();
        if let (Some((_, endgame, ..)), Some(definitions)) = (&parts, &definitions) {
            reader.mistakes.append(definitions.missing_pieces(endgame));
        }
        let mistakes = reader.mistakes.in_reading_order();
        match (parts, definitions) {
            (Some((title, endgame, preferences, rules)), Some(definitions))
                if mistakes.is_empty() =>
            {
                Ok(RuleStrategy {
                    title,
                    endgame,
                    rules,
                    preferences,
                    definitions: Arc::new(definitions),
                })
            }
            _ => Err(mistakes),
        }
    }
}

struct Reader<'r, 't> {
    source: &'t SourceFile,
    tokens: &'r [Token<'t>],
    /// None if they cannot be read: any concept may be defined there.
    definitions: Option<&'r Definitions>,
    /// Mistakes after which the rest can still be read.
    mistakes: Diagnostics,
}

/// A mistake after which a rule cannot be read on.
type Mistake = Box<Diagnostic>;

type Parts = (String, Endgame, Vec<Vec<Key>>, Vec<Rule>);

impl<'t> Reader<'_, 't> {
    fn strategy(&mut self) -> Result<Parts, Mistake> {
        self.expect("strategy")?;
        let title = self.next("a title in quotation marks")?;
        let inner = title
            .text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        let Some(inner) = inner else {
            let message = format!("expected a title in quotation marks, not `{}`", title.text);
            return Err(self.mistake(title.span, message));
        };
        self.expect("for")?;
        let material = self.next("the pieces, as in `KRvK`")?;
        let endgame: Endgame = (material.text.parse())
            .map_err(|error| self.mistake(material.span, format!("{error}")))?;
        let mut preferences = Vec::new();
        while self.take("prefer") {
            preferences.push(self.keys()?);
        }
        let mut rules: Vec<Rule> = Vec::new();
        let mut n_begun = 0;
        while !self.tokens.is_empty() {
            n_begun += 1;
            match self.rule(&rules, &endgame) {
                Ok(rule) => rules.push(rule),
                Err(mistake) => {
                    self.mistakes.push(*mistake);
                    self.skip_to_rule();
                }
            }
        }
        if n_begun == 0 {
            return Err(self.at_end("a rule"));
        }
        Ok((inner.to_owned(), endgame, preferences, rules))
    }

    /// A rule behind the word.
    fn rule(&mut self, before: &[Rule], endgame: &Endgame) -> Result<Rule, Mistake> {
        self.expect("rule")?;
        let name = self.next("the name of a rule")?;
        if before.iter().any(|rule| rule.name == name.text) {
            let message = format!("there is a rule `{}` already", name.text);
            let mistake = self.source.error_at(name.span.clone(), message);
            self.mistakes.push(mistake);
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
        if let Some(role) = role
            && let Some(missing) = missing_piece(endgame, Color::White, role)
        {
            let mistake = self.source.error_at(man.span.clone(), missing);
            let label = men_of(endgame, Color::White);
            self.mistakes.push(mistake.with_label(label));
        }
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
        Ok(Rule {
            name: name.text.to_owned(),
            before,
            role,
            after,
            prefer,
        })
    }

    /// Passes over what cannot be read, up to the next rule.
    fn skip_to_rule(&mut self) {
        let rest = self.tokens.split_first().map_or(&[][..], |(_, rest)| rest);
        let next = rest.iter().position(|token| token.text == "rule");
        self.tokens = next.map_or(&[], |next| &rest[next..]);
    }

    /// Quantities with `more` or `less`.
    fn keys(&mut self) -> Result<Vec<Key>, Mistake> {
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
    fn conditions(&mut self) -> Result<Vec<Condition>, Mistake> {
        let mut conditions = Vec::new();
        loop {
            let positive = !self.take("not");
            let name = self.next("a concept")?;
            if KEYWORDS.contains(&name.text) {
                let message = format!("expected a concept, found `{}`", name.text);
                return Err(self.mistake(name.span, message));
            }
            let built_in = (BUILT_IN.iter().chain(CHANGES).chain(FURTHER))
                .map(|own| (own.name, Concept::BuiltIn(own)));
            let defined = self.definitions.into_iter();
            let defined = defined.flat_map(Definitions::concepts);
            let concept = self.named("concept", &name, defined.chain(built_in));
            conditions.extend(concept.map(|concept| Condition { concept, positive }));
            if !self.take("and") {
                return Ok(conditions);
            }
        }
    }

    /// The meaning of a name; an unknown one is an error with the closest name.
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
        if what == "concept" && self.definitions.is_none() {
            return None;
        }
        let message = format!("unknown {what} `{}`", name.text);
        let mistake = self.source.error_at(name.span.clone(), message);
        let label = suggestion(name.text, names);
        self.mistakes.push(mistake.with_label(label));
        None
    }

    fn mistake(&self, span: Range<usize>, message: impl Into<String>) -> Mistake {
        Box::new(self.source.error_at(span, message))
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

    fn expect(&mut self, keyword: &str) -> Result<(), Mistake> {
        if self.take(keyword) {
            return Ok(());
        }
        let Some(found) = self.tokens.first() else {
            return Err(self.at_end(&format!("`{keyword}`")));
        };
        let message = format!("expected `{keyword}`, found `{}`", found.text);
        Err(self.mistake(found.span.clone(), message))
    }

    fn next(&mut self, what: &str) -> Result<Token<'t>, Mistake> {
        let Some((first, rest)) = self.tokens.split_first() else {
            return Err(self.at_end(what));
        };
        self.tokens = rest;
        Ok(first.clone())
    }

    fn at_end(&self, what: &str) -> Mistake {
        let end = self.source.text().trim_end().len();
        self.mistake(
            end..end,
            format!("expected {what}, found the end of the rules"),
        )
    }
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
            "strategy \"mine\" for KBNvK rule A with move rook rule B with move knight",
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
            "mine(Pos) :- contents(white, king, square(1, X), Pos),\n  \\+ contents(white, queen, square(_, X), Pos).",
            "mine(Pos) :- contents(black, rook, square(1, 1), Pos).",
        ];
        let shown: Vec<String> = cases.iter().map(|text| with(text)).collect();
        insta::assert_snapshot!(shown.join("\n\n"));
    }
}
