//! What the user chooses for games that cannot be started as they are: the emulator that plays them.
//!
//! The choice is stored in the games themselves, so it holds whatever is installed later. A platform
//! is filled in where a game has none that an emulator plays, and never taken from a game otherwise.

use crate::{
    game::InputError,
    model::{Cause, Draft, Record, emulators::Catalog},
    store::{Committed, Store},
};

/// One way to play, as it is written into games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Player<'a> {
    /// The id of the definition.
    adapter: &'a str,
    /// The package id of its emulator.
    emulator: &'a str,
    /// The platform it plays.
    platform: &'a str,
}

/// Assigns the emulator of a definition to games, in one commit; returns how many changed. Missing games are skipped.
///
/// # Errors
/// `Unknown emulator definition.`
pub fn choose_definition(
    store: &Store,
    catalog: &Catalog,
    ids: &[&str],
    definition: &str,
) -> Committed<usize, InputError> {
    store.commit(|draft| {
        let found = catalog.definition(definition);
        let found = found.ok_or_else(|| InputError("Unknown emulator definition.".to_owned()))?;
        let player =
            Player { adapter: &found.id, emulator: &found.app.id, platform: &found.platform };
        let plays = |platform: &str| !catalog.ranked(platform).is_empty();
        Ok(choose_player(draft, ids, player, &plays).len())
    })
}

/// Assigns an emulator to games. Missing games are skipped; returns the ids of those
/// that are not the same as before. `plays` tests whether any emulator plays a platform.
fn choose_player(
    draft: &mut Draft,
    ids: &[&str],
    player: Player<'_>,
    plays: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let mut changed = Vec::new();
    for id in ids {
        let Some((_, game)) = draft.state().games.find(id) else { continue };
        let id = game.id().to_owned();
        let edited = draft.edit_game(&id, |row| {
            let before = row.clone();
            write(row, player, plays);
            *row != before
        });
        // OK because the game was found just before.
        if edited.unwrap_or(false) {
            changed.push(id);
        }
    }
    draft.set_cause(Cause::Bulk(changed.clone()));
    changed
}

fn write(row: &mut Record, player: Player<'_>, plays: &dyn Fn(&str) -> bool) {
    row.set("emulator_adapter_id", player.adapter);
    row.set("emulator_id", player.emulator);
    row.remove("emulator_def");
    if !plays(row.text("platform").trim()) {
        row.set("platform", player.platform);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::State;

    const PLAYER: Player<'_> =
        Player { adapter: "retroarch-nes", emulator: "org.libretro.RetroArch", platform: "NES" };

    #[track_caller]
    fn check(game: Value, platform: &str, is_changed: bool) {
        let mut draft = Draft::new(State::default());
        let record: Record = serde_json::from_value(game).expect("an object");
        let id = draft.add_game(record).expect("added");
        let plays = |platform: &str| platform == "NES" || platform == "SNES";
        let changed = choose_player(&mut draft, &[&id, "game-gone"], PLAYER, &plays);
        assert_eq!(changed, if is_changed { vec![id.clone()] } else { Vec::new() });
        let (_, game) = draft.state().games.find(&id).expect("there");
        let row = game.record();
        let shown = ["emulator_adapter_id", "emulator_id", "emulator_def", "platform"];
        assert_eq!(shown.map(|key| row.text(key)), [PLAYER.adapter, PLAYER.emulator, "", platform]);
        assert!(choose_player(&mut draft, &[&id], PLAYER, &plays).is_empty(), "chosen already");
    }

    #[test]
    fn a_platform_is_only_filled_in() {
        check(json!({"name": "A"}), "NES", true);
        check(json!({"name": "A", "platform": "Odd", "emulator_def": "gone"}), "NES", true);
        check(json!({"name": "A", "platform": "SNES"}), "SNES", true);
        let same = json!({"name": "A", "platform": "NES", "emulator_adapter_id": PLAYER.adapter,
            "emulator_id": PLAYER.emulator});
        check(same, "NES", false);
    }
}
