//! Writing facts of the game database to a game.

use serde_json::Value;

use super::{
    error::LookupError,
    gamedb_answers::{Details, Hit},
    service::Lookup,
    write::{self, Part},
};
use crate::{
    game::{GameRef, origins::Mode},
    model::{Record, origins::Right},
    providers::{GAMEDB, error::Cancel},
};

/// The field of the number of the game in the database.
pub(super) const ID: &str = "gamedb_id";

/// What is known, as values of fields; what is unknown is left out.
pub(super) fn values(details: &Details) -> Vec<(&'static str, Value)> {
    let texts = [
        ("name", &details.name),
        ("description", &details.description),
        ("year", &details.year),
        ("genre", &details.genre),
        ("developer", &details.developer),
        ("publisher", &details.publisher),
    ];
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
    let texts = texts.map(|(field, text)| (field, Value::from(text.as_str())));
    let numbers = [("rating", details.rating), ("time_to_beat_hours", details.hours)];
    let numbers = numbers.into_iter().filter_map(|(field, value)| Some((field, value?.into())));
    texts.chain(numbers).collect()
}

/// Letters and digits of a title, for the one comparison that is made without the user.
fn bare(title: &str) -> String {
    let letters = title.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The hit that is certainly the game: of the same title, and of the same year as far as both know it.
pub(super) fn sure<'a>(hits: &'a [Hit], record: &Record) -> Option<&'a Hit> {
    let title = bare(record.text("name"));
    let year = record.shown("year");
    let is_same = |hit: &&Hit| {
        let theirs = hit.year.map(|year| year.to_string());
        let fits = year.is_empty() || theirs.is_none_or(|theirs| year.starts_with(&theirs));
        !title.is_empty() && bare(&hit.name) == title && fits
    };
    hits.iter().find(is_same)
}

impl Lookup {
    /// Writes the facts of the game database for one of its games to a game of the library; the name of that
    /// then.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn apply_gamedb(&self, game: &GameRef, gamedb_id: u32) -> Result<String, LookupError> {
        let found = write::find(&*self.store.snapshot()?, game)?;
        let details = self.gamedb.ask_details(gamedb_id)?;
        let number = gamedb_id.to_string();
        let origin = write::origin(GAMEDB.id, &number, "");
        let mut values = values(&details);
        values.push((ID, number.into()));
        let parts =
            [Part { right: Right::Request, mode: Mode::Replace, values: &values, before: None }];
        write::write(&self.store, found.id(), &origin, "", &parts)?;
        let state = self.store.snapshot()?;
        let now = state.games.find(found.id()).map(|(_, game)| game.name().to_owned());
        Ok(now.unwrap_or(details.name))
    }

    /// Gives a game of an import the number of the game database when it is certain; whether it did.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn match_gamedb(
        &self,
        game_id: &str,
        pass: &str,
        kind: &str,
        cancel: Cancel<'_>,
    ) -> Result<bool, LookupError> {
        let found = write::find(&*self.store.snapshot()?, &GameRef::Id(game_id.to_owned()))?;
        let record = found.record();
        if record.text("name").trim().is_empty() || !record.is_blank(ID) {
            return Ok(false);
        }
        let hits = self.gamedb.search_while(found.name(), found.platform(), 50, cancel)?;
        let Some(hit) = sure(&hits, &record) else { return Ok(false) };
        let number = hit.id.to_string();
        let origin = write::origin(GAMEDB.id, &number, pass);
        let values = [
            (ID, number.into()),
            ("matched_by", "gamedb".into()),
            ("match_confidence", "exact_title".into()),
        ];
        let parts = [Part { right: Right::Pass, mode: Mode::Fill, values: &values, before: None }];
        Ok(!write::write(&self.store, game_id, &origin, kind, &parts)?.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_equal_titles_of_the_same_year_are_sure() {
        let hit = |id: u32, name: &str, year: Option<i32>| {
            let text = json!({"id": id, "name": name, "summary": "", "year": year, "genres": [],
                "platforms": [], "rating": null, "critic_score": null});
            serde_json::from_value::<Hit>(text).expect("a hit")
        };
        let hits = [hit(1, "Comet Rangers", Some(1990)), hit(2, "Comet: Rangers", None)];
        let found = |record: Value| {
            let record: Record = serde_json::from_value(record).expect("an object");
            sure(&hits, &record).map(|hit| hit.id)
        };
        assert_eq!(found(json!({"name": "comet rangers", "year": "1990-05"})), Some(1));
        assert_eq!(found(json!({"name": "comet rangers", "year": "1994"})), Some(2));
        assert_eq!(found(json!({"name": "comet rangers 2"})), None);
        assert_eq!(found(json!({"name": "!"})), None);
    }
}
