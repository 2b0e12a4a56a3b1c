//! Types and their constants.

use kibitz_prolog::{Symbol, Term, print_term};
use kibitz_text::{counted, suggestion};

use super::{Constants, Table};
use crate::ConstantSet;
use crate::hints::listed;
use crate::issue::TaskError;
use crate::values::{is_missing, number};

impl Table<'_> {
    pub(super) fn kind(&mut self, name: &str, start: usize) -> Result<(), TaskError> {
        let kind = self.symbols.intern(name);
        if self.kinds.contains_key(&kind) {
            return Err(self.error(start, format!("type {name} is defined twice")));
        }
        // Known although its constants may be broken.
        self.kinds.entry(kind).or_default();
        self.skip(false);
        let start = self.offset;
        if self.rest().starts_with("continuous") {
            self.offset += "continuous".len();
            let issue = self.source.unexpected(
                start,
                format!("{name} is continuous; only auto and mml look for thresholds"),
            );
            self.remarks.push(
                issue.help("for other learners give comparisons with thresholds as relations"),
            );
            return self.expect('.');
        }
        let (mut constants, mut marked) = (Constants::default(), Constants::default());
        let mut repeated = Vec::new();
        self.list('.', |this| {
            let theory_constant = this.eat('*');
            let offset = this.offset;
            let constant = this.constant()?;
            if theory_constant {
                marked.insert(constant.clone());
            }
            if !constants.insert(constant.clone()) {
                repeated.push((constant, offset));
            }
            Ok(())
        })?;
        if !marked.is_empty() {
            self.theory_constants.push(ConstantSet {
                kind,
                constants: marked.into_iter().collect(),
            });
        }
        if let Some((_, first)) = repeated.first() {
            let ignored = counted(repeated.len(), "repeated constant", "repeated constants");
            let names: Constants = repeated.iter().map(|(own, _)| own.clone()).collect();
            let message = format!("ignored {ignored} of type {name}: {}", self.shown(&names));
            self.remarks.push(self.source.unexpected(*first, message));
        }
        self.kinds.insert(kind, constants);
        Ok(())
    }

    pub(super) fn known_kind(&mut self) -> Result<Symbol, TaskError> {
        let offset = self.offset;
        let word = self.word()?;
        let kind = self.symbols.intern(word);
        if self.kinds.contains_key(&kind) {
            return Ok(kind);
        }
        let message = format!("type {word} is not defined");
        let issue = self.source.unexpected(offset, message);
        let known = self.kinds.keys().map(|kind| self.symbols.name(*kind));
        Err(issue.help(suggestion(word, known)).into())
    }

    /// Whether a type lists a constant, or need not: a continuous one has all numbers, and FOIL knows `?` for
    /// a missing value and `^` for one out of range in every type.
    pub(super) fn may_be_of(&self, kind: Symbol, constant: &Term) -> bool {
        let is_listed = |own: &Constants| {
            own.contains(constant) || own.is_empty() && number(constant).is_some()
        };
        self.kinds.get(&kind).is_none_or(is_listed) || is_missing(constant, &self.symbols)
    }

    /// Constants in words; of many the first.
    fn shown<'c>(&self, constants: impl IntoIterator<Item = &'c Term>) -> String {
        let constants = constants.into_iter();
        listed(constants.map(|own| print_term(own, &self.symbols).to_string()))
    }

    /// Says of a table which of its constants their types do not list.
    pub(super) fn remark_strays(&mut self, table: &str) {
        let strays = std::mem::take(&mut self.strays);
        if let Some(first) = strays.values().next() {
            let constants = counted(
                strays.len(),
                "constant that its type does not list",
                "constants that their types do not list",
            );
            let message = format!("{table} has {constants}: {}", self.shown(strays.keys()));
            let issue = self.source.unexpected(*first, message);
            let help = "list every constant in the definition of its type; no thresholds are looked for where \
                        a continuous type has other values than numbers";
            self.remarks.push(issue.help(help));
        }
    }
}
