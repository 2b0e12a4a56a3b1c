//! `fit`: weights of a player, or of any choices.

use std::path::PathBuf;

use clap::ValueEnum;
use kibitz_board::{Color, Game};
use kibitz_heuristics::attributes::Attribute;
use kibitz_players::{
    Choices, Depth, Domain, Error, FitOptions, Model, Part, Phase, VERSION, fit,
    four_ply::{ModelParams, decisions_in},
    selection::{Selection, message, select},
};
use kibitz_search::quiescent::Decision;
use kibitz_text::{Diagnostic, Exit, Failure, note, print, suggestion};

use super::{
    Format, games, json,
    summary::{order, text},
    table,
    watch::Watched,
};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Files of games in PGN, plain or compressed.
    #[arg(required_unless_present = "choices", conflicts_with = "choices")]
    games: Vec<PathBuf>,
    /// The player, by how the name begins.
    #[arg(long, required_unless_present = "choices")]
    player: Option<String>,
    /// How far the player looks ahead.
    #[arg(long, value_enum, default_value_t = DepthArgument::OnePly)]
    model: DepthArgument,
    /// Attributes, separated by commas, or `paper`, `all`; the paper's two for one ply, four for
    /// four plies when left out. `kibitz-players attributes` lists them.
    #[arg(long, value_delimiter = ',')]
    attributes: Vec<String>,
    /// Choose among the attributes those that are worth their bits.
    #[arg(long, value_enum)]
    select: Option<SelectArgument>,
    /// Fit opening, middle game and endgame apart.
    #[arg(long, conflicts_with_all = ["choices", "select"])]
    phases: bool,
    /// A table whose rows are alternatives, CSV or Parquet, instead of games.
    #[arg(long, value_name = "TABLE")]
    choices: Option<PathBuf>,
    /// Columns that tell choices apart, separated by commas.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "choice",
        requires = "choices"
    )]
    choice: Vec<String>,
    /// The column that is true for the alternative chosen.
    #[arg(long, default_value = "chosen", requires = "choices")]
    chosen: String,
    /// The column of groups that are held out together; each choice is one when left out.
    #[arg(long, requires = "choices")]
    group: Option<String>,
    /// Folds of the games for what is held out.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..))]
    folds: u32,
    /// Confidence level of intervals, in percent.
    #[arg(long, default_value_t = 95, value_parser = clap::value_parser!(u8).range(50..100))]
    level: u8,
    /// Standard error that is wished for: how many games it needs.
    #[arg(long, value_name = "ERROR")]
    precision: Option<f64>,
    /// Seed of the folds.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write the model into this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What to write.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DepthArgument {
    /// The positions after a move.
    OnePly,
    /// A quiescence search of four plies.
    FourPly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SelectArgument {
    /// By the length of a message of weights and moves.
    Mml,
}

/// What is told of a fit.
#[derive(serde::Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    #[serde(flatten)]
    model: &'a Model,
    remarks: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    selection: Option<&'a Selection>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    if let Some(precision) = arguments.precision
        && !(precision > 0.0 && precision.is_finite())
    {
        return Err(Failure::usage("`--precision` is a number above 0"));
    }
    let session = Watched::new(arguments.seed);
    let mut remarks = Vec::new();
    let mut all = Vec::new();
    let (mut domain, parts, player) = match &arguments.choices {
        Some(path) => {
            let layout = table::Layout {
                choice: &arguments.choice,
                chosen: &arguments.chosen,
                group: arguments.group.as_deref(),
                attributes: &arguments.attributes,
            };
            let (sets, attributes) = table::read(path, &layout)?;
            let player = arguments
                .player
                .clone()
                .unwrap_or_else(|| path.display().to_string());
            let parts = vec![(None, Choices::Rows(sets))];
            (Domain::Table { attributes }, parts, player)
        }
        None => chess(arguments, &session, &mut all)?,
    };
    let all_names = names_of(&domain);
    let mut selection = None;
    let mut parts = parts;
    if arguments.select.is_some() {
        session.say("attributes");
        let [(_, choices)] = parts.as_mut_slice() else {
            return Err(Failure::usage("`--select` goes without `--phases`"));
        };
        let chosen = select(choices, &session).map_err(failed)?.ok_or_else(|| {
            Failure::usage(
                "`--select` chooses attributes of the one-ply model, whose rows it weighs",
            )
        })?;
        let best = chosen
            .best()
            .map(|best| best.attributes.clone())
            .unwrap_or_default();
        if best.is_empty() {
            return Err(Failure::new(
                Exit::Negative,
                Diagnostic::new(
                    "no attribute is worth the bits of its weight: the choices are as well told as if all alternatives were equally likely",
                ),
            ));
        }
        let beside = papers_message(choices, &domain, &session)?;
        remarks.extend(beside);
        restrict(&mut domain, &best);
        if let Some(part) = choices.restricted_to(&best) {
            *choices = part;
        }
        selection = Some(chosen);
    }
    let names = names_of(&domain);
    let options = FitOptions {
        folds: arguments.folds as usize,
        level: f64::from(arguments.level) / 100.0,
    };
    let mut fits = Vec::new();
    let mut typical: Vec<f64> = Vec::new();
    for (phase, choices) in &parts {
        session.say("fit");
        let (fitted, said) =
            fit(choices, &names, options, &session).map_err(|error| match phase {
                Some(phase) => failed(error).with_note(&format!("in the {}", phase.name())),
                None => failed(error),
            })?;
        let place = phase.map_or(String::new(), |phase| format!("{}: ", phase.name()));
        remarks.extend(said.into_iter().map(|said| place.clone() + &said));
        if parts.len() == 1 {
            typical.clone_from(&fitted.typical);
        }
        fits.push(Part {
            phase: *phase,
            fit: fitted,
        });
    }
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
    drop(session);
    if let Some(out) = &arguments.out {
        let text = toml::to_string(&model).map_err(|error| Failure::failed(error.to_string()))?;
        std::fs::write(out, text).map_err(|error| Failure::unwritable(out, &error))?;
    }
    match arguments.format {
        Format::Json => print(&json(&Report {
            model: &model,
            remarks: &remarks,
            selection: selection.as_ref(),
        })?)?,
        Format::Text => {
            for remark in &remarks {
                note(&Diagnostic::warning(remark.clone()).render(true));
            }
            let order = match &selection {
                Some(selection) => order(selection, &all_names),
                None => String::new(),
            };
            print(&(order + &text(&model, arguments.precision)))?;
            if let Some(out) = &arguments.out {
                print(&format!("wrote {}\n", out.display()))?;
            }
        }
    }
    Ok(Exit::Done)
}

type Parts = Vec<(Option<Phase>, Choices)>;

/// The decisions of a player in games; of phases, `all` gets them as they were played.
fn chess(
    arguments: &Arguments,
    session: &Watched,
    all: &mut Vec<Decision>,
) -> Result<(Domain, Parts, String), Failure> {
    let player = arguments.player.as_deref().unwrap_or_default();
    let depth = match arguments.model {
        DepthArgument::OnePly => Depth::OnePly,
        DepthArgument::FourPly => Depth::FourPly,
    };
    let params = ModelParams {
        attributes: attributes(&arguments.attributes, depth, arguments.select.is_some())?,
        ..ModelParams::default()
    };
    if arguments.select.is_some() && depth == Depth::FourPly {
        return Err(Failure::usage(
            "`--select` chooses attributes of the one-ply model; fit the four-ply model to its choice by `--attributes`",
        ));
    }
    session.say("games");
    let read = games::of_player(games::read(&arguments.games)?, player)?;
    let decisions = decisions(&read);
    if decisions.is_empty() {
        let message = format!("`{player}` has no move in these games");
        return Err(Failure::new(
            Exit::NothingSelected,
            Diagnostic::new(message),
        ));
    }
    let parts: Vec<(Option<Phase>, Vec<Decision>)> = if arguments.phases {
        let of = |phase: Phase| {
            let own = decisions
                .iter()
                .filter(|one| Phase::of(&one.position) == phase);
            (Some(phase), own.cloned().collect())
        };
        let parts = Phase::ALL.map(of).into();
        *all = decisions;
        parts
    } else {
        vec![(None, decisions)]
    };
    session.say("decisions");
    let parts = parts.into_iter().map(|(phase, decisions)| {
        let choices = match depth {
            Depth::OnePly => Choices::one_ply(&params, &decisions, session)?,
            Depth::FourPly => Choices::four_ply(&params, decisions)?,
        };
        Ok::<_, Error>((phase, choices))
    });
    let parts: Vec<_> = parts.collect::<Result<_, Error>>().map_err(failed)?;
    Ok((Domain::Chess { depth, params }, parts, player.to_owned()))
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
    kibitz_players::bits_by_group(&judged.collect::<Vec<_>>())
}

/// The attributes asked for.
fn attributes(asked: &[String], depth: Depth, choosing: bool) -> Result<Vec<Attribute>, Failure> {
    match (asked, depth) {
        ([], _) if choosing => return Ok(Attribute::ALL.into()),
        ([], Depth::OnePly) => return Ok(Attribute::SIMPLE.into()),
        ([], Depth::FourPly) => return Ok(Attribute::PAPER.into()),
        ([one], _) if one == "all" => return Ok(Attribute::ALL.into()),
        ([one], _) if one == "paper" => return Ok(Attribute::PAPER.into()),
        _ => {}
    }
    let mut found = Vec::new();
    for name in asked {
        let known = Attribute::ALL.into_iter();
        let attribute = known
            .clone()
            .find(|one| one.name() == name)
            .ok_or_else(|| {
                let label = suggestion(name, known.clone().map(Attribute::name));
                Failure::usage(format!("there is no attribute `{name}`; {label}"))
            })?;
        if found.contains(&attribute) {
            return Err(Failure::usage(format!("`{name}` is named twice")));
        }
        found.push(attribute);
    }
    Ok(found)
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "the end of a chain of results"
)]
fn failed(error: Error) -> Failure {
    let exit = match error {
        Error::NoMaximum(_) => Exit::Negative,
        _ => Exit::Failed,
    };
    Failure::new(exit, Diagnostic::new(error.to_string()))
}

fn names_of(domain: &Domain) -> Vec<String> {
    match domain {
        Domain::Chess { params, .. } => params
            .attributes
            .iter()
            .map(|one| one.name().to_owned())
            .collect(),
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
fn papers_message(
    choices: &Choices,
    domain: &Domain,
    session: &Watched,
) -> Result<Vec<String>, Failure> {
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
        if let Some(Some((message, _))) = message(choices, places, session).map_err(failed)? {
            said.push(format!(
                "the paper's {name} attributes: a message of {:.1} bits",
                message.total()
            ));
        }
    }
    Ok(said)
}
