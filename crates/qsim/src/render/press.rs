//! Responses to presses as text and JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::text::table;
use crate::press::{Diagram, Evidence, Press, Proof, Response, UnsignedLink, Witness};

impl Press {
    fn names<'p>(&'p self, variables: &[usize]) -> Vec<&'p str> {
        let names = variables.iter();
        names
            .map(|at| self.diagram().variables[*at].as_str())
            .collect()
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let n = self.diagram().variables.len();
        (0..n).flat_map(move |pressed| (0..n).map(move |variable| (pressed, variable)))
    }
}

/// The links of a diagram as CSV, as [`Diagram::from_csv`] reads them.
pub fn links_csv(diagram: &Diagram) -> String {
    let quoted = |name: &str| {
        if name.contains([',', ';', '\t', '"', '\n']) {
            format!("\"{}\"", name.replace('"', "\"\""))
        } else {
            name.to_owned()
        }
    };
    let mut text = "from,to,sign\n".to_owned();
    for link in &diagram.links {
        let [from, to] = [link.from, link.to].map(|at| quoted(&diagram.variables[at]));
        let _ = writeln!(text, "{from},{to},{}", link.sign.name());
    }
    text
}

/// The table of responses, what stability needs, and, if `explain` is set, the proof of each sign and two
/// sets of magnitudes for each that is ambiguous.
pub fn press_text(press: &Press, explain: bool) -> String {
    let variables = &press.diagram().variables;
    let mut rows = vec![vec!["press on".to_owned()]];
    rows[0].extend(variables.iter().cloned());
    for (pressed, name) in variables.iter().enumerate() {
        let mut row = vec![name.clone()];
        row.extend((0..variables.len()).map(|at| press.response(pressed, at).name().to_owned()));
        rows.push(row);
    }
    let mut text = table(&rows);
    let ambiguous = press
        .pairs()
        .filter(|(pressed, at)| press.response(*pressed, *at) == Response::Ambiguous)
        .count();
    let all = variables.len() * variables.len();
    let _ = writeln!(
        text,
        "\n+ rises, - falls, 0 does not change, ? depends on magnitudes: {ambiguous} of {all}{}",
        if explain { "" } else { "; --explain shows why" }
    );
    if !press.inputs().is_empty() {
        let _ = writeln!(
            text,
            "inputs, which nothing pushes and which keep their own level: {}",
            press.names(press.inputs()).join(", ")
        );
    }
    text += &stability_text(press);
    if explain {
        for (pressed, variable) in press.pairs() {
            text.push('\n');
            text += &proof_text(press, pressed, variable);
        }
        text += &evidence_text(press, ambiguous);
    }
    text
}

/// How many of the ambiguous responses are shown by two sets of magnitudes.
fn evidence_text(press: &Press, ambiguous: usize) -> String {
    if ambiguous == 0 {
        return String::new();
    }
    let Evidence {
        stable,
        unstable,
        missing,
    } = press.evidence();
    let mut text = format!(
        "\ntwo sets of magnitudes with stable equilibria disagree: {stable} of {ambiguous} ?\n"
    );
    if unstable > 0 {
        let _ = writeln!(
            text,
            "two sets disagree, one of them with an unstable equilibrium: {unstable}"
        );
    }
    if missing > 0 {
        let _ = writeln!(
            text,
            "no second set of magnitudes was found: {missing}; these signs may be determined"
        );
    }
    text
}

fn stability_text(press: &Press) -> String {
    let mut text = if press.may_be_stable() {
        "\nstability: the signs hold at a stable equilibrium\n".to_owned()
    } else {
        "\nstability: no magnitudes make an equilibrium stable; the signs hold at one with negative \
         overall feedback, around which values may swing for ever\n"
            .to_owned()
    };
    for own in press.stability() {
        let levels = own.levels.iter().enumerate().map(|(at, level)| {
            let told = match level {
                Response::Falls => "negative",
                Response::Rises => "positive: never stable",
                Response::Unchanged => "none: never stable",
                Response::Ambiguous => "of both signs: magnitudes decide",
            };
            format!("level {} {told}", at + 1)
        });
        let levels: Vec<String> = levels.collect();
        let names = press.names(&own.variables).join(", ");
        let _ = writeln!(text, "  feedback of {names}: {}", levels.join("; "));
    }
    let has_large = press.stability().iter().any(|own| own.levels.len() > 2);
    if has_large {
        text +=
            "  feedback at high levels must not be too strong beside that at low ones (Hurwitz)\n";
    }
    text
}

fn cycles(press: &Press, loops: &[Vec<usize>]) -> String {
    let shown = loops.iter().map(|own| {
        let mut names = press.names(own);
        names.push(names[0]);
        names.join(" -> ")
    });
    shown.collect::<Vec<_>>().join("; ")
}

fn proof_text(press: &Press, pressed: usize, variable: usize) -> String {
    let variables = &press.diagram().variables;
    let response = press.response(pressed, variable);
    let (from, to) = (&variables[pressed], &variables[variable]);
    let mut text = format!("{from} pressed, {to}: {}\n", response.name());
    let Proof {
        terms,
        has_more,
        is_balance,
    } = press.proof(pressed, variable);
    // The balance settles a sign that the terms leave open: say so first, or the terms seem to
    // contradict it.
    if is_balance {
        text += "  settled by the balance of pushes at equilibrium, whatever the terms:\n";
    }
    for term in &terms {
        let _ = write!(
            text,
            "  path {} ({})",
            press.names(&term.path).join(" -> "),
            term.path_sign.name()
        );
        // A path through all variables leaves no feedback to take into account.
        if term.rest.is_empty() {
            text += ", nothing is left\n";
            continue;
        }
        let _ = write!(
            text,
            ", the rest {} ({}",
            press.names(&term.rest).join(", "),
            term.rest_sign.name()
        );
        text += if term.by_stability {
            ", by stability)"
        } else {
            ")"
        };
        let loops = term.loops.iter().filter(|loops| !loops.is_empty());
        let loops: Vec<String> = loops.map(|loops| cycles(press, loops)).collect();
        if !loops.is_empty() {
            let _ = write!(text, ": loops {}", loops.join("  or  "));
        }
        text.push('\n');
    }
    if has_more {
        text += "  and more paths\n";
    } else if terms.is_empty() {
        text += "  no path whose rest has feedback\n";
    }
    if let Some(both) = press.witnesses(pressed, variable) {
        for (way, witness) in ["+", "-"].iter().zip(both) {
            match witness {
                Some(witness) => text += &witness_text(press, way, witness),
                None => {
                    let _ = writeln!(
                        text,
                        "  {way} no second set of magnitudes was found: the sign may be determined"
                    );
                }
            }
        }
    }
    text
}

fn witness_text(press: &Press, way: &str, witness: &Witness) -> String {
    let variables = &press.diagram().variables;
    let links = press.diagram().links.iter().zip(&witness.links);
    let links = links.map(|(link, strength)| {
        format!(
            "{} -> {} {strength}",
            variables[link.from], variables[link.to]
        )
    });
    let links: Vec<String> = links.collect();
    let kind = if witness.is_stable {
        ""
    } else {
        " (not stable)"
    };
    format!(
        "  {way} {:.3} for a press of 1{kind}: {}\n",
        witness.response,
        links.join(", ")
    )
}

fn witness_json(press: &Press, witness: &Witness) -> Value {
    let variables = &press.diagram().variables;
    let links = press.diagram().links.iter().zip(&witness.links);
    let links = links.map(|(link, strength)| {
        json!({ "from": variables[link.from], "to": variables[link.to], "strength": strength })
    });
    json!({
        "response": witness.response,
        "stable": witness.is_stable,
        "links": links.collect::<Vec<_>>(),
    })
}

/// The analysis in JSON.
///
/// `variables`, `links` and `inputs`; `responses` with, for each `press` and `variable`, the `sign`, the
/// `terms` that prove it (`path`, `path_sign`, `rest`, `rest_sign`, `by_stability`, `loops`), whether
/// there are more of them, whether the balance of pushes settles it, and for an ambiguous one the
/// `witnesses` `+` and `-`; `evidence` with the numbers of ambiguous responses that two `stable` sets of
/// magnitudes show, or two of which one is `unstable`, or for which one is `missing`; `stability` with the
/// feedback of each component at each level; `unsigned` links of a model with equations.
pub fn press_json(press: &Press, unsigned: &[UnsignedLink]) -> Value {
    let variables = &press.diagram().variables;
    let links = press.diagram().links.iter().map(|link| {
        json!({
            "from": variables[link.from],
            "to": variables[link.to],
            "sign": link.sign.name(),
        })
    });
    let responses = press.pairs().map(|(pressed, variable)| {
        let proof = press.proof(pressed, variable);
        let terms = proof.terms.iter().map(|term| {
            let loops = term.loops.iter().map(|loops| {
                let loops = loops.iter().map(|own| press.names(own));
                loops.collect::<Vec<_>>()
            });
            json!({
                "path": press.names(&term.path),
                "path_sign": term.path_sign.name(),
                "rest": press.names(&term.rest),
                "rest_sign": term.rest_sign.name(),
                "by_stability": term.by_stability,
                "loops": loops.collect::<Vec<_>>(),
            })
        });
        let witnesses = press.witnesses(pressed, variable).map(|both| {
            let both = ["+", "-"].iter().zip(both);
            let both = both.map(|(way, witness)| {
                // A missing witness is `null`, not left out: the search has looked for it.
                let told = witness.as_ref().map(|own| witness_json(press, own));
                ((*way).to_owned(), told.unwrap_or(Value::Null))
            });
            both.collect::<Map<String, Value>>()
        });
        json!({
            "press": variables[pressed],
            "variable": variables[variable],
            "sign": press.response(pressed, variable).name(),
            "terms": terms.collect::<Vec<_>>(),
            "has_more": proof.has_more,
            "is_balance": proof.is_balance,
            "witnesses": witnesses,
        })
    });
    let stability = press.stability().into_iter().map(|own| {
        let levels = own.levels.iter().map(|level| level.name());
        json!({
            "variables": press.names(&own.variables),
            "levels": levels.collect::<Vec<_>>(),
        })
    });
    let evidence = press.evidence();
    let unsigned = unsigned.iter();
    let unsigned = unsigned.map(|own| json!({ "from": own.from, "to": own.to, "why": own.why }));
    json!({
        "variables": variables,
        "links": links.collect::<Vec<_>>(),
        "inputs": press.names(press.inputs()),
        "responses": responses.collect::<Vec<_>>(),
        "evidence": {
            "stable": evidence.stable,
            "unstable": evidence.unstable,
            "missing": evidence.missing,
        },
        "stability": stability.collect::<Vec<_>>(),
        "may_be_stable": press.may_be_stable(),
        "unsigned": unsigned.collect::<Vec<_>>(),
    })
}
