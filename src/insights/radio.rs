//! Backlog Radio: five games that fit what is played, kept as a playlist for a week
//! (`/api/v2/insights/radio`).

use std::collections::HashSet;

use hashbrown::HashSet as FastSet;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    habits::{Habits, is_completed, minutes_left},
    plays::Plays,
    radar::Reason,
    sums::{genres, playtime},
};
use crate::{
    base::{Moment, schema::schema, text},
    config::settings::categories,
    game::slots::{Slots, slot},
    model::{Draft, Game, State},
    platforms::OTHER,
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
/// Games that others are compared with, by how they were found.
const LOVED: usize = 5;
const LOVED_BY_TIME: usize = 3;
/// Days within which a game that is liked counts as loved.
const LOVED_DAYS: i64 = 60;
/// Seconds of play that make a game loved when none is liked.
const LOVED_SECONDS: u64 = 3_600;
/// Reasons of one pick.
const REASONS: usize = 3;
/// A game of the same kind as one before is taken only when it is that good beside the best.
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
        /// Whether the history says enough.
        pub enough_history: bool,
        /// Key of the text that stands above it.
        pub notice_key: String,
        /// Always true: it is no playlist to edit.
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

/// The stored set; games that are gone are left out. `cover` tells the path of the cover of a game, empty
/// when it must not be shown, and whether it is there.
pub(super) fn stored(
    state: &State,
    now: &Moment,
    cover: &dyn Fn(&Game) -> (String, bool),
) -> Radio {
    let stored = Stored::of(state).unwrap_or_default();
    let is_stale = stored.is_stale(now);
    let pick = |pick: StoredPick| {
        let (id, game) = state.games.find(&pick.game_id)?;
        let (cover, has_cover) = cover(game);
        Some(RadioPick {
            game_id: game.id().to_owned(),
            id,
            name: game.name().to_owned(),
            platform: game.platform().to_owned(),
            genre: game.genre().to_owned(),
            has_cover,
            cover,
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

/// Puts a new set in the place of the old one. `is_there` tells whether something stands at the path of a
/// game.
pub(super) fn rebuild(
    draft: &mut Draft,
    plays: &Plays,
    now: &Moment,
    is_there: &dyn Fn(&Game) -> bool,
) {
    let state = draft.state();
    let habits = Habits::of(state, plays, now);
    let before = Stored::of(state).unwrap_or_default();
    let before: HashSet<&str> = before.picks.iter().map(|pick| pick.game_id.as_str()).collect();
    let eligible: Vec<&Game> =
        state.games.iter().map(AsRef::as_ref).filter(|game| is_eligible(game, is_there)).collect();
    let is_other = |game: &&Game| !before.contains(game.id());
    let mut games: Vec<&Game> = eligible.iter().copied().filter(is_other).collect();
    // A library that has nothing else repeats itself.
    if games.is_empty() {
        games = eligible;
    }
    let fallback = !habits.is_enough();
    let picks = if fallback { plain_picks(games) } else { picks(state, &habits, games) };
    let notice_key = match (picks.is_empty(), fallback) {
        (true, _) => "radio.notice.empty",
        (false, true) => "radio.notice.not_enough_history",
        (false, false) => "radio.notice.ok",
    };
    let members: Vec<&str> = picks.iter().map(|pick| pick.game_id.as_str()).collect();
    let row = json!({
        "name": NAME, "type": "manual", "managed": MANAGED, "members": members, "picks": picks,
        "fallback": fallback, "notice_key": notice_key, "generated_at": now.utc_iso(), "rules": {},
        "parent": "", "notes": "",
    });
    let mut rows = state.section(SECTION).as_array().cloned().unwrap_or_default();
    match rows.iter().position(|row| row["managed"] == MANAGED) {
        Some(at) => rows[at] = row,
        None => rows.push(row),
    }
    draft.set_section(SECTION, Value::Array(rows));
}

fn is_eligible(game: &Game, is_there: &dyn Fn(&Game) -> bool) -> bool {
    if game.hidden() || is_completed(game) {
        return false;
    }
    let slots = Slots::of(game.json());
    let is = |at: usize| slots.flag(at) == Some(true);
    !is(const { slot("hide_in_bigscreen") })
        && slots.text(const { slot("release_status") }) != "demo"
        && (is(const { slot("store_installed") }) || is_there(game))
}

/// Without habits: the best rated first, then those never played, then those that came first.
fn plain_picks(mut games: Vec<&Game>) -> Vec<StoredPick> {
    games.sort_by(|a, b| {
        let rating = |game: &Game| game.rating().unwrap_or(0.0);
        let order = |game: &Game| playtime(game) > 0 || game.play_count() > 0;
        rating(b)
            .total_cmp(&rating(a))
            .then_with(|| order(a).cmp(&order(b)))
            .then_with(|| a.added_at().cmp(b.added_at()))
            .then_with(|| a.id().cmp(b.id()))
    });
    let pick = |game: &Game| {
        let reason = match game.rating().filter(|rating| *rating >= 4.0) {
            Some(rating) => Reason::new("radio.reason.fallback_rating", json!({"rating": rating})),
            None => Reason::new("radio.reason.fallback_fresh", json!({})),
        };
        stored_pick(game, 0.0, &[reason])
    };
    games.into_iter().take(PICKS).map(pick).collect()
}

fn stored_pick(game: &Game, score: f64, reasons: &[Reason]) -> StoredPick {
    StoredPick {
        game_id: game.id().to_owned(),
        score: (score * 10_000.0).round() / 10_000.0,
        reasons: reasons.iter().map(|reason| json!(reason)).collect(),
        estimated_minutes: minutes_left(game),
    }
}

/// A game with how well it fits.
struct Candidate<'a> {
    game: &'a Game,
    score: f64,
    reasons: Vec<Reason>,
}

fn picks(state: &State, habits: &Habits, games: Vec<&Game>) -> Vec<StoredPick> {
    let loved: Vec<Traits<'_>> =
        loved(state, habits).into_iter().map(|game| Traits::of(state, game)).collect();
    let mut candidates: Vec<Candidate<'_>> =
        games.into_iter().map(|game| rank(state, habits, &loved, game)).collect();
    candidates
        .sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.game.id().cmp(b.game.id())));
    let chosen = diverse(&candidates);
    let pick =
        |at: usize| stored_pick(candidates[at].game, candidates[at].score, &candidates[at].reasons);
    chosen.into_iter().map(pick).collect()
}

/// Five of them: first one of each genre and platform while they are good beside the best, then by score.
fn diverse(candidates: &[Candidate<'_>]) -> Vec<usize> {
    let top = candidates.first().map_or(0.0, |best| best.score);
    let mut kinds: FastSet<(String, String)> = FastSet::new();
    let mut chosen: Vec<usize> = Vec::new();
    for (at, candidate) in candidates.iter().enumerate() {
        if chosen.len() == PICKS || candidate.score < DIVERSE * top {
            break;
        }
        let genre = candidate.game.genre().split(',').next().unwrap_or("").trim();
        if kinds.insert((text::fold(genre), text::fold(candidate.game.platform().trim()))) {
            chosen.push(at);
        }
    }
    for at in 0..candidates.len() {
        if chosen.len() == PICKS {
            break;
        }
        if !chosen.contains(&at) {
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// The games that others are compared with.
fn loved<'a>(state: &'a State, habits: &Habits) -> Vec<&'a Game> {
    let games = || state.games.iter().map(AsRef::as_ref);
    let is_liked =
        |game: &Game| game.favorite() || game.rating().is_some_and(|rating| rating >= 4.0);
    let mut liked: Vec<(i64, &Game)> = games()
        .filter(|game| is_liked(game))
        .filter_map(|game| Some((habits.days_since(game)?, game)))
        .filter(|(days, _)| *days <= LOVED_DAYS)
        .collect();
    if !liked.is_empty() {
        liked.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.id().cmp(b.1.id())));
        return liked.into_iter().take(LOVED).map(|(_, game)| game).collect();
    }
    let time = |game: &Game| playtime(game).max(habits.seconds_of(game));
    let mut played: Vec<&Game> = games().filter(|game| time(game) >= LOVED_SECONDS).collect();
    played.sort_by(|a, b| time(b).cmp(&time(a)).then_with(|| a.id().cmp(b.id())));
    played.truncate(LOVED_BY_TIME);
    played
}

/// The texts of a game that are compared, folded.
struct Traits<'a> {
    game: &'a Game,
    series: String,
    developer: String,
    publisher: String,
    genres: Vec<String>,
    family: &'a str,
}

impl<'a> Traits<'a> {
    fn of(state: &'a State, game: &'a Game) -> Self {
        let folded = |text: &str| text::fold(text.trim());
        Self {
            game,
            series: folded(game.series()),
            developer: folded(game.developer()),
            publisher: folded(game.publisher()),
            genres: genres(game).into_iter().map(text::fold).collect(),
            family: categories::category_of(state.settings(), game.platform()),
        }
    }

    /// The strongest thing that two games have in common, 0 to 1.
    fn similarity(&self, other: &Self, habits: &Habits) -> f64 {
        let same = |a: &str, b: &str| !a.is_empty() && a == b;
        let edges = [
            (1.0, same(&self.series, &other.series)),
            (0.8, same(&self.developer, &other.developer)),
            (0.6, habits.are_played_together(self.game, other.game)),
            (0.5, same(&self.publisher, &other.publisher)),
            (0.4, self.genres.iter().any(|genre| other.genres.contains(genre))),
            (0.3, self.family != OTHER && same(self.family, other.family)),
        ];
        edges.into_iter().find(|(_, holds)| *holds).map_or(0.0, |(weight, _)| weight)
    }
}

fn rank<'a>(
    state: &'a State,
    habits: &Habits,
    loved: &[Traits<'_>],
    game: &'a Game,
) -> Candidate<'a> {
    let traits = Traits::of(state, game);
    let similar = loved
        .iter()
        .filter(|loved| loved.game.id() != game.id())
        .map(|loved| (traits.similarity(loved, habits), loved.game))
        .fold(
            (0.0, None),
            |best: (f64, Option<&Game>), (weight, loved)| {
                if weight > best.0 { (weight, Some(loved)) } else { best }
            },
        );
    let (genre_affinity, genre) = habits.genre_affinity(game);
    let platform_affinity = habits.platform_affinity(game);
    let primary = game.genre().split(',').next().unwrap_or("").trim();
    let completion = habits.completion(primary);
    let session_fit = habits.session_fit(game);
    let habit = 0.30 * genre_affinity
        + 0.15 * platform_affinity
        + 0.25 * completion.unwrap_or(0.5)
        + 0.20 * session_fit
        + 0.10 * habits.daypart_fit(game);
    let days = habits.days_since(game).filter(|_| game.play_count() > 0);
    #[expect(clippy::cast_precision_loss, reason = "days")]
    let fresh = days.map_or(1.0, |days| 0.3 + 0.7 * (days as f64 / 120.0).min(1.0));
    let score = (0.15 + 0.85 * similar.0) * (0.25 + 0.75 * habit) * (0.25 + 0.75 * fresh);
    let facts = Facts { similar, genre, genre_affinity, platform_affinity, session_fit };
    Candidate { game, score, reasons: reasons(habits, game, &facts) }
}

/// What a score is made of, as far as reasons are given for it.
struct Facts<'a> {
    similar: (f64, Option<&'a Game>),
    genre: &'a str,
    genre_affinity: f64,
    platform_affinity: f64,
    session_fit: f64,
}

fn reasons(habits: &Habits, game: &Game, facts: &Facts<'_>) -> Vec<Reason> {
    let minutes = minutes_left(game);
    let median = habits.median.map_or(0, |seconds| seconds / 60);
    let mut reasons = Vec::new();
    if facts.session_fit >= 0.9 && minutes <= 2 * median && minutes <= 90 {
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
