//! Scaling of counts, so that they stay within the range of `f64`.

/// Counts above `2^SCALE` are divided by it, exactly.
const SCALE: i32 = 300;

/// Groups assigned between two checks of the counts; 32 of 8 tiles multiply them by at most `2^256`.
pub(super) const GROUPS_PER_SCALING: usize = 32;

/// Scales large values down; returns the number of factors `2^SCALE` taken out.
pub(super) fn rescale(values: &mut [f64]) -> u32 {
    let large = 2.0_f64.powi(SCALE);
    let mut n_scaled = 0;
    while values.iter().any(|value| *value > large) {
        for value in values.iter_mut() {
            *value /= large;
        }
        n_scaled += 1;
    }
    n_scaled
}

/// The natural logarithm of `n` factors.
pub(super) fn ln_scale(n: u32) -> f64 {
    f64::from(n) * f64::from(SCALE) * std::f64::consts::LN_2
}
