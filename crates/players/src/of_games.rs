//! A player fitted to games: from names of attributes and files of games to a [`Model`], as the
//! program and other callers ask for it.

use std::collections::{BTreeMap, BTreeSet};

use kibitz_board::{Color, Game, game_filter::color_of};
use kibitz_heuristics::attributes::Attribute;
use kibitz_search::quiescent::Decision;
use kibitz_stats::ChoiceSets;
use kibitz_text::{Diagnostic, Exit, Failure, counted, nearest, suggestion};

use crate::{
    Choices, Depth, Domain, Error, FitOptions, Model, Part, Phase, RepeatedGames, Session, VERSION,
    bits_by_group, fit,
    four_ply::{ModelParams, decisions_in},
    selection::{Selection, message, select},
};

/// A player's model to be fitted to games.
///
/// # Examples
/// ```
/// use kibitz_board::pgn;
/// use kibitz_players::{Fit, SeededSession};
///
/// let text = "[Black \"Own\"]\n\n1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 4. d4 Nf6 5. Nf3 Bg4 6. h3 Bxf3 7. Qxf3 c6 *";
/// let games = pgn::read_all("mine", text.as_bytes())?;
/// let attributes = ["material".to_owned()];
/// let fit = Fit::new(games).player("Own").attributes(&attributes);
/// let answer = fit.run(&SeededSession::default())?;
/// assert!(answer.model.parts[0].fit.weights[0].value > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is fitted before `run`"]
pub struct Fit<'a> {
    games: Vec<Game>,
    player: &'a str,
    depth: Depth,
    attributes: &'a [String],
    selects: bool,
    phases: bool,
    options: FitOptions,
}

impl<'a> Fit<'a> {
    /// A one-ply model of a player of these games, who is still to be named.
    pub fn new(games: Vec<Game>) -> Self {
        Self {
            games,
            player: "",
            depth: Depth::OnePly,
            attributes: &[],
            selects: false,
            phases: false,
            options: FitOptions::default(),
        }
    }

    /// The player, by how the name begins.
    pub fn player(self, player: &'a str) -> Self {
        Self { player, ..self }
    }

    /// How far the player looks ahead.
    pub fn depth(self, depth: Depth) -> Self {
        Self { depth, ..self }
    }

    /// Names of attributes, of which `paper` and `all` stand for several; none for the usual ones of
    /// the depth.
    pub fn attributes(self, attributes: &'a [String]) -> Self {
        Self { attributes, ..self }
    }

    /// Whether to choose among the attributes those that are worth their bits.
    pub fn selecting(self, selects: bool) -> Self {
        Self { selects, ..self }
    }

    /// Whether to fit opening, middle game and endgame apart.
    pub fn by_phase(self, phases: bool) -> Self {
        Self { phases, ..self }
    }

    /// How the fit is reported.
    pub fn options(self, options: FitOptions) -> Self {
        Self { options, ..self }
    }

    /// Fits; see [`Session::note`] for what is reported on the way.
    ///
    /// # Errors
    /// [`Error::Failure`] where nothing can be fitted as asked, those of [`fit()`], and the end of the
    /// session.
    pub fn run<S: Session>(self, session: &S) -> Result<Answer, S::Error> {
        let (selects, options) = (self.selects, self.options);
        self.choices(session)?.fit(selects, options, session)
    }

    /// The decisions of the player, with their attributes.
    fn choices<S: Session>(self, session: &S) -> Result<PlayerChoices, S::Error> {
        let refused = |failure: Failure| Error::Failure(Box::new(failure));
        let Self {
            games,
            player,
            depth,
            selects,
            phases,
            ..
        } = self;
        let attributes = attributes(self.attributes, depth, selects).map_err(refused)?;
        let params = ModelParams {
            attributes,
            ..ModelParams::default()
        };
        if selects && depth == Depth::FourPly {
            let why = "attributes are chosen for the one-ply model: fit the four-ply model to those that are chosen";
            return Err(refused(Failure::usage(why)).into());
        }
        if selects && phases {
            let why = "attributes are chosen for all phases together";
            return Err(refused(Failure::usage(why)).into());
        }
        let own = of_player(games, player, session).map_err(refused)?;
        let decisions = decisions(&own);
        if decisions.is_empty() {
            let message = format!("`{player}` has no move in these games");
            let message = Diagnostic::new(message);
            return Err(refused(Failure::new(Exit::NothingSelected, message)).into());
        }
        let mut all = Vec::new();
        let parts: Vec<(Option<Phase>, Vec<Decision>)> = if phases {
            let of = |phase: Phase| {
                let own = decisions.iter();
                let own = own.filter(|one| Phase::of(&one.position) == phase);
                (Some(phase), own.cloned().collect())
            };
            let parts: Vec<(_, Vec<Decision>)> = Phase::ALL.map(of).into();
            all = decisions;
            if let Some((Some(phase), _)) = parts.iter().find(|(_, own)| own.is_empty()) {
                let name = phase.name();
                let message = format!(
                    "`{player}` has no move in the {name} of these games: without `--phases` all moves are fitted together"
                );
                let message = Diagnostic::new(message);
                return Err(refused(Failure::new(Exit::NothingSelected, message)).into());
            }
            parts
        } else {
            vec![(None, decisions)]
        };
        let parts = parts.into_iter().map(|(phase, decisions)| {
            let choices = match depth {
                Depth::OnePly => Choices::one_ply(&params, &decisions, session)?,
                Depth::FourPly => Choices::four_ply(&params, decisions)?,
            };
            Ok::<_, S::Error>((phase, choices))
        });
        let parts = parts.collect::<Result<_, _>>()?;
        Ok(PlayerChoices {
            player: player.to_owned(),
            domain: Domain::Chess { depth, params },
            parts,
            all,
        })
    }
}

/// Fits the choices of a table, with the names of its attributes; `player` is who chose.
///
/// # Errors
/// As [`Fit::run`].
pub fn fit_rows<S: Session>(
    player: String,
    (sets, attributes): (ChoiceSets, Vec<String>),
    selects: bool,
    options: FitOptions,
    session: &S,
) -> Result<Answer, S::Error> {
    let choices = PlayerChoices {
        player,
        domain: Domain::Table { attributes },
        parts: vec![(None, Choices::Rows(sets))],
        all: Vec::new(),
    };
    choices.fit(selects, options, session)
}

/// A fitted model with what is said about it.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The model.
    pub model: Model,
    /// What the data cannot tell, in sentences.
    pub remarks: Vec<String>,
    /// How attributes were chosen, if they were, with the names that its numbers stand for.
    pub selection: Option<(Selection, Vec<String>)>,
}

/// Choices of a player, perhaps by phases, and what they are.
#[derive(Debug)]
struct PlayerChoices {
    player: String,
    domain: Domain,
    /// The choices of each part.
    parts: Vec<(Option<Phase>, Choices)>,
    /// Of phases, the decisions as they were played.
    all: Vec<Decision>,
}

impl PlayerChoices {
    /// Fits a model of these attributes, or of those among them that are worth their bits.
    fn fit<S: Session>(
        self,
        selects: bool,
        options: FitOptions,
        session: &S,
    ) -> Result<Answer, S::Error> {
        let PlayerChoices {
            player,
            mut domain,
            mut parts,
            all,
        } = self;
        let mut remarks = Vec::new();
        let mut selection = None;
        if selects {
            let all_names = names_of(&domain);
            let refused = |failure: Failure| S::Error::from(Error::Failure(Box::new(failure)));
            let [(_, choices)] = parts.as_mut_slice() else {
                let why = "attributes are chosen for all phases together";
                return Err(refused(Failure::usage(why)));
            };
            let chosen = select(choices, session)?.ok_or_else(|| {
                refused(Failure::usage(
                    "attributes are chosen for the one-ply model, whose rows are weighed",
                ))
            })?;
            let best = chosen.best().map(|best| best.attributes.clone());
            let best = best.filter(|best| !best.is_empty()).ok_or_else(|| {
            let why = "no attribute is worth the bits of its weight: the choices are as well told as if all alternatives were equally likely";
            refused(Failure::new(Exit::Negative, Diagnostic::new(why)))
        })?;
            remarks.extend(papers_message(choices, &domain, session)?);
            restrict(&mut domain, &best);
            if let Some(part) = choices.restricted_to(&best) {
                *choices = part;
            }
            selection = Some((chosen, all_names));
        }
        let names = names_of(&domain);
        let mut fits = Vec::new();
        for (phase, choices) in &parts {
            session.progress("fit", fits.len(), parts.len());
            let (fitted, said) = fit(choices, &names, options, session).inspect_err(|_| {
                if let Some(phase) = phase {
                    let text = format!("no fit for the {}", phase.name());
                    session.note(&Diagnostic::warning(text));
                }
            })?;
            let place = phase.map_or(String::new(), |phase| format!("{}: ", phase.name()));
            remarks.extend(said.into_iter().map(|said| place.clone() + &said));
            fits.push(Part {
                phase: *phase,
                fit: fitted,
            });
        }
        let typical = match fits.as_slice() {
            [only] => only.fit.typical.clone(),
            _ => Vec::new(),
        };
        let mut model = Model {
            version: VERSION,
            player,
            level: options.level,
            typical,
            domain,
            parts: fits,
        };
        if model.typical.is_empty() {
            model.typical = whole_games(&model, &all);
        }
        Ok(Answer {
            model,
            remarks,
            selection,
        })
    }
}

/// The games of a player, by prefix of the name; told are games that have the same moves.
fn of_player<S: Session>(
    games: Vec<Game>,
    player: &str,
    session: &S,
) -> Result<Vec<(Game, Color)>, Failure> {
    if player.is_empty() {
        return Err(Failure::usage("the name of the player is empty"));
    }
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut own: Vec<(Game, Color)> = Vec::new();
    let mut spellings = BTreeSet::new();
    let (mut on_both, mut without_move) = (0, 0);
    for game in games {
        if let Some(color) = color_of(&game, player) {
            if game.plies_of(color).next().is_none() {
                without_move += 1;
            }
            let tags = game.tags();
            spellings.insert(
                if color.is_white() {
                    &tags.white
                } else {
                    &tags.black
                }
                .clone(),
            );
            own.push((game, color));
        } else {
            on_both += usize::from(game.tags().white.starts_with(player));
            count_names(&game, &mut names);
        }
    }
    let told = [
        (on_both, "with the player on both sides, left out"),
        (without_move, "without a move of the player"),
    ];
    for (n, what) in told.into_iter().filter(|(n, _)| *n > 0) {
        session.note(&Diagnostic::warning(format!(
            "{} {what}",
            counted(n, "game", "games")
        )));
    }
    if own.is_empty() {
        return Err(nobody(player, &names));
    }
    if spellings.len() > 1 {
        let spellings: Vec<String> = spellings.iter().map(|name| format!("`{name}`")).collect();
        let message = format!("`{player}` is taken for {}", spellings.join(", "));
        session.note(&Diagnostic::warning(message));
    }
    let mut repeated = RepeatedGames::default();
    for (game, _) in &own {
        repeated.add_moves(game);
    }
    if let Some(remark) = repeated.remark() {
        session.note(&remark);
    }
    Ok(own)
}

/// Adds the players of a game to how many games each has.
pub(crate) fn count_names(game: &Game, names: &mut BTreeMap<String, usize>) {
    let tags = game.tags();
    for name in [&tags.white, &tags.black] {
        *names.entry(name.clone()).or_default() += 1;
    }
}

/// The player is in no game: the nearest names, with numbers of games.
pub(crate) fn nobody(player: &str, names: &BTreeMap<String, usize>) -> Failure {
    let lower = player.to_lowercase();
    let mut known: Vec<(&String, usize)> = names.iter().map(|(name, n)| (name, *n)).collect();
    let near = nearest(player, names.keys().map(String::as_str));
    let is_near = |name: &str| {
        near == Some(name)
            || name.to_lowercase().split([',', ' ', '.']).any(|word| {
                !word.is_empty()
                    && (lower.contains(word) && word.len() > 2 || nearest(&lower, [word]).is_some())
            })
    };
    known.sort_by_key(|(name, n)| (!is_near(name), std::cmp::Reverse(*n), (*name).clone()));
    let listed = known
        .iter()
        .take(5)
        .map(|(name, n)| format!("`{name}` ({n})"));
    let listed: Vec<String> = listed.collect();
    let message = format!("no game has a player whose name begins with `{player}`");
    let label = format!("names and their games: {}", listed.join(", "));
    let message = Diagnostic::new(message).with_note(label);
    Failure::new(Exit::NothingSelected, message)
}

fn decisions(read: &[(Game, Color)]) -> Vec<Decision> {
    let numbered = (0..).zip(read);
    let all =
        numbered.flat_map(|(group, (game, color))| decisions_in(game.plies_of(*color), group));
    all.collect()
}

/// Bits per move of whole games under a model of phases.
fn whole_games(model: &Model, decisions: &[Decision]) -> Vec<f64> {
    let judged = decisions.iter();
    let judged = judged.filter_map(|one| model.judge(&one.position, one.played, one.group));
    bits_by_group(&judged.collect::<Vec<_>>())
}

/// The attributes asked for.
pub(crate) fn attributes(
    asked: &[String],
    depth: Depth,
    choosing: bool,
) -> Result<Vec<Attribute>, Failure> {
    match (asked, depth) {
        ([], _) if choosing => return Ok(Attribute::STATIC.into()),
        ([], Depth::OnePly) => return Ok(Attribute::SIMPLE.into()),
        ([], Depth::FourPly) => return Ok(Attribute::PAPER.into()),
        _ => {}
    }
    let mut found = Vec::new();
    for name in asked {
        let named: &[Attribute] = match name.as_str() {
            "all" => &Attribute::STATIC,
            "paper" => &Attribute::PAPER,
            name => {
                let one = Attribute::ALL.iter().find(|one| one.name() == name);
                std::slice::from_ref(one.ok_or_else(|| {
                    let label = suggestion(name, Attribute::ALL.map(Attribute::name));
                    Failure::usage(format!("unknown attribute `{name}`; {label}"))
                })?)
            }
        };
        if let Some(again) = named.iter().find(|one| found.contains(*one)) {
            let message = format!("`{}` is named twice", again.name());
            return Err(Failure::usage(message));
        }
        found.extend(named);
    }
    Ok(found)
}

fn names_of(domain: &Domain) -> Vec<String> {
    match domain {
        Domain::Chess { params, .. } => {
            let names = params.attributes.iter().map(|one| one.name().to_owned());
            names.collect()
        }
        Domain::Table { attributes } => attributes.clone(),
    }
}

fn restrict(domain: &mut Domain, to: &[usize]) {
    match domain {
        Domain::Chess { params, .. } => {
            params.attributes = to.iter().map(|&one| params.attributes[one]).collect();
        }
        Domain::Table { attributes } => {
            *attributes = to.iter().map(|&one| attributes[one].clone()).collect();
        }
    }
}

/// The messages of the paper's attributes beside the shortest.
fn papers_message<S: Session>(
    choices: &Choices,
    domain: &Domain,
    session: &S,
) -> Result<Vec<String>, S::Error> {
    let Domain::Chess { params, .. } = domain else {
        return Ok(Vec::new());
    };
    let mut said = Vec::new();
    for (name, set) in [
        ("two", &Attribute::SIMPLE[..]),
        ("four", &Attribute::PAPER[..]),
    ] {
        let places = set
            .iter()
            .map(|one| params.attributes.iter().position(|own| own == one));
        let Some(places) = places.collect::<Option<Vec<usize>>>() else {
            continue;
        };
        if let Some(Some((message, _))) = message(choices, places, session)? {
            said.push(format!(
                "the paper's {name} attributes: a message of {:.1} bits",
                message.total()
            ));
        }
    }
    Ok(said)
}
