//! The kinds of media for the pictures of the database.

/// A kind of media, by its field of the game, and the types of the database for it, the best first.
#[derive(Clone, Copy, Debug)]
pub struct MediaTypes {
    /// The field of the game.
    pub kind: &'static str,
    /// Types of pictures; a later one is used where no picture of an earlier one is there.
    pub types: &'static [&'static str],
}

const fn of(kind: &'static str, types: &'static [&'static str]) -> MediaTypes {
    MediaTypes { kind, types }
}

/// Every kind that can be asked for. A kind without types comes from elsewhere.
pub const KINDS: [MediaTypes; 18] = [
    of(
        "cover",
        &[
            "Box - Front",
            "Box - Front - Reconstructed",
            "Steam Poster",
            "GOG Poster",
            "Epic Games Poster",
            "Amazon Poster",
        ],
    ),
    of(
        "background",
        &[
            "Fanart - Background",
            "Steam Background",
            "GOG Background",
            "Epic Games Background",
            "Amazon Background",
        ],
    ),
    of(
        "screenshots",
        &[
            "Screenshot - Gameplay",
            "Steam Screenshot",
            "GOG Screenshot",
            "Epic Games Screenshot",
            "Amazon Screenshot",
        ],
    ),
    of("box_back", &["Box - Back", "Box - Back - Reconstructed"]),
    of("box_spine", &["Box - Spine"]),
    of("box_3d", &["Box - 3D"]),
    of("clear_logo", &["Clear Logo"]),
    of("fanart", &["Fanart - Box - Front", "Fanart - Box - Back"]),
    of("banner", &["Banner"]),
    of("icon", &["Icon"]),
    of("title_screen", &["Screenshot - Game Title"]),
    of("cart_front", &["Cart - Front"]),
    of("cart_back", &["Cart - Back"]),
    of("disc", &["Disc", "Fanart - Disc"]),
    of("advertisement", &["Advertisement Flyer - Front", "Advertisement Flyer - Back"]),
    of("manual", &[]),
    of("video", &[]),
    of("music", &[]),
];

/// The kind of this name.
pub fn by_name(kind: &str) -> Option<&'static MediaTypes> {
    KINDS.iter().find(|known| known.kind == kind)
}

/// The kind that a type of the database is used for, and the type.
pub fn of_type(name: &str) -> Option<(&'static str, &'static str)> {
    KINDS.iter().find_map(|known| {
        let found = known.types.iter().find(|listed| **listed == name)?;
        Some((known.kind, *found))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::media::IMPORTED;

    #[test]
    fn the_kinds_are_those_that_an_import_can_ask_for() {
        let mut kinds = KINDS.map(|known| known.kind);
        let mut imported = IMPORTED;
        kinds.sort_unstable();
        imported.sort_unstable();
        assert_eq!(kinds, imported);
    }

    #[test]
    fn a_type_belongs_to_one_kind() {
        assert_eq!(of_type("Fanart - Disc"), Some(("disc", "Fanart - Disc")));
        assert_eq!(of_type("Arcade - Cabinet"), None);
        let all: Vec<_> = KINDS.iter().flat_map(|known| known.types).collect();
        let mut once = all.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), all.len());
    }
}
