//! Retrograde analysis: the distance to mate of every position of small endgames.
//!
//! # Examples
//! ```
//! use kibitz_board::{CastlingMode, Chess, fen::Fen};
//! use kibitz_search::retrograde::{Tablebase, Value};
//!
//! let tables = Tablebase::new(["KRvK".parse()?]);
//! let fen: Fen = "8/8/8/8/8/8/1k6/R2K4 b - - 0 1".parse()?;
//! let position: Chess = fen.into_position(CastlingMode::Standard)?;
//! // The king takes the rook.
//! assert_eq!(tables.value(&position), Some(Value::Drawn));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;

use kibitz_board::{Chess, Endgame, Move, Position};

use crate::adjacency::Adjacency;
use crate::backward_induction::{Decide, Induction};

/// Value of a position under best play, for the side to move. Draws by repetition and by the
/// fifty-move rule are left aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// It mates in this many plies, against the longest resistance.
    Won(u16),
    /// Neither side can force mate.
    Drawn,
    /// It is mated in this many plies; 0 if it is.
    Lost(u16),
}

impl Value {
    /// The value for the other side of the position before a move that leads to this one.
    fn before(self) -> Value {
        match self {
            Value::Won(plies) => Value::Lost(plies + 1),
            Value::Drawn => Value::Drawn,
            Value::Lost(plies) => Value::Won(plies + 1),
        }
    }

    /// A number that orders values by how good they are for the side to move.
    fn rank(self) -> i32 {
        match self {
            Value::Won(plies) => 1_000_000 - i32::from(plies),
            Value::Drawn => 0,
            Value::Lost(plies) => i32::from(plies) - 1_000_000,
        }
    }
}

/// The endgame table of one endgame: the values of all its positions.
#[derive(Clone, Debug)]
pub struct Table {
    endgame: Endgame,
    /// By the position's index, packed as by [`PackedValue`].
    values: Vec<i16>,
}

/// How values are stored: 0 drawn, n won in n plies, -n - 1 lost in n plies.
struct PackedValue;

impl PackedValue {
    /// No such position.
    const NONE: i16 = i16::MIN;

    fn pack(value: Value) -> i16 {
        let signed = |plies: u16| i16::try_from(plies).expect("endgames end within 32,767 plies");
        match value {
            Value::Won(plies) => signed(plies),
            Value::Drawn => 0,
            Value::Lost(plies) => -signed(plies) - 1,
        }
    }

    fn unpack(packed: i16) -> Option<Value> {
        match packed {
            PackedValue::NONE => None,
            0 => Some(Value::Drawn),
            1.. => Some(Value::Won(packed.unsigned_abs())),
            _ => Some(Value::Lost(packed.unsigned_abs() - 1)),
        }
    }
}

impl Table {
    /// Analyzes an endgame from its mates and from the values of the endgames that it converts to.
    fn build(endgame: &Endgame, smaller: &Tablebase) -> Table {
        let analysis = Analysis::of(endgame, smaller);
        let mut values = vec![PackedValue::NONE; endgame.n_indices()];
        for (&index, value) in analysis.indices.iter().zip(&analysis.values) {
            values[index] = PackedValue::pack(value.unwrap_or(Value::Drawn));
        }
        Table {
            endgame: endgame.clone(),
            values,
        }
    }

    /// The endgame.
    pub fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    /// Value of a position; `None` if it is not of this endgame.
    pub fn value(&self, position: &Chess) -> Option<Value> {
        PackedValue::unpack(self.values[self.endgame.index_of(position)?])
    }

    /// Every position, one of those alike up to symmetry, with its value; the stronger side is White.
    pub fn positions(&self) -> impl Iterator<Item = (Chess, Value)> {
        self.values
            .iter()
            .enumerate()
            .filter_map(|(index, &packed)| {
                Some((self.endgame.position(index)?, PackedValue::unpack(packed)?))
            })
    }

    /// The values alone, in the order of [`Table::positions`].
    pub fn values(&self) -> impl Iterator<Item = Value> {
        self.values.iter().copied().filter_map(PackedValue::unpack)
    }
}

/// Tables of endgames and of all that they can convert to.
#[derive(Clone, Debug, Default)]
pub struct Tablebase {
    tables: BTreeMap<Endgame, Table>,
}

impl Tablebase {
    /// Builds the tables of these endgames, and those of the endgames they convert to.
    pub fn new(endgames: impl IntoIterator<Item = Endgame>) -> Tablebase {
        let mut tablebase = Tablebase::default();
        for endgame in endgames {
            tablebase.add(&endgame);
        }
        tablebase
    }

    fn add(&mut self, endgame: &Endgame) {
        if self.tables.contains_key(endgame) {
            return;
        }
        for smaller in endgame.conversions() {
            self.add(&smaller);
        }
        let table = Table::build(endgame, self);
        self.tables.insert(endgame.clone(), table);
    }

    /// The table of an endgame, if it was built.
    pub fn table(&self, endgame: &Endgame) -> Option<&Table> {
        self.tables.get(endgame)
    }

    /// Value of a position; `None` if no table has it.
    pub fn value(&self, position: &Chess) -> Option<Value> {
        self.tables.values().find_map(|table| table.value(position))
    }

    /// The moves of a position with their values for the side to move, the best first; `None` if no
    /// table has the position.
    pub fn moves(&self, position: &Chess) -> Option<Vec<(Move, Value)>> {
        let mut moves = Vec::new();
        for m in position.legal_moves() {
            let mut next = position.clone();
            next.play_unchecked(m);
            moves.push((m, self.value(&next)?.before()));
        }
        moves.sort_by_key(|(_, value)| -value.rank());
        Some(moves)
    }
}

/// One endgame under analysis: a node for each position, in the order of the indices.
struct Analysis {
    indices: Vec<usize>,
    values: Vec<Option<Value>>,
    /// Moves of each position that are not known to lose: the out-degree, counted down.
    open_moves: Vec<u8>,
}

impl Decide for Analysis {
    /// A move's value for the side that makes it.
    type Value = Value;

    fn value(&mut self, node: u32) -> Value {
        let value = self.values[node as usize];
        value.unwrap_or(Value::Drawn).before()
    }

    /// A position has the value of the first move that wins, which is the shortest win, or else of
    /// the last one that loses, which is the longest resistance.
    fn arrive(&mut self, node: u32, of_move: Value) -> Option<u32> {
        let own = &mut self.values[node as usize];
        if own.is_some() {
            return None;
        }
        let is_decided = match of_move {
            Value::Won(_) => true,
            Value::Drawn => false,
            Value::Lost(_) => {
                let open_moves = &mut self.open_moves[node as usize];
                *open_moves -= 1;
                *open_moves == 0
            }
        };
        is_decided.then(|| {
            *own = Some(of_move);
            node
        })
    }
}

impl Analysis {
    /// Settles every position of an endgame that is won or lost.
    fn of(endgame: &Endgame, smaller: &Tablebase) -> Analysis {
        let positions: Vec<(usize, Chess)> = endgame.positions().collect();
        let mut nodes = vec![u32::MAX; endgame.n_indices()];
        for (node, (index, _)) in (0..).zip(&positions) {
            nodes[*index] = node;
        }
        let mut analysis = Analysis {
            indices: positions.iter().map(|(index, _)| *index).collect(),
            values: vec![None; positions.len()],
            open_moves: vec![0; positions.len()],
        };
        // Edges from a position to one before it.
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut ends: Vec<(u16, u32, Value)> = Vec::new();
        for (node, (_, position)) in (0..).zip(&positions) {
            let moves = position.legal_moves();
            let open_moves = &mut analysis.open_moves[node as usize];
            *open_moves = u8::try_from(moves.len()).expect("four men have at most 218 moves");
            if moves.is_empty() {
                if position.is_check() {
                    // As if there were one move, and it had lost.
                    *open_moves = 1;
                    ends.push((0, node, Value::Lost(0)));
                } else {
                    analysis.values[node as usize] = Some(Value::Drawn);
                }
            }
            for m in moves {
                let mut next = position.clone();
                next.play_unchecked(m);
                if let Some(index) = endgame.index_of(&next) {
                    edges.push((nodes[index], node));
                    continue;
                }
                let value = smaller.value(&next).map_or(Value::Drawn, Value::before);
                if let Value::Won(plies) | Value::Lost(plies) = value {
                    ends.push((plies, node, value));
                }
            }
        }
        drop(positions);
        let predecessors = Adjacency::from_edges(analysis.values.len(), || edges.iter().copied());
        drop(edges);
        Induction::by_distance(&predecessors, &mut analysis, ends);
        analysis
    }
}

#[cfg(test)]
mod tests {
    use kibitz_board::{
        CastlingMode, Color, File, FromSetup, Piece, Rank, Role, Setup, Square, fen::Fen,
    };
    use proptest::prelude::*;

    use super::*;
    use crate::{game::never, mates::MateSolver};

    fn tablebase(text: &str) -> (Tablebase, Endgame) {
        let endgame: Endgame = text.parse().unwrap();
        (Tablebase::new([endgame.clone()]), endgame)
    }

    fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().unwrap();
        fen.into_position(CastlingMode::Standard).unwrap()
    }

    /// Longest win of the side to move with the material, in moves.
    fn longest(text: &str) -> u16 {
        let (tables, endgame) = tablebase(text);
        let values = tables.table(&endgame).unwrap().values();
        let wins = values.filter_map(|value| match value {
            Value::Won(plies) => Some(plies.div_ceil(2)),
            _ => None,
        });
        wins.max().unwrap()
    }

    #[test]
    fn the_longest_wins_are_the_known_ones() {
        assert_eq!(longest("KRvK"), 16);
        assert_eq!(longest("KQvK"), 10);
        assert_eq!(longest("KPvK"), 28);
    }

    fn placed(turn: Color, men: [(Square, Piece); 3]) -> Option<Chess> {
        let mut setup = Setup::empty();
        setup.turn = turn;
        for (square, piece) in men {
            setup.board.set_piece_at(square, piece);
        }
        if setup.board.occupied().count() < 3 {
            return None;
        }
        Chess::from_setup(setup, CastlingMode::Standard).ok()
    }

    /// With Black to move, the 28,056 positions of the King-Rook-King data set of the UCI repository
    /// (M. Bain, A. Hoff 1994) with its counts by the depth of the win.
    #[test]
    fn rook_against_king_has_the_known_distances() {
        let (tables, endgame) = tablebase("KRvK");
        let mut draws = 0;
        let mut by_moves = [0; 17];
        for (position, value) in tables.table(&endgame).unwrap().positions() {
            match value {
                _ if position.turn() == Color::White => {}
                Value::Drawn => draws += 1,
                Value::Lost(plies) => by_moves[usize::from(plies) / 2] += 1,
                Value::Won(_) => panic!("{position:?}"),
            }
        }
        assert_eq!(draws, 2796);
        assert_eq!(
            by_moves,
            [
                27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553,
                2166, 390
            ]
        );
    }

    #[test]
    fn pawn_against_king_is_won_as_often_as_known() {
        let (tables, _) = tablebase("KPvK");
        let mut wins = [0; 2];
        for pawn in Square::ALL {
            if pawn.file() > File::D || [Rank::First, Rank::Eighth].contains(&pawn.rank()) {
                continue;
            }
            for white in Square::ALL {
                for black in Square::ALL {
                    let men = [
                        (white, Role::King.of(Color::White)),
                        (black, Role::King.of(Color::Black)),
                        (pawn, Role::Pawn.of(Color::White)),
                    ];
                    for turn in Color::ALL {
                        let Some(position) = placed(turn, men) else {
                            continue;
                        };
                        let value = tables.value(&position).unwrap();
                        wins[turn as usize] += usize::from(value != Value::Drawn);
                    }
                }
            }
        }
        assert_eq!(wins.iter().sum::<usize>(), 111_282, "{wins:?}");
    }

    #[test]
    fn textbook_positions_have_their_values() {
        let (tables, _) = tablebase("KPvK");
        let value = |fen: &str| tables.value(&position(fen)).unwrap();
        // The opposition decides.
        assert_eq!(value("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1").rank().signum(), -1);
        assert_eq!(value("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1"), Value::Drawn);
        assert_eq!(value("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"), Value::Drawn);
        assert_eq!(value("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1").rank().signum(), -1);
        // A rook's pawn does not win with the king in its corner.
        assert_eq!(value("k7/8/K7/P7/8/8/8/8 w - - 0 1"), Value::Drawn);
        // Promoted and mated: 1. a8=Q mate; the colors exchanged.
        assert_eq!(value("8/P1K5/8/k7/8/8/8/8 w - - 0 1").rank().signum(), 1);
        assert_eq!(
            value("8/P1K5/8/k7/8/8/8/8 w - - 0 1"),
            value("8/8/8/8/K7/8/p1k5/8 b - - 0 1")
        );
    }

    #[test]
    fn best_moves_come_first() {
        let (tables, _) = tablebase("KRvK");
        let moves = tables
            .moves(&position("7k/8/5K2/8/8/8/8/6R1 w - - 0 1"))
            .unwrap();
        assert_eq!(moves[0].0.to_string(), "Kf6-f7");
        assert_eq!(moves[0].1, Value::Won(3));
        assert!(
            moves
                .iter()
                .all(|(_, value)| value.rank() <= Value::Won(3).rank())
        );
        assert_eq!(tables.moves(&Chess::default()), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn short_wins_are_what_exhaustive_search_finds(number in any::<prop::sample::Index>()) {
            use std::sync::OnceLock;
            static TABLES: OnceLock<(Tablebase, Vec<Chess>)> = OnceLock::new();
            let (tables, short) = TABLES.get_or_init(|| {
                let (tables, endgame) = tablebase("KRvK");
                let table = tables.table(&endgame).unwrap();
                let short = table.positions().filter(|(position, value)| {
                    position.turn() == Color::White && value.rank() >= Value::Won(7).rank()
                });
                let short = short.map(|(position, _)| position).collect();
                (tables, short)
            });
            let position = number.get(short);
            let Some(Value::Won(plies)) = tables.value(position) else {
                return Err(TestCaseError::fail("won"));
            };
            let mate = MateSolver::default().solve(position, 4, &mut never).unwrap().unwrap();
            prop_assert_eq!(u32::from(plies.div_ceil(2)), mate.n_moves);
            let best: Vec<Move> = tables.moves(position).unwrap().into_iter()
                .filter(|(_, value)| *value == Value::Won(plies))
                .map(|(m, _)| m)
                .collect();
            prop_assert_eq!(best.len(), mate.first_moves.len());
            prop_assert!(best.iter().all(|m| mate.first_moves.contains(m)));
        }
    }
}
