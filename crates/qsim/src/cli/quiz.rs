//! `kibitz-qsim quiz`: predict the next state, and get the reason.

use std::io::BufRead as _;

use kibitz_text::{Exit, Failure, print as show};

use super::{read_system, warn};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The system: a file, or the name of one that comes with the program.
    system: String,
    /// Maximum number of questions.
    #[arg(long, value_name = "N", default_value_t = 5)]
    questions: usize,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let system = read_system(&arguments.system)?;
    warn(&system);
    let (tree, all) = system.exercises()?;
    let n = all.len().min(arguments.questions);
    show(&format!(
        "{}\nWhich states can come next? Answer by numbers, such as `1` or `1 3`.\n",
        system.title
    ))?;
    let mut input = std::io::stdin().lock();
    let (mut asked, mut right) = (0, 0);
    for (number, exercise) in all.iter().take(n).enumerate() {
        let state = tree.state(exercise.state);
        let now = system.model.show(state.values());
        show(&format!(
            "\nquestion {} of {n}, {}: {now}\n",
            number + 1,
            state.time_label()
        ))?;
        for (at, choice) in exercise.choices.iter().enumerate() {
            show(&format!(
                "  {}  {}\n",
                at + 1,
                system.model.show(&choice.values)
            ))?;
        }
        let Some(answer) = read_answer(&mut input, exercise.choices.len())? else {
            break;
        };
        asked += 1;
        let choices = exercise.choices.iter().enumerate();
        let expected: Vec<usize> = choices
            .filter(|(_, choice)| choice.is_right)
            .map(|(at, _)| at + 1)
            .collect();
        let is_right = answer == expected;
        right += usize::from(is_right);
        show(if is_right { "right\n" } else { "not so\n" })?;
        for (at, choice) in exercise.choices.iter().enumerate() {
            let told = if choice.is_right {
                "follows"
            } else {
                "cannot follow"
            };
            show(&format!("  {}  {told}: {}\n", at + 1, choice.reason))?;
        }
    }
    show(&format!("\n{right} of {asked} right\n"))?;
    Ok(Exit::Done)
}

/// The numbers of one line, in order; nothing at the end of the input.
fn read_answer(
    input: &mut std::io::StdinLock<'_>,
    n: usize,
) -> Result<Option<Vec<usize>>, Failure> {
    loop {
        let mut line = String::new();
        let read = input.read_line(&mut line);
        let read =
            read.map_err(|error| Failure::failed(format!("cannot read answers: {error}")))?;
        if read == 0 {
            return Ok(None);
        }
        let words = line.split([' ', ',', '\n', '\r', '\t']);
        let words = words.filter(|word| !word.is_empty());
        let numbers: Option<Vec<usize>> = words
            .map(|word| word.parse().ok().filter(|at| (1..=n).contains(at)))
            .collect();
        match numbers {
            Some(mut numbers) if !numbers.is_empty() => {
                numbers.sort_unstable();
                numbers.dedup();
                return Ok(Some(numbers));
            }
            _ => show(&format!("expected numbers from 1 to {n}\n"))?,
        }
    }
}
