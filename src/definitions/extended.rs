//! The extended pack: a definition of the multi-system emulator for every platform of the table that it
//! plays and that no bundled definition names.
//!
//! Made from the table of platforms, so that a core that is added there is offered at once.

use std::sync::Arc;

use crate::{
    model::emulators::Definition,
    platforms::{self, Platform},
};

/// The bundled definition that the others are like, in all but platform, files and core.
const PATTERN: &str = "retroarch-nes";
/// Behind the definitions of a person, who may leave the priority out.
const PRIORITY: u32 = 1_000;

/// The pack beside these bundled definitions, by id.
pub fn beside(bundled: &[(String, Definition)]) -> Vec<Arc<Definition>> {
    let Some((_, pattern)) = bundled.iter().find(|(_, each)| each.id == PATTERN) else {
        return Vec::new();
    };
    let is_open =
        |platform: &&Platform| bundled.iter().all(|(_, each)| each.platform != platform.name);
    let open = platforms::all().iter().filter(is_open);
    let mut pack: Vec<Arc<Definition>> =
        open.filter_map(|platform| Some(Arc::new(definition(pattern, platform)?))).collect();
    pack.sort_by(|one, other| one.id.cmp(&other.id));
    pack
}

/// The definition for a platform; `None` without a core.
fn definition(pattern: &Definition, platform: &Platform) -> Option<Definition> {
    let core = platform.cores.first()?;
    let folder = pattern.core_path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let core_path = format!("{folder}/{core}_libretro.so");
    let is_core = |word: &String| *word == pattern.core_path;
    let arguments = pattern.arguments.iter();
    Some(Definition {
        id: format!("retroarch-{}", slug(platform.name)),
        label: format!("{} ({})", pattern.app.name, platform.name),
        platform: platform.name.to_owned(),
        extensions: platform.extensions().map(str::to_owned).collect(),
        arguments: arguments
            .map(|word| if is_core(word) { core_path.clone() } else { word.clone() })
            .collect(),
        priority: PRIORITY,
        core_path,
        ..pattern.clone()
    })
}

/// A name in small letters, digits and single hyphens.
fn slug(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase);
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::definitions::bundled;

    #[test]
    fn the_pack_plays_what_the_bundled_set_does_not() {
        let bundled = bundled::definitions();
        let pack = beside(bundled);
        assert!(pack.len() > 70, "{}", pack.len());
        let ids: BTreeSet<&str> = pack.iter().map(|each| each.id.as_str()).collect();
        assert_eq!(ids.len(), pack.len(), "ids are unique");
        assert!(bundled.iter().all(|(_, each)| !ids.contains(each.id.as_str())));
        let genesis =
            pack.iter().find(|each| each.platform == "Sega Genesis").expect("it is there");
        assert_eq!(genesis.id, "retroarch-sega-genesis");
        assert_eq!(genesis.label, "RetroArch (Sega Genesis)");
        let core = "/usr/lib/libretro/genesis_plus_gx_libretro.so";
        assert_eq!(genesis.core_path, core);
        assert_eq!(genesis.arguments, ["-L", core, "{path}"]);
        assert!(genesis.extensions.contains(&"md".to_owned()));
    }

    #[test]
    fn platforms_are_played_and_files_are_not_claimed() {
        let catalog = bundled::catalog();
        assert_eq!(catalog.definitions().len(), 24);
        let first = |platform: &str| catalog.ranked(platform).first().map(|each| each.id.clone());
        assert_eq!(first("Atari 2600").as_deref(), Some("retroarch-atari-2600"));
        assert_eq!(first("MAME").as_deref(), Some("mame-arcade"), "as every arcade");
        assert_eq!(first("SNES").as_deref(), Some("retroarch-snes"));
        assert!(first("Jaguar").is_none());
        assert!(catalog.definition("retroarch-sega-genesis").is_some());
    }
}
