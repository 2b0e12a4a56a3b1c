//! Sets of signs, and the sign arithmetic that every constraint is made of.

/// A set of the signs −, 0 and +: those that are possible.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Signs(u8);

impl Signs {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NEGATIVE: Self = Self(1);
    pub(crate) const ZERO: Self = Self(2);
    pub(crate) const POSITIVE: Self = Self(4);
    pub(crate) const ANY: Self = Self(7);

    /// The sign of `left` minus `right`.
    pub(crate) fn comparing<T: Ord>(left: &T, right: &T) -> Self {
        Self(1 << (left.cmp(right) as i8 + 1))
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the two sets have a sign in common.
    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn negated(self) -> Self {
        Self(self.0 >> 2 | self.0 & 2 | (self.0 & 1) << 2)
    }

    /// The signs that a sum can have.
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self(SUM[self.0 as usize][other.0 as usize])
    }

    /// The signs that a product can have.
    pub(crate) const fn times(self, other: Self) -> Self {
        Self(PRODUCT[self.0 as usize][other.0 as usize])
    }
}

impl std::fmt::Debug for Signs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (bit, sign) in ["-", "0", "+"].into_iter().enumerate() {
            if self.0 >> bit & 1 == 1 {
                f.write_str(sign)?;
            }
        }
        Ok(())
    }
}

const SUM: [[u8; 8]; 8] = table(true);
const PRODUCT: [[u8; 8]; 8] = table(false);

/// The possible sums, or products, of the members of two sets of signs.
const fn table(sum: bool) -> [[u8; 8]; 8] {
    let mut table = [[0; 8]; 8];
    let mut left = 0;
    while left < 8 {
        let mut right = 0;
        while right < 8 {
            let mut pair = 0;
            while pair < 9 {
                let (a, b) = (pair / 3, pair % 3);
                if left >> a & 1 == 1 && right >> b & 1 == 1 {
                    table[left][right] |= if sum { sum_of(a, b) } else { product_of(a, b) };
                }
                pair += 1;
            }
            right += 1;
        }
        left += 1;
    }
    table
}

/// The sum of two signs, each 0, 1 or 2 for −, 0 and +.
const fn sum_of(a: usize, b: usize) -> u8 {
    match (a, b) {
        (0, 2) | (2, 0) => 7,
        (1, _) => 1 << b,
        _ => 1 << a,
    }
}

const fn product_of(a: usize, b: usize) -> u8 {
    match (a, b) {
        (1, _) | (_, 1) => 2,
        _ if a == b => 4,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers from -3 to 3 show exactly the combinations that the tables allow.
    #[test]
    fn tables_are_the_arithmetic_of_numbers() {
        let sign = |x: i32| Signs::comparing(&x, &0);
        let all = [Signs::NEGATIVE, Signs::ZERO, Signs::POSITIVE];
        for a in all {
            for b in all {
                let (mut sum, mut product) = (Signs::NONE, Signs::NONE);
                for x in (-3..=3).filter(|x| sign(*x) == a) {
                    for y in (-3..=3).filter(|y| sign(*y) == b) {
                        sum = sum.or(sign(x + y));
                        product = product.or(sign(x * y));
                    }
                }
                assert_eq!((a.plus(b), a.times(b)), (sum, product), "{a:?} {b:?}");
            }
        }
        assert_eq!(Signs::ANY.plus(Signs::NONE), Signs::NONE);
        let mixed = Signs::NEGATIVE.or(Signs::ZERO);
        assert_eq!(mixed.negated(), Signs::ZERO.or(Signs::POSITIVE));
        assert_eq!(mixed.times(mixed), Signs::ZERO.or(Signs::POSITIVE));
    }
}
