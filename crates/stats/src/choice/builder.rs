//! The builder of choice sets: validates one decision at a time.

use std::sync::Arc;

use super::{ChoiceError, ChoiceSets, Column, Data};

/// Collects choice sets; made by [`ChoiceSets::builder`] or [`ChoiceSets::scaled_builder`].
///
/// A push that fails leaves the builder as it was, so the caller may count the refusal and go on.
#[derive(Debug, Clone)]
pub struct ChoiceSetsBuilder {
    pub(super) columns: Vec<Column>,
    ends: Vec<usize>,
    chosen: Vec<u32>,
    groups: Vec<u32>,
    /// The rows of the set being pushed, checked before they go into the columns.
    rows: Vec<f64>,
}

impl ChoiceSetsBuilder {
    pub(super) fn new(n_attributes: usize) -> Self {
        Self {
            columns: vec![Column::new(1.0); n_attributes],
            ends: Vec::new(),
            chosen: Vec::new(),
            groups: Vec::new(),
            rows: Vec::new(),
        }
    }

    pub(super) fn scaled(scales: &[f64]) -> Result<Self, ChoiceError> {
        let mut builder = Self::new(scales.len());
        for (attribute, (&scale, column)) in scales.iter().zip(&mut builder.columns).enumerate() {
            if !(scale.is_finite() && scale > 0.0) {
                return Err(ChoiceError::BadScale { attribute, scale });
            }
            *column = Column::new(scale);
        }
        Ok(builder)
    }

    /// Adds one decision of `group`: a row of attributes per alternative, and the index of the chosen
    /// row.
    ///
    /// # Errors
    /// [`ChoiceError::RaggedRow`], [`ChoiceError::NotFinite`], [`ChoiceError::NoAlternatives`] or
    /// [`ChoiceError::ChosenOutOfRange`], with the set's position.
    pub fn push<R: AsRef<[f64]>>(
        &mut self,
        group: u32,
        chosen: usize,
        alternatives: impl IntoIterator<Item = R>,
    ) -> Result<(), ChoiceError> {
        let set = self.chosen.len();
        let n_attributes = self.columns.len();
        self.rows.clear();
        let mut n_alternatives = 0;
        for (alternative, row) in alternatives.into_iter().enumerate() {
            let row = row.as_ref();
            if row.len() != n_attributes {
                return Err(ChoiceError::RaggedRow {
                    set,
                    alternative,
                    expected: n_attributes,
                    found: row.len(),
                });
            }
            let finite = |(value, column): (&f64, &Column)| (value / column.scale()).is_finite();
            if let Some(attribute) = row.iter().zip(&self.columns).position(|pair| !finite(pair)) {
                return Err(ChoiceError::NotFinite {
                    set,
                    alternative,
                    attribute,
                    value: row[attribute],
                });
            }
            self.rows.extend_from_slice(row);
            n_alternatives += 1;
        }
        let chosen = check_chosen(set, chosen, n_alternatives)?;
        for (attribute, column) in self.columns.iter_mut().enumerate() {
            column.extend_values(self.rows[attribute..].iter().copied().step_by(n_attributes));
        }
        self.end_set(group, chosen, n_alternatives);
        Ok(())
    }

    /// Adds one decision of `group` without conversion: the rows of its alternatives, concatenated,
    /// in units of the attributes' scales.
    ///
    /// `rows` holds [`n_attributes`](ChoiceSets::n_attributes) integers per alternative.
    ///
    /// # Errors
    /// [`ChoiceError::RaggedSet`], [`ChoiceError::NoAlternatives`] or
    /// [`ChoiceError::ChosenOutOfRange`].
    pub fn push_flat(
        &mut self,
        group: u32,
        chosen: usize,
        rows: &[i16],
    ) -> Result<(), ChoiceError> {
        let set = self.chosen.len();
        let n_attributes = self.columns.len();
        if n_attributes == 0 || !rows.len().is_multiple_of(n_attributes) {
            return Err(ChoiceError::RaggedSet {
                set,
                len: rows.len(),
                n_attributes,
            });
        }
        let n_alternatives = rows.len() / n_attributes;
        let chosen = check_chosen(set, chosen, n_alternatives)?;
        for (attribute, column) in self.columns.iter_mut().enumerate() {
            column.extend_units(rows[attribute..].iter().copied().step_by(n_attributes));
        }
        self.end_set(group, chosen, n_alternatives);
        Ok(())
    }

    /// Number of sets so far.
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether nothing has been pushed yet.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The finished data set.
    pub fn build(mut self) -> ChoiceSets {
        self.columns.iter_mut().for_each(Column::shrink_to_fit);
        self.ends.shrink_to_fit();
        self.chosen.shrink_to_fit();
        self.groups.shrink_to_fit();
        ChoiceSets {
            data: Arc::new(Data {
                columns: self.columns,
                ends: self.ends,
                chosen: self.chosen,
                groups: self.groups,
                offsets: Vec::new(),
            }),
            selection: None,
        }
    }

    pub(super) fn end_set(&mut self, group: u32, chosen: u32, n_alternatives: usize) {
        let start = self.ends.last().copied().unwrap_or(0);
        self.ends.push(start + n_alternatives);
        self.chosen.push(chosen);
        self.groups.push(group);
    }
}

fn check_chosen(set: usize, chosen: usize, n_alternatives: usize) -> Result<u32, ChoiceError> {
    if n_alternatives == 0 {
        return Err(ChoiceError::NoAlternatives { set });
    }
    match u32::try_from(chosen) {
        Ok(index) if chosen < n_alternatives => Ok(index),
        _ => Err(ChoiceError::ChosenOutOfRange {
            set,
            chosen,
            n_alternatives,
        }),
    }
}
