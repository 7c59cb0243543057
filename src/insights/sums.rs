//! Totals over the games of a library. The sums of a chunk are valid as long as the chunk.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, Weak},
};

use hashbrown::HashMap;

use crate::{
    base::{Hold as _, text},
    model::{Chunk, Game, Games},
};

/// Games of a list of those played most.
pub(super) const TOP: usize = 10;
/// The name of a platform that no name was given.
pub(super) const UNSPECIFIED: &str = "Unspecified";
/// The first year that counts as one of release.
const EARLIEST: i32 = 1950;
/// Games from before this year are old.
const OLD: i32 = 1990;

/// How far a game was brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Never,
    Played,
    Beaten,
    Completed,
    Mastered,
}

/// Numbers of games by [`Stage`].
pub(super) type Stages = [u64; 5];

/// What one platform adds up to.
#[derive(Clone, Debug, Default)]
pub(super) struct PlatformSum {
    pub(super) games: u64,
    pub(super) seconds: u64,
    pub(super) stages: Stages,
    pub(super) is_played: bool,
}

/// What some games add up to.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    pub(super) games: u64,
    /// Games with playtime or a last play.
    pub(super) played: u64,
    /// Tracked and manual playtime.
    pub(super) seconds: u64,
    /// Tracked playtime alone.
    pub(super) tracked: u64,
    /// The most tracked playtime of one game.
    pub(super) longest: u64,
    /// By stored name.
    pub(super) platforms: HashMap<String, PlatformSum>,
    pub(super) genres: HashMap<String, u64>,
    /// By the first year of the decade; `None` for games from before 1980 and those without a year.
    pub(super) decades: BTreeMap<Option<i32>, Stages>,
    /// First years of the decades that played games are from.
    pub(super) played_decades: BTreeSet<i32>,
    /// Whether an old game was played.
    pub(super) is_old_played: bool,
    /// Positions of the games played most, best first.
    pub(super) top: Vec<usize>,
}

impl Sums {
    /// Of these games, with their positions.
    pub(super) fn of<'a>(games: impl IntoIterator<Item = (usize, &'a Game)>) -> Self {
        let mut sums = Self::default();
        let mut top: Vec<(usize, &'a Game)> = Vec::new();
        for (position, game) in games {
            sums.add(game);
            if playtime(game) > 0 {
                top.push((position, game));
            }
        }
        top.sort_by(|(_, a), (_, b)| most_played(a, b));
        sums.top = top.into_iter().take(TOP).map(|(position, _)| position).collect();
        sums
    }

    fn add(&mut self, game: &Game) {
        let seconds = playtime(game);
        let stage = stage(game) as usize;
        self.games += 1;
        self.played += u64::from(seconds > 0 || !game.last_played().is_empty());
        self.seconds = self.seconds.saturating_add(seconds);
        self.tracked = self.tracked.saturating_add(game.playtime_seconds());
        self.longest = self.longest.max(game.playtime_seconds());
        let platform = self.platforms.entry_ref(platform(game)).or_default();
        platform.games += 1;
        platform.seconds = platform.seconds.saturating_add(seconds);
        platform.stages[stage] += 1;
        for genre in genres(game) {
            *self.genres.entry_ref(genre).or_default() += 1;
        }
        let decade = year(game.year()).filter(|year| *year >= 1980).map(|year| year / 10 * 10);
        self.decades.entry(decade).or_default()[stage] += 1;
        if is_played(game) {
            self.add_played(game);
        }
    }

    /// Counts a game among those that were played.
    pub(super) fn add_played(&mut self, game: &Game) {
        if !game.platform().trim().is_empty() {
            self.platforms.entry_ref(platform(game)).or_default().is_played = true;
        }
        if let Some(year) = year(game.year()).filter(|year| *year >= EARLIEST) {
            self.played_decades.insert(year / 10 * 10);
            self.is_old_played |= year < OLD;
        }
    }

    /// Adds the sums of other games; the lists of those played most are left alone.
    fn join(&mut self, other: &Self) {
        self.games += other.games;
        self.played += other.played;
        self.seconds = self.seconds.saturating_add(other.seconds);
        self.tracked = self.tracked.saturating_add(other.tracked);
        self.longest = self.longest.max(other.longest);
        for (name, sum) in &other.platforms {
            let platform = self.platforms.entry_ref(name.as_str()).or_default();
            platform.games += sum.games;
            platform.seconds = platform.seconds.saturating_add(sum.seconds);
            platform.is_played |= sum.is_played;
            join_stages(&mut platform.stages, sum.stages);
        }
        for (name, games) in &other.genres {
            *self.genres.entry_ref(name.as_str()).or_default() += games;
        }
        for (decade, stages) in &other.decades {
            join_stages(self.decades.entry(*decade).or_default(), *stages);
        }
        self.played_decades.extend(&other.played_decades);
        self.is_old_played |= other.is_old_played;
    }
}

pub(super) fn join_stages(sum: &mut Stages, other: Stages) {
    for (sum, other) in sum.iter_mut().zip(other) {
        *sum += other;
    }
}

/// Tracked and manual seconds of play.
pub(super) fn playtime(game: &Game) -> u64 {
    game.playtime_seconds().saturating_add(game.manual_playtime_seconds())
}

/// Whether a game was played by its record.
pub(super) fn is_played(game: &Game) -> bool {
    playtime(game) > 0 || game.play_count() > 0 || !game.last_played().is_empty()
}

/// The name of the platform of a game.
pub(super) fn platform(game: &Game) -> &str {
    match game.platform().trim() {
        "" => UNSPECIFIED,
        name => name,
    }
}

/// The genres of a game, none twice.
pub(super) fn genres(game: &Game) -> BTreeSet<&str> {
    split_genres(game.genre())
}

/// The genres that a text names, none twice.
pub(super) fn split_genres(text: &str) -> BTreeSet<&str> {
    text.split(',').map(str::trim).filter(|genre| !genre.is_empty()).collect()
}

/// The first four digits that stand together.
pub(super) fn year(text: &str) -> Option<i32> {
    let runs = text.split(|letter: char| !letter.is_ascii_digit());
    runs.filter_map(|run| run.get(..4)).find_map(|year| year.parse().ok())
}

/// How far a game was brought.
pub(super) fn stage(game: &Game) -> Stage {
    match progress(game.progress()) {
        Some(stage) => stage,
        // Time that was entered by hand is no play that was seen.
        None if game.playtime_seconds() > 0 || game.play_count() > 0 => Stage::Played,
        None => Stage::Never,
    }
}

/// The stage that a text of progress names.
pub(super) fn progress(text: &str) -> Option<Stage> {
    let named =
        [("mastered", Stage::Mastered), ("completed", Stage::Completed), ("beaten", Stage::Beaten)];
    let named = named.into_iter();
    // Whole libraries are read like this, and nearly every text is one of these words.
    let mut is = named.clone().filter(|(word, _)| text::is_folded(text, word));
    let mut contains = named.filter(|(word, _)| text::contains_folded(text, word));
    (!text.is_empty()).then(|| is.next().or_else(|| contains.next()))?.map(|(_, stage)| stage)
}

/// The game that was played more first.
pub(super) fn most_played(a: &Game, b: &Game) -> Ordering {
    let measure = |game: &Game| (playtime(game), game.play_count());
    measure(b).cmp(&measure(a)).then_with(|| a.name().cmp(b.name()))
}

/// The sums as they were last made. Adding a library up again costs the chunks that changed.
#[derive(Debug, Default)]
pub(super) struct SumCache(Mutex<Vec<(Weak<Chunk>, Arc<Sums>)>>);

impl SumCache {
    /// What a library adds up to.
    pub(super) fn sums(&self, games: &Games) -> Sums {
        let mut kept = self.0.hold();
        let mut before = std::mem::take(&mut *kept).into_iter();
        let mut first = 0;
        let mut chunk_sums = |chunk: &Arc<Chunk>| {
            let start = first;
            first += chunk.len();
            // OK because a weak pointer keeps the address from being given to another chunk.
            let same = |(weak, _): &(Weak<Chunk>, Arc<Sums>)| weak.as_ptr() == Arc::as_ptr(chunk);
            before.next().filter(same).unwrap_or_else(|| {
                let games = chunk.iter().enumerate();
                let sums = Sums::of(games.map(|(at, game)| (start + at, game.as_ref())));
                (Arc::downgrade(chunk), Arc::new(sums))
            })
        };
        *kept = games.chunks().iter().map(&mut chunk_sums).collect();
        let mut all = Sums::default();
        for (_, sums) in kept.iter() {
            all.join(sums);
            all.top.extend(&sums.top);
        }
        drop(kept);
        let mut top: Vec<(usize, &Game)> =
            all.top.iter().filter_map(|at| Some((*at, games.get(*at)?.as_ref()))).collect();
        top.sort_by(|(_, a), (_, b)| most_played(a, b));
        all.top = top.into_iter().take(TOP).map(|(position, _)| position).collect();
        all
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::{Draft, Record, State};

    #[test]
    fn a_game_was_played_when_a_play_was_seen() {
        for (more, expected) in [
            (json!({"playtime_seconds": 1}), Stage::Played),
            (json!({"play_count": 1}), Stage::Played),
            (json!({"manual_sessions": [{"seconds": 600}]}), Stage::Never),
            (json!({"last_played": "2026-01-01"}), Stage::Never),
            (json!({"progress": "Beaten", "manual_sessions": [{"seconds": 600}]}), Stage::Beaten),
            (json!({}), Stage::Never),
        ] {
            let mut record: Record = serde_json::from_value(more.clone()).expect("an object");
            record.set("game_id", "game-1");
            let mut draft = Draft::new(State::default());
            draft.add_game(record).expect("added");
            let state = draft.finish().0;
            let (_, game) = state.games.find("game-1").expect("there");
            assert_eq!(stage(game), expected, "{more}");
        }
    }
}
