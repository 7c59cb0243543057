//! The six short lists of suggestions (`GET /api/discovery`).
//!
//! Owns which games a list takes and in which order. A chunk of games is summarised as a [`Shortlist`] that is valid as
//! long as the chunk, so a list over the whole library reads a few games a chunk. Uses neither the clock nor the random
//! generator: time and seed are arguments.

use std::{
    cmp::Ordering,
    sync::{Arc, Mutex, Weak},
};

use crate::{
    base::{Hold as _, Moment, dice::Dice, limits::DISCOVERY_ENTRIES, schema::schema},
    model::{CHUNK, Chunk, Game, Games},
};

/// Libraries up to this size are shuffled as a whole; larger ones are sampled.
const SHUFFLED: usize = 1_024;
/// How long lists stand while no game changes.
const STAND_MILLIS: i64 = 30_000;
/// Positions tried at random before the visible games are counted out.
const TRIES: usize = 256;

schema! {
    /// The lists; each holds at most 12 numeric ids.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Discovery {
        /// Newest arrivals first.
        pub recently_added: Vec<usize>,
        /// Never started, in library order.
        pub never_played: Vec<usize>,
        /// Played, the shortest playtime first.
        pub short_sessions: Vec<usize>,
        /// Rated 4 and better, the best first.
        pub highly_rated: Vec<usize>,
        /// Being played or played before, the latest first.
        pub continue_playing: Vec<usize>,
        /// Any visible games.
        pub random_picks: Vec<usize>,
        /// When the lists were made, UTC.
        pub generated_at: String,
    }
}

#[derive(Clone, Copy)]
enum List {
    RecentlyAdded,
    NeverPlayed,
    ShortSessions,
    HighlyRated,
    ContinuePlaying,
}

const LISTS: [List; 5] = [
    List::RecentlyAdded,
    List::NeverPlayed,
    List::ShortSessions,
    List::HighlyRated,
    List::ContinuePlaying,
];

impl List {
    fn takes(self, game: &Game) -> bool {
        !game.hidden()
            && match self {
                Self::RecentlyAdded => true,
                Self::NeverPlayed => game.play_count() == 0,
                Self::ShortSessions => game.playtime_seconds() > 0,
                Self::HighlyRated => game.rating().is_some_and(|rating| rating >= 4.0),
                Self::ContinuePlaying => {
                    game.progress() == "Playing" || !game.last_played().is_empty()
                }
            }
    }

    /// The better game first; equal games keep the order of the library.
    fn order(self, a: &Game, b: &Game) -> Ordering {
        match self {
            Self::RecentlyAdded => latest_first(a.added_at(), b.added_at()),
            Self::NeverPlayed => Ordering::Equal,
            Self::ShortSessions => a.playtime_seconds().cmp(&b.playtime_seconds()),
            Self::HighlyRated => {
                b.rating().unwrap_or_default().total_cmp(&a.rating().unwrap_or_default())
            }
            Self::ContinuePlaying => latest_first(a.last_played(), b.last_played()),
        }
    }
}

/// The later of two stored times first, then what cannot be read. A time without a zone is a local one.
fn latest_first(a: &str, b: &str) -> Ordering {
    // Most times of a library are written like this; they are in the order of their texts.
    if is_local_time(a) && is_local_time(b) {
        return b.cmp(a);
    }
    let instant = |text: &str| Moment::parse(text).map(|moment| moment.unix_micros());
    instant(b).cmp(&instant(a))
}

/// Whether a time is written as the program does it: `2026-11-21T18:04:05`.
fn is_local_time(text: &str) -> bool {
    let shape = b"0000-00-00T00:00:00";
    let fits = |(byte, shape): (u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        _ => byte == *shape,
    };
    text.len() == shape.len() && text.bytes().zip(shape).all(fits)
}

/// The best games of one chunk for every list, as offsets in the chunk, best first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shortlist([Box<[u8]>; LISTS.len()]);

const _: () = assert!(CHUNK <= 256, "an offset in a chunk fits eight bits");

impl Shortlist {
    /// Boils a chunk down.
    pub fn of(chunk: &[Arc<Game>]) -> Self {
        Self(LISTS.map(|list| {
            let offsets = (0..=u8::MAX).zip(chunk).filter(|(_, game)| list.takes(game));
            let mut offsets: Vec<(u8, &Arc<Game>)> = offsets.collect();
            offsets.sort_by(|(_, a), (_, b)| list.order(a, b));
            offsets.iter().take(DISCOVERY_ENTRIES).map(|(offset, _)| *offset).collect()
        }))
    }
}

/// The lists as they were last made, for those who ask for them alone.
///
/// They stand for half a minute while no game changes, so that the random picks do not jump with
/// every look; then only chunks that changed are boiled down again.
#[derive(Debug, Default)]
pub struct DiscoveryCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    chunks: Vec<(Weak<Chunk>, Shortlist)>,
    lists: Arc<Discovery>,
    made_at: i64,
}

impl DiscoveryCache {
    /// The lists of these games.
    pub fn lists(&self, games: &Games, seed: u64, now: &Moment) -> Arc<Discovery> {
        let mut kept = self.0.hold();
        let age = now.unix_millis().saturating_sub(kept.made_at);
        let mut before = std::mem::take(&mut kept.chunks).into_iter();
        let mut stands = before.len() == games.chunks().len() && (0..STAND_MILLIS).contains(&age);
        let shortlist = |chunk: &Arc<Chunk>| {
            // OK because a weak pointer keeps the address from being given to another chunk.
            let same = |(weak, _): &(Weak<Chunk>, Shortlist)| weak.as_ptr() == Arc::as_ptr(chunk);
            before.next().filter(same).unwrap_or_else(|| {
                stands = false;
                (Arc::downgrade(chunk), Shortlist::of(chunk))
            })
        };
        kept.chunks = games.chunks().iter().map(shortlist).collect();
        if !stands {
            let shortlists: Vec<&Shortlist> = kept.chunks.iter().map(|(_, list)| list).collect();
            let lists = discover(games, &shortlists, seed, now.utc_iso());
            kept.lists = Arc::new(lists);
            kept.made_at = now.unix_millis();
        }
        Arc::clone(&kept.lists)
    }
}

/// Makes the lists. `shortlists` are those of the chunks of `games`, in order.
pub fn discover(
    games: &Games,
    shortlists: &[&Shortlist],
    seed: u64,
    generated_at: String,
) -> Discovery {
    let [recently_added, never_played, short_sessions, highly_rated, continue_playing] =
        [0, 1, 2, 3, 4].map(|list| best(games, shortlists, list));
    let random_picks = pick(games, seed);
    Discovery {
        recently_added,
        never_played,
        short_sessions,
        highly_rated,
        continue_playing,
        random_picks,
        generated_at,
    }
}

fn best(games: &Games, shortlists: &[&Shortlist], list: usize) -> Vec<usize> {
    let mut chosen: Vec<(usize, &Arc<Game>)> = Vec::with_capacity(DISCOVERY_ENTRIES + 1);
    for (chunk, shortlist) in shortlists.iter().enumerate() {
        for offset in &shortlist.0[list] {
            let position = chunk * CHUNK + usize::from(*offset);
            let Some(game) = games.get(position) else { continue };
            let order = |(_, other): &(usize, &Arc<Game>)| {
                LISTS[list].order(other, game) != Ordering::Greater
            };
            let at = chosen.partition_point(order);
            // The rest of this chunk is no better.
            if at >= DISCOVERY_ENTRIES {
                break;
            }
            chosen.insert(at, (position, game));
            chosen.truncate(DISCOVERY_ENTRIES);
        }
    }
    chosen.into_iter().map(|(position, _)| position).collect()
}

/// Visible games at random, each at most once.
fn pick(games: &Games, seed: u64) -> Vec<usize> {
    let mut dice = Dice::new(seed);
    let visible = |position: usize| games.get(position).is_some_and(|game| !game.hidden());
    let mut picks = Vec::with_capacity(DISCOVERY_ENTRIES);
    if games.len() > SHUFFLED {
        for _ in 0..TRIES {
            let position = dice.below(games.len());
            if visible(position) && !picks.contains(&position) {
                picks.push(position);
            }
            if picks.len() == DISCOVERY_ENTRIES {
                return picks;
            }
        }
    }
    let mut left: Vec<usize> =
        (0..games.len()).filter(|at| visible(*at) && !picks.contains(at)).collect();
    while picks.len() < DISCOVERY_ENTRIES && !left.is_empty() {
        picks.push(left.swap_remove(dice.below(left.len())));
    }
    picks
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn library(records: impl IntoIterator<Item = Value>) -> Games {
        Games::from_games(
            records
                .into_iter()
                .map(|record| Game::seal(&serde_json::from_value(record).expect("an object"))),
        )
    }

    fn lists(games: &Games, seed: u64) -> Discovery {
        let shortlists: Vec<Shortlist> =
            games.chunks().iter().map(|chunk| Shortlist::of(chunk)).collect();
        discover(games, &shortlists.iter().collect::<Vec<_>>(), seed, "now".to_owned())
    }

    #[test]
    fn every_list_takes_its_games_in_its_order() {
        let games = library([
            json!({"game_id": "0", "added_at": "2026-01-01", "rating": 4.5, "play_count": 1}),
            json!({"game_id": "1", "added_at": "2026-03-01", "playtime_seconds": 9}),
            json!({"game_id": "2", "rating": "5", "playtime_seconds": 3, "progress": "Playing"}),
            json!({"game_id": "3", "rating": 3.9, "last_played": "2026-02-02", "play_count": 2}),
            json!({"game_id": "4", "hidden": true, "rating": 5, "playtime_seconds": 1}),
        ]);
        let found = lists(&games, 1);
        assert_eq!(found.recently_added, [1, 0, 2, 3]);
        assert_eq!(found.never_played, [1, 2]);
        assert_eq!(found.short_sessions, [2, 1]);
        assert_eq!(found.highly_rated, [2, 0]);
        assert_eq!(found.continue_playing, [3, 2]);
        let mut random = found.random_picks.clone();
        random.sort_unstable();
        assert_eq!(random, [0, 1, 2, 3]);
    }

    #[test]
    fn times_are_compared_as_instants() {
        let now = Moment::parse("2026-11-26T12:00:00Z").expect("a time");
        let local = |seconds: i64| {
            Moment::parse(&Moment::from_unix(now.unix_seconds() + seconds).utc_iso())
                .expect("a time")
                .local_iso()
        };
        let times = [
            local(0),
            "not a time".to_owned(),
            "2026-11-27T00:12:45+12:45".to_owned(),
            "2026-11-26T12:00:01Z".to_owned(),
            String::new(),
            local(2),
            "2026-11-01".to_owned(),
        ];
        for key in ["added_at", "last_played"] {
            let games = library(times.iter().enumerate().map(
                |(at, time)| json!({"game_id": at.to_string(), key: time, "progress": "Playing"}),
            ));
            let found = lists(&games, 1);
            let list =
                if key == "added_at" { found.recently_added } else { found.continue_playing };
            assert_eq!(list, [5, 3, 0, 2, 6, 1, 4], "{key}");
        }
    }

    #[test]
    fn lists_over_chunks_equal_lists_over_one_sort() {
        let added = |number: usize| format!("2026-01-{:02}", number * 7 % 29);
        let games = library((0..3_000_usize).map(|number| {
            json!({
                "game_id": number.to_string(), "added_at": added(number),
                "playtime_seconds": number * 31 % 500, "hidden": number % 5 == 0,
            })
        }));
        let found = lists(&games, 3);
        let mut all: Vec<usize> = (0..3_000).filter(|number| number % 5 != 0).collect();
        all.sort_by_key(|number| std::cmp::Reverse(added(*number)));
        assert_eq!(found.recently_added, all[..12]);
        all.retain(|number| number * 31 % 500 > 0);
        all.sort_by_key(|number| (number * 31 % 500, *number));
        assert_eq!(found.short_sessions, all[..12]);
        assert_eq!(found.never_played, [1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14]);
        assert_eq!(found.random_picks.len(), 12);
        assert!(found.random_picks.iter().all(|number| number % 5 != 0));
        assert_ne!(found.random_picks, lists(&games, 4).random_picks);
    }

    #[test]
    fn a_library_that_is_almost_all_hidden_still_gives_its_few() {
        let games = library((0..2_000).map(|number| {
            json!({"game_id": number.to_string(), "hidden": number != 777 && number != 1_500})
        }));
        let mut found = lists(&games, 9).random_picks;
        found.sort_unstable();
        assert_eq!(found, [777, 1_500]);
        assert_eq!(lists(&library([]), 9).random_picks, [0_usize; 0]);
    }

    #[test]
    fn kept_lists_stand_for_half_a_minute_or_until_a_game_changes() {
        let record =
            |number: usize, rating: usize| json!({"game_id": number.to_string(), "rating": rating});
        let games = library((0..600).map(|number| record(number, 0)));
        let cache = DiscoveryCache::default();
        let made = cache.lists(&games, 1, &Moment::from_unix(100));
        let later =
            |seconds: i64, seed: u64| cache.lists(&games, seed, &Moment::from_unix(seconds));
        assert!(Arc::ptr_eq(&made, &later(129, 2)));
        let anew = later(130, 3);
        assert_ne!(anew.random_picks, made.random_picks);
        assert!(!Arc::ptr_eq(&anew, &later(129, 4)), "a clock that was set back");
        let rated = library((0..600).map(|number| record(number, usize::from(number == 300) * 5)));
        let changed = cache.lists(&rated, 5, &Moment::from_unix(131));
        assert_eq!(changed.highly_rated, [300]);
    }
}
