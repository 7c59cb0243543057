//! Reads the answers of the provider. Rows that lack what they need are left out.

use std::collections::BTreeMap;

use serde_json::Value;

use super::account::is_ulid;
use crate::{
    base::{schema::schema, text},
    providers::ProviderError,
};

/// Characters of the longest text that is taken from an answer.
const TEXT: usize = 500;
/// Achievements of one game.
const SET: usize = 5_000;
/// Hashes of one game.
const HASHES: usize = 2_000;

/// A user, as the provider knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    pub username: String,
    /// What stays of a user whose name changes; may be blank.
    pub ulid: String,
    pub points: u64,
    pub motto: String,
    pub rich_presence: String,
    /// The game that was played last; 0 when unknown.
    pub last_game: u32,
}

schema! {
    "Achievement"
    /// One achievement of a game.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Achievement {
        pub title: String,
        pub description: String,
        pub points: u64,
        /// The name of its picture, for `GET /api/ach/badge`.
        pub badge: String,
        /// Whether it was earned, in whichever mode.
        pub earned: bool,
        /// Whether it was earned in hardcore mode.
        pub hardcore: bool,
    }
}

/// The achievements of a game and what a user earned of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Progress {
    pub id: u32,
    pub title: String,
    pub earned: u64,
    pub earned_hardcore: u64,
    pub total: u64,
    pub award: Award,
    /// In the order of the provider, each with the time at which it was earned; blank for locked ones.
    pub achievements: Vec<(Achievement, String)>,
}

/// The highest award that a user has of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Award {
    #[default]
    None,
    Beaten,
    Mastered,
}

/// What a user earned of one game of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Completion {
    pub id: u32,
    pub earned: u64,
    pub earned_hardcore: u64,
    pub total: u64,
    pub award: Award,
}

/// A user; `None` for an answer without one.
pub(super) fn profile(answer: &Value) -> Option<Profile> {
    let username = Some(text(&answer["User"])).filter(|name| !name.is_empty())?;
    Some(Profile {
        username,
        ulid: Some(text(&answer["ULID"])).filter(|ulid| is_ulid(ulid)).unwrap_or_default(),
        points: count(&answer["TotalPoints"]),
        motto: text(&answer["Motto"]),
        rich_presence: text(&answer["RichPresenceMsg"]),
        last_game: id(&answer["LastGameID"]).unwrap_or(0),
    })
}

/// The progress in one game; `None` when the game or the user is not known, which is an empty list.
pub(super) fn progress(answer: &Value) -> Result<Option<Progress>, ProviderError> {
    if answer.as_array().is_some_and(Vec::is_empty) {
        return Ok(None);
    }
    let found = answer.as_object().ok_or(ProviderError::Nonsense)?;
    let Some(id) = found.get("ID").and_then(id) else { return Err(ProviderError::Nonsense) };
    // A list where there are none; an object with the ids as keys otherwise.
    let rows: Vec<&Value> = match &answer["Achievements"] {
        Value::Object(rows) => rows.values().take(SET).collect(),
        Value::Array(rows) => rows.iter().take(SET).collect(),
        _ => Vec::new(),
    };
    let mut rows: Vec<_> = rows.into_iter().filter_map(achievement).collect();
    rows.sort_by_key(|(order, _)| *order);
    let achievements: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
    let counted = |is_it: fn(&Achievement) -> bool| {
        achievements.iter().filter(|(row, _)| is_it(row)).count() as u64
    };
    let given = |key: &str, counted: u64| match &answer[key] {
        Value::Null => counted,
        value => count(value),
    };
    let total = given("NumAchievements", achievements.len() as u64);
    let earned = given("NumAwardedToUser", counted(|row| row.earned));
    let earned_hardcore = given("NumAwardedToUserHardcore", counted(|row| row.hardcore));
    Ok(Some(Progress {
        id,
        title: text(&answer["Title"]),
        earned: earned.max(earned_hardcore).min(total),
        earned_hardcore: earned_hardcore.min(total),
        total,
        award: award(&answer["HighestAwardKind"]),
        achievements,
    }))
}

fn achievement(row: &Value) -> Option<((u64, u64), (Achievement, String))> {
    let title = Some(text(&row["Title"])).filter(|title| !title.is_empty())?;
    let (soft, hard) = (text(&row["DateEarned"]), text(&row["DateEarnedHardcore"]));
    let achievement = Achievement {
        title,
        description: text(&row["Description"]),
        points: count(&row["Points"]),
        badge: text(&row["BadgeName"]),
        earned: !soft.is_empty() || !hard.is_empty(),
        hardcore: !hard.is_empty(),
    };
    let first = if soft.is_empty() { hard } else { soft };
    Some(((count(&row["DisplayOrder"]), count(&row["ID"])), (achievement, first)))
}

/// What a user earned of each game of a page; how many games there are in all.
pub(super) fn completions(answer: &Value) -> Result<(Vec<Completion>, u64), ProviderError> {
    let rows = answer["Results"].as_array().ok_or(ProviderError::Nonsense)?;
    let of = |row: &Value| {
        let total = count(&row["MaxPossible"]);
        let earned_hardcore = count(&row["NumAwardedHardcore"]).min(total);
        Some(Completion {
            id: id(&row["GameID"])?,
            earned: count(&row["NumAwarded"]).min(total).max(earned_hardcore),
            earned_hardcore,
            total,
            award: award(&row["HighestAwardKind"]),
        })
    };
    Ok((rows.iter().filter_map(of).collect(), count(&answer["Total"])))
}

/// The games of a console by hash, added to a list; the ids of the games of the page.
pub(super) fn hashes(
    answer: &Value,
    into: &mut BTreeMap<String, u32>,
) -> Result<Vec<u32>, ProviderError> {
    let rows = answer.as_array().ok_or(ProviderError::Nonsense)?;
    let mut ids = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(id) = id(&row["ID"]) else { continue };
        ids.push(id);
        for hash in row["Hashes"].as_array().into_iter().flatten().take(HASHES) {
            let hash = hash.as_str().unwrap_or_default().trim().to_ascii_lowercase();
            if hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                into.insert(hash, id);
            }
        }
    }
    Ok(ids)
}

/// The consoles by name.
pub(super) fn systems(answer: &Value) -> Result<BTreeMap<String, u32>, ProviderError> {
    let rows = answer.as_array().ok_or(ProviderError::Nonsense)?;
    let of = |row: &Value| {
        let name = Some(text(&row["Name"])).filter(|name| !name.is_empty())?;
        Some((name, id(&row["ID"])?))
    };
    Ok(rows.iter().filter_map(of).collect())
}

fn award(value: &Value) -> Award {
    match value.as_str().unwrap_or_default() {
        "mastered" => Award::Mastered,
        "completed" | "beaten-hardcore" | "beaten-softcore" => Award::Beaten,
        _ => Award::None,
    }
}

/// A number that counts; some arrive as texts.
fn count(value: &Value) -> u64 {
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    number.filter(|number| u32::try_from(*number).is_ok()).unwrap_or(0)
}

fn id(value: &Value) -> Option<u32> {
    u32::try_from(count(value)).ok().filter(|id| *id > 0)
}

/// The text of a value on one line, cut.
fn text(value: &Value) -> String {
    text::cut(text::one_line(value.as_str().unwrap_or_default()).trim(), TEXT).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_set_is_read_in_its_order() {
        let answer = json!({"ID": 90001, "Title": "Comet\nRangers", "NumAchievements": 3,
            "NumAwardedToUser": 2, "NumAwardedToUserHardcore": 1, "HighestAwardKind": "beaten-softcore",
            "Achievements": {
                "501": {"ID": 501, "Title": "Lift-off", "Points": 5, "BadgeName": "250001", "DisplayOrder": 2,
                    "DateEarned": "2025-01-02 03:04:05", "DateEarnedHardcore": "2025-01-02 03:04:06"},
                "502": {"ID": 502, "Title": "Landing", "Points": "10", "DisplayOrder": 1,
                    "DateEarned": "2025-01-03 03:04:05"},
                "503": {"ID": 503, "Title": "Orbit", "Points": 25, "DisplayOrder": 1},
                "504": {"ID": 504}}});
        let found = progress(&answer).expect("a set").expect("a game");
        assert_eq!(
            (found.id, found.title.as_str(), found.award),
            (90001, "Comet Rangers", Award::Beaten)
        );
        assert_eq!((found.earned, found.earned_hardcore, found.total), (2, 1, 3));
        let rows: Vec<_> = found
            .achievements
            .iter()
            .map(|(row, at)| {
                (row.title.as_str(), row.points, row.earned, row.hardcore, at.as_str())
            })
            .collect();
        assert_eq!(
            rows,
            [
                ("Landing", 10, true, false, "2025-01-03 03:04:05"),
                ("Orbit", 25, false, false, ""),
                ("Lift-off", 5, true, true, "2025-01-02 03:04:05"),
            ]
        );
    }

    #[test]
    fn sets_without_achievements_and_answers_without_games_are_told_apart() {
        for none in [json!([]), json!({}), json!(null)] {
            let found = progress(&json!({"ID": 7, "Title": "A", "Achievements": none}));
            let found = found.expect("a set").expect("a game");
            assert_eq!((found.total, found.earned, found.achievements.len()), (0, 0, 0));
        }
        assert_eq!(progress(&json!([])), Ok(None));
        for nonsense in [json!({}), json!(null), json!([1]), json!("x"), json!({"ID": 0})] {
            assert_eq!(progress(&nonsense), Err(ProviderError::Nonsense), "{nonsense}");
        }
        let rows = json!([{"ID": 1, "Title": "A", "DateEarned": "x"}, {"ID": 2, "Title": "B"}]);
        let found =
            progress(&json!({"ID": 7, "Achievements": rows})).expect("a set").expect("a game");
        assert_eq!((found.total, found.earned, found.earned_hardcore), (2, 1, 0));
    }

    #[test]
    fn lists_leave_out_what_they_cannot_use() {
        let mut all = BTreeMap::new();
        let one = "0123456789abcdef0123456789ABCDEF";
        let page = json!([{"ID": 3, "Hashes": [one, "short", 7]}, {"ID": "4"}, {"ID": 0, "Hashes": [one]}, 9]);
        assert_eq!(hashes(&page, &mut all), Ok(vec![3, 4]));
        assert_eq!(all, BTreeMap::from([(one.to_ascii_lowercase(), 3)]));
        assert!(hashes(&json!({"success": false}), &mut all).is_err());
        let page = json!({"Count": 2, "Total": "2", "Results": [
            {"GameID": 3, "MaxPossible": 4, "NumAwarded": 9, "NumAwardedHardcore": 1, "HighestAwardKind": "mastered"},
            {"MaxPossible": 4}]});
        let three =
            Completion { id: 3, earned: 4, earned_hardcore: 1, total: 4, award: Award::Mastered };
        assert_eq!(completions(&page), Ok((vec![three], 2)));
        assert!(completions(&json!([])).is_err());
        assert_eq!(
            systems(&json!([{"ID": 7, "Name": "NES"}, {"ID": 8}])),
            Ok([("NES".to_owned(), 7)].into())
        );
    }

    #[test]
    fn a_profile_has_a_user() {
        assert_eq!(profile(&json!([])), None);
        assert_eq!(profile(&json!({"User": ""})), None);
        let found =
            profile(&json!({"User": "Ada", "TotalPoints": "12", "Motto": null, "LastGameID": 5}));
        let found = found.expect("a user");
        assert_eq!((found.points, found.motto.as_str(), found.last_game), (12, "", 5));
        assert_eq!(found.ulid, "");
        for (ulid, expected) in [
            ("01H0000000000000000000000A", "01H0000000000000000000000A"),
            ("01H&u=Bob00000000000000000", ""),
            ("short", ""),
        ] {
            let found = profile(&json!({"User": "Ada", "ULID": ulid})).expect("a user");
            assert_eq!(found.ulid, expected, "{ulid}");
        }
    }
}
