//! The description of one platform.

use serde::Serialize;

use crate::base::schema::{Schema, Type, schema};

/// The category of a platform that belongs to no group.
pub const OTHER: &str = "Other";

/// What kind of machine a platform is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A console or handheld with cartridges or cards.
    Cartridge,
    /// A console with discs.
    Disc,
    /// A computer.
    Computer,
    /// Machines of arcades.
    Arcade,
    /// A program that plays games made for it.
    Engine,
    /// Anything else.
    Other,
}

impl Schema for Kind {
    const SCHEMA: &'static Type =
        &Type::Choice(&["cartridge", "disc", "computer", "arcade", "engine", "other"]);
}

/// What is special about a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// Its games are sets, known by name, whose high scores are kept.
    Sets,
    /// Games of the stores for computers.
    Desktop,
    /// Nothing starts without the firmware of the console.
    Firmware,
    /// Updates and additions of its games are files of their own.
    Installs,
}

/// A folder of an emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmulatorFolder {
    /// What the path counts from.
    pub base: Base,
    /// The sandboxed package of the emulator; empty without one.
    pub package: &'static str,
    /// The path, relative.
    pub path: &'static str,
}

// No reply shows these two.
impl Schema for Trait {
    const SCHEMA: &'static Type = &Type::Any;
}

impl Schema for EmulatorFolder {
    const SCHEMA: &'static Type = &Type::Any;
}

/// What the path of a folder counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The home folder.
    Home,
    /// The folder of settings.
    Config,
    /// The folder of data.
    Data,
}

schema! {
    /// A platform of the table.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Platform {
        /// The text that games store.
        pub name: &'static str,
        /// The manufacturer; empty where there is none.
        pub maker: &'static str,
        /// What kind of machine it is.
        pub kind: Kind,
        /// The group it is shown in unless the user chose another one.
        pub category: &'static str,
        /// The family of platforms whose games resemble each other, whatever the user chose.
        #[serde(skip)]
        pub family: &'static str,
        /// Year of its first release.
        pub year: u16,
        /// Names of folders that hold its games, besides its own name.
        pub folders: Vec<&'static str>,
        /// Extensions that mean this platform wherever a file lies. Lower case, without the dot.
        pub own_extensions: Vec<&'static str>,
        /// Extensions that other platforms have too, and that mean this one when nothing else decides.
        pub usual_extensions: Vec<&'static str>,
        /// Further extensions of its files; outside its folders they mean nothing.
        pub shared_extensions: Vec<&'static str>,
        /// The platform whose emulators play its games where it has none of its own; empty without one.
        pub like: &'static str,
        /// Whether its emulators play a playlist (`.m3u`) of discs; otherwise they start a disc.
        pub takes_playlists: bool,
        /// RetroArch cores, the recommended first.
        pub cores: Vec<&'static str>,
        /// What is special about it.
        #[serde(skip)]
        pub traits: Vec<Trait>,
        /// Firmware that RetroArch needs, below its system folder: of each group one file.
        #[serde(skip)]
        pub needs: Vec<Vec<&'static str>>,
        /// Firmware that RetroArch can do without.
        #[serde(skip)]
        pub wants: Vec<&'static str>,
        /// Where emulators keep the saves of all its games.
        #[serde(skip)]
        pub saves: Vec<EmulatorFolder>,
        /// Its number at IGDB.
        pub gamedb: Option<u32>,
        /// Its number at ScreenScraper.
        pub scraper: Option<u32>,
        /// Its number at RetroAchievements.
        pub ach: Option<u32>,
        /// Its name in the LaunchBox database; empty when unknown.
        pub metadb: &'static str,
        /// Its name in the libretro database; empty when it has none.
        pub libretro: &'static str,
        /// Its name in the addresses of The Bezel Project; empty when that has none.
        #[serde(skip)]
        pub bezels: &'static str,
    }
}

impl Platform {
    /// Whether files with this extension (lower case, without the dot) can be its games.
    pub fn lists(&self, extension: &str) -> bool {
        self.extensions().any(|listed| listed == extension)
    }

    /// Its extensions: its own, the usual and the shared ones.
    pub fn extensions(&self) -> impl Iterator<Item = &'static str> {
        let shared = self.usual_extensions.iter().chain(&self.shared_extensions);
        self.own_extensions.iter().chain(shared).copied()
    }
}
