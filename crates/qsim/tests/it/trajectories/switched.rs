//! Random systems with operating regions, whose trajectories have formulas.

use kibitz_qsim::System;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::network::Run;

/// A concrete system: its trajectory, and the text of its model, in which `IGNORED` stands for
/// whether the directions of some variables are ignored.
pub(crate) struct SwitchedSystem {
    pub(crate) run: Run,
    text: String,
}

impl SwitchedSystem {
    /// Samples of a function of time that gives the values of the variables.
    fn new(step: f64, n_samples: u16, values: impl Fn(f64) -> Vec<f64>, text: String) -> Self {
        let times: Vec<f64> = (0..n_samples).map(|at| step * f64::from(at)).collect();
        let rows: Vec<Vec<f64>> = times.iter().map(|t| values(*t)).collect();
        let columns = (0..rows[0].len()).map(|at| rows.iter().map(|row| row[at]).collect());
        let columns = columns.collect();
        Self {
            run: Run { times, columns },
            text,
        }
    }

    pub(crate) fn system(&self, ignored: bool) -> System {
        let text = self.text.replace("IGNORED", &ignored.to_string());
        System::from_toml("random.toml", &text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"))
    }
}

/// Heated from the temperature outside to the higher of two, cooled to the lower, and so on.
pub(crate) fn thermostat(rng: &mut ChaCha8Rng) -> SwitchedSystem {
    let (outside, rate) = (10.0, rng.random_range(0.3..1.5));
    let rise = rng.random_range(2.0..10.0);
    let (low, high) = (rng.random_range(0.1..0.3), rng.random_range(0.4..0.8));
    let heat = rate * rise;
    // Seconds of the first heating, of cooling and of heating again.
    let first = -f64::ln(1.0 - high) / rate;
    let cooling = f64::ln(high / low) / rate;
    let heating = f64::ln((1.0 - low) / (1.0 - high)) / rate;
    let values = |t: f64| {
        let (share, is_on) = if t <= first {
            (1.0 - (-rate * t).exp(), true)
        } else {
            let t = (t - first) % (cooling + heating);
            if t <= cooling {
                (high * (-rate * t).exp(), false)
            } else {
                (1.0 - (1.0 - low) * (-rate * (t - cooling)).exp(), true)
            }
        };
        let loss = rate * rise * share;
        let heat = if is_on { heat } else { 0.0 };
        vec![outside + rise * share, loss, heat, heat - loss]
    };
    let text = format!(
        r#"title = "a thermostat"
[variables]
T = {{ landmarks = ["0", "{outside}", "{low}", "{high}", "inf"] }}
loss = {{ landmarks = ["minf", "0", "inf"], ignore-direction = IGNORED }}
heat = {{ landmarks = ["0", "{heat}"] }}
net = {{ landmarks = ["minf", "0", "inf"], ignore-direction = IGNORED }}
[[constraints]]
kind = "m_plus"
of = ["T", "loss"]
corresponding = [["{outside}", "0"]]
[[constraints]]
kind = "add"
of = ["net", "loss", "heat"]
[[constraints]]
kind = "deriv"
of = ["T", "net"]
[[constraints]]
kind = "constant"
of = ["heat"]
[[regions]]
name = "on"
transitions = [{{ when = {{ T = "{high}/inc" }}, to = "off", set = {{ heat = "0", net = "?" }} }}]
[[regions]]
name = "off"
transitions = [{{ when = {{ T = "{low}/dec" }}, to = "on", set = {{ heat = "{heat}", net = "?" }} }}]
[[initial]]
T = "{outside}"
heat = "{heat}"
"#,
        low = outside + rise * low,
        high = outside + rise * high,
    );
    SwitchedSystem::new(0.02 / rate, 300, values, text)
}

/// A ball that is thrown up and loses nothing where it bounces.
pub(crate) fn bouncing_ball(rng: &mut ChaCha8Rng) -> SwitchedSystem {
    let (start, gravity) = (rng.random_range(1.0..8.0), -rng.random_range(1.0..15.0));
    let flight = -2.0 * start / gravity;
    let values = |t: f64| {
        let t = t % flight;
        let height = start * t + gravity * t * t / 2.0;
        vec![height, start + gravity * t, gravity]
    };
    let text = format!(
        r#"title = "a ball"
[variables]
y = {{ landmarks = ["0", "inf"] }}
v = {{ landmarks = ["minf", "0", "{start}", "inf"], ignore-direction = IGNORED }}
a = {{ landmarks = ["minf", "{gravity}", "0"] }}
[[constraints]]
kind = "deriv"
of = ["y", "v"]
[[constraints]]
kind = "deriv"
of = ["v", "a"]
[[constraints]]
kind = "constant"
of = ["a"]
[[regions]]
name = "flight"
transitions = [{{ when = {{ y = "0/dec" }}, to = "flight", set = {{ v = "0..inf" }} }}]
[[initial]]
y = "0"
v = "{start}"
a = "{gravity}"
[energy]
position = "y"
velocity = "v"
trend = "conserved"
"#
    );
    SwitchedSystem::new(flight / 61.0, 200, values, text)
}
