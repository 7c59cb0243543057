//! A stored record as the raw JSON of its known fields, without building values.
//!
//! Owns the numbering of the fields: slot `n` is row `n` of [`FIELDS`], followed by a few stored keys
//! that only feed computed flags. One pass over the JSON fills the slots; a field that holds its
//! unset value counts as missing, so most of a game costs nothing to project.

use std::{borrow::Cow, fmt};

use serde::{
    Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::model::{
    fields::{FIELDS, Kind},
    loose::{LooseNumber, LooseText},
    media,
};

/// Stored keys behind computed flags, which the projection does not show as they are.
const HIDDEN: [&str; 4] = ["owned", "store_installed", "moments", "ach_mastered"];

/// How many slots there are.
pub const COUNT: usize = FIELDS.len() + HIDDEN.len();

/// Slots of the fields that hold one media path each.
pub const MEDIA: [usize; MEDIA_COUNT] = media_slots();

/// How many media fields there are.
pub const MEDIA_COUNT: usize = media::FIELDS.len();

const _: () = assert!(COUNT <= 128, "a set of slots fits 128 bits");
const _: () = assert!(MEDIA_COUNT <= 32, "a set of media fields fits 32 bits");

/// Where a key hashes to; [`NOWHERE`] marks a free place.
const TABLE: [u8; TABLE_LEN] = hash_table();
const TABLE_LEN: usize = 1024;
const NOWHERE: u8 = u8::MAX;

/// The slot of a key that is known to exist; a mistake does not compile where this is a constant.
pub const fn slot(key: &str) -> usize {
    let mut at = 0;
    loop {
        assert!(at < COUNT, "there is no such field");
        if is_same(key_of(at), key) {
            return at;
        }
        at += 1;
    }
}

/// The bit of a media field in a set of media fields; the same holds as for [`slot`].
pub const fn media_bit(key: &str) -> usize {
    let slot = slot(key);
    let mut at = 0;
    while MEDIA[at] != slot {
        at += 1;
    }
    at
}

/// The slot of any key of a stored record.
fn find(key: &str) -> Option<usize> {
    let mut place = hash(key.as_bytes());
    loop {
        match TABLE[place] {
            NOWHERE => return None,
            slot if key_of(slot as usize) == key => return Some(slot as usize),
            _ => place = (place + 1) % TABLE_LEN,
        }
    }
}

const fn key_of(slot: usize) -> &'static str {
    if slot < FIELDS.len() { FIELDS[slot].key } else { HIDDEN[slot - FIELDS.len()] }
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

const fn media_slots() -> [usize; MEDIA_COUNT] {
    let mut slots = [0; MEDIA_COUNT];
    let mut at = 0;
    while at < MEDIA_COUNT {
        slots[at] = slot(media::FIELDS[at]);
        at += 1;
    }
    slots
}

/// The hash of a key as a place in the table (FNV-1a, folded).
const fn hash(key: &[u8]) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    let mut at = 0;
    while at < key.len() {
        hash = (hash ^ key[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ (hash >> 16)) as usize % TABLE_LEN
}

#[expect(clippy::cast_possible_truncation, reason = "there are at most 128 slots")]
const fn hash_table() -> [u8; TABLE_LEN] {
    let mut table = [NOWHERE; TABLE_LEN];
    let mut slot = 0;
    while slot < COUNT {
        let mut place = hash(key_of(slot).as_bytes());
        while table[place] != NOWHERE {
            place = (place + 1) % TABLE_LEN;
        }
        table[place] = slot as u8;
        slot += 1;
    }
    table
}

/// The JSON of a field that is not set.
pub const fn unset(kind: Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Media | Kind::NumberOrBlank => "\"\"",
        Kind::Flag => "false",
        Kind::Count => "0",
        Kind::NumberOrNull => "null",
        Kind::List => "[]",
        Kind::Object => "{}",
    }
}

/// The raw fields of one record.
#[derive(Clone, Debug)]
pub struct Slots<'a> {
    raw: [&'a str; COUNT],
    set: u128,
}

impl Default for Slots<'_> {
    fn default() -> Self {
        Self { raw: [""; COUNT], set: 0 }
    }
}

impl<'a> Slots<'a> {
    /// Reads the JSON of a record; text that is not an object has no fields.
    pub fn of(json: &'a str) -> Self {
        let mut slots = Self::default();
        let mut reader = serde_json::Deserializer::from_str(json);
        if let Err(error) = reader.deserialize_map(Fill(&mut slots)) {
            log::error!("a stored record does not read back: {error}");
        }
        slots
    }

    /// The slots that hold something, lowest first.
    pub fn set(&self) -> impl Iterator<Item = usize> + use<> {
        let mut left = self.set;
        std::iter::from_fn(move || {
            let slot = left.trailing_zeros() as usize;
            // Clears the lowest bit.
            left &= left.wrapping_sub(1);
            (slot < COUNT).then_some(slot)
        })
    }

    /// Whether a slot holds anything but its unset value.
    pub fn is_set(&self, slot: usize) -> bool {
        self.set & (1 << slot) != 0
    }

    /// The JSON in a slot; empty when it is not set.
    pub fn raw(&self, slot: usize) -> &'a str {
        self.raw[slot]
    }

    /// The text in a slot, numbers written out; empty when there is none.
    pub fn text(&self, slot: usize) -> Cow<'a, str> {
        text_of(self.raw(slot))
    }

    /// The boolean in a slot.
    pub fn flag(&self, slot: usize) -> Option<bool> {
        match self.raw(slot) {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The number in a slot, also when it is stored as text.
    pub fn number(&self, slot: usize) -> LooseNumber {
        serde_json::from_str(self.raw(slot)).unwrap_or_default()
    }

    /// How many can play at once, at least 1: the whole part of a number, the highest one in a text such as `1-4` or
    /// `2+`.
    pub fn players(&self) -> u64 {
        let text = self.text(const { slot("max_players") });
        if let Ok(number) = text.trim().parse::<f64>() {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a count is a whole number, and a negative one becomes 0"
            )]
            return (number as u64).max(1);
        }
        let numbers = text.split(|letter: char| !letter.is_ascii_digit());
        numbers.filter_map(|digits| digits.parse().ok()).max().unwrap_or(1).max(1)
    }

    /// The elements of a list in a slot, as JSON.
    pub fn items(&self, slot: usize) -> Vec<&'a str> {
        let raw = self.raw(slot);
        if !raw.starts_with('[') {
            return Vec::new();
        }
        let items: Vec<&'a RawValue> = serde_json::from_str(raw).unwrap_or_default();
        items.into_iter().map(RawValue::get).collect()
    }

    /// Whether a slot holds a list with elements.
    pub fn has_items(&self, slot: usize) -> bool {
        let inside = self.raw(slot).strip_prefix('[').map(str::trim_start);
        inside.is_some_and(|inside| !inside.starts_with(']'))
    }
}

/// Whether a JSON value is a list of nothing but texts.
pub fn holds_only_texts(raw: &str) -> bool {
    let (mut is_text, mut is_escaped) = (false, false);
    let Some(inside) = raw.strip_prefix('[') else { return false };
    inside.bytes().all(|byte| match byte {
        _ if is_escaped => {
            is_escaped = false;
            true
        }
        b'\\' => {
            is_escaped = is_text;
            is_text
        }
        b'"' => {
            is_text = !is_text;
            true
        }
        _ => is_text || byte.is_ascii_whitespace() || matches!(byte, b',' | b']'),
    })
}

/// The text that a JSON value shows: its own, or a number written out; else empty.
pub fn text_of(raw: &str) -> Cow<'_, str> {
    let plain = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match plain {
        Some(plain) if !plain.contains('\\') => Cow::Borrowed(plain),
        _ => serde_json::from_str::<LooseText<'_>>(raw).unwrap_or_default().0,
    }
}

struct Fill<'s, 'a>(&'s mut Slots<'a>);

impl<'de> Visitor<'de> for Fill<'_, 'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(slot) = map.next_key_seed(Key)? {
            let Some(slot) = slot else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let raw = map.next_value::<&'de RawValue>()?.get();
            let nothing = match FIELDS.get(slot) {
                Some(field) => raw == unset(field.kind),
                None => false,
            };
            if nothing || raw == "null" {
                self.0.raw[slot] = "";
                self.0.set &= !(1 << slot);
            } else {
                self.0.raw[slot] = raw;
                self.0.set |= 1 << slot;
            }
        }
        Ok(())
    }
}

struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(find(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_the_highest_number_of_any_text() {
        for (stored, expected) in [
            (r#""4""#, 4),
            (r#""1-4""#, 4),
            (r#""1 - 16 (online)""#, 16),
            (r#""2+""#, 2),
            (r#""2 Players""#, 2),
            ("3", 3),
            ("0", 1),
            (r#""""#, 1),
            (r#""many""#, 1),
            ("null", 1),
            ("1.5", 1),
            (r#""2.9""#, 2),
            ("-4", 1),
            (r#""1e300""#, u64::MAX),
        ] {
            let record = format!(r#"{{"max_players":{stored}}}"#);
            assert_eq!(Slots::of(&record).players(), expected, "{stored}");
        }
    }

    #[test]
    fn lists_of_texts_are_known_from_others() {
        for list in ["[]", "[ ]", r#"["a"]"#, r#"["a, [1]", "\\" , "\"{}", "ä"]"#] {
            assert!(holds_only_texts(list), "{list}");
        }
        for other in ["[1]", r#"["a", null]"#, r#"[["a"]]"#, r#"["\\", {}]"#, r#""a""#, "{}", ""] {
            assert!(!holds_only_texts(other), "{other}");
        }
    }

    #[test]
    fn every_key_finds_its_slot() {
        for at in 0..COUNT {
            assert_eq!(find(key_of(at)), Some(at));
            assert_eq!(slot(key_of(at)), at);
        }
        for stranger in ["", "x", "covers", "game_id", "größe"] {
            assert_eq!(find(stranger), None);
        }
        assert_eq!(MEDIA[media_bit("video_snap")], slot("video_snap"));
    }

    #[test]
    fn reads_raw_fields_and_skips_what_is_unset() {
        let json = r#"{"name":"A \"b\"","unknown":{"name":"no"},"year":1991,"tags":[ ],"cover":"",
            "favorite":false,"hidden":true,"notes":["x",{"ts":""}],"moments":[{}],"rating":null}"#;
        let slots = Slots::of(json);
        assert_eq!(slots.text(slot("name")), "A \"b\"");
        assert_eq!(slots.text(slot("year")), "1991");
        assert_eq!(slots.items(slot("notes")), [r#""x""#, r#"{"ts":""}"#]);
        assert_eq!(slots.flag(slot("hidden")), Some(true));
        assert!(slots.has_items(slot("moments")) && !slots.has_items(slot("tags")));
        let set: Vec<&str> = slots.set().map(key_of).collect();
        assert_eq!(set, ["name", "year", "hidden", "tags", "notes", "moments"]);
        assert_eq!(Slots::of("[]").set().count(), 0);
    }
}
