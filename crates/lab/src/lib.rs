//! The experiment runner's engine: it reads declared experiments, plans their cells, runs and
//! caches them, and compares the results with print. It knows no game.
