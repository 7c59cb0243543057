//! Reads the text of the table of platforms.

use std::collections::HashMap;

use super::platform::{Base, EmulatorFolder, Kind, OTHER, Platform, Trait};

/// The group of machines of arcades.
const ARCADE: &str = "Arcade";
/// The group of computers.
const COMPUTER: &str = "Computer";
/// The makers whose consoles and computers are a family.
const FAMILIES: [&str; 7] = ["Nintendo", "Sega", "Sony", "Microsoft", "Atari", "Commodore", "NEC"];

/// Reads the table.
///
/// # Errors
/// The line that is empty or a duplicate.
pub fn parse(text: &'static str) -> Result<Vec<Platform>, String> {
    let mut platforms: Vec<Platform> = Vec::new();
    for line in text.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some(described) = line.strip_prefix("  ") else {
            platforms.push(Platform::named(line));
            continue;
        };
        let platform = platforms.last_mut().ok_or("a description without a platform")?;
        let (key, value) = described.split_once(": ").ok_or_else(|| line.to_owned())?;
        platform.describe(key, value).ok_or_else(|| format!("{}: {described}", platform.name))?;
    }
    let mut consoles: HashMap<&str, usize> = HashMap::new();
    for platform in platforms.iter().filter(|platform| platform.is_console()) {
        *consoles.entry(platform.maker).or_default() += 1;
    }
    for platform in platforms.iter_mut().filter(|platform| platform.category.is_empty()) {
        platform.category = match platform.kind {
            Kind::Arcade => ARCADE,
            Kind::Computer => COMPUTER,
            // A group of one platform groups nothing.
            _ if platform.is_console() && consoles[platform.maker] > 1 => platform.maker,
            _ => OTHER,
        };
    }
    for platform in platforms.iter_mut().filter(|platform| platform.family.is_empty()) {
        platform.family = match (platform.kind, platform.maker) {
            (Kind::Arcade, _) => ARCADE,
            // Its operating systems run on the computers of others.
            (Kind::Computer, "Microsoft") => COMPUTER,
            (_, maker) if FAMILIES.contains(&maker) => maker,
            (Kind::Computer, _) => COMPUTER,
            _ => OTHER,
        };
    }
    Ok(platforms)
}

impl Platform {
    fn named(name: &'static str) -> Self {
        Self {
            name,
            maker: "",
            kind: Kind::Other,
            category: "",
            family: "",
            year: 0,
            folders: Vec::new(),
            own_extensions: Vec::new(),
            usual_extensions: Vec::new(),
            shared_extensions: Vec::new(),
            like: "",
            takes_playlists: true,
            cores: Vec::new(),
            traits: Vec::new(),
            needs: Vec::new(),
            wants: Vec::new(),
            saves: Vec::new(),
            gamedb: None,
            scraper: None,
            ach: None,
            metadb: "",
            libretro: "",
            bezels: "",
        }
    }

    fn is_console(&self) -> bool {
        let is_console = matches!(self.kind, Kind::Cartridge | Kind::Disc | Kind::Other);
        is_console && !self.maker.is_empty()
    }

    /// Takes one line over; `None` when it cannot be understood.
    fn describe(&mut self, key: &str, value: &'static str) -> Option<()> {
        let words = || value.split(' ').collect();
        let number = || value.parse().ok();
        match key {
            "maker" => self.maker = value,
            "kind" => self.kind = kind(value)?,
            "category" => self.category = value,
            "family" => self.family = value,
            "year" => self.year = value.parse().ok()?,
            "folders" => self.folders = value.split(", ").collect(),
            "own" => self.own_extensions = words(),
            "usual" => self.usual_extensions = words(),
            "also" => self.shared_extensions = words(),
            "like" => self.like = value,
            "playlists" => self.takes_playlists = value != "no",
            "cores" => self.cores = words(),
            "traits" => self.traits = value.split(' ').map(trait_of).collect::<Option<_>>()?,
            "needs" => {
                self.needs = value.split(' ').map(|group| group.split('|').collect()).collect();
            }
            "wants" => self.wants = words(),
            "saves" => self.saves = value.split(", ").map(place).collect::<Option<_>>()?,
            "gamedb" => self.gamedb = Some(number()?),
            "scraper" => self.scraper = Some(number()?),
            "ach" => self.ach = Some(number()?),
            "metadb" => self.metadb = value,
            "libretro" => self.libretro = value,
            "bezels" => self.bezels = value,
            _ => return None,
        }
        Some(())
    }
}

fn trait_of(word: &str) -> Option<Trait> {
    Some(match word {
        "sets" => Trait::Sets,
        "desktop" => Trait::Desktop,
        "firmware" => Trait::Firmware,
        "installs" => Trait::Installs,
        _ => return None,
    })
}

fn place(text: &'static str) -> Option<EmulatorFolder> {
    let mut words = text.split(' ');
    let base = match words.next()? {
        "home" => {
            return Some(EmulatorFolder { base: Base::Home, package: "", path: words.next()? });
        }
        "config" => Base::Config,
        "data" => Base::Data,
        _ => return None,
    };
    Some(EmulatorFolder { base, package: words.next()?, path: words.next()? })
}

fn kind(word: &str) -> Option<Kind> {
    Some(match word {
        "cartridge" => Kind::Cartridge,
        "disc" => Kind::Disc,
        "computer" => Kind::Computer,
        "arcade" => Kind::Arcade,
        "engine" => Kind::Engine,
        "other" => Kind::Other,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_says_nothing_is_an_error() {
        for text in [
            "  kind: disc",
            "A\n  kind: round",
            "A\n  year: soon",
            "A\n  ach: x",
            "A\n  color: red",
            "A\n  kind",
            "A\n  traits: round",
            "A\n  saves: nowhere a b",
            "A\n  saves: config a",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn categories_follow_from_kind_and_maker() {
        let text = "A\n  maker: M\n  kind: disc\nB\n  maker: M\n  kind: cartridge\n\
            C\n  maker: L\n  kind: disc\nD\n  maker: M\n  kind: computer\n\
            E\n  kind: arcade\nF\n  kind: engine\nG\n  kind: engine\n  category: X";
        let categories: Vec<&str> =
            parse(text).expect("a table").iter().map(|platform| platform.category).collect();
        assert_eq!(categories, ["M", "M", "Other", "Computer", "Arcade", "Other", "X"]);
    }
}
