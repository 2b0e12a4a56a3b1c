//! Models in XMILE, the format of Stella that Vensim and others export: the signs of their equations.

use std::collections::BTreeMap;

use kibitz_text::{Diagnostics, SourceFile, suggestion};
use roxmltree::{Document, Node, ParsingOptions};

use super::calculus::{Calculus, Meaning, number_sign};
use super::diagram::{Diagram, Link, LinkSign};
use super::equation::{Expression, canonical, parse};
use crate::sign::Signs;

/// The links among the stocks of a model, and those whose sign its equations do not settle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmileDiagram {
    /// The stocks, and the sign of the effect of each on the net flow of each; if it cannot be determined,
    /// [`LinkSign::Unknown`].
    pub diagram: Diagram,
    /// What could not be signed.
    pub unsigned: Vec<UnsignedLink>,
}

/// A link that equations do not sign for certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsignedLink {
    /// The stock that pushes.
    pub from: String,
    /// The stock that is pushed.
    pub to: String,
    /// Why the sign cannot be determined, or that the effect may vanish.
    pub why: String,
}

/// Whether a text is an XMILE model by its beginning.
pub fn is_xmile(text: &str) -> bool {
    let start: String = text.chars().take(2_000).collect();
    text.trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('<')
        && start.contains("<xmile")
}

/// A stock as the file declares it.
struct Stock {
    name: String,
    key: String,
    inflows: Vec<String>,
    outflows: Vec<String>,
}

impl Diagram {
    /// The signed digraph of the stocks of an XMILE model; `file` is the name that messages show.
    ///
    /// A link's sign is that of the derivative of the net flow of one stock by another, through flows,
    /// auxiliaries and graphical functions. Stocks that may not be negative, or start above zero, are taken
    /// as positive; a delayed or smoothed value is taken as equal to its input, as it is at
    /// equilibrium.
    ///
    /// # Errors
    /// If the file is not XML or not XMILE, an equation cannot be read, or there is no stock.
    pub fn from_xmile(file: &str, text: &str) -> Result<XmileDiagram, Diagnostics> {
        let source = SourceFile::new(file, text);
        let mut found = Diagnostics::new();
        // Documents declare no entities, and those of strangers could be many.
        let options = ParsingOptions {
            allow_dtd: false,
            ..ParsingOptions::default()
        };
        let document = match Document::parse_with_options(text, options) {
            Ok(document) => document,
            Err(error) => {
                let place = place(text, error.pos());
                found.push(source.error_at(place..place, format!("cannot read the XML: {error}")));
                return Err(found);
            }
        };
        let root = document.root_element();
        if root.tag_name().name() != "xmile" {
            let message = format!(
                "expected an XMILE model, found `<{}>`",
                root.tag_name().name()
            );
            found.push(source.error_at(start_of(root), message));
            return Err(found);
        }
        let mut reader = Reader {
            source: &source,
            found,
            meanings: BTreeMap::new(),
            names: BTreeMap::new(),
            stocks: Vec::new(),
        };
        let mut models = root.children().filter(|node| node.has_tag_name_of("model"));
        if let Some(model) = models.next() {
            reader.read(model);
        }
        for other in models {
            let message = "models of modules are not read: expected one `<model>`";
            reader.report(other, message, "");
        }
        if reader.found.is_empty() && reader.stocks.is_empty() {
            reader.report(root, "the model has no stock", "");
        }
        if !reader.found.is_empty() {
            return Err(reader.found.in_reading_order());
        }
        Ok(reader.diagram())
    }
}

trait TagName {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl TagName for Node<'_, '_> {
    /// Whether an element has this name in any namespace, since files use different ones.
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn start_of(node: Node<'_, '_>) -> std::ops::Range<usize> {
    let start = node.range().start;
    start..start + 1 + node.tag_name().name().len()
}

/// The byte of a position.
fn place(text: &str, position: roxmltree::TextPos) -> usize {
    let line = usize::try_from(position.row).unwrap_or(1).saturating_sub(1);
    let column = usize::try_from(position.col).unwrap_or(1).saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let inside = text[start..].char_indices().nth(column);
    inside.map_or(text.len(), |(at, _)| start + at)
}

struct Reader<'s> {
    source: &'s SourceFile,
    found: Diagnostics,
    meanings: BTreeMap<String, Meaning>,
    /// The names as the file writes them.
    names: BTreeMap<String, String>,
    stocks: Vec<Stock>,
}

impl Reader<'_> {
    fn report(&mut self, node: Node<'_, '_>, message: impl Into<String>, label: &str) {
        let mistake = self.source.error_at(start_of(node), message);
        self.found.push(mistake.with_label(label));
    }

    fn read(&mut self, model: Node<'_, '_>) {
        let variables = model
            .children()
            .filter(|node| node.has_tag_name_of("variables"));
        for node in variables.flat_map(|variables| variables.children()) {
            if node.is_element() {
                self.variable(node);
            }
        }
        // Flows that no variable is are mistakes; names in equations may be of the simulator.
        for stock in std::mem::take(&mut self.stocks) {
            for flow in stock.inflows.iter().chain(&stock.outflows) {
                if !self.meanings.contains_key(flow) {
                    let message = format!("`{}` has the unknown flow `{flow}`", stock.name);
                    let known = self.names.keys().map(String::as_str);
                    let label = suggestion(flow, known);
                    let root = model;
                    self.report(root, message, &label);
                }
            }
            self.stocks.push(stock);
        }
    }

    fn variable(&mut self, node: Node<'_, '_>) {
        let kind = node.tag_name().name();
        if !matches!(kind, "stock" | "flow" | "aux" | "gf") {
            if kind == "module" {
                self.report(node, "modules are not read", "");
            }
            return;
        }
        let Some(name) = node.attribute("name") else {
            self.report(node, format!("the `<{kind}>` has no name"), "");
            return;
        };
        let key = canonical(name);
        let child = |name: &str| node.children().find(|child| child.has_tag_name_of(name));
        let shown = name.replace("\\n", " ");
        self.names.insert(key.clone(), shown.clone());
        if child("dimensions").is_some() {
            // An array has a value for each element: its signs are left open.
            self.meanings.insert(key.clone(), Meaning::Unread);
        } else {
            let meaning = self.meaning(node);
            self.meanings.insert(key.clone(), meaning);
        }
        if kind != "stock" {
            return;
        }
        let starts_positive = match self.meanings.get(&key) {
            Some(Meaning::Value(equation)) => {
                let empty = BTreeMap::new();
                Calculus::new(&empty).sign(equation) == Signs::POSITIVE
            }
            _ => false,
        };
        let is_positive = starts_positive || child("non_negative").is_some();
        let signs = if is_positive {
            Signs::POSITIVE
        } else {
            Signs::ANY
        };
        self.meanings.insert(key.clone(), Meaning::Stock(signs));
        let flows = |of: &str| {
            let flows = node.children().filter(|child| child.has_tag_name_of(of));
            flows
                .filter_map(|flow| flow.text())
                .map(canonical)
                .collect()
        };
        self.stocks.push(Stock {
            name: shown,
            key,
            inflows: flows("inflow"),
            outflows: flows("outflow"),
        });
    }

    /// The meaning of the equation of a variable, with its graphical function.
    fn meaning(&mut self, node: Node<'_, '_>) -> Meaning {
        let child = |name: &str| node.children().find(|child| child.has_tag_name_of(name));
        let equation = child("eqn").and_then(|eqn| {
            let text = eqn.text()?;
            Some((eqn, text))
        });
        let equation = match equation {
            None => None,
            Some((eqn, text)) => match parse(text) {
                Ok(equation) => Some(equation),
                Err(error) => {
                    // A place inside of the equation where the text of the file has no escapes.
                    let whole = eqn.range();
                    let inside = self.source.text()[whole.clone()].find(text);
                    let at = inside.map_or(whole.start, |start| whole.start + start + error.at);
                    let message = format!("cannot read the equation: {}", error.message);
                    self.found.push(self.source.error_at(at..at + 1, message));
                    return Meaning::Unread;
                }
            },
        };
        let points = child("gf").and_then(|gf| {
            let mut children = gf.children();
            children.find(|child| child.has_tag_name_of("ypts"))?.text()
        });
        match (equation, points) {
            (Some(input), Some(points)) => {
                let values: Vec<f64> = (points.split([',', ' ', '\n', '\t']))
                    .filter_map(|number| number.trim().parse().ok())
                    .collect();
                let signs = values
                    .iter()
                    .fold(Signs::NONE, |all, y| all.or(number_sign(*y)));
                let slopes = values.windows(2).map(|pair| number_sign(pair[1] - pair[0]));
                let slope = slopes.fold(Signs::NONE, Signs::or);
                Meaning::Curve(input, signs, slope)
            }
            (Some(equation), None) => Meaning::Value(equation),
            (None, _) => Meaning::Unread,
        }
    }

    fn diagram(&self) -> XmileDiagram {
        let mut calculus = Calculus::new(&self.meanings);
        let mut diagram = Diagram::default();
        for stock in &self.stocks {
            diagram.variable(&stock.name);
        }
        let mut unsigned = Vec::new();
        for (to, target) in self.stocks.iter().enumerate() {
            for (from, origin) in self.stocks.iter().enumerate() {
                let flows = |names: &[String], is_out: bool, calculus: &mut Calculus<'_>| {
                    let slopes = names.iter().map(|flow| {
                        let slope = calculus.slope(&Expression::Name(flow.clone()), &origin.key);
                        let slope = if is_out { slope.negated() } else { slope };
                        (flow.clone(), slope)
                    });
                    slopes.collect::<Vec<_>>()
                };
                let mut slopes = flows(&target.inflows, false, &mut calculus);
                slopes.extend(flows(&target.outflows, true, &mut calculus));
                let total = slopes
                    .iter()
                    .fold(Signs::ZERO, |sum, (_, own)| sum.plus(*own));
                let sign = match (total.meets(Signs::POSITIVE), total.meets(Signs::NEGATIVE)) {
                    (false, false) => continue,
                    (true, false) => LinkSign::Positive,
                    (false, true) => LinkSign::Negative,
                    (true, true) => LinkSign::Unknown,
                };
                diagram.links.push(Link { from, to, sign });
                if total == Signs::POSITIVE || total == Signs::NEGATIVE {
                    continue;
                }
                let mut parts: Vec<String> = Vec::new();
                for (flow, own) in &slopes {
                    let way = match (own.meets(Signs::POSITIVE), own.meets(Signs::NEGATIVE)) {
                        (false, false) => continue,
                        (true, false) => "raises it",
                        (false, true) => "lowers it",
                        (true, true) => "may do either",
                    };
                    let name = self.names.get(flow).unwrap_or(flow);
                    parts.push(format!("the effect through `{name}` {way}"));
                }
                let why = if sign == LinkSign::Unknown {
                    parts.join(", ")
                } else {
                    format!("{}, and may vanish", parts.join(", "))
                };
                unsigned.push(UnsignedLink {
                    from: origin.name.clone(),
                    to: target.name.clone(),
                    why,
                });
            }
        }
        XmileDiagram { diagram, unsigned }
    }
}
