//! Whether the BIOS or firmware for the emulator of a game exists.

use std::path::PathBuf;

use crate::{
    launch::machine::{Kind, Machine},
    model::{
        emulators::{App, Definition},
        needs::{self, Need},
    },
    platforms::{self, Platform, Trait, firmware},
};

/// What an emulator that runs alone needs to play a platform; `None` when that is nothing.
pub(super) fn need(app: &App, platform: &str) -> Option<&'static Need> {
    let platform = platforms::by_any_name(platform)?;
    needs::of_app(&app.id).filter(|_| platform.traits.contains(&Trait::Firmware))
}

/// Whether what is needed is there.
pub(super) fn is_met(need: &Need, machine: &dyn Machine) -> bool {
    need.paths(machine.home()).iter().any(|path| machine.has_content(path))
}

/// A file that is not the one that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Drift {
    /// A SHA-1 it may have.
    pub(super) expected: String,
    /// The SHA-1 it has.
    pub(super) found: String,
}

/// The BIOS a definition names, where it is another file.
pub(super) fn drift(need: &Need, definition: &Definition, machine: &dyn Machine) -> Option<Drift> {
    let bios = definition.bios.as_ref().filter(|bios| !bios.sha1.is_empty())?;
    let file = bios.path.rsplit('/').next()?;
    let mut places = need.paths(machine.home()).into_iter();
    let found = places.find_map(|place| machine.sha1(&place.join(file)))?;
    (found != bios.sha1).then(|| Drift { expected: bios.sha1.clone(), found })
}

/// The firmware of a platform in the system folders of the multi-system emulator.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SystemFiles {
    /// Of each group of files that is missing the usual one.
    pub(super) missing: Vec<&'static str>,
    /// Files that are missing and that games can do without.
    pub(super) optional: Vec<&'static str>,
    /// Files that are not the ones that are meant. Files of unknown sums are believed.
    pub(super) wrong: Vec<(&'static str, Drift)>,
}

/// Searches these folders for the firmware of a platform; `deep` reads the files.
pub(super) fn system_files(
    platform: &Platform,
    folders: &[PathBuf],
    machine: &dyn Machine,
    deep: bool,
) -> SystemFiles {
    let mut files = SystemFiles::default();
    let find = |file: &str| {
        let mut paths = folders.iter().map(|folder| folder.join(file));
        paths.find(|path| machine.kind(path) == Kind::File)
    };
    let drift = |file: &'static str, path: PathBuf| {
        let sums = firmware::sums(file);
        let found = machine.sha1(&path).filter(|found| !sums.contains(&found.as_str()))?;
        Some((file, Drift { expected: (*sums.first()?).to_owned(), found }))
    };
    for group in &platform.needs {
        let there: Vec<_> = group.iter().filter_map(|file| Some((*file, find(file)?))).collect();
        if there.is_empty() {
            files.missing.extend(group.first());
        } else if deep {
            let wrong: Vec<_> =
                there.iter().filter_map(|(file, path)| drift(file, path.clone())).collect();
            // One good file of a group is enough.
            if wrong.len() == there.len() {
                files.wrong.extend(wrong);
            }
        }
    }
    for file in &platform.wants {
        match find(file) {
            None => files.optional.push(file),
            Some(path) if deep => files.wrong.extend(drift(file, path)),
            Some(_) => {}
        }
    }
    files
}
