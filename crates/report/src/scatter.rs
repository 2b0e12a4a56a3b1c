//! Every numeric value on one picture: published against reproduced, on logarithmic axes.

use kibitz_lab::Outcome;
use kibitz_lab::record::{Paper, RecordedCell};
use kibitz_svg::at;
use maud::{Markup, PreEscaped, html};

use crate::context::Context;
use crate::number::{grouped, shown};

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 470.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 50.0;
/// Width of the place for values that a logarithmic axis cannot show.
const GUTTER: f64 = 28.0;
/// Papers have as many colors.
const COLORS: usize = 4;

/// A value that both sides have as a number.
struct Dot<'r> {
    published: f64,
    reproduced: f64,
    /// Of the paper.
    color: usize,
    cell: &'r RecordedCell,
    link: String,
    table: &'r str,
}

/// How a dot looks.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    Filled,
    Hollow,
    Ring,
}

impl Look {
    const ALL: [Self; 3] = [Self::Hollow, Self::Ring, Self::Filled];

    fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Matches => Self::Filled,
            outcome if outcome.differs() => Self::Ring,
            _ => Self::Hollow,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Filled => "filled",
            Self::Hollow => "hollow",
            Self::Ring => "ring",
        }
    }
}

/// One logarithmic scale for both axes, with a place for zero and for values of the other sign.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn new(dots: &[Dot<'_>]) -> Self {
        let sizes = dots.iter().flat_map(|dot| [dot.published, dot.reproduced]);
        let sizes = sizes
            .filter(|value| *value != 0.0)
            .map(|value| value.abs().log10());
        let (low, high) = sizes.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), size| {
            (low.min(size), high.max(size))
        });
        if low > high {
            return Self {
                low: 0.0,
                high: 1.0,
            };
        }
        // Somewhat wider, and never a point.
        Self {
            low: low - 0.2,
            high: (high + 0.2).max(low + 0.8),
        }
    }

    fn x(&self, log: f64) -> f64 {
        let from = LEFT + GUTTER;
        from + (log - self.low) / (self.high - self.low) * (WIDTH - RIGHT - from)
    }

    fn y(&self, log: f64) -> f64 {
        let from = HEIGHT - BOTTOM - GUTTER;
        from - (log - self.low) / (self.high - self.low) * (from - TOP)
    }

    /// The place of a dot. Two negative values are shown by their sizes.
    fn place(&self, published: f64, reproduced: f64) -> (f64, f64) {
        let (x0, y0) = (LEFT + GUTTER / 2.0, HEIGHT - BOTTOM - GUTTER / 2.0);
        let x = if published == 0.0 {
            x0
        } else {
            self.x(published.abs().log10())
        };
        let is_other_sign = published * reproduced < 0.0;
        let y = if reproduced == 0.0 || is_other_sign {
            y0
        } else {
            self.y(reproduced.abs().log10())
        };
        (x, y)
    }

    /// Powers of ten, at most eight of them.
    fn ticks(&self) -> Vec<f64> {
        #[expect(clippy::cast_possible_truncation, reason = "a number has few digits")]
        let (low, high) = (self.low.ceil() as i32, self.high.floor() as i32);
        let step = usize::try_from((high - low) / 8 + 1).unwrap_or(1);
        let ticks = (low..=high).step_by(step).map(f64::from);
        // The label of zero needs the place beside the axis.
        ticks
            .filter(|tick| self.x(*tick) > self.x(self.low) + GUTTER)
            .collect()
    }
}

fn dots<'r>(context: &Context<'r>, papers: &[&'r Paper]) -> Vec<Dot<'r>> {
    let mut found = Vec::new();
    for (idx, paper) in papers.iter().enumerate() {
        for table in context.tables_of(paper) {
            let Some(view) = context.view(&table.id) else {
                continue;
            };
            for (place, cell) in table.cells.iter().enumerate() {
                let numbers = cell.printed_number.zip(cell.number);
                if let Some((published, reproduced)) = numbers.filter(|_| cell.outcome.is_counted())
                {
                    found.push(Dot {
                        published,
                        reproduced,
                        color: idx % COLORS + 1,
                        cell,
                        link: view.far_link(place),
                        table: table.name(),
                    });
                }
            }
        }
    }
    found
}

/// Whether both values have the same published digits.
fn is_equal(dot: &Dot<'_>) -> bool {
    let printed = dot.cell.printed.as_deref().unwrap_or_default();
    dot.cell.ours_shown.parse::<f64>().ok() == printed.replace(',', "").parse().ok()
}

/// How many are equal or within a share of the published value.
fn within(dots: &[Dot<'_>], share: f64) -> usize {
    let is_near = |dot: &&Dot<'_>| {
        is_equal(dot) || (dot.reproduced - dot.published).abs() <= share * dot.published.abs()
    };
    dots.iter().filter(is_near).count()
}

/// The picture of the published papers; nothing without numbers.
pub(crate) fn figure(context: &Context<'_>, papers: &[&Paper]) -> Markup {
    let dots = dots(context, papers);
    if dots.is_empty() {
        return html! {};
    }
    let scale = Scale::new(&dots);
    let n_equal = dots.iter().filter(|dot| is_equal(dot)).count();
    html! {
        a.skip href="#counts" { "Skip the picture" }
        figure.scatter {
            (drawing(&dots, &scale))
            figcaption {
                ul.key aria-label="Colors and marks" {
                    @for (idx, paper) in papers.iter().enumerate() {
                        li { (sample(&format!("p{}", idx % COLORS + 1), Look::Filled)) (paper.short) }
                    }
                }
                ul.key {
                    li { (sample("", Look::Filled)) "matches in a test that could have failed" }
                    li { (sample("", Look::Hollow)) "weak match or inconclusive" }
                    li { (sample("", Look::Ring)) "differs" }
                }
                p {
                    b { "Each dot is one of " (grouped(dots.len())) " published numbers, the values compared without texts; select it to see the value." }
                    " Reproduced values are equal at the published digits in " (grouped(n_equal)) " cases, equal or within 5% in "
                    (grouped(within(&dots, 0.05))) ", and equal or within 25% in " (grouped(within(&dots, 0.25)))
                    ": each count includes the one before. The band is a factor of two. The gutters at 0 hold zeros and reproduced values of the opposite sign (0 *). Negative values are drawn by their size."
                }
            }
        }
    }
}

fn sample(color: &str, look: Look) -> Markup {
    let class = format!("dots {} {color}", look.class());
    html! { svg class=(class.trim_end()) viewBox="0 0 14 14" aria-hidden="true" { circle cx="7" cy="7" {} } " " }
}

fn drawing(dots: &[Dot<'_>], scale: &Scale) -> Markup {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    // Powers of ten far from one are shorter as exponents.
    let power = |power: f64| {
        if (-3.0..=3.0).contains(&power) {
            html! { (crate::number::six(10f64.powf(power))) }
        } else {
            html! { "10" tspan dy="-5" font-size="8" { (at(power)) } }
        }
    };
    let grid = scale.ticks().into_iter().map(|tick| {
        let (x, y) = (at(scale.x(tick)), at(scale.y(tick)));
        format!("M{x} {TOP}V{bottom}M{LEFT} {y}H{right}")
    });
    let grid = grid.collect::<Vec<_>>().concat();
    // The band is a factor of two on either side of the diagonal: no value outside of it matches.
    let (low, high, two) = (scale.low, scale.high, 2f64.log10());
    let band = format!(
        "M{} {}L{} {}L{} {}H{}V{}L{} {}L{} {}z",
        at(scale.x(low)),
        at(scale.y(low)),
        at(scale.x(low)),
        at(scale.y(low + two)),
        at(scale.x(high - two)),
        at(scale.y(high)),
        at(scale.x(high)),
        at(scale.y(high - two)),
        at(scale.x(low + two)),
        at(scale.y(low)),
        at(scale.x(low)),
        at(scale.y(low)),
    );
    let diagonal = format!(
        "M{} {}L{} {}",
        at(scale.x(low)),
        at(scale.y(low)),
        at(scale.x(high)),
        at(scale.y(high)),
    );
    // Zero has no place on a logarithmic axis, so zeros get a strip of their own.
    let gutter = format!(
        "M{} {TOP}V{bottom}M{LEFT} {}H{right}",
        at(LEFT + GUTTER),
        at(bottom - GUTTER),
    );
    html! {
        svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="group" aria-label="Published against reproduced values on logarithmic axes: most lie on or near the diagonal." {
            path.band d=(band) {}
            path.grid d=(grid) {}
            path.gutter d=(gutter) {}
            path.diagonal d=(diagonal) {}
            g.t.c {
                text x=(at(LEFT + GUTTER / 2.0)) y=(at(bottom + 15.0)) { "0" }
                @for tick in scale.ticks() { text x=(at(scale.x(tick))) y=(at(bottom + 15.0)) { (power(tick)) } }
                text.axis-name x=(at(f64::midpoint(LEFT, right))) y=(at(HEIGHT - 8.0)) { "published value" }
            }
            g.t.e {
                text x=(at(LEFT - 5.0)) y=(at(bottom - GUTTER / 2.0 + 4.0)) { "0 *" }
                @for tick in scale.ticks() { text x=(at(LEFT - 5.0)) y=(at(scale.y(tick) + 4.0)) { (power(tick)) } }
            }
            text.t.c.axis-name transform={ "translate(13 " (at(f64::midpoint(TOP, bottom))) ") rotate(-90)" } { "reproduced value" }
            // One group for each look and color: more than a thousand dots share its attributes.
            @for look in Look::ALL {
                @for color in 1..=COLORS {
                    @let own = dots.iter().filter(|dot| dot.color == color && Look::of(dot.cell.outcome) == look);
                    @let drawn: String = own.map(|dot| one(dot, scale)).collect();
                    @if !drawn.is_empty() {
                        g class={ "dots " (look.class()) " p" (color) } { (PreEscaped(drawn)) }
                    }
                }
            }
        }
    }
}

/// A dot that leads to its value. There are more than a thousand: what can be left out is.
fn one(dot: &Dot<'_>, scale: &Scale) -> String {
    let (x, y) = scale.place(dot.published, dot.reproduced);
    let published = shown(dot.cell.printed.as_deref().unwrap_or_default());
    let title = format!(
        "{} {}.{}: published {published}, reproduced {}",
        dot.table,
        dot.cell.row,
        dot.cell.column,
        shown(&dot.cell.ours_shown),
    );
    let (x, y) = (at(x), at(y));
    html! { a href=(dot.link) { title { (title) } circle cx=(x) cy=(y) {} } }.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_numbers_has_a_place() {
        let scale = Scale {
            low: -2.0,
            high: 3.0,
        };
        let (x, y) = scale.place(10.0, 10.0);
        assert_eq!((x, y), (scale.x(1.0), scale.y(1.0)));
        assert_eq!(scale.place(-10.0, -10.0), (x, y));
        let zero = scale.place(0.0, 0.0);
        assert!(zero.0 < scale.x(-2.0) && zero.1 > scale.y(-2.0), "{zero:?}");
        // Of another sign: below the axis, at the published size.
        assert_eq!(scale.place(10.0, -10.0), (x, zero.1));
        assert_eq!(scale.place(0.0, 10.0), (zero.0, y));
    }
}
