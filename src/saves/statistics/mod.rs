//! The statistics that machines share, merged: a pure rule on a draft of the library and the
//! content of the shared file (`POST /api/cloud/sync`).
//!
//! Counts and times only increase, so they merge in any order to the same result. Progress, rating and
//! favourite follow the machine on which the game was played last. After a sync all machines know
//! the same last time, so a change made without playing is recognised by the file's own clock instead: it counts up
//! with every change of the file, whatever the clocks of the machines say, each row keeps the reading at which it was
//! changed, and each machine the newest reading it has seen.

use serde_json::{Map, Value, json};

use crate::{
    base::Moment,
    model::{Draft, Game, Record, State, fields::PROGRESS, game_id},
};

/// The version of the file.
pub const FORMAT: u64 = 1;
/// The section in which a machine keeps the reading of the file's clock that it has seen.
const SECTION: &str = "cloud_statistics";
/// The longest text that may be a time.
const TIME_CHARS: usize = 40;
/// Starts that are believed.
const MOST_STARTS: u64 = 10_000_000;
/// Seconds of play that are believed: a hundred years.
const MOST_SECONDS: u64 = 3_155_760_000;

/// The content of the shared file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shared {
    /// Everything in it, keys of other versions included.
    document: Map<String, Value>,
}

impl Shared {
    /// Reads the file; `None` when it is not one of this version.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let document: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
        let fits =
            document.get("format")?.as_u64()? == FORMAT && document.get("games")?.is_object();
        fits.then_some(Self { document })
    }

    /// The file as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = Value::Object(self.document.clone()).to_string().into_bytes();
        text.push(b'\n');
        text
    }

    fn games(&self) -> Option<&Map<String, Value>> {
        self.document.get("games")?.as_object()
    }

    /// The reading of the file's clock, in microseconds.
    fn clock(&self) -> Option<i64> {
        micros(self.document.get("generated_at")?)
    }

    /// The readings of its rows. The machine that notes them writes the same reading into the file, so a file
    /// that is newer than all of them was written by another program since, and any row may be.
    fn readings(&self) -> Readings<'_> {
        let clock = self.clock();
        let updated = self.document.get("updated").and_then(Value::as_object);
        let newest = updated.and_then(|updated| updated.values().filter_map(micros).max());
        Readings { clock, updated: updated.filter(|_| newest >= clock) }
    }
}

/// When the rows of a file were changed, by the file's clock.
#[derive(Default)]
struct Readings<'a> {
    /// The reading of the whole file.
    clock: Option<i64>,
    /// Those of its rows; `None` when they hold none.
    updated: Option<&'a Map<String, Value>>,
}

impl Readings<'_> {
    /// The reading at which a row was changed; that of the whole file when it was not noted.
    fn of(&self, key: &str) -> Option<i64> {
        self.updated.and_then(|updated| micros(updated.get(key)?)).or(self.clock)
    }
}

/// How a row of the file stands to what this machine has seen of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    /// It was seen before.
    Known,
    /// It was changed since.
    Changed,
    /// This machine has seen nothing of any file yet: what is set here was never shared.
    First,
}

fn micros(value: &Value) -> Option<i64> {
    let text = value.as_str().filter(|text| text.len() <= TIME_CHARS)?;
    Moment::parse(text).map(|moment| moment.unix_micros())
}

/// What a merge did.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The new content of the file; `None` when it stays as it is.
    pub file: Option<Shared>,
    /// Games of this library in the file.
    pub games: usize,
    /// Games of this library that changed.
    pub merged: usize,
    /// When.
    pub synced_at: String,
}

/// The statistics of one game.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    play_count: u64,
    playtime_seconds: u64,
    last_played: String,
    progress: String,
    /// 0 to 5; `None` when it is not rated.
    rating: Option<f64>,
    favorite: bool,
}

/// Merges the shared file into the library and the library into the file. Games that are not in
/// this library stay in the file and are not added here.
pub fn merge(draft: &mut Draft, shared: Option<&Shared>, now: &Moment) -> Merged {
    let seen = seen(draft.state());
    let readings = shared.map(Shared::readings).unwrap_or_default();
    let clock = readings.clock;
    let tick = [Some(now.unix_micros()), clock.map(next), seen.map(next)].into_iter().flatten();
    let tick = Moment::from_unix_micros(tick.max().unwrap_or_default());
    let mut file = shared.cloned().unwrap_or_default();
    let mut changed = clock.is_none();
    let mut merged = 0;
    let games: Vec<_> = draft.state().games.iter().cloned().collect();
    for game in &games {
        let key = format!("id:{}", game.id());
        let found = shared.and_then(|shared| find(shared, game, &key));
        let local = Row::of(game);
        let mut row = local.clone();
        if let Some((at, remote)) = found {
            let news = match seen {
                None if readings.of(at).is_some() => News::First,
                Some(seen) if readings.of(at).is_some_and(|at| at > seen) => News::Changed,
                _ => News::Known,
            };
            row.take(&Remote::read(remote), news);
        }
        if row != local {
            merged += 1;
            // OK because the game was listed from this very draft.
            drop(draft.edit_game(game.id(), |record| row.store(&local, record)));
        }
        changed |= put(&mut file, &key, &row, &tick);
    }
    if changed {
        file.document.insert("format".to_owned(), FORMAT.into());
        file.document.insert("generated_at".to_owned(), tick.utc_iso().into());
    }
    let synced_at = now.utc_iso();
    let reading = file.document.get("generated_at").cloned().unwrap_or_default();
    draft.merge_section(SECTION, Map::from_iter([("seen".to_owned(), reading)]), &[]);
    let last = Map::from_iter([("last_cloud_sync".to_owned(), json!(synced_at))]);
    draft.merge_section("settings", last, &[]);
    Merged { file: changed.then_some(file), games: games.len(), merged, synced_at }
}

fn next(micros: i64) -> i64 {
    micros.saturating_add(1)
}

/// The newest reading of the file's clock that this machine has seen. A library that comes from
/// before there was one knows when it was synchronized last.
fn seen(state: &State) -> Option<i64> {
    let kept = state.section(SECTION).get("seen").and_then(micros);
    kept.or_else(|| micros(state.settings().get("last_cloud_sync")?))
}

/// The row of a game with its key: under its id, under a former one, else under what earlier
/// programs wrote.
fn find<'a>(shared: &'a Shared, game: &Game, key: &'a str) -> Option<(&'a str, &'a Value)> {
    let rows = shared.games()?;
    if let Some(row) = rows.get(key) {
        return Some((key, row));
    }
    former_keys(game).iter().find_map(|former| {
        let (key, row) = rows.get_key_value(former.as_str())?;
        Some((key.as_str(), row))
    })
}

fn former_keys(game: &Game) -> Vec<String> {
    // A derived id of a game that nothing identifies names other games in other libraries.
    let has_own = game_id::is_derived(game.id()) || !game.path().is_empty();
    let former = game.legacy_ids().filter(|id| has_own || !game_id::is_derived(id));
    let mut keys: Vec<String> = former.map(|id| format!("id:{id}")).collect();
    let record = game.record();
    let source = game.source();
    for (prefix, field) in [
        ("store_a:".to_owned(), "store_a_app_id"),
        (format!("store_b:{}:", record.text("store_b_source")), "store_b_app_id"),
        (format!("store_b:{source}:"), "store_b_app_id"),
        ("store_c:".to_owned(), "store_c_id"),
        (format!("arcade:{source}:"), "rom_name"),
        ("path:".to_owned(), "path"),
    ] {
        let value = record.shown(field);
        if !value.is_empty() {
            keys.push(format!("{prefix}{value}"));
        }
    }
    keys
}

/// Writes a row into the file unless it is the same; returns whether it did.
fn put(file: &mut Shared, key: &str, row: &Row, tick: &Moment) -> bool {
    let games = file.document.entry("games").or_insert_with(|| json!({}));
    let Some(games) = games.as_object_mut() else { return false };
    let before = games.get(key).and_then(Value::as_object);
    let mut after = before.cloned().unwrap_or_default();
    after.extend(row.to_map());
    if before == Some(&after) {
        return false;
    }
    games.insert(key.to_owned(), Value::Object(after));
    let updated = file.document.entry("updated").or_insert_with(|| json!({}));
    if !updated.is_object() {
        *updated = json!({});
    }
    updated[key] = tick.utc_iso().into();
    true
}

/// A row as it came from outside: only what can be believed of it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Remote {
    play_count: u64,
    playtime_seconds: u64,
    last_played: String,
    progress: Option<String>,
    /// As it is stored: 0 to 5, or empty text for none.
    rating: Option<Value>,
    favorite: Option<bool>,
}

impl Remote {
    fn read(row: &Value) -> Self {
        let count = |key: &str, most: u64| {
            row.get(key).and_then(Value::as_u64).filter(|count| *count <= most).unwrap_or(0)
        };
        let played = row.get("last_played").and_then(Value::as_str).unwrap_or("");
        // One ahead of this machine's clock counts like any other: the later one wins, and it is unknown which of the
        // two clocks is wrong.
        let is_time = played.len() <= TIME_CHARS && Moment::parse(played).is_some();
        let progress = row.get("progress").and_then(Value::as_str);
        let rating = match row.get("rating") {
            Some(Value::Null) => Some("".into()),
            Some(Value::String(text)) if text.is_empty() => Some("".into()),
            Some(Value::Number(number)) => {
                let stars = number.as_f64().filter(|stars| (0.0..=5.0).contains(stars));
                stars.map(Value::from)
            }
            _ => None,
        };
        Self {
            play_count: count("play_count", MOST_STARTS),
            playtime_seconds: count("playtime_seconds", MOST_SECONDS),
            last_played: if is_time { played.to_owned() } else { String::new() },
            progress: progress
                .filter(|progress| progress.is_empty() || PROGRESS.contains(progress))
                .map(str::to_owned),
            rating,
            favorite: row.get("favorite").and_then(Value::as_bool),
        }
    }
}

impl Row {
    fn of(game: &Game) -> Self {
        // Through its text, so that 4.3 stays 4.3 with more digits.
        let rating = game.rating().and_then(|stars| stars.to_string().parse().ok());
        Self {
            play_count: u64::from(game.play_count()),
            playtime_seconds: game.playtime_seconds(),
            last_played: game.last_played().to_owned(),
            progress: game.progress().to_owned(),
            rating,
            favorite: game.favorite(),
        }
    }

    /// Applies the values that another machine knows better. The news decide where both were played at the same
    /// time, or never. In the first of all a blank never clears, because it means only that the game was not rated
    /// there.
    fn take(&mut self, remote: &Remote, news: News) {
        let order = remote.last_played.as_str().cmp(&self.last_played);
        let wins = order.is_gt() || (order.is_eq() && news != News::Known);
        let takes = |is_set: bool| wins && (is_set || news != News::First);
        self.play_count = self.play_count.max(remote.play_count);
        self.playtime_seconds = self.playtime_seconds.max(remote.playtime_seconds);
        if remote.last_played > self.last_played {
            self.last_played.clone_from(&remote.last_played);
        }
        if let Some(progress) = &remote.progress
            && takes(!progress.is_empty())
        {
            self.progress.clone_from(progress);
        }
        if let Some(rating) = remote.rating.as_ref().map(Value::as_f64)
            && takes(rating.is_some())
        {
            self.rating = rating;
        }
        // Not to be a favourite is a value like the other, so it follows the later play.
        if let Some(favorite) = remote.favorite
            && (order.is_gt() || takes(favorite))
        {
            self.favorite = favorite;
        }
    }

    /// Writes what differs into the record.
    fn store(&self, before: &Self, record: &mut Record) {
        if self.play_count != before.play_count {
            record.set("play_count", self.play_count);
        }
        if self.playtime_seconds != before.playtime_seconds {
            record.set("playtime_seconds", self.playtime_seconds);
        }
        if self.last_played != before.last_played {
            record.set("last_played", self.last_played.as_str());
        }
        if self.progress != before.progress {
            record.set("progress", self.progress.as_str());
        }
        if self.rating != before.rating {
            record.set("rating", self.shown_rating());
        }
        if self.favorite != before.favorite {
            record.set("favorite", self.favorite);
        }
    }

    /// As records hold it: whole stars without a fraction, empty text for none.
    fn shown_rating(&self) -> Value {
        match self.rating {
            None => "".into(),
            Some(stars) => (0_u8..=5)
                .find(|whole| (f64::from(*whole) - stars).abs() < f64::EPSILON)
                .map_or_else(|| stars.into(), Value::from),
        }
    }

    fn to_map(&self) -> Map<String, Value> {
        let row = json!({
            "play_count": self.play_count,
            "playtime_seconds": self.playtime_seconds,
            "last_played": self.last_played,
            "progress": self.progress,
            "rating": self.shown_rating(),
            "favorite": self.favorite,
        });
        if let Value::Object(row) = row { row } else { Map::new() }
    }
}

#[cfg(test)]
mod tests;
