//! `kibitz-qsim press`: responses to presses, from a signed digraph or an XMILE model.

use std::path::PathBuf;

use clap::ValueEnum;
use kibitz_qsim::press::{Diagram, UnsignedLink, is_xmile};
use kibitz_qsim::render;
use kibitz_text::{Diagnostic, Exit, Failure, note, print as show};

use super::read_file;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// A CSV file with columns `from`, `to` and `sign`: one row per link, `+` where more of `from` makes
    /// `to` rise, `-` where it makes it fall, `?` where that is not known.
    ///
    /// A link from a variable to itself says that it enhances (`+`) or limits itself (`-`).
    #[arg(value_name = "LOOPS.csv", required_unless_present = "xmile")]
    links: Option<PathBuf>,
    /// An XMILE model of Stella or Vensim instead: its stocks, linked by the signs of its equations.
    #[arg(long, value_name = "MODEL", conflicts_with = "links")]
    xmile: Option<PathBuf>,
    /// What to write.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Let every variable without a link to itself limit itself.
    #[arg(long)]
    self_limits: bool,
    /// Show the proof of each sign: paths, loops and complementary subsystems; and for each `?` two sets
    /// of magnitudes that disagree.
    #[arg(long)]
    explain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table.
    Text,
    /// Signs, proofs and magnitudes for programs.
    Json,
    /// A picture.
    Svg,
    /// The links themselves, to correct those of a model by hand.
    Links,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let path = arguments.xmile.as_ref().or(arguments.links.as_ref());
    let path = path.ok_or_else(|| Failure::usage("expected LOOPS.csv or --xmile MODEL"))?;
    let source = read_file(path)?;
    let (file, text) = (source.path(), source.text());
    let (mut diagram, unsigned) = if arguments.xmile.is_some() {
        let found = Diagram::from_xmile(file, text)?;
        (found.diagram, found.unsigned)
    } else if is_xmile(text) {
        return Err(xmile_failure(file));
    } else {
        (Diagram::from_csv(file, text)?, Vec::new())
    };
    if arguments.self_limits {
        diagram.limit_all();
    }
    tell_unsigned(file, &unsigned);
    if arguments.format == Format::Links {
        show(&render::links_csv(&diagram))?;
        return Ok(Exit::Done);
    }
    let press = diagram.press().map_err(|error| {
        let told = Diagnostic::new(error.to_string());
        let help = "a variable that limits itself has a link `-` to itself; --self-limits gives every \
                    one without a link to itself such a link";
        Failure::new(Exit::Negative, told.with_note(help))
    })?;
    match arguments.format {
        Format::Text => show(&render::press_text(&press, arguments.explain))?,
        Format::Json => show(&format!("{:#}\n", render::press_json(&press, &unsigned)))?,
        Format::Svg => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            show(&render::press_svg(&name, &press))?;
        }
        Format::Links => {}
    }
    Ok(Exit::Done)
}

/// What an XMILE file is, and what reads it.
pub(super) fn xmile_failure(file: &str) -> Failure {
    let message = format!(
        "{file} is an XMILE model of system dynamics (Stella, Vensim) with equations, not a file of Kibitz: \
         `kibitz-qsim press --xmile {file}` reads the signs of its equations"
    );
    Failure::new(Exit::BadInput, Diagnostic::new(message))
}

/// Lists the links that equations do not sign.
fn tell_unsigned(file: &str, unsigned: &[UnsignedLink]) {
    if unsigned.is_empty() {
        return;
    }
    let message = format!("{file}: the equations do not sign every link for certain");
    let mut warning = Diagnostic::warning(message);
    for own in unsigned {
        warning = warning.with_note(format!("{} -> {}: {}", own.from, own.to, own.why));
    }
    note(&warning.render(true));
}
