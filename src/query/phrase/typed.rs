//! Typed keys: `key:value` as people know it from the search box.

use super::{
    condition::{Condition, Flag},
    grammar::year_of,
    words::{Word, number_of},
};
use crate::{base::text, model::fields::PROGRESS};

/// Age ratings in their own spelling.
const ESRB: [&str; 10] = ["E", "E10+", "T", "M", "AO", "RP", "EC", "K-A", "Unrated", "Everyone"];

/// What a typed key asks for; `None` for a key or value that is not known.
pub(super) fn meaning(word: &Word) -> Option<Condition> {
    let key = word.key.as_deref().filter(|_| !word.is_denied)?;
    let value = word.text.as_str();
    let own = || value.to_owned();
    let yes = !matches!(value, "no" | "false" | "0");
    Some(match key {
        "genre" => Condition::Genre(vec![own()]),
        "platform" | "plat" => Condition::Platform(word.spelled.clone()),
        "dev" | "developer" => Condition::Developer(own()),
        "pub" | "publisher" => Condition::Publisher(own()),
        "progress" => Condition::Progress(vec![progress(value, &word.spelled)]),
        "esrb" => Condition::Esrb(vec![esrb(value, &word.spelled)]),
        "favorite" | "fav" => Condition::Favorite(yes),
        "hidden" | "hide" => Condition::Hidden(yes),
        "saves" => Condition::Saves(yes),
        "achievements" => Condition::Achievements(yes),
        "installed" => Condition::Installed(yes),
        "series" => Condition::Series(own()),
        "region" => Condition::Region(own()),
        "tag" | "tags" => Condition::Tag(own()),
        "source" | "store" | "storefront" => Condition::Source(own()),
        "rating" => Condition::RatingMin(stars(value)?),
        "myrating" => Condition::StarsMin(stars(value)?),
        "year" => years(value)?,
        "players" => Condition::PlayersMin(whole(value)?),
        "unplayed" if yes => Condition::Unplayed,
        "unplayed" => Condition::Played,
        "notes" => Condition::Flag(Flag::Notes, yes),
        _ => return None,
    })
}

/// A state in the spelling of records; anything else stays as it was written and takes no game.
fn progress(value: &str, spelled: &str) -> String {
    let known = PROGRESS.iter().find(|state| !state.is_empty() && text::fold(state) == value);
    match (known, value) {
        (Some(state), _) => (*state).to_owned(),
        (None, "unplayed") => "Unplayed".to_owned(),
        (None, "dropped") => "Abandoned".to_owned(),
        (None, _) => spelled.to_owned(),
    }
}

fn esrb(value: &str, spelled: &str) -> String {
    let known = ESRB.iter().find(|rating| text::fold(rating) == value);
    known.map_or_else(|| spelled.to_owned(), |rating| (*rating).to_owned())
}

fn stars(value: &str) -> Option<f64> {
    number_of(value).filter(|stars| (0.0..=5.0).contains(stars))
}

fn whole(value: &str) -> Option<i64> {
    let number = number_of(value).filter(|number| number.fract() == 0.0 && *number >= 1.0)?;
    #[expect(clippy::cast_possible_truncation, reason = "seven digits at most")]
    Some(number as i64)
}

/// `1994`, `1990-1999`, `1990-` or `-1999`. A span may reach beyond the years of a plain one.
fn years(value: &str) -> Option<Condition> {
    let Some((from, to)) = value.split_once('-') else {
        let year = year_of(value)?;
        return Some(Condition::Years { min: Some(year), max: Some(year) });
    };
    let bound = |text: &str| -> Option<Option<i64>> {
        let is_year = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        if text.is_empty() { Some(None) } else { is_year.then(|| text.parse().ok()) }
    };
    let (min, max) = (bound(from)?, bound(to)?);
    (min.is_some() || max.is_some()).then_some(Condition::Years { min, max })
}
