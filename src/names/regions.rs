//! The regions that names of files mention, with the areas they belong to.

/// A part of the world whose releases play alike, in the order in which they are preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Area {
    World,
    NorthAmerica,
    Europe,
    Japan,
    Asia,
    Elsewhere,
}

/// One region.
#[derive(Debug, PartialEq, Eq)]
pub struct Region {
    /// Its name, as the field `region` of a game has it.
    pub name: &'static str,
    /// Its area.
    pub area: Area,
    /// Its other full names and long codes, in lower case.
    others: &'static [&'static str],
    /// Its country code in sets that write `(US)` or `(EU-US)`; blank when it has none.
    code: &'static str,
}

const fn region(
    name: &'static str,
    area: Area,
    others: &'static [&'static str],
    code: &'static str,
) -> Region {
    Region { name, area, others, code }
}

/// Every region. Those that cover their whole area come first in it.
const REGIONS: &[Region] = &[
    region("World", Area::World, &["global", "worldwide"], ""),
    region("USA", Area::NorthAmerica, &["us", "united states"], "US"),
    region("North America", Area::NorthAmerica, &[], ""),
    region("Canada", Area::NorthAmerica, &[], "CA"),
    region("Europe", Area::Europe, &["eur"], "EU"),
    region("Austria", Area::Europe, &[], "AT"),
    region("Belgium", Area::Europe, &[], "BE"),
    region("Bulgaria", Area::Europe, &[], "BG"),
    region("Croatia", Area::Europe, &[], "HR"),
    region("Czech Republic", Area::Europe, &["czech", "czechia"], "CZ"),
    region("Denmark", Area::Europe, &[], "DK"),
    region("Estonia", Area::Europe, &[], "EE"),
    region("Finland", Area::Europe, &[], "FI"),
    region("France", Area::Europe, &[], "FR"),
    region("Germany", Area::Europe, &["ger"], "DE"),
    region("Greece", Area::Europe, &[], "GR"),
    region("Hungary", Area::Europe, &[], "HU"),
    region("Iceland", Area::Europe, &[], "IS"),
    region("Ireland", Area::Europe, &[], "IE"),
    region("Italy", Area::Europe, &[], "IT"),
    region("Latvia", Area::Europe, &[], "LV"),
    region("Lithuania", Area::Europe, &[], "LT"),
    region("Netherlands", Area::Europe, &[], "NL"),
    region("Norway", Area::Europe, &[], "NO"),
    region("Poland", Area::Europe, &[], "PL"),
    region("Portugal", Area::Europe, &[], "PT"),
    region("Romania", Area::Europe, &[], "RO"),
    region("Russia", Area::Europe, &[], "RU"),
    region("Scandinavia", Area::Europe, &[], ""),
    region("Serbia", Area::Europe, &[], "RS"),
    region("Slovakia", Area::Europe, &[], "SK"),
    region("Slovenia", Area::Europe, &[], "SI"),
    region("Spain", Area::Europe, &[], "ES"),
    region("Sweden", Area::Europe, &[], "SE"),
    region("Switzerland", Area::Europe, &[], "CH"),
    region("Turkey", Area::Europe, &[], "TR"),
    region("UK", Area::Europe, &["united kingdom"], "GB"),
    region("Ukraine", Area::Europe, &[], "UA"),
    region("Yugoslavia", Area::Europe, &[], "YU"),
    region("Japan", Area::Japan, &["jpn"], "JP"),
    region("Asia", Area::Asia, &[], "AS"),
    region("China", Area::Asia, &[], "CN"),
    region("Hong Kong", Area::Asia, &[], "HK"),
    region("India", Area::Asia, &[], "IN"),
    region("Indonesia", Area::Asia, &[], "ID"),
    region("Korea", Area::Asia, &["south korea"], "KR"),
    region("Malaysia", Area::Asia, &[], "MY"),
    region("Philippines", Area::Asia, &[], "PH"),
    region("Singapore", Area::Asia, &[], "SG"),
    region("Taiwan", Area::Asia, &[], "TW"),
    region("Thailand", Area::Asia, &[], "TH"),
    region("Vietnam", Area::Asia, &[], "VN"),
    region("Argentina", Area::Elsewhere, &[], "AR"),
    region("Australia", Area::Elsewhere, &[], "AU"),
    region("Brazil", Area::Elsewhere, &[], "BR"),
    region("Chile", Area::Elsewhere, &[], "CL"),
    region("Israel", Area::Elsewhere, &[], "IL"),
    region("Latin America", Area::Elsewhere, &[], ""),
    region("Mexico", Area::Elsewhere, &[], "MX"),
    region("New Zealand", Area::Elsewhere, &[], "NZ"),
    region("South Africa", Area::Elsewhere, &[], "ZA"),
    region("South America", Area::Elsewhere, &[], ""),
    region("United Arab Emirates", Area::Elsewhere, &[], "AE"),
];

/// The letters that sets of one character a region write, such as `(U)` and `(JU)`, one region each.
const LETTERS: [(char, &str); 12] = [
    ('U', "USA"),
    ('E', "Europe"),
    ('J', "Japan"),
    ('W', "World"),
    ('A', "Australia"),
    ('B', "Brazil"),
    ('C', "China"),
    ('F', "France"),
    ('G', "Germany"),
    ('I', "Italy"),
    ('K', "Korea"),
    ('S', "Spain"),
];

/// Numbers that the sets with letters write for regions with one norm of pictures.
const NUMBERS: [(&str, [&str; 2]); 2] = [("1", ["Japan", "Korea"]), ("4", ["USA", "Brazil"])];

/// Letters that stand together; others, such as `(FC)`, are not regions.
const JOINED: [&str; 7] = ["UE", "EU", "JU", "UJ", "JE", "JUE", "UJE"];

impl Region {
    /// Whether it covers all of its area, so that it is preferred to a part of it.
    pub fn is_whole_area(&self) -> bool {
        matches!(self.name, "World" | "USA" | "North America" | "Europe" | "Japan" | "Asia")
    }
}

/// The region of this full name or long code, whatever the case.
pub fn by_name(name: &str) -> Option<&'static Region> {
    let name = name.trim();
    let is_named = |region: &&Region| {
        region.name.eq_ignore_ascii_case(name)
            || region.others.iter().any(|other| other.eq_ignore_ascii_case(name))
    };
    REGIONS.iter().find(is_named)
}

/// The regions of a tag of country codes: `US`, `EU-US`. `None` unless all of them are codes.
pub fn by_codes(tag: &str) -> Option<Vec<&'static Region>> {
    tag.split('-')
        .map(|code| REGIONS.iter().find(|region| !code.is_empty() && region.code == code))
        .collect()
}

/// The regions of a tag of single letters: `U`, `JU`, `Ch`.
pub fn by_letters(tag: &str) -> Option<Vec<&'static Region>> {
    let whole = match tag {
        "UK" => Some(tag),
        "Ch" => Some("China"),
        _ => None,
    };
    if let Some(name) = whole {
        return by_name(name).map(|region| vec![region]);
    }
    if tag.chars().count() != 1 && !JOINED.contains(&tag) {
        return None;
    }
    let of_letter = |letter| LETTERS.iter().find(|(known, _)| *known == letter);
    tag.chars().map(|letter| by_name(of_letter(letter)?.1)).collect()
}

/// The regions of a number in the sets with letters.
pub fn by_number(tag: &str) -> Option<Vec<&'static Region>> {
    let (_, names) = NUMBERS.iter().find(|(number, _)| *number == tag)?;
    names.iter().map(|name| by_name(name)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_and_code_means_one_region() {
        let mut seen = HashSet::new();
        for region in REGIONS {
            assert!(seen.insert(region.name.to_lowercase()), "{}", region.name);
            for other in region.others {
                assert!(seen.insert((*other).to_owned()), "{other}");
            }
        }
        let mut codes = HashSet::new();
        for region in REGIONS.iter().filter(|region| !region.code.is_empty()) {
            assert!(codes.insert(region.code), "{}", region.code);
        }
        let of_numbers = NUMBERS.iter().flat_map(|(_, names)| names);
        for name in LETTERS.iter().map(|(_, name)| name).chain(of_numbers) {
            assert!(by_name(name).is_some(), "{name}");
        }
    }

    #[track_caller]
    fn check(found: Option<Vec<&Region>>, expected: Option<&[&str]>) {
        let names = found.map(|found| found.iter().map(|region| region.name).collect::<Vec<_>>());
        assert_eq!(names.as_deref(), expected);
    }

    #[test]
    fn codes_and_letters_name_regions() {
        check(by_codes("US"), Some(&["USA"]));
        check(by_codes("EU-US"), Some(&["Europe", "USA"]));
        check(by_codes("EU-XX"), None);
        check(by_codes(""), None);
        check(by_codes("us"), None);
        check(by_letters("U"), Some(&["USA"]));
        check(by_letters("JUE"), Some(&["Japan", "USA", "Europe"]));
        check(by_letters("UK"), Some(&["UK"]));
        check(by_letters("Ch"), Some(&["China"]));
        check(by_letters("CH"), None);
        check(by_number("4"), Some(&["USA", "Brazil"]));
        check(by_number("2"), None);
        check(by_letters("FC"), None);
        check(by_letters("X"), None);
    }
}
