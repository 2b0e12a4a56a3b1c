//! The command line: arguments, files, exit codes.

mod check;
mod learn;
mod press;
mod quiz;

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand, ValueEnum};
use kibitz_qsim::press::is_xmile;
use kibitz_qsim::render::{self, Graph};
use kibitz_qsim::{BUNDLED, BehaviorTree, BundledSystem, Options, PartialState, System};
use kibitz_text::{Diagnostic, Exit, Failure, SourceFile, note, print as show, suggestion};

/// Qualitative simulation after Kuipers' QSIM.
#[derive(Debug, Parser)]
#[command(name = "kibitz-qsim", version, after_help = Exit::help())]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show all behaviors of a system from its initial states.
    Simulate(SimulateArguments),
    /// Check a system, or whether it can go through a sequence of states or a measured trajectory.
    Check(check::Arguments),
    /// Learn a model from states: every constraint that all of them satisfy with its corresponding values.
    ///
    /// The constraints are written as in a system file. Which ones only their corresponding values
    /// contradict is said; `--no-corresponding` learns them.
    Learn(learn::Arguments),
    /// Show which variables rise and which fall after a press: loop analysis of a signed digraph.
    ///
    /// A press is a lasting push on the rate of change of one variable. The signs of all responses at
    /// equilibrium follow from the signs of the links alone, or depend on magnitudes.
    Press(press::Arguments),
    /// Ask which state of a system comes next, and give the reason.
    Quiz(quiz::Arguments),
    /// List the systems that come with the program, or show the file of one.
    Systems {
        /// Its name.
        name: Option<String>,
    },
    /// Print the JSON schema of system files, for editors.
    Schema,
}

#[derive(Debug, clap::Args)]
struct SimulateArguments {
    /// The system: a file, or the name of one that comes with the program.
    system: String,
    /// What to write.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The graph of the states that can be reached, each once, instead of the tree of behaviors.
    #[arg(long)]
    envision: bool,
    /// The graph of all states that the constraints accept, reached or not.
    #[arg(long, conflicts_with = "envision")]
    all: bool,
    /// Only the behavior of this number; as SVG, its plots instead of the state graph.
    #[arg(long, value_name = "N", conflicts_with_all = ["envision", "all"])]
    behavior: Option<usize>,
    #[command(flatten)]
    changes: OptionArguments,
    /// Also show rejected states, and the constraint or filter that rejects each.
    #[arg(long)]
    explain: bool,
    /// Write a picture of each behavior and of the state graph into this folder.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["envision", "all"])]
    pictures: Option<PathBuf>,
}

/// Changes of a system's options.
#[derive(Debug, clap::Args)]
struct OptionArguments {
    /// Maximum number of states.
    #[arg(long, value_name = "N")]
    max_states: Option<usize>,
    /// Show directions that only continuity bounds, which multiply behaviors; they are ignored otherwise.
    #[arg(long)]
    chatter: bool,
    /// Options to turn on, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "OPTIONS")]
    with: Vec<Switch>,
    /// Options to turn off, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "OPTIONS")]
    without: Vec<Switch>,
}

impl OptionArguments {
    fn apply(&self, system: &mut System) {
        if self.with.contains(&Switch::Energy) && system.model.energy().is_none() {
            let message = "ignored `--with energy`: the system has no `[energy]`";
            note(&Diagnostic::warning(message).render(true));
        }
        let options = &mut system.options;
        options.max_states = self.max_states.unwrap_or(options.max_states);
        options.ignore_chatter &= !self.chatter;
        for switch in &self.with {
            *switch.of(options) = true;
        }
        for switch in &self.without {
            *switch.of(options) = false;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables.
    Text,
    /// States, transitions and behaviors for programs.
    Json,
    /// The state graph for Graphviz.
    Dot,
    /// A picture.
    Svg,
}

/// An option of `[simulation]` that can be turned on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    /// New landmarks where a variable comes to rest.
    NewLandmarks,
    /// Reject a time point at which nothing changes.
    NoChange,
    /// End behaviors that return to a state.
    Cycles,
    /// End behaviors in which something becomes infinite.
    Divergence,
    /// Finite variables are steady at infinite time.
    InfiniteTime,
    /// Let a system leave an equilibrium.
    Departures,
    /// Do not distinguish directions that chatter.
    IgnoreChatter,
    /// Use the argument about energy.
    Energy,
}

impl Switch {
    fn of(self, options: &mut Options) -> &mut bool {
        match self {
            Self::NewLandmarks => &mut options.new_landmarks,
            Self::NoChange => &mut options.no_change,
            Self::Cycles => &mut options.cycles,
            Self::Divergence => &mut options.divergence,
            Self::InfiniteTime => &mut options.infinite_time,
            Self::Departures => &mut options.departures,
            Self::IgnoreChatter => &mut options.ignore_chatter,
            Self::Energy => &mut options.energy,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Simulate(simulate) => run_simulate(simulate),
        Command::Check(arguments) => check::run(arguments),
        Command::Learn(arguments) => learn::run(arguments),
        Command::Press(arguments) => press::run(arguments),
        Command::Quiz(arguments) => quiz::run(arguments),
        Command::Systems { name: None } => {
            for bundled in BUNDLED {
                show(&format!("{:20} {}\n", bundled.name, bundled.read()?.title))?;
            }
            Ok(Exit::Done)
        }
        Command::Systems { name: Some(name) } => {
            let found = BundledSystem::find(name);
            let found = found.ok_or_else(|| {
                let unknown = Diagnostic::new(format!("no system is called `{name}`"));
                let names = BUNDLED.iter().map(|bundled| bundled.name);
                Failure::new(
                    Exit::NothingSelected,
                    unknown.with_label(suggestion(name, names)),
                )
            })?;
            show(found.toml)?;
            Ok(Exit::Done)
        }
        Command::Schema => {
            show(&format!("{:#}\n", kibitz_qsim::schema()))?;
            Ok(Exit::Done)
        }
    }
}

/// Shows the warnings of a system file.
fn warn(system: &System) {
    for warning in system.warnings.iter() {
        note(&warning.render(true));
    }
}

/// Reads a file; `-` is not standard input.
fn read_file(path: &Path) -> Result<SourceFile, Failure> {
    if path == Path::new("-") {
        let message = "cannot read `-` as standard input: give a file; `/dev/stdin` is one";
        return Err(Failure::usage(message));
    }
    SourceFile::read(path)
}

fn read_system(name: &str) -> Result<System, Failure> {
    let read = read_file(Path::new(name));
    let source = match (read, BundledSystem::find(name)) {
        (Err(failure), Some(found)) if failure.exit == Exit::Missing => return Ok(found.read()?),
        (Err(failure), None) if failure.exit == Exit::Missing => {
            return Err(failure.with_note(&suggested(name)));
        }
        (read, _) => read?,
    };
    if is_xmile(source.text()) {
        return Err(press::xmile_failure(name));
    }
    Ok(System::from_toml(name, source.text())?)
}

/// The bundled systems that may be meant.
fn suggested(name: &str) -> String {
    let known = suggestion(name, BUNDLED.iter().map(|bundled| bundled.name));
    format!("of the systems that come with the program: {known}")
}

fn run_simulate(arguments: &SimulateArguments) -> Result<Exit, Failure> {
    let mut system = read_system(&arguments.system)?;
    warn(&system);
    arguments.changes.apply(&mut system);
    system.options.explain |= arguments.explain;
    if system.initial.is_empty() && !arguments.all {
        let message = "the system has no [[initial]] state: give it one, or ask for --all";
        return Err(Failure::usage(message));
    }
    let limit = if arguments.envision || arguments.all {
        show_envisionment(arguments, &system)?
    } else {
        show_behaviors(arguments, &system)?
    };
    Ok(match limit {
        None => Exit::Done,
        Some(message) => {
            note(&Diagnostic::warning(message).render(true));
            Exit::Failed
        }
    })
}

fn show_envisionment(
    arguments: &SimulateArguments,
    system: &System,
) -> Result<Option<String>, Failure> {
    let envisionment = if arguments.all {
        system.model.envision_all(&system.options)?
    } else {
        system.model.envision(&system.initial, &system.options)?
    };
    let limit = envisionment.limit_message();
    if arguments.format == Format::Text {
        show(&render::envisionment_text(
            &system.title,
            &system.model,
            &envisionment,
        ))?;
        if arguments.explain {
            let explained = render::envisionment_explanation_text(&system.model, &envisionment);
            show(&format!("\n{explained}"))?;
        }
    } else {
        let graph = Graph::of_envisionment(&system.model, &envisionment);
        print_graph(arguments.format, system, &graph, None, limit.as_deref())?;
    }
    Ok(limit)
}

fn print_graph(
    format: Format,
    system: &System,
    graph: &Graph,
    behaviors: Option<&[kibitz_qsim::Behavior]>,
    limit: Option<&str>,
) -> Result<(), Failure> {
    match format {
        Format::Text => Ok(()),
        Format::Json => {
            let json = render::json(system, graph, behaviors, limit);
            show(&format!("{json:#}\n"))
        }
        Format::Dot => show(&render::dot(&system.title, graph)),
        Format::Svg => show(&render::graph_svg(&system.title, graph)),
    }
}

fn show_behaviors(
    arguments: &SimulateArguments,
    system: &System,
) -> Result<Option<String>, Failure> {
    let tree = system.model.simulate(&system.initial, &system.options)?;
    let mut behaviors = tree.behaviors();
    if let Some(folder) = &arguments.pictures {
        write_pictures(folder, system, &tree)?;
    }
    let limit = tree.limit_message();
    if let Some(number) = arguments.behavior {
        let n = behaviors.len();
        let wrong = || Failure::usage(format!("no behavior {number}: expected 1 to {n}"));
        let chosen = number
            .checked_sub(1)
            .filter(|index| *index < n)
            .ok_or_else(wrong)?;
        behaviors = vec![behaviors.swap_remove(chosen)];
    }
    match (arguments.format, arguments.behavior) {
        (Format::Text, Some(_)) => show(&render::behavior_text(&tree, &behaviors[0]))?,
        (Format::Text, None) => show(&render::behaviors_text(&system.title, &tree))?,
        (Format::Svg, Some(_)) => {
            show(&render::behavior_svg(&system.title, &tree, &behaviors[0]))?;
        }
        (format, _) => {
            let graph = Graph::from(&tree);
            print_graph(format, system, &graph, Some(&behaviors), limit.as_deref())?;
        }
    }
    if arguments.explain && arguments.format == Format::Text {
        show(&format!("\n{}", render::explanation_text(&tree)))?;
    }
    Ok(limit)
}

fn write_pictures(folder: &Path, system: &System, tree: &BehaviorTree<'_>) -> Result<(), Failure> {
    let write = |name: &str, svg: &str| {
        let path = folder.join(name);
        std::fs::write(&path, svg).map_err(|error| Failure::unwritable(&path, &error))
    };
    std::fs::create_dir_all(folder).map_err(|error| Failure::unwritable(folder, &error))?;
    write(
        "states.svg",
        &render::graph_svg(&system.title, &Graph::from(tree)),
    )?;
    for behavior in tree.behaviors() {
        let svg = render::behavior_svg(&system.title, tree, &behavior);
        write(&format!("behavior-{}.svg", behavior.number), &svg)?;
    }
    Ok(())
}

/// Rejects a file without states, of which anything would be true.
fn some_states(states: &[PartialState], file: &str) -> Result<(), Failure> {
    if states.is_empty() {
        let none = Diagnostic::new(format!("{file} has no states"));
        let expected = none.with_note("expected at least one `[[states]]` table");
        return Err(Failure::new(Exit::BadInput, expected));
    }
    Ok(())
}
