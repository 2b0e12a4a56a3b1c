//! Players and first clicks, as experiment files name them.

use kibitz_experiment::Problems;
use kibitz_minesweeper::{
    Differences, FirstClick, FirstTile, Level, Player, PlayerName, Rule, RulePlayer, Sweep,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FirstClickParams {
    /// It may hit a mine.
    #[default]
    Unprotected,
    /// It hits no mine.
    Safe,
    /// It hits no mine, and none is around it.
    Opening,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PlayerParams {
    /// The row of the table.
    pub(crate) row: String,
    /// The player, by the name that kibitz-minesweeper gives it.
    #[schemars(with = "String")]
    pub(crate) player: PlayerName,
    /// Number of games, if fewer than the series has.
    pub(crate) games: Option<u32>,
    /// Row and column, from zero, that an exact player uncovers first.
    pub(crate) first_tile: Option<[usize; 2]>,
    /// The tiles among which the player looks ahead, if not its own number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tiles: Option<usize>,
    /// Reading of the rules of Table 3, if not the default.
    pub(crate) interpretation: Option<Interpretation>,
}

/// An interpretation of the paper: the points it leaves open about play by rules.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Interpretation {
    /// Whether uncovering a zero uncovers its neighbors, all in one move.
    pub(crate) cascades: bool,
    /// The order of moves where rules apply to several tiles.
    sweep: SweepParams,
    /// The order in which the rules are tried.
    rules: Vec<RuleParams>,
    /// When the mines of a difference of two sets are known.
    differences: DifferencesParams,
}

impl Default for Interpretation {
    fn default() -> Self {
        Self {
            cascades: true,
            sweep: SweepParams::default(),
            rules: vec![
                RuleParams::S1,
                RuleParams::S2,
                RuleParams::S3,
                RuleParams::M1,
            ],
            differences: DifferencesParams::default(),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum SweepParams {
    /// Rule by rule: the first rule that applies anywhere, to one of its tiles at random.
    #[default]
    RuleMajor,
    /// Tile by tile: a random tile to which any rule applies.
    TileMajor,
    /// In batches: the first rule that applies anywhere, to all of its tiles.
    Batch,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum DifferencesParams {
    /// When the two numbers force them.
    #[default]
    Forced,
    /// When one set is a subset of the other.
    Subsets,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
enum RuleParams {
    #[serde(rename = "S-1")]
    S1,
    #[serde(rename = "S-2")]
    S2,
    #[serde(rename = "S-3")]
    S3,
    #[serde(rename = "M-1")]
    M1,
}

impl From<FirstClickParams> for FirstClick {
    fn from(params: FirstClickParams) -> Self {
        match params {
            FirstClickParams::Unprotected => Self::Unprotected,
            FirstClickParams::Safe => Self::Safe,
            FirstClickParams::Opening => Self::Opening,
        }
    }
}

impl PlayerParams {
    /// The player.
    pub(crate) fn player(&self) -> Box<dyn Player> {
        match (self.player.exact(), &self.interpretation) {
            (Some(mut exact), _) => {
                if let Some([row, column]) = self.first_tile {
                    exact.first_tile = FirstTile::At(row, column);
                }
                if let (Some(look_ahead), Some(n_tiles)) = (&mut exact.look_ahead, self.tiles) {
                    look_ahead.n_tiles = n_tiles;
                }
                Box::new(exact)
            }
            (_, Some(reading)) => {
                let mut player = RulePlayer::default();
                player.rules = reading.rules.iter().map(|rule| rule.rule()).collect();
                player.sweep = match reading.sweep {
                    SweepParams::RuleMajor => Sweep::RuleMajor,
                    SweepParams::TileMajor => Sweep::TileMajor,
                    SweepParams::Batch => Sweep::Batch,
                };
                player.differences = match reading.differences {
                    DifferencesParams::Forced => Differences::Forced,
                    DifferencesParams::Subsets => Differences::Subsets,
                };
                Box::new(player)
            }
            _ => self.player.player(),
        }
    }

    /// Validates the parameters of a player for boards of this level.
    pub(crate) fn check(&self, n_games: u32, level: Option<&Level>, problems: &mut Problems) {
        let fits = self
            .games
            .is_none_or(|games| (1..=n_games).contains(&games));
        problems.require(
            fits,
            "games",
            "at least one game, and no more than the series has",
        );
        let exact = self.player.exact();
        let on_board = |[row, column]: [usize; 2]| {
            level.is_none_or(|level| level.grid.tile(row, column).is_some())
        };
        if let Some(tile) = self.first_tile {
            problems.require(
                exact.is_some(),
                "first-tile",
                "only exact players can be given the first tile",
            );
            problems.require(
                on_board(tile),
                "first-tile",
                "row and column of a tile, from zero",
            );
        }
        if let Some(n_tiles) = self.tiles {
            let looks_ahead = exact.is_some_and(|exact| exact.look_ahead.is_some());
            problems.require(
                looks_ahead && n_tiles > 0,
                "tiles",
                "one or more, of player `look-ahead`",
            );
        }
        if self.interpretation.is_some() {
            let by_rules = self.player == PlayerName::Rules;
            problems.require(by_rules, "interpretation", "only for player `rules`");
        }
    }
}

impl RuleParams {
    fn rule(self) -> Rule {
        match self {
            Self::S1 => Rule::S1,
            Self::S2 => Rule::S2,
            Self::S3 => Rule::S3,
            Self::M1 => Rule::M1,
        }
    }
}
