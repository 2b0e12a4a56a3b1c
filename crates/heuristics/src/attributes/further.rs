//! Attributes beyond the paper's four, computed from the position.

use kibitz_board::{AttackMap, Board, Chess, Color, Position as _, Role};

use super::{
    Attribute,
    ahead::ahead,
    development::{at_home, castling_rights},
    exchanges,
    king_safety::{check, king_attack, shelter},
    pawn_structure::{advance, doubled, isolated, passed},
    placement::{bishop_pair, centrality, rook_files},
};

/// A position seen by a player.
pub(super) struct PlayerPosition<'a> {
    position: &'a Chess,
    player: Color,
    /// Computed on first use.
    attacks: Option<AttackMap>,
}

impl<'a> PlayerPosition<'a> {
    pub(super) fn new(position: &'a Chess, player: Color) -> Self {
        Self {
            position,
            player,
            attacks: None,
        }
    }

    /// The player's value minus the opponent's; 0 for the paper's attributes.
    pub(super) fn balance(&mut self, attribute: Attribute) -> i16 {
        let (position, player) = (self.position, self.player);
        let board = position.board();
        let balance = |of: &dyn Fn(Color) -> i16| of(player) - of(!player);
        let on_board = |of: fn(&Board, Color) -> i16| balance(&|color| of(board, color));
        let place = |role| balance(&|color| centrality(board, color, role));
        match attribute {
            Attribute::Material
            | Attribute::Mobility
            | Attribute::CenterControl
            | Attribute::Attacks => 0,
            Attribute::PassedPawns => on_board(passed),
            Attribute::IsolatedPawns => on_board(isolated),
            Attribute::DoubledPawns => on_board(doubled),
            Attribute::PawnAdvance => on_board(advance),
            Attribute::KingShelter => on_board(shelter),
            Attribute::KingAttack => {
                let attacks = self.attacks();
                balance(&|color| king_attack(board, attacks, color))
            }
            Attribute::Check => balance(&|color| check(position, color)),
            Attribute::EnPrise => self.best_exchange(position.turn()),
            Attribute::Threats => self.best_exchange(!position.turn()),
            Attribute::Undeveloped => on_board(at_home),
            Attribute::CastlingRights => balance(&|color| castling_rights(position, color)),
            Attribute::KnightPlace => place(Role::Knight),
            Attribute::BishopPlace => place(Role::Bishop),
            Attribute::QueenPlace => place(Role::Queen),
            Attribute::KingPlace => place(Role::King),
            Attribute::RookFiles => on_board(rook_files),
            Attribute::BishopPair => on_board(bishop_pair),
            Attribute::Ahead => ahead(position, player),
        }
    }

    /// What `side` wins by its best exchange, seen by the player.
    fn best_exchange(&mut self, side: Color) -> i16 {
        let board = self.position.board();
        let gain = exchanges::best(board, self.attacks(), side);
        if side == self.player { gain } else { -gain }
    }

    fn attacks(&mut self) -> &AttackMap {
        let board = self.position.board();
        self.attacks.get_or_insert_with(|| AttackMap::new(board))
    }
}
