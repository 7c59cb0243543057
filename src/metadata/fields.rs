//! The facts of the metadata database about a game, as values of its fields, and how both are shown.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    base::schema::schema,
    metadb::{Image, Row, database::own_platform},
    model::{Record, media},
};

/// What a review may write: its name there and the field of the game.
pub const REVIEWED: [(&str, &str); 8] = [
    ("title", "name"),
    ("platform", "platform"),
    ("year", "year"),
    ("developer", "developer"),
    ("publisher", "publisher"),
    ("genre", "genre"),
    ("esrb", "esrb"),
    ("description", "description"),
];
/// The field of the number of the game in the database.
pub const ID: &str = "metadb_id";
/// The ratings of the ESRB that are kept.
const RATINGS: [&str; 9] = ["E", "E10+", "T", "M", "AO", "RP", "EC", "K-A", "Unrated"];

schema! {
    "MatchSide"
    /// A game as it is shown with its match.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Side {
        /// Of the metadata database.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub database_id: Option<u32>,
        pub title: String,
        pub platform: String,
        pub year: String,
        pub developer: String,
        pub publisher: String,
        pub genre: String,
        pub esrb: String,
        pub description: String,
        /// Kinds of media that are there.
        pub media_categories: Vec<String>,
    }
}

impl Side {
    /// A game of the library.
    pub fn of_game(record: &Record) -> Self {
        let pictures = media::FIELDS.into_iter().filter(|kind| !record.is_blank(kind));
        let screenshots = record.texts("screenshots").next().map(|_| "screenshots");
        let text = |key| record.shown(key);
        Self {
            database_id: None,
            title: text("name"),
            platform: text("platform"),
            year: text("year"),
            developer: text("developer"),
            publisher: text("publisher"),
            genre: text("genre"),
            esrb: text("esrb"),
            description: text("description"),
            media_categories: pictures.chain(screenshots).map(str::to_owned).collect(),
        }
    }

    /// A game of the database.
    pub fn of_row(row: &Row, images: &[Image]) -> Self {
        let kinds: BTreeSet<&str> = images.iter().map(|image| image.kind).collect();
        Self {
            database_id: Some(row.id),
            title: row.name.clone(),
            platform: row.platform.clone(),
            year: row.release_year.clone(),
            developer: row.developer.clone(),
            publisher: row.publisher.clone(),
            genre: genres(&row.genre),
            esrb: rating(&row.esrb).to_owned(),
            description: row.overview.clone(),
            media_categories: kinds.into_iter().map(str::to_owned).collect(),
        }
    }
}

/// Every text of the database that a game has a field for; empty ones are left out. `platform` is that of
/// the game, which keeps its own name for what the database calls otherwise.
pub fn values(row: &Row, platform: &str) -> Vec<(&'static str, Value)> {
    let genre = genres(&row.genre);
    let texts = [
        ("name", row.name.as_str()),
        ("platform", own_platform(&row.platform, platform)),
        ("year", &row.release_year),
        ("developer", &row.developer),
        ("publisher", &row.publisher),
        ("genre", &genre),
        ("esrb", rating(&row.esrb)),
        ("description", &row.overview),
        ("series", &row.series),
        ("max_players", &row.max_players),
    ];
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
    texts.map(|(key, text)| (key, Value::from(text))).collect()
}

/// As [`values`], only those with these names of [`REVIEWED`].
pub fn reviewed(row: &Row, platform: &str, names: &[String]) -> Vec<(&'static str, Value)> {
    let wanted = |key: &str| {
        REVIEWED.iter().any(|(name, field)| *field == key && names.iter().any(|it| it == name))
    };
    values(row, platform).into_iter().filter(|(key, _)| wanted(key)).collect()
}

/// Genres with `, ` between them instead of `;`.
fn genres(text: &str) -> String {
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

/// The rating of `M - Mature` or `M Mature`; empty when it is unknown.
fn rating(text: &str) -> &'static str {
    let front = text.split(" - ").next().unwrap_or_default().trim();
    let front = if front.eq_ignore_ascii_case("not rated") { "Unrated" } else { front };
    let known = |word: &str| RATINGS.into_iter().find(|known| known.eq_ignore_ascii_case(word));
    let first = || known(front.split_whitespace().next().unwrap_or_default());
    known(front).or_else(first).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ratings_and_genres_are_those_of_the_library() {
        for (text, expected) in [
            ("M - Mature", "M"),
            ("E10+ - Everyone 10+", "E10+"),
            ("K-A", "K-A"),
            ("T Teen", "T"),
            ("E10+ Everyone 10+", "E10+"),
            ("Teen", ""),
            ("Not Rated", "Unrated"),
            ("X - Unknown", ""),
            ("", ""),
        ] {
            assert_eq!(rating(text), expected, "{text}");
        }
        assert_eq!(genres(" Shooter; Action;;"), "Shooter, Action");
    }

    #[test]
    fn a_row_gives_what_it_knows_and_only_what_is_allowed() {
        let text = str::to_owned;
        let row = Row {
            id: 7,
            name: text("Comet"),
            platform: text("Super Nintendo Entertainment System"),
            release_year: text("1994"),
            genre: text("Shooter; Action"),
            esrb: text("E - Everyone"),
            series: text("Comets"),
            ..Row::default()
        };
        let expected = [
            ("name", json!("Comet")),
            ("platform", json!("SNES")),
            ("year", json!("1994")),
            ("genre", json!("Shooter, Action")),
            ("esrb", json!("E")),
            ("series", json!("Comets")),
        ];
        assert_eq!(values(&row, ""), expected);
        let names = ["title", "genre", "developer"].map(text);
        assert_eq!(reviewed(&row, "", &names), [expected[0].clone(), expected[3].clone()]);
    }

    #[test]
    fn a_game_keeps_its_own_name_of_the_platform_that_is_meant() {
        for (theirs, ours, expected) in [
            ("Windows", "PC", "PC"),
            ("Windows", "Windows", "Windows"),
            ("Windows", "", "Windows"),
            ("Windows", "SNES", "Windows"),
            ("Arcade", "MAME", "MAME"),
            ("Arcade", "fbneo", "fbneo"),
            ("Arcade", "", "Arcade"),
            ("Super Nintendo Entertainment System", "SNES", "SNES"),
            ("Nintendo Wii", "WiiWare", "WiiWare"),
            ("Nintendo Wii", "", "Wii"),
        ] {
            let row = Row { platform: theirs.to_owned(), ..Row::default() };
            let expected = [("platform", json!(expected))];
            assert_eq!(values(&row, ours), expected, "{theirs}, {ours}");
        }
    }
}
