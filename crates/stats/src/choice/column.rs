//! A column of attribute values in compact storage.

use std::ops::Range;

/// The values of one attribute, in units of `scale`.
///
/// Two bytes per value. The first value that is not an integer in that unit, or is too large, widens
/// the whole column to eight.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    scale: f64,
    /// Largest difference between two alternatives of one set, in units.
    spread: f64,
    units: Units,
}

#[derive(Debug, Clone)]
enum Units {
    Whole(Vec<i16>),
    Real(Vec<f64>),
}

impl Column {
    pub(crate) fn new(scale: f64) -> Self {
        Self {
            scale,
            spread: 0.0,
            units: Units::Whole(Vec::new()),
        }
    }

    /// Whether all values are integers in the unit.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.units, Units::Whole(_))
    }

    /// The real value of one unit.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Largest difference between two alternatives of one set, as a real value.
    pub(crate) fn spread(&self) -> f64 {
        self.spread * self.scale
    }

    pub(crate) fn value(&self, row: usize) -> f64 {
        self.scale
            * match &self.units {
                Units::Whole(units) => f64::from(units[row]),
                Units::Real(units) => units[row],
            }
    }

    #[cfg(test)]
    pub(super) fn heap_bytes(&self) -> usize {
        match &self.units {
            Units::Whole(units) => units.capacity() * size_of::<i16>(),
            Units::Real(units) => units.capacity() * size_of::<f64>(),
        }
    }

    /// Appends the values of one set, given in units.
    pub(crate) fn extend_units(&mut self, set: impl Iterator<Item = i16> + Clone) {
        self.note_spread(set.clone().map(f64::from));
        match &mut self.units {
            Units::Whole(units) => units.extend(set),
            Units::Real(units) => units.extend(set.map(f64::from)),
        }
    }

    /// Appends the values of one set, given as finite real values.
    pub(crate) fn extend_values(&mut self, set: impl Iterator<Item = f64> + Clone) {
        let scale = self.scale;
        let set = set.map(move |value| in_units(value, scale));
        self.note_spread(set.clone());
        if let Units::Whole(units) = &mut self.units {
            let before = units.len();
            for value in set.clone() {
                if let Some(whole) = whole(value) {
                    units.push(whole);
                } else {
                    units.truncate(before);
                    self.units = Units::Real(units.iter().map(|&unit| f64::from(unit)).collect());
                    break;
                }
            }
        }
        if let Units::Real(units) = &mut self.units {
            units.extend(set);
        }
    }

    /// Appends rows of a column of the same scale.
    pub(super) fn extend_from(&mut self, other: &Column, rows: Range<usize>) {
        match &other.units {
            Units::Whole(units) => self.extend_units(units[rows].iter().copied()),
            Units::Real(units) => {
                self.note_spread(units[rows.clone()].iter().copied());
                if let Units::Whole(own) = &self.units {
                    self.units = Units::Real(own.iter().map(|&unit| f64::from(unit)).collect());
                }
                if let Units::Real(own) = &mut self.units {
                    own.extend_from_slice(&units[rows]);
                }
            }
        }
    }

    /// Appends the column as bytes, which [`Column::read`] reads.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.scale.to_le_bytes());
        bytes.extend(self.spread.to_le_bytes());
        bytes.push(self.is_whole().into());
        match &self.units {
            Units::Whole(units) => bytes.extend(units.iter().flat_map(|unit| unit.to_le_bytes())),
            Units::Real(units) => bytes.extend(units.iter().flat_map(|unit| unit.to_le_bytes())),
        }
    }

    /// `None` if there are too few bytes for so many rows.
    pub(super) fn read(bytes: &mut &[u8], n_rows: usize) -> Option<Self> {
        let (scale, rest) = bytes.split_first_chunk()?;
        let (spread, rest) = rest.split_first_chunk()?;
        let (is_whole, rest) = rest.split_first()?;
        let size = if *is_whole == 1 { 2 } else { 8 };
        let (values, rest) = rest.split_at_checked(n_rows.checked_mul(size)?)?;
        *bytes = rest;
        let units = if *is_whole == 1 {
            let (values, _) = values.as_chunks();
            Units::Whole(
                values
                    .iter()
                    .map(|unit| i16::from_le_bytes(*unit))
                    .collect(),
            )
        } else {
            let (values, _) = values.as_chunks();
            Units::Real(
                values
                    .iter()
                    .map(|unit| f64::from_le_bytes(*unit))
                    .collect(),
            )
        };
        Some(Self {
            scale: f64::from_le_bytes(*scale),
            spread: f64::from_le_bytes(*spread),
            units,
        })
    }

    fn note_spread(&mut self, set: impl Iterator<Item = f64>) {
        let (low, high) = set.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        self.spread = self.spread.max(high - low);
    }

    /// Appends to `out`, for every row, its difference to row `origin`, in units.
    ///
    /// For whole units the differences are exact, so that adding the same amount to every
    /// alternative of a set changes no bit of any result.
    #[inline]
    pub(crate) fn differences(&self, rows: Range<usize>, origin: usize, out: &mut Vec<f64>) {
        match &self.units {
            Units::Whole(units) => {
                let origin = i32::from(units[origin]);
                out.extend(
                    units[rows]
                        .iter()
                        .map(|&unit| f64::from(i32::from(unit) - origin)),
                );
            }
            Units::Real(units) => {
                let origin = units[origin];
                out.extend(units[rows].iter().map(|unit| unit - origin));
            }
        }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        match &mut self.units {
            Units::Whole(units) => units.shrink_to_fit(),
            Units::Real(units) => units.shrink_to_fit(),
        }
    }
}

/// A value in units of `scale`; rounded if it is very close to an integer, as 0.3/0.1 must be.
fn in_units(value: f64, scale: f64) -> f64 {
    let units = value / scale;
    let nearest = units.round();
    if (units - nearest).abs() <= 4.0 * f64::EPSILON * nearest.abs() {
        nearest
    } else {
        units
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, and comparing back shows whether it was exact"
)]
fn whole(units: f64) -> Option<i16> {
    let whole = units as i16;
    (f64::from(whole).to_bits() == (units + 0.0).to_bits()).then_some(whole)
}
