//! The folder of a set, for MAME.
//!
//! MAME takes the path of a set for its name alone and looks for the set in the folders of its own
//! settings. A library lies anywhere.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use crate::files::source;

/// The program.
const PROGRAM: &str = "mame";
/// The option that names the folders of sets, in the settings and, after a hyphen, in a command.
const OPTION: &str = "rompath";
/// Settings below the home folder, and those of the system.
const SETTINGS: [&str; 2] = [".mame/mame.ini", "/etc/mame/mame.ini"];

/// The folders of sets in the settings of the user, else in those of the system; `None` when neither
/// names any, since it is then unknown which ones MAME would use.
pub fn folders(home: &Path) -> Option<Vec<PathBuf>> {
    SETTINGS.iter().find_map(|settings| {
        let settings = source::open_regular(&home.join(settings)).ok()?;
        named(&io::read_to_string(settings).ok()?, home)
    })
}

/// The folders that settings name.
fn named(settings: &str, home: &Path) -> Option<Vec<PathBuf>> {
    let value = settings.lines().find_map(|line| {
        let (key, value) = line.split_once(char::is_whitespace)?;
        (key == OPTION).then(|| value.trim().trim_matches('"'))
    })?;
    let spelled = value.split(';').filter(|folder| !folder.is_empty());
    let folder = |spelled: &str| match spelled.strip_prefix("$HOME/") {
        Some(below) => home.join(below),
        None => PathBuf::from(spelled),
    };
    Some(spelled.map(folder).collect())
}

/// Puts the folder of the game in front of the `known` folders when a command starts MAME without
/// naming any. `known` is [`folders`], asked only then.
pub fn add_folder(
    argv: &mut Vec<OsString>,
    path: &Path,
    known: impl FnOnce() -> Option<Vec<PathBuf>>,
) {
    let program = argv.first().map(Path::new).and_then(Path::file_name);
    let option = format!("-{OPTION}");
    if program.is_none_or(|name| name != PROGRAM) || argv.iter().any(|word| **word == *option) {
        return;
    }
    let Some(folder) = path.parent().filter(|_| path.is_absolute()) else { return };
    let Some(known) = known().filter(|known| !known.iter().any(|each| each == folder)) else {
        return;
    };
    let mut folders = folder.as_os_str().to_owned();
    for each in known {
        folders.push(";");
        folders.push(each);
    }
    argv.extend([option.into(), folders]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, path: &str, settings: &str, expected: &str) {
        let mut argv: Vec<OsString> = command.split(' ').map(OsString::from).collect();
        add_folder(&mut argv, Path::new(path), || named(settings, Path::new("/h")));
        let words: Vec<&str> = argv.iter().filter_map(|word| word.to_str()).collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn the_folder_of_the_game_comes_first() {
        let settings = "# x\nrompath   $HOME/mame/roms;/usr/share/roms\nsamplepath x\n";
        let (command, path) = ("/usr/games/mame /g/pacman.zip", "/g/pacman.zip");
        let known = ";/h/mame/roms;/usr/share/roms";
        check(command, path, settings, &format!("{command} -rompath /g{known}"));
        let known = "/usr/share/roms/a.zip";
        check(command, known, settings, command);
        check(command, path, "video soft\n", command);
        check(command, "pacman", settings, command);
        check("mame -rompath /x a", path, settings, "mame -rompath /x a");
        check("other a", path, settings, "other a");
    }
}
