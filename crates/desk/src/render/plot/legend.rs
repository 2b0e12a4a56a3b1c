//! What the colors and marks of a plot mean, above its panels.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::draw::{Area, CHARACTER, DrawResult, WIDTH, color_of, font, pixels};
use super::{Plot, PlotKind};

/// Height of a line.
const LINE: u32 = 19;
/// Width of a swatch with the gap after it.
const SWATCH: f64 = 22.0;

/// Names and marks; none if there is only one series.
pub(super) struct Legend {
    /// Name, mark, and place of each.
    entries: Vec<(String, Mark, (i32, i32))>,
    n_lines: u32,
}

#[derive(Clone, Copy)]
enum Mark {
    Bar(RGBColor),
    Line(RGBColor, bool),
    Published,
    Guide,
    Errors,
}

impl Legend {
    pub(super) fn new(plot: &Plot) -> Self {
        let mut marks: Vec<(String, Mark)> = Vec::new();
        let series = plot.panels.first().map_or(&[][..], |panel| &panel.series);
        // Each of several panels names what it shows at its axis.
        let is_named = plot.panels.len() > 1 && series.len() == 1;
        let all = || plot.panels.iter().flat_map(|panel| &panel.series);
        let is_printed = all().any(|one| !one.printed.is_empty());
        let has_baseline = all().any(|one| !one.baseline.is_empty());
        if series.len() > 1 || is_printed && !is_named {
            marks.extend(series.iter().enumerate().map(|(idx, one)| {
                let (color, is_dashed) = color_of(idx);
                let mark = match plot.kind {
                    PlotKind::Bars => Mark::Bar(color),
                    PlotKind::Lines => Mark::Line(color, is_dashed),
                };
                (one.name.clone(), mark)
            }));
        }
        if is_printed {
            marks.push(("published".to_owned(), Mark::Published));
        }
        if let (Some(column), true) = (&plot.baseline, has_baseline) {
            marks.push((column.clone(), Mark::Guide));
        }
        if plot.has_diagonal {
            marks.push(("equal values".to_owned(), Mark::Guide));
        }
        if plot.has_errors {
            marks.push(("two standard errors".to_owned(), Mark::Errors));
        }
        let (mut x, mut line): (f64, u32) = (8.0, 0);
        let entries = marks.into_iter().map(|(name, mark)| {
            let width = SWATCH + name.chars().count() as f64 * CHARACTER + 14.0;
            if x > 8.0 && x + width > f64::from(WIDTH) {
                (x, line) = (8.0, line + 1);
            }
            let place = (pixels(x), pixels(f64::from(line * LINE)) + 6);
            x += width;
            (name, mark, place)
        });
        let entries: Vec<_> = entries.collect();
        let n_lines = if entries.is_empty() { 0 } else { line + 1 };
        Self { entries, n_lines }
    }

    pub(super) fn height(&self) -> u32 {
        match self.n_lines {
            0 => 0,
            n => n * LINE + 8,
        }
    }

    pub(super) fn draw<'a>(&self, area: &Area<'a>) -> DrawResult<'a> {
        for (name, mark, (x, y)) in &self.entries {
            let (x, middle) = (*x, y + pixels(f64::from(LINE)) / 2);
            match *mark {
                Mark::Bar(color) => area.draw(&Rectangle::new(
                    [(x + 2, middle - 5), (x + 14, middle + 5)],
                    color.filled(),
                ))?,
                Mark::Line(color, is_dashed) => {
                    let ends: &[[i32; 2]] = if is_dashed {
                        &[[0, 7], [9, 16]]
                    } else {
                        &[[0, 16]]
                    };
                    for [from, to] in ends {
                        let line = vec![(x + from, middle), (x + to, middle)];
                        area.draw(&PathElement::new(line, color.stroke_width(3)))?;
                    }
                }
                Mark::Published => {
                    area.draw(&Circle::new((x + 8, middle), 4, BLACK.stroke_width(2)))?;
                }
                Mark::Guide => {
                    for from in [0, 6, 12] {
                        let dash = vec![(x + from, middle), (x + from + 3, middle)];
                        area.draw(&PathElement::new(dash, BLACK.stroke_width(1)))?;
                    }
                }
                Mark::Errors => {
                    let line = vec![(x + 8, middle - 6), (x + 8, middle + 6)];
                    area.draw(&PathElement::new(line, BLACK.stroke_width(1)))?;
                }
            }
            let style = font().pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(
                name.clone(),
                (x + pixels(SWATCH), middle),
                style,
            ))?;
        }
        Ok(())
    }
}
