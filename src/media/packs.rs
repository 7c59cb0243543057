//! Turning a bundled media pack on (`POST /api/premium/media-packs/apply`).

use serde_json::{Map, Value};

use crate::{
    config::{catalogues, settings::read},
    game::InputError,
    model::Draft,
    store::{Committed, Store},
};

/// Adds a pack to the active ones, in one commit; a controller pack also chooses the prompts. Returns
/// the pack.
///
/// # Errors
/// `Unknown media pack.`
pub fn turn_on(store: &Store, id: &str) -> Committed<Value, InputError> {
    store.commit(|draft| apply(draft, id))
}

fn apply(draft: &mut Draft, id: &str) -> Result<Value, InputError> {
    let stored = draft.state().settings();
    let mut active = read::texts(stored, "active_media_packs");
    if !active.iter().any(|known| known == id) {
        active.push(id.to_owned());
    }
    let mut packs = catalogues::media_packs(&active).into_iter();
    let pack = packs.find(|pack| pack["id"] == id);
    let pack = pack.ok_or_else(|| InputError("Unknown media pack.".to_owned()))?;
    let mut set = Map::new();
    set.insert("active_media_packs".to_owned(), active.into());
    if let Some(hint) = pack.get("mapping_hint") {
        set.insert("controller_prompt_pack".to_owned(), id.into());
        set.insert("controller_prompt_hint".to_owned(), hint.clone());
    }
    draft.merge_section("settings", set, &[]);
    Ok(pack)
}
