//! The tags behind a title.

use super::{
    regions::{self, Area, Region},
    version,
};

/// The tags of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    /// The regions in the order of the name, each once.
    pub regions: Vec<&'static Region>,
    /// Languages by their codes in the order of the name: `En`, `Pt-BR`.
    pub languages: Vec<String>,
    /// The revision or version as the name has it: `Rev 1`, `v1.2`.
    pub revision: Option<String>,
    /// What keeps the file from being a finished release of its maker.
    pub release_status: Option<ReleaseStatus>,
    /// What is known of the copy.
    pub dump_status: Option<DumpStatus>,
    /// The year of sets that write one: `1987`.
    pub release_year: Option<u16>,
    /// Whether a tag says that the text is English, which counts like a release of North America.
    pub is_english: bool,
}

/// What keeps a file from being a finished release of its maker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReleaseStatus {
    Unlicensed,
    Aftermarket,
    Pirate,
    Translation,
    Hack,
    Sample,
    Demo,
    Proto,
    Beta,
}

impl ReleaseStatus {
    /// The value of the field `release_status`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unlicensed => "unlicensed",
            Self::Aftermarket => "aftermarket",
            Self::Pirate => "pirate",
            Self::Translation => "translation",
            Self::Hack => "hack",
            Self::Sample => "sample",
            Self::Demo => "demo",
            Self::Proto => "proto",
            Self::Beta => "beta",
        }
    }
}

/// What is known of a copy, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DumpStatus {
    Verified,
    Fixed,
    Alternate,
    Cracked,
    Trained,
    Modified,
    Overdump,
    Underdump,
    Bad,
}

impl DumpStatus {
    /// The value of the field `dump_status`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Fixed => "fixed",
            Self::Alternate => "alternate",
            Self::Cracked => "cracked",
            Self::Trained => "trained",
            Self::Modified => "modified",
            Self::Overdump => "overdump",
            Self::Underdump => "underdump",
            Self::Bad => "bad",
        }
    }
}

impl Tags {
    /// The regions as the field `region` has them: `USA, Europe`.
    pub fn region_text(&self) -> String {
        self.regions.iter().map(|region| region.name).collect::<Vec<_>>().join(", ")
    }

    /// The best area of the regions.
    pub fn area(&self) -> Option<Area> {
        let english = self.is_english.then_some(Area::NorthAmerica);
        self.regions.iter().map(|region| region.area).chain(english).min()
    }

    /// The numbers of the revision, to compare revisions of one game: letters count from 1, no
    /// revision is the lowest.
    pub fn revision_numbers(&self) -> Vec<u32> {
        let text = self.revision.as_deref().unwrap_or_default();
        let bare = text.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        if bare.is_empty() {
            let last = text.chars().next_back().filter(char::is_ascii_alphabetic);
            return last
                .map(|letter| vec![letter.to_ascii_lowercase() as u32 - 'a' as u32 + 1])
                .unwrap_or_default();
        }
        let mut numbers = Vec::new();
        let kinds = |letter: &u8| (letter.is_ascii_digit(), letter.is_ascii_alphabetic());
        for run in bare.as_bytes().chunk_by(|a, b| kinds(a) == kinds(b)) {
            if run[0].is_ascii_digit() {
                let digits = std::str::from_utf8(run).unwrap_or_default();
                numbers.push(digits.parse().unwrap_or(u32::MAX));
            } else if run[0].is_ascii_alphabetic() {
                let number = |letter: &u8| u32::from(letter.to_ascii_lowercase() - b'a') + 1;
                numbers.extend(run.iter().map(number));
            }
        }
        numbers
    }
}

/// One tag: its text, and whether it stands in square brackets.
#[derive(Clone, Copy, Debug)]
struct Tag<'a> {
    text: &'a str,
    is_square: bool,
    /// Whether the next tag follows without a blank.
    is_followed: bool,
}

/// Cuts the text at its tags: each plain part with the tag behind it. A bracket that is never closed
/// is text.
fn cut(text: &str) -> impl Iterator<Item = (&str, Option<Tag<'_>>)> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let whole = rest?;
        let mut from = 0;
        while let Some(found) = whole[from..].find(['(', '[']) {
            let open = from + found;
            let is_square = whole[open..].starts_with('[');
            let close = if is_square { ']' } else { ')' };
            if let Some(length) = whole[open..].find(close) {
                let after = &whole[open + length + 1..];
                rest = Some(after);
                let tag = Tag {
                    text: whole[open + 1..open + length].trim(),
                    is_square,
                    is_followed: after.starts_with('('),
                };
                return Some((&whole[..open], Some(tag)));
            }
            from = open + 1;
        }
        rest = None;
        Some((whole, None))
    })
}

/// The text without its tags.
pub(super) fn without(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    for (part, tag) in cut(text) {
        bare.push_str(part);
        if tag.is_some() {
            bare.push(' ');
        }
    }
    bare
}

/// Whether the name is one of a set that writes dates and publishers: `(1987)(Publisher)`.
pub(super) fn is_dated(stem: &str) -> bool {
    cut(stem).any(|(_, tag)| tag.is_some_and(is_date_of_set))
}

fn is_date_of_set(tag: Tag<'_>) -> bool {
    !tag.is_square && tag.is_followed && is_date(tag.text)
}

/// Whether the text is a date as those sets write it: `1987`, `1987-05-01`, `19xx`.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let is_part = |part: &str, length| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x')
    };
    parts
        .next()
        .is_some_and(|year| is_part(year, 4) && (year.starts_with("19") || year.starts_with("20")))
        && parts.all(|part| is_part(part, 2))
}

/// The tags of a stem, and the version after its title.
pub(super) fn read(stem: &str) -> (Tags, Option<String>) {
    let stem = stem.replace('_', " ");
    let is_dated = is_dated(&stem);
    let mut tags = Tags::default();
    let mut behind_title = None;
    let mut is_publisher = false;
    for (part, tag) in cut(&stem) {
        let found = version::split(part.trim(), is_dated).1;
        behind_title = behind_title.or_else(|| Some(found?.to_owned()));
        let Some(tag) = tag else { continue };
        if is_publisher {
            is_publisher = false;
            continue;
        }
        if is_date_of_set(tag) {
            tags.release_year = tag.text[..4].parse().ok();
            is_publisher = true;
        } else {
            read_tag(&mut tags, tag, is_dated);
        }
    }
    if tags.regions.is_empty() && !is_dated {
        tags.regions = regions_of_number(&stem);
    }
    (tags, behind_title)
}

/// The regions that a number stands for, in a name whose copy is marked as in sets with letters: `G (4) [!]`.
/// Without such a mark it is the number of a copy.
fn regions_of_number(stem: &str) -> Vec<&'static Region> {
    let tags = || cut(stem).filter_map(|(_, tag)| tag);
    let is_marked = tags().any(|tag| tag.is_square && dump_status(tag).is_some());
    let mut numbers = tags().filter(|tag| is_marked && !tag.is_square);
    numbers.find_map(|tag| regions::by_number(tag.text)).unwrap_or_default()
}

fn read_tag(tags: &mut Tags, tag: Tag<'_>, is_dated: bool) {
    if let Some(status) = dump_status(tag) {
        tags.dump_status = tags.dump_status.max(Some(status));
    } else if let Some(status) = release_status(tag) {
        tags.release_status = tags.release_status.max(Some(status));
    } else if let Some(revision) = revision(tag.text) {
        tags.revision.get_or_insert_with(|| revision.to_owned());
    } else if let Some(found) = regions_of(tag, is_dated, tags.regions.is_empty()) {
        for region in found {
            if !tags.regions.contains(&region) {
                tags.regions.push(region);
            }
        }
    } else if let Some(found) = languages(tag.text, is_dated) {
        tags.is_english |= tag.text.eq_ignore_ascii_case("english");
        tags.languages.extend(found);
    }
}

/// The kind of copy in a tag.
fn dump_status(tag: Tag<'_>) -> Option<DumpStatus> {
    if !tag.is_square {
        let number = tag.text.strip_prefix("Alt");
        let is_alternate = |number: &str| {
            number.starts_with(' ') || number.bytes().all(|byte| byte.is_ascii_digit())
        };
        return number.is_some_and(is_alternate).then_some(DumpStatus::Alternate);
    }
    let word = tag.text.split([' ', '+']).next().unwrap_or_default();
    let kind = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    match kind {
        "!" => Some(DumpStatus::Verified),
        "f" => Some(DumpStatus::Fixed),
        "a" => Some(DumpStatus::Alternate),
        "cr" => Some(DumpStatus::Cracked),
        "t" => Some(DumpStatus::Trained),
        "m" => Some(DumpStatus::Modified),
        "o" => Some(DumpStatus::Overdump),
        "u" => Some(DumpStatus::Underdump),
        "b" => Some(DumpStatus::Bad),
        _ => None,
    }
}

/// The release status in a tag.
fn release_status(tag: Tag<'_>) -> Option<ReleaseStatus> {
    let text = tag.text.to_lowercase();
    if tag.is_square {
        // Hacks name their kind: `[h1C]`, `[hIR00]`, `[h Someone]`.
        let mut letters = tag.text.chars();
        let first = letters.next();
        let second = letters.next();
        let is_bare = second.is_none_or(|letter| letter.is_ascii_digit() || letter == ' ');
        return match first {
            Some('p') if is_bare => Some(ReleaseStatus::Pirate),
            Some('h') if is_bare || second.is_some_and(|letter| letter.is_ascii_uppercase()) => {
                Some(ReleaseStatus::Hack)
            }
            Some('T') if matches!(second, Some('+' | '-')) => Some(ReleaseStatus::Translation),
            Some('t') if text == "tr" || text.starts_with("tr ") => {
                Some(ReleaseStatus::Translation)
            }
            _ if text.starts_with("hack") => Some(ReleaseStatus::Hack),
            _ => None,
        };
    }
    let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric()).collect();
    let has = |word: &str| words.contains(&word);
    let (first, last) = (words[0], words[words.len() - 1]);
    if first == "beta" || first == "alpha" || last == "preview" || text == "pre-release" {
        Some(ReleaseStatus::Beta)
    } else if first.starts_with("proto") || text.starts_with("possible proto") {
        Some(ReleaseStatus::Proto)
    } else if first == "demo"
        || has("kiosk")
        || has("taikenban")
        || first == "trial"
        || last == "demo"
    {
        Some(ReleaseStatus::Demo)
    } else if first == "sample" || last == "sample" {
        Some(ReleaseStatus::Sample)
    } else if first == "hack" || last == "hack" {
        Some(ReleaseStatus::Hack)
    } else if first == "translation"
        || first == "translated"
        || text.starts_with("t-")
        || text.starts_with("t+")
    {
        Some(ReleaseStatus::Translation)
    } else if first == "pirate" {
        Some(ReleaseStatus::Pirate)
    } else if first == "aftermarket" || first == "homebrew" {
        Some(ReleaseStatus::Aftermarket)
    } else if first == "unl" || first == "unlicensed" {
        Some(ReleaseStatus::Unlicensed)
    } else {
        None
    }
}

/// The revision that a tag is: `Rev 1`, `REVA`, `v1.1`, `Version 1.1`, `PRG1`, or the one before a date
/// (`v1.0.3, 2009-11`).
fn revision(text: &str) -> Option<&str> {
    let dated = text.rsplit_once(' ').filter(|(_, date)| date.contains('-') && is_date(date));
    let version = dated.map_or(text, |(version, _)| version.trim_end_matches([' ', ',']));
    if let Some(number) = version.strip_prefix("Version ") {
        return version::is_number(number).then_some(version);
    }
    if let Some(number) = version.strip_prefix(['v', 'V']) {
        // Some count the releases of a version: `v1.0r3`.
        let bare = number.split_once('r').filter(|(_, release)| version::is_number(release));
        let number = bare.map_or(number, |(number, _)| number);
        return version::is_number(number).then_some(version);
    }
    let lower = text.to_ascii_lowercase();
    let number = lower.strip_prefix("rev").or_else(|| lower.strip_prefix("prg"))?;
    let number = number.trim_start_matches([' ', '-', '.']);
    let is_revision = !number.is_empty()
        && (version::is_number(number) || number.len() == 1)
        && number.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
    is_revision.then_some(text)
}

/// The regions a tag names; `None` when it names none. Only the first tag with a region may have other
/// words behind it.
fn regions_of(tag: Tag<'_>, is_dated: bool, is_first: bool) -> Option<Vec<&'static Region>> {
    let text = tag.text;
    if is_dated
        && !tag.is_square
        && let Some(found) = regions::by_codes(text)
    {
        return Some(found);
    }
    let named = |text: &'_ str, separators: &'_ [char]| -> Vec<&'static Region> {
        text.split(separators).filter_map(regions::by_name).collect()
    };
    let found = named(text, &[',', '/', '&', '+']);
    if !found.is_empty() {
        return Some(found);
    }
    // In square brackets letters describe the copy: `[C]` is one for colour, `[S]` for the older.
    if !is_dated
        && !tag.is_square
        && let Some(found) = regions::by_letters(text)
    {
        return Some(found);
    }
    // A region before another word: `USA Version`. Behind one it is part of a name: `Data East USA`.
    let first = text.split(|letter: char| !letter.is_alphanumeric()).next()?;
    let region = regions::by_name(first).filter(|_| first.len() > 2 && !is_dated && is_first)?;
    Some(vec![region])
}

/// The codes of languages that tags use.
const LANGUAGES: [&str; 65] = [
    "af", "ar", "be", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "eo", "es", "et",
    "eu", "fa", "fi", "fo", "fr", "ga", "gd", "gl", "he", "hi", "hr", "hu", "hy", "id", "is", "it",
    "ja", "ka", "kk", "ko", "la", "lt", "lv", "mk", "mn", "ms", "mt", "nl", "no", "pa", "pl", "pt",
    "ro", "ru", "sk", "sl", "sq", "sr", "sv", "ta", "te", "th", "tl", "tr", "uk", "ur", "vi", "zh",
    "zu",
];
/// Codes that are words too: alone in a tag they are not codes.
const WORDS: [&str; 5] = ["be", "hi", "pa", "ta", "te"];

/// The languages of a tag: `En,Fr`, `En+De`, `Zh-Hans`; `en-ja` in sets with dates. `None` unless all
/// its parts are languages.
fn languages(text: &str, is_dated: bool) -> Option<Vec<String>> {
    if text.eq_ignore_ascii_case("english") {
        return Some(vec!["En".to_owned()]);
    }
    if WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return None;
    }
    let separators: &[char] = if is_dated { &['-', ','] } else { &[',', '+'] };
    let language = |part: &str| {
        let part = part.trim();
        let code = part.split('-').next().unwrap_or_default();
        let is_code = code.len() == 2
            && LANGUAGES.contains(&code.to_ascii_lowercase().as_str())
            && code.as_bytes()[1].is_ascii_lowercase()
            && code.as_bytes()[0].is_ascii_lowercase() == is_dated;
        // OK because the code is two ASCII letters.
        is_code.then(|| format!("{}{}", part[..1].to_ascii_uppercase(), &part[1..]))
    };
    text.split(separators).map(language).collect()
}
