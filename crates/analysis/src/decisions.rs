//! Decisions of a choice model, read in pieces: only the values that the model needs stay in memory.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    ops::{Bound, Range},
    sync::Arc,
};

use kibitz_experiment::CellError;
use kibitz_stats::{BlockError, ChoiceBlocks, ChoiceError};
use polars::prelude::{AnyValue, DataFrame};

use crate::frames::{codes, numbers, texts};

/// Decisions; those that do not fit in memory are in an anonymous temporary file.
pub(crate) type Decisions = ChoiceBlocks<File>;

/// The columns of the records.
#[derive(Clone, Debug)]
pub(crate) struct Columns<'m> {
    /// Those that together name a decision.
    pub(crate) decision: &'m [String],
    /// That which says whether an alternative was chosen.
    pub(crate) chosen: &'m str,
    pub(crate) attributes: Vec<&'m String>,
    /// That by which decisions are resampled, if they are.
    pub(crate) by: Option<&'m String>,
}

/// Why decisions cannot be read.
pub(crate) enum ReadError {
    /// Their names are in no order in which each could be seen to occur once; they are to be
    /// remembered.
    Unordered,
    Failed(CellError),
}

impl<E: Into<CellError>> From<E> for ReadError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Collects decisions from pieces of records.
pub(crate) struct DecisionReader<'m> {
    columns: Columns<'m>,
    decisions: Decisions,
    /// The records of a decision that may go on in the next piece.
    held: Option<DataFrame>,
    seen: DecisionNames,
    /// Numbers of the groups, as they first occur.
    groups: BTreeMap<Option<String>, u32>,
    /// Records without a group, and all of them.
    without_group: (usize, usize),
}

impl<'m> DecisionReader<'m> {
    /// None yet. Memory holds the values of about `n_kept` alternatives, and names if that is said.
    pub(crate) fn new(columns: Columns<'m>, n_kept: usize, remembers: bool) -> Self {
        Self {
            decisions: ChoiceBlocks::new(columns.attributes.len(), n_kept, tempfile::tempfile),
            columns,
            held: None,
            seen: if remembers {
                DecisionNames::All(BTreeSet::new())
            } else {
                DecisionNames::Runs {
                    before: BTreeMap::new(),
                    last: None,
                }
            },
            groups: BTreeMap::new(),
            without_group: (0, 0),
        }
    }

    /// Adds the next records.
    pub(crate) fn add(&mut self, piece: DataFrame) -> Result<(), ReadError> {
        if let Some(by) = self.columns.by {
            let (absent, all) = &mut self.without_group;
            *absent += piece.column(by)?.null_count();
            *all += piece.height();
        }
        let records = match self.held.take() {
            Some(held) => held.vstack(&piece)?,
            None => piece,
        };
        let names = self.names(&records)?;
        let height = records.height();
        let last = (0..height)
            .rev()
            .take_while(|at| is_same(&names, *at, height - 1));
        let last = last.last().unwrap_or(0);
        self.held = Some(records.slice(i64::try_from(last)?, height - last));
        self.read(&records.slice(0, last))
    }

    /// The decisions, and into how many groups they fall.
    pub(crate) fn finish(mut self) -> Result<(Decisions, usize), ReadError> {
        if let Some(held) = self.held.take() {
            self.read(&held)?;
        }
        let (absent, all) = self.without_group;
        if let Some(by) = self.columns.by.filter(|_| absent > 0) {
            return Err(ReadError::Failed(CellError::new(format!(
                "{absent} of {all} records have no `{by}` to resample by; leave them out with \
                 `WHERE \"{by}\" IS NOT NULL`"
            ))));
        }
        let n_groups = match self.columns.by {
            Some(_) => self.groups.len(),
            None => usize::from(!self.groups.is_empty()),
        };
        self.decisions.finish()?;
        Ok((self.decisions, n_groups))
    }

    /// The columns that name decisions, as numbers.
    fn names(&self, records: &DataFrame) -> Result<Vec<Vec<u32>>, CellError> {
        let names = self.columns.decision.iter();
        names.map(|name| codes(records, name)).collect()
    }

    /// Adds the decisions of whole records.
    fn read(&mut self, records: &DataFrame) -> Result<(), ReadError> {
        let attributes = self.columns.attributes.clone();
        let values: Vec<Vec<f64>> = attributes
            .iter()
            .map(|name| numbers(records, name))
            .collect::<Result<_, _>>()?;
        let chosen = self.columns.chosen;
        let chosen: Option<Vec<bool>> = records.column(chosen)?.bool()?.iter().collect();
        let chosen = chosen.ok_or_else(|| {
            CellError::new(format!(
                "column `{}` lacks some values",
                self.columns.chosen
            ))
        })?;
        let groups = self.group_codes(records)?;
        let names = self.names(records)?;
        let runs = runs(&names, records.height());
        let refusal = |start: usize, why: &str| match name_at(records, self.columns.decision, start)
        {
            Ok(name) => CellError::new(format!("decision {name}: {why}")),
            Err(error) => error,
        };
        // What is wrong with a decision may be that it goes on elsewhere.
        for &Range { start, .. } in &runs {
            if !self
                .seen
                .insert(key_at(records, self.columns.decision, start)?)?
            {
                let columns = self.columns.decision.iter();
                let columns: Vec<String> = columns.map(|name| format!("\"{name}\"")).collect();
                let columns = columns.join(", ");
                let why = "its alternatives do not follow one another; sort the records by";
                let error = refusal(start, &format!("{why} `ORDER BY {columns}`"));
                return Err(ReadError::Failed(error));
            }
        }
        let mut rows = Vec::new();
        for Range { start, end } in runs {
            let refused = |why: &str| refusal(start, why);
            let picked: Vec<usize> = (start..end).filter(|at| chosen[*at]).collect();
            let [picked] = picked.as_slice() else {
                let n = picked.len();
                let error = refused(&format!("{n} alternatives chosen, not one"));
                return Err(ReadError::Failed(error));
            };
            let is_apart = groups[start..end].iter().any(|it| *it != groups[start]);
            if let Some(by) = self.columns.by.filter(|_| is_apart) {
                let why = format!("its alternatives differ in `{by}`, by which it is resampled");
                return Err(ReadError::Failed(refused(&why)));
            }
            rows.clear();
            rows.extend((start..end).flat_map(|at| values.iter().map(move |of| of[at])));
            let rows = rows.chunks_exact(values.len());
            let pushed = self.decisions.push(groups[start], picked - start, rows);
            pushed.map_err(|error| match error {
                BlockError::Choice(ChoiceError::NotFinite {
                    attribute, value, ..
                }) => {
                    let name = attributes.get(attribute);
                    let name = name.map_or("an attribute", |name| name.as_str());
                    refused(&format!("`{name}` is {value}, not a finite number"))
                }
                other => refused(&other.to_string()),
            })?;
        }
        Ok(())
    }

    /// The groups of records.
    fn group_codes(&mut self, records: &DataFrame) -> Result<Vec<u32>, CellError> {
        let Some(by) = self.columns.by else {
            if records.height() > 0 {
                self.groups.insert(None, 0);
            }
            return Ok(vec![0; records.height()]);
        };
        let mut codes = Vec::with_capacity(records.height());
        // Most records have the group of the one before.
        let mut last: Option<(Option<String>, u32)> = None;
        for text in texts(records, by)? {
            let code = match &last {
                Some((same, code)) if *same == text => *code,
                _ => {
                    let next = u32::try_from(self.groups.len())?;
                    let code = *self.groups.entry(text.clone()).or_insert(next);
                    last = Some((text, code));
                    code
                }
            };
            codes.push(code);
        }
        Ok(codes)
    }
}

fn is_same(names: &[Vec<u32>], a: usize, b: usize) -> bool {
    names.iter().all(|column| column[a] == column[b])
}

/// The records of each decision, as ranges.
fn runs(names: &[Vec<u32>], n_records: usize) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = 0;
    while start < n_records {
        let end = (start + 1..n_records).find(|at| !is_same(names, start, *at));
        let end = end.unwrap_or(n_records);
        runs.push(start..end);
        start = end;
    }
    runs
}

/// The name of the decision that this record belongs to, for a message.
fn name_at(records: &DataFrame, columns: &[String], at: usize) -> Result<String, CellError> {
    let names = columns.iter().map(|name| {
        let one = records
            .select([name.as_str()])?
            .slice(i64::try_from(at)?, 1);
        let text = texts(&one, name)?.pop().flatten();
        Ok(text.unwrap_or_else(|| "absent".to_owned()))
    });
    let names: Vec<String> = names.collect::<Result<_, CellError>>()?;
    Ok(names.join(", "))
}

/// The name of a decision, comparable.
type Key = Vec<NamePart>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NamePart {
    Absent,
    Int(i64),
    Text(Arc<str>),
}

fn key_at(records: &DataFrame, columns: &[String], at: usize) -> Result<Key, CellError> {
    let part = |name: &String| {
        Ok(match records.column(name)?.get(at)? {
            AnyValue::Null => NamePart::Absent,
            AnyValue::Int64(value) => NamePart::Int(value),
            AnyValue::String(text) => NamePart::Text(text.into()),
            other => NamePart::Text(other.to_string().into()),
        })
    };
    columns.iter().map(part).collect()
}

/// The names of the decisions that have occurred.
enum DecisionNames {
    /// Ascending runs, each with its first and its last name: a name in none of them is new.
    Runs {
        before: BTreeMap<Key, Key>,
        last: Option<(Key, Key)>,
    },
    /// Every name.
    All(BTreeSet<Key>),
}

impl DecisionNames {
    /// Whether a name is new.
    fn insert(&mut self, key: Key) -> Result<bool, ReadError> {
        let (before, last) = match self {
            Self::All(names) => return Ok(names.insert(key)),
            Self::Runs { before, last } => (before, last),
        };
        if let Some((first, end)) = last.take() {
            // Runs lie apart, or a later one could hide an earlier one.
            let between = (Bound::Excluded(&end), Bound::Included(&key));
            if end < key && before.range::<Key, _>(between).next().is_none() {
                *last = Some((first, key.clone()));
            } else {
                before.insert(first, end);
            }
        }
        let within = before.range(..=key.clone()).next_back();
        if within.is_some_and(|(_, end)| *end >= key) {
            return Err(ReadError::Unordered);
        }
        last.get_or_insert_with(|| (key.clone(), key));
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Runs tell what names tell, or that they cannot.
        #[test]
        fn runs_never_take_a_name_for_new_that_is_not(names in prop::collection::vec(0_i64..30, 0..40)) {
            let mut runs = DecisionNames::Runs { before: BTreeMap::new(), last: None };
            let mut all = DecisionNames::All(BTreeSet::new());
            for name in names {
                let key = vec![NamePart::Int(name)];
                let Ok(is_new) = runs.insert(key.clone()) else {
                    return Ok(());
                };
                let expected = all.insert(key).is_ok_and(|is_new| is_new);
                prop_assert_eq!(is_new, expected);
            }
        }

        #[test]
        fn names_in_order_need_not_be_remembered(n in 1_i64..200, blocks in 1_i64..4) {
            let mut runs = DecisionNames::Runs { before: BTreeMap::new(), last: None };
            for block in (0..blocks).rev() {
                for name in 0..n {
                    prop_assert!(runs.insert(vec![NamePart::Int(block), NamePart::Int(name)]).is_ok());
                }
            }
        }
    }
}
