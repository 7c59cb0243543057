//! The parameters of routes: documented and read from the same description.

use super::code::Code;

/// What a parameter or body key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Text.
    Text,
    /// A whole number within bounds.
    Integer {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// A number that is not negative, also a fraction.
    Number,
    /// A boolean.
    Flag,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A list.
    List,
    /// An object.
    Object,
}

/// How a number that is out of bounds is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The request is refused.
    Refused,
    /// The nearest bound is taken.
    Clamped,
    /// The rule behind the route refuses it, because the bounds depend on what is stored.
    Passed,
}

/// One parameter of the query or key of the body: documented from here, and read by
/// [`Call`](super::call::Call).
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub holds: Holds,
    /// Whether a request without it is refused.
    pub required: bool,
    /// One sentence.
    pub about: &'static str,
    /// How a number that is out of bounds is treated.
    pub outside: Outside,
    /// The number when none is given.
    pub default: Option<i64>,
    /// Whether a value of another kind counts as none instead of being refused.
    pub lenient: bool,
    /// Whether `null` is a value of another kind instead of none.
    pub strict: bool,
    /// Whether a text of digits is a number too.
    pub digits: bool,
    /// How many entries a list has at least and at most.
    pub size: (usize, usize),
    /// The sentence that refuses; empty for the usual one of what it holds.
    pub refusal: &'static str,
}

impl Param {
    const fn new(name: &'static str, holds: Holds, required: bool, about: &'static str) -> Self {
        let (outside, default) = (Outside::Refused, None);
        let (lenient, strict, digits) = (false, false, false);
        let (size, refusal) = ((0, usize::MAX), "");
        Self {
            name,
            holds,
            required,
            about,
            outside,
            default,
            lenient,
            strict,
            digits,
            size,
            refusal,
        }
    }

    /// Takes the nearest bound for a number that is out of bounds.
    pub const fn clamped(mut self) -> Self {
        self.outside = Outside::Clamped;
        self
    }

    /// Leaves a number that is out of bounds to the rule behind the route.
    pub const fn passed(mut self) -> Self {
        self.outside = Outside::Passed;
        self
    }

    /// The number when none is given.
    pub const fn or(mut self, default: i64) -> Self {
        self.default = Some(default);
        self
    }

    /// Counts a value of another kind as none.
    pub const fn lenient(mut self) -> Self {
        self.lenient = true;
        self
    }

    /// Refuses a number that is `null`, which otherwise counts as none.
    pub const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Takes a text of digits too: records hold the numbers of providers as texts.
    pub const fn or_digits(mut self) -> Self {
        self.digits = true;
        self
    }

    /// A list of `least` to `most` entries.
    pub const fn sized(mut self, least: usize, most: usize) -> Self {
        self.size = (least, most);
        self
    }

    /// Refuses with this sentence.
    pub const fn refusal(mut self, sentence: &'static str) -> Self {
        self.refusal = sentence;
        self
    }
}

/// A parameter that may be left out.
pub const fn optional(name: &'static str, holds: Holds, about: &'static str) -> Param {
    Param::new(name, holds, false, about)
}

/// A parameter that must be given.
pub const fn required(name: &'static str, holds: Holds, about: &'static str) -> Param {
    Param::new(name, holds, true, about)
}

/// The two ways to name a game, on routes that take a game.
pub const GAME_REF: [Param; 2] = [
    optional("game_id", Holds::Text, "Stable id of the game; preferred."),
    optional(
        "id",
        Holds::Integer { min: 0, max: i64::MAX },
        "Position of the game in the library.",
    ),
];

/// The parameters of a route.
#[derive(Clone, Copy)]
pub struct Params {
    /// Query parameters.
    pub query: &'static [Param],
    /// Keys of the body.
    pub body: &'static [Param],
    /// The code of a parameter that is refused.
    pub refusal: Code,
}
