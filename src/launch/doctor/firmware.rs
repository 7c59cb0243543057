//! Whether the BIOS or firmware is there that the emulator of a game needs.

use crate::{
    base::text,
    launch::machine::Machine,
    model::{
        emulators::{App, Definition},
        needs::{self, Need},
    },
};

/// Platforms that do not start without the firmware of their console, folded.
const DISC_CONSOLES: [&str; 9] = [
    "playstation",
    "playstation 1",
    "playstation 2",
    "playstation 3",
    "ps1",
    "saturn",
    "sega saturn",
    "dreamcast",
    "sega dreamcast",
];

/// What an emulator needs to play a platform; `None` when that is nothing.
pub(super) fn need(app: &App, platform: &str) -> Option<&'static Need> {
    let platform = text::fold(platform.trim());
    needs::of_app(&app.id).filter(|_| DISC_CONSOLES.contains(&platform.as_str()))
}

/// Whether what is needed is there.
pub(super) fn is_met(need: &Need, machine: &dyn Machine) -> bool {
    need.paths(machine.home()).iter().any(|path| machine.has_content(path))
}

/// The expected and the found SHA-1 of the BIOS a definition names, where they differ.
pub(super) fn drift(
    need: &Need,
    definition: &Definition,
    machine: &dyn Machine,
) -> Option<(String, String)> {
    let bios = definition.bios.as_ref().filter(|bios| !bios.sha1.is_empty())?;
    let file = bios.path.rsplit('/').next()?;
    let mut places = need.paths(machine.home()).into_iter();
    let found = places.find_map(|place| machine.sha1(&place.join(file)))?;
    (found != bios.sha1).then(|| (bios.sha1.clone(), found))
}
