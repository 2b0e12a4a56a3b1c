//! Properties of positions and of the patterns learned from them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use kibitz_board::{
    Bitboard, CastlingMode, Chess, Color, FromSetup, Piece, Position as _, PositionError, Role,
    Setup, Square,
};
use kibitz_pal::{
    Change, ConnectedBy, Domain, Example, Judgement, KeepComponents, Novelty, PalError, PalParams,
    Teacher, Verdict, subsumes_relative_to,
};
use kibitz_patterns::relations::Positions;
use kibitz_patterns::{
    ChessConstants, ChessDomain, Concept, ConceptDomain, Position, PreparedConcept,
};
use kibitz_prolog::{Clause, Constant, Direction, SymbolTable, print_clause, read_clauses};
use proptest::prelude::*;

/// A concept that holds everywhere, so that agreement with it tells whether a clause holds.
const EVERYWHERE: &str = "everywhere(Pos) :- contents(_, _, _, Pos).";

fn everywhere(dynamic: bool) -> PreparedConcept {
    let text = format!(
        r#"
        name = "everywhere"
        dynamic = {dynamic}
        examples = ["contents(white, king, square(1,1)). contents(black, king, square(8,8))."]
        background = ["other_side", "sliding_piece", "in_check", "check_mate", "legal_move", "stale", "line"]
        "#
    );
    let concept: Concept = toml::from_str(&text).expect("a concept");
    concept.prepare(EVERYWHERE, true).expect("sound")
}

fn chess(prepared: &PreparedConcept) -> &ChessDomain {
    match prepared.domain() {
        ConceptDomain::Chess(chess) => chess,
        ConceptDomain::Placement(_) => panic!("a concept of chess"),
    }
}

/// Classifies every example as positive and accepts every definition.
struct Credulous;

impl Teacher for Credulous {
    fn classify(&mut self, _: &Example, _: Constant, _: &Change) -> Result<Verdict, PalError> {
        Ok(Verdict::Positive)
    }

    fn judge(&mut self, _: &Clause) -> Result<Judgement, PalError> {
        Ok(Judgement::Accept)
    }
}

/// The definition from these examples.
fn pattern(prepared: &PreparedConcept, params: PalParams, examples: &[Example]) -> Clause {
    let learned = prepared
        .learn_from_given(examples, params, &mut Credulous)
        .expect("nothing is refused");
    learned.unreduced[0].clone()
}

/// Whether a definition holds in all these examples.
fn holds(prepared: &PreparedConcept, definition: &Clause, examples: &[Example]) -> bool {
    let definition = std::slice::from_ref(definition);
    let found = prepared
        .compare_on(definition, prepared.target(), examples.iter().cloned())
        .expect("provable");
    found.agreed() == found.n_positions
}

type Pieces = Vec<(Square, Piece)>;

fn squares(n: usize) -> impl Strategy<Value = Vec<Square>> {
    proptest::sample::subsequence(Square::ALL.to_vec(), n).prop_shuffle()
}

fn piece(roles: &'static [Role]) -> impl Strategy<Value = Piece> {
    (proptest::sample::select(roles), any::<bool>()).prop_map(|(role, white)| Piece {
        role,
        color: Color::from_white(white),
    })
}

const PIECES: &[Role] = &[
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
];
const OFFICERS: &[Role] = &[Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Two kings and `n` other pieces anywhere, legal or not.
fn placements(n: usize, roles: &'static [Role]) -> impl Strategy<Value = Pieces> {
    let others = proptest::collection::vec(piece(roles), n);
    (squares(n + 2), others).prop_map(|(squares, others)| {
        let kings = [Color::White, Color::Black].map(|color| Role::King.of(color));
        squares
            .into_iter()
            .zip(kings.into_iter().chain(others))
            .collect()
    })
}

/// Legal placements.
fn legal(n: usize) -> impl Strategy<Value = Pieces> {
    placements(n, PIECES).prop_filter("legal", |pieces| {
        let mut symbols = SymbolTable::new();
        let positions = Arc::new(Positions::new(ChessConstants::new(&mut symbols)));
        let places = kibitz_patterns::Places::Squares;
        let domain = ChessDomain::new(positions, &mut symbols, &[], true, places);
        domain.is_legal(&example(&domain, pieces))
    })
}

fn example(domain: &ChessDomain, pieces: &Pieces) -> Example {
    let component = |&(square, piece): &(Square, Piece)| domain.names().component(square, piece);
    pieces.iter().map(component).collect()
}

/// The relation's tuples in a position, without it.
fn tuples(name: &str, position: &Position) -> BTreeSet<Vec<Constant>> {
    let mut symbols = SymbolTable::new();
    let positions = Arc::new(Positions::new(ChessConstants::new(&mut symbols)));
    let number = positions.number(position.clone());
    let relations = positions.relations(&mut symbols);
    let relation = (relations.iter())
        .find(|relation| symbols.name(relation.signature().predicate.name) == name)
        .expect("a relation");
    let mut args = vec![None; relation.signature().predicate.arity];
    let state = args.len() - 1;
    args[state] = Some(number);
    let mut found = BTreeSet::new();
    relation
        .solve(&args, &mut |tuple| {
            found.insert(tuple[..state].to_vec());
            ControlFlow::Continue(())
        })
        .expect("a position");
    found
}

/// The position with a side to move, by the rules of chess; `None` if its opponent is in check.
fn by_the_rules(pieces: &Pieces, turn: Color) -> Option<Chess> {
    let mut setup = Setup::empty();
    setup.turn = turn;
    for &(square, piece) in pieces {
        setup.board.set_piece_at(square, piece);
    }
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// Parameters for which the properties hold.
const READINGS: usize = 8;

fn reading(prepared: &PreparedConcept, number: usize) -> PalParams {
    PalParams {
        novelty: [Novelty::Predicate, Novelty::Components][number & 1],
        connected_by: [ConnectedBy::Variables, ConnectedBy::Arguments][number >> 1 & 1],
        keep: [KeepComponents::All, KeepComponents::Connected][number >> 2],
        max_clauses: 1,
        ..prepared.params()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_generalization_covers_its_parents(
        a in legal(2),
        b in legal(2),
        dynamic: bool,
        reading in 0..READINGS,
    ) {
        let prepared = everywhere(dynamic);
        let [a, b] = [a, b].map(|pieces| example(chess(&prepared), &pieces));
        let params = self::reading(&prepared, reading);
        let parents = [&a, &b].map(|own| pattern(&prepared, params, std::slice::from_ref(own)));
        let both = [a.clone(), b.clone()];
        let general = pattern(&prepared, params, &both);
        for (parent, own) in parents.iter().zip(&both) {
            prop_assert!(holds(&prepared, parent, std::slice::from_ref(own)));
            prop_assert!(subsumes_relative_to(&general, parent, &[]));
        }
        prop_assert!(holds(&prepared, &general, &both));
    }

    #[test]
    fn printed_definitions_read_back(a in legal(2), b in legal(2), dynamic: bool) {
        let prepared = everywhere(dynamic);
        let both = [a, b].map(|pieces| example(chess(&prepared), &pieces));
        let learned = prepared
            .learn_from_given(&both, prepared.params(), &mut Credulous)
            .expect("nothing is refused");
        let mut symbols = prepared.symbols().clone();
        for clause in learned.clauses.iter().chain(&learned.unreduced) {
            let text = print_clause(clause, &symbols).to_string();
            let read = read_clauses(&text, &mut symbols).expect("Prolog");
            prop_assert_eq!(&read, std::slice::from_ref(clause), "{}", text);
        }
    }

    #[test]
    fn exchanging_sides_twice_changes_nothing(pieces in placements(3, PIECES)) {
        let prepared = everywhere(false);
        let domain = chess(&prepared);
        let first = example(domain, &pieces);
        let (second, attribute) = domain.exchanged(&first).expect("sides can be exchanged");
        prop_assert_eq!(attribute, 0);
        prop_assert_ne!(&first, &second);
        prop_assert_eq!(first, domain.exchanged(&second).expect("again").0);
    }

    #[test]
    fn mirror_images_are_as_legal(pieces in placements(2, OFFICERS)) {
        let prepared = everywhere(false);
        let domain = chess(&prepared);
        let first = example(domain, &pieces);
        for mirrored in domain.mirrored(&first) {
            prop_assert_eq!(domain.is_legal(&first), domain.is_legal(&mirrored));
        }
    }

    #[test]
    fn known_arguments_choose_among_the_tuples(
        few in placements(2, OFFICERS),
        many in placements(6, OFFICERS),
    ) {
        let mut symbols = SymbolTable::new();
        let positions = Arc::new(Positions::new(ChessConstants::new(&mut symbols)));
        let relations = positions.relations(&mut symbols);
        for position in [few, many].map(Position::new) {
            let number = positions.number(position.clone());
            prop_assert_eq!(positions.get(number), Some(position));
            for relation in &relations {
                let mode = relation.signature().modes[0].iter();
                let open: Vec<Option<Constant>> = mode
                    .map(|direction| (*direction == Direction::In).then_some(number))
                    .collect();
                let ask = |args: &[Option<Constant>]| {
                    let mut found = Vec::new();
                    let agrees = |tuple: &[Constant]| {
                        let mut places = args.iter().zip(tuple);
                        places.all(|(arg, own)| arg.is_none_or(|arg| arg == *own))
                    };
                    let solved = relation.solve(args, &mut |tuple| {
                        found.extend(agrees(tuple).then(|| tuple.to_vec()));
                        ControlFlow::Continue(())
                    });
                    solved.map(|()| found)
                };
                let all = ask(&open).expect("a position");
                for tuple in &all {
                    for place in 0..open.len() {
                        let mut args = open.clone();
                        args[place] = Some(tuple[place]);
                        let mut chosen = all.clone();
                        chosen.retain(|own| own[place] == tuple[place]);
                        prop_assert_eq!(ask(&args).expect("a position"), chosen);
                    }
                }
            }
        }
    }

    #[test]
    fn the_relations_are_the_rules_of_chess(pieces in legal(4)) {
        let names = ChessConstants::new(&mut SymbolTable::new());
        let position = Position::new(pieces.iter().copied());
        let target = |to| names.component(to, Role::King.of(Color::White))[2..].to_vec();
        let mut met = 0;
        for turn in Color::ALL {
            let Some(rules) = by_the_rules(&pieces, turn) else {
                continue;
            };
            met += 1;
            let own = |tuples: BTreeSet<Vec<Constant>>| -> BTreeSet<Vec<Constant>> {
                tuples.into_iter().filter(|tuple| tuple[0] == names.side(turn)).collect()
            };
            let mover = |from: Square| {
                let piece = rules.board().piece_at(from).expect("a piece moves");
                names.component(from, piece)
            };
            let legal: BTreeSet<(Square, Square)> = (rules.legal_moves().iter())
                .map(|m| (m.from().expect("no drops"), m.to()))
                .collect();
            let moves: BTreeSet<Vec<Constant>> = (legal.iter())
                .map(|&(from, to)| [mover(from), target(to)].concat())
                .collect();
            prop_assert_eq!(&own(tuples("legal_move", &position)), &moves);
            // A move changes the position unless the other king is in check.
            for &(from, piece) in &pieces {
                let may = piece.color == turn || !rules.is_check();
                let moves = if may { position.legal_moves(from) } else { Bitboard::EMPTY };
                prop_assert_eq!(position.moves(from), moves);
            }
            let stale: BTreeSet<Vec<Constant>> = (pieces.iter())
                .filter(|(from, piece)| {
                    piece.color == turn && !legal.iter().any(|(own, _)| own == from)
                })
                .map(|&(from, _)| mover(from))
                .collect();
            prop_assert_eq!(own(tuples("stale", &position)), stale);
            let king = rules.board().king_of(turn).expect("a king");
            let checks: BTreeSet<Vec<Constant>> = (rules.checkers().into_iter())
                .map(|checker| {
                    let [side, _, file, rank] = mover(king)[..] else { unreachable!() };
                    [vec![side, file, rank], mover(checker)[1..].to_vec()].concat()
                })
                .collect();
            prop_assert_eq!(own(tuples("in_check", &position)), checks);
            let mated = rules.is_check() && !legal.iter().any(|(from, _)| *from == king);
            prop_assert_eq!(own(tuples("check_mate", &position)).len(), usize::from(mated));
        }
        prop_assert!(met > 0, "one side may move");
    }
}

/// A concept learned from reflected instances with an oracle, twice.
#[test]
fn the_same_input_gives_the_same_steps() {
    let text = r#"
        name = "fork"
        examples = ["contents(black,king,square(3,4)). contents(black,queen,square(3,6)). contents(white,king,square(6,7)). contents(white,knight,square(1,5))."]
        background = ["other_side", "sliding_piece", "in_check", "legal_move"]
    "#;
    let targets = include_str!("../../concepts/pal.pl");
    let concept: Concept = toml::from_str(text).expect("a concept");
    let learn = || {
        let prepared = concept.prepare(targets, true).expect("sound");
        let params = PalParams {
            max_level: 1,
            ..prepared.params()
        };
        let instances = prepared.domain().mirrored(&prepared.examples()[0]);
        let learned = instances.iter().take(3).map(|instance| {
            let examples = std::slice::from_ref(instance);
            prepared.learn_starting_with(examples, params, &mut prepared.oracle())
        });
        learned.collect::<Result<Vec<_>, _>>().expect("learned")
    };
    let first = learn();
    assert_eq!(first.len(), 3);
    assert!(first.iter().all(|learned| !learned.steps.is_empty()));
    assert_eq!(first, learn());
}
