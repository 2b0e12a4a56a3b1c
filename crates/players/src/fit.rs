//! A fit with what is needed to believe it: errors, intervals, measures on other games.

use kibitz_stats::{
    DMatrix, Fit,
    inference::{MIN_CLUSTERS, clustered_covariance, wald_interval},
    split::k_fold,
};
use kibitz_text::counted;
use serde::{Deserialize, Serialize};

use crate::{
    Choices, Error, Session,
    measures::{JudgedChoice, Measures, bits_by_group},
    no_maximum,
};

/// How a fit is reported.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitOptions {
    /// Folds of the games for what is held out; fewer where there are fewer games, none below two.
    pub folds: usize,
    /// Confidence level of intervals.
    pub level: f64,
    /// What the choices are called in remarks.
    pub units: Units,
}

/// The nouns for what is chosen and for the groups that are held out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Units {
    /// One decision.
    pub choice: &'static str,
    /// One group.
    pub group: &'static str,
    /// Several groups.
    pub groups: &'static str,
}

impl Units {
    /// Moves in games of chess.
    pub const MOVES: Self = Self {
        choice: "move",
        group: "game",
        groups: "games",
    };
    /// Choices in groups.
    pub const CHOICES: Self = Self {
        choice: "choice",
        group: "group",
        groups: "groups",
    };
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            folds: 5,
            level: 0.95,
            units: Units::MOVES,
        }
    }
}

/// Where the ends of intervals come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalKind {
    /// The profile of the likelihood: with few decisions it is skew.
    Profile,
    /// Standard errors: with thousands of decisions the profile is as wide, or narrower where the
    /// decisions of a game are alike.
    Wald,
}

/// Games from which on nothing is said of their number.
const FEW: usize = 100;

/// Most decisions of which profiles are computed.
const PROFILED: u64 = 5000;

/// A weight and what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Weight {
    /// The attribute.
    pub attribute: String,
    /// The weight, in natural logarithms of odds per unit.
    pub value: f64,
    /// Its standard error.
    pub std_error: f64,
    /// Low end of the interval; minus infinity where the likelihood never falls so far.
    pub low: f64,
    /// High end of the interval.
    pub high: f64,
}

/// The weights of a fitted model, with their errors and measures, without the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FittedWeights {
    /// Games.
    pub games: u64,
    /// Whether the errors are clustered by game; below twenty games they are those of independent
    /// moves.
    pub clustered: bool,
    /// Where the intervals come from.
    pub intervals: IntervalKind,
    /// How many times as much the games vary as independent moves would make them: the ratio of the
    /// covariance clustered by game and that of independent moves, as the mean over the directions of
    /// the weights. Of a single game it is the number of its moves, as if they were one.
    pub dispersion: f64,
    /// Covariance of the weights, row by row.
    pub covariance: Vec<Vec<f64>>,
    /// Mean bits per move of every game, under weights fitted without it where there are folds;
    /// ascending.
    pub typical: Vec<f64>,
    /// The weights, in order.
    pub weights: Vec<Weight>,
    /// Measures on the games fitted to.
    pub fitted: Measures,
    /// Measures on games held out; none with a single game, or where a fold has no maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<Measures>,
}

impl FittedWeights {
    /// The weights alone.
    pub fn values(&self) -> Vec<f64> {
        self.weights.iter().map(|weight| weight.value).collect()
    }

    /// The covariance as a matrix.
    pub fn covariance(&self) -> DMatrix<f64> {
        let n = self.weights.len();
        DMatrix::from_fn(n, n, |row, column| self.covariance[row][column])
    }

    /// How many games would give `weight` a standard error of `precision`: errors fall with the
    /// square root of the number of games.
    pub fn games_for(&self, weight: &Weight, precision: f64) -> f64 {
        (self.games as f64 * (weight.std_error / precision).powi(2)).ceil()
    }
}

/// Fits the weights called `names` to `choices`.
///
/// The second part of the answer are remarks, in sentences: what the data cannot tell.
///
/// # Errors
/// [`Error::NoMaximum`] where the likelihood has none (separable data, collinear attributes), and the
/// end of the session.
///
/// # Examples
/// ```
/// use kibitz_players::{Choices, FitOptions, SeededSession, fit};
/// use kibitz_stats::ChoiceSets;
///
/// // The cheaper of two is bought three times in four.
/// let mut sets = ChoiceSets::builder(1);
/// for shop in 0..40 {
///     for day in 0..4 {
///         sets.push(shop, usize::from(day == shop % 4), [[1.0], [2.0]])?;
///     }
/// }
/// let choices = Choices::Rows(sets.build());
/// let session = SeededSession::default();
/// let (fitted, _) = fit(&choices, &["price".to_owned()], FitOptions::default(), &session)?;
/// assert!((fitted.weights[0].value + 3f64.ln()).abs() < 1e-9);
/// assert!(fitted.held_out.is_some_and(|measures| measures.bits < 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit<S: Session>(
    choices: &Choices,
    names: &[String],
    options: FitOptions,
    session: &S,
) -> Result<(FittedWeights, Vec<String>), S::Error> {
    let (fit, why) = choices.fit(session)?;
    if let Some(why) = why {
        return Err(Error::NoMaximum(no_maximum("all decisions", &why, names)).into());
    }
    let groups = choices.groups();
    let mut remarks = Vec::new();
    let Errors {
        covariance,
        dispersion,
        remark,
    } = errors(choices, &fit, groups.len(), options.units)?;
    let clustered = remark.is_none();
    remarks.extend(remark);
    if (MIN_CLUSTERS..FEW).contains(&groups.len()) {
        remarks.push(format!(
            "{} are few: the intervals are wide, and errors half as large need about {}",
            counted(groups.len(), options.units.group, options.units.groups),
            4 * groups.len()
        ));
    }
    let (weights, intervals) = weights(choices, &fit, &covariance, names, options.level, session)?;
    let judged = choices.judge(&fit.weights, None);
    let others = held_out(choices, names, &groups, options, session, &mut remarks)?;
    let measures = |judged: &[JudgedChoice]| Measures::of(judged);
    let rows = covariance.row_iter();
    let fitted = FittedWeights {
        games: groups.len() as u64,
        clustered,
        intervals,
        dispersion,
        covariance: rows.map(|row| row.iter().copied().collect()).collect(),
        typical: bits_by_group(others.as_ref().unwrap_or(&judged)),
        weights,
        fitted: measures(&judged).ok_or(kibitz_stats::FitError::NoChoiceSets)?,
        held_out: others.as_deref().and_then(measures),
    };
    Ok((fitted, remarks))
}

/// Errors of weights.
struct Errors {
    covariance: DMatrix<f64>,
    dispersion: f64,
    /// Why they are not clustered.
    remark: Option<String>,
}

fn errors(choices: &Choices, fit: &Fit, n_groups: usize, units: Units) -> Result<Errors, Error> {
    let independent = fit
        .covariance
        .clone()
        .ok_or_else(|| Error::NoMaximum("the maximum has no standard errors".to_owned()))?;
    let scores = choices.group_scores(&fit.weights);
    let squares = scores
        .iter()
        .map(|score| score.dot(&(&independent * score)));
    let n = n_groups as f64;
    let dispersion = match n_groups {
        1 => choices.len() as f64,
        _ => squares.sum::<f64>() / independent.nrows() as f64 * n / (n - 1.0),
    };
    let of_independent = |covariance, remark| Errors {
        covariance,
        // Games that are all alike, as in made-up data, have none.
        dispersion: dispersion.max(LEAST_SHARE),
        remark: Some(remark),
    };
    if n_groups < MIN_CLUSTERS {
        let Units {
            choice,
            group,
            groups,
        } = units;
        let remark = format!(
            "{} {} too few to tell how {groups} differ: errors are those of independent {choice}s, \
             and probably too small",
            counted(n_groups, group, groups),
            if n_groups == 1 { "is" } else { "are" }
        );
        return Ok(of_independent(independent, remark));
    }
    let clustered = clustered_covariance(&independent, &scores)?;
    // Games that are all alike, as in made-up data, would make an error of nothing.
    let alike =
        |weight: usize| clustered[(weight, weight)] <= LEAST_SHARE * independent[(weight, weight)];
    if (0..independent.nrows()).any(alike) {
        let remark = format!(
            "{}s do not differ beyond what a weight explains: errors are those of independent {}s",
            units.group, units.choice
        );
        return Ok(of_independent(independent, remark));
    }
    Ok(Errors {
        covariance: clustered,
        dispersion,
        remark: None,
    })
}

/// A variance clustered by game that is a smaller share of that of independent moves is rounding.
const LEAST_SHARE: f64 = 1e-9;

fn weights<S: Session>(
    choices: &Choices,
    fit: &Fit,
    covariance: &DMatrix<f64>,
    names: &[String],
    level: f64,
    session: &S,
) -> Result<(Vec<Weight>, IntervalKind), S::Error> {
    let kind = match choices.len() {
        ..PROFILED => IntervalKind::Profile,
        _ => IntervalKind::Wald,
    };
    let mut weights = Vec::new();
    for (index, (name, &value)) in names.iter().zip(&fit.weights).enumerate() {
        session.check()?;
        session.progress("interval", index, names.len());
        let std_error = covariance[(index, index)].sqrt();
        let wald = wald_interval(value, std_error, level).map_err(Error::from)?;
        let [low, high] = match kind {
            IntervalKind::Wald => [wald.low, wald.high],
            IntervalKind::Profile => {
                // As many standard errors as the level has, of the clustered error: the fall of the
                // likelihood is stretched by how much larger it is than that of independent moves.
                let independent = (fit.std_errors.as_ref()).map_or(std_error, |all| all[index]);
                let z = wald.width() / (2.0 * independent);
                let profiled = choices.profile(fit, index, std_error, 0.5 * z * z);
                profiled.map_err(Error::from)?
            }
        };
        weights.push(Weight {
            attribute: name.clone(),
            value,
            std_error,
            low,
            high,
        });
    }
    Ok((weights, kind))
}

/// Every decision under weights fitted without the fold of its game; `None`, with a remark, where
/// that cannot be.
fn held_out<S: Session>(
    choices: &Choices,
    names: &[String],
    groups: &[u32],
    options: FitOptions,
    session: &S,
    remarks: &mut Vec<String>,
) -> Result<Option<Vec<JudgedChoice>>, S::Error> {
    let FitOptions {
        folds: asked,
        units,
        ..
    } = options;
    let n_folds = asked.min(groups.len());
    if n_folds < 2 {
        remarks.push(format!(
            "{}: nothing can be held out, and the measures flatter the model",
            counted(groups.len(), units.group, units.groups)
        ));
        return Ok(None);
    }
    if n_folds < asked {
        remarks.push(format!(
            "{} make {n_folds} folds, not {asked}",
            counted(groups.len(), units.group, units.groups)
        ));
    }
    let folds = k_fold(groups, n_folds, session.seed("folds")).map_err(Error::from)?;
    let fitted = choices.fit_folds(names, &folds, session);
    let all_weights = match fitted {
        Ok(weights) => weights,
        Err(error) => {
            session.check()?;
            if groups.len() >= MIN_CLUSTERS {
                return Err(error);
            }
            remarks.push(format!(
                "without some of the {}s the weights have no maximum: nothing is held out, and \
                 the measures flatter the model",
                units.group
            ));
            return Ok(None);
        }
    };
    let parts = folds.iter().zip(all_weights);
    let judged = parts.flat_map(|(fold, weights)| choices.judge(&weights, Some(&fold.test)));
    Ok(Some(judged.collect()))
}
