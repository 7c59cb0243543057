//! Games of the library server as titles of a store.

use std::path::Path;

use serde_json::Value;

use crate::{model::Record, probe::places, storefronts::title::Title};

use super::place;

/// The source of its rows.
pub const SOURCE: &str = "libserver";
const LABEL: &str = "Library server";

/// The title of a game as the server describes it; `None` without a usable id or name.
pub fn title(game: &Record, root: &Path, provider: &str) -> Option<Title> {
    let id = place::clean_id(&game.shown("id")).ok()?;
    let name = game.shown("title").trim().to_owned();
    if name.is_empty() {
        return None;
    }
    let folder = place::folder(root, &name, &id);
    let is_installed = places::holds_something(&folder);
    let file = is_installed.then(|| only_file(&folder)).flatten().unwrap_or_default();
    let shown = if is_installed { folder.to_string_lossy().into_owned() } else { String::new() };
    let path = if file.is_empty() { shown.clone() } else { file.clone() };
    let release = game.shown("release");
    let year: String = release.chars().take(4).filter(char::is_ascii_digit).collect();
    Some(Title {
        id_key: "libserver_id",
        source: SOURCE.to_owned(),
        label: LABEL.to_owned(),
        platform: platform(game),
        is_installed,
        install_uri: format!("libserver://install/{id}"),
        path,
        launch: file,
        install_dir: shown,
        more: [
            ("libserver_provider", provider.to_owned()),
            ("description", game.shown("summary")),
            ("developer", first_text(game, "developers")),
            ("publisher", first_text(game, "publishers")),
            ("year", if year.len() == 4 { year } else { String::new() }),
        ]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect(),
        id,
        name,
        ..Title::default()
    })
}

/// The file of a folder that holds just one.
fn only_file(folder: &Path) -> Option<String> {
    let mut entries = std::fs::read_dir(folder).ok()?.flatten();
    let first = entries.next().filter(|_| entries.next().is_none())?;
    let is_file = first.file_type().is_ok_and(|kind| kind.is_file());
    first.path().to_str().filter(|_| is_file).map(str::to_owned)
}

fn platform(game: &Record) -> String {
    let first = game.list("platforms").first();
    let name = match first {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Object(map)) => {
            let record = Record::from(map.clone());
            let names = ["name", "displayName", "id"].iter().map(|key| record.shown(key));
            names.into_iter().find(|name| !name.trim().is_empty()).unwrap_or_default()
        }
        _ => String::new(),
    };
    let plain = name.replace('_', " ");
    let words: Vec<String> = plain.split_whitespace().map(title_case).collect();
    match words.join(" ") {
        // `PC (Microsoft Windows)`, as databases call it.
        name if name.is_empty() || name == "Pc" || name.starts_with("Pc (") => "PC".to_owned(),
        name => name,
    }
}

/// A word with a capital letter; one that mixes cases or digits is a name and stays.
fn title_case(word: &str) -> String {
    let letters = || word.chars().filter(|letter| letter.is_alphabetic());
    let is_plain = letters().all(char::is_uppercase) || letters().all(char::is_lowercase);
    if !is_plain || word.chars().any(|letter| letter.is_ascii_digit()) {
        return word.to_owned();
    }
    let mut rest = word.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest.flat_map(char::to_lowercase)).collect()
}

fn first_text(game: &Record, key: &str) -> String {
    match game.list(key).first() {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(map)) => Record::from(map.clone()).shown("name"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(game: Value, expected: Option<(&str, &str, &str)>) {
        let record: Record = serde_json::from_value(game).expect("an object");
        let title = title(&record, Path::new("/nowhere"), "p");
        let shown = title.as_ref().map(|title| (&*title.id, &*title.name, &*title.platform));
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_game_needs_an_id_and_a_name() {
        check(json!({"id": 7, "title": "A"}), Some(("7", "A", "PC")));
        check(
            json!({"id": "07", "title": " A ", "platforms": ["SUPER_NINTENDO"]}),
            Some(("7", "A", "Super Nintendo")),
        );
        check(
            json!({"id": 7, "title": "A", "platforms": ["PC (Microsoft Windows)"]}),
            Some(("7", "A", "PC")),
        );
        check(
            json!({"id": 7, "title": "A", "platforms": [{"displayName": "PS2"}]}),
            Some(("7", "A", "PS2")),
        );
        check(json!({"id": 7, "title": " "}), None);
        check(json!({"id": "x", "title": "A"}), None);
    }
}
