//! From games to standings: of players, and by rating or clock.

use std::collections::BTreeMap;

use kibitz_board::{Color, Tags};
use kibitz_stats::SampleError;
use kibitz_text::Diagnostic;

use super::{
    Attributes, Cell, Covariates, CrossFit, EvaluatedGame, EvaluatedMove, Expectation,
    ExpectationFit, GameSum, Gaps, Prediction, Standing, fold,
};

/// The players of a file, numbered in the order of appearance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Players {
    numbers: BTreeMap<String, usize>,
    names: Vec<String>,
}

impl Players {
    /// The number of a player.
    pub fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// All names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// The attribute by which curves are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeVariable {
    /// The mover's rating, in steps of 200.
    Elo,
    /// The seconds on his clock before the move.
    Clock,
}

impl RangeVariable {
    /// Lower ends of the ranges of seconds; the last has no upper end.
    const SECONDS: [u32; 8] = [0, 5, 10, 30, 60, 180, 600, 1800];

    /// The lower end of a move's range.
    fn range(self, one: &EvaluatedMove) -> Option<u32> {
        match self {
            Self::Elo => one.elo.map(|elo| u32::from(elo) / 200 * 200),
            Self::Clock => {
                let clock = one.clock?;
                let ends = Self::SECONDS.iter().rev();
                ends.copied().find(|&end| clock >= f64::from(end))
            }
        }
    }

    /// A range by its lower end: `1400 to 1599`, `10 to 30`.
    pub fn shown(self, lower: u32) -> String {
        match self {
            Self::Elo => format!("{lower} to {}", lower + 199),
            Self::Clock => match Self::SECONDS.iter().find(|&&end| end > lower) {
                Some(upper) => format!("{lower} to {upper}"),
                None => format!("{lower} and more"),
            },
        }
    }

    /// That no move has a value, and what gives it one.
    pub fn unknown(self) -> Diagnostic {
        let (what, tags) = match self {
            Self::Elo => ("rating", "the tags `WhiteElo` and `BlackElo` give them"),
            Self::Clock => ("clock", "comments such as `[%clk 0:09:58]` give them"),
        };
        Diagnostic::new(format!("no move has a {what}")).with_note(tags)
    }

    /// What the ranges are of.
    pub fn name(self) -> &'static str {
        match self {
            Self::Elo => "rating",
            Self::Clock => "seconds left",
        }
    }
}

/// What is not judged, by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Omissions {
    /// Games without an evaluation.
    pub games: u64,
    /// Games of which lichess has no accuracy, since evaluations are missing or one side has no move.
    pub without_accuracy: u64,
    /// Moves of players without a name, who have no standing; expectations are fitted to them, too.
    pub unnamed: u64,
    /// Moves without rating or clock, which are in no range.
    pub without_range: u64,
    /// Moves whose rating or clock is given and unknown, and known of all moves fitted to, or the reverse.
    pub not_covered: u64,
    /// Moves that cannot be judged.
    pub gaps: Gaps,
}

/// A player with his losses.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayerStanding {
    /// The name.
    pub name: String,
    /// His losses.
    pub standing: Standing,
}

/// A move with what was expected of it.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedMove<'a> {
    /// The name of the mover; empty if unknown.
    pub player: &'a str,
    /// The move.
    pub played: &'a EvaluatedMove,
    /// The loss expected; `None` if there are too few other games to fit it to.
    pub expected: Option<f64>,
}

/// Where expectations come from.
#[derive(Debug, Clone)]
enum Source {
    Fitting(Box<ExpectationFit>),
    CrossFit(CrossFit),
    Model(Box<Expectation>),
}

/// Judges the games of a file. Without a model it reads them twice: [`fit`](Self::fit), and after
/// [`fitted`](Self::fitted) [`judge`](Self::judge). Memory grows with the number of players alone.
///
/// # Examples
/// ```
/// use kibitz_board::pgn::{Policy, read_games};
/// use kibitz_players::accuracy::{EvaluatedGame, Covariates, Survey};
///
/// let text = "[White \"Ann\"]\n[Black \"Bo\"]\n\n1. e4 { [%eval 0.3] } e5 { [%eval 0.9] } *";
/// let mut games = read_games("mine", text.as_bytes(), Policy::strict());
/// let game = games.next().expect("there is a game")?;
/// let evaluated = EvaluatedGame::read(&game, &games.comments(), 0).expect("has evaluations");
/// let mut survey = Survey::new(Covariates::default(), 0);
/// survey.fit(game.tags(), &evaluated)?;
/// survey.fitted();
/// survey.judge(game.tags(), &evaluated, |_| true, |_| ());
/// let bo = &survey.players()[1];
/// assert!((bo.standing.loss().expect("has moved").value - 5.5).abs() < 0.1);
/// // Nobody else has played enough to say what was to be expected.
/// assert_eq!(bo.standing.difference(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Survey {
    source: Source,
    seed: u64,
    by: Option<RangeVariable>,
    players: Players,
    standings: Vec<Standing>,
    ranges: BTreeMap<u32, Standing>,
    n_games: u64,
    left_out: Omissions,
}

impl Survey {
    /// A survey whose expectations are still to be fitted to the same games.
    pub fn new(given: Covariates, seed: u64) -> Self {
        Self::of(Source::Fitting(Box::new(ExpectationFit::new(given))), seed)
    }

    /// A survey with expectations of other games.
    pub fn with_model(model: Expectation) -> Self {
        Self::of(Source::Model(Box::new(model)), 0)
    }

    fn of(source: Source, seed: u64) -> Self {
        Self {
            source,
            seed,
            by: None,
            players: Players::default(),
            standings: Vec::new(),
            ranges: BTreeMap::new(),
            n_games: 0,
            left_out: Omissions::default(),
        }
    }

    /// Draws a curve by rating or clock as well.
    #[must_use]
    pub fn by(mut self, by: Option<RangeVariable>) -> Self {
        self.by = by;
        self
    }

    /// Adds a game to the fit; with a model, or after [`fitted`](Self::fitted), it does nothing.
    ///
    /// # Errors
    /// [`SampleError::NotFinite`].
    pub fn fit(&mut self, tags: &Tags, game: &EvaluatedGame) -> Result<(), SampleError> {
        let cells = self.cells(tags);
        let Source::Fitting(fit) = &mut self.source else {
            return Ok(());
        };
        self.n_games += 1;
        for color in Color::ALL {
            let own = game.moves.iter().filter(|one| one.color == color);
            let own = own.map(|one| (&one.attributes, one.loss));
            fit.add_side(cells[usize::from(color.is_black())].1, own)?;
        }
        Ok(())
    }

    /// Ends the fit; the expectation for other games, `None` if these games are too few.
    pub fn fitted(&mut self) -> Option<Expectation> {
        let Source::Fitting(fit) = &self.source else {
            return None;
        };
        let mut whole = fit.whole();
        if let Some(whole) = &mut whole {
            let names = self.players.names().iter();
            whole.players = names.filter(|name| !name.is_empty()).cloned().collect();
        }
        self.source = Source::CrossFit(fit.cross_fit());
        self.n_games = 0;
        whole
    }

    /// Judges a game: the moves of players that `is_asked_for` by name, given one by one to `each`.
    pub fn judge(
        &mut self,
        tags: &Tags,
        game: &EvaluatedGame,
        is_asked_for: impl Fn(&str) -> bool,
        mut each: impl FnMut(&JudgedMove<'_>),
    ) {
        let cells = self.cells(tags);
        self.n_games += 1;
        self.count(game);
        let mut ranges = BTreeMap::<u32, GameSum>::new();
        let mut sums = [GameSum::default(); 2];
        let names = [tags.white.as_str(), tags.black.as_str()];
        for played in &game.moves {
            let side = usize::from(played.color.is_black());
            if !is_asked_for(names[side]) {
                continue;
            }
            if !self.covers(cells[side].1, &played.attributes) {
                self.left_out.not_covered += 1;
                continue;
            }
            let predicted = self.predict(cells[side].1, &played.attributes);
            sums[side].add_move(played.loss, predicted.as_ref());
            match self.by.map(|by| by.range(played)) {
                None => {}
                Some(None) => self.left_out.without_range += 1,
                Some(Some(lower)) => {
                    let range = ranges.entry(lower).or_default();
                    range.add_move(played.loss, predicted.as_ref());
                }
            }
            each(&JudgedMove {
                player: names[side],
                played,
                expected: predicted.map(|one| one.loss),
            });
        }
        for (lower, sum) in ranges {
            self.ranges.entry(lower).or_default().add_game(&sum);
        }
        self.add_sides(&cells, names, sums, game);
    }

    fn count(&mut self, game: &EvaluatedGame) {
        let (sum, gaps) = (&mut self.left_out.gaps, game.gaps);
        sum.without += gaps.without;
        sum.unreadable += gaps.unreadable;
        sum.after_gap += gaps.after_gap;
        sum.book += gaps.book;
        self.left_out.without_accuracy += u64::from(game.accuracy.is_none());
    }

    /// Adds the sums of a game to its players; somebody who plays both sides has one game of both.
    fn add_sides(
        &mut self,
        cells: &[(usize, Cell); 2],
        names: [&str; 2],
        mut sums: [GameSum; 2],
        game: &EvaluatedGame,
    ) {
        if names[0] == names[1] {
            let [white, black] = sums;
            sums = [white + black, GameSum::default()];
        }
        let accuracy = game.accuracy.map(|sides| [sides.white, sides.black]);
        for side in 0..2 {
            if names[side].is_empty() {
                self.left_out.unnamed += sums[side].n_moves();
                continue;
            }
            let standing = &mut self.standings[cells[side].0];
            standing.add_game(&sums[side]);
            if let Some(accuracy) = accuracy {
                standing.add_accuracy(accuracy[side]);
            }
        }
    }

    fn predict(&self, cell: Cell, attributes: &Attributes) -> Option<Prediction> {
        match &self.source {
            Source::Fitting(_) => None,
            Source::CrossFit(fit) => fit.predict(cell, attributes),
            Source::Model(model) => model.predict(attributes),
        }
    }

    fn covers(&self, cell: Cell, attributes: &Attributes) -> bool {
        match &self.source {
            Source::Fitting(_) => true,
            Source::CrossFit(fit) => fit.covers(cell, attributes),
            Source::Model(model) => model.predict(attributes).is_some(),
        }
    }

    /// Counts a game without an evaluation.
    pub fn leave_out(&mut self) {
        self.left_out.games += 1;
    }

    /// The numbers of White and Black, and their cells in the next game.
    fn cells(&mut self, tags: &Tags) -> [(usize, Cell); 2] {
        let game = fold(self.seed, "game", self.n_games);
        [&tags.white, &tags.black].map(|name| {
            let number = self.players.number(name);
            if number >= self.standings.len() {
                self.standings.resize_with(number + 1, Standing::default);
            }
            let player = fold(self.seed, "player", number as u64);
            (number, Cell { player, game })
        })
    }

    /// Number of games with evaluations that were judged.
    pub fn n_games(&self) -> u64 {
        self.n_games
    }

    /// What was not judged.
    pub fn left_out(&self) -> Omissions {
        self.left_out
    }

    /// The names of all players of games with evaluations, in the order of appearance.
    pub fn names(&self) -> &[String] {
        self.players.names()
    }

    /// The players with a move, those with most moves first, then by name.
    pub fn players(&self) -> Vec<PlayerStanding> {
        let all = self.players.names().iter().zip(&self.standings);
        let found = all.filter(|(_, standing)| standing.n_games() > 0);
        let found = found.map(|(name, standing)| PlayerStanding {
            name: name.clone(),
            standing: standing.clone(),
        });
        let mut found: Vec<PlayerStanding> = found.collect();
        found.sort_by(|a, b| {
            let moves = |one: &PlayerStanding| one.standing.n_moves();
            moves(b).cmp(&moves(a)).then_with(|| a.name.cmp(&b.name))
        });
        found
    }

    /// The names of those of [`players`](Self::players) to whose moves the model was fitted: what is
    /// expected of them is not that of others alone.
    pub fn players_of_model(&self) -> Vec<String> {
        let Source::Model(model) = &self.source else {
            return Vec::new();
        };
        let names = self.players().into_iter().map(|one| one.name);
        names.filter(|name| model.players.contains(name)).collect()
    }

    /// The ranges by their lower ends.
    pub fn ranges(&self) -> &BTreeMap<u32, Standing> {
        &self.ranges
    }
}
