//! Cores of the multi-system emulator: which are there, and which one plays a game.
//!
//! A command names its core behind `-L`. The core a person chose for a game takes its place.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    base::schema::schema,
    model::{Cause, Draft, Record},
    store::{Committed, Store},
};

/// The key of a game's own core.
pub const FIELD: &str = "emulator_core";
/// The option in front of a core.
const OPTION: &str = "-L";
/// Endings of the file of a core.
const ENDINGS: [&str; 2] = ["_libretro.so", "_libretro.dll"];
/// Where cores of the system are.
const SYSTEM: [&str; 4] = [
    "/usr/lib/libretro",
    "/usr/lib64/libretro",
    "/usr/lib/x86_64-linux-gnu/libretro",
    "/usr/local/lib/libretro",
];
/// Where cores of a person are, below the home folder.
const OWN: [&str; 2] =
    [".config/retroarch/cores", ".var/app/org.libretro.RetroArch/config/retroarch/cores"];

/// Why a game did not get another core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CoreError {
    /// It is no name of the file of a core.
    #[error("core must be the file name of a core.")]
    NotACore,
    #[error("Game not found")]
    UnknownGame,
}

/// Whether a text is the name of the file of a core.
pub fn is_core_name(name: &str) -> bool {
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    stem.is_some_and(|stem| !stem.is_empty()) && !name.contains(['/', '\\', '\0'])
}

schema! {
    "Core"
    /// A core that is installed.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Installed {
        /// The name of its file.
        pub core: String,
        /// Its name for people.
        pub name: String,
        /// Where it is, absolute.
        pub path: PathBuf,
    }
}

/// The cores that are installed, by file name; of two with one name that of the person.
pub fn installed(home: &Path) -> Vec<Installed> {
    let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
    for folder in folders(home) {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        for name in names.filter(|name| is_core_name(name)) {
            let path = folder.join(&name);
            if path.is_file() {
                found.entry(name).or_insert(path);
            }
        }
    }
    let row = |(core, path): (String, PathBuf)| {
        let name = spell(&core);
        Installed { core, name, path }
    };
    found.into_iter().map(row).collect()
}

/// Puts the game's own core into a command that names one: the file beside the named core, else
/// the installed one of that name.
pub fn replace(argv: &mut [OsString], game: &Record, home: &Path) {
    let own = game.text(FIELD).trim();
    if !is_core_name(own) {
        return;
    }
    let Some(at) = named(argv) else { return };
    let beside = Path::new(&argv[at]).with_file_name(own);
    let elsewhere = || folders(home).map(|folder| folder.join(own)).find(|path| path.is_file());
    let path = if beside.is_file() { None } else { elsewhere() };
    argv[at] = path.unwrap_or(beside).into_os_string();
}

/// The core a command names by its path.
pub fn of_command(argv: &[OsString]) -> Option<&Path> {
    named(argv).map(|at| Path::new(&argv[at]))
}

/// As [`choose`], in one commit.
pub fn choose_core(
    store: &Store,
    game_id: &str,
    core: &str,
) -> Committed<(String, String), CoreError> {
    store.commit(|draft| choose(draft, game_id, core))
}

/// Sets the core of a game; a blank one goes back to the default of its emulator. Returns the stable id
/// and the name of the game.
///
/// # Errors
/// [`CoreError`].
fn choose(draft: &mut Draft, game_id: &str, core: &str) -> Result<(String, String), CoreError> {
    if !core.is_empty() && !is_core_name(core) {
        return Err(CoreError::NotACore);
    }
    let (_, game) = draft.state().games.find(game_id).ok_or(CoreError::UnknownGame)?;
    let (id, name) = (game.id().to_owned(), game.name().to_owned());
    let edited = draft.edit_game(&id, |record| {
        if core.is_empty() {
            record.remove(FIELD);
        } else {
            record.set(FIELD, core);
        }
    });
    edited.map_err(|_| CoreError::UnknownGame)?;
    draft.set_cause(Cause::Updated(id.clone()));
    Ok((id, name))
}

/// The place of the core in a command.
fn named(argv: &[OsString]) -> Option<usize> {
    let at = argv.iter().position(|word| word == OPTION)? + 1;
    let path = Path::new(argv.get(at)?);
    let is_core = path.file_name().and_then(|name| name.to_str()).is_some_and(is_core_name);
    (path.is_absolute() && is_core).then_some(at)
}

fn folders(home: &Path) -> impl Iterator<Item = PathBuf> {
    OWN.iter().map(|folder| home.join(folder)).chain(SYSTEM.iter().map(PathBuf::from))
}

/// `mupen64plus_next_libretro.so` as a person reads it.
fn spell(file: &str) -> String {
    let stem = ENDINGS.iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file);
    stem.replace(['_', '-'], " ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::State;

    #[test]
    fn only_file_names_of_cores_are_cores() {
        for (name, is_core) in [
            ("snes9x_libretro.so", true),
            ("snes9x_libretro.dll", true),
            ("_libretro.so", false),
            ("snes9x.so", false),
            ("../snes9x_libretro.so", false),
            ("a\\b_libretro.so", false),
            ("", false),
        ] {
            assert_eq!(is_core_name(name), is_core, "{name}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fn the_core_of_the_game_takes_the_place() {
        let home = tempfile::tempdir().expect("a folder");
        let own = home.path().join(OWN[0]);
        fs::create_dir_all(&own).expect("made");
        fs::write(own.join("mesen_libretro.so"), "").expect("written");
        fs::write(own.join("notes.txt"), "").expect("written");
        let listed = installed(home.path());
        let mesen = own.join("mesen_libretro.so");
        assert!(json!(listed).as_array().is_some_and(|listed| {
            listed.contains(&json!({"core": "mesen_libretro.so", "name": "mesen", "path": mesen}))
        }));
        let replaced = |core: &str, words: &[&str]| {
            let game = serde_json::from_value(json!({FIELD: core})).expect("an object");
            let mut argv: Vec<OsString> = words.iter().map(OsString::from).collect();
            replace(&mut argv, &game, home.path());
            argv[argv.len() - 2].clone()
        };
        let nes = ["retroarch", "-L", "/nowhere/fceumm_libretro.so", "/a.nes"];
        assert_eq!(replaced("mesen_libretro.so", &nes), mesen);
        assert_eq!(replaced("gone_libretro.so", &nes), "/nowhere/gone_libretro.so");
        assert_eq!(replaced("", &nes), nes[2]);
        assert_eq!(replaced("../x_libretro.so", &nes), nes[2]);
        let other = ["player", "-L", "/etc/list.txt", "/a.nes"];
        assert_eq!(replaced("mesen_libretro.so", &other), other[2]);
    }

    #[test]
    fn a_core_is_chosen_and_taken_back() {
        let mut draft = Draft::new(State::default());
        let game = serde_json::from_value(json!({"name": "A"})).expect("an object");
        let id = draft.add_game(game).expect("added");
        let stored = |draft: &Draft| {
            draft.state().games.find(&id).expect("there").1.record().text(FIELD).to_owned()
        };
        let core = "mesen_libretro.so";
        assert_eq!(choose(&mut draft, &id, core), Ok((id.clone(), "A".to_owned())));
        assert_eq!(stored(&draft), core);
        assert_eq!(choose(&mut draft, &id, "x"), Err(CoreError::NotACore));
        assert_eq!(choose(&mut draft, "game-gone", core), Err(CoreError::UnknownGame));
        assert!(choose(&mut draft, &id, "").is_ok());
        assert_eq!(stored(&draft), "");
    }
}
