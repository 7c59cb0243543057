//! A small generator of numbers for picks and shuffles; secrets come from `ids`.

/// A seeded generator (SplitMix64): the same seed gives the same numbers.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// An unpredictable generator.
    ///
    /// # Panics
    /// When the operating system has no randomness to give, which Linux never lets happen after boot.
    pub fn thrown() -> Self {
        let mut seed = [0_u8; 8];
        getrandom::fill(&mut seed).expect("the operating system provides randomness");
        Self(u64::from_le_bytes(seed))
    }

    /// A number below `count`, which must not be zero.
    pub fn below(&mut self, count: usize) -> usize {
        let product = u128::from(self.next()) * count as u128;
        // OK because the upper half of a product with `count` lies below `count`.
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// One of these by its weight; `None` when no weight is above zero.
    pub fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let total: f64 = weights.iter().filter(|weight| **weight > 0.0).sum();
        #[expect(clippy::cast_precision_loss, reason = "53 of its bits are taken")]
        let mut left = (self.next() >> 11) as f64 / (1_u64 << 53) as f64 * total;
        let mut last = None;
        for (at, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            last = Some(at);
            if left < *weight {
                break;
            }
            left -= weight;
        }
        last
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers() {
        let numbers = |seed| {
            let mut dice = Dice::new(seed);
            (0..50).map(|_| dice.below(6)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        assert!((0..6).all(|number| numbers(1).contains(&number)));
        assert!(numbers(1).iter().all(|number| *number < 6));
    }

    #[test]
    fn weights_decide_how_often_something_is_drawn() {
        let mut dice = Dice::new(7);
        let mut drawn = [0_u32; 4];
        for _ in 0..4_000 {
            drawn[dice.weighted(&[0.0, 1.0, 3.0, -2.0]).expect("weights above zero")] += 1;
        }
        assert_eq!((drawn[0], drawn[3]), (0, 0));
        assert!((2_800..3_200).contains(&drawn[2]), "{drawn:?}");
        assert_eq!(dice.weighted(&[0.0, -1.0]), None);
        assert_eq!(dice.weighted(&[]), None);
    }
}
