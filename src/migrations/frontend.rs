//! Lists of front ends (`gamelist.xml`): what each element means for a row of the library.

use serde_json::{Value, json};

use super::{
    import::{ListKind, Read},
    merge::{Policy, incoming},
    options::Options,
};
use crate::{
    formats::xml_rows::{Row, Shape},
    imports::{extensions, known::Paths},
    model::Record,
};

/// Lists of front ends.
pub const FRONTEND: ListKind = ListKind {
    source: "frontend",
    shape: Shape { roots: &["gamelist", "game_list"], row: "game", direct: true },
    most_bytes: 32 << 20,
    policy: Policy {
        prefix: "frontend:",
        paths: Paths::All,
        has_exclusions: false,
        keeps: |_| true,
    },
    read,
};

/// Elements that are taken over as they stand: field and elements, the first that is there counts.
const TEXTS: [(&str, &[&str]); 8] = [
    ("platform", &["system"]),
    ("genre", &["genre"]),
    ("developer", &["developer"]),
    ("publisher", &["publisher"]),
    ("region", &["region"]),
    ("description", &["desc", "description"]),
    ("max_players", &["players"]),
    ("frontend_source_id", &["id"]),
];
/// Elements that name files.
const FILES: [(&str, &[&str]); 5] = [
    ("cover", &["image", "thumbnail"]),
    ("clear_logo", &["marquee"]),
    ("video_snap", &["video"]),
    ("manual", &["manual", "manualpath"]),
    ("music", &["music"]),
];

fn read(row: &Row, _: &Options, resolve: &dyn Fn(&str) -> String) -> Result<Read, &'static str> {
    let name = row.first(&["name"]);
    let path = row.first(&["path"]);
    if name.is_empty() || path.is_empty() {
        return Err(if name.is_empty() { "name is missing." } else { "path is missing." });
    }
    let mut record = Record::default();
    record.set("name", name);
    let path = resolve(path);
    record.set("path", path.as_str());
    for (field, elements) in TEXTS {
        put(&mut record, field, row.first(elements));
    }
    if record.is_blank("platform") {
        // Lists of front ends seldom say it, and without it no emulator would be found.
        put(&mut record, "platform", platform_of(&path));
    }
    for (field, elements) in FILES {
        let file = row.first(elements);
        if !file.is_empty() {
            record.set(field, resolve(file));
        }
    }
    put(&mut record, "year", &year(row.first(&["releasedate"])));
    for field in ["favorite", "hidden"] {
        let value = row.first(&[field]).to_lowercase();
        if ["1", "true", "yes", "on"].contains(&value.as_str()) {
            record.set(field, true);
        }
    }
    let rating: Option<f64> = row.first(&["rating"]).parse().ok();
    // Front ends count from 0 to 1; a larger number is one of stars already.
    let stars = rating.map(|rating| if rating <= 1.0 { rating * 5.0 } else { rating });
    if let Some(stars) = stars.filter(|stars| (0.0..=5.0).contains(stars) && *stars > 0.0) {
        record.set("rating", (stars * 100.0).round() / 100.0);
    }
    let identity = match record.text("frontend_source_id") {
        "" => format!("frontend:path:{path}"),
        id => format!("frontend:{id}"),
    };
    record.set("source", "frontend");
    record.set("source_identity", identity.as_str());
    record.set("source_identities", json!([identity]));
    Ok(Read { incoming: incoming(record), strange: Vec::new(), emulator: String::new() })
}

/// The platform a file means by its ending alone; empty when several machines share the ending.
fn platform_of(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let platform = extensions::find(name.as_bytes()).map_or("", |found| found.platform);
    if [extensions::UNKNOWN_PLATFORM, extensions::DISC_IMAGE].contains(&platform) {
        ""
    } else {
        platform
    }
}

fn put(record: &mut Record, field: &str, value: &str) {
    if !value.is_empty() {
        record.set(field, Value::from(value));
    }
}

/// The year of a date as front ends write it, `19940312T000000`, or of a year alone.
pub(super) fn year(date: &str) -> String {
    let digits = date.bytes().take_while(u8::is_ascii_digit).count();
    let is_date = digits >= 8 || date.len() == 4 && digits == 4;
    let year = if is_date { date.get(..4).unwrap_or("") } else { "" };
    match year.parse::<u16>() {
        Ok(number) if (1_000..=9_999).contains(&number) => year.to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{exports::gamelist, formats::xml_rows, model::Game};

    /// The fields a list carries, as an import of an export has them.
    fn carried(game: &Value) -> Record {
        let game = Game::from_json(&game.to_string()).expect("a game");
        let mut text = gamelist::HEAD.to_owned();
        gamelist::write(&mut text, &game, true);
        text.push_str(gamelist::TAIL);
        let mut rows = Vec::new();
        xml_rows::each(&text, FRONTEND.shape, &mut |row| rows.push(row)).expect(&text);
        assert_eq!(rows.len(), 1);
        let read = read(&rows[0], &Options::default(), &|path: &str| path.to_owned());
        read.expect("a game").incoming.record
    }

    proptest! {
        #[test]
        fn what_is_exported_is_imported(
            texts in prop::collection::vec("[!-~\u{e4}\u{1f600}]([ -~\n\r\u{e4}]{0,20}[!-~])?", 11),
            files in prop::collection::vec("/[ -~]{0,20}[!-~]", 6),
            year in 1_000_u16..=9_999,
            cents in 1_u32..=500,
            flags in any::<[bool; 2]>(),
        ) {
            let mut fields = serde_json::Map::new();
            let names = ["name", "platform", "genre", "developer", "publisher", "region", "description",
                "max_players", "frontend_source_id"];
            for (name, text) in names.into_iter().zip(&texts) {
                fields.insert(name.to_owned(), text.as_str().into());
            }
            let places = ["path", "cover", "clear_logo", "video_snap", "manual", "music"];
            for (name, path) in places.into_iter().zip(&files) {
                fields.insert(name.to_owned(), path.as_str().into());
            }
            fields.insert("year".to_owned(), year.to_string().into());
            fields.insert("rating".to_owned(), (f64::from(cents) / 100.0).into());
            for (name, flag) in ["favorite", "hidden"].into_iter().zip(flags) {
                if flag {
                    fields.insert(name.to_owned(), true.into());
                }
            }
            let read = carried(&Value::Object(fields.clone()));
            for (name, value) in &fields {
                prop_assert_eq!(read.get(name), Some(value), "{}", name);
            }
            for name in ["favorite", "hidden"].into_iter().filter(|name| !fields.contains_key(*name)) {
                prop_assert!(read.get(name).is_none());
            }
        }
    }

    #[test]
    fn a_file_that_can_be_of_one_machine_only_says_so() {
        for (path, expected) in [
            ("/r/a.nes", "NES"),
            ("/r/A.GBA", "Game Boy Advance"),
            ("/r/a.zip", ""),
            ("/r/a.iso", ""),
            ("/r.nes/a", ""),
        ] {
            assert_eq!(platform_of(path), expected, "{path}");
        }
    }

    #[test]
    fn years_are_read_where_they_stand() {
        for (date, expected) in [
            ("19940312T000000", "1994"),
            ("19940312", "1994"),
            ("1994", "1994"),
            ("199403", ""),
            ("0000", ""),
            ("00000000T000000", ""),
            ("94", ""),
            ("not-a-date", ""),
            ("", ""),
        ] {
            assert_eq!(year(date), expected, "{date}");
        }
    }
}
