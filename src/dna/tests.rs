//! Questions and their answers on small libraries.

use serde_json::{Value, json};

use super::{
    search::{DnaAnchor, DnaAnswer, Question, read_filters},
    service::Dna,
};
use crate::{
    base::Moment,
    files::Files,
    model::{Draft, State},
    probe::disk::EmptyDisk,
    query::card::MatchContext,
};

impl MatchContext for EmptyDisk {
    fn category(&self, _: &str) -> String {
        String::new()
    }
}

fn library(records: &[Value]) -> State {
    let mut draft = Draft::new(State::default());
    for (number, record) in records.iter().enumerate() {
        let mut record = record.clone();
        record["game_id"] = format!("g{number}").into();
        draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
    }
    draft.finish().0
}

fn games() -> State {
    library(&[
        json!({"name": "Meadow Days", "genre": "Simulation", "platform": "PC", "user_rating": 4,
            "description": "A relaxing farm with gentle villagers.", "progress": "Beaten"}),
        json!({"name": "Dungeon Night", "genre": "RPG", "platform": "SNES", "year": "1994",
            "description": "Knights crawl through a dungeon.", "time_to_beat_hours": 4.0}),
        json!({"name": "Dungeon Dawn", "genre": "RPG", "platform": "SNES", "year": "2004",
            "description": "Knights crawl through another dungeon.", "progress": "Beaten"}),
        json!({"name": "Road Fury", "genre": "Racing", "platform": "PC", "developer": "Fast Ltd",
            "time_to_beat_hours": 0.5}),
        json!({"name": "Plain", "platform": "SNES", "progress": "Beaten", "user_rating": 3}),
    ])
}

/// Asks a question with these filters and at most this many games in the answer.
fn ask_for(state: &State, query: &str, limit: usize, filters: &Value) -> DnaAnswer {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let dna = Dna::new(Files::system(), path("dna_index.json"), path("library.json"));
    let status = dna.bring(state);
    assert!(path("dna_index.json").exists(), "the index was saved");
    let question = Question { query, limit, filters: read_filters(Some(filters)) };
    dna.search(state, status, &question, &EmptyDisk, &Moment::from_unix(1_700_000_000))
}

fn ask(state: &State, query: &str) -> DnaAnswer {
    ask_for(state, query, 20, &Value::Null)
}

fn ids(answer: &DnaAnswer) -> Vec<&str> {
    answer.results.iter().map(|result| result.game_id.as_str()).collect()
}

#[test]
fn words_and_what_they_mean_find_games() {
    let state = games();
    let answer = ask(&state, "cozy");
    assert_eq!((answer.branch, ids(&answer)), ("bm25", vec!["g0"]));
    assert_eq!(answer.results[0].why, ["cozy → relaxing", "4★ rated"]);
    assert_eq!(ids(&ask(&state, "gemütlich")), ["g0"]);
    let answer = ask(&state, "knights");
    assert_eq!(ids(&answer), ["g1", "g2"]);
    assert_eq!(answer.results[0].why[1..], ["~4h to beat"]);
    assert!(ask(&state, "zzzz").results.is_empty() && ask(&state, "the").results.is_empty());
    assert!(!answer.degraded && answer.anchor.is_none() && answer.building.is_none());
    assert_eq!(ask(&state, "fury").results[0].why, ["fury", "~30m to beat"]);
}

#[test]
fn conditions_are_met_and_genres_preferred() {
    let state = games();
    let answer = ask(&state, "unplayed RPG on SNES from the 90s");
    assert_eq!(ids(&answer), ["g1"]);
    assert!(answer.parse.parsed && answer.results[0].why.contains(&"genre: rpg".to_owned()));
    let answer = ask(&state, "racing");
    assert_eq!(ids(&answer), ["g3"]);
    assert!(answer.results[0].why.contains(&"genre: rac".to_owned()));
    let answer = ask(&state, "on snes");
    assert_eq!(ids(&answer).len(), 3, "games that meet a condition need no word");
    let answer = ask(&state, "dungeon on snes before 2000");
    assert_eq!(ids(&answer), ["g1"]);
    assert_eq!(answer.parse.unparsed, Some(vec!["dungeon".to_owned()]));
}

#[test]
fn progress_lifts_a_game_unless_it_is_to_be_replayed() {
    let state = games();
    let score = |query: &str| {
        let answer = ask(&state, query);
        answer.results.iter().find(|one| one.game_id == "g1").map_or(0.0, |one| one.score)
    };
    let (fresh, known) = (score("crawl knights"), score("crawl knights replay"));
    assert!((fresh / known - 1.25).abs() < 0.001, "{fresh} {known}");
}

#[test]
fn games_like_another_one_leave_that_one_out() {
    let state = games();
    let answer = ask(&state, "games like dungeon night");
    let anchor = DnaAnchor { game_id: "g1".to_owned(), name: "Dungeon Night".to_owned() };
    assert_eq!((answer.branch, answer.anchor.as_ref()), ("similarity", Some(&anchor)));
    assert_eq!(ids(&answer)[0], "g2");
    assert!(!ids(&answer).contains(&"g1"));
    let why = &answer.results[0].why;
    assert_eq!(why[0], "like Dungeon Night");
    assert!(why[1].starts_with("both: dungeon"), "{why:?}");
    let answer = ask(&state, "games like chrono knights");
    assert_eq!((answer.branch, answer.anchor), ("bm25-unresolved-anchor", None));
    assert_eq!(answer.results[0].why[0], "no match for 'chrono knights'");
}

#[test]
fn answers_are_cut_and_then_filtered() {
    let state = games();
    let of = |limit, filters: Value| -> Vec<String> {
        let answer = ask_for(&state, "dungeon knights", limit, &filters);
        answer.results.into_iter().map(|result| result.game_id).collect()
    };
    assert_eq!(of(1, json!({})), ["g1"]);
    assert_eq!(of(20, json!({"platform": "snes", "genre": ["puzzle", "rp"]})), ["g1", "g2"]);
    assert!(of(20, json!({"developer": "fast"})).is_empty());
    assert_eq!(of(20, json!({"odd": "x", "genre": " ", "platform": 4})).len(), 2);
    assert_eq!(of(20, json!([1])).len(), 2);
}

#[test]
fn titles_are_searched_without_an_index() {
    let many: Vec<Value> =
        (0..5_000).map(|number| json!({"name": format!("Game {number}")})).collect();
    let state = library(&many);
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let dna = Dna::new(Files::system(), path("dna_index.json"), path("library.json"));
    let status = dna.bring(&state);
    assert_eq!(dna.status(&state, status).state, "building");
    let question = Question { query: "GAME 499", limit: 3, ..Question::default() };
    let answer = dna.search(&state, status, &question, &EmptyDisk, &Moment::from_unix(0));
    assert_eq!(answer.branch, "title-fallback");
    assert!(answer.degraded && answer.building == Some(true) && !answer.parse.parsed);
    let expected = [
        ("Game 499", 1.0, "title match"),
        ("Game 4990", 1.0, "title match"),
        ("Game 4991", 1.0, "title match"),
    ];
    let shown: Vec<(&str, f64, &str)> = answer
        .results
        .iter()
        .map(|one| (one.name.as_str(), one.score, one.why[0].as_str()))
        .collect();
    assert_eq!(shown, expected);
}
