//! Which platform the name of a folder means.

use std::collections::HashMap;

use super::platform::Platform;
use crate::base::text;

/// What separates a maker from the name of its platform, and a platform from what is said of it.
const DASH: &str = " - ";

/// The platforms by the keys of the names their folders have. A name that one platform lists as that
/// of its folders is no name of another one.
pub fn index(platforms: &'static [Platform]) -> HashMap<String, &'static Platform> {
    let mut index = HashMap::new();
    for platform in platforms {
        for folder in &platform.folders {
            index.insert(key(folder), platform);
        }
    }
    for platform in platforms {
        for name in implied(platform) {
            index.entry(name).or_insert(platform);
        }
    }
    index
}

/// The keys of a platform's folders that the table does not list.
fn implied(platform: &Platform) -> impl Iterator<Item = String> {
    let with_maker = format!("{} {}", platform.maker, platform.name);
    let names = [platform.name, &with_maker, platform.metadb, platform.libretro];
    names.map(key).into_iter().filter(|key| !key.is_empty())
}

/// The platform that a folder name means.
pub fn find(index: &HashMap<String, &'static Platform>, name: &str) -> Option<&'static Platform> {
    let name = without_brackets(name);
    if let Some(found) = index.get(&key(name)) {
        return Some(found);
    }
    let (first, rest) = name.split_once(DASH)?;
    // Without the maker in front, then without what follows the platform: `Sega - Saturn - Games`.
    let maker = key(first);
    if let Some(found) = index.get(&key(rest)).filter(|found| maker.contains(&key(found.maker))) {
        return Some(found);
    }
    let (shorter, _) = name.rsplit_once(DASH)?;
    if shorter.contains(DASH) { find(index, shorter) } else { None }
}

/// A name without the brackets it ends with.
fn without_brackets(name: &str) -> &str {
    let mut name = name.trim();
    loop {
        let open = match name.as_bytes().last() {
            Some(b')') => '(',
            Some(b']') => '[',
            _ => return name,
        };
        match name.rfind(open) {
            Some(start) if start > 0 => name = name[..start].trim_end(),
            _ => return name,
        }
    }
}

/// What two spellings of one folder name share: letters and digits, without case and accents.
fn key(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    for letter in text::fold(name).chars() {
        match letter {
            '+' => key.push_str("plus"),
            'é' => key.push('e'),
            other if other.is_alphanumeric() => key.push(other),
            _ => {}
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::super::{all, by_folder};
    use super::*;

    #[test]
    fn no_name_means_two_platforms() {
        let mut listed: HashMap<String, &str> = HashMap::new();
        for platform in all() {
            for folder in &platform.folders {
                let other = listed.insert(key(folder), platform.name);
                assert_eq!(other, None, "{folder} of {}", platform.name);
            }
        }
        for platform in all() {
            for name in implied(platform) {
                // The folder `pc` of front ends holds games of DOS.
                let other = *listed.entry(name.clone()).or_insert(platform.name);
                assert!(other == platform.name || name == "pc", "{name}: {other}");
            }
        }
    }

    #[track_caller]
    fn check(names: &[&str], expected: Option<&str>) {
        for name in names {
            assert_eq!(by_folder(name).map(|platform| platform.name), expected, "{name:?}");
        }
    }

    #[test]
    fn folders_of_every_program_are_known() {
        check(
            &[
                "snes",
                "SNES",
                "sfc",
                "Super Nintendo",
                "super-nintendo_entertainment.system",
                "Nintendo - Super Nintendo Entertainment System",
                "Nintendo - Super Nintendo Entertainment System (20240101-123456)",
                "Nintendo - Super Nintendo Entertainment System (Rev 1) [BIN]",
                "Nintendo - Super Nintendo Entertainment System - Games",
                "Nintendo - SNES",
            ],
            Some("SNES"),
        );
        for (names, platform) in [
            (
                &["genesis", "megadrive", "Sega - Mega Drive - Genesis", "MegaDrive"][..],
                "Sega Genesis",
            ),
            (&["psx", "ps1", "Sony PlayStation", "Sony Playstation"], "PlayStation"),
            (&["pcengine", "tg16", "TGFX16", "NEC TurboGrafx-16"], "PC Engine"),
            (&["gc", "ngc", "Nintendo GameCube"], "GameCube"),
            (&["dreamcast", "Sega - Dreamcast"], "Dreamcast"),
            (&["ngp", "Neo Geo Pocket"], "Neo Geo Pocket"),
            (&["segacd", "megacd", "Sega - Mega-CD - Sega CD"], "Sega CD"),
            (&["pc", "dos", "MS-DOS"], "DOS"),
            (&["pokemini", "Nintendo - Pokémon Mini"], "Pokemon Mini"),
            (&["Nintendo - New Nintendo 3DS (Digital)", "n3ds", "3DS"], "Nintendo 3DS"),
            (&["Philips - Videopac+", "videopac"], "Odyssey 2"),
            (&["Microsoft - XBOX 360 (Title Updates)"], "Xbox 360"),
            (&["Sony - PlayStation 3 (PSN)"], "PlayStation 3"),
            (&["ports"], "Ports"),
        ] {
            check(names, Some(platform));
        }
    }

    #[test]
    fn other_folders_mean_nothing() {
        check(
            &["", "roms", "Games", "Mario - Switch", "[]", " - ", "Final Fantasy", ")", "é("],
            None,
        );
    }
}
