//! Where emulators and storefronts keep saves, as data: pure paths without I/O.
//!
//! Store cloud folders, shared emulator roots, files named like the title.

use std::path::{Path, PathBuf};

use crate::{platforms, probe::found_saves::key_of};

/// The folders of a user that the tables below count from.
#[derive(Clone, Debug)]
pub struct Home {
    /// The home folder.
    pub home: PathBuf,
    /// Folders of configuration, in the order in which they are searched.
    pub config: Vec<PathBuf>,
    /// Folders of application data.
    pub data: Vec<PathBuf>,
}

impl Home {
    /// The folders below a home; `config` and `data` are those of the environment, when it names
    /// others than the usual ones.
    pub fn new(home: &Path, config: Option<PathBuf>, data: Option<PathBuf>) -> Self {
        let both = |named: Option<PathBuf>, usual: PathBuf| {
            let mut folders: Vec<PathBuf> = named.into_iter().collect();
            if !folders.contains(&usual) {
                folders.push(usual);
            }
            folders
        };
        Self {
            config: both(config, home.join(".config")),
            data: both(data, home.join(".local/share")),
            home: home.to_owned(),
        }
    }

    /// The places a relative path of this base may stand for.
    pub(super) fn expand(&self, base: Base, path: &str) -> Vec<PathBuf> {
        let sandbox = |package: &str| self.home.join(".var/app").join(package);
        match base {
            Base::Home => vec![self.home.join(path)],
            Base::Config(package) => {
                let native = self.config.iter().map(|folder| folder.join(path));
                native.chain([sandbox(package).join("config").join(path)]).collect()
            }
            Base::Data(package) => {
                let native = self.data.iter().map(|folder| folder.join(path));
                native.chain([sandbox(package).join("data").join(path)]).collect()
            }
            Base::Package(package) => vec![sandbox(package).join(path)],
        }
    }
}

/// What a path in a table counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// The home folder.
    Home,
    /// The configuration folders, and that of a sandboxed package.
    Config(&'static str),
    /// The data folders, and that of a sandboxed package.
    Data(&'static str),
    /// The folder of a sandboxed package alone.
    Package(&'static str),
}

const RETROARCH: Base = Base::Config("org.libretro.RetroArch");
const MAME: Base = Base::Config("org.mamedev.MAME");

/// Folders whose files are named like the game they belong to.
const NAMED: [&str; 2] = ["retroarch/saves", "retroarch/states"];

/// Roots of the first storefront; the saves of a game lie in `userdata/<user>/<id>/remote`.
const STORE: [(Base, &str); 3] = [
    (Base::Data(STORE_PACKAGE), "Steam"),
    (Base::Home, ".steam/steam"),
    (Base::Package(STORE_PACKAGE), ".local/share/Steam"),
];
const STORE_PACKAGE: &str = "com.valvesoftware.Steam";

/// Folders of arcade high scores, the first that exists counts.
const SCORES: [(Base, &str); 6] = [
    (Base::Home, ".mame/hi"),
    (MAME, "mame/hi"),
    (Base::Package("org.mamedev.MAME"), "config/mame/hi"),
    (Base::Home, ".mame/hiscore"),
    (MAME, "mame/hiscore"),
    (Base::Package("org.mamedev.MAME"), ".mame/hi"),
];

/// The roots in which emulators keep the saves of all games of a platform.
pub(super) fn shared_roots(home: &Home, platform: &str) -> Vec<PathBuf> {
    let known = platforms::by_name(platform).into_iter();
    let places = known.flat_map(|platform| &platform.saves);
    let expand = |place: &platforms::EmulatorFolder| {
        let base = match place.base {
            platforms::Base::Home => Base::Home,
            platforms::Base::Config => Base::Config(place.package),
            platforms::Base::Data => Base::Data(place.package),
        };
        home.expand(base, place.path)
    };
    places.flat_map(expand).collect()
}

/// The platforms whose emulators keep the saves of all games together, in a folder that is there.
pub(super) fn shared_platforms(
    home: &Home,
    exists: impl Fn(&Path) -> bool,
) -> impl Iterator<Item = &'static str> {
    let has_saves = move |name: &str| shared_roots(home, name).iter().any(|root| exists(root));
    platforms::all().iter().map(|platform| platform.name).filter(move |name| has_saves(name))
}

/// The folders whose files are named like their game.
pub(super) fn named_folders(home: &Home) -> Vec<PathBuf> {
    NAMED.iter().flat_map(|path| home.expand(RETROARCH, path)).collect()
}

/// The roots of the storefront.
pub(super) fn store_roots(home: &Home) -> Vec<PathBuf> {
    STORE.iter().flat_map(|(base, path)| home.expand(*base, path)).collect()
}

/// The folders of high scores.
pub(super) fn score_folders(home: &Home) -> Vec<PathBuf> {
    SCORES.iter().flat_map(|(base, path)| home.expand(*base, path)).collect()
}

/// The key of a file that may be a save: the stem, without the mark of a state.
pub(super) fn key_of_file(name: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let stem = match stem.rsplit_once('.') {
        Some((title, mark)) if is_state_mark(mark) => title,
        _ => stem,
    };
    key_of(stem)
}

/// Whether an inner extension is that of a numbered state, as in `Title.state1.png`.
fn is_state_mark(mark: &str) -> bool {
    let number = mark.strip_prefix("state");
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> Home {
        Home::new(Path::new("/h"), Some("/x".into()), Some("/h/.local/share".into()))
    }

    #[track_caller]
    fn check(platform: &str, expected: &[&str]) {
        let found = shared_roots(&home(), platform);
        let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(found, expected, "{platform}");
    }

    #[test]
    fn every_platform_has_its_roots_and_their_sandboxed_twins() {
        check(
            "playstation 2",
            &[
                "/x/PCSX2/memcards",
                "/h/.config/PCSX2/memcards",
                "/h/.var/app/net.pcsx2.PCSX2/config/PCSX2/memcards",
            ],
        );
        let psp = "/h/.var/app/org.ppsspp.PPSSPP/config/ppsspp/PSP/SAVEDATA";
        assert!(shared_roots(&home(), "PSP").contains(&psp.into()));
        let ps3 = "/h/.config/rpcs3/dev_hdd0/home/00000001/savedata";
        assert!(shared_roots(&home(), "PlayStation 3").contains(&ps3.into()));
        check(
            "GameCube",
            &[
                "/h/.local/share/dolphin-emu/GC",
                "/h/.var/app/org.DolphinEmu.dolphin-emu/data/dolphin-emu/GC",
            ],
        );
        assert_eq!(shared_roots(&home(), "Wii"), shared_roots(&home(), "WiiWare"));
        assert!(shared_roots(&home(), "Sega Saturn").contains(&"/h/.mednafen".into()));
        let cemu = "/h/.local/share/Cemu/mlc01/usr/save";
        assert!(shared_roots(&home(), "Wii U").contains(&cemu.into()));
        check("NES", &[]);
    }

    #[test]
    fn names_are_compared_by_letters_and_digits() {
        assert_eq!(key_of("Chrono  Trigger: DX!"), "chronotriggerdx");
        for (name, key) in [
            ("Chrono Trigger DX.srm", "chronotriggerdx"),
            ("Chrono Trigger DX.state", "chronotriggerdx"),
            ("Chrono Trigger DX.state.auto", "chronotriggerdx"),
            ("Chrono Trigger DX.state12.png", "chronotriggerdx"),
            ("Chrono Trigger DX.statement.txt", "chronotriggerdxstatement"),
            ("ドラゴン.srm", "ドラゴン"),
            ("!!.srm", ""),
        ] {
            assert_eq!(key_of_file(name), key, "{name}");
        }
    }

    #[test]
    fn scores_and_stores_have_their_order() {
        assert_eq!(score_folders(&home())[0], Path::new("/h/.mame/hi"));
        assert_eq!(score_folders(&home())[2], Path::new("/h/.config/mame/hi"));
        assert_eq!(store_roots(&home())[0], Path::new("/h/.local/share/Steam"));
        assert_eq!(named_folders(&home())[0], Path::new("/x/retroarch/saves"));
    }
}
