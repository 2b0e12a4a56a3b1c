//! Families of random concrete systems.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::network::Definition::{Constant, Function, Input, Minus, Product, State, Sum};
use super::network::{Curve, Network, Shape, Wave};
use super::switched::{SwitchedSystem, bouncing_ball, thermostat};

/// A family: its name, and how to make a random member.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) member: Member,
}

pub(crate) enum Member {
    Network(fn(&mut ChaCha8Rng) -> Network),
    Switched(fn(&mut ChaCha8Rng) -> SwitchedSystem),
}

pub(crate) const FAMILIES: [Family; 8] = [
    of_networks("linear", linear),
    of_networks("monotonic", monotonic),
    of_networks("sums", sums),
    of_networks("products", products),
    of_networks("driven", driven),
    of_networks("oscillators", oscillators),
    Family {
        name: "thermostats",
        member: Member::Switched(thermostat),
    },
    Family {
        name: "bouncing balls",
        member: Member::Switched(bouncing_ball),
    },
];

const fn of_networks(name: &'static str, member: fn(&mut ChaCha8Rng) -> Network) -> Family {
    Family {
        name,
        member: Member::Network(member),
    }
}

fn signed(rng: &mut ChaCha8Rng, low: f64, high: f64) -> f64 {
    let size = rng.random_range(low..high);
    if rng.random_bool(0.5) { size } else { -size }
}

fn curve(rng: &mut ChaCha8Rng, sign: f64) -> Curve {
    let shapes = [
        Shape::Line,
        Shape::Cubic,
        Shape::Saturation,
        Shape::Exponential,
    ];
    Curve {
        slope: sign * rng.random_range(0.2..2.0),
        shape: shapes[rng.random_range(0..4)],
    }
}

fn wave(rng: &mut ChaCha8Rng) -> Wave {
    let (a, b) = (signed(rng, 0.1, 2.0), signed(rng, 0.2, 2.0));
    let c = rng.random_range(0.3..3.0);
    match rng.random_range(0..3) {
        0 => Wave::Ramp(a, b),
        1 => Wave::Sine(a, b, c, rng.random_range(0.0..6.0)),
        _ => Wave::Decay(a, b, c),
    }
}

/// This many states with a start and no rate yet.
fn states(net: &mut Network, n: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let starts = (0..n).map(|_| {
        let start = if rng.random_bool(0.2) {
            0.0
        } else {
            signed(rng, 0.2, 2.0)
        };
        State(start, 0)
    });
    starts.map(|state| net.add(state)).collect()
}

fn set_rate(net: &mut Network, state: usize, to: usize) {
    if let State(_, rate) = &mut net.definitions[state] {
        *rate = to;
    }
}

/// x' = A x: each rate is the sum of one or two states times a number.
fn linear(rng: &mut ChaCha8Rng) -> Network {
    let mut net = Network::default();
    let n = rng.random_range(1..4);
    let all = states(&mut net, n, rng);
    for &state in &all {
        let mut term = |net: &mut Network| {
            let of = all[rng.random_range(0..n)];
            let curve = Curve {
                slope: signed(rng, 0.2, 2.0),
                shape: Shape::Line,
            };
            net.add(Function(of, curve))
        };
        let mut rate = term(&mut net);
        if n == 2 {
            let more = term(&mut net);
            rate = net.add(Sum(rate, more));
        }
        set_rate(&mut net, state, rate);
    }
    net
}

/// Tanks in a row: each loses what the next gains, by functions of any form; the first has an inflow.
fn monotonic(rng: &mut ChaCha8Rng) -> Network {
    let mut net = Network::default();
    let n = rng.random_range(1..4);
    let all = states(&mut net, n, rng);
    let mut gain = net.add(Constant(signed(rng, 0.2, 2.0)));
    for &state in &all {
        // The loss is a function of the state, or what is opposite to one.
        let loss = if rng.random_bool(0.5) {
            let function = net.add(Function(state, curve(rng, 1.0)));
            net.add(Minus(function))
        } else {
            net.add(Function(state, curve(rng, -1.0)))
        };
        let rate = net.add(Sum(gain, loss));
        set_rate(&mut net, state, rate);
        gain = net.add(Minus(loss));
    }
    net
}

/// Rates are sums of states, constants, and what is opposite to them.
fn sums(rng: &mut ChaCha8Rng) -> Network {
    let mut net = Network::default();
    let n = rng.random_range(1..3);
    let all = states(&mut net, n, rng);
    let constant = net.add(Constant(signed(rng, 0.2, 2.0)));
    let mut pool = all.clone();
    pool.push(constant);
    pool.extend(all.iter().map(|state| net.add(Minus(*state))));
    for &state in &all {
        let mut rate = pool[rng.random_range(0..pool.len())];
        for _ in 0..rng.random_range(1..3) {
            rate = net.add(Sum(rate, pool[rng.random_range(0..pool.len())]));
        }
        set_rate(&mut net, state, rate);
    }
    net
}

/// Growth in proportion: x' = x g, where g is a sum of constants and functions of states.
fn products(rng: &mut ChaCha8Rng) -> Network {
    let mut net = Network::default();
    let n = rng.random_range(1..3);
    let all = states(&mut net, n, rng);
    for &state in &all {
        let of = all[rng.random_range(0..n)];
        let sign = signed(rng, 1.0, 1.1).signum();
        let function = net.add(Function(of, curve(rng, sign)));
        let constant = net.add(Constant(signed(rng, 0.2, 2.0)));
        let factor = net.add(Sum(constant, function));
        let rate = if rng.random_bool(0.2) {
            net.add(Product(of, factor))
        } else {
            net.add(Product(state, factor))
        };
        set_rate(&mut net, state, rate);
    }
    net
}

/// Inputs that follow a function of time drive states, and what depends on both without delay.
fn driven(rng: &mut ChaCha8Rng) -> Network {
    let mut net = Network::default();
    let input = net.add(Input(wave(rng)));
    let all = states(&mut net, 1, rng);
    let mut pool = all.clone();
    pool.push(input);
    for _ in 0..rng.random_range(1..3) {
        let of = pool[rng.random_range(0..pool.len())];
        let other = pool[rng.random_range(0..pool.len())];
        let sign = signed(rng, 1.0, 1.1).signum();
        let definition = match rng.random_range(0..4) {
            0 => Sum(of, other),
            1 => Product(of, other),
            2 => Minus(of),
            _ => Function(of, curve(rng, sign)),
        };
        let new = net.add(definition);
        pool.push(new);
    }
    for &state in &all {
        let loss = net.add(Function(state, curve(rng, -1.0)));
        let drive = pool[rng.random_range(0..pool.len())];
        let rate = net.add(Sum(drive, loss));
        set_rate(&mut net, state, rate);
    }
    net
}

/// Springs of any form, with and without friction, under the energy constraint.
fn oscillators(rng: &mut ChaCha8Rng) -> Network {
    let mut net = Network::default();
    let all = states(&mut net, 2, rng);
    let (x, v) = (all[0], all[1]);
    set_rate(&mut net, x, v);
    let pull = net.add(Function(x, curve(rng, -1.0)));
    let trend = if rng.random_bool(0.5) {
        let drag = net.add(Function(v, curve(rng, -1.0)));
        let force = net.add(Sum(pull, drag));
        set_rate(&mut net, v, force);
        "dissipated"
    } else {
        set_rate(&mut net, v, pull);
        "conserved"
    };
    net.energy = format!("[energy]\nposition = \"v0\"\nvelocity = \"v1\"\ntrend = \"{trend}\"\n");
    net
}
