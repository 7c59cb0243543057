//! The definitions that came with the program, embedded in the executable.

use std::sync::LazyLock;

use crate::{
    base::embedded::{DEFINITIONS, File},
    formats::definition_file,
    model::emulators::{Definition, Origin},
};

/// File names and what they hold, by name.
static READ: LazyLock<Vec<(String, Definition)>> =
    LazyLock::new(|| DEFINITIONS.iter().filter_map(read).collect());

fn read(file: &File) -> Option<(String, Definition)> {
    match definition_file::parse(&file.unpack(), Origin::Bundled) {
        Ok(definition) => Some((file.name.to_owned(), definition)),
        Err(error) => {
            log::error!("the bundled definition {} cannot be used: {error}", file.name);
            None
        }
    }
}

/// File names and what they hold, by name.
pub fn definitions() -> &'static [(String, Definition)] {
    &READ
}

/// The bundled set alone.
pub fn catalog() -> std::sync::Arc<crate::model::emulators::Catalog> {
    super::gather::gather(Vec::new(), definitions()).catalog
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::emulators::StateKind;

    #[test]
    fn the_set_is_whole_and_ordered() {
        assert_eq!(DEFINITIONS.len(), 24);
        let catalog = catalog();
        let all = catalog.definitions();
        assert_eq!(all.len(), 24, "every file is valid");
        assert!(all.is_sorted_by(|a, b| a.id < b.id), "unique ids in order");
        for (name, definition) in definitions() {
            assert_eq!(*name, format!("{}.yaml", definition.id));
            assert_eq!(
                definition.label,
                format!("{} ({})", definition.app.name, definition.platform)
            );
            assert_eq!(definition.app.id, definition.app.package);
            assert_eq!(definition.app.patterns.join(" "), definition.app.executable);
            assert_eq!(definition.arguments.iter().filter(|word| *word == "{path}").count(), 1);
            assert!(!definition.extensions.is_empty() && definition.recommended, "{name}");
        }
        let apps: Vec<&str> = catalog.apps().iter().map(|app| app.name.as_str()).collect();
        let expected = [
            "Cemu",
            "Dolphin",
            "DuckStation",
            "Eden",
            "MAME",
            "melonDS",
            "PCSX2",
            "PPSSPP",
            "RetroArch",
            "RPCS3",
            "ScummVM",
            "Vita3K",
            "xemu",
            "Xenia",
        ];
        assert_eq!(apps, expected);
        let stateful = all.iter().filter(|each| each.state.kind != StateKind::None);
        let stateful: BTreeSet<&str> = stateful.map(|each| each.app.name.as_str()).collect();
        let expected =
            ["Dolphin", "DuckStation", "MAME", "PCSX2", "PPSSPP", "RPCS3", "RetroArch", "ScummVM"];
        assert_eq!(stateful.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn cores_and_firmware_are_where_they_are_looked_for() {
        let catalog = catalog();
        let of = |id: &str| catalog.definition(id).expect(id);
        assert_eq!(of("retroarch-nes").core_path, "/usr/lib/libretro/fceumm_libretro.so");
        assert_eq!(of("retroarch-n64").core_path, "/usr/lib/libretro/mupen64plus_next_libretro.so");
        assert_eq!(of("dolphin-wii").core_path, "");
        let bios = of("duckstation-psx").bios.as_ref().expect("a BIOS");
        assert_eq!(bios.path, "~/.local/share/duckstation/bios/scph1001.bin");
        assert_eq!(bios.sha1, "10155d8d6e6e832d6ea66db9bc098321fb5e8ebf");
        assert_eq!(of("rpcs3-ps3").firmware.as_ref().expect("firmware").sha1.len(), 40);
    }

    #[track_caller]
    fn check(platform: &str, names: &[&str]) {
        let catalog = catalog();
        let found: Vec<&str> =
            catalog.for_platform(platform).iter().map(|app| app.name.as_str()).collect();
        assert_eq!(found, names);
    }

    #[test]
    fn recommends_each_app_once() {
        check("GameCube", &["Dolphin"]);
        check("Arcade", &["MAME", "RetroArch"]);
        check("NES", &["RetroArch"]);
        check("Disc image", &[]);
        check("nes", &[]);
    }
}
