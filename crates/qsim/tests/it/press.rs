//! Loop analysis never contradicts numbers, and each ambiguous sign is shown by two sets of magnitudes.

use std::fmt::Write as _;

use kibitz_qsim::press::{Diagram, Press, PressError, Response};
use kibitz_qsim::render;
use nalgebra::DMatrix;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

fn is_stable(matrix: &DMatrix<f64>) -> bool {
    let values = matrix.clone().complex_eigenvalues();
    values.iter().all(|value| value.re < -1e-8 * matrix.amax())
}

/// A random stable matrix with effects on rows by columns, and its diagram.
fn random(rng: &mut ChaCha8Rng) -> (DMatrix<f64>, Diagram) {
    let n = rng.random_range(3..9);
    loop {
        let density = rng.random_range(0.15..0.7);
        let mut matrix = DMatrix::zeros(n, n);
        for to in 0..n {
            for from in 0..n {
                let size = 10_f64.powf(rng.random_range(-1.0..0.5));
                if from == to {
                    // Most variables limit themselves, as most do that are at rest.
                    matrix[(to, from)] = match rng.random_range(0..20) {
                        0..15 => -size * 3.0,
                        15..18 => 0.0,
                        _ => size / 3.0,
                    };
                } else if rng.random_bool(density) {
                    matrix[(to, from)] = if rng.random_bool(0.5) { size } else { -size };
                }
            }
        }
        if is_stable(&matrix) && matrix.determinant().abs() > 1e-9 {
            let csv = csv_of(&matrix);
            return (
                matrix,
                Diagram::from_csv("random.csv", &csv).expect("links"),
            );
        }
    }
}

/// The links of a matrix; variables in order, since each is named in the first rows that can.
fn csv_of(matrix: &DMatrix<f64>) -> String {
    let mut csv = "from,to,sign\n".to_owned();
    for to in 0..matrix.nrows() {
        for from in 0..matrix.ncols() {
            let strength = matrix[(to, from)];
            if strength != 0.0 {
                let sign = if strength > 0.0 { "+" } else { "-" };
                let _ = writeln!(csv, "v{from},v{to},{sign}");
            }
        }
    }
    csv
}

/// The number of a variable in the matrix, by its name.
fn number(diagram: &Diagram, variable: usize) -> usize {
    let name = &diagram.variables[variable];
    name[1..].parse().expect("v and a number")
}

fn matrix_of(press: &Press, links: &[f64]) -> DMatrix<f64> {
    let n = press.diagram().variables.len();
    let mut matrix = DMatrix::zeros(n, n);
    for (link, strength) in press.diagram().links.iter().zip(links) {
        assert_eq!(strength > &0.0, link.sign.name() == "+");
        matrix[(link.to, link.from)] = *strength;
    }
    matrix
}

#[test]
fn signs_agree_with_numeric_inverses() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut settled, mut ambiguous, mut missing, mut unstable) = (0, 0, 0, 0);
    for case in 0..1_000 {
        let (matrix, diagram) = random(&mut rng);
        let moved = (-&matrix).try_inverse().expect("stable, so regular");
        let press = diagram.press().expect("it has a stable equilibrium");
        assert!(press.may_be_stable(), "{case}");
        let n = diagram.variables.len();
        for pressed in 0..n {
            for variable in 0..n {
                let at = (number(&diagram, variable), number(&diagram, pressed));
                let by = moved[at] / moved.amax();
                let told = press.response(pressed, variable);
                let agrees = match told {
                    Response::Rises => by > 0.0,
                    Response::Falls => by < 0.0,
                    Response::Unchanged => by.abs() < 1e-9,
                    Response::Ambiguous => true,
                };
                assert!(
                    agrees,
                    "case {case}: {told:?}, but {by}\n{}",
                    csv_of(&matrix)
                );
                if told != Response::Ambiguous {
                    settled += 1;
                    continue;
                }
                ambiguous += 1;
                let both = press.witnesses(pressed, variable).expect("ambiguous");
                for (witness, sign) in both.iter().zip([1.0, -1.0]) {
                    let Some(witness) = witness else {
                        missing += 1;
                        continue;
                    };
                    let shown = matrix_of(&press, &witness.links);
                    assert_eq!(is_stable(&shown), witness.is_stable, "case {case}");
                    let moved = (-shown).try_inverse().expect("regular");
                    assert!(moved[(variable, pressed)] * sign > 0.0, "case {case}");
                    assert!(witness.response * sign > 0.0, "case {case}");
                    unstable += usize::from(!witness.is_stable);
                }
            }
        }
    }
    println!(
        "{settled} settled, {ambiguous} ambiguous; witnesses: {missing} missing, {unstable} not stable"
    );
    assert!(
        settled > 4_000 && ambiguous > 4_000,
        "{settled} {ambiguous}"
    );
    // Of some signs that terms and balances leave open, stability may admit one only.
    assert!(
        50 * missing < ambiguous,
        "{missing} of {ambiguous} ambiguous signs"
    );
    assert!(50 * unstable < ambiguous, "{unstable} of {ambiguous}");
}

/// Twelve variables that nearly all push each other.
#[test]
fn twelve_variables_take_no_long() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut csv = "from,to,sign\n".to_owned();
    for to in 0..12 {
        for from in 0..12 {
            if from == to {
                let _ = writeln!(csv, "v{from},v{to},-");
            } else if rng.random_bool(0.6) {
                let sign = if rng.random_bool(0.5) { "+" } else { "-" };
                let _ = writeln!(csv, "v{from},v{to},{sign}");
            }
        }
    }
    let press = Diagram::from_csv("random.csv", &csv)
        .expect("links")
        .press()
        .expect("stable");
    for pressed in 0..12 {
        for variable in 0..12 {
            let both = press.witnesses(pressed, variable);
            assert!(both.is_none_or(|both| both.iter().all(Option::is_some)));
        }
    }
}

const PLANKTON: &str = "from,to,sign
nutrient,nutrient,-
nutrient,algae,+
algae,nutrient,-
algae,grazer,+
grazer,algae,-
nutrient,diatoms,+
diatoms,nutrient,-
diatoms,grazer,+
grazer,diatoms,-
grazer,grazer,-
diatoms,diatoms,-
";

#[test]
fn proofs_are_shown() {
    let press = Diagram::from_csv("plankton.csv", PLANKTON)
        .expect("links")
        .press()
        .expect("stable");
    insta::assert_snapshot!("press_text", render::press_text(&press, true));
    insta::assert_snapshot!("press_svg", render::press_svg("plankton", &press));
    let json = render::press_json(&press, &[]);
    assert_eq!(json["responses"].as_array().map(Vec::len), Some(16));
    for own in json["responses"].as_array().expect("all") {
        assert_eq!(own["sign"] == "?", own["witnesses"].is_object());
    }
    let links = render::links_csv(press.diagram());
    assert_eq!(links, PLANKTON);
}

/// Partners that help each other: whatever rises raises all, if it is stable at all.
#[test]
fn stability_settles_signs() {
    let mut csv = "from,to,sign\n".to_owned();
    for name in ["a", "b", "c"] {
        for other in ["a", "b", "c"] {
            let sign = if name == other { "-" } else { "+" };
            let _ = writeln!(csv, "{name},{other},{sign}");
        }
    }
    let press = Diagram::from_csv("partners.csv", &csv)
        .expect("links")
        .press()
        .expect("stable");
    let all = (0..3).flat_map(|pressed| (0..3).map(move |variable| (pressed, variable)));
    assert!({ all }.all(|(a, b)| press.response(a, b) == Response::Rises));
    assert!(press.proof(0, 0).terms[0].by_stability);
}

#[test]
fn what_has_no_stable_equilibrium_is_refused() {
    let refused = |csv: &str| {
        let press = Diagram::from_csv("loops.csv", csv).expect("links").press();
        press.expect_err("not stable").to_string()
    };
    let told = [
        refused("from,to,sign\nbirths,people,+\npeople,births,+\n"),
        refused("from,to,sign\nrain,tub,+\n"),
        refused(&(0..20).fold("from,to,sign\n".to_owned(), |csv, at| {
            csv + &format!("v{at},v{},+\nv{},v{at},-\n", (at + 1) % 20, (at + 1) % 20)
        })),
    ];
    insta::assert_snapshot!(told.join("\n"));
    let circling = "from,to,sign\nhare,fox,+\nfox,hare,-\n";
    let press = Diagram::from_csv("loops.csv", circling)
        .expect("links")
        .press()
        .expect("signs");
    assert!(!press.may_be_stable());
    let text = render::press_text(&press, false);
    assert!(
        text.contains("no magnitudes make an equilibrium stable"),
        "{text}"
    );
    assert!(!text.contains("at a stable equilibrium"), "{text}");
    let large = Diagram::default().press();
    assert!(!matches!(large, Err(PressError::TooLarge { .. })));
}

const MODEL: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<xmile version="1.0" xmlns="http://docs.oasis-open.org/xmile/ns/XMILE/v1.0">
  <header><vendor>nobody</vendor></header>
  <model>
    <variables>
      <stock name="Hares"><eqn>100</eqn><inflow>hare_births</inflow><outflow>kills</outflow></stock>
      <stock name="Foxes"><eqn>10</eqn><inflow>fox_births</inflow><outflow>"fox deaths"</outflow><non_negative/></stock>
      <stock name="Grass"><eqn>1000</eqn><inflow>growth</inflow><outflow>grazing</outflow></stock>
      <flow name="growth"><eqn>50</eqn></flow>
      <flow name="grazing"><eqn>Hares * Grass * 0.001</eqn></flow>
      <flow name="hare births"><eqn>grazing * crowding</eqn></flow>
      <aux name="crowding"><eqn>Grass / 1000</eqn>
        <gf><xscale min="0" max="2"/><ypts>0.1,0.5,0.9,1</ypts></gf></aux>
      <flow name="kills"><eqn>Hares * Foxes * kill_rate</eqn></flow>
      <aux name="kill rate"><eqn>0.01</eqn></aux>
      <flow name="fox births"><eqn>IF TIME &gt; 3 THEN kills * 0.1 ELSE 0</eqn></flow>
      <flow name="fox deaths"><eqn>Foxes * 0.2</eqn></flow>
    </variables>
  </model>
</xmile>
"#;

#[test]
fn the_equations_of_models_are_signed() {
    let found = Diagram::from_xmile("model.xmile", MODEL).expect("a model");
    let unsigned: Vec<String> = (found.unsigned.iter())
        .map(|own| format!("{} -> {}: {}\n", own.from, own.to, own.why))
        .collect();
    let links = render::links_csv(&found.diagram);
    insta::assert_snapshot!("xmile_links", format!("{links}\n{}", unsigned.concat()));
}

#[test]
fn mistakes_in_models_have_their_places() {
    let said = |text: &str| {
        let found = Diagram::from_xmile("model.xmile", text);
        found.expect_err("a mistake").to_string()
    };
    let all = [
        said(&MODEL.replace("Foxes * 0.2", "Foxes * (0.2")),
        said(&MODEL.replace("<outflow>kills</outflow>", "<outflow>kill</outflow>")),
        said(&MODEL.replace("</header>", "</head>")),
        said("<html></html>"),
        said("<xmile><model/></xmile>"),
    ];
    insta::assert_snapshot!("xmile_mistakes", all.join("\n"));
}
