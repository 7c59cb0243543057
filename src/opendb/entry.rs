//! The facts about a game in a block of the archive.
//!
//! Files of one kind of fact name a game by `comment`, those of whole sets by `name` and `description`.
//! Both identify it by the checksums and serial numbers of its files.

use crate::{base::text, formats::text_dat::Block};

/// Characters of a text that is kept.
const LETTERS: usize = 200;
/// Files of one game that are kept.
const ROMS: usize = 64;

/// A fact of a game: its key in the archive, in the order of the columns of the database.
pub(super) const FACTS: [&str; 7] =
    ["developer", "publisher", "genre", "releaseyear", "users", "esrb_rating", "franchise"];

/// The content of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// The name of the game in the database; blank when the block names only files.
    pub name: String,
    /// What the game is known by ([`crc_code`] and others).
    pub codes: Vec<String>,
    /// Facts in the order of [`FACTS`]; blank when the block has none.
    pub facts: [String; FACTS.len()],
}

/// The code of a CRC32; `None` for an invalid one.
pub(super) fn crc_code(crc: &str) -> Option<String> {
    let crc = crc.trim().trim_start_matches("0x");
    let is_hex = !crc.is_empty() && crc.len() <= 8 && crc.bytes().all(|it| it.is_ascii_hexdigit());
    is_hex.then(|| format!("c:{:0>8}", crc.to_ascii_uppercase()))
}

/// The code of a serial number, whatever separators it is written with; `None` for an invalid one.
pub(super) fn serial_code(serial: &str) -> Option<String> {
    let bare: String = serial.chars().filter(char::is_ascii_alphanumeric).collect();
    (4..=20).contains(&bare.len()).then(|| format!("s:{}", bare.to_ascii_uppercase()))
}

/// The code of the name of a set: `pacman`.
pub(super) fn set_code(set: &str) -> Option<String> {
    let bare = set.trim().to_lowercase();
    let bare = bare.trim_end_matches(".zip").trim_end_matches(".7z");
    (!bare.is_empty() && bare.len() <= 60).then(|| format!("n:{bare}"))
}

/// The name of a set by its archive, for lists that call games by their titles; `None` for a plain file.
fn packed_set(file: &str) -> Option<&str> {
    let (set, ending) = file.rsplit_once('.')?;
    ["zip", "7z"].iter().any(|known| known.eq_ignore_ascii_case(ending)).then_some(set)
}

impl Entry {
    /// Reads a block; `None` for one that is about no game.
    pub fn of(key: &str, block: &Block) -> Option<Self> {
        if !matches!(key, "game" | "machine" | "resource") {
            return None;
        }
        let shown = ["comment", "description", "name"].map(|key| block.text(key).trim());
        let name = shown.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        let mut codes = Vec::new();
        let set = block.text("name").trim();
        if block.text("comment").is_empty() && set != name {
            codes.extend(set_code(set));
        }
        codes.extend(serial_code(block.text("serial")));
        for (_, rom) in block.blocks.iter().filter(|(key, _)| key == "rom").take(ROMS) {
            codes.extend(packed_set(rom.text("name")).and_then(set_code));
            codes.extend(crc_code(rom.text("crc")));
            codes.extend(serial_code(rom.text("serial")));
        }
        codes.dedup();
        let facts = FACTS.map(|key| text::cut(block.text(key).trim(), LETTERS).to_owned());
        let name = text::cut(name, LETTERS).to_owned();
        let is_something = !name.is_empty() || !codes.is_empty();
        is_something.then_some(Self { name, codes, facts })
    }

    /// Whether it holds anything besides files.
    pub fn has_facts(&self) -> bool {
        self.facts.iter().any(|fact| !fact.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::text_dat;

    fn entries(text: &str) -> Vec<Entry> {
        let blocks = text_dat::parse(text).expect("a file");
        blocks.iter().filter_map(|(key, block)| Entry::of(key, block)).collect()
    }

    #[test]
    fn facts_sets_and_arcade_games_are_read() {
        let found = entries(
            "clrmamepro ( name \"Sega\" )\n\
             game ( comment \"Comet (USA)\" developer \"Aster, Inc.\" rom ( crc 5fbb855 ) )\n\
             game ( name \"Comet (USA)\" description \"Comet (USA)\" serial \"T-12 34\" \
               rom ( name \"Comet (USA).md\" size 4 crc 05FBB855 serial \"SLUS_005.94\" ) )\n\
             game ( name comet description \"Comet (set 1)\" users 2 rom ( name comet.zip crc 1 ) )\n\
             game ( name \"Comet (World, set 1)\" developer \"Aster\" rom ( name cometw.zip crc 3 ) )\n\
             game ( rom ( crc 00000002 ) genre \"Shooter\" )\n\
             game ( size 4 )",
        );
        let shown: Vec<_> = found
            .iter()
            .map(|entry| (entry.name.as_str(), entry.codes.join(" "), entry.facts.join("|")))
            .collect();
        let text = str::to_owned;
        assert_eq!(
            shown,
            [
                ("Comet (USA)", text("c:05FBB855"), text("Aster, Inc.||||||")),
                ("Comet (USA)", text("s:T1234 c:05FBB855 s:SLUS00594"), text("||||||")),
                ("Comet (set 1)", text("n:comet c:00000001"), text("||||2||")),
                ("Comet (World, set 1)", text("n:cometw c:00000003"), text("Aster||||||")),
                ("", text("c:00000002"), text("||Shooter||||")),
            ]
        );
    }

    #[test]
    fn codes_are_bounded_and_of_one_form() {
        assert_eq!(crc_code("0xABCdef01").as_deref(), Some("c:ABCDEF01"));
        for none in ["", "ABCDEF012", "x"] {
            assert_eq!(crc_code(none), None, "{none}");
        }
        assert_eq!(serial_code("abc"), None);
        assert_eq!(serial_code(&"A".repeat(21)), None);
        assert_eq!(set_code(" PacMan.ZIP ").as_deref(), Some("n:pacman"));
    }
}
