//! The meaning of phrases, and their results for games.

use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{matching, parse};
use crate::{
    base::Moment,
    model::{Game, Games},
    probe::disk::Disk,
    query::card::MatchContext,
};

const YEAR: i64 = 2026;

/// The rules and the clauses of a phrase; a clause without facts is shown by its kind.
#[track_caller]
fn check(phrase: &str, rules: Value, clauses: Value) {
    let read = parse(phrase, YEAR);
    let shown: Vec<Value> = read
        .clauses()
        .into_iter()
        .map(|clause| {
            let kind = clause["kind"].clone();
            let facts: Vec<&Value> =
                clause.iter().filter(|(key, _)| *key != "kind").map(|(_, it)| it).collect();
            match facts[..] {
                [] => kind,
                [only] => json!([kind, only]),
                _ => clause.into(),
            }
        })
        .collect();
    assert_eq!((Value::Object(read.rules()), Value::from(shown)), (rules, clauses), "{phrase}");
    let again = parse(&read.print(), YEAR);
    assert_eq!(
        (&again.conditions, &again.unparsed),
        (&read.conditions, &read.unparsed),
        "{phrase} is printed as {}",
        read.print()
    );
}

fn clause(phrase: &str, expected: Value) {
    check(phrase, json!({}), json!([expected]));
}

fn rule(phrase: &str, key: &str, value: Value) {
    check(phrase, json!({key: value}), json!([]));
}

#[test]
fn phrases_about_playing() {
    for phrase in
        ["unplayed", "never played", "haven’t started", "Untouched!", "games I've not played"]
    {
        clause(phrase, json!("unplayed"));
    }
    clause("played", json!("played"));
    for (phrase, days) in [
        ("not played in 2 years", 730),
        ("not played in over a month", 30),
        ("never played in three weeks", 21),
        ("haven't played in over 10 days", 10),
    ] {
        clause(phrase, json!(["idle_days", days]));
    }
    clause("not played since 2020", json!(["idle_before", 2020]));
    for phrase in ["recently played", "played lately", "played recently"] {
        clause(phrase, json!(["played_within", 31]));
    }
    for phrase in
        ["newly added", "just added", "added recently", "new to the library", "new to library"]
    {
        clause(phrase, json!(["added_days", 31]));
    }
    clause("added this year", json!(["added_year", 2026]));
    for phrase in ["unbeaten", "unfinished", "not completed", "haven't finished"] {
        clause(phrase, json!("not_finished"));
    }
    for phrase in ["backlog", "my pile of shame"] {
        clause(phrase, json!("backlog"));
    }
    for phrase in ["still playing", "currently playing", "playing", "in progress"] {
        clause(phrase, json!(["progress_any", ["Playing", "Paused"]]));
    }
    clause("finished", json!(["progress_any", ["Beaten", "Completed", "Mastered"]]));
    for phrase in ["100%", "hundred percent"] {
        clause(phrase, json!(["progress_any", ["Completed", "Mastered"]]));
    }
    for (phrase, state) in [
        ("beat", "Beaten"),
        ("beaten", "Beaten"),
        ("completed", "Completed"),
        ("mastered", "Mastered"),
        ("dropped", "Abandoned"),
        ("gave up on", "Abandoned"),
        ("on hold", "Paused"),
        ("parked", "Paused"),
    ] {
        rule(phrase, "progress", json!(state));
    }
}

#[test]
fn phrases_about_length_and_rating() {
    clause("short", json!(["ttb_max", 5]));
    clause("epic", json!(["ttb_min", 20]));
    for phrase in [
        "under 10 hours",
        "less than 10h",
        "no more than 10 hrs",
        "10 hours or less",
        "10 h or shorter",
    ] {
        clause(phrase, json!(["ttb_max", 10]));
    }
    for phrase in ["over 2.5 hours", "more than 2.5 h", "at least 2.5 hr", "2.5+ hours"] {
        clause(phrase, json!(["ttb_min", 2.5]));
    }
    for phrase in
        ["rated 4", "rated 4 or higher", "rated at least 4", "four stars", "4-star", "rating:4"]
    {
        clause(phrase, json!(["rating_min", 4.0]));
    }
    for phrase in
        ["rated 4+", "4+ stars", "rated 4 stars", "rated 4 stars or more", "4 stars or better"]
    {
        clause(phrase, json!(["rating_min", 4.0]));
    }
    clause("highly rated", json!(["rating_min", 4.0]));
    clause("top rated", json!(["rating_min", 4.5]));
    clause("rated 5", json!(["rating_min", 5.0]));
    check("rated 6", json!({"query": "rated 6"}), json!([]));
    for phrase in ["unrated", "no rating", "not rated"] {
        clause(phrase, json!("unrated"));
    }
    for phrase in ["my 3 stars", "my rating at least 3", "myrating:3"] {
        clause(phrase, json!(["user_rating_min", 3]));
    }
    clause("not rated by me", json!("user_rating_unrated"));
    for (phrase, rating) in [
        ("rated e", "E"),
        ("esrb everyone", "E"),
        ("rated E10+", "E10+"),
        ("rated teen", "T"),
        ("esrb m", "M"),
        ("adults only", "AO"),
        ("esrb rp", "RP"),
        ("rated ec", "EC"),
        ("esrb:e10+", "E10+"),
    ] {
        rule(phrase, "esrb", json!(rating));
    }
    clause("mature", json!(["esrb_any", ["M", "AO"]]));
    for phrase in ["kids", "for the kids", "kid-friendly", "family friendly"] {
        clause(phrase, json!(["esrb_any", ["E", "E10+", "EC"]]));
    }
}

#[test]
fn phrases_about_years_and_players() {
    let span = |min: i64, max: i64| json!({"kind": "year_range", "min": min, "max": max});
    for (phrase, min, max) in [
        ("1990s", 1990, 1999),
        ("the 90s", 1990, 1999),
        ("1980's", 1980, 1989),
        ("90's", 1990, 1999),
        ("40s", 1940, 1949),
        ("30s", 2030, 2039),
        ("released in 1994", 1994, 1994),
        ("from 1994", 1994, 1994),
        ("year:1994", 1994, 1994),
        ("since 1990 before 1995", 1990, 1994),
        ("this year", 2026, 2026),
    ] {
        clause(phrase, span(min, max));
    }
    clause("before 1990", json!(["year_range", 1989]));
    clause("after 1990", json!(["year_range", 1991]));
    clause("since 2099", json!(["year_range", 2099]));
    clause("after 2099", json!(["year_range", 2100]));
    clause("retro", json!(["year_range", 2000]));
    check("in 1969", json!({"query": "1969"}), json!([]));
    check("in 2100", json!({"query": "2100"}), json!([]));
    for phrase in ["solo", "single player", "one player"] {
        clause(phrase, json!(["players_max", 1]));
    }
    for phrase in
        ["4 players", "for four", "up to 4 players", "4-player", "players:4", "for 4 friends"]
    {
        clause(phrase, json!(["players_min", 4]));
    }
    clause("2 players 4 players", json!(["players_min", 4]));
    clause("couch co-op", json!("coop"));
    clause("split screen", json!("multiplayer"));
    clause("party games", json!("multiplayer"));
}

#[test]
fn phrases_about_flags_and_names() {
    rule("favorites", "favorite", json!(true));
    rule("not favorites", "favorite", json!(false));
    rule("fav:no", "favorite", json!(false));
    rule("hidden", "hidden", json!(true));
    rule("not hidden", "hidden", json!(false));
    rule("installed", "installed", json!("installed"));
    rule("not installed", "installed", json!("uninstalled"));
    rule("installed:0", "installed", json!("uninstalled"));
    rule("with saves", "has_saves", json!(true));
    rule("without save files", "has_saves", json!(false));
    rule("no achievements", "has_achievements", json!(false));
    rule("missing art", "has_missing_media", json!(true));
    rule("with covers", "has_missing_media", json!(false));
    rule("high scores", "has_highscores", json!(true));
    clause("owned", json!("owned"));
    for (phrase, field, value) in [
        ("shelf entries", "manual_entry", true),
        ("broken", "broken", true),
        ("not working", "broken", true),
        ("working", "broken", false),
        ("portable", "portable", true),
        ("gamepad support", "controller_support", true),
        ("with notes", "notes", true),
        ("no notes", "notes", false),
    ] {
        clause(phrase, json!({"kind": "flag", "field": field, "value": value}));
    }
    clause("on snes", json!(["platform_any", ["snes"]]));
    clause("for \"game boy\" on nes", json!(["platform_any", ["game boy", "nes"]]));
    clause("on steam", json!(["source", "steam"]));
    clause("on \"Steam\"", json!(["source", "steam"]));
    clause("on \"steam deck\"", json!(["platform_any", ["steam deck"]]));
    clause("for steam on nes", json!(["platform_any", ["steam", "nes"]]));
    clause("epic games", json!(["source", "epic"]));
    check("\"epic\" games", json!({"query": "epic"}), json!([]));
    clause("from gog", json!(["source", "gog"]));
    clause("from \"gog\"", json!(["source", "gog"]));
    clause("by gog", json!(["credit", "gog"]));
    clause("by \"Team Ico\"", json!(["credit", "team ico"]));
    clause("from nintendo", json!(["credit", "nintendo"]));
    clause("developed by Valve", json!(["credit", "valve"]));
    clause("tagged with cozy", json!(["tag", "cozy"]));
    clause("#cozy", json!(["tag", "cozy"]));
    clause("not horror", json!(["not_query", "horror"]));
    clause("-horror", json!(["not_query", "horror"]));
    check("on sale", json!({"query": "sale"}), json!([]));
    check("for the win", json!({"query": "win"}), json!([]));
    rule("platform:\"Super NES\"", "platform", json!("Super NES"));
    rule("dev:id", "developer", json!("id"));
    rule("progress:dropped", "progress", json!("Abandoned"));
    rule("progress:unplayed", "progress", json!("Unplayed"));
    clause("progress:lost", json!(["progress_any", ["lost"]]));
    check("by good", json!({"query": "good"}), json!([]));
    clause("series:zelda", json!(["series", "zelda"]));
    clause("storefront:gog", json!(["source", "gog"]));
    clause("unplayed:no", json!("played"));
    check("colour:red", json!({"query": "colour:red"}), json!([]));
    check("rating:9", json!({"query": "rating:9"}), json!([]));
}

#[test]
fn genres_pool_and_leftovers_are_searched_for() {
    rule("platformers", "genre", json!("platform"));
    rule("survival horror", "genre", json!("survival horror"));
    clause("rpg", json!(["genre_any", ["rpg", "role-playing", "role playing"]]));
    clause("puzzle or racing", json!(["genre_any", ["puzzl", "rac"]]));
    check(
        "unplayed short JRPG games on SNES, favourites, that I loved",
        json!({"genre": "jrpg", "favorite": true, "query": "loved"}),
        json!(["unplayed", ["ttb_max", 5], ["platform_any", ["snes"]]]),
    );
    let read = parse("the legend of", YEAR);
    assert_eq!((read.plain_query(), read.hint().is_empty()), (Some("the legend of"), false));
    assert_eq!(read.unparsed, ["legend"]);
    let only = parse(" the game ", YEAR);
    assert_eq!((only.plain_query(), only.is_empty()), (Some("the game"), false));
    for nothing in ["", " . ", "\"\"", "-"] {
        assert!(parse(nothing, YEAR).is_empty(), "{nothing:?}");
    }
    // Punctuation ends a pattern.
    check("not, played", json!({"query": "not"}), json!(["played"]));
}

#[test]
fn chips_tell_what_was_understood_in_order() {
    let chips = parse("broken favorites 1990s rpg 4 players", YEAR).chips();
    let shown: Vec<(&str, &str)> =
        chips.iter().map(|chip| (chip.key.as_str(), chip.display.as_str())).collect();
    assert_eq!(
        shown,
        [
            ("flag_broken", "Broken"),
            ("favorite", "Favorite"),
            ("year_range", "Year: 1990-1999"),
            ("genre_any", "Genre: rpg, role-playing, role playing"),
            ("players_min", "Players, at least: 4"),
        ]
    );
    assert_eq!(chips[0].i18n, "sayit.chip.flag_broken");
}

#[test]
fn typed_platforms_take_the_spelling_of_the_library() {
    let settled = |phrase: &str| {
        let mut read = parse(phrase, YEAR);
        read.settle(&BTreeSet::from(["Super NES", "Switch"]));
        (Value::Object(read.rules()), Value::from(read.clauses()))
    };
    assert_eq!(settled("platform:\"super nes\""), (json!({"platform": "Super NES"}), json!([])));
    let inside = json!([{"kind": "platform_any", "values": ["nes"]}]);
    assert_eq!(settled("platform:nes"), (json!({}), inside));
    let mut store = parse("platform:steam", YEAR);
    store.settle(&BTreeSet::new());
    assert_eq!(parse(&store.print(), YEAR).conditions, store.conditions);
}

struct Here;

impl Disk for Here {
    fn existing(&self, paths: &[&str]) -> HashSet<String> {
        paths
            .iter()
            .filter(|path| path.starts_with("/here"))
            .map(|path| (*path).to_owned())
            .collect()
    }

    fn is_media(&self, _: &str) -> bool {
        true
    }
}

impl MatchContext for Here {
    fn category(&self, _: &str) -> String {
        String::new()
    }
}

fn games(records: &[Value]) -> Games {
    let seal =
        |record: &Value| Game::seal(&serde_json::from_value(record.clone()).expect("an object"));
    Games::from_games(records.iter().map(seal))
}

/// The phrase takes the first record and leaves the second.
#[track_caller]
fn decides(phrase: &str, taken: Value, left: Value) {
    let (mut first, mut second) = (taken, left);
    first["game_id"] = "a".into();
    second["game_id"] = "b".into();
    let now = Moment::parse("2026-06-30T12:00:00").expect("a time");
    let read = parse(phrase, YEAR);
    let found = matching::taken(&read, &games(&[first.clone(), second.clone()]), &Here, &now);
    assert_eq!(found, [0], "{phrase} ought to take {first} and leave {second}");
}

#[test]
fn every_condition_takes_and_leaves() {
    let nothing = || json!({});
    decides("played", json!({"play_count": 1}), nothing());
    decides("played", json!({"progress": "Paused"}), nothing());
    decides("unplayed", nothing(), json!({"last_played": "2020-01-01"}));
    decides("backlog", json!({"progress": "Paused"}), json!({"progress": "Abandoned"}));
    decides("unfinished", json!({"progress": "Abandoned"}), json!({"progress": "Beaten"}));
    decides("progress:unplayed", nothing(), json!({"progress": "Playing"}));
    decides("finished", json!({"progress": "Mastered"}), nothing());
    decides("1990s", json!({"year": "c. 1999-05"}), json!({"year": "2000"}));
    decides("before 2000", json!({"year": 1999}), nothing());
    decides("solo", nothing(), json!({"max_players": "2"}));
    decides("4 players", json!({"max_players": "1-4"}), json!({"max_players": "1-3"}));
    decides("solo", nothing(), json!({"max_players": "1-4"}));
    decides("3 players", json!({"max_players": "4"}), json!({"max_players": "2"}));
    decides("co-op", json!({"tags": ["Couch Co-Op"]}), json!({"tags": ["versus"]}));
    decides("multiplayer", json!({"play_mode": "2 vs 2"}), json!({"genre": "canvas"}));
    decides("multiplayer", json!({"max_players": 2}), nothing());
    decides(
        "not played in 30 days",
        json!({"last_played": "2026-05-31T12:00:00"}),
        json!({"last_played": "2026-06-01T12:00:00"}),
    );
    decides("not played in a day", nothing(), json!({"play_count": 2}));
    decides(
        "not played since 2025",
        json!({"last_played": "2024-12-31"}),
        json!({"last_played": "2025-01-01"}),
    );
    decides(
        "recently played",
        json!({"last_played": "2026-06-01"}),
        json!({"last_played": "2026-05-01"}),
    );
    decides("recently added", json!({"added_at": "2026-06-01"}), nothing());
    decides(
        "added this year",
        json!({"added_at": "2026-01-01"}),
        json!({"added_at": "2025-12-31"}),
    );
    decides("short", json!({"time_to_beat_hours": 5}), json!({"time_to_beat_hours": 5.1}));
    decides("short", json!({"time_to_beat_hours": 1}), nothing());
    decides("long", json!({"time_to_beat_hours": 20}), json!({"time_to_beat_hours": 19.9}));
    decides("rated 4", json!({"rating": 4}), json!({"rating": 3.9}));
    decides("unrated", nothing(), json!({"rating": 1}));
    decides("my 3 stars", json!({"user_rating": 3}), json!({"user_rating": 2}));
    decides("unrated by me", nothing(), json!({"user_rating": 1}));
    decides("kids", json!({"esrb": "EC"}), json!({"esrb": "T"}));
    decides("on nes", json!({"platform": "SNES"}), nothing());
    decides("series:zelda", json!({"series": "Zelda"}), nothing());
    decides("region:eu", json!({"region": "Europe"}), nothing());
    decides("source:steam", json!({"source": "Steam"}), nothing());
    decides("rpg", json!({"genre": "Role-Playing"}), json!({"genre": "Action"}));
    decides("#cozy", json!({"tags": ["Very cozy"]}), json!({"name": "cozy"}));
    decides("by valve", json!({"publisher": "Valve"}), json!({"developer": "A Valve"}));
    decides(
        "owned",
        json!({"owned": true, "path": "/gone"}),
        json!({"owned": true, "path": "/here"}),
    );
    decides("installed", json!({"path": "/here"}), json!({"path": "/gone"}));
    decides("not installed", json!({"path": "/gone"}), json!({"path": "/here"}));
    decides(
        "missing covers",
        json!({"cover": "/gone"}),
        json!({"cover": "/here", "background": "/here"}),
    );
    decides("physical", json!({"manual_entry": true}), nothing());
    decides("working", nothing(), json!({"broken": true}));
    decides("portable", json!({"portable": true}), nothing());
    decides("controller", json!({"controller_support": "full"}), nothing());
    decides("with notes", json!({"notes": [{"text": "x"}]}), json!({"notes": [{"text": ""}]}));
    decides("with notes", json!({"notes": "x"}), json!({"notes": " "}));
    decides("no notes", nothing(), json!({"notes": "old"}));
    decides("-horror", json!({"name": "x"}), json!({"notes": "some horror"}));
    decides("zelda", json!({"name": "Zelda", "hidden": true}), nothing());
    decides("the legend of", json!({"name": "The Legend of X"}), json!({"name": "Legend"}));
    let read = parse("", YEAR);
    assert!(matching::taken(&read, &games(&[json!({})]), &Here, &Moment::from_unix(0)).is_empty());
}

/// Words of the grammar, values and noise in any order.
fn phrases() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "not",
        "never",
        "played",
        "in",
        "over",
        "a",
        "2",
        "years",
        "days",
        "since",
        "1994",
        "90s",
        "rated",
        "4",
        "stars",
        "or",
        "higher",
        "my",
        "at",
        "least",
        "unrated",
        "by",
        "me",
        "rpg",
        "survival",
        "horror",
        "on",
        "steam",
        "\"steam\"",
        "plat:steam",
        "from",
        "for",
        "kids",
        "the",
        "genre:rpg",
        "platform:\"Super NES\"",
        "year:1990-1999",
        "progress:dropped",
        "notes:no",
        "-",
        "\"",
        ",",
        ".",
        "#tag",
        "-word",
        "10h",
        "4-player",
        "under",
        "hours",
        "released",
        "after",
        "no",
        "saves",
        "with",
        "this",
        "year",
        "added",
        "recently",
        "gave",
        "up",
        "beat",
        "em",
        "myrating:3",
        "players:9",
        "unknown:x",
    ]);
    prop::collection::vec(prop_oneof![3 => known.prop_map(str::to_owned), 1 => "\\PC{0,6}"], 0..12)
        .prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn whatever_is_written_is_read_and_printing_it_changes_nothing(phrase in phrases()) {
        let read = parse(&phrase, YEAR);
        let printed = read.print();
        let again = parse(&printed, YEAR);
        prop_assert_eq!(&again.conditions, &read.conditions, "{}", printed);
        prop_assert_eq!(&again.unparsed, &read.unparsed, "{}", printed);
        prop_assert_eq!(again.print(), printed);
    }

    #[test]
    fn any_text_at_all_is_read(phrase in any::<String>()) {
        let read = parse(&phrase, YEAR);
        let again = parse(&read.print(), YEAR);
        prop_assert_eq!(again.conditions, read.conditions);
        prop_assert_eq!(again.unparsed, read.unparsed);
    }
}
