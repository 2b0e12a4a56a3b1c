//! FOIL's layout: one `.d` file with types and tables of tuples.

mod kinds;
mod task;
#[cfg(test)]
mod tests;

use indexmap::{IndexMap, IndexSet};
use kibitz_prolog::{Atom, Constant, Direction, Predicate, Real, Symbol, SymbolTable, Term};
use kibitz_text::counted;
use rustc_hash::FxBuildHasher;

use super::issue::{Issue, TaskError};
use super::source::{Source, check_arity};
use super::{ConstantSet, Task};

/// Constants in the order of the file.
type Constants = IndexSet<Term, FxBuildHasher>;

/// A relation as the file lists it.
struct RelationTable {
    predicate: Predicate,
    kinds: Vec<Symbol>,
    /// Keys such as `#-`: which arguments must be bound. Empty for none.
    keys: Vec<Vec<Direction>>,
    background: bool,
    positive: Vec<Atom>,
    negative: Option<Vec<Atom>>,
    offset: usize,
}

/// Tuples of a relation to test on: positive and negative ones.
struct TestTable {
    predicate: Predicate,
    tuples: [Vec<Atom>; 2],
    offset: usize,
}

struct Table<'t> {
    source: Source<'t>,
    offset: usize,
    symbols: SymbolTable,
    /// The constants of each type; none for a continuous one.
    kinds: IndexMap<Symbol, Constants, FxBuildHasher>,
    theory_constants: Vec<ConstantSet>,
    relations: Vec<RelationTable>,
    tests: Vec<TestTable>,
    /// Constants of the table that is read, which their types do not list, and where each is first.
    strays: IndexMap<Term, usize, FxBuildHasher>,
    remarks: Vec<Issue>,
}

impl Task {
    /// Reads a task in FOIL's layout: type definitions, then relations. The relation without
    /// an asterisk is learned; all others are background. Without negative tuples every other
    /// tuple of the right types is negative. Clauses may call the relation to learn where a relation
    /// leads from one value of its types to another. Tuples with a sign that follow the relations, each
    /// group after the name of its relation, are examples to test on.
    ///
    /// # Errors
    /// Every broken definition (the first twenty), with line and column.
    pub fn from_foil(source: Source<'_>) -> Result<Task, TaskError> {
        Self::only(Self::each_from_foil(source)?, source.name)
    }

    /// Reads a task for each relation without an asterisk; the tuples of the others are its background.
    pub(super) fn each_from_foil(source: Source<'_>) -> Result<Vec<Task>, TaskError> {
        let mut table = Table {
            source,
            offset: 0,
            symbols: SymbolTable::new(),
            kinds: IndexMap::default(),
            theory_constants: Vec::new(),
            relations: Vec::new(),
            tests: Vec::new(),
            strays: IndexMap::default(),
            remarks: Vec::new(),
        };
        table.read()?;
        table.into_tasks()
    }
}

impl<'t> Table<'t> {
    fn rest(&self) -> &'t str {
        &self.source.text[self.offset..]
    }

    fn error(&self, offset: usize, message: impl Into<String>) -> TaskError {
        self.source.unexpected(offset, message).into()
    }

    /// Skips blanks; with `lines` also the ends of lines. A `|` starts a comment.
    fn skip(&mut self, lines: bool) {
        loop {
            let rest = self.rest();
            let blank = |c: char| c.is_whitespace() && (lines || c != '\n');
            let trimmed = rest.trim_start_matches(blank);
            self.offset += rest.len() - trimmed.len();
            if trimmed.starts_with('|') {
                self.offset += trimmed.find('\n').unwrap_or(trimmed.len());
            } else {
                return;
            }
        }
    }

    fn eat(&mut self, expected: char) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.offset += expected.len_utf8();
        }
        found
    }

    fn expect(&mut self, expected: char) -> Result<(), TaskError> {
        self.skip(true);
        if self.eat(expected) {
            return Ok(());
        }
        let message = format!("expected {expected:?}, found {}", self.found());
        Err(self.error(self.offset, message))
    }

    /// The next character, for messages.
    fn found(&self) -> String {
        let next = self.rest().chars().next();
        next.map_or("the end of the text".into(), |c| format!("{c:?}"))
    }

    /// Items with commas between them, up to a character.
    fn list(
        &mut self,
        end: char,
        mut item: impl FnMut(&mut Self) -> Result<(), TaskError>,
    ) -> Result<(), TaskError> {
        loop {
            self.skip(true);
            item(self)?;
            self.skip(true);
            if self.eat(end) {
                return Ok(());
            }
            self.expect(',')?;
        }
    }

    /// A name or number: everything up to a separator.
    fn word(&mut self) -> Result<&'t str, TaskError> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            match bytes[end] {
                b'\\' => end = (end + 2).min(bytes.len()),
                b',' | b';' | b':' | b'(' | b')' | b' ' | b'\t' | b'\r' | b'\n' | b'|' => break,
                // A dot inside a number belongs to it.
                b'.' if !(end > 0 && bytes.get(end + 1).is_some_and(u8::is_ascii_digit)) => break,
                _ => end += 1,
            }
        }
        if !rest.is_char_boundary(end) || end == 0 {
            let message = format!("a name or number is expected, found {}", self.found());
            return Err(self.error(self.offset, message));
        }
        self.offset += end;
        Ok(&rest[..end])
    }

    fn constant(&mut self) -> Result<Term, TaskError> {
        let word = self.word()?;
        Ok(Term::Const(if let Ok(value) = word.parse() {
            Constant::Int(value)
        } else if word.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            && let Ok(value) = word.parse::<f64>()
            && value.is_finite()
        {
            Constant::Real(Real(value))
        } else if word.contains('\\') {
            Constant::Symbol(self.symbols.intern(&word.replace('\\', "")))
        } else {
            Constant::Symbol(self.symbols.intern(word))
        }))
    }

    /// Reads all definitions; after a broken one reading goes on behind its end.
    fn read(&mut self) -> Result<(), TaskError> {
        const MAX_ISSUES: usize = 20;
        let mut issues = Vec::new();
        loop {
            self.skip(true);
            // A full stop of its own may stand before the tests.
            if self.eat('.') {
                continue;
            }
            if self.rest().is_empty() {
                break;
            }
            let read = if self.is_test() {
                self.test()
            } else {
                self.definition()
            };
            if let Err(error) = read {
                issues.extend(error.issues);
                if issues.len() >= MAX_ISSUES {
                    break;
                }
                self.skip_definition();
            }
        }
        TaskError::check(issues, ())
    }

    /// Reads a type or a relation.
    fn definition(&mut self) -> Result<(), TaskError> {
        let start = self.offset;
        let marked = self.eat('*');
        let ordered = self.eat('#');
        let name = self.word()?;
        self.skip(false);
        if self.eat(':') {
            self.kind(name, start)
        } else if self.rest().starts_with('(') && !ordered {
            self.relation(name, marked, start)
        } else {
            Err(self.error(
                self.offset,
                format!(
                    "after {name} a type definition (name: constants.) or a relation \
                     (name(types)) is expected"
                ),
            ))
        }
    }

    /// Whether the name of a known relation stands on a line of its own: tests follow.
    fn is_test(&self) -> bool {
        let line = self.rest().lines().next().unwrap_or("");
        let line = line.split('|').next().unwrap_or("").trim();
        let mut relations = self.relations.iter();
        relations.any(|relation| self.symbols.name(relation.predicate.name) == line)
    }

    /// Reads the tests of a relation: tuples, each with a sign after a colon.
    fn test(&mut self) -> Result<(), TaskError> {
        let offset = self.offset;
        let line = self.rest().lines().next().unwrap_or("");
        let name = line.split('|').next().unwrap_or("").trim();
        self.offset += line.len();
        let mut relations = self.relations.iter();
        let Some((predicate, kinds)) = relations
            .find(|own| self.symbols.name(own.predicate.name) == name)
            .map(|relation| (relation.predicate, relation.kinds.clone()))
        else {
            return Ok(());
        };
        let [mut positive, mut negative] = [Vec::new(), Vec::new()];
        loop {
            self.skip(true);
            if self.rest().is_empty() || self.eat('.') {
                break;
            }
            let start = self.offset;
            let atom = self.tuple(predicate, &kinds)?;
            self.skip(false);
            let is_signed = self.eat(':');
            self.skip(false);
            if is_signed && self.eat('+') {
                positive.push(atom);
            } else if is_signed && self.eat('-') {
                negative.push(atom);
            } else {
                let issue = self.source.unexpected(start, "a test tuple has no sign");
                let help = "write a colon and + or - after it, as in 1,2: +";
                return Err(issue.help(help).into());
            }
        }
        self.remark_strays(&format!("the test of {name}"));
        self.tests.push(TestTable {
            predicate,
            tuples: [positive, negative],
            offset,
        });
        Ok(())
    }

    /// Goes behind the next line that ends with a full stop.
    fn skip_definition(&mut self) {
        let lines = self.rest().split_inclusive('\n');
        let mut is_over = false;
        let skipped = lines.take_while(|line| {
            let goes_on = !is_over;
            is_over = line.trim_end().ends_with('.');
            goes_on
        });
        self.offset += skipped.map(str::len).sum::<usize>();
    }

    fn relation(&mut self, name: &str, background: bool, start: usize) -> Result<(), TaskError> {
        self.expect('(')?;
        let mut kinds = Vec::new();
        self.skip(true);
        if !self.eat(')') {
            self.list(')', |this| {
                kinds.push(this.known_kind()?);
                Ok(())
            })?;
        }
        let predicate = Predicate {
            name: self.symbols.intern(name),
            arity: kinds.len(),
        };
        check_arity(kinds.len()).map_err(|problem| self.error(start, problem))?;
        if self.relations.iter().any(|own| own.predicate == predicate) {
            let message = format!("relation {name}/{} is defined twice", kinds.len());
            return Err(self.error(start, message));
        }
        let keys = self.keys(&kinds)?;
        let positive = self.tuples(predicate, &kinds)?;
        let negative = if self.eat(';') {
            Some(self.tuples(predicate, &kinds)?)
        } else {
            None
        };
        if !self.eat('.') {
            return Err(self.error(
                self.offset,
                format!("the tuples of {name} must end with a line that holds a full stop"),
            ));
        }
        self.remark_strays(name);
        self.relations.push(RelationTable {
            predicate,
            kinds,
            keys,
            background,
            positive,
            negative,
            offset: start,
        });
        Ok(())
    }

    fn keys(&mut self, kinds: &[Symbol]) -> Result<Vec<Vec<Direction>>, TaskError> {
        let mut keys = Vec::new();
        loop {
            self.skip(false);
            let start = self.offset;
            let rest = self.rest();
            let marks = rest.chars().map_while(|mark| match mark {
                '#' => Some(Direction::In),
                '-' => Some(Direction::Out),
                _ => None,
            });
            let key: Vec<Direction> = marks.collect();
            let after = rest[key.len()..].chars().next();
            if key.is_empty() || after.is_some_and(|c| c == ',' || c == ';') {
                return Ok(keys);
            }
            self.offset += key.len();
            if key.len() != kinds.len() {
                let (own, places) = (key.len(), kinds.len());
                let message = format!("this key has {own} places, the relation {places}");
                return Err(self.error(start, message));
            }
            keys.push(key);
            self.eat('/');
        }
    }

    fn tuples(&mut self, predicate: Predicate, kinds: &[Symbol]) -> Result<Vec<Atom>, TaskError> {
        let mut tuples = Vec::new();
        loop {
            self.skip(true);
            if self.rest().starts_with([';', '.']) || self.rest().is_empty() {
                return Ok(tuples);
            }
            tuples.push(self.tuple(predicate, kinds)?);
        }
    }

    fn tuple(&mut self, predicate: Predicate, kinds: &[Symbol]) -> Result<Atom, TaskError> {
        let start = self.offset;
        let mut args = Vec::with_capacity(predicate.arity);
        loop {
            let offset = self.offset;
            let constant = self.constant()?;
            if let Some(kind) = kinds.get(args.len())
                && !self.may_be_of(*kind, &constant)
            {
                self.strays.entry(constant.clone()).or_insert(offset);
            }
            args.push(constant);
            self.skip(false);
            if !self.eat(',') {
                break;
            }
            self.skip(true);
        }
        if args.len() == predicate.arity {
            return Ok(Atom::new(predicate.name, args));
        }
        let message = format!(
            "this tuple has {}, {} has arity {}",
            counted(args.len(), "value", "values"),
            self.symbols.name(predicate.name),
            predicate.arity
        );
        Err(self.error(start, message))
    }
}
