//! Helpers of the tests of both kinds.

use kibitz_experiment::{Experiment, Place, Problems};

/// A section of an experiment file.
pub(crate) fn params<P: Experiment>(text: &str, section: &str) -> P {
    let file: toml::Table = text.parse().unwrap();
    file[section].clone().try_into().unwrap()
}

fn problems<P: Experiment>(text: &str, section: &str) -> Vec<Place> {
    let mut problems = Problems::new([]);
    params::<P>(text, section).check(&mut problems);
    let found = problems.into_found().into_iter();
    found.map(|problem| problem.place).collect()
}

/// Asserts that the kind's example and these experiment files, which have a quick variant, are valid.
pub(crate) fn make_sense<P: Experiment>(files: &[&str]) {
    assert_eq!(problems::<P>(P::EXAMPLE, "params"), []);
    for text in files {
        for section in ["params", "quick"] {
            assert_eq!(problems::<P>(text, section), [], "{section} of {text}");
        }
    }
}

/// Asserts that the example with a text replaced has one mistake, at `path` of the parameters.
pub(crate) fn is_mistaken<P: Experiment>([from, to]: [&str; 2], path: &str) {
    let text = P::EXAMPLE.replacen(from, to, 1);
    assert_ne!(text, P::EXAMPLE);
    let at = Place::Param(path.to_owned());
    assert_eq!(problems::<P>(&text, "params"), [at], "{to}");
}

/// The results of a computation on one thread and on three.
pub(crate) fn on_one_and_three<T: Send>(compute: impl Fn() -> T + Sync) -> [T; 2] {
    [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(&compute)
    })
}
