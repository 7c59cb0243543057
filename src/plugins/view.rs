//! Additions of plugins to the library: the hooks `library_source` and `library`.
//!
//! They run on a thread of their own and never inside an edit or an answer. Their results are cached for 30 seconds and
//! added to the answers; an older one is served while it is refreshed. An edit makes the changed games those of the
//! library again until the hook has seen them. A reader waits only for a plugin that is new or known to be quick, and
//! only briefly.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Map, Value, value::RawValue};

use super::{
    core::{Active, Core, failed},
    identity,
    manifest::Hook,
    run::{self, BYTES},
};
use crate::{
    base::{Hold as _, Moment, Workers, text},
    config::settings::read,
    game::{
        clean::{Facts, InputError, Paths, clean_game},
        path_checks::DiskPaths,
    },
    library::overlay::{Overlay, Shown},
    model::{Game, Record, State},
};

/// How long a result is served without being refreshed.
const AGE: Duration = Duration::from_secs(30);
/// How long a reader waits for the first result after a change of plugins.
const FIRST_PATIENCE: Duration = Duration::from_secs(2);
/// How long a reader waits after an edit, and how quick the hooks must have been for that.
const PATIENCE: Duration = Duration::from_secs(1);
const QUICK: Duration = Duration::from_millis(400);
/// Games of one plugin.
const ENTRIES: usize = 500;
/// Characters of the id that a plugin gives a game, and of the stored id.
const ENTRY_ID: usize = 96;
const GAME_ID: usize = 160;

/// The results and who waits for them.
#[derive(Default)]
pub(super) struct View {
    progress: Mutex<Progress>,
    done: Condvar,
}

#[derive(Default)]
struct Progress {
    /// Results that were asked for and made, counted.
    wanted: u64,
    made: u64,
    is_running: bool,
    last: Option<Made>,
    sources: HashMap<String, Source>,
}

/// A result.
struct Made {
    /// The state it was made of.
    state: Arc<State>,
    epoch: u64,
    at: Instant,
    took: Duration,
    /// Whether it depends on the library.
    is_of_state: bool,
}

/// Makes a result; what it is given are the games of the plugins so far.
type Make<'a> = dyn Fn(&mut HashMap<String, Source>) -> Option<Made> + 'a;

/// The games of one plugin.
#[derive(Clone)]
struct Source {
    epoch: u64,
    at: Instant,
    games: Vec<Arc<Game>>,
}

/// Whether the last result may be served.
#[derive(Debug, PartialEq, Eq)]
enum Freshness {
    Fresh,
    /// It may, and is refreshed.
    Old,
    /// Not; it is worth waiting this long.
    Stale(Duration),
}

impl View {
    /// Refreshes the result.
    pub(super) fn request(self: &Arc<Self>, core: &Arc<Core>, workers: &Workers) {
        self.ask(core, workers);
    }

    /// Called before the library is read: refreshes the result where that is due.
    pub(super) fn before_reading(
        self: &Arc<Self>,
        core: &Arc<Core>,
        workers: &Workers,
        state: &State,
    ) {
        let is_used = core.uses(Hook::Library) || core.uses(Hook::LibrarySource);
        let freshness = {
            let progress = self.progress.hold();
            // What a plugin added that is used no more has to go.
            if !is_used && progress.is_settled(core.epoch()) {
                return;
            }
            progress.freshness(core.epoch(), state)
        };
        match freshness {
            Freshness::Fresh => {}
            Freshness::Old => {
                self.ask(core, workers);
            }
            Freshness::Stale(patience) => {
                let wanted = self.ask(core, workers);
                self.wait(wanted, patience);
            }
        }
    }

    fn ask(self: &Arc<Self>, core: &Arc<Core>, workers: &Workers) -> u64 {
        let mut progress = self.progress.hold();
        progress.wanted += 1;
        let wanted = progress.wanted;
        if !progress.is_running && !core.host.is_stopping() {
            let (view, core) = (Arc::clone(self), Arc::clone(core));
            let work = move || {
                view.work(&|| core.host.is_stopping(), &|sources| make(&core, sources));
            };
            match workers.spawn("plugin-view", work) {
                Ok(()) => progress.is_running = true,
                Err(error) => log::warn!("the library hooks are not run: {error}"),
            }
        }
        wanted
    }

    fn wait(&self, wanted: u64, patience: Duration) {
        let deadline = Instant::now() + patience;
        let mut progress = self.progress.hold();
        while progress.is_running && progress.made < wanted {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let outcome = self.done.wait_timeout(progress, left);
            progress = outcome.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Makes results while they are requested.
    fn work(&self, is_stopping: &dyn Fn() -> bool, produce: &Make<'_>) {
        let _unwound = Unwound(self);
        loop {
            let (wanted, mut sources) = {
                let mut progress = self.progress.hold();
                if progress.made == progress.wanted || is_stopping() {
                    progress.is_running = false;
                    self.done.notify_all();
                    return;
                }
                (progress.wanted, std::mem::take(&mut progress.sources))
            };
            let made = produce(&mut sources);
            let mut progress = self.progress.hold();
            progress.sources = sources;
            progress.last = made;
            progress.made = wanted;
            self.done.notify_all();
        }
    }
}

/// Has the next reader start a thread again after a panic of this one, and lets those go who wait.
struct Unwound<'a>(&'a View);

impl Drop for Unwound<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.progress.hold().is_running = false;
            self.0.done.notify_all();
        }
    }
}

impl Progress {
    /// Whether the last result is of this epoch, or there was none, and no other is pending.
    fn is_settled(&self, epoch: u64) -> bool {
        !self.is_running && self.last.as_ref().is_none_or(|last| last.epoch == epoch)
    }

    fn freshness(&self, epoch: u64, state: &State) -> Freshness {
        match &self.last {
            Some(last) if last.epoch != epoch => Freshness::Stale(FIRST_PATIENCE),
            Some(last) if last.is_of_state && !is_same(&last.state, state) => {
                Freshness::Stale(if last.took <= QUICK { PATIENCE } else { Duration::ZERO })
            }
            Some(last) if last.at.elapsed() < AGE => Freshness::Fresh,
            Some(_) => Freshness::Old,
            None => Freshness::Stale(FIRST_PATIENCE),
        }
    }
}

/// Whether two states show the same games.
fn is_same(one: &State, other: &State) -> bool {
    Shown::is_of(&one.games, other) && one.settings() == other.settings()
}

/// Runs the hooks and adds their results to the answers.
fn make(core: &Core, sources: &mut HashMap<String, Source>) -> Option<Made> {
    let (epoch, at) = (core.epoch(), Instant::now());
    let state = core.store.snapshot().ok()?;
    core.look();
    let added = added_games(core, &state, sources, epoch);
    let plugins = core.active(Hook::Library);
    let shown = if plugins.is_empty() { None } else { shown(core, &plugins, &state, &added) };
    core.answers.set_overlay(Overlay { added, shown });
    let is_of_state = !plugins.is_empty();
    Some(Made { state, epoch, at, took: at.elapsed(), is_of_state })
}

/// The games as the plugins show them; `None` when no plugin shows them otherwise.
fn shown(core: &Core, plugins: &[Active], state: &State, added: &[Arc<Game>]) -> Option<Shown> {
    let Some(mut games) = core.answers.public_games(state, added, BYTES) else {
        let error = super::error::HookError::TooLarge;
        for plugin in plugins {
            failed(plugin, Hook::Library, &error);
        }
        return None;
    };
    let mut is_changed = false;
    for plugin in plugins {
        let payload = payload(&games, plugin.settings());
        match core.run_text(plugin, Hook::Library, payload.as_bytes(), false) {
            Err(error) => failed(plugin, Hook::Library, &error),
            Ok(output) if output.trim_ascii().is_empty() => {}
            Ok(output) => match run::games(&output).filter(|list| list.len() == games.len()) {
                Some(mut list) => {
                    if identity::put_back(&games, &mut list) > 0 {
                        log::warn!(
                            "plugin {}: library: it changed id or game_id of games; both were put back",
                            plugin.manifest.id
                        );
                    }
                    games = list;
                    is_changed = true;
                }
                None => log::warn!(
                    "plugin {}: library: it returned no list of the same games",
                    plugin.manifest.id
                ),
            },
        }
    }
    is_changed.then(|| Shown::new(state, games))
}

/// `{games, settings?}` as text, without taking the games apart.
fn payload(games: &[Box<RawValue>], settings: Option<&Map<String, Value>>) -> String {
    let mut text = "{\"games\":[".to_owned();
    for (at, game) in games.iter().enumerate() {
        text.push_str(if at > 0 { "," } else { "" });
        text.push_str(game.get());
    }
    text.push(']');
    if let Some(settings) = settings {
        // OK because a map of values is always JSON.
        let settings = serde_json::to_string(settings).unwrap_or_default();
        text.extend([",\"settings\":", &settings]);
    }
    text.push('}');
    text
}

/// The games that plugins add, in the order of the plugins.
fn added_games(
    core: &Core,
    state: &State,
    sources: &mut HashMap<String, Source>,
    epoch: u64,
) -> Vec<Arc<Game>> {
    let plugins = core.active(Hook::LibrarySource);
    sources.retain(|id, _| plugins.iter().any(|plugin| plugin.manifest.id == *id));
    let mut all = Vec::new();
    for plugin in &plugins {
        let id = &plugin.manifest.id;
        let kept = sources.get(id).filter(|kept| kept.epoch == epoch && kept.at.elapsed() < AGE);
        let games = if let Some(kept) = kept {
            kept.games.clone()
        } else {
            let games = read_source(core, plugin, state);
            let source = Source { epoch, at: Instant::now(), games: games.clone() };
            sources.insert(id.clone(), source);
            games
        };
        all.extend(games);
    }
    all
}

fn read_source(core: &Core, plugin: &Active, state: &State) -> Vec<Arc<Game>> {
    let payload = Map::from_iter([("api_version".to_owned(), super::manifest::API_VERSION.into())]);
    let Some(output) = core.run_quietly(plugin, Hook::LibrarySource, &payload) else {
        return Vec::new();
    };
    let warn =
        |problem: &str| log::warn!("plugin {}: library_source: {problem}", plugin.manifest.id);
    let Some(rows) = output.get("games").and_then(Value::as_array) else {
        warn("it returned no list `games`");
        return Vec::new();
    };
    if rows.len() > ENTRIES {
        warn("only the first 500 of its games are shown");
    }
    let roots = core.answers.probes().roots();
    let approve_media = |path: &str| roots.approve(path).is_ok();
    let approve_document = |_: &str, _: &str| false;
    let paths = EntryPaths(DiskPaths {
        home: core.environment.home().unwrap_or(Path::new("/")),
        approve_media: &approve_media,
        approve_document: &approve_document,
    });
    let blank = Record::default();
    let custom = read::value(state.settings(), "custom_field_defs");
    let facts = Facts {
        // An entry may do without a file, as a stored game may.
        stored: Some(&blank),
        custom_fields: custom.as_array().map_or(&[][..], Vec::as_slice),
        now: &Moment::now().local_iso(),
    };
    let mut seen = BTreeSet::new();
    let mut games = Vec::new();
    for row in rows.iter().take(ENTRIES) {
        let Some(row) = row.as_object() else {
            warn("an entry is not an object");
            continue;
        };
        let id = game_id(&plugin.manifest.id, row);
        if !seen.insert(id.clone()) {
            continue;
        }
        match clean_game(row, &facts, &paths) {
            Ok(fields) => {
                let mut record = Record::from(fields);
                record.set("game_id", id);
                if record.is_blank("path") && record.is_blank("launch") {
                    record.set("manual_entry", true);
                }
                record.set("plugin_source", plugin.manifest.id.as_str());
                record.set("plugin_source_name", plugin.manifest.name.as_str());
                games.push(Game::seal(&record));
            }
            Err(error) => warn(&format!("an entry is not shown: {error}")),
        }
    }
    games
}

/// The paths of an entry: as those of a posted game, but the file of the game need not be there.
struct EntryPaths<'a>(DiskPaths<'a>);

impl Paths for EntryPaths<'_> {
    fn game_file(&self, path: &str) -> Result<String, InputError> {
        self.0.absolute(path)
    }

    fn media_file(&self, path: &str) -> Result<String, InputError> {
        self.0.media_file(path)
    }

    fn document_file(&self, path: &str, game: &str) -> Result<(), InputError> {
        self.0.document_file(path, game)
    }

    fn absolute(&self, path: &str) -> Result<String, InputError> {
        self.0.absolute(path)
    }
}

/// `plugin:<plugin>:<id>`, from the first of `id`, `game_id` and `name` that an entry has.
fn game_id(plugin: &str, row: &Map<String, Value>) -> String {
    let text = |key: &str| match row.get(key)? {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let id = ["id", "game_id", "name"].into_iter().find_map(text).unwrap_or_default();
    let id = format!("plugin:{plugin}:{}", text::cut(&id, ENTRY_ID));
    text::cut(&id, GAME_ID).to_owned()
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeMap,
        panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    };

    use serde_json::json;

    use super::*;

    #[test]
    fn ids_are_those_of_the_plugin_and_bounded() {
        let id = |row: Value| game_id("a.b", row.as_object().expect("an object"));
        assert_eq!(id(json!({"id": " x ", "game_id": "y"})), "plugin:a.b:x");
        assert_eq!(id(json!({"id": "", "game_id": "y"})), "plugin:a.b:y");
        assert_eq!(id(json!({"id": 7})), "plugin:a.b:7");
        assert_eq!(id(json!({"name": "n".repeat(200)})).len(), "plugin:a.b:".len() + 96);
        let long = game_id(&"p".repeat(64), json!({"id": "i".repeat(96)}).as_object().expect("it"));
        assert_eq!(long.len(), 160);
    }

    #[test]
    fn a_panic_lets_go_of_readers_and_the_next_one_gets_a_result() {
        let view = View::default();
        (view.progress.hold().wanted, view.progress.hold().is_running) = (1, true);
        let panic = || view.work(&|| false, &|_| resume_unwind(Box::new("planned")));
        assert!(catch_unwind(AssertUnwindSafe(panic)).is_err());
        assert!(!view.progress.hold().is_running);
        view.work(&|| false, &|_| None);
        assert_eq!(view.progress.hold().made, 1);
    }

    #[test]
    fn readers_wait_for_new_and_for_quick_plugins_only() {
        let state = Arc::new(State::default());
        let game = |id: &str| {
            let game = Game::from_json(&json!({"game_id": id}).to_string()).expect("a game");
            State::new(crate::model::Games::from_games([Arc::new(game)]), BTreeMap::new(), 1)
        };
        let made = |took: Duration, is_of_state: bool| {
            let (state, at) = (Arc::clone(&state), Instant::now());
            let last = Made { state, epoch: 1, at, took, is_of_state };
            Progress { last: Some(last), ..Progress::default() }
        };
        assert_eq!(Progress::default().freshness(0, &state), Freshness::Stale(FIRST_PATIENCE));
        assert_eq!(made(QUICK, true).freshness(2, &state), Freshness::Stale(FIRST_PATIENCE));
        assert_eq!(made(QUICK, true).freshness(1, &state), Freshness::Fresh);
        assert_eq!(made(QUICK, true).freshness(1, &game("a")), Freshness::Stale(PATIENCE));
        let slow = made(Duration::from_secs(5), true);
        assert_eq!(slow.freshness(1, &game("a")), Freshness::Stale(Duration::ZERO));
        assert_eq!(made(QUICK, false).freshness(1, &game("a")), Freshness::Fresh);
    }
}
