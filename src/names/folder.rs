//! Files with the same name in every game: the folder around them names the game.

use crate::{base::text, platforms};

/// Names of files with their extensions.
const ALIKE: [(&str, &[&str]); 9] = [
    ("eboot", &["pbp", "elf"]),
    ("default", &["xex", "xbe"]),
    ("rpg_rt", &["exe"]),
    ("game", &["exe"]),
    ("nw", &["exe"]),
    ("runner", &["exe"]),
    ("openbor", &["exe"]),
    ("boot", &["dol", "elf"]),
    ("disc", &["gdi", "cue", "cdi", "ccd", "chd", "iso"]),
];
/// The name of the first disc in folders that end with the id of the game.
pub const FIRST_DISC: &str = "game";
/// The name of the second disc next to it.
pub const SECOND_DISC: &str = "disc2";
/// The suffix of a folder that holds a game, which is not a name of the system.
const FOLDER_ENDING: &str = "ps3dir";
/// The folder inside of a game that holds its program, and the extension of that.
const PROGRAM: (&str, &str) = ("code", "rpx");
/// Characters of the id of a disc.
const ID: usize = 6;

/// The path of the folder that names the game of a file, given the path of its folder; `None` where
/// the name of the file does.
pub fn naming<'a>(folder: &'a str, stem: &str, suffix: &str) -> Option<&'a str> {
    let (around, name) = folder.rsplit_once('/')?;
    if suffix == PROGRAM.1 {
        return name.eq_ignore_ascii_case(PROGRAM.0).then_some(around);
    }
    let plain = text::fold(stem);
    let is_alike =
        ALIKE.iter().any(|(alike, suffixes)| *alike == plain && suffixes.contains(&suffix));
    let is_of_id = || {
        let id = id_of(name)?;
        let is_disc = [FIRST_DISC, SECOND_DISC].contains(&plain.as_str());
        (is_disc || stem.eq_ignore_ascii_case(id)).then_some(())
    };
    (is_alike || is_of_id().is_some()).then_some(folder)
}

/// The name of the folder of a game without the name of its system behind it: `Title.ps3`, `Title.wiiu`.
pub fn without_system(name: &str) -> &str {
    let is_plain = |ending: &str| {
        !ending.is_empty()
            && ending.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    match name.rsplit_once('.') {
        Some((title, ending))
            if !title.is_empty()
                && is_plain(ending)
                && (ending == FOLDER_ENDING || platforms::by_folder(ending).is_some()) =>
        {
            title
        }
        _ => name,
    }
}

/// The id in brackets at the end of the name of a folder: `Title [RMCE01]`.
fn id_of(folder: &str) -> Option<&str> {
    let (title, id) = folder.trim_end().strip_suffix(']')?.rsplit_once('[')?;
    let is_id = id.len() == ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_id && !title.trim().is_empty()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_behind_the_name_of_a_folder_is_no_part_of_the_title() {
        for (name, expected) in [
            ("Kart 8.wiiu", "Kart 8"),
            ("Gears.xbox360", "Gears"),
            ("Stone.ps3", "Stone"),
            ("Stone.ps3dir", "Stone"),
            ("Keen.pc", "Keen"),
            ("Keen.dos", "Keen"),
            ("Vol.2", "Vol.2"),
            ("Mr.Do", "Mr.Do"),
            ("Dr. Who", "Dr. Who"),
            (".pc", ".pc"),
            ("Title", "Title"),
        ] {
            assert_eq!(without_system(name), expected, "{name}");
        }
    }

    #[test]
    fn the_folder_names_what_every_game_calls_alike() {
        for (folder, file, expected) in [
            ("/r/Box Game", "default.xex", Some("/r/Box Game")),
            ("/r/Home Brew", "EBOOT.pbp", Some("/r/Home Brew")),
            ("/r/Tale", "RPG_RT.exe", Some("/r/Tale")),
            ("/r/To the Moon", "Game.exe", Some("/r/To the Moon")),
            ("/r/Cross", "nw.exe", Some("/r/Cross")),
            ("/r/Maker", "runner.exe", Some("/r/Maker")),
            ("/r/usbloader_gx", "boot.dol", Some("/r/usbloader_gx")),
            ("/r/Disc Game", "disc.gdi", Some("/r/Disc Game")),
            ("/r/Kart [RMCE01]", "RMCE01.wbfs", Some("/r/Kart [RMCE01]")),
            ("/r/Prime [GM8E01]", "game.iso", Some("/r/Prime [GM8E01]")),
            ("/r/Prime [GM8E01]", "disc2.iso", Some("/r/Prime [GM8E01]")),
            ("/r/Fold [ABCE01]/code", "program.rpx", Some("/r/Fold [ABCE01]")),
            ("/r/Fold", "program.rpx", None),
            ("/r/Kart", "RMCE01.wbfs", None),
            ("/r/Kart [RMCE01]", "Kart.wbfs", None),
            ("/r/[RMCE01]", "RMCE01.wbfs", None),
            ("/r/Some", "game.iso", None),
            ("/r/Some", "default.iso", None),
            ("", "disc.gdi", None),
        ] {
            let (stem, suffix) = file.rsplit_once('.').expect("a file");
            assert_eq!(naming(folder, stem, suffix), expected, "{folder}/{file}");
        }
    }
}
