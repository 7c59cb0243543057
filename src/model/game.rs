//! One game: the compact JSON of its stored record, and typed views of the fields rules need often.
//!
//! A game is immutable. To change one, open its [`Record`], edit that, and seal it again. Text
//! fields point into the JSON where they hold no escapes, and what few games have stands apart, so a
//! library costs about what its file costs.

use std::sync::Arc;

use serde::Deserialize;

use super::{
    loose::{LooseFlag, LooseNumber, LooseText, LooseTexts},
    record::Record,
};

/// A stored game. Numbers are in the units of the record: seconds, counts, stars.
#[derive(Debug)]
pub struct Game {
    json: Box<str>,
    id: Text,
    name: Text,
    path: Text,
    platform: Text,
    genre: Text,
    developer: Text,
    publisher: Text,
    series: Text,
    year: Text,
    esrb: Text,
    progress: Text,
    source: Text,
    last_played: Text,
    added_at: Text,
    rare: Option<Box<Rare>>,
    playtime_seconds: u64,
    play_count: u32,
    rating: f32,
    user_rating: u8,
    flags: u8,
}

const FAVORITE: u8 = 1;
const HIDDEN: u8 = 1 << 1;
const MANUAL: u8 = 1 << 2;
const RATED: u8 = 1 << 3;

/// A piece of the JSON, or one of the texts that stand apart: those that the JSON spells with escapes,
/// and those that lie too far behind for 16 bits. A game has fourteen of these, a library 100,000 games.
#[derive(Clone, Copy, Debug)]
struct Text {
    /// Where it begins in the JSON; [`APART`] for a text that stands apart.
    start: u16,
    /// Bytes; which of the texts it is when it stands apart.
    len: u16,
}

const APART: u16 = u16::MAX;

/// What few games have.
#[derive(Debug, Default)]
struct Rare {
    texts: Vec<Box<str>>,
    legacy_ids: Box<[Box<str>]>,
    manual_playtime_seconds: u64,
}

impl Rare {
    /// Where this text is, for a game with this JSON; it is kept here when it is nowhere there.
    fn place(&mut self, text: &str, json: &str) -> Text {
        if text.is_empty() {
            return Text { start: 0, len: 0 };
        }
        let start = text.as_ptr().addr().wrapping_sub(json.as_ptr().addr());
        let within = start.checked_add(text.len()).is_some_and(|end| end <= json.len());
        match (within, u16::try_from(start), u16::try_from(text.len())) {
            (true, Ok(start), Ok(len)) if start != APART => Text { start, len },
            _ => {
                self.texts.push(text.into());
                // OK because a game has fewer texts than there are numbers.
                Text { start: APART, len: u16::try_from(self.texts.len() - 1).unwrap_or(APART) }
            }
        }
    }

    /// Nothing at all for most games.
    fn boxed(mut self) -> Option<Box<Self>> {
        self.texts.shrink_to_fit();
        let is_needed = !self.texts.is_empty()
            || !self.legacy_ids.is_empty()
            || self.manual_playtime_seconds > 0;
        is_needed.then(|| Box::new(self))
    }
}

#[derive(Deserialize)]
struct Hot<'a> {
    #[serde(borrow, default)]
    game_id: LooseText<'a>,
    #[serde(borrow, default)]
    name: LooseText<'a>,
    #[serde(borrow, default)]
    path: LooseText<'a>,
    #[serde(borrow, default)]
    platform: LooseText<'a>,
    #[serde(borrow, default)]
    genre: LooseText<'a>,
    #[serde(borrow, default)]
    developer: LooseText<'a>,
    #[serde(borrow, default)]
    publisher: LooseText<'a>,
    #[serde(borrow, default)]
    series: LooseText<'a>,
    #[serde(borrow, default)]
    year: LooseText<'a>,
    #[serde(borrow, default)]
    esrb: LooseText<'a>,
    #[serde(borrow, default)]
    progress: LooseText<'a>,
    #[serde(borrow, default)]
    source: LooseText<'a>,
    #[serde(borrow, default)]
    last_played: LooseText<'a>,
    #[serde(borrow, default)]
    added_at: LooseText<'a>,
    #[serde(default)]
    legacy_game_ids: LooseTexts,
    #[serde(default)]
    playtime_seconds: LooseNumber,
    #[serde(default)]
    manual_sessions: Manual,
    #[serde(default)]
    play_count: LooseNumber,
    #[serde(default)]
    rating: LooseNumber,
    #[serde(default)]
    user_rating: LooseNumber,
    #[serde(default)]
    favorite: LooseFlag,
    #[serde(default)]
    hidden: LooseFlag,
    #[serde(default)]
    manual_entry: LooseFlag,
}

/// The total of the manual playtime entries, whatever shape the list has.
#[derive(Default)]
struct Manual(u64);

impl<'de> Deserialize<'de> for Manual {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = serde_json::Value::deserialize(deserializer)?;
        let seconds = entries.as_array().map_or(0, |list| {
            list.iter()
                .filter_map(|entry| LooseNumber::deserialize(entry.get("seconds")?).ok())
                .map(LooseNumber::count)
                .fold(0_u64, u64::saturating_add)
        });
        Ok(Self(seconds))
    }
}

impl Game {
    /// Seals a record.
    pub fn seal(record: &Record) -> Arc<Self> {
        let json = record.to_json();
        // A copy, because the room that a text gave up at its end is too small for anything else.
        // OK because the JSON was just written from an object and every field is read loosely.
        Arc::new(Self::parse(json.as_str().into()).expect("a written record reads back"))
    }

    /// Reads the JSON of one record as it is in the library file or the log.
    ///
    /// JSON that spans lines or repeats a key is rewritten; the rest is kept to the byte.
    ///
    /// # Errors
    /// When the text is not one JSON object.
    pub fn from_json(json: &str) -> Result<Self, serde_json::Error> {
        // A list would do for the typed views; only an object is a record.
        if json.starts_with('{')
            && !json.contains('\n')
            && let Ok(game) = Self::parse(json.into())
        {
            return Ok(game);
        }
        Self::parse(serde_json::from_str::<Record>(json)?.to_json().into())
    }

    fn parse(json: Box<str>) -> Result<Self, serde_json::Error> {
        let hot: Hot<'_> = serde_json::from_str(&json)?;
        let mut rare = Rare {
            legacy_ids: hot.legacy_game_ids.0.iter().map(|id| id.as_str().into()).collect(),
            texts: Vec::new(),
            manual_playtime_seconds: hot.manual_sessions.0,
        };
        let mut text = |field: &LooseText<'_>| rare.place(&field.0, &json);
        let mut flags = 0;
        for (set, flag) in [
            (hot.favorite.0, FAVORITE),
            (hot.hidden.0, HIDDEN),
            (hot.manual_entry.0, MANUAL),
            (hot.rating.0.is_some(), RATED),
        ] {
            flags |= if set { flag } else { 0 };
        }
        #[expect(clippy::cast_possible_truncation, reason = "stars from 0 to 5")]
        let rating = hot.rating.0.unwrap_or(0.0) as f32;
        Ok(Self {
            id: text(&hot.game_id),
            name: text(&hot.name),
            path: text(&hot.path),
            platform: text(&hot.platform),
            genre: text(&hot.genre),
            developer: text(&hot.developer),
            publisher: text(&hot.publisher),
            series: text(&hot.series),
            year: text(&hot.year),
            esrb: text(&hot.esrb),
            progress: text(&hot.progress),
            source: text(&hot.source),
            last_played: text(&hot.last_played),
            added_at: text(&hot.added_at),
            rare: rare.boxed(),
            playtime_seconds: hot.playtime_seconds.count(),
            play_count: u32::try_from(hot.play_count.count()).unwrap_or(u32::MAX),
            rating,
            user_rating: u8::try_from(hot.user_rating.count().min(5)).unwrap_or(5),
            flags,
            json,
        })
    }

    /// Opens the whole record for reading cold fields or for an edit.
    pub fn record(&self) -> Record {
        // OK because `parse` read the same text as an object.
        serde_json::from_str(&self.json).unwrap_or_default()
    }

    /// The record as compact JSON, one line.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The text at a place.
    fn read(&self, text: Text) -> &str {
        let (start, len) = (usize::from(text.start), usize::from(text.len));
        // OK because `place` measured it in this very JSON and these texts, which never change.
        let found = match (text.start, &self.rare) {
            (APART, Some(rare)) => rare.texts.get(len).map(AsRef::as_ref),
            _ => self.json.get(start..start + len),
        };
        found.unwrap_or("")
    }

    /// Stable id, `game-<hex>`.
    pub fn id(&self) -> &str {
        self.read(self.id)
    }

    /// Former ids that still resolve.
    pub fn legacy_ids(&self) -> impl Iterator<Item = &str> {
        self.rare.iter().flat_map(|rare| rare.legacy_ids.iter()).map(AsRef::as_ref)
    }

    /// Whether the user marked it as a favourite.
    pub fn favorite(&self) -> bool {
        self.flags & FAVORITE != 0
    }

    /// Whether the user hid it.
    pub fn hidden(&self) -> bool {
        self.flags & HIDDEN != 0
    }

    /// Whether it is a shelf entry without a file.
    pub fn manual_entry(&self) -> bool {
        self.flags & MANUAL != 0
    }

    /// Metadata rating, 0 to 5; `None` when unrated.
    pub fn rating(&self) -> Option<f32> {
        (self.flags & RATED != 0).then_some(self.rating)
    }

    /// Personal stars, 0 (unrated) to 5.
    pub fn user_rating(&self) -> u8 {
        self.user_rating
    }

    /// How often it was started.
    pub fn play_count(&self) -> u32 {
        self.play_count
    }

    /// Tracked seconds of play, without manual entries.
    pub fn playtime_seconds(&self) -> u64 {
        self.playtime_seconds
    }

    /// Seconds of the manual playtime entries.
    pub fn manual_playtime_seconds(&self) -> u64 {
        self.rare.as_ref().map_or(0, |rare| rare.manual_playtime_seconds)
    }
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        impl Game {
            $($(#[$doc])* pub fn $name(&self) -> &str { self.read(self.$name) })+
        }
    };
}

texts! {
    /// Title.
    name,
    /// Absolute path of the file that is played; empty for shelf entries.
    path,
    /// Platform name.
    platform,
    /// Genres, comma-separated.
    genre,
    /// Developer.
    developer,
    /// Publisher.
    publisher,
    /// Series.
    series,
    /// Release year or date as the user wrote it.
    year,
    /// Age rating.
    esrb,
    /// Progress state; empty is unplayed.
    progress,
    /// Where the record came from.
    source,
    /// Local time of the last start.
    last_played,
    /// Local time of arrival in the library.
    added_at,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn game(value: serde_json::Value) -> Arc<Game> {
        Game::seal(&serde_json::from_value(value).expect("an object"))
    }

    #[test]
    fn a_game_is_small_beside_its_record() {
        // With its two counters and what the allocator adds it takes 128 bytes.
        assert!(size_of::<Game>() <= 104, "{}", size_of::<Game>());
        assert!(game(json!({"game_id": "game-1", "name": "A"})).rare.is_none());
    }

    #[test]
    fn texts_with_escapes_stand_apart() {
        let game = game(
            json!({"name": "A \"B\"", "path": "/c\n", "genre": "D", "legacy_game_ids": ["e"]}),
        );
        assert_eq!((game.name(), game.path(), game.genre()), ("A \"B\"", "/c\n", "D"));
        assert_eq!(game.legacy_ids().collect::<Vec<_>>(), ["e"]);
        assert_eq!(game.rare.as_ref().map(|rare| rare.texts.len()), Some(2));
    }

    #[test]
    fn texts_far_behind_stand_apart() {
        for len in [65_400, 65_535, 70_000] {
            let text = "x".repeat(len);
            let game = game(json!({"description": text, "name": "A", "path": "/b", "genre": text}));
            assert_eq!((game.name(), game.path(), game.genre()), ("A", "/b", text.as_str()));
            assert_eq!(game.record().text("description"), text);
        }
    }

    #[test]
    fn views_agree_with_the_record() {
        let game = game(json!({
            "game_id": "game-1", "name": "Line\nbreak \"quoted\"", "path": "/a/b", "year": 1991,
            "favorite": true, "hidden": "yes", "rating": "4.5", "play_count": 3, "future": [1],
            "manual_sessions": [{"seconds": 60}, {"seconds": "2"}, {"seconds": 3.0}, {"date": "x"}],
        }));
        assert_eq!(game.name(), "Line\nbreak \"quoted\"");
        assert_eq!((game.id(), game.path(), game.year()), ("game-1", "/a/b", "1991"));
        assert!(game.favorite() && !game.hidden());
        assert_eq!(game.rating(), Some(4.5));
        assert_eq!((game.play_count(), game.manual_playtime_seconds()), (3, 65));
        assert_eq!(game.record().list("future").len(), 1);
    }

    #[test]
    fn odd_values_never_make_a_game_unreadable() {
        let game = Game::from_json(
            "{\"name\": [1], \"path\": null, \"play_count\": -1, \"rating\": {}, \"tags\": 5}",
        )
        .expect("readable");
        assert_eq!((game.name(), game.path(), game.play_count()), ("", "", 0));
        assert_eq!(game.rating(), None);
    }

    #[test]
    fn repeated_keys_and_pretty_json_are_written_anew() {
        let game = Game::from_json("{\n \"name\": \"A\",\n \"name\": \"B\"\n}").expect("readable");
        assert_eq!(game.name(), "B");
        assert!(!game.json().contains('\n'));
        assert!(Game::from_json("[1]").is_err() && Game::from_json("{\"name\":").is_err());
    }
}
