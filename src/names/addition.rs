//! Recognises updates and additions, which do nothing without their game, by their names.

use crate::base::text;

use super::{parse, version};

/// Digits of the id of a title.
const ID: usize = 16;
/// The beginnings of ids that name the kind of a title behind them, and the kinds of updates and additions.
const KINDS_IN_FRONT: [&str; 2] = ["0004", "0005"];
const ADDED_KINDS: [&str; 3] = ["000E", "000C", "008C"];
/// Words that a bracket of an update or an addition begins with.
const MARKS: [&str; 5] = ["update", "upd", "patch", "dlc", "add-on"];
/// Words behind the title of one; a version may follow the first.
const ENDINGS: [&str; 3] = ["update", "upd", "dlc"];

/// Whether a stem has the id of an update or of an addition, in brackets or in front, instead of that of
/// a game.
pub fn has_id(stem: &str) -> bool {
    let in_front = stem.split_once([' ', '_', '.']).map_or(stem, |(first, _)| first);
    brackets(stem).chain([in_front]).any(is_id)
}

/// Whether words in the stem of a file mark it as an update or an addition, for a console that installs titles.
pub fn is_marked(stem: &str) -> bool {
    let is_mark = |text: &str| {
        let text = text.trim().to_ascii_lowercase();
        MARKS.iter().filter_map(|mark| text.strip_prefix(mark)).any(|rest| {
            !rest.starts_with(char::is_alphabetic) // Not `(Patchwork Edition)`.
        })
    };
    brackets(stem).any(is_mark) || game_of(stem).is_some()
}

/// The title of the game that a stem with such a word behind its title is about: `Title - Update 1.1 (USA)`,
/// `Title DLC`, `Title v1.0.5 UPD`.
pub fn game_of(stem: &str) -> Option<String> {
    // Most names have no such word at all.
    let folded = text::fold(stem);
    if !ENDINGS.iter().any(|ending| folded.contains(ending)) {
        return None;
    }
    let title = parse(stem).title;
    let (mut rest, mut last) = title.rsplit_once(' ')?;
    if version::is_number(last.trim_start_matches(['v', 'V'])) {
        (rest, last) = rest.rsplit_once(' ').filter(|(_, word)| text::fold(word) == ENDINGS[0])?;
    }
    if !ENDINGS.contains(&text::fold(last).as_str()) {
        return None;
    }
    let game = parse(rest.trim_end_matches([' ', '-', ':'])).title;
    (!game.is_empty()).then_some(game)
}

/// The texts in brackets of both kinds.
fn brackets(stem: &str) -> impl Iterator<Item = &str> {
    stem.split(['[', '(']).skip(1).filter_map(|part| Some(part.split_once([']', ')'])?.0))
}

/// Whether it is the id of an update or of an addition. Ids of games end with three zeros, except where the
/// kind of the title stands in front.
fn is_id(id: &str) -> bool {
    if id.len() != ID || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return false;
    }
    if KINDS_IN_FRONT.contains(&&id[..4]) {
        return ADDED_KINDS.contains(&id[4..8].to_ascii_uppercase().as_str());
    }
    !id.ends_with("000")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_additions_from_games() {
        for (stem, expected) in [
            ("Tale [0100F2C0115B6000][v0]", false),
            ("Tale [0100F2C0115B6800][v131072]", true),
            ("Tale [v0][0100f2c0115b7001]", true),
            ("Tale [0100F2C0115B680]", false),
            ("Tale [0100F2C0115B680X]", false),
            ("Tale [0100F2C0115B6800", false),
            ("Tale (0004000E00055D00) (USA)", true),
            ("0004000E00055D00 Tale (USA)", true),
            ("0004008c00055d00 Tale", true),
            ("0004000000055D00 Tale", false),
            ("Tale [0004000000126300]", false),
            ("Tale [0005000E101C9500]", true),
            ("Tale [0005000C101C9500]", true),
            ("Tale [00050000101C9500]", false),
            ("Tale", false),
        ] {
            assert_eq!(has_id(stem), expected, "{stem}");
        }
    }

    #[test]
    fn words_tell_additions_from_games() {
        for stem in [
            "Hollow Knight (Update 1.5.78)",
            "Mario (DLC)",
            "Zelda (USA) (Update)",
            "TotK (Patch)",
            "Hades [UPD]",
            "BotW (USA) (Update) (v208)",
            "Tale (Add-On)",
            "Tale (DLC 1+2)",
            "Dynasty Warriors Next (Europe) (Update 1.01) (DLC)",
        ] {
            assert!(is_marked(stem), "{stem}");
        }
        for stem in
            ["Tale (Patchwork)", "Tale (Updated)", "DLC", "Update 1.0", "Tale Update Two", ""]
        {
            assert!(!is_marked(stem), "{stem}");
        }
    }

    #[test]
    fn the_game_of_an_addition_is_what_stands_before_its_word() {
        for (stem, expected) in [
            ("Dread Update 1.0.5", Some("Dread")),
            ("Metroid Dread v1.0.5 UPD", Some("Metroid Dread")),
            (
                "Secret Mysteries in London - Update 1.1 (Europe) (En,Fr)",
                Some("Secret Mysteries in London"),
            ),
            ("Tale DLC (USA)", Some("Tale")),
            ("Tale - Update", Some("Tale")),
            ("Tale 1.1", None),
            ("Tale Patch", None),
            ("DLC", None),
        ] {
            assert_eq!(game_of(stem).as_deref(), expected, "{stem}");
        }
    }
}
