//! The extended pack: for every platform of the table RetroArch, where it has a core and no bundled
//! definition names the platform, and the emulators that run alone.
//!
//! Made from data: the table of platforms, and `emulators.txt`, whose first lines say what its words
//! mean.

use std::sync::{Arc, LazyLock};

use crate::{
    model::emulators::{App, Definition, Origin, StateBlock},
    platforms::{self, Platform},
};

/// The bundled definition that the others are like, in all but platform, files and core.
const PATTERN: &str = "retroarch-nes";
/// Behind the definitions of the user, who may leave the priority out.
const PRIORITY: u32 = 1_000;
/// Of emulators that run alone: behind RetroArch, in the order of their table.
const ALONE: u32 = 1_100;

/// The emulators that run alone.
static EMULATORS: LazyLock<Vec<Emulator>> = LazyLock::new(|| {
    parse(include_str!("emulators.txt")).unwrap_or_else(|error| {
        log::error!("the table of emulators cannot be used: {error}");
        Vec::new()
    })
});

/// An emulator of the table.
#[derive(Debug, Default)]
struct Emulator {
    name: &'static str,
    package: &'static str,
    programs: Vec<&'static str>,
    ways: Vec<Way>,
}

/// One way in which an emulator plays some platforms.
#[derive(Debug)]
struct Way {
    platforms: Vec<&'static Platform>,
    arguments: Vec<String>,
    /// Empty for every extension of the platform.
    files: Vec<&'static str>,
}

/// The pack besides these bundled definitions, RetroArch first.
pub fn beside(bundled: &[(String, Definition)]) -> Vec<Arc<Definition>> {
    let is_open =
        |platform: &&Platform| bundled.iter().all(|(_, each)| each.platform != platform.name);
    let open = platforms::all().iter().filter(is_open);
    let pattern = bundled.iter().map(|(_, each)| each).find(|each| each.id == PATTERN);
    let cores = pattern
        .into_iter()
        .flat_map(|pattern| open.clone().filter_map(|platform| of_core(pattern, platform)));
    let alone = (ALONE..).zip(&*EMULATORS).flat_map(|(priority, emulator)| {
        let app = emulator.app(bundled);
        emulator.definitions(&app, priority)
    });
    let mut pack: Vec<Arc<Definition>> = cores.chain(alone).map(Arc::new).collect();
    pack.sort_by(|one, other| (one.priority, &one.id).cmp(&(other.priority, &other.id)));
    pack
}

/// The definition of RetroArch for a platform; `None` without a core.
fn of_core(pattern: &Definition, platform: &Platform) -> Option<Definition> {
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

impl Emulator {
    /// The emulator as definitions know it; that of the bundled set where it has the same package.
    fn app(&self, bundled: &[(String, Definition)]) -> Arc<App> {
        let known = bundled.iter().map(|(_, each)| &each.app);
        let mut same = known.filter(|app| !self.package.is_empty() && app.package == self.package);
        same.next().cloned().unwrap_or_else(|| {
            let id =
                if self.package.is_empty() { slug(self.name) } else { self.package.to_owned() };
            Arc::new(App {
                id,
                name: self.name.to_owned(),
                executable: self.programs.first().copied().unwrap_or_default().to_owned(),
                package: self.package.to_owned(),
                patterns: self.programs.iter().map(|&name| name.to_owned()).collect(),
            })
        })
    }

    /// Its definitions: one for each platform of each way. The id of a further way ends with the first
    /// of its extensions.
    fn definitions(&self, app: &Arc<App>, priority: u32) -> Vec<Definition> {
        let mut made: Vec<Definition> = Vec::new();
        for way in &self.ways {
            for platform in &way.platforms {
                let mut id = format!("{}-{}", slug(self.name), slug(platform.name));
                if made.iter().any(|other| other.id == id) {
                    id = format!("{id}-{}", way.files.first().unwrap_or(&""));
                }
                let extensions: Vec<&str> = match way.files.as_slice() {
                    [] => platform.extensions().collect(),
                    files => files.to_vec(),
                };
                made.push(Definition {
                    id,
                    app: Arc::clone(app),
                    label: format!("{} ({})", app.name, platform.name),
                    platform: platform.name.to_owned(),
                    extensions: extensions.into_iter().map(str::to_owned).collect(),
                    arguments: way.arguments.clone(),
                    recommended: true,
                    priority,
                    state: StateBlock::default(),
                    bios: None,
                    firmware: None,
                    core_path: String::new(),
                    origin: Origin::Bundled,
                });
            }
        }
        made
    }
}

/// Reads the table of emulators.
///
/// # Errors
/// The line that cannot be understood.
fn parse(text: &'static str) -> Result<Vec<Emulator>, String> {
    let mut emulators: Vec<Emulator> = Vec::new();
    for line in text.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some(described) = line.strip_prefix("  ") else {
            emulators.push(Emulator { name: line, ..Emulator::default() });
            continue;
        };
        let emulator = emulators.last_mut().ok_or("a description without an emulator")?;
        emulator.describe(described).ok_or_else(|| format!("{}: {described}", emulator.name))?;
    }
    Ok(emulators)
}

impl Emulator {
    /// Takes one line over; `None` when it cannot be understood.
    fn describe(&mut self, line: &'static str) -> Option<()> {
        let (key, value) = line.trim_start().split_once(": ")?;
        match key {
            "package" => self.package = value,
            "programs" => self.programs = value.split(' ').collect(),
            "plays" => {
                let platforms = value.split(", ").map(platforms::by_name).collect::<Option<_>>()?;
                let arguments = vec!["{path}".to_owned()];
                self.ways.push(Way { platforms, arguments, files: Vec::new() });
            }
            "arguments" => self.ways.last_mut()?.arguments = shlex::split(value)?,
            "files" => self.ways.last_mut()?.files = value.split(' ').collect(),
            _ => return None,
        }
        Some(())
    }
}

/// A name in lower-case letters, digits and single hyphens.
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
        assert!(pack.len() > 250, "{}", pack.len());
        let ids: BTreeSet<&str> = pack.iter().map(|each| each.id.as_str()).collect();
        assert_eq!(ids.len(), pack.len(), "ids are unique");
        assert!(bundled.iter().all(|(_, each)| !ids.contains(each.id.as_str())));
        let genesis =
            pack.iter().find(|each| each.id == "retroarch-sega-genesis").expect("it is there");
        assert_eq!(genesis.label, "RetroArch (Sega Genesis)");
        let core = "/usr/lib/libretro/genesis_plus_gx_libretro.so";
        assert_eq!(genesis.core_path, core);
        assert_eq!(genesis.arguments, ["-L", core, "{path}"]);
        assert!(genesis.extensions.contains(&"md".to_owned()));
    }

    #[test]
    fn every_emulator_of_the_table_can_be_started() {
        let table = parse(include_str!("emulators.txt")).expect("a valid table");
        assert!(table.len() > 60, "{}", table.len());
        let names: BTreeSet<String> = table.iter().map(|each| slug(each.name)).collect();
        assert_eq!(names.len(), table.len(), "names are unique");
        let bundled = bundled::definitions();
        for emulator in &table {
            let app = emulator.app(bundled);
            assert!(!app.executable.is_empty() && !emulator.ways.is_empty(), "{}", app.name);
            for definition in emulator.definitions(&app, ALONE) {
                let words = &definition.arguments;
                let is_file = |word: &&String| word.contains("{path}") || word.contains("{stem}");
                assert_eq!(words.iter().filter(is_file).count(), 1, "{}", definition.id);
                assert!(!definition.extensions.is_empty(), "{}", definition.id);
                let platform = platforms::by_name(&definition.platform).expect("a platform");
                // Archives are taken by emulators and belong to no platform.
                let known = |each: &String| platform.lists(each) || matches!(&**each, "zip" | "7z");
                assert!(definition.extensions.iter().all(known), "{}", definition.id);
            }
        }
        for text in [
            "  programs: x",
            "A\n  plays: Nothing of the table",
            "A\n  arguments: {path}",
            "A\n  plays: NES\n    arguments: \"x",
            "A\n  color: red",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_platform_is_played() {
        // No emulator for Linux plays these, or their games start by themselves.
        let open = [
            "Nintendo Switch 2",
            "e-Reader",
            "PlayStation 5",
            "Xbox One",
            "Xbox Series X",
            "Sega Beena",
            "PC",
            "Windows",
            "Linux",
            "M.U.G.E.N",
            "Ports",
            "Cassette Vision",
            "Picno",
            "LeapPad",
            "Leapster",
            "Zeebo",
            "Symbian",
            "Android",
            "CHIP-8",
        ];
        let catalog = bundled::catalog();
        let unplayed: Vec<&str> = platforms::all()
            .iter()
            .map(|platform| platform.name)
            .filter(|name| catalog.of_platform(name).next().is_none())
            .collect();
        assert_eq!(unplayed, open);
    }

    #[test]
    fn platforms_are_played_and_files_are_not_claimed() {
        let catalog = bundled::catalog();
        assert_eq!(catalog.definitions().len(), 24);
        let ids = |platform: &str| {
            let ranked = catalog.ranked(platform).into_iter();
            ranked.map(|each| each.id.clone()).take(2).collect::<Vec<_>>()
        };
        assert_eq!(ids("Atari 2600"), ["retroarch-atari-2600", "stella-atari-2600"]);
        assert_eq!(ids("MAME"), ["mame-arcade", "retroarch-arcade"], "as every arcade");
        assert_eq!(ids("SNES"), ["retroarch-snes", "ares-snes"]);
        assert_eq!(ids("Oric"), ["oricutron-oric", "oricutron-oric-dsk"]);
        assert!(ids("Jaguar").is_empty());
        assert!(catalog.definition("retroarch-sega-genesis").is_some());
        let names = |platform: &str| {
            let apps = catalog.for_platform(platform).into_iter();
            apps.map(|app| app.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names("SNES"), ["RetroArch"], "the bundled set recommends");
        assert_eq!(names("Atari 2600"), ["RetroArch", "Stella"]);
        assert_eq!(catalog.app("io.mgba.mGBA").map(|app| app.name.as_str()), Some("mGBA"));
        assert_eq!(catalog.apps().len(), 14);
    }
}
