//! What holds of every player, game and choice.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::num::NonZeroU8;

use kibitz_board::{Chess, Game, Outcome, Position as _, Tags};
use kibitz_heuristics::attributes::Attribute;
use kibitz_players::{
    Choices, Depth, Domain, FitOptions, FittedWeights, IntervalKind, Measures, Model, Part, Phase,
    SeededSession, VERSION, Weight,
    attribution::posterior,
    bits_by_group, fit,
    four_ply::{ModelParams, decisions_in},
};
use kibitz_search::quiescent::{Decision, TreeRules};
use kibitz_stats::ChoiceSets;
use proptest::prelude::*;

/// A game of moves by number among the legal ones.
fn game(numbers: &[u16]) -> Game {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for &number in numbers {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let played = legal[number as usize % legal.len()];
        moves.push(played);
        position.play_unchecked(played);
    }
    let mut tags = Tags::default();
    tags.set("White", &format!("Player {}", numbers.len()));
    tags.set("Annotator", "nobody, \"in quotes\"");
    Game::new(tags, Chess::default(), moves, Outcome::Unknown).unwrap()
}

fn games(most: usize) -> impl Strategy<Value = Vec<Game>> {
    let plies = prop::collection::vec(any::<u16>(), 0..70);
    prop::collection::vec(plies.prop_map(|numbers| game(&numbers)), 1..most)
}

fn decisions(games: &[Game]) -> Vec<Decision> {
    let numbered = (0..).zip(games);
    numbered
        .flat_map(|(group, game)| decisions_in(game.plies(), group))
        .collect()
}

fn params(attributes: &[Attribute]) -> ModelParams {
    ModelParams {
        attributes: attributes.to_vec(),
        ..ModelParams::default()
    }
}

fn fitted(attributes: &[Attribute], weights: &[f64]) -> FittedWeights {
    let weight = |(attribute, &value): (&Attribute, &f64)| Weight {
        attribute: attribute.name().to_owned(),
        value,
        std_error: 0.1,
        low: value - 0.2,
        high: value + 0.2,
    };
    FittedWeights {
        games: 1,
        clustered: false,
        intervals: IntervalKind::Wald,
        dispersion: 1.0,
        covariance: vec![vec![0.0; weights.len()]; weights.len()],
        typical: vec![4.0],
        weights: attributes.iter().zip(weights).map(weight).collect(),
        fitted: Measures {
            moves: 1,
            bits: 4.0,
            uniform: 5.0,
            top_1: 10.0,
            top_3: 20.0,
            calibration: Vec::new(),
        },
        held_out: None,
    }
}

/// A player of these weights, the same in every phase but for their sign in the endgame.
fn model(attributes: &[Attribute], weights: &[f64], phases: bool) -> Model {
    let turned: Vec<f64> = weights.iter().map(|weight| -weight).collect();
    let part = |phase: Option<Phase>| Part {
        phase,
        fit: fitted(
            attributes,
            if phase == Some(Phase::Endgame) {
                &turned
            } else {
                weights
            },
        ),
    };
    Model {
        version: VERSION,
        player: "somebody".to_owned(),
        level: 0.95,
        typical: vec![4.0],
        domain: Domain::Chess {
            depth: Depth::OnePly,
            params: params(attributes),
        },
        parts: if phases {
            Phase::ALL.map(|phase| part(Some(phase))).into()
        } else {
            vec![part(None)]
        },
    }
}

/// Choices among three, by numbers that decide nothing else.
fn rows(numbers: &[[i8; 6]]) -> Choices {
    let mut sets = ChoiceSets::builder(2);
    for (group, row) in (0..).zip(numbers) {
        let [a, b, c, d, e, f] = row.map(f64::from);
        let chosen = row.iter().filter(|one| **one > 0).count() % 3;
        sets.push(group / 3, chosen, [[a, b], [c, d], [e, f]])
            .unwrap();
    }
    Choices::Rows(sets.build())
}

/// The largest difference of the gradient from finite differences, relative to its size.
fn gradient_error(choices: &Choices, weights: &[f64]) -> f64 {
    const STEP: f64 = 1e-5;
    let at = |index: usize, step: f64| {
        let mut moved = weights.to_vec();
        moved[index] += step;
        let judged = choices.judge(&moved, None);
        judged.iter().map(|one| one.probability().ln()).sum::<f64>()
    };
    let gradient = choices.gradient(weights);
    let errors = (0..weights.len()).map(|index| {
        let differences = (at(index, STEP) - at(index, -STEP)) / (2.0 * STEP);
        (gradient[index] - differences).abs() / (1.0 + gradient[index].abs())
    });
    errors.fold(0.0, f64::max)
}

const FIVE: [Attribute; 5] = [
    Attribute::Material,
    Attribute::Mobility,
    Attribute::CenterControl,
    Attribute::Attacks,
    Attribute::Check,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn gradients_are_those_of_the_likelihood(
        games in games(3),
        weights in prop::array::uniform5(-0.5..0.5),
    ) {
        let decisions = decisions(&games);
        prop_assume!(!decisions.is_empty());
        let one_ply = Choices::one_ply(&params(&FIVE), &decisions, &SeededSession::default()).unwrap();
        prop_assert!(gradient_error(&one_ply, &weights) < 1e-4);
        let of_groups: f64 = (one_ply.group_scores(&weights).iter()).map(|score| score[0]).sum();
        let whole = one_ply.gradient(&weights)[0];
        prop_assert!((of_groups - whole).abs() < 1e-6 * (1.0 + whole.abs()));
        let two_plies = ModelParams {
            tree: TreeRules {
                max_ply: NonZeroU8::new(2).unwrap(),
                ..TreeRules::default()
            },
            ..params(&FIVE[..3])
        };
        let few = decisions.into_iter().take(10).collect();
        let trees = Choices::four_ply(&two_plies, few).unwrap();
        prop_assert!(gradient_error(&trees, &weights[..3]) < 1e-4);
    }

    #[test]
    fn the_order_of_games_is_nothing(numbers in prop::collection::vec(any::<[i8; 6]>(), 30..60)) {
        let backward: Vec<[i8; 6]> = numbers.chunks(3).rev().flatten().copied().collect();
        let (one, other) = (rows(&numbers), rows(&backward));
        let weights = [0.01, -0.02];
        let bits = |choices: &Choices| -> f64 {
            choices.judge(&weights, None).iter().map(kibitz_players::JudgedChoice::bits).sum()
        };
        prop_assert!((bits(&one) - bits(&other)).abs() < 1e-9 * bits(&one));
        // Only whole groups change places.
        if numbers.len() % 3 == 0 {
            let means = [&one, &other].map(|choices| bits_by_group(&choices.judge(&weights, None)));
            let pairs = means[0].iter().zip(&means[1]);
            prop_assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }

    #[test]
    fn intervals_contain_the_estimate(numbers in prop::collection::vec(any::<[i8; 6]>(), 30..90)) {
        let names = ["first", "second"].map(str::to_owned);
        let told = fit(&rows(&numbers), &names, FitOptions::default(), &SeededSession::default());
        // Some of these choices have no maximum, and say so.
        if let Ok((fitted, _)) = told {
            for weight in &fitted.weights {
                prop_assert!(weight.low < weight.value && weight.value < weight.high, "{weight:?}");
            }
            let held_out = fitted.held_out;
            prop_assert!(held_out.is_none_or(|one| one.top_1 <= one.top_3 && one.moves == numbers.len() as u64));
        }
    }

    #[test]
    fn posteriors_are_probabilities(
        bits in prop::collection::vec(0.0..2000.0, 2..20),
        factor in 0.0..=1.0,
        shift in -100.0..100.0,
    ) {
        let priors = vec![1.0 / bits.len() as f64; bits.len()];
        let shares = posterior(&bits, factor, &priors);
        prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
        let shifted: Vec<f64> = bits.iter().map(|one| one + shift).collect();
        let again = posterior(&shifted, factor, &priors);
        prop_assert!(shares.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn explained_bits_are_those_of_the_model(
        numbers in prop::collection::vec(any::<u16>(), 1..60),
        weights in prop::array::uniform5(-1.0..1.0),
    ) {
        let (game, model) = (game(&numbers), model(&FIVE, &weights, true));
        let told = kibitz_players::explain::explain(&model, &game, None).unwrap();
        for (one, (position, played)) in told.moves.iter().zip(game.plies()) {
            let judged = model.judge(&position, played, 0).unwrap();
            prop_assert!((one.bits - judged.bits()).abs() < 1e-9);
            prop_assert_eq!(one.rank, judged.rank());
            let parts = (one.alternatives as f64).log2() - one.contributions.iter().sum::<f64>() + one.rest;
            prop_assert!((parts - one.bits).abs() < 1e-9);
        }
    }
}

#[cfg(feature = "codec")]
mod coder {
    use kibitz_board::pgn::{Policy, read_games, write_game_as_tagged, write_games};
    use kibitz_players::coder::{CoderError, TaggedGame, decode, encode};

    use super::*;

    /// Games with the tags of the export format.
    fn tagged(games: &[Game]) -> Vec<TaggedGame> {
        let mut text = Vec::new();
        write_games(&mut text, games).unwrap();
        read(&text)
    }

    fn read(text: &[u8]) -> Vec<TaggedGame> {
        TaggedGame::read_all(&mut read_games("games", text, Policy::Fail)).unwrap()
    }

    /// Tags that people and programs write: known names and others, several times, empty, unknown, with
    /// quotes, backslashes, blanks and letters of every script.
    fn tags() -> impl Strategy<Value = Vec<(String, String)>> {
        let name = prop_oneof![
            prop::sample::select(vec![
                "Event",
                "Site",
                "Date",
                "Round",
                "White",
                "Black",
                "WhiteElo",
                "BlackElo",
                "ECO",
                "PlyCount",
                "WhiteTitle",
                "UTCDate",
                "Annotator",
            ])
            .prop_map(str::to_owned),
            "[A-Za-z0-9_]{1,12}".prop_filter("tags that decide a game", |name| {
                !["Result", "FEN", "SetUp", "Variant"].contains(&&**name)
            }),
        ];
        let value = prop_oneof![
            prop::sample::select(vec![
                "",
                "-",
                "?",
                " ",
                "????.??.??",
                "2700",
                "\\",
                "\"",
                "\\n",
                "] [",
                " a  b "
            ])
            .prop_map(str::to_owned),
            "\\PC{0,40}",
        ];
        let result = prop_oneof![
            Just(None),
            prop::sample::select(vec!["*", "1-0", "?", ""]).prop_map(Some)
        ];
        let others = prop::collection::vec((name, value), 0..12);
        (others, result, any::<prop::sample::Index>()).prop_map(|(mut tags, result, place)| {
            if let Some(result) = result {
                let place = place.index(tags.len() + 1);
                tags.insert(place, ("Result".to_owned(), result.to_owned()));
            }
            tags
        })
    }

    proptest! {
        /// Every tag comes back with its value, in its place, and no other; and so does the text.
        #[test]
        fn tags_come_back(all in prop::collection::vec(tags(), 1..5)) {
            let model = model(&FIVE[..2], &[0.5, 0.02], false);
            let mut text = Vec::new();
            for tags in &all {
                for (name, value) in tags {
                    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
                    text.extend(format!("[{name} \"{value}\"]\n").bytes());
                }
                let gap = if tags.is_empty() { "" } else { "\n" };
                text.extend(format!("{gap}1. e4 1-0\n\n").bytes());
            }
            let games = read(&text);
            let found: Vec<_> = games.iter().map(|game| game.tags().to_vec()).collect();
            prop_assert_eq!(&found, &all);
            let again = decode(&model, &encode(&model, &games).unwrap().bytes).unwrap();
            prop_assert_eq!(&again, &games);
            let mut written = Vec::new();
            for game in &again {
                write_game_as_tagged(&mut written, game.game(), game.tags()).unwrap();
            }
            prop_assert_eq!(String::from_utf8(written).unwrap(), String::from_utf8(text).unwrap());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// Whatever the weights, even where a move has no probability that a number can hold.
        #[test]
        fn games_come_back(
            games in games(6),
            weights in prop::array::uniform5(prop_oneof![-1.0..1.0, -500.0..500.0]),
            phases in any::<bool>(),
        ) {
            let model = model(&FIVE, &weights, phases);
            let tagged = tagged(&games);
            let coded = encode(&model, &tagged).unwrap();
            prop_assert_eq!(coded.moves, games.iter().map(|game| game.n_plies() as u64).sum::<u64>());
            prop_assert_eq!(decode(&model, &coded.bytes).unwrap(), tagged);
        }

        /// The code is as long as the information of the moves, up to its last words; a move that is
        /// next to impossible costs less, since its probability is at least a step of the code.
        #[test]
        fn the_code_is_as_long_as_the_information(
            games in games(6),
            weights in prop::array::uniform5(-0.5..0.5),
        ) {
            let model = model(&FIVE, &weights, false);
            let coded = encode(&model, &tagged(&games)).unwrap();
            let plies = games.iter().flat_map(|game| game.plies());
            let judged = plies.map(|(position, played)| model.judge(&position, played, 0).unwrap());
            let bits: f64 = judged.map(|one| one.bits().min(24.0)).sum();
            let coded = 8.0 * coded.move_bytes as f64;
            prop_assert!(coded >= 0.95 * bits - 1.0 && coded <= 1.002 * bits + 96.0, "{coded}, {bits}");
        }

        #[test]
        fn damage_is_found(games in games(4), place in any::<prop::sample::Index>(), bit in 0_u8..8) {
            let model = model(&FIVE, &[0.5, 0.02, 0.1, 0.1, 0.3], false);
            let mut bytes = encode(&model, &tagged(&games)).unwrap().bytes;
            let place = place.index(bytes.len());
            prop_assert!(decode(&model, &bytes[..place]).is_err());
            bytes[place] ^= 1 << bit;
            // A letter of the player's name does not belong to the games.
            let name = 20..20 + model.player.len();
            if !name.contains(&place) {
                prop_assert!(decode(&model, &bytes).is_err(), "byte {place}");
            }
            let mut longer = encode(&model, &tagged(&games)).unwrap().bytes;
            longer.push(0);
            prop_assert_eq!(decode(&model, &longer), Err(CoderError::Trailing(1)));
        }
    }

    #[test]
    fn start_positions_come_back() {
        let text = "[FEN \"8/8/8/4k3/8/4K3/4P3/8 w - - 3 7\"]\n[SetUp \"1\"]\n\n7. Kd3 *\n\n\
            [Variant \"Chess960\"]\n[FEN \"nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w KQkq - 0 1\"]\n\n1. O-O *\n\n";
        let (games, model) = (
            read(text.as_bytes()),
            model(&FIVE[..2], &[0.5, 0.02], false),
        );
        let coded = encode(&model, &games).unwrap();
        assert_eq!(decode(&model, &coded.bytes).unwrap(), games);
    }

    #[test]
    fn another_model_is_refused() {
        let games = [game(&[1, 2, 3, 4, 5])];
        let own = model(&FIVE, &[0.5, 0.02, 0.1, 0.1, 0.3], false);
        let other = model(&FIVE, &[0.5, 0.02, 0.1, 0.1, 0.300_000_000_000_1], false);
        let coded = encode(&own, &tagged(&games)).unwrap();
        let refused = decode(&other, &coded.bytes).unwrap_err();
        assert_eq!(refused, CoderError::OtherModel("somebody".to_owned()));
        let by_phase = model(&FIVE, &[0.5, 0.02, 0.1, 0.1, 0.3], true);
        assert!(decode(&by_phase, &coded.bytes).is_err());
        assert_eq!(decode(&own, b"KZGAMES"), Err(CoderError::NotOurs));
        assert_eq!(decode(&own, b"KZGAMES\x01"), Err(CoderError::Version(1)));
    }
}
