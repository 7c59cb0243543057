//! Backlog Radio: five games that fit what is played, kept as a playlist for a week
//! (`/api/v2/insights/radio`).

use std::{cmp::Ordering, collections::HashSet, ops::Range, ptr};

use hashbrown::{HashMap as FastMap, HashSet as FastSet};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    habits::{GameFacts, GenreHabit, Habits, left_of, minutes_left},
    loved::Loved,
    plays::Plays,
    radar::Reason,
    sums::playtime,
};
use crate::{
    base::{Moment, schema::schema, text, workers::in_halves},
    game::slots::{Slots, slot},
    model::{Draft, Game, State},
    platforms,
};

/// The section of playlists, and the mark of the one that is managed here.
const SECTION: &str = "playlists";
const MANAGED: &str = "radio";
/// Its name.
pub const NAME: &str = "Backlog Radio";
/// Games of one set.
const PICKS: usize = 5;
/// Seconds after which a set is replaced.
const LIFE: i64 = 7 * 86_400;
/// Reasons of one pick.
const REASONS: usize = 3;
/// Games that are scored in detail at first; then four times as many.
const FIRST_BATCH: usize = 64;
/// A game of the same kind as one before is taken only when its score is at least this share of the best.
const DIVERSE: f64 = 0.6;

schema! {
    /// `GET /api/v2/insights/radio`.
    #[derive(Clone, Debug)]
    pub struct RadioReply {
        /// The set.
        pub playlist: Radio,
    }

    /// A set of games to play next.
    #[derive(Clone, Debug)]
    pub struct Radio {
        /// Its name.
        pub name: &'static str,
        /// When it was made, UTC.
        pub generated_at: String,
        /// Whether it is older than a week.
        pub stale: bool,
        /// The games, the best first.
        pub picks: Vec<RadioPick>,
        /// Whether it was made without habits.
        pub fallback: bool,
        /// Whether the history holds enough.
        pub enough_history: bool,
        /// Key of the text that stands above it.
        pub notice_key: String,
        /// Always true: it is not a playlist to edit.
        pub managed: bool,
    }

    /// A game to play next.
    #[derive(Clone, Debug)]
    pub struct RadioPick {
        /// Stable id.
        pub game_id: String,
        /// Position in the library.
        pub id: usize,
        /// Title.
        pub name: String,
        /// Platform, as stored.
        pub platform: String,
        /// Genre, as stored.
        pub genre: String,
        /// Whether it has a cover to show.
        pub has_cover: bool,
        /// Path of the cover; empty without one that may be shown.
        pub cover: String,
        /// How well it fits, 0 to 1.
        pub score: f64,
        /// Minutes that are left of it.
        pub estimated_minutes: u64,
        /// Why it is here, one to three.
        pub reasons: Vec<Value>,
    }
}

/// A pick as it is stored.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredPick {
    game_id: String,
    score: f64,
    reasons: Vec<Value>,
    estimated_minutes: u64,
}

/// A set as it is stored.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Stored {
    picks: Vec<StoredPick>,
    fallback: bool,
    notice_key: String,
    generated_at: String,
}

impl Stored {
    fn of(state: &State) -> Option<Self> {
        let rows = state.section(SECTION).as_array()?;
        let row = rows.iter().find(|row| row["managed"] == MANAGED)?;
        Some(Self::deserialize(row).unwrap_or_default())
    }

    fn is_stale(&self, now: &Moment) -> bool {
        let made = Moment::parse(&self.generated_at).map(|made| made.unix_seconds());
        made.is_none_or(|made| now.unix_seconds() - made > LIFE)
    }
}

/// Whether the stored set must be replaced before it is shown.
pub(super) fn is_due(state: &State, now: &Moment) -> bool {
    let Some(stored) = Stored::of(state) else { return true };
    let resolves = |pick: &StoredPick| state.games.find(&pick.game_id).is_some();
    let is_gone = !state.games.is_empty() && !stored.picks.iter().any(resolves);
    stored.is_stale(now) || is_gone
}

/// The stored set, without covers; games that are gone are left out.
pub(super) fn stored(state: &State, now: &Moment) -> Radio {
    let stored = Stored::of(state).unwrap_or_default();
    let is_stale = stored.is_stale(now);
    let pick = |pick: StoredPick| {
        let (id, game) = state.games.find(&pick.game_id)?;
        Some(RadioPick {
            game_id: game.id().to_owned(),
            id,
            name: game.name().to_owned(),
            platform: game.platform().to_owned(),
            genre: game.genre().to_owned(),
            has_cover: false,
            cover: String::new(),
            score: pick.score,
            estimated_minutes: pick.estimated_minutes,
            reasons: pick.reasons,
        })
    };
    Radio {
        name: NAME,
        generated_at: stored.generated_at,
        stale: is_stale,
        picks: stored.picks.into_iter().filter_map(pick).collect(),
        fallback: stored.fallback,
        enough_history: !stored.fallback,
        notice_key: stored.notice_key,
        managed: true,
    }
}

/// Returns which of these paths exist.
pub(super) type Existing<'e> = &'e dyn Fn(&[&str]) -> HashSet<String>;

/// A new set for a library, as it is stored. It names other games than the one before, unless there are no
/// others.
pub(super) fn new_set(state: &State, plays: &Plays, now: &Moment, existing: Existing<'_>) -> Value {
    let habits = Habits::of(state, plays, now);
    let before = Stored::of(state).unwrap_or_default();
    let position = |pick: &StoredPick| Some(state.games.find(&pick.game_id)?.0);
    let before: Vec<usize> = before.picks.iter().filter_map(position).collect();
    let fallback = !habits.is_enough();
    let picks_of = |may_repeat: bool| {
        let games = |range: Range<usize>| {
            let wanted = range.filter(|position| {
                let GameFacts { is_hidden, is_completed, .. } = habits.facts_of(*position);
                !is_hidden && !is_completed && (may_repeat || !before.contains(position))
            });
            wanted.filter_map(|position| Some((position, &**state.games.get(position)?)))
        };
        if fallback {
            plain_picks(games(0..state.games.len()).collect(), existing)
        } else {
            let score = |range: Range<usize>| scored(state, &habits, games(range));
            let candidates = in_halves(state.games.len(), score).concat();
            picks(state, &habits, candidates, existing)
        }
    };
    let mut picks = picks_of(false);
    if picks.is_empty() && !before.is_empty() {
        picks = picks_of(true);
    }
    let notice_key = match (picks.is_empty(), fallback) {
        (true, _) => "radio.notice.empty",
        (false, true) => "radio.notice.not_enough_history",
        (false, false) => "radio.notice.ok",
    };
    let members: Vec<&str> = picks.iter().map(|pick| pick.game_id.as_str()).collect();
    json!({
        "name": NAME, "type": "manual", "managed": MANAGED, "members": members, "picks": picks,
        "fallback": fallback, "notice_key": notice_key, "generated_at": now.utc_iso(), "rules": {},
        "parent": "", "notes": "",
    })
}

/// Puts a set in the place of the one before.
pub(super) fn replace(draft: &mut Draft, set: Value) {
    let mut rows = draft.state().list(SECTION);
    match rows.iter().position(|row| row["managed"] == MANAGED) {
        Some(at) => rows[at] = set,
        None => rows.push(set),
    }
    draft.set_section(SECTION, Value::Array(rows));
}

/// Whether a set equals the stored one: nothing, for the same reason, this week.
pub(super) fn is_still_empty(state: &State, set: &Value, now: &Moment) -> bool {
    Stored::of(state).is_some_and(|stored| {
        let is_same = stored.fallback == set["fallback"] && stored.notice_key == set["notice_key"];
        is_same && stored.picks.is_empty() && !stored.is_stale(now)
    })
}

/// A game with how well it fits.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    position: usize,
    game: &'a Game,
    score: f64,
}

type Order = fn(&Candidate<'_>, &Candidate<'_>) -> Ordering;

/// Candidates in their order. Only as many are sorted and scored in detail as are needed.
struct Queue<'a, 'e> {
    /// Those that follow, in no order.
    rest: Vec<Candidate<'a>>,
    /// The first ones that can be played here, in order.
    ready: Vec<Candidate<'a>>,
    order: Order,
    existing: Existing<'e>,
    /// How many are scored next.
    batch: usize,
}

impl<'a, 'e> Queue<'a, 'e> {
    fn new(candidates: Vec<Candidate<'a>>, order: Order, existing: Existing<'e>) -> Self {
        Self { rest: candidates, ready: Vec::new(), order, existing, batch: FIRST_BATCH }
    }

    fn get(&mut self, at: usize) -> Option<&Candidate<'a>> {
        while self.ready.len() <= at && !self.rest.is_empty() {
            self.make_ready();
        }
        self.ready.get(at)
    }

    /// Takes the next ones; of those that are not installed by a store the file must be there.
    fn make_ready(&mut self) {
        let count = self.batch.min(self.rest.len());
        self.batch *= 4;
        if count < self.rest.len() {
            self.rest.select_nth_unstable_by(count, self.order);
        }
        let after = self.rest.split_off(count);
        let mut next = std::mem::replace(&mut self.rest, after);
        next.sort_unstable_by(self.order);
        let offered: Vec<(bool, Candidate<'a>)> = next
            .into_iter()
            .filter_map(|candidate| Some((offered(candidate.game)?, candidate)))
            .collect();
        let paths: Vec<&str> = offered
            .iter()
            .filter(|(is_installed, candidate)| !is_installed && !candidate.game.path().is_empty())
            .map(|(_, candidate)| candidate.game.path())
            .collect();
        let there = (self.existing)(&paths);
        let can_start = |(is_installed, candidate): (bool, Candidate<'a>)| {
            (is_installed || there.contains(candidate.game.path())).then_some(candidate)
        };
        self.ready.extend(offered.into_iter().filter_map(can_start));
    }
}

/// Whether a store has installed a game; `None` for a game that is not to be suggested.
fn offered(game: &Game) -> Option<bool> {
    let slots = Slots::of(game.json());
    let is_offered = slots.flag(const { slot("hide_in_bigscreen") }) != Some(true)
        && slots.text(const { slot("release_status") }) != "demo";
    is_offered.then(|| slots.flag(const { slot("store_installed") }) == Some(true))
}

/// Without habits: the best rated first, then those never played, then those that came first.
fn plain_picks(games: Vec<(usize, &Game)>, existing: Existing<'_>) -> Vec<StoredPick> {
    let order = |a: &Candidate<'_>, b: &Candidate<'_>| {
        let rating = |game: &Game| game.rating().unwrap_or(0.0);
        let is_played = |game: &Game| playtime(game) > 0 || game.play_count() > 0;
        rating(b.game)
            .total_cmp(&rating(a.game))
            .then_with(|| is_played(a.game).cmp(&is_played(b.game)))
            .then_with(|| a.game.added_at().cmp(b.game.added_at()))
            .then_with(|| a.game.id().cmp(b.game.id()))
    };
    let games = games.into_iter();
    let candidates = games.map(|(position, game)| Candidate { position, game, score: 0.0 });
    let mut queue = Queue::new(candidates.collect(), order, existing);
    let pick = |game: &Game| {
        let reason = match game.rating().filter(|rating| *rating >= 4.0) {
            Some(rating) => Reason::new("radio.reason.fallback_rating", json!({"rating": rating})),
            None => Reason::new("radio.reason.fallback_fresh", json!({})),
        };
        stored_pick(game, 0.0, &[reason])
    };
    (0..PICKS).map_while(|at| Some(pick(queue.get(at)?.game))).collect()
}

fn stored_pick(game: &Game, score: f64, reasons: &[Reason]) -> StoredPick {
    StoredPick {
        game_id: game.id().to_owned(),
        score: (score * 10_000.0).round() / 10_000.0,
        reasons: reasons.iter().map(|reason| json!(reason)).collect(),
        estimated_minutes: minutes_left(game),
    }
}

/// How well games fit.
fn scored<'a>(
    state: &'a State,
    habits: &'a Habits<'a>,
    games: impl Iterator<Item = (usize, &'a Game)>,
) -> Vec<Candidate<'a>> {
    let mut ranking = Ranking::new(state, habits);
    let candidate = |(position, game)| {
        let score = ranking.facts(position, game).score;
        Candidate { position, game, score }
    };
    games.map(candidate).collect()
}

fn picks<'a>(
    state: &'a State,
    habits: &'a Habits<'a>,
    candidates: Vec<Candidate<'a>>,
    existing: Existing<'_>,
) -> Vec<StoredPick> {
    let mut ranking = Ranking::new(state, habits);
    let order = |a: &Candidate<'_>, b: &Candidate<'_>| {
        b.score.total_cmp(&a.score).then_with(|| a.game.id().cmp(b.game.id()))
    };
    let mut queue = Queue::new(candidates, order, existing);
    let chosen = diverse(&mut queue);
    let mut pick = |at: usize| {
        let Candidate { position, game, score } = *queue.get(at)?;
        Some(stored_pick(game, score, &reasons(habits, game, &ranking.facts(position, game))))
    };
    chosen.into_iter().filter_map(&mut pick).collect()
}

/// Five of them: first one of each genre and platform while their scores are close to the best, then by score.
fn diverse(queue: &mut Queue<'_, '_>) -> Vec<usize> {
    let top = queue.get(0).map_or(0.0, |best| best.score);
    let mut kinds: FastSet<(String, String)> = FastSet::new();
    let mut chosen: Vec<usize> = Vec::new();
    for at in 0.. {
        let Some(candidate) = queue.get(at).filter(|_| chosen.len() < PICKS) else { break };
        if candidate.score < DIVERSE * top {
            break;
        }
        let genre = candidate.game.genre().split(',').next().unwrap_or("").trim();
        if kinds.insert((text::fold(genre), text::fold(candidate.game.platform().trim()))) {
            chosen.push(at);
        }
    }
    for at in 0.. {
        if chosen.len() == PICKS || queue.get(at).is_none() {
            break;
        }
        if !chosen.contains(&at) {
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// The inputs of scores. Texts that many games share are read once.
struct Ranking<'a> {
    habits: &'a Habits<'a>,
    loved: Vec<Loved<'a>>,
    genres: FastMap<&'a str, GenreHabit<'a>>,
    /// How much each platform is played, and its family.
    platforms: FastMap<&'a str, (f64, &'a str)>,
}

/// The inputs of the score of a game.
struct Facts<'a> {
    score: f64,
    similar: (f64, Option<&'a Game>),
    genre: &'a str,
    genre_affinity: f64,
    platform_affinity: f64,
    session_fit: f64,
}

impl<'a> Ranking<'a> {
    fn new(state: &'a State, habits: &'a Habits<'a>) -> Self {
        let loved = Loved::of(state, habits);
        Self { habits, loved, genres: FastMap::new(), platforms: FastMap::new() }
    }

    fn facts(&mut self, position: usize, game: &'a Game) -> Facts<'a> {
        let habits = self.habits;
        let genre =
            self.genres.entry(game.genre()).or_insert_with(|| habits.genre_habit(game.genre()));
        let platform = game.platform();
        let (platform_affinity, family) = *self.platforms.entry(platform).or_insert_with(|| {
            let family = platforms::family_of(platform);
            (habits.platform_affinity(platform), family)
        });
        let days_played = habits.days_of(game);
        let mut similar = (0.0, None);
        for loved in self.loved.iter().filter(|loved| !ptr::eq(loved.game, game)) {
            let weight = loved.similarity(game, days_played, &genre.folded, family);
            if weight > similar.0 {
                similar = (weight, Some(loved.game));
            }
        }
        let session_fit = habits.session_fit(left_of(genre.estimate, playtime(game)));
        let habit = 0.30 * genre.affinity
            + 0.15 * platform_affinity
            + 0.25 * genre.completion.unwrap_or(0.5)
            + 0.20 * session_fit
            + 0.10 * genre.daypart_fit;
        let days = habits.facts_of(position).days.filter(|_| game.play_count() > 0);
        #[expect(clippy::cast_precision_loss, reason = "days")]
        let fresh = days.map_or(1.0, |days| 0.3 + 0.7 * (days as f64 / 120.0).min(1.0));
        Facts {
            score: (0.15 + 0.85 * similar.0) * (0.25 + 0.75 * habit) * (0.25 + 0.75 * fresh),
            similar,
            genre: genre.genre,
            genre_affinity: genre.affinity,
            platform_affinity,
            session_fit,
        }
    }
}

fn reasons(habits: &Habits<'_>, game: &Game, facts: &Facts<'_>) -> Vec<Reason> {
    let minutes = minutes_left(game);
    let median = habits.median.unwrap_or(0);
    let mut reasons = Vec::new();
    if facts.session_fit >= 0.9 && minutes <= 90 && minutes * 60 <= median.saturating_mul(2) {
        reasons.push(Reason::new("radio.reason.short", json!({"minutes": minutes})));
    }
    if facts.genre_affinity >= 0.3 {
        let is_finished = habits.completion(facts.genre).is_some_and(|share| share >= 0.5);
        let key =
            if is_finished { "radio.reason.genre_finish" } else { "radio.reason.genre_habit" };
        reasons.push(Reason::new(key, json!({"genre": facts.genre})));
    }
    if let (weight, Some(loved)) = facts.similar
        && weight >= 0.3
    {
        let params = json!({"name": loved.name(), "source_id": loved.id()});
        reasons.push(Reason::new("radio.reason.similar_to", params));
    }
    if facts.platform_affinity >= 0.25 {
        reasons
            .push(Reason::new("radio.reason.platform_habit", json!({"platform": game.platform()})));
    }
    let days = habits.days_here(game).unwrap_or(0);
    if game.play_count() == 0 && days >= 14 {
        reasons.push(Reason::new("radio.reason.fresh", json!({"days": days})));
    }
    if reasons.is_empty() {
        reasons.push(match facts.genre {
            "" => Reason::new("radio.reason.fresh", json!({"days": days})),
            genre => Reason::new("radio.reason.genre_habit", json!({"genre": genre})),
        });
    }
    reasons.truncate(REASONS);
    reasons
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;

    fn game(number: usize, (is_installed, is_there, is_demo): (bool, bool, bool)) -> Arc<Game> {
        let path = if is_there { format!("/there/{number}") } else { format!("/gone/{number}") };
        let record = json!({"game_id": format!("game-{number:03}"), "name": "A", "path": path,
            "store_installed": is_installed, "release_status": if is_demo { "demo" } else { "" }});
        Arc::new(Game::from_json(&record.to_string()).expect("a game"))
    }

    proptest! {
        #[test]
        fn a_queue_gives_what_sorting_and_looking_at_everything_gives(
            games in proptest::collection::vec((0_u8..6, any::<(bool, bool, bool)>()), 0..400),
        ) {
            let games: Vec<(f64, Arc<Game>)> = games
                .into_iter()
                .enumerate()
                .map(|(number, (score, kind))| (f64::from(score), game(number, kind)))
                .collect();
            let candidates = || -> Vec<Candidate<'_>> {
                let games = games.iter().enumerate();
                let games = games.map(|(position, (score, game))| (position, *score, &**game));
                games.map(|(position, score, game)| Candidate { position, game, score }).collect()
            };
            let order = |a: &Candidate<'_>, b: &Candidate<'_>| {
                b.score.total_cmp(&a.score).then_with(|| a.game.id().cmp(b.game.id()))
            };
            let existing = |paths: &[&str]| -> HashSet<String> {
                paths.iter().filter(|path| path.starts_with("/there")).map(|path| (*path).to_owned()).collect()
            };
            let mut expected = candidates();
            expected.retain(|candidate| {
                let is_there = candidate.game.path().starts_with("/there");
                offered(candidate.game).is_some_and(|is_installed| is_there || is_installed)
            });
            expected.sort_by(order);
            let mut queue = Queue::new(candidates(), order, &existing);
            let given: Vec<&str> =
                (0..).map_while(|at| Some(queue.get(at)?.game.id())).collect();
            let expected: Vec<&str> = expected.iter().map(|candidate| candidate.game.id()).collect();
            prop_assert_eq!(given, expected);
        }
    }
}
