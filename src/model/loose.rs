//! Deserialising one field without trusting its type: a mistyped value reads as empty.
//!
//! A library may have been edited by hand or written by another version; one odd value must never
//! make a game, let alone the library, unreadable.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};

/// Text, borrowed from the input where it holds no escapes; numbers are written out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LooseText<'a>(pub Cow<'a, str>);

/// A number; text holding one counts. `None` for everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LooseNumber(pub Option<f64>);

/// `true` only for the JSON value `true`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LooseFlag(pub bool);

/// The texts of a list; anything else reads as none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LooseTexts(pub Vec<String>);

/// What any JSON value is, seen through one visitor.
enum Seen<'a> {
    Text(Cow<'a, str>),
    Number(f64, String),
    Flag(bool),
    List(Vec<String>),
    Nothing,
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Seen<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Seen::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Seen::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Seen::Text(Cow::Owned(text)))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Seen::Flag(flag))
    }

    #[expect(clippy::cast_precision_loss, reason = "the text keeps the exact digits")]
    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Seen::Number(number as f64, number.to_string()))
    }

    #[expect(clippy::cast_precision_loss, reason = "the text keeps the exact digits")]
    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Seen::Number(number as f64, number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Seen::Number(number, number.to_string()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Seen::Nothing)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Seen::Nothing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        while let Some(LooseText(text)) = list.next_element()? {
            if !text.is_empty() {
                texts.push(text.into_owned());
            }
        }
        Ok(Seen::List(texts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Seen::Nothing)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for LooseText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match deserializer.deserialize_any(AnyValue)? {
            Seen::Text(text) => text,
            Seen::Number(_, text) => Cow::Owned(text),
            Seen::Flag(_) | Seen::List(_) | Seen::Nothing => Cow::Borrowed(""),
        }))
    }
}

impl<'de> Deserialize<'de> for LooseNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match deserializer.deserialize_any(AnyValue)? {
            Seen::Number(number, _) => Some(number),
            Seen::Text(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
            Seen::Flag(_) | Seen::List(_) | Seen::Nothing => None,
        }))
    }
}

impl<'de> Deserialize<'de> for LooseFlag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(matches!(deserializer.deserialize_any(AnyValue)?, Seen::Flag(true))))
    }
}

impl<'de> Deserialize<'de> for LooseTexts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match deserializer.deserialize_any(AnyValue)? {
            Seen::List(texts) => texts,
            _ => Vec::new(),
        }))
    }
}

impl LooseNumber {
    /// The number as a non-negative integer, saturating; zero when there is none.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a saturating cast is what is wanted"
    )]
    pub fn count(self) -> u64 {
        self.0.filter(|number| *number > 0.0).map_or(0, |number| number as u64)
    }
}
