//! A small writer of SVG pictures.
//!
//! A [`Drawing`] is a picture, an [`Element`] anything in it. [`rect`], [`line()`], [`circle`],
//! [`polyline`], [`path`] and [`text`] make the common shapes; everything else about them, such as colors
//! and classes, is an attribute. Attributes keep their order, so the same calls give the same bytes.

use std::fmt::{self, Display, Write as _};

/// An element: a name, attributes, and text or other elements in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    name: &'static str,
    attributes: String,
    content: String,
}

impl Element {
    /// An element without attributes and with nothing in it.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            attributes: String::new(),
            content: String::new(),
        }
    }

    /// The element with one more attribute, after the others. A name is given once.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Display) -> Self {
        let value = escaped(&value.to_string());
        self.attributes
            .extend([" ", name, "=\"", value.as_str(), "\""]);
        self
    }

    /// Appends text to the element's content.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.content.push_str(&escaped(text));
        self
    }

    /// Appends another element to the element's content.
    #[must_use]
    pub fn containing(mut self, inner: &Element) -> Self {
        // Writing to a string does not fail.
        let _ = write!(self.content, "{inner}");
        self
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, attributes, content) = (self.name, &self.attributes, &self.content);
        if content.is_empty() {
            write!(f, "<{name}{attributes}/>")
        } else {
            write!(f, "<{name}{attributes}>{content}</{name}>")
        }
    }
}

/// A rectangle by its left upper corner.
pub fn rect(
    x: impl Display,
    y: impl Display,
    width: impl Display,
    height: impl Display,
) -> Element {
    let corner = Element::new("rect").with("x", x).with("y", y);
    corner.with("width", width).with("height", height)
}

/// A straight line between two points.
pub fn line(x1: impl Display, y1: impl Display, x2: impl Display, y2: impl Display) -> Element {
    let start = Element::new("line").with("x1", x1).with("y1", y1);
    start.with("x2", x2).with("y2", y2)
}

/// A circle by its center and radius.
pub fn circle(x: impl Display, y: impl Display, radius: impl Display) -> Element {
    Element::new("circle")
        .with("cx", x)
        .with("cy", y)
        .with("r", radius)
}

/// Straight lines from point to point, in the precision of [`at`]; nothing is filled.
pub fn polyline(points: impl IntoIterator<Item = (f64, f64)>) -> Element {
    let points = points
        .into_iter()
        .map(|(x, y)| format!("{},{}", at(x), at(y)));
    let points = points.collect::<Vec<_>>().join(" ");
    Element::new("polyline")
        .with("points", points)
        .with("fill", "none")
}

/// An outline in the language of the attribute `d`.
pub fn path(outline: impl Display) -> Element {
    Element::new("path").with("d", outline)
}

/// Text from a point of its base line.
pub fn text(x: impl Display, y: impl Display, text: &str) -> Element {
    Element::new("text").with("x", x).with("y", y).text(text)
}

/// A coordinate with at most one decimal.
pub fn at(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// Text escaped for XML content and attributes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// A picture, as the text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    root: Element,
    /// The elements, each on a line.
    lines: String,
}

impl Drawing {
    /// An empty picture of this width and height in its own unit, as large as where it is shown.
    pub fn new(width: impl Display, height: impl Display) -> Self {
        Self {
            root: Element::new("svg")
                .with("xmlns", "http://www.w3.org/2000/svg")
                .with("viewBox", format_args!("0 0 {width} {height}")),
            lines: String::new(),
        }
    }

    /// The picture with one more attribute: a font, or a `width` and `height` in pixels.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Display) -> Self {
        self.root = self.root.with(name, value);
        self
    }

    /// The picture with a title, which programs that read pages aloud say; given before any element.
    #[must_use]
    pub fn titled(self, title: &str) -> Self {
        let mut drawing = self.with("role", "img");
        drawing.push(Element::new("title").text(title));
        drawing
    }

    /// Draws an element on top of the others.
    pub fn push(&mut self, element: Element) {
        self.extend([element]);
    }
}

impl Extend<Element> for Drawing {
    fn extend<T: IntoIterator<Item = Element>>(&mut self, elements: T) {
        for element in elements {
            // Writing to a string does not fail.
            let _ = writeln!(self.lines, "{element}");
        }
    }
}

impl Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Element {
            name, attributes, ..
        } = &self.root;
        write!(f, "<{name}{attributes}>\n{}</{name}>\n", self.lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_escaped() {
        let text = text(1, 2, "a < b & \"c\"").with("class", "x\"/><script>");
        assert_eq!(
            text.to_string(),
            "<text x=\"1\" y=\"2\" class=\"x&quot;/&gt;&lt;script&gt;\">a &lt; b &amp; &quot;c&quot;</text>"
        );
    }

    #[test]
    fn elements_nest() {
        let inner = rect(0, 0, 3, 4).with("rx", 1);
        let group = Element::new("g")
            .containing(&Element::new("title").text("one"))
            .containing(&inner)
            .text("end");
        assert_eq!(
            group.to_string(),
            "<g><title>one</title><rect x=\"0\" y=\"0\" width=\"3\" height=\"4\" rx=\"1\"/>end</g>"
        );
        assert_eq!(
            line(1, 2, 3, 4).to_string(),
            "<line x1=\"1\" y1=\"2\" x2=\"3\" y2=\"4\"/>"
        );
        assert_eq!(path("M0 0h1z").to_string(), "<path d=\"M0 0h1z\"/>");
    }

    #[test]
    fn coordinates_have_at_most_one_decimal() {
        let written = [0.04, -0.04, 1.0, 2.55, -3.25, 1e6].map(at);
        assert_eq!(written, ["0", "0", "1", "2.5", "-3.2", "1000000"]);
    }

    #[test]
    fn a_drawing_is_a_file() {
        let mut drawing = Drawing::new(10, 5).with("width", 20);
        assert_eq!(
            drawing.to_string(),
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 10 5\" width=\"20\">\n</svg>\n"
        );
        drawing.extend([circle(1, 1, 1), circle(2, 2, 1)]);
        assert_eq!(drawing.to_string().lines().count(), 4);
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
