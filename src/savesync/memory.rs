//! Which games share their saves, their names on every device, and the state of this device in the section `save_sync`.

use serde_json::{Map, Value, json};

use super::{decide::Here, error::SyncError};
use crate::{
    base::{ids, text::fold},
    config::{data_dir::DataDir, settings::read},
    model::{Draft, Game, State},
    mounted::canonical,
    resume::folder,
    saves::subject::Subject,
};

const SECTION: &str = "save_sync";
/// Characters of the name of a game's folder.
const NAME: usize = 32;

/// A game whose saves are shared.
pub(super) struct Shared {
    pub(super) subject: Subject,
    /// The name of its folder in the mounted one.
    pub(super) name: String,
    /// The mounted folder.
    pub(super) mounted: String,
    /// Seconds it was played here.
    pub(super) playtime: u64,
    /// What this device remembers.
    pub(super) here: Here,
    /// The version whose files were taking their places when that was cut off; empty otherwise, and when
    /// the game was played since.
    pub(super) unfinished: String,
    /// When it was played last, as it is stored.
    pub(super) last_played: String,
}

impl Shared {
    /// The game with this id, when its saves are shared.
    ///
    /// # Errors
    /// Why they are not.
    pub(super) fn of(state: &State, game: &Game, data_dir: &DataDir) -> Result<Self, SyncError> {
        if !is_on(state, game) {
            return Err(SyncError::Off);
        }
        let kept = data_dir.resume_states().join(folder::key(game.id()));
        let subject = Subject { resume: Some(kept), ..Subject::of(game) };
        if subject.save_paths.is_empty() {
            return Err(SyncError::NoPaths);
        }
        let key = key_of(game);
        if state.games.iter().filter(|other| key_of(other) == key).count() > 1 {
            return Err(SyncError::Ambiguous);
        }
        let mut name = canonical::hash(&key);
        name.truncate(NAME);
        let row = &state.section(SECTION)["games"][game.id()];
        let text = |key: &str| row[key].as_str().unwrap_or("").to_owned();
        Ok(Self {
            name,
            mounted: read::text(state.settings(), "cloud_folder"),
            playtime: game.record().get("playtime_seconds").and_then(Value::as_u64).unwrap_or(0),
            here: Here { base: text("base"), content: text("content") },
            unfinished: Some(text("taking"))
                .filter(|_| text("last_played") == game.last_played())
                .unwrap_or_default(),
            last_played: game.last_played().to_owned(),
            subject,
        })
    }
}

/// Whether the saves of a game are shared: as set for the game, else for its platform.
pub fn is_on(state: &State, game: &Game) -> bool {
    match game.record().text("save_sync") {
        "on" => true,
        "off" => false,
        _ => {
            let platform = fold(game.platform().trim());
            let platforms = read::texts(state.settings(), "save_sync_platforms");
            platforms.iter().any(|one| fold(one.trim()) == platform)
        }
    }
}

/// What names a game on every device: its entry in a store, else its platform and title. Paths differ
/// between devices, and so do the ids that are made of them.
fn key_of(game: &Game) -> String {
    let record = game.record();
    for field in ["store_a_app_id", "store_b_app_id", "store_c_id"] {
        let id = record.shown(field);
        if !id.trim().is_empty() {
            return format!("{field}:{}", id.trim());
        }
    }
    format!("title:{}:{}", fold(game.platform().trim()), fold(game.name().trim()))
}

/// The id of this device, made when it is asked for the first time.
pub(super) fn device(draft: &mut Draft) -> String {
    let known = draft.state().section(SECTION)["device_id"].as_str().unwrap_or("").to_owned();
    if !known.is_empty() {
        return known;
    }
    let made = ids::random_uuid();
    let set = Map::from_iter([("device_id".to_owned(), json!(made))]);
    draft.merge_section(SECTION, set, &[]);
    made
}

/// The id of this device; empty before its first version.
pub(super) fn device_of(state: &State) -> &str {
    state.section(SECTION)["device_id"].as_str().unwrap_or("")
}

/// Remembers which version the saves of a game are.
pub(super) fn remember(draft: &mut Draft, game_id: &str, here: &Here) {
    put(draft, game_id, json!({"base": here.base, "content": here.content}));
}

/// Remembers, in addition to what is known, that the files of a version begin to be put in place.
pub(super) fn begin(draft: &mut Draft, game: &Shared, version: &str) {
    let Here { base, content } = &game.here;
    let row = json!({"base": base, "content": content, "taking": version, "last_played": game.last_played});
    put(draft, &game.subject.id, row);
}

/// Puts the row of a game in its place. Rows of games that are gone are left out.
fn put(draft: &mut Draft, game_id: &str, row: Value) {
    let games = &draft.state().section(SECTION)["games"];
    let rows = games.as_object().cloned().unwrap_or_default();
    let is_there = |id: &str| draft.state().games.find(id).is_some();
    let mut rows: Map<String, Value> = rows.into_iter().filter(|(id, _)| is_there(id)).collect();
    rows.insert(game_id.to_owned(), row);
    let set = Map::from_iter([("games".to_owned(), Value::Object(rows))]);
    draft.merge_section(SECTION, set, &[]);
}
