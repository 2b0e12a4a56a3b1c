//! The domains of PAL over chess positions and placements of pieces.

use std::sync::Arc;

use kibitz_board::Role;
use kibitz_pal::{Attribute, Component, ComponentDomain, Domain, Example};
use kibitz_prolog::{Atom, Constant, NativeRelation, SymbolTable, Term};

use crate::relations::Positions;
use crate::{ChessConstants, Position};

/// An axis of reflection of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Axis {
    /// Ranks are exchanged: the first with the eighth.
    Horizontal,
    /// Files are exchanged: the a-file with the h-file.
    Vertical,
    /// Files and ranks are exchanged.
    Diagonal,
}

impl Axis {
    /// All three.
    pub const ALL: [Axis; 3] = [Axis::Horizontal, Axis::Vertical, Axis::Diagonal];

    fn reflect(self, [file, rank]: [i64; 2]) -> [i64; 2] {
        match self {
            Axis::Horizontal => [file, 9 - rank],
            Axis::Vertical => [9 - file, rank],
            Axis::Diagonal => [rank, file],
        }
    }
}

/// The other examples of the orbit under reflections in the axes: up to seven.
fn reflections(example: &[Component], axes: &[Axis], [file, rank]: [usize; 2]) -> Vec<Example> {
    let mut found: Vec<Example> = vec![example.to_vec()];
    for axis in axes {
        for i in 0..found.len() {
            let mut reflected = found[i].clone();
            for component in &mut reflected {
                if let (Constant::Int(f), Constant::Int(r)) = (component[file], component[rank]) {
                    let [f, r] = axis.reflect([f, r]);
                    component[file] = Constant::Int(f);
                    component[rank] = Constant::Int(r);
                }
            }
            if !found.contains(&reflected) {
                found.push(reflected);
            }
        }
    }
    found.split_off(1)
}

/// The example shifted in all other ways in which it stays on the board.
///
/// # Source
/// Morales 1992, section 6.4.2.3.
fn translations(example: &[Component], places: [usize; 2]) -> Vec<Example> {
    let shifted = |shift: [i64; 2]| -> Option<Example> {
        let moved = example.iter().map(|component| {
            let mut component = component.clone();
            for (place, by) in places.into_iter().zip(shift) {
                if let Constant::Int(at) = component[place] {
                    component[place] = Constant::Int(at + by);
                    if !(1..=8).contains(&(at + by)) {
                        return None;
                    }
                }
            }
            Some(component)
        });
        moved.collect()
    };
    let shifts = (-7..8).flat_map(|files| (-7..8).map(move |ranks| [files, ranks]));
    let shifts = shifts.filter(|shift| *shift != [0, 0]);
    shifts.filter_map(shifted).collect()
}

fn one_to_eight() -> Vec<Constant> {
    (1..=8).map(Constant::Int).collect()
}

fn attribute(name: &str, values: Vec<Constant>) -> Attribute {
    Attribute {
        name: name.to_owned(),
        values,
    }
}

/// Chess positions described by `contents(Side, Piece, square(File, Rank), Pos)`.
///
/// # Source
/// Morales 1992, sections 5.1.1, 5.3.1 and 6.3, appendix G.
#[derive(Debug)]
pub struct ChessDomain {
    positions: Arc<Positions>,
    attributes: Vec<Attribute>,
    description: Atom,
    axes: Vec<Axis>,
    /// Whether positions that are shifted count as symmetric, too.
    translations: bool,
    /// Whether positions need both kings.
    kings: bool,
    places: Places,
}

/// How perturbation changes the square of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Places {
    /// As one argument with 64 values (section 6.3).
    #[default]
    Squares,
    /// As two arguments with 8 values each (appendix A).
    Coordinates,
}

/// Which attributes of pieces perturbation changes.
///
/// # Source
/// Morales 1992, section 5.5: the user "provides the particular domains of the arguments used to
/// describe the examples".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Changes {
    /// Side, piece and square.
    #[default]
    All,
    /// Side and square.
    PlacesAndSides,
    /// The square alone (appendix F).
    Places,
}

const SIDE: usize = 0;
const PIECE: usize = 1;
const FILE: usize = 2;
const RANK: usize = 3;

impl ChessDomain {
    /// The domain; with `kings`, only positions with both kings are legal.
    pub fn new(
        positions: Arc<Positions>,
        symbols: &mut SymbolTable,
        axes: &[Axis],
        kings: bool,
        places: Places,
    ) -> Self {
        let names = positions.names().clone();
        let place = Term::compound(symbols.intern("square"), [Term::var(2), Term::var(3)]);
        let description = Atom::new(
            symbols.intern("contents"),
            [Term::var(0), Term::var(1), place, Term::var(4)],
        );
        Self {
            attributes: vec![
                attribute("side", names.all_sides()),
                attribute("piece", names.all_roles()),
                attribute("file", one_to_eight()),
                attribute("rank", one_to_eight()),
            ],
            positions,
            description,
            axes: axes.to_vec(),
            translations: false,
            kings,
            places,
        }
    }

    /// The domain in which shifted positions are symmetric, too.
    #[must_use]
    pub(crate) fn with_translations(mut self, translations: bool) -> Self {
        self.translations = translations;
        self
    }

    /// The domain with perturbation restricted to some attributes.
    #[must_use]
    pub(crate) fn with_changes(mut self, changes: Changes) -> Self {
        let fixed: &[usize] = match changes {
            Changes::All => &[],
            Changes::PlacesAndSides => &[PIECE],
            Changes::Places => &[SIDE, PIECE],
        };
        for &attribute in fixed {
            self.attributes[attribute].values.clear();
        }
        self
    }

    /// The constants of sides and pieces.
    pub fn names(&self) -> &ChessConstants {
        self.positions.names()
    }

    /// The number of a position in the relations.
    pub(crate) fn number(&self, position: Position) -> Constant {
        self.positions.number(position)
    }

    /// The position that an example describes, without components that describe no piece.
    pub fn position(&self, example: &[Component]) -> Position {
        Position::new(example.iter().filter_map(|c| self.names().piece(c)))
    }
}

impl Domain for ChessDomain {
    fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    fn key(&self) -> &[usize] {
        &[FILE, RANK]
    }

    fn description(&self) -> &Atom {
        &self.description
    }

    fn state(&self, example: &[Component]) -> Constant {
        self.positions.number(self.position(example))
    }

    fn arguments(&self) -> Vec<Vec<usize>> {
        match self.places {
            Places::Squares => vec![vec![SIDE], vec![PIECE], vec![FILE, RANK]],
            Places::Coordinates => vec![vec![SIDE], vec![PIECE], vec![FILE], vec![RANK]],
        }
    }

    /// No two pieces on one square, no pawn on the first or last rank, one king on each side (at
    /// most one where kings may be missing), the kings apart, and not both in check.
    ///
    /// The thesis names the first conditions and "etc."; the others are ours.
    fn is_legal(&self, example: &[Component]) -> bool {
        let position = self.position(example);
        let board = position.board();
        let kings = |color| (board.by_color(color) & board.kings()).count();
        let [white, black] = [kibitz_board::Color::White, kibitz_board::Color::Black].map(kings);
        let apart = match (
            board.king_of(kibitz_board::Color::White),
            board.king_of(kibitz_board::Color::Black),
        ) {
            (Some(a), Some(b)) => a.distance(b) > 1,
            _ => true,
        };
        board.occupied().count() == example.len()
            && board
                .by_role(Role::Pawn)
                .is_disjoint(kibitz_board::Bitboard::BACKRANKS)
            && white <= 1
            && black <= 1
            && (!self.kings || white + black == 2)
            && apart
            && (position.checkers(kibitz_board::Color::White).is_empty()
                || position.checkers(kibitz_board::Color::Black).is_empty())
    }

    fn exchanged(&self, example: &[Component]) -> Option<(Example, usize)> {
        if self.attributes[SIDE].values.is_empty() {
            return None;
        }
        let exchanged = example
            .iter()
            .map(|component| {
                let mut component = component.clone();
                if let Some((_, piece)) = self.names().piece(&component) {
                    component[SIDE] = self.names().side(!piece.color);
                }
                component
            })
            .collect();
        Some((exchanged, SIDE))
    }

    fn mirrored(&self, example: &[Component]) -> Vec<Example> {
        let mut found = reflections(example, &self.axes, [FILE, RANK]);
        if self.translations {
            let of = |own: &Example| translations(own, [FILE, RANK]);
            let shifted = of(&example.to_vec()).into_iter();
            let shifted: Vec<_> = shifted.chain(found.iter().flat_map(of)).collect();
            found.extend(shifted);
        }
        found
    }
}

/// Placements of named pieces, described by `piece(Name, File, Rank, Pos)`. Only their squares change,
/// and several may share one.
///
/// # Source
/// Morales 1992, sections 6.1 and 6.2.1.
#[derive(Debug)]
pub struct PlacementDomain {
    /// Every combination of pieces is a state; only legality and symmetry differ.
    pieces: ComponentDomain,
    axes: Vec<Axis>,
}

impl PlacementDomain {
    /// A domain without states.
    pub(crate) fn new(symbols: &mut SymbolTable, axes: &[Axis]) -> Self {
        let attributes = vec![
            attribute("piece", Vec::new()),
            attribute("file", one_to_eight()),
            attribute("rank", one_to_eight()),
        ];
        Self {
            pieces: ComponentDomain::new("piece", attributes, &[1, 2], &[], symbols),
            axes: axes.to_vec(),
        }
    }

    /// `piece(Name, File, Rank, Pos)`.
    pub(crate) fn relation(&self) -> Arc<dyn NativeRelation> {
        self.pieces.relation()
    }
}

impl Domain for PlacementDomain {
    fn attributes(&self) -> &[Attribute] {
        self.pieces.attributes()
    }

    fn key(&self) -> &[usize] {
        self.pieces.key()
    }

    fn description(&self) -> &Atom {
        self.pieces.description()
    }

    fn state(&self, example: &[Component]) -> Constant {
        self.pieces.state(example)
    }

    fn is_legal(&self, _: &[Component]) -> bool {
        true
    }

    fn mirrored(&self, example: &[Component]) -> Vec<Example> {
        reflections(example, &self.axes, [1, 2])
    }
}
