//! Lists of front ends (`gamelist.xml`): what each element means for a row of the library.

use serde_json::{Value, json};

use super::{
    list::{ListKind, Read, RowContext},
    list_layout::{self, ListLayout},
    merge::{Policy, incoming},
    paths::{platform_of, stem},
    starters,
};
use crate::{
    base::Moment,
    formats::xml_rows::{Row, Shape},
    imports::{
        brought,
        known::{self, Paths},
    },
    model::Record,
};

/// Lists of front ends.
pub const FRONTEND: ListKind = ListKind {
    source: known::FRONTEND,
    shape: Shape { roots: &["gamelist", "game_list"], row: "game", direct: true },
    most_bytes: 32 << 20,
    lists: list_layout::lists,
    layout: ListLayout::of,
    takes_others: true,
    policy: Policy {
        prefix: "frontend:",
        paths: Paths::All,
        has_exclusions: false,
        keeps: |_| true,
    },
    read,
};

/// Elements that are copied unchanged: field and elements, the first that is there counts.
const TEXTS: [(&str, &[&str]); 11] = [
    ("sort_title", &["sortname"]),
    ("series", &["family"]),
    ("scraper_id", &["scraperid"]),
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
const FILES: [(&str, &[&str]); 9] = [
    ("cover", &["image", "thumbnail", "boxart"]),
    ("clear_logo", &["marquee"]),
    ("fanart", &["fanart"]),
    ("title_screen", &["titleshot"]),
    ("box_back", &["boxback"]),
    ("cart_front", &["cartridge"]),
    ("video_snap", &["video"]),
    ("manual", &["manual", "manualpath"]),
    ("music", &["music"]),
];

/// Elements that are flags here too.
const FLAGS: [&str; 3] = ["favorite", "hidden", "broken"];
/// The tag of a game that a front end marks as one for children.
const FOR_KIDS: &str = "Kids";

fn read(row: &Row, context: &RowContext<'_>) -> Result<Read, &'static str> {
    let written = row.first(&["path"]);
    if written.is_empty() {
        return Err("path is missing.");
    }
    let resolve = context.resolve;
    let mut record = Record::default();
    let path = resolve(written);
    let name = match row.first(&["name"]) {
        "" => stem(&path),
        name => name,
    };
    if name.is_empty() {
        return Err("name is missing.");
    }
    record.set("name", name);
    record.set("path", path.as_str());
    for (field, elements) in TEXTS {
        put(&mut record, field, row.first(elements));
    }
    starters::complete(&mut record, &context.layout.system);
    if record.is_blank("platform") {
        // Lists of front ends rarely hold it, and without it no emulator would be found.
        put(&mut record, "platform", platform_of(&path, &context.layout.system));
    }
    put_media(&mut record, row, &path, context);
    for field in FLAGS {
        if is_set(row, field) {
            record.set(field, true);
        }
    }
    if is_set(row, "kidgame") {
        record.set("tags", json!([FOR_KIDS]));
    }
    let achievements = row.first(&["cheevosid"]);
    if achievements.parse::<u32>().is_ok_and(|id| id > 0) {
        record.set("ach_game_id", achievements);
    }
    // The attribute of a row is the number of the game at the provider that it names.
    let is_of_scraper = row.attribute("source").to_lowercase().starts_with("screenscraper");
    if record.is_blank("scraper_id") && is_of_scraper {
        put(&mut record, "scraper_id", row.attribute("id"));
    }
    let languages = languages(row.first(&["lang"]));
    if !languages.is_empty() {
        record.set("languages", languages);
    }
    if is_set(row, "completed") {
        record.set("progress", "Completed");
    }
    let played: Option<u64> = row.first(&["playcount"]).parse().ok();
    if let Some(played) = played.filter(|played| *played > 0) {
        record.set("play_count", played);
    }
    let last = time(row.first(&["lastplayed"]));
    put(&mut record, "last_played", &last);
    let seconds = row.first(&["gametime"]).parse().unwrap_or(0);
    if seconds > 0 {
        brought::note(&mut record, "EmulationStation", seconds, &last);
    }
    put(&mut record, "year", &year(row.first(&["releasedate"])));
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
    record.set("source", known::FRONTEND);
    record.set("source_identity", identity.as_str());
    record.set("source_identities", json!([identity]));
    Ok(Read { incoming: incoming(record), strange: Vec::new(), emulator: String::new() })
}

/// Puts the files that the elements of a row name, and those that lie where front ends keep media.
fn put_media(record: &mut Record, row: &Row, path: &str, context: &RowContext<'_>) {
    for (field, elements) in FILES {
        let file = row.first(elements);
        if !file.is_empty() {
            record.set(field, (context.resolve)(file));
        }
    }
    for field in ListLayout::fields() {
        let file = context.layout.media_of(field, path);
        if !file.is_empty() && record.is_blank(field) {
            let is_list = field == "screenshots";
            record.set(field, if is_list { json!([file]) } else { json!(file) });
        }
    }
}

/// Languages as the library has them, of codes with commas between them: `En`, `Pt-BR`.
fn languages(text: &str) -> Vec<String> {
    let parts = text.split([',', ';', '/']).map(str::trim);
    let code = |part: &str| {
        let (language, place) = part.split_once(['-', '_']).unwrap_or((part, ""));
        let is_code =
            |code: &str| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic());
        let mut code = language.to_ascii_lowercase();
        code.get_mut(..1)?.make_ascii_uppercase();
        let place =
            if is_code(place) { format!("-{}", place.to_uppercase()) } else { String::new() };
        is_code(language).then(|| code + &place)
    };
    parts.filter_map(code).collect()
}

fn is_set(row: &Row, element: &str) -> bool {
    let value = row.first(&[element]).to_lowercase();
    ["1", "true", "yes", "on"].contains(&value.as_str())
}

/// A time as front ends write it, `20240131T235900`, as the library writes it; blank for any other.
fn time(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let is_time = text.len() == 15 && digits.len() == 14 && text.as_bytes()[8] == b'T';
    if !is_time {
        return String::new();
    }
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    let (day, clock) = (
        format!("{}-{}-{}", part(0, 4), part(4, 6), part(6, 8)),
        format!("{}:{}:{}", part(8, 10), part(10, 12), part(12, 14)),
    );
    let text = format!("{day}T{clock}");
    // Programs write the epoch, in any zone, for "never".
    let is_played = Moment::parse(&text).is_some() && part(0, 4) > "1970";
    if is_played { text } else { String::new() }
}

fn put(record: &mut Record, field: &str, value: &str) {
    if !value.is_empty() {
        record.set(field, Value::from(value));
    }
}

/// The year of a date as front ends write it, `19940312T000000` or `1994-03-12`, or of a year alone.
pub(super) fn year(date: &str) -> String {
    let digits = date.bytes().take_while(u8::is_ascii_digit).count();
    let is_dashed = digits == 4 && date.as_bytes().get(4) == Some(&b'-');
    let digits = if is_dashed { date.bytes().filter(u8::is_ascii_digit).count() } else { digits };
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

    use super::{
        super::{launchbox::Extras, options::Options},
        *,
    };
    use crate::{base::text, exports::gamelist, formats::xml_rows, model::Game};

    /// The fields a list carries, as an import of an export has them.
    fn carried(game: &Value) -> Record {
        let game = Game::from_json(&game.to_string()).expect("a game");
        let mut text = gamelist::HEAD.to_owned();
        gamelist::write(&mut text, &game, true);
        text.push_str(gamelist::TAIL);
        let mut rows = Vec::new();
        xml_rows::each(&text, FRONTEND.shape, &mut |row| rows.push(row)).expect(&text);
        assert_eq!(rows.len(), 1);
        let (options, layout) = (Options::default(), ListLayout::default());
        let context = RowContext {
            options: &options,
            layout: &layout,
            extras: &Extras::default(),
            regions: &[],
            resolve: &|path: &str| path.to_owned(),
        };
        let read = read(&rows[0], &context);
        read.expect("a game").incoming.record
    }

    proptest! {
        #[test]
        fn what_is_exported_is_imported(
            texts in prop::collection::vec("[!-~\u{e4}\u{1f600}]([ -~\n\r\u{e4}]{0,20}[!-~])?", 11),
            files in prop::collection::vec("/[ -~]{0,20}[!-~]", 10),
            year in 1_000_u16..=9_999,
            cents in 1_u32..=500,
            flags in any::<[bool; 3]>(),
        ) {
            let mut fields = serde_json::Map::new();
            let names = ["name", "platform", "genre", "developer", "publisher", "region", "description",
                "max_players", "frontend_source_id", "series"];
            for (name, text) in names.into_iter().zip(&texts) {
                fields.insert(name.to_owned(), text.as_str().into());
            }
            let places = ["path", "cover", "clear_logo", "video_snap", "manual", "music", "fanart",
                "title_screen", "box_back", "cart_front"];
            for (name, path) in places.into_iter().zip(&files) {
                fields.insert(name.to_owned(), path.as_str().into());
            }
            fields.insert("sort_title".to_owned(), text::one_line(&texts[9]).into());
            fields.insert("year".to_owned(), year.to_string().into());
            fields.insert("rating".to_owned(), (f64::from(cents) / 100.0).into());
            fields.insert("languages".to_owned(), json!(["En", "Pt-BR"]));
            fields.insert("progress".to_owned(), "Completed".into());
            fields.insert("tags".to_owned(), json!([FOR_KIDS]));
            fields.insert("ach_game_id".to_owned(), cents.to_string().into());
            fields.insert("scraper_id".to_owned(), year.to_string().into());
            fields.insert("last_played".to_owned(), "2024-01-31T20:00:00".into());
            for (name, flag) in ["favorite", "hidden", "broken"].into_iter().zip(flags) {
                if flag {
                    fields.insert(name.to_owned(), true.into());
                }
            }
            let read = carried(&Value::Object(fields.clone()));
            // A title is one line, whatever the library has.
            fields.insert("name".to_owned(), text::one_line(&texts[0]).into());
            for (name, value) in &fields {
                prop_assert_eq!(read.get(name), Some(value), "{}", name);
            }
            for name in ["favorite", "hidden", "broken"].into_iter().filter(|name| !fields.contains_key(*name)) {
                prop_assert!(read.get(name).is_none());
            }
        }
    }

    #[test]
    fn times_are_read_where_they_stand() {
        for (text, expected) in [
            ("20240131T235901", "2024-01-31T23:59:01"),
            ("20241331T235901", ""),
            ("00000000T000000", ""),
            ("19700101T000000", ""),
            ("19691231T190000", ""),
            ("19710101T000000", "1971-01-01T00:00:00"),
            ("20240131", ""),
            ("2024é131T23590", ""),
            ("", ""),
        ] {
            assert_eq!(time(text), expected, "{text}");
        }
    }

    #[test]
    fn languages_are_codes() {
        for (text, expected) in [
            ("en", &["En"][..]),
            ("en,fr, DE", &["En", "Fr", "De"]),
            ("pt_br/zh-TW", &["Pt-BR", "Zh-TW"]),
            ("english, ü, x", &[]),
            ("", &[]),
        ] {
            assert_eq!(languages(text), expected, "{text}");
        }
    }

    #[test]
    fn years_are_read_where_they_stand() {
        for (date, expected) in [
            ("19940312T000000", "1994"),
            ("19940312", "1994"),
            ("1994", "1994"),
            ("1994-03-12", "1994"),
            ("1994-03-12T00:00:00", "1994"),
            ("1994-03", ""),
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
