//! Plots as they are recorded, in the colors of a page, and the picture of a table.

use maud::{Markup, PreEscaped, html};

use crate::Picture;
use crate::context::View;
use crate::dots;

/// What a plot is written with, and what it has on a page: the style sheet knows dark pages too.
const ON_A_PAGE: [(&str, &str); 11] = [
    ("fill=\"#FFFFFF\"", "fill=\"none\""),
    ("#000000", "currentColor"),
    ("#0072B2", "var(--s1)"),
    ("#D55E00", "var(--s2)"),
    ("#009E73", "var(--s3)"),
    ("#CC79A7", "var(--s4)"),
    ("#E69F00", "var(--s5)"),
    ("#56B4E9", "var(--s6)"),
    (" opacity=\"1\"", ""),
    (" font-family=\"sans-serif\"", ""),
    (" xmlns=\"http://www.w3.org/2000/svg\"", ""),
];

/// A recorded plot within a page.
pub(crate) fn plot(svg: &str, label: &str) -> Markup {
    let mut text = svg.trim_end().to_owned();
    for (from, to) in ON_A_PAGE {
        text = text.replace(from, to);
    }
    // Its size is that of the page.
    let drawing = text.find("viewBox").map_or(text.as_str(), |at| &text[at..]);
    let label = html! { (label) }.into_string().replace('"', "&quot;");
    html! { (PreEscaped(format!("<svg class=\"plot\" role=\"img\" aria-label=\"{label}\" {drawing}"))) }
}

/// The picture that stands for a table: its plot, what a program draws of it, or its first dots.
pub(crate) fn of(view: &View<'_>, drawn: &[Picture], label: &str) -> Option<Markup> {
    if let Some(svg) = &view.table.plot {
        return Some(plot(svg, label));
    }
    match drawn.first() {
        Some(picture) => Some(picture.body.clone()),
        None => dots::first(view),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_has_the_colors_of_its_page() {
        let svg = "<svg width=\"440\" height=\"9\" viewBox=\"0 0 440 9\" xmlns=\"http://www.w3.org/2000/svg\">\n<rect opacity=\"1\" fill=\"#FFFFFF\"/><path stroke=\"#0072B2\"/></svg>\n";
        assert_eq!(
            plot(svg, "A \"finding\"").into_string(),
            "<svg class=\"plot\" role=\"img\" aria-label=\"A &quot;finding&quot;\" viewBox=\"0 0 440 9\">\n<rect fill=\"none\"/><path stroke=\"var(--s1)\"/></svg>"
        );
    }
}
