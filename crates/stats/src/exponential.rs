//! A vectorizable exponential function.

use std::f64::consts::LOG2_E;

/// Larger arguments are clamped to this, to avoid infinity; below its negative, where results are
/// subnormal, the exponential is zero.
const LARGEST: f64 = 708.0;

/// `LN_2` in two parts: the first has so few digits that its products with exponents are exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Added to a number below 2^51, rounds it to an integer in the last bits of the sum.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// Bits of a number before its exponent.
const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;

/// Taylor coefficients of the exponential, from the twelfth power down.
const SERIES: [f64; 13] = {
    let mut series = [1.0; 13];
    let mut power = 1;
    while power <= 12 {
        let mut factorial = 1.0;
        let mut factor = 1;
        while factor <= power {
            factorial *= factor as f64;
            factor += 1;
        }
        series[12 - power] = 1.0 / factorial;
        power += 1;
    }
    series
};

/// Replaces numbers by their exponentials, to one unit in the last place or two.
///
/// The loop has no branches and no calls, so that the compiler vectorizes it. Inline it where the
/// target is known to have fused multiply-add ([`pulp::Arch::dispatch`]): without the instruction it
/// is slow, but gives the same bits.
#[inline(always)]
pub(crate) fn exponentiate(numbers: &mut [f64]) {
    for number in numbers {
        let x = *number;
        let x = if x > LARGEST { LARGEST } else { x };
        let x = if x < -LARGEST { -LARGEST } else { x };
        // exp(x) = 2^n exp(rest), with |rest| at most half the logarithm of 2.
        let shifted = x.mul_add(LOG2_E, ROUNDING);
        let n = shifted - ROUNDING;
        let rest = n.mul_add(-LN_2_LOW, n.mul_add(-LN_2_HIGH, x));
        let mut series = SERIES[0];
        for &coefficient in &SERIES[1..] {
            series = series.mul_add(rest, coefficient);
        }
        let bias = u64::from(f64::MAX_EXP.unsigned_abs()) - 1;
        let power = f64::from_bits(shifted.to_bits().wrapping_add(bias) << MANTISSA_BITS);
        *number = if *number < -LARGEST {
            0.0
        } else {
            series * power
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exponential(x: f64) -> f64 {
        let mut numbers = [x; 5];
        exponentiate(&mut numbers);
        assert!(
            numbers
                .iter()
                .all(|number| number.to_bits() == numbers[0].to_bits())
        );
        numbers[0]
    }

    #[test]
    fn ends_are_tame() {
        assert_eq!(exponential(0.0), 1.0);
        assert_eq!(exponential(-0.0), 1.0);
        assert_eq!(exponential(-1e6), 0.0);
        assert!(exponential(1e6) > 1e300);
        assert!(exponential(f64::NAN).is_nan());
        assert!((LN_2_HIGH + LN_2_LOW - std::f64::consts::LN_2).abs() < 1e-16);
    }

    proptest! {
        #[test]
        fn agrees_with_one_at_a_time(x in -708.0f64..708.0) {
            prop_assert!((exponential(x) / x.exp() - 1.0).abs() < 5e-16);
        }
    }
}
