//! Which platform the name of a folder means.

use std::collections::HashMap;

use super::platform::{Kind, Platform};
use crate::base::text;

/// What separates a maker from the name of its platform, and a platform from further words.
const DASH: &str = " - ";
/// Keys of what stands in front of a maker in the names of sets.
const COLLECTIONS: [&str; 4] = ["nointro", "redump", "tosec", "arcade"];
/// Words for games besides the name of a platform.
const FILLERS: [&str; 2] = ["roms", "games"];
/// Words for formats next to the name of a platform.
const FORMATS: [&str; 11] =
    ["rom", "iso", "isos", "nsp", "xci", "chd", "chds", "cia", "wbfs", "rvz", "gdi"];
/// Words before the name of a platform.
const IN_FRONT: [&str; 2] = ["my", "all"];
/// What stands between two names of one platform, besides a dash.
const AND: &str = " & ";
/// Keys of names that mean a platform only when they stand alone: short words, and makers of several.
const NOT_SHORT: [&str; 12] = [
    "pc",
    "ibmpc",
    "ms",
    "ws",
    "tic",
    "poke",
    "xone",
    "atari",
    "commodore",
    "fairchild",
    "odyssey",
    "panasonic",
];

/// The platforms by the keys of the names their folders have. A name that one platform lists as that
/// of its folders is not a name of another one.
pub fn index(platforms: &'static [Platform]) -> HashMap<String, &'static Platform> {
    let mut index = HashMap::new();
    for platform in platforms {
        for folder in &platform.folders {
            index.insert(key(folder), platform);
        }
    }
    for platform in platforms {
        for name in implied(platform, platforms) {
            index.entry(name).or_insert(platform);
        }
    }
    index
}

/// The keys of a platform's folders that the table does not list: other names, and all names of
/// folders with the maker in front.
fn implied<'a>(
    platform: &'a Platform,
    platforms: &[Platform],
) -> impl Iterator<Item = String> + use<'a> {
    let metadb = if is_borrowed(platform, platforms) { "" } else { platform.metadb };
    let names = [platform.name, metadb, platform.libretro].map(key);
    let folders = platform.folders.iter().copied().filter(|name| without_brackets(name) == *name);
    let with_maker = folders.chain([platform.name]);
    let with_maker = with_maker.map(|name| key(&format!("{} {name}", platform.maker)));
    names.into_iter().chain(with_maker).filter(|key| !key.is_empty())
}

/// Whether the database calls a platform by the name of another one, which holds the folders.
fn is_borrowed(platform: &Platform, platforms: &[Platform]) -> bool {
    let is_name = |other: &Platform| {
        let rest = platform.metadb.strip_prefix(other.maker).unwrap_or_default().trim_start();
        platform.metadb == other.name || rest == other.name
    };
    platforms.iter().any(|other| other.name != platform.name && is_name(other))
}

/// The platform that a folder name means.
pub fn find(index: &HashMap<String, &'static Platform>, name: &str) -> Option<&'static Platform> {
    let name = without_brackets(name);
    find_named(index, name).or_else(|| find_loosely(index, without_number(name)))
}

/// The platform of a name that the user made around that of a platform: `N64 - Nintendo 64`, `PS2 ISOs`.
fn find_loosely(
    index: &HashMap<String, &'static Platform>,
    name: &str,
) -> Option<&'static Platform> {
    let named = |name: &str| find_named(index, name);
    if let Some((first, second)) = name.split_once(DASH).or_else(|| name.split_once(AND))
        && let Some(found) = named(first)
    {
        let rest = key(second.trim_end_matches(|letter: char| !letter.is_alphabetic()));
        let says_nothing = [&COLLECTIONS[..], &FILLERS, &FORMATS].concat().contains(&&*rest);
        let is_same = || named(second).is_some_and(|other| other.name == found.name);
        return (says_nothing || is_same()).then_some(found);
    }
    let all: Vec<&str> = name.split([' ', '_', '-']).filter(|word| !word.is_empty()).collect();
    let is_of = |words: &[&str], word: &&str| words.contains(&&*key(word));
    let is_behind = |word: &&str| is_of(&FILLERS, word) || is_of(&FORMATS, word);
    let start = all.iter().take_while(|word| is_of(&IN_FRONT, word) || is_behind(word)).count();
    let behind = all[start..].iter().rev().take_while(|word| is_behind(word)).count();
    let (words, is_version) = match &all[start..all.len() - behind] {
        [words @ .., last] if !words.is_empty() && is_version(last) => (words, true),
        words => (words, false),
    };
    if words.len() == all.len() {
        // Only a number may have been left out.
        return named(name);
    }
    let key = key(&words.concat());
    let found = index.get(&key).filter(|_| !NOT_SHORT.contains(&key.as_str()));
    found.copied().filter(|found| !is_version || found.kind == Kind::Arcade)
}

/// A name without the number that sorts it: `01 - NES`.
fn without_number(name: &str) -> &str {
    match name.split_once(DASH) {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => rest.trim(),
        _ => name,
    }
}

/// Whether a word is the version of a set of games: `0.78`.
fn is_version(word: &str) -> bool {
    word.contains('.')
        && word
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The platform of a name as programs and sets write it.
fn find_named(index: &HashMap<String, &'static Platform>, name: &str) -> Option<&'static Platform> {
    let name = without_brackets(name);
    if let Some(found) = index.get(&key(name)).or_else(|| index.get(&without_filler(name)?)) {
        return Some(found);
    }
    let (first, rest) = name.split_once(DASH)?;
    let maker = key(first);
    if COLLECTIONS.contains(&maker.as_str()) {
        return find_named(index, rest);
    }
    // Without the maker in front, then without what follows the platform: `Sega - Saturn - Games`.
    if let Some(found) = index.get(&key(rest)).filter(|found| maker.contains(&key(found.maker))) {
        return Some(found);
    }
    let (shorter, _) = name.rsplit_once(DASH)?;
    if shorter.contains(DASH) { find_named(index, shorter) } else { None }
}

/// The key of a name without the word for games in front of it or behind it; `None` without one.
fn without_filler(name: &str) -> Option<String> {
    let mut words: Vec<&str> =
        name.split([' ', '_', '-']).filter(|word| !word.is_empty()).collect();
    let is_filler = |word: Option<&&str>| word.is_some_and(|word| FILLERS.contains(&&*key(word)));
    if is_filler(words.last()) {
        words.pop();
    } else if is_filler(words.first()) {
        words.remove(0);
    } else {
        return None;
    }
    let rest = key(&words.concat());
    // Games of a `PC` are for any of its systems; only the folder of front ends is for one.
    (!NOT_SHORT.contains(&rest.as_str())).then_some(rest)
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
            for name in implied(platform, all()) {
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
            (&["megadrive-japan", "megadriveh", "genh"], "Sega Genesis"),
            (&["tg16cd", "pcecd"], "PC Engine CD"),
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
            (&["Sega Mega Drive", "sega_megadrive", "MegaDrive ROMs"], "Sega Genesis"),
            (&["Sega Mega-CD", "Redump - Sega - Mega CD & Sega CD"], "Sega CD"),
            (&["No-Intro - Nintendo - Game Boy (20240101-123456)", "GB roms"], "Game Boy"),
            (&["ROMs - Switch", "switch games", "Nintendo Switch Games"], "Nintendo Switch"),
            (&["Arcade - Sega - Naomi"], "Naomi"),
            (&["SNK Neo Geo MVS"], "Neo Geo"),
            (&["Microsoft MSX2+"], "MSX2"),
            (&["Atari XEGS"], "Atari 8-bit"),
            (&["Panasonic - 3DO Interactive Multiplayer"], "3DO"),
            (&["Sega CD 32X", "S32X"], "Sega 32X"),
            (&["Arcade Games", "triforce", "chihiro", "cave3rd"], "Arcade"),
            (&["genesis-slash-megadrive"], "Sega Genesis"),
            (&["turbografx16--1"], "PC Engine"),
            (&["turbografx-16-slash-pc-engine-cd"], "PC Engine CD"),
            (&["odyssey-2-slash-videopac-g7000", "ODYSSEY"], "Odyssey 2"),
            (&["sega32", "THIRTYTWOX"], "Sega 32X"),
            (&["sfam", "Nintendo SNES-SFC"], "SNES"),
            (&["Nintendo NES-Famicom"], "NES"),
            (&["Super Game Boy (SGB)", "Nintendo Super Game Boy"], "Game Boy"),
            (&["zxs", "ZXS"], "ZX Spectrum"),
            (&["acpc"], "Amstrad CPC"),
            (&["pc-9800-series"], "PC-98"),
            (&["GBA2P"], "Game Boy Advance"),
            (&["MS"], "Master System"),
            (&["POKE"], "Pokemon Mini"),
            (&["WS"], "WonderSwan"),
            (&["ATARI"], "Atari 2600"),
            (&["SEVENTYEIGHTHUNDRED"], "Atari 7800"),
            (&["FIFTYTWOHUNDRED"], "Atari 5200"),
            (&["EIGHTHUNDRED"], "Atari 8-bit"),
            (&["TIC"], "TIC-80"),
            (&["COMMODORE"], "Commodore 64"),
            (&["SEGASGONE"], "Sega SG-1000"),
            (&["FAIRCHILD"], "Channel F"),
            (&["PANASONIC"], "3DO"),
            (&["XONE"], "Sharp X1"),
            (&["prboom"], "Doom"),
            (&["PICO"], "Sega Pico"),
        ] {
            check(names, Some(platform));
        }
    }

    #[test]
    fn words_that_users_put_around_a_platform_do_not_count() {
        for (names, platform) in [
            (&["PS2 ISO", "PS2 - Sony PlayStation 2", "My PS2 games"][..], "PlayStation 2"),
            (&["PSX ISOs", "PSX - ISOs", "PS1 iso games"], "PlayStation"),
            (&["Switch NSP", "switch_xci"], "Nintendo Switch"),
            (&["N64 - Nintendo 64", "All N64 games", "07 - N64"], "Nintendo 64"),
            (&["01 - NES", "Famicom & NES"], "NES"),
            (&["NDS - No-Intro 2023", "DSiWare"], "Nintendo DS"),
            (&["My GBA Games"], "Game Boy Advance"),
            (&["eXoDOS"], "DOS"),
            (&["MAME 0.78", "MAME 0.78 ROMs"], "MAME"),
            (&["Amstrad CPC 6128"], "Amstrad CPC"),
        ] {
            check(names, Some(platform));
        }
    }

    #[test]
    fn other_folders_mean_nothing() {
        check(
            &[
                "",
                "roms",
                "Games",
                "Games Games",
                "ISO",
                "My Games",
                "All",
                "My PC",
                "PC ISO",
                "01 - ISO",
                "Doom 1.9",
                "NES & SNES",
                "SNES - NES",
                "Mario & NES",
                "PC Games",
                "Mario - Switch",
                "Mario Games",
                "Saturn Game",
                "Atari Games",
                "Commodore ROMs",
                "MS Games",
                "MS Office",
                "TIC tac",
                "[]",
                " - ",
                "Redump - ",
                "Final Fantasy",
                ")",
                "é(",
            ],
            None,
        );
    }
}
