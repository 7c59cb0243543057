//! A library as other front ends read it: metadata of Pegasus, playlists of RetroArch.
//!
//! They list the same games as a `gamelist.xml`: games with a file and a name.

use serde_json::{Value, json};

use crate::{model::Game, platforms};

/// Fields of a game with the keys that Pegasus has for them.
const TEXTS: [(&str, &str); 3] =
    [("developer", "developer"), ("publisher", "publisher"), ("genre", "genre")];
/// Fields of media with their keys.
const ASSETS: [(&str, &str); 6] = [
    ("cover", "assets.boxFront"),
    ("box_back", "assets.boxBack"),
    ("clear_logo", "assets.logo"),
    ("background", "assets.background"),
    ("title_screen", "assets.titlescreen"),
    ("video_snap", "assets.video"),
];
/// What stands behind the games of a playlist.
pub const PLAYLIST_TAIL: &str = "\n  ]\n}\n";

/// What stands before the games of Pegasus.
pub fn pegasus_head(platform: &str) -> String {
    let mut out = String::new();
    line(&mut out, "collection", platform);
    out
}

/// Whether Pegasus can have a game: the path of its file is one line.
pub fn pegasus_takes(game: &Game) -> bool {
    is_one_line(game.path())
}

/// Appends a game of Pegasus, with the paths of its media where they are wanted.
pub fn write_pegasus(out: &mut String, game: &Game, include_media_paths: bool) {
    let record = game.record();
    out.push('\n');
    line(out, "game", game.name());
    path_line(out, "file", game.path());
    line(out, "sort-by", record.text("sort_title"));
    for (field, key) in TEXTS {
        line(out, key, &record.shown(field));
    }
    let year = record.shown("year");
    if year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit()) {
        line(out, "release", &year);
    }
    let players = record.shown("max_players");
    let most = players.rsplit('-').next().unwrap_or_default().trim();
    if most.parse::<u16>().is_ok() {
        line(out, "players", most);
    }
    let stars = record.number("rating").filter(|stars| *stars > 0.0 && *stars <= 5.0);
    if let Some(stars) = stars {
        line(out, "rating", &format!("{:.0}%", stars * 20.0));
    }
    let text = record.text("description").trim();
    if !text.is_empty() {
        out.push_str("description:\n");
        for part in text.lines().map(str::trim) {
            // A line with a dot alone is a blank one.
            out.push_str("  ");
            out.push_str(if part.is_empty() { "." } else { part });
            out.push('\n');
        }
    }
    for (field, key) in ASSETS.into_iter().filter(|_| include_media_paths) {
        path_line(out, key, record.text(field));
    }
}

/// A path as it is; one that is blank or no line of its own is left out.
fn path_line(out: &mut String, key: &str, path: &str) {
    if is_one_line(path) && !path.trim().is_empty() {
        push_line(out, key, path);
    }
}

fn is_one_line(path: &str) -> bool {
    !path.contains(['\n', '\r'])
}

/// A value of one line; a blank one is left out.
fn line(out: &mut String, key: &str, text: &str) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !text.is_empty() {
        push_line(out, key, &text);
    }
}

fn push_line(out: &mut String, key: &str, text: &str) {
    for piece in [key, ": ", text, "\n"] {
        out.push_str(piece);
    }
}

/// What stands before the games of a playlist.
pub fn playlist_head() -> String {
    "{\n  \"version\": \"1.5\",\n  \"default_core_path\": \"\",\n  \"default_core_name\": \"\",\n  \
     \"items\": ["
        .to_owned()
}

/// Appends a game of a playlist of this platform.
pub fn write_playlist(out: &mut String, game: &Game, is_first: bool) {
    let record = game.record();
    let member = record.text("archive_member");
    let inside = if member.is_empty() { String::new() } else { format!("#{member}") };
    // RetroArch finds pictures and facts by its own name of the system.
    let platform = record.text("platform");
    let known = platforms::by_listed_name(platform).map_or("", |known| known.libretro);
    let system = if known.is_empty() { platform } else { known };
    let unknown = || Value::from("DETECT");
    let item = json!({
        "path": format!("{}{inside}", game.path()),
        "label": game.name(),
        "core_path": unknown(),
        "core_name": unknown(),
        "crc32": unknown(),
        "db_name": format!("{system}.lpl"),
    });
    out.push_str(if is_first { "\n    " } else { ",\n    " });
    out.push_str(&item.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::lpl;

    fn game(fields: Value) -> Game {
        Game::from_json(&fields.to_string()).expect("a game")
    }

    #[test]
    fn a_game_of_pegasus_has_a_line_for_each_value() {
        let full = game(json!({"game_id": "a", "name": "A\nB", "path": "/r/a.nes", "year": "1994",
            "rating": 4.5, "max_players": "1-4", "genre": "RPG", "cover": "/m/a.png",
            "description": "One: two\n\n three "}));
        let mut out = pegasus_head("NES");
        write_pegasus(&mut out, &full, true);
        let expected = "collection: NES\n\ngame: A B\nfile: /r/a.nes\ngenre: RPG\nrelease: 1994\nplayers: 4\n\
            rating: 90%\ndescription:\n  One: two\n  .\n  three\nassets.boxFront: /m/a.png\n";
        assert_eq!(out, expected);
    }

    #[test]
    fn paths_of_pegasus_are_written_as_they_are() {
        let fields = |path: &str, cover: &str| {
            game(json!({"game_id": "a", "name": "A  B", "path": path, "cover": cover}))
        };
        let mut out = String::new();
        write_pegasus(&mut out, &fields("/r/A  B\t(USA).nes", "/m/A  B.png"), true);
        write_pegasus(&mut out, &fields("/r/a.nes", "/m/A\nB.png"), true);
        let expected = "\ngame: A B\nfile: /r/A  B\t(USA).nes\nassets.boxFront: /m/A  B.png\n\n\
            game: A B\nfile: /r/a.nes\n";
        assert_eq!(out, expected);
        assert!(pegasus_takes(&fields("/r/A  B.nes", "")));
        assert!(!pegasus_takes(&fields("/r/A\rB.nes", "")));
    }

    #[test]
    fn a_playlist_is_read_again() {
        let mut out = playlist_head();
        let fields = json!({"game_id": "a", "name": "A \"1\"", "path": "/r/a.zip", "platform": "SNES",
            "archive_member": "a.sfc"});
        write_playlist(&mut out, &game(fields), true);
        write_playlist(
            &mut out,
            &game(json!({"game_id": "b", "name": "B", "path": "/r/b"})),
            false,
        );
        out.push_str(PLAYLIST_TAIL);
        let read = lpl::parse(&out).expect("a playlist");
        assert_eq!((read[0].label.as_str(), read[0].member.as_str()), ("A \"1\"", "a.sfc"));
        let system = "Nintendo - Super Nintendo Entertainment System";
        assert_eq!((read[0].system.as_str(), read[1].path.as_str()), (system, "/r/b"));
    }
}
