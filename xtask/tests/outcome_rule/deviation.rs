//! Line 15: whether a declared deviation explains a difference.

use crate::cell::Cell;
use crate::files::{
    Bound, Deviation, Prediction, PublishedValue, ReproducedValue, Tolerance, Value,
};
use crate::rule::{Comparison, Judge};
use crate::tolerance::same_number;

impl Judge<'_> {
    /// Line 15, by the deviations.
    pub(crate) fn differs(
        &self,
        cell: &Cell,
        published: Option<&PublishedValue>,
        reproduced: &ReproducedValue,
    ) -> &'static str {
        let explained = self.deviation(cell).is_some_and(|deviation| {
            self.covers(deviation, published, reproduced) && self.shown(cell, deviation, published)
        });
        if explained {
            "differs (explained)"
        } else {
            "differs (unexplained)"
        }
    }

    fn deviation(&self, cell: &Cell) -> Option<&Deviation> {
        self.table
            .deviations
            .iter()
            .find(|deviation| cell.named_by(&deviation.cells))
    }

    /// Whether the difference is small enough for the deviation, and the deviation not too generous.
    fn covers(
        &self,
        deviation: &Deviation,
        published: Option<&PublishedValue>,
        reproduced: &ReproducedValue,
    ) -> bool {
        let Some(bound) = deviation.up_to else {
            return true;
        };
        let size = |published: Option<&PublishedValue>, reproduced: &ReproducedValue| {
            let (p, v) = published?.value.number().zip(reproduced.value.number())?;
            let difference = (p - v).abs();
            Some(match bound {
                Bound::Abs(x) => (difference, x),
                Bound::Rel(x) => (difference / p.abs(), x),
                Bound::Errors(x) => (difference / reproduced.sd.or(reproduced.se)?, x),
            })
        };
        let Some((difference, limit)) = size(published, reproduced) else {
            return true;
        };
        if difference > limit * (1.0 + 1e-11) {
            return false;
        }
        let mut largest: f64 = 0.0;
        for recorded in &self.table.recorded {
            let cell = Cell::new(&recorded.row, &recorded.column);
            if self
                .deviation(&cell)
                .is_none_or(|first| !std::ptr::eq(first, deviation))
            {
                continue;
            }
            let (Some(published), Some(reproduced)) =
                (self.published(&cell), self.reproduced(&cell))
            else {
                continue;
            };
            if self
                .first_lines(&cell, Some(&published), Some(&reproduced))
                .is_none()
                && self.standard(&cell).exists(&reproduced)
                && self.compare(&cell, &published, &reproduced) == Comparison::Differs
                && let Some((difference, _)) = size(Some(&published), &reproduced)
            {
                largest = largest.max(difference);
            }
        }
        limit <= 2.0 * largest * (1.0 + 1e-11)
    }

    /// Whether the tested value shows the deviation's reason.
    fn shown(
        &self,
        cell: &Cell,
        deviation: &Deviation,
        published: Option<&PublishedValue>,
    ) -> bool {
        let Some(tested) = &deviation.tested else {
            return false;
        };
        let name = cell.fill(tested);
        let Some(value) = self.figure(&name) else {
            return false;
        };
        if self
            .find(&name)
            .is_some_and(|(table, place)| std::ptr::eq(table, self.table) && place == *cell)
        {
            return false;
        }
        match &deviation.predicts {
            Some(Prediction::Between(low, high)) => value.value.number().is_some_and(|v| {
                (*low..=*high).contains(&v) || same_number(v, *low) || same_number(v, *high)
            }),
            Some(Prediction::Text(text)) => value.value == Value::Text(text.clone()),
            None => {
                let standard = self.standard(cell);
                let Some(published) = published else {
                    return false;
                };
                standard.tolerance != Tolerance::OwnInterval
                    && standard.exists(value)
                    && self.compare(cell, published, value) == Comparison::Matches
            }
        }
    }
}
