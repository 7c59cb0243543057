//! What to play now, by time, mood, familiarity and number of players (`POST /api/v2/library/pick`).

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::{
    error::InsightError,
    habits::{estimate, median},
    plays::Plays,
    sums::{is_played, year},
};
use crate::{
    base::{Moment, dice::Dice, schema::schema, text},
    game::slots::{Slots, slot},
    model::{Game, State},
    query::{card::MatchContext, filter_match},
};

/// Games that are shown.
const SHOWN: usize = 3;
/// The best games that those are drawn from.
const DRAWN_FROM: usize = 12;
/// Games whose files are asked for at once.
const ASKED: usize = 64;
/// A game fits when its median session takes this many times the requested minutes at most.
const SLACK: f64 = 1.5;
/// The first year that is not retro.
const MODERN: i32 = 2001;
/// Days after which a favourite is worth naming, and any game.
const REST_DAYS: i64 = 14;
const LONG_DAYS: i64 = 30;
/// The most days without play that count, and what they count.
const OLDEST_DAYS: i64 = 365;
const OLDEST_POINTS: f64 = 8.0;
/// Most players that can be asked for.
const PLAYERS: i64 = 8;
/// The most that a question may lift games: scores stay numbers that JSON can hold.
const MOST_BOOST: f64 = 1e6;

/// The moods, with the words of a genre that fit; `any`, `retro` and `party` have rules of their own.
pub const MOODS: [&str; 6] = ["any", "action", "chill", "story", "retro", "party"];
const ACTION: &[&str] =
    &["action", "shooter", "fps", "fighting", "platform", "beat", "up", "brawler"];
const CHILL: &[&str] = &["puzzle", "simulation", "sandbox", "strategy", "turn", "card", "board"];
const STORY: &[&str] = &["rpg", "adventure", "visual novel", "point and click", "narrative"];
/// How well a game is known.
pub const FAMILIARITIES: [&str; 3] = ["any", "new", "favorite"];
/// Which games are asked about.
pub const SCOPES: [&str; 3] = ["all", "platform", "playlist"];

/// What the user wants to play.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    minutes: u64,
    mood: &'static str,
    familiarity: &'static str,
    players: u64,
    scope: &'static str,
    scope_name: String,
    lift: Option<Lift>,
}

/// Games that a question in plain words prefers.
#[derive(Clone, Debug, PartialEq)]
pub struct Lift {
    /// The question.
    pub query: String,
    /// The weight: the best game counts this many times more.
    pub boost: f64,
    /// How well each game fits the question, by its id.
    pub scores: HashMap<String, f64>,
}

impl Lift {
    /// Checks how much a question lifts games; once by default. More than [`MOST_BOOST`] changes nothing
    /// of the order.
    ///
    /// # Errors
    /// A number that is not finite or below zero, or no number.
    pub fn read_boost(boost: Option<&Value>) -> Result<f64, InsightError> {
        let Some(boost) = boost else { return Ok(1.0) };
        let refused = || InsightError::Refused("dna_boost must be a finite number >= 0".to_owned());
        let number = boost.as_f64().filter(|number| number.is_finite() && *number >= 0.0);
        number.map(|number| number.min(MOST_BOOST)).ok_or_else(refused)
    }

    /// What the score of a game is multiplied with; `None` for one that does not fit the question.
    fn factor(&self, game: &Game) -> Option<f64> {
        let top = self.scores.values().copied().fold(0.0, f64::max);
        let score = self.scores.get(game.id()).copied().filter(|score| *score > 0.0)?;
        Some(1.0 + self.boost * score / top)
    }
}

impl Wanted {
    /// Checks the values of a request; blank texts mean any.
    ///
    /// # Errors
    /// The sentence for the first value that is wrong.
    pub fn of(
        minutes: i64,
        mood: &str,
        familiarity: &str,
        players: i64,
        (scope, scope_name): (&str, &str),
    ) -> Result<Self, InsightError> {
        let refuse = |sentence: &str| Err(InsightError::Refused(sentence.to_owned()));
        let Ok(minutes) = u64::try_from(minutes) else { return refuse("minutes must be >= 0") };
        if !(1..=PLAYERS).contains(&players) {
            return refuse("players must be between 1 and 8");
        }
        Ok(Self {
            minutes,
            mood: one_of("mood", &MOODS, mood)?,
            familiarity: one_of("familiarity", &FAMILIARITIES, familiarity)?,
            players: players.unsigned_abs(),
            scope: one_of("scope", &SCOPES, scope)?,
            scope_name: scope_name.to_owned(),
            lift: None,
        })
    }

    /// Prefers games that fit a question.
    pub fn lifted(self, lift: Option<Lift>) -> Self {
        Self { lift, ..self }
    }
}

fn one_of(name: &str, known: &[&'static str], given: &str) -> Result<&'static str, InsightError> {
    if given.is_empty() {
        return Ok(known[0]);
    }
    let found = known.iter().find(|known| **known == given).copied();
    let refused = || format!("{name} must be one of [{}]", known.join(", "));
    found.ok_or_else(|| InsightError::Refused(refused()))
}

schema! {
    /// `POST /api/v2/library/pick`.
    #[derive(Clone, Debug)]
    pub struct Picks {
        /// At most three.
        pub picks: Vec<Pick>,
    }

    /// A game to play now.
    #[derive(Clone, Debug)]
    pub struct Pick {
        /// Position in the library.
        pub id: usize,
        /// Stable id.
        pub game_id: String,
        /// Title.
        pub name: String,
        /// Whether it has a cover to show.
        pub has_cover: bool,
        /// Path of the cover; empty without one that may be shown.
        pub cover: String,
        /// The media field that the cover is of; empty without one.
        pub cover_kind: &'static str,
        /// How well it fits, with two decimals.
        pub score: f64,
        /// Key of the text with the reason.
        pub reason_key: String,
        /// The values of that text.
        pub reason_params: Map<String, Value>,
        /// The question that the game fits; absent without one.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub dna_seed: Option<String>,
    }
}

/// What a pick needs besides the library.
pub(super) struct PickContext<'a> {
    /// The sessions.
    pub(super) plays: &'a Plays,
    /// The disk, and the categories of platforms.
    pub(super) context: &'a dyn MatchContext,
    /// Now.
    pub(super) now: &'a Moment,
}

/// A game that fits, with its score.
struct Candidate<'a> {
    id: usize,
    game: &'a Game,
    score: f64,
    days: Option<i64>,
    minutes: u64,
}

/// Three of the games that fit best, drawn by their score.
///
/// # Errors
/// When the scope is a playlist that is not there.
pub(super) fn pick(
    state: &State,
    wanted: &Wanted,
    around: &PickContext<'_>,
    dice: &mut Dice,
) -> Result<Picks, InsightError> {
    let members = members(state, wanted, around.context)?;
    let platform = text::fold(wanted.scope_name.trim());
    let medians = if wanted.minutes > 0 { medians(state, around.plays) } else { HashMap::new() };
    let is_in_scope = |id: usize, game: &Game| match (&members, wanted.scope) {
        (Some(members), _) => members.contains(&id),
        (None, "platform") => text::fold(game.platform().trim()) == platform,
        _ => true,
    };
    let games = state.games.iter().map(AsRef::as_ref).enumerate();
    let mut candidates: Vec<Candidate<'_>> = games
        .filter(|(id, game)| is_in_scope(*id, game) && fits_record(game, wanted))
        .filter_map(|(id, game)| {
            let minutes = medians.get(&id).copied().unwrap_or_else(|| estimate(game));
            candidate(id, game, wanted, minutes, around.now)
        })
        .collect();
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    let mut best = playable(candidates, around.context);
    let mut picks = Vec::new();
    while picks.len() < SHOWN {
        let weights: Vec<f64> = best.iter().map(|candidate| candidate.score).collect();
        let Some(at) = dice.weighted(&weights) else { break };
        picks.push(shown(&best.remove(at), wanted, around.context));
    }
    Ok(Picks { picks })
}

/// The positions of the games of a playlist; `None` when no playlist is asked for.
fn members(
    state: &State,
    wanted: &Wanted,
    context: &dyn MatchContext,
) -> Result<Option<HashSet<usize>>, InsightError> {
    if wanted.scope != "playlist" {
        return Ok(None);
    }
    let name = wanted.scope_name.as_str();
    let rows = state.section("playlists").as_array().map_or(&[][..], Vec::as_slice);
    let missing = || InsightError::Refused(format!("playlist not found: {name}"));
    let row = rows.iter().find(|row| row["name"] == name).ok_or_else(missing)?;
    if row["type"] == "manual" {
        let ids = row["members"].as_array().into_iter().flatten().filter_map(Value::as_str);
        return Ok(Some(ids.filter_map(|id| state.games.position(id)).collect()));
    }
    let rules = row["rules"].as_object().cloned().unwrap_or_default();
    Ok(Some(filter_match::taken(&rules, &state.games, context).into_iter().collect()))
}

/// Minutes of the median session of each game that was played, by position.
fn medians(state: &State, plays: &Plays) -> HashMap<usize, u64> {
    let mut lengths: Vec<Vec<u64>> = vec![Vec::new(); plays.keys.len()];
    for play in plays.list.iter().filter(|play| play.seconds > 0) {
        lengths[play.key as usize].push(play.seconds);
    }
    let of_game = |(game, mut lengths): (Option<(usize, &Game)>, Vec<u64>)| {
        lengths.sort_unstable();
        Some((game?.0, median(&lengths)?.div_ceil(60)))
    };
    plays.games(state).into_iter().zip(lengths).filter_map(of_game).collect()
}

/// Whether a game fits as far as its record says.
fn fits_record(game: &Game, wanted: &Wanted) -> bool {
    if game.hidden() {
        return false;
    }
    let is_liked = || {
        game.favorite()
            || game.rating().is_some_and(|rating| rating >= 4.0)
            || game.user_rating() >= 4
    };
    match wanted.familiarity {
        "new" if is_played(game) => return false,
        "favorite" if !is_liked() => return false,
        _ => {}
    }
    // A check of the text avoids parsing records without the fields.
    let is_named = |key: &str| game.json().contains(key);
    let mut players = 1;
    if is_named("\"max_players\"") || is_named("\"hide_in_bigscreen\"") {
        let slots = Slots::of(game.json());
        players = slots.players();
        if slots.flag(const { slot("hide_in_bigscreen") }) == Some(true) {
            return false;
        }
    }
    if players < wanted.players {
        return false;
    }
    let genre = text::fold(game.genre());
    let is_of = |words: &[&str]| words.iter().any(|word| genre.contains(word));
    match wanted.mood {
        "party" => players > 1,
        "retro" => year(game.year()).is_none_or(|year| year < MODERN),
        "action" => is_of(ACTION),
        "chill" => is_of(CHILL),
        "story" => is_of(STORY),
        _ => true,
    }
}

/// The score of a game that fits; `None` when it takes too long.
fn candidate<'a>(
    id: usize,
    game: &'a Game,
    wanted: &Wanted,
    minutes: u64,
    now: &Moment,
) -> Option<Candidate<'a>> {
    #[expect(clippy::cast_precision_loss, reason = "minutes")]
    if wanted.minutes > 0 && minutes as f64 > SLACK * wanted.minutes as f64 {
        return None;
    }
    let last = Moment::parse(game.last_played()).map(|last| last.unix_seconds());
    let days = last.map(|last| (now.unix_seconds() - last).max(0) / 86_400);
    #[expect(clippy::cast_precision_loss, reason = "at most a year of days")]
    let rest = days.map_or(OLDEST_POINTS, |days| {
        days.min(OLDEST_DAYS) as f64 / OLDEST_DAYS as f64 * OLDEST_POINTS
    });
    let known = match game.play_count() {
        0 => 12.0,
        count => 2.5 * (1.0 + f64::from(count)).ln(),
    };
    let points = |holds: bool, points: f64| if holds { points } else { 0.0 };
    let score = known
        + points(game.favorite(), 10.0)
        + 3.0 * f64::from(game.rating().unwrap_or(0.0))
        + 4.0 * f64::from(game.user_rating())
        + points(game.progress().is_empty(), 5.0)
        + rest
        + points(wanted.mood != "any", 6.0)
        + points(wanted.minutes > 0, 4.0)
        + points(wanted.players > 1, 3.0);
    let lift = wanted.lift.as_ref().and_then(|lift| lift.factor(game)).unwrap_or(1.0);
    let score = score * lift;
    Some(Candidate { id, game, score, days, minutes })
}

/// The best of them that can be started here; the disk is asked for a few at a time.
fn playable<'a>(candidates: Vec<Candidate<'a>>, context: &dyn MatchContext) -> Vec<Candidate<'a>> {
    let is_installed =
        |game: &Game| Slots::of(game.json()).flag(const { slot("store_installed") }) == Some(true);
    let mut best = Vec::new();
    let mut left = candidates.into_iter().peekable();
    while best.len() < DRAWN_FROM && left.peek().is_some() {
        let asked: Vec<Candidate<'a>> = left.by_ref().take(ASKED).collect();
        let paths: Vec<&str> =
            asked.iter().map(|one| one.game.path()).filter(|path| !path.is_empty()).collect();
        let existing = context.existing(&paths);
        let is_there =
            |one: &Candidate<'_>| existing.contains(one.game.path()) || is_installed(one.game);
        best.extend(asked.into_iter().filter(is_there));
    }
    best.truncate(DRAWN_FROM);
    best
}

fn shown(candidate: &Candidate<'_>, wanted: &Wanted, context: &dyn MatchContext) -> Pick {
    let Candidate { id, game, score, .. } = *candidate;
    let stored = Slots::of(game.json()).text(const { slot("cover") }).into_owned();
    let cover = if context.is_media(&stored) { stored } else { String::new() };
    let has_cover = !cover.is_empty() && !context.existing(&[cover.as_str()]).is_empty();
    let (reason, reason_params) = reason(candidate, wanted);
    Pick {
        id,
        game_id: game.id().to_owned(),
        name: game.name().to_owned(),
        has_cover,
        cover_kind: if cover.is_empty() { "" } else { "cover" },
        cover,
        score: (score * 100.0).round() / 100.0,
        reason_key: format!("picker.reason.{reason}"),
        reason_params,
        dna_seed: wanted
            .lift
            .as_ref()
            .filter(|lift| lift.factor(game).is_some())
            .map(|lift| lift.query.clone()),
    }
}

/// The first reason that holds; a game without any is one that fits.
fn reason(candidate: &Candidate<'_>, wanted: &Wanted) -> (&'static str, Map<String, Value>) {
    let Candidate { game, days, minutes, .. } = *candidate;
    let name = game.name();
    let rests_for = |least: i64| days.is_some_and(|days| days > least);
    let rating = game.rating().unwrap_or(0.0);
    let (reason, params) = if game.user_rating() >= 4 && game.progress().is_empty() {
        let hours = Slots::of(game.json()).number(const { slot("time_to_beat_hours") }).0;
        ("rated_backlog", json!({"stars": game.user_rating(), "ttb": hours}))
    } else if !is_played(game) {
        ("never_played", json!({}))
    } else if game.favorite() && (days.is_none() || rests_for(REST_DAYS)) {
        ("favorite", json!({"days": days}))
    } else if rests_for(LONG_DAYS) {
        ("long_time", json!({"days": days}))
    } else if wanted.mood != "any" {
        ("mood", json!({"mood": wanted.mood}))
    } else if wanted.minutes > 0 {
        ("fits_session", json!({"minutes": minutes}))
    } else if rating >= 4.0 {
        ("rated", json!({"rating": rating}))
    } else {
        ("fits", json!({}))
    };
    let mut params: Map<String, Value> = params.as_object().cloned().unwrap_or_default();
    params.insert("name".to_owned(), name.into());
    (reason, params)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every path below `/here` exists, and pictures lie below `/media`.
    struct Context;

    impl crate::probe::disk::Disk for Context {
        fn existing(&self, paths: &[&str]) -> HashSet<String> {
            let there = paths.iter().filter(|path| path.contains("/here"));
            there.map(|path| (*path).to_owned()).collect()
        }

        fn is_media(&self, path: &str) -> bool {
            path.starts_with("/media")
        }
    }

    impl MatchContext for Context {
        fn category(&self, _: &str) -> String {
            String::new()
        }
    }

    fn state(games: &[Value]) -> State {
        let mut draft = crate::model::Draft::new(State::default());
        for (at, more) in games.iter().enumerate() {
            let mut game = json!({"game_id": format!("g{at}"), "name": format!("N{at}"), "path": format!("/here/{at}")});
            let more = more.as_object().expect("an object").clone();
            game.as_object_mut().expect("an object").extend(more);
            draft.add_game(serde_json::from_value(game).expect("an object")).expect("added");
        }
        draft.set_section(
            "playlists",
            json!([
                {"name": "M", "type": "manual", "members": ["g1", "gone"]},
                {"name": "F", "type": "filter", "rules": {"platform": "NES"}},
            ]),
        );
        draft.state().clone()
    }

    fn wanted() -> Wanted {
        Wanted::of(0, "", "", 1, ("", "")).expect("fine")
    }

    fn picks(state: &State, wanted: &Wanted) -> Vec<Pick> {
        let now = Moment::parse("2026-06-30T12:00:00").expect("a time");
        let around = PickContext { plays: &Plays::default(), context: &Context, now: &now };
        let found = pick(state, wanted, &around, &mut Dice::new(5)).expect("picked");
        let mut picks = found.picks;
        picks.sort_by_key(|pick| pick.id);
        picks
    }

    fn ids(state: &State, wanted: &Wanted) -> Vec<usize> {
        picks(state, wanted).iter().map(|pick| pick.id).collect()
    }

    #[test]
    fn the_score_adds_up_by_hand() {
        let state = state(&[json!({
            "favorite": true, "rating": 4.5, "user_rating": 3, "play_count": 3, "playtime_seconds": 60,
            "last_played": "2026-06-20T12:00:00", "max_players": 2, "genre": "Puzzle", "cover": "/media/here.png",
        })]);
        let wanted = Wanted::of(30, "chill", "any", 2, ("", "")).expect("fine");
        let found = &picks(&state, &wanted)[0];
        // 2.5 ln 4 + 10 + 13.5 + 12 + 5 + 8 * 10/365 + 6 + 4 + 3
        assert!((found.score - 57.18).abs() < 1e-9, "{}", found.score);
        assert_eq!((found.has_cover, found.cover_kind), (true, "cover"));
        assert_eq!(found.reason_key, "picker.reason.mood");
        assert_eq!(
            Value::Object(found.reason_params.clone()),
            json!({"mood": "chill", "name": "N0"})
        );
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let state = state(&[
            json!({"hidden": true}),
            json!({"hide_in_bigscreen": true}),
            json!({"path": "/gone"}),
            json!({"path": "/gone", "store_installed": true, "genre": "RPG", "year": "1999"}),
            json!({"play_count": 1, "max_players": "4", "platform": "NES", "year": 2001, "genre": "Card Battle"}),
        ]);
        let with = |minutes, mood, familiarity, players, scope| {
            ids(&state, &Wanted::of(minutes, mood, familiarity, players, scope).expect("fine"))
        };
        assert_eq!(with(0, "", "", 1, ("", "")), [3, 4]);
        assert_eq!(with(0, "any", "new", 1, ("all", "")), [3]);
        assert_eq!(with(0, "any", "favorite", 1, ("all", "")), [0_usize; 0]);
        assert_eq!(with(0, "party", "any", 1, ("", "")), [4]);
        assert_eq!(with(0, "retro", "any", 1, ("", "")), [3]);
        assert_eq!(with(0, "story", "any", 1, ("", "")), [3]);
        assert_eq!(with(0, "chill", "any", 1, ("", "")), [4]);
        assert_eq!(with(0, "action", "any", 1, ("", "")), [0_usize; 0]);
        assert_eq!(with(0, "any", "any", 4, ("", "")), [4]);
        assert_eq!(with(0, "any", "any", 5, ("", "")), [0_usize; 0]);
        // An RPG takes 120 minutes, a card game 30.
        assert_eq!(with(20, "any", "any", 1, ("", "")), [4]);
        assert_eq!(with(80, "any", "any", 1, ("", "")), [3, 4]);
        assert_eq!(with(0, "any", "any", 1, ("platform", "nes")), [4]);
        assert_eq!(with(0, "any", "any", 1, ("playlist", "F")), [4]);
        assert_eq!(with(0, "any", "any", 1, ("playlist", "M")), [0_usize; 0]);
    }

    #[test]
    fn the_first_reason_that_holds_is_given() {
        let played = |more: Value| {
            let mut game = json!({"play_count": 1, "progress": "Playing", "last_played": "2026-06-29T12:00:00"});
            game.as_object_mut().expect("one").extend(more.as_object().expect("one").clone());
            game
        };
        let day = |text: &str| played(json!({"last_played": text}));
        let mut liked = played(json!({"favorite": true}));
        liked["last_played"] = json!("");
        for (game, minutes, expected) in [
            (
                json!({"user_rating": 4, "time_to_beat_hours": 7.5}),
                0,
                ("rated_backlog", json!({"stars": 4, "ttb": 7.5, "name": "N0"})),
            ),
            (json!({"user_rating": 3}), 0, ("never_played", json!({"name": "N0"}))),
            (liked, 0, ("favorite", json!({"days": null, "name": "N0"}))),
            (day("2026-05-30T12:00:00"), 0, ("long_time", json!({"days": 31, "name": "N0"}))),
            (played(json!({})), 45, ("fits_session", json!({"minutes": 45, "name": "N0"}))),
            (played(json!({"rating": 4})), 0, ("rated", json!({"rating": 4.0, "name": "N0"}))),
            (played(json!({})), 0, ("fits", json!({"name": "N0"}))),
        ] {
            let wanted = Wanted { minutes, ..wanted() };
            let found = picks(&state(&[game]), &wanted).remove(0);
            let (key, params) = expected;
            assert_eq!(found.reason_key, format!("picker.reason.{key}"));
            assert_eq!(Value::Object(found.reason_params), params);
        }
    }

    #[test]
    fn three_of_the_twelve_best_are_drawn() {
        let games: Vec<Value> =
            (0..40).map(|at| json!({"rating": if at < 12 { 5 } else { 0 }})).collect();
        let state = state(&games);
        let now = Moment::parse("2026-06-30T12:00:00").expect("a time");
        let around = PickContext { plays: &Plays::default(), context: &Context, now: &now };
        let mut drawn = HashSet::new();
        for seed in 0..60 {
            let found = pick(&state, &wanted(), &around, &mut Dice::new(seed)).expect("picked");
            let ids: HashSet<usize> = found.picks.iter().map(|pick| pick.id).collect();
            assert_eq!(ids.len(), 3, "each is drawn once");
            drawn.extend(ids);
        }
        let mut drawn: Vec<usize> = drawn.into_iter().collect();
        drawn.sort_unstable();
        assert_eq!(drawn, (0..12).collect::<Vec<_>>());
    }

    #[test]
    fn wrong_values_are_refused() {
        let refused = |minutes, mood, familiarity, players, scope| {
            Wanted::of(minutes, mood, familiarity, players, scope).expect_err("refused").to_string()
        };
        for (found, expected) in [
            (refused(-1, "", "", 1, ("", "")), "minutes must be >= 0"),
            (
                refused(0, "sad", "", 1, ("", "")),
                "mood must be one of [any, action, chill, story, retro, party]",
            ),
            (refused(0, "", "old", 1, ("", "")), "familiarity must be one of [any, new, favorite]"),
            (refused(0, "", "", 0, ("", "")), "players must be between 1 and 8"),
            (refused(0, "", "", 9, ("", "")), "players must be between 1 and 8"),
            (
                refused(0, "", "", 1, ("shelf", "")),
                "scope must be one of [all, platform, playlist]",
            ),
        ] {
            assert_eq!(found, expected);
        }
        let gone = Wanted { scope: "playlist", scope_name: "X".to_owned(), ..wanted() };
        let now = Moment::from_unix(0);
        let around = PickContext { plays: &Plays::default(), context: &Context, now: &now };
        let found = pick(&state(&[]), &gone, &around, &mut Dice::new(1)).expect_err("refused");
        assert_eq!(found.to_string(), "playlist not found: X");
    }
}
