//! Reads the answers of the game database. Rows that lack what they need are left out.

use serde::Deserialize;
use serde_json::Value;

use super::plain::{DESCRIPTION, NAME, decimal, number, plain, rounded};
use crate::{
    base::{Day, Moment, schema::schema},
    metadb::normal::normalise,
};

/// Platforms of the database that have regional versions of the same machine.
const TWINS: [&[u32]; 4] = [&[18, 99], &[19, 58], &[86, 150], &[80, 79, 52]];
/// Kinds of entries that are games of their own, not additions to one.
const GAMES: [i64; 6] = [0, 4, 8, 9, 10, 11];
/// Rows of lists inside of an answer.
const ROWS: usize = 50;

schema! {
    "GamedbHit"
    /// A game of the game database.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    pub struct Hit {
        /// Its number there.
        pub id: u32,
        pub name: String,
        pub summary: String,
        /// The year of its first release.
        pub year: Option<i32>,
        pub genres: Vec<String>,
        pub platforms: Vec<String>,
        /// Of the users there, 0 to 5.
        pub rating: Option<f64>,
        /// Of critics, 0 to 100.
        pub critic_score: Option<f64>,
    }
}

/// What an apply takes from the database.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, Deserialize)]
pub struct Details {
    pub name: String,
    pub description: String,
    pub year: String,
    pub genre: String,
    pub developer: String,
    pub publisher: String,
    /// 0 to 5.
    pub rating: Option<f64>,
    /// Hours that most people need for the story.
    pub hours: Option<f64>,
}

/// The pictures of a game, by the names of their files.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, Deserialize)]
pub(super) struct Artwork {
    /// The title of the game.
    pub title: String,
    pub covers: Vec<(String, About)>,
    pub screenshots: Vec<(String, About)>,
    /// Drawn scenes, those without a logo first.
    pub scenes: Vec<(String, About)>,
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, Deserialize)]
pub(super) enum About {
    Cover,
    Screenshot,
    Artwork,
    KeyArt,
    KeyArtWithLogo,
}

impl About {
    /// The same for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Cover => "Cover",
            Self::Screenshot => "Screenshot",
            Self::Artwork => "Artwork",
            Self::KeyArt => "Key art",
            Self::KeyArtWithLogo => "Key art with logo",
        }
    }
}

/// A hit with what decides about its place.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub hit: Hit,
    keys: Vec<String>,
    is_game: bool,
}

/// The platforms that are asked for together with one.
pub(super) fn with_twins(platform: u32) -> Vec<u32> {
    let twins = TWINS.iter().find(|twins| twins.contains(&platform));
    twins.map_or_else(|| vec![platform], |twins| twins.to_vec())
}

/// A title as the query language can hold it: without punctuation and accents.
pub(super) fn term(title: &str) -> String {
    let kept = title.chars().filter(|letter| !"\"\\;".contains(*letter) && !letter.is_control());
    let mut term = String::new();
    for letter in kept {
        let plain = if letter.is_ascii() { String::new() } else { normalise(&letter.to_string()) };
        if plain.is_empty() {
            term.push(letter);
        } else {
            term.push_str(&plain);
        }
    }
    term.trim().to_owned()
}

/// A row of a search.
pub(super) fn candidate(row: &Value) -> Option<Candidate> {
    let name = plain(&row["name"], NAME);
    let id = number(&row["id"]).and_then(|id| u32::try_from(id).ok()).filter(|id| *id > 0)?;
    if name.is_empty() {
        return None;
    }
    let alternatives = names(&row["alternative_names"]).into_iter();
    let localized = names(&row["game_localizations"]);
    let keys = [name.clone()].into_iter().chain(alternatives).chain(localized);
    let keys = keys.map(|name| normalise(&name)).collect();
    let is_game = number(&row["game_type"]).is_none_or(|kind| GAMES.contains(&kind));
    let hit = Hit {
        id,
        name,
        summary: plain(&row["summary"], DESCRIPTION),
        year: year_of(&row["first_release_date"]),
        genres: names(&row["genres"]),
        platforms: names(&row["platforms"]),
        rating: rating(&row["rating"]),
        critic_score: score(&row["aggregated_rating"]).map(rounded),
    };
    Some(Candidate { hit, keys, is_game })
}

/// Puts hits into an order: equal titles first, then those that begin so; games before additions to them.
pub(super) fn rank(candidates: Vec<Candidate>, title: &str) -> Vec<Hit> {
    let wanted = normalise(title);
    let mut ranked = candidates;
    ranked.sort_by_key(|candidate| {
        let is_equal = candidate.keys.contains(&wanted);
        let begins = candidate.keys.iter().any(|key| key.starts_with(&wanted));
        (!is_equal, !candidate.is_game, !begins)
    });
    ranked.into_iter().map(|candidate| candidate.hit).collect()
}

/// Hits for a platform by its name, for one that has no number; all of them when none fits.
pub(super) fn on_platform(hits: Vec<Hit>, platform: &str) -> Vec<Hit> {
    let wanted = platform.trim().to_lowercase();
    let fits = |hit: &&Hit| hit.platforms.iter().any(|name| name.to_lowercase().contains(&wanted));
    let found: Vec<Hit> = hits.iter().filter(fits).cloned().collect();
    if wanted.is_empty() || found.is_empty() { hits } else { found }
}

/// The rows of games for one of these platforms, or for none that they name; all of them when none fits.
pub(super) fn of_numbers<'a>(rows: Vec<&'a Value>, numbers: &[u32]) -> Vec<&'a Value> {
    let number = |platform: &Value| platform["id"].as_u64().or_else(|| platform.as_u64());
    let fits = |row: &&&Value| {
        let platforms = row["platforms"].as_array().into_iter().flatten();
        let mut known = platforms.filter_map(number).peekable();
        known.peek().is_none()
            || known.any(|known| numbers.iter().any(|it| u64::from(*it) == known))
    };
    let found: Vec<&Value> = rows.iter().filter(fits).copied().collect();
    if numbers.is_empty() || found.is_empty() { rows } else { found }
}

/// The details of a game.
pub(super) fn details(row: &Value) -> Option<Details> {
    let name = plain(&row["name"], NAME);
    let summary = plain(&row["summary"], DESCRIPTION);
    let companies = |role: &str| {
        let rows = row["involved_companies"].as_array().into_iter().flatten().take(ROWS);
        let of_role = rows.filter(|company| company[role] == Value::Bool(true));
        let named = of_role.map(|company| plain(&company["company"]["name"], NAME));
        named.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
    };
    (!name.is_empty()).then(|| Details {
        name,
        description: if summary.is_empty() {
            plain(&row["storyline"], DESCRIPTION)
        } else {
            summary
        },
        year: year_of(&row["first_release_date"]).map(|year| year.to_string()).unwrap_or_default(),
        genre: names(&row["genres"]).join(", "),
        developer: companies("developer"),
        publisher: companies("publisher"),
        rating: rating(&row["rating"]),
        hours: None,
    })
}

/// The pictures of a game.
pub(super) fn artwork(row: &Value) -> Artwork {
    let about = |row: &Value| match number(&row["artwork_type"]) {
        Some(2) => About::KeyArt,
        Some(3) => About::KeyArtWithLogo,
        _ => About::Artwork,
    };
    let list = |value: &Value, about: &dyn Fn(&Value) -> About| -> Vec<(String, About)> {
        let rows = value.as_array().into_iter().flatten().take(ROWS);
        rows.filter_map(|row| Some((image_id(row)?, about(row)))).collect()
    };
    let mut scenes = list(&row["artworks"], &about);
    scenes.sort_by_key(|(_, about)| *about);
    Artwork {
        title: plain(&row["name"], NAME),
        covers: image_id(&row["cover"]).map(|id| (id, About::Cover)).into_iter().collect(),
        screenshots: list(&row["screenshots"], &|_| About::Screenshot),
        scenes,
    }
}

/// The name of the file of a picture.
fn image_id(row: &Value) -> Option<String> {
    let id = row["image_id"].as_str()?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    ((1..=64).contains(&id.len()) && id.chars().all(is_plain)).then(|| id.to_owned())
}

/// The hours of an answer about the time that a game takes.
pub(super) fn hours(rows: &[Value]) -> Option<f64> {
    let seconds = decimal(&rows.first()?["normally"]).filter(|seconds| *seconds > 0.0)?;
    Some((seconds / 360.0).round() / 10.0)
}

/// Names of a list; a row that is only a number has none.
fn names(list: &Value) -> Vec<String> {
    let rows = list.as_array().into_iter().flatten().take(ROWS);
    let named = rows.map(|row| plain(&row["name"], NAME));
    named.filter(|name| !name.is_empty()).collect()
}

/// 0 to 100 as 0 to 5.
fn rating(value: &Value) -> Option<f64> {
    score(value).map(|score| rounded(score / 20.0))
}

/// A score from 0 to 100.
fn score(value: &Value) -> Option<f64> {
    decimal(value).filter(|score| *score <= 100.0)
}

fn year_of(value: &Value) -> Option<i32> {
    #[expect(clippy::cast_possible_truncation, reason = "what is not a time is refused below")]
    let seconds = value.as_i64().or_else(|| Some(value.as_f64()? as i64))?;
    // What is not a time becomes the epoch.
    let moment = Some(Moment::from_unix(seconds)).filter(|it| it.unix_seconds() == seconds)?;
    let year = Day::utc(&moment).year();
    (1950..=2100).contains(&year).then_some(year)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(id: u32, name: &str, more: &Value) -> Value {
        let mut row = json!({"id": id, "name": name, "first_release_date": 763_948_800,
            "genres": [{"id": 5, "name": "Shooter"}, 7], "platforms": [{"id": 19, "name": "SNES"}],
            "rating": 71.43, "game_type": 0});
        row.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
        row
    }

    #[test]
    fn games_for_other_platforms_are_left_out_where_some_fit() {
        let rows = [
            json!({"id": 1, "platforms": [{"id": 19, "name": "SNES"}, {"id": 130}]}),
            json!({"id": 2, "platforms": [{"id": 130, "name": "Switch"}]}),
            json!({"id": 3, "platforms": [58]}),
            json!({"id": 4}),
        ];
        let found = |numbers: &[u32]| {
            let rows = of_numbers(rows.iter().collect(), numbers);
            rows.iter().filter_map(|row| row["id"].as_u64()).collect::<Vec<_>>()
        };
        assert_eq!(found(&[19, 58]), [1, 3, 4]);
        assert_eq!(found(&[7]), [4]);
        assert_eq!(found(&[]), [1, 2, 3, 4]);
    }

    #[test]
    fn a_row_is_translated() {
        let hit = candidate(&row(9, "Comet", &json!({}))).expect("a hit").hit;
        assert_eq!((hit.year, hit.rating, hit.critic_score), (Some(1994), Some(3.57), None));
        assert_eq!(
            (hit.genres, hit.platforms),
            (vec!["Shooter".to_owned()], vec!["SNES".to_owned()])
        );
        for bad in [json!({"id": 9}), json!({"id": -1, "name": "x"}), json!(7)] {
            assert!(candidate(&bad).is_none(), "{bad}");
        }
        let old =
            candidate(&row(9, "Comet", &json!({"first_release_date": -1_000_000_000_000_i64})));
        assert_eq!(old.expect("a hit").hit.year, None);
    }

    #[test]
    fn equal_titles_come_first_and_additions_last() {
        let rows = [
            row(1, "Comet Rangers Extra", &json!({})),
            row(2, "Comet Rangers", &json!({"game_type": 1})),
            row(3, "Comet Rangers", &json!({})),
            row(4, "Suisei", &json!({"alternative_names": [{"name": "Comet Rangers!"}, 8]})),
            row(5, "Other", &json!({})),
        ];
        let candidates = rows.iter().filter_map(candidate).collect();
        let order: Vec<u32> = rank(candidates, "comet rangers").iter().map(|hit| hit.id).collect();
        assert_eq!(order, [3, 4, 2, 1, 5]);
    }

    #[test]
    fn details_name_makers_and_hours() {
        let company = |name: &str, developer: bool| json!({"company": {"name": name}, "developer": developer, "publisher": !developer});
        let more = json!({"storyline": "Long ago.", "involved_companies": [
            company("Northlight", true), company("Aster", false), 31, {"company": 5, "developer": true}]});
        let found = details(&row(9, "Comet", &more)).expect("details");
        assert_eq!((found.developer.as_str(), found.publisher.as_str()), ("Northlight", "Aster"));
        assert_eq!((found.description.as_str(), found.year.as_str()), ("Long ago.", "1994"));
        assert_eq!(hours(&[json!({"normally": 32_400})]), Some(9.0));
        assert_eq!(hours(&[json!({"normally": 3_900})]), Some(1.1));
        assert_eq!((hours(&[]), hours(&[json!({"normally": 0})])), (None, None));
    }

    #[test]
    fn scores_and_years_have_bounds() {
        for (value, expected) in [
            (json!(100), Some(5.0)),
            (json!(73.456), Some(3.67)),
            (json!(100.5), None),
            (json!(1e300), None),
            (json!("x"), None),
        ] {
            assert_eq!(rating(&value), expected, "{value}");
        }
        for (value, expected) in [
            (json!(0), Some(1970)),
            (json!(-631_152_000), Some(1950)),
            (json!(-631_152_001), None),
            (json!(i64::MAX), None),
            (json!(1e300), None),
            (json!("1970"), None),
        ] {
            assert_eq!(year_of(&value), expected, "{value}");
        }
    }

    #[test]
    fn pictures_are_named_by_plain_ids() {
        let row = json!({"name": "Comet", "cover": {"id": 1, "image_id": "co9zz1"},
            "screenshots": [{"image_id": "sc1"}, 7, {"image_id": "../x"}, {"image_id": ""}],
            "artworks": [{"image_id": "ar1", "artwork_type": 3}, {"image_id": "ar2"},
                {"image_id": "ar3", "artwork_type": 2}]});
        let found = artwork(&row);
        let ids = |list: &[(String, About)]| -> Vec<String> {
            list.iter().map(|(id, about)| format!("{id} {}", about.words())).collect()
        };
        assert_eq!(found.title, "Comet");
        assert_eq!(ids(&found.covers), ["co9zz1 Cover"]);
        assert_eq!(ids(&found.screenshots), ["sc1 Screenshot"]);
        assert_eq!(ids(&found.scenes), ["ar2 Artwork", "ar3 Key art", "ar1 Key art with logo"]);
        assert_eq!(artwork(&json!({"cover": 5, "artworks": 7})), Artwork::default());
    }

    #[test]
    fn terms_hold_nothing_of_the_query_language() {
        assert_eq!(term("Po\"k\\é;mon\n"), "Pokemon");
        assert_eq!(with_twins(58), [19, 58]);
        assert_eq!(with_twins(4), [4]);
    }
}
