//! What Python calls: questions in JSON as pages ask them, learning that can be watched and stopped,
//! chess, and published values beside reproduced ones. There is no logic here.

mod arrow;
mod chess;
mod choices;
mod compare;
mod graph;
mod learning;
mod minesweeper;
mod players;
mod qsim;
mod signals;

use pyo3::prelude::*;

/// The answer to a question in JSON, in JSON: see `kibitz-web`.
#[pyfunction]
fn answer(py: Python<'_>, question: &str) -> PyResult<String> {
    let answer = py.detach(|| kibitz_web::answer(question.as_bytes()));
    Ok(String::from_utf8(answer)?)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(answer, module)?)?;
    module.add_class::<arrow::Table>()?;
    module.add_function(wrap_pyfunction!(learning::learn, module)?)?;
    module.add_function(wrap_pyfunction!(graph::graph_learn, module)?)?;
    module.add_function(wrap_pyfunction!(graph::graph_predict, module)?)?;
    module.add_function(wrap_pyfunction!(graph::graph_evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(qsim::simulate, module)?)?;
    module.add_function(wrap_pyfunction!(players::fit_player, module)?)?;
    module.add_function(wrap_pyfunction!(players::read_player, module)?)?;
    module.add_function(wrap_pyfunction!(players::explain_game, module)?)?;
    module.add_function(wrap_pyfunction!(players::who_played, module)?)?;
    module.add_function(wrap_pyfunction!(players::compare_players, module)?)?;
    module.add_function(wrap_pyfunction!(minesweeper::players, module)?)?;
    module.add_function(wrap_pyfunction!(minesweeper::series, module)?)?;
    module.add_function(wrap_pyfunction!(minesweeper::record, module)?)?;
    module.add_function(wrap_pyfunction!(minesweeper::generate, module)?)?;
    module.add_function(wrap_pyfunction!(chess::games, module)?)?;
    module.add_function(wrap_pyfunction!(chess::attributes, module)?)?;
    module.add_function(wrap_pyfunction!(chess::chute, module)?)?;
    module.add_function(wrap_pyfunction!(choices::choice_model, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare_tables, module)?)?;
    Ok(())
}
