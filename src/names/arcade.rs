//! The titles of arcade sets by their short names, from the embedded list.

use std::sync::LazyLock;

use crate::{
    base::embedded::{DATA, File},
    platforms::{self, Kind},
};

use super::{ParsedName, ReleaseStatus, parse};

/// The console whose cartridges are sets of arcade emulators.
const NEO_GEO: &str = "Neo Geo";

/// One set of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcadeSet<'a> {
    /// Its title with the tags of its list: `1942 (Revision B)`.
    pub title: &'a str,
    /// The year of its release; blank when unknown.
    pub year: &'a str,
    /// Who made it; blank when unknown.
    pub developer: &'a str,
    /// Who released it; blank when unknown.
    pub publisher: &'a str,
    /// The status of an unlicensed release.
    pub status: Option<ReleaseStatus>,
}

/// The lines of the list: name, title, year, maker.
static SETS: LazyLock<Vec<[&str; 4]>> = LazyLock::new(|| {
    let file = File::find(&DATA, "arcade-titles.tsv");
    let text = file.and_then(|file| str::from_utf8(file.bytes()).ok()).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split('\t').collect::<Vec<_>>().try_into().ok()).collect()
});

/// The set of a short name, in any case; `None` for a name that the list does not have.
pub fn find(name: &str) -> Option<ArcadeSet<'static>> {
    let name = name.to_ascii_lowercase();
    let at = SETS.binary_search_by(|[known, ..]| (*known).cmp(name.as_str())).ok()?;
    let [_, title, year, maker] = SETS[at];
    Some(ArcadeSet::new(title, year, maker))
}

impl<'a> ArcadeSet<'a> {
    /// A set as lists describe it. Some years are guesses or spans (`1980?`, `2018-2020`), and a maker
    /// may name who licensed it.
    pub fn new(title: &'a str, year: &'a str, maker: &'a str) -> Self {
        let year = year.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
        let year = year.unwrap_or_default();
        let status = match maker.split([' ', '?']).next().unwrap_or_default() {
            "bootleg" => Some(ReleaseStatus::Pirate),
            "hack" | "Hack" => Some(ReleaseStatus::Hack),
            _ => None,
        };
        let is_unknown = status.is_some() || maker == "<unknown>";
        let maker = if is_unknown { "" } else { maker };
        // `Irem (Taito license)`: made by the first, released by the second.
        let licensed = maker.strip_suffix(" license)").and_then(|rest| rest.rsplit_once(" ("));
        let (developer, publisher) = licensed.unwrap_or((maker, maker));
        Self { title, year, developer, publisher, status }
    }
}

/// The title and tags of the stem of a file of this platform, and its set.
pub fn read(platform: &str, stem: &str) -> (ParsedName, Option<ArcadeSet<'static>>) {
    let has_sets = platforms::by_name(platform)
        .is_some_and(|known| known.kind == Kind::Arcade || known.name == NEO_GEO);
    let set = has_sets.then(|| find(stem)).flatten();
    let Some(set) = set else { return (parse(stem), None) };
    let mut parsed = parse(set.title);
    parsed.tags.release_status = parsed.tags.release_status.or(set.status);
    (parsed, Some(set))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_found() {
        assert!(SETS.len() > 12_000, "{}", SETS.len());
        assert!(SETS.is_sorted(), "a search needs the order");
        for [name, title, ..] in &*SETS {
            assert_eq!(find(name).map(|set| set.title), Some(*title), "{name}");
        }
        assert!(File::find(&DATA, "arcade-titles.tsv").expect("packed").gzip.len() < 350_000);
    }

    #[test]
    fn a_set_has_title_year_and_makers() {
        let set = |name: &str| {
            let set = find(name)?;
            Some((set.title, set.year, set.developer, set.publisher, set.status))
        };
        assert_eq!(set("1942"), Some(("1942 (Revision B)", "1984", "Capcom", "Capcom", None)));
        assert_eq!(
            set("10YARD85"),
            Some(("10-Yard Fight '85 (US, Taito license)", "1985", "Irem", "Taito", None))
        );
        let pirate = Some(ReleaseStatus::Pirate);
        assert_eq!(set("1942abl"), Some(("1942 (Revision A, bootleg)", "1984", "", "", pirate)));
        assert_eq!(set("no such set"), None);
    }
}
