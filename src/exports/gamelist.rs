//! A library as the list front ends read (`gamelist.xml`), one game an element.
//!
//! What is written is what an import of such a list reads. No file is copied: paths are written as
//! they are stored. Games without an absolute path are left out, because no front end could start
//! them.

use serde_json::Value;

use crate::model::{Game, Record};

/// What stands before the games.
pub const HEAD: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<gameList>\n";
/// What stands behind them.
pub const TAIL: &str = "</gameList>\n";

/// Elements that are taken from a field as it stands.
const TEXTS: [(&str, &str); 12] = [
    ("sortname", "sort_title"),
    ("family", "series"),
    ("desc", "description"),
    ("developer", "developer"),
    ("publisher", "publisher"),
    ("genre", "genre"),
    ("region", "region"),
    ("players", "max_players"),
    ("system", "platform"),
    ("id", "frontend_source_id"),
    ("scraperId", "scraper_id"),
    ("cheevosId", "ach_game_id"),
];
/// Elements that name files.
const FILES: [(&str, &str); 9] = [
    ("image", "cover"),
    ("marquee", "clear_logo"),
    ("fanart", "fanart"),
    ("titleshot", "title_screen"),
    ("boxback", "box_back"),
    ("cartridge", "cart_front"),
    ("video", "video_snap"),
    ("manual", "manual"),
    ("music", "music"),
];

/// The tag of a game for children.
const FOR_KIDS: &str = "Kids";
/// The progress of a game that was played to its end.
const COMPLETED: &str = "Completed";

/// Whether a game can stand in a list.
pub fn takes(game: &Game) -> bool {
    game.path().trim().starts_with('/') && !game.name().trim().is_empty()
}

/// Appends a game, with the paths of its media where they are wanted.
pub fn write(out: &mut String, game: &Game, include_media_paths: bool) {
    let record = game.record();
    out.push_str("\t<game>\n");
    element(out, "path", game.path());
    element(out, "name", game.name());
    for (name, field) in TEXTS {
        element(out, name, &record.shown(field));
    }
    let year = record.shown("year");
    if year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit()) {
        element(out, "releasedate", &format!("{year}0101T000000"));
    }
    if let Some(rating) = rating(&record) {
        element(out, "rating", &rating);
    }
    for field in ["favorite", "hidden", "broken"] {
        if record.flag(field) {
            element(out, field, "true");
        }
    }
    write_marks(out, &record);
    let played = record.get("play_count").and_then(Value::as_u64).filter(|count| *count > 0);
    if let Some(played) = played {
        element(out, "playcount", &played.to_string());
    }
    let moment = record.text("last_played").get(..19).unwrap_or_default();
    if moment.is_ascii() {
        element(out, "lastplayed", &moment.replace(['-', ':'], ""));
    }
    let seconds = record.count("playtime_seconds").saturating_add(game.manual_playtime_seconds());
    if seconds > 0 {
        element(out, "gametime", &seconds.to_string());
    }
    if include_media_paths {
        for (name, field) in FILES {
            element(out, name, record.text(field));
        }
    }
    out.push_str("\t</game>\n");
}

/// Marks of front ends that the library stores in another form.
fn write_marks(out: &mut String, record: &Record) {
    let languages: Vec<String> = record.texts("languages").map(str::to_lowercase).collect();
    element(out, "lang", &languages.join(","));
    if record.texts("tags").any(|tag| tag.eq_ignore_ascii_case(FOR_KIDS)) {
        element(out, "kidgame", "true");
    }
    if record.text("progress") == COMPLETED {
        element(out, "completed", "true");
    }
}

/// The stars of a game from 0 to 1, as front ends count.
fn rating(record: &Record) -> Option<String> {
    let stars = record.get("rating")?.as_f64().filter(|stars| *stars > 0.0 && *stars <= 5.0)?;
    Some(format!("{:.4}", stars / 5.0))
}

/// An element with a text; a blank one is left out.
fn element(out: &mut String, name: &str, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    out.push_str("\t\t<");
    out.push_str(name);
    out.push('>');
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Readers make a line feed of it.
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(letter),
            // No XML document may hold these, also not as a reference.
            '\u{fffe}' | '\u{ffff}' => {}
            letter if u32::from(letter) < 0x20 => {}
            letter => out.push(letter),
        }
    }
    out.push_str("</");
    out.push_str(name);
    out.push_str(">\n");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn game(fields: Value) -> Game {
        Game::from_json(&fields.to_string()).expect("a game")
    }

    #[test]
    fn a_game_is_written_with_what_it_has() {
        let full = game(json!({
            "game_id": "a", "name": "A & <B>", "path": "/r/a.nes", "platform": "NES", "year": "1994",
            "rating": 4.5, "favorite": true, "play_count": 3, "description": "one\r\ntwo\u{1}",
            "cover": "/m/a.png", "genre": " ",
        }));
        let mut out = String::new();
        write(&mut out, &full, false);
        let body = "\t\t<path>/r/a.nes</path>\n\t\t<name>A &amp; &lt;B&gt;</name>\n\
            \t\t<desc>one&#13;\ntwo</desc>\n\t\t<system>NES</system>\n\
            \t\t<releasedate>19940101T000000</releasedate>\n\t\t<rating>0.9000</rating>\n\
            \t\t<favorite>true</favorite>\n\t\t<playcount>3</playcount>\n";
        assert_eq!(out, format!("\t<game>\n{body}\t</game>\n"));
        let mut with = String::new();
        write(&mut with, &full, true);
        assert_eq!(with, format!("\t<game>\n{body}\t\t<image>/m/a.png</image>\n\t</game>\n"));
    }

    #[test]
    fn only_games_with_a_file_stand_in_a_list() {
        for (path, name, expected) in
            [("/r/a", "A", true), ("", "A", false), ("steam", "A", false), ("/r/a", " ", false)]
        {
            let game = game(json!({"game_id": "a", "name": name, "path": path}));
            assert_eq!(takes(&game), expected, "{path:?} {name:?}");
        }
    }
}
