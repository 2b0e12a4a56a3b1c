//! The conditional logit model over rows of attributes.

use kibitz_stats::{ChoiceSets, ConditionalLogit};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What a fit says.
type FitValues = (Vec<f64>, Vec<f64>, f64, f64, u64);

/// Weights, standard errors, bits of the choices under them and under equal chances, and the number of
/// decisions. `rows` are alternatives, those of a decision one after the other; `ends` says where each
/// decision's end, and `chosen` which alternative of it was taken, from zero.
#[pyfunction]
pub(crate) fn choice_model(
    py: Python<'_>,
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
    ends: Vec<usize>,
    chosen: Vec<usize>,
) -> PyResult<FitValues> {
    py.detach(|| fitted(&names, &rows, &ends, &chosen))
        .map_err(PyValueError::new_err)
}

fn fitted(
    names: &[String],
    rows: &[Vec<f64>],
    ends: &[usize],
    chosen: &[usize],
) -> Result<FitValues, String> {
    let mut builder = ChoiceSets::builder(names.len());
    let mut start = 0;
    for (number, (&end, &chosen)) in ends.iter().zip(chosen).enumerate() {
        let own = rows.get(start..end);
        let own = own.ok_or_else(|| format!("decision {}: no such rows", number + 1))?;
        let flat: Vec<f64> = own.iter().flatten().copied().collect();
        if flat.len() != own.len() * names.len() {
            return Err(format!(
                "decision {}: {} attributes are wanted",
                number + 1,
                names.len()
            ));
        }
        let told = builder.push(0, chosen, own.iter());
        told.map_err(|error| format!("decision {}: {error}", number + 1))?;
        start = end;
    }
    let sets = builder.build();
    let model = ConditionalLogit::new(&sets);
    let fit = model.fit().map_err(|error| error.to_string())?;
    if let Some(why) = model.no_maximum(&fit.weights, fit.stop) {
        return Err(why.describe(|idx| format!("`{}`", names[idx])));
    }
    let errors = fit.std_errors.clone();
    let errors = errors.ok_or("the maximum has no standard errors")?;
    let bits = model.bits(&fit.weights);
    Ok((
        fit.weights,
        errors,
        bits,
        model.uniform_bits(),
        sets.n_choices(),
    ))
}
