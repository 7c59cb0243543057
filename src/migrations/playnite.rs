//! Libraries that Playnite exported as JSON.

use serde_json::{Map, Value, json};

use super::{
    launchers::{game, is_address, opening, platform_of, set},
    paths::stem,
};
use crate::{
    base::{Moment, limits, markup, text},
    imports::brought,
    model::{
        Record,
        inner_stores::{self, InnerStore},
    },
    names::marker::{self, Marked},
};

const PLAYNITE: &str = "Playnite";
/// Keys that the list of games stands under in an export of Playnite; PowerShell writes the second.
const LISTS: [&str; 2] = ["Games", "value"];
/// What stands for the folder of a game of Playnite.
const INSTALLED: &str = "{InstallDir}";
/// What Playnite calls the states of progress.
const PROGRESS: [(&str, &str); 6] = [
    ("Playing", "Playing"),
    ("On Hold", "Paused"),
    ("Beaten", "Beaten"),
    ("Completed", "Completed"),
    ("Mastered", "Mastered"),
    ("Abandoned", "Abandoned"),
];

/// What the names of sources begin with that Playnite gives to inner stores of the second store. The ids of
/// games are the same in both.
const INNER_STORES: [(&str, &InnerStore); 3] =
    [("gog", &inner_stores::GOG), ("epic", &inner_stores::EPIC), ("amazon", &inner_stores::AMAZON)];

/// The source of games of the first store.
const STEAM: &str = "steam";
/// The sources of the add-ons of Playnite that bring the games of a store.
const PLUGINS: [(&str, &str); 4] = [
    ("cb91dfc9-b977-43bf-8e70-55f46e410fab", STEAM),
    ("aebe8b7c-6dc3-4a66-af31-e7375c6b5e9e", "gog"),
    ("00000002-dbd1-46c6-b5d0-b1ba559d10e4", "epic"),
    ("402674cd-4af6-4886-b6ec-0e695bfa0688", "amazon"),
];

/// The games of a library that Playnite exported.
pub fn games(text: &str) -> Option<Vec<Record>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let lists = LISTS.iter().find_map(|key| value.get(key)?.as_array());
    let list = value.as_array().or(lists)?;
    let is_one = |game: &Map<String, Value>| {
        let keys = ["Playtime", "GameId", "Platforms", "IsInstalled", "GameActions"];
        game.contains_key("Name") && keys.iter().any(|key| game.contains_key(*key))
    };
    let games: Option<Vec<&Map<String, Value>>> = list.iter().map(Value::as_object).collect();
    let games = games.filter(|games| !games.is_empty() && games.iter().all(|game| is_one(game)))?;
    Some(games.into_iter().map(playnite_game).collect())
}

/// A text, or the name of an object.
fn name_of(value: &Value) -> &str {
    value.as_str().or_else(|| value.get("Name")?.as_str()).unwrap_or_default().trim()
}

fn names(game: &Map<String, Value>, key: &str) -> Vec<String> {
    let list = game.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().map(name_of).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn playnite_game(row: &Map<String, Value>) -> Record {
    let text = |key: &str| row.get(key).map_or("", name_of);
    let id = if text("Id").is_empty() { text("Name") } else { text("Id") };
    let mut game = game(PLAYNITE, id, text("Name"));
    for (field, key) in [
        ("genre", "Genres"),
        ("developer", "Developers"),
        ("publisher", "Publishers"),
        ("series", "Series"),
        ("region", "Regions"),
    ] {
        set(&mut game, field, &names(row, key).join(", "));
    }
    let platform = names(row, "Platforms").into_iter().next().unwrap_or_default();
    set(&mut game, "platform", platform_of(&platform));
    set(&mut game, "sort_title", text("SortingName"));
    set(&mut game, "description", &plain(text("Description")));
    set(&mut game, "year", &playnite_year(row.get("ReleaseDate").unwrap_or(&Value::Null)));
    for (field, key) in [("favorite", "Favorite"), ("hidden", "Hidden")] {
        if row.get(key) == Some(&Value::Bool(true)) {
            game.set(field, true);
        }
    }
    let progress = text("CompletionStatus");
    let known = PROGRESS.iter().find(|(theirs, _)| *theirs == progress);
    if let Some((_, progress)) = known {
        game.set("progress", *progress);
    }
    let ratings = names(row, "AgeRatings");
    let audience = ratings.iter().find_map(|rating| rating.strip_prefix("ESRB "));
    set(&mut game, "esrb", audience.unwrap_or_default());
    let number = |key: &str| row.get(key).and_then(Value::as_u64).unwrap_or(0);
    let scores = ["UserScore", "CommunityScore", "CriticScore"].map(number);
    let score = scores.into_iter().find(|score| *score > 0).unwrap_or(0);
    let score = u32::try_from(score.min(100)).unwrap_or(0);
    if score > 0 {
        game.set("rating", f64::from(score) / 20.0);
    }
    if number("PlayCount") > 0 {
        game.set("play_count", number("PlayCount"));
    }
    set_marks(&mut game, row);
    let last = brought::last_play_at(moment(text("LastActivity")));
    set(&mut game, "last_played", &last);
    brought::note(&mut game, PLAYNITE, number("Playtime"), &last);
    let folder = text("InstallDirectory").trim_end_matches('\\');
    let is_play = |action: &&Value| action["IsPlayAction"] == true;
    let actions = row.get("GameActions").and_then(Value::as_array);
    let action = actions.and_then(|actions| actions.iter().find(is_play));
    let file = action.and_then(|action| action["Path"].as_str()).unwrap_or_default();
    let files = row.get("Roms").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if files.iter().any(|file| file["Path"].is_string()) {
        set_files(&mut game, files, folder);
    } else if is_address(file) {
        game.set("launch", opening(file));
    } else {
        set(&mut game, "path", &file.replace(INSTALLED, folder));
    }
    set_store(&mut game, row);
    game
}

/// The moment of a time: ISO 8601, or the milliseconds since the Unix epoch in the form of Windows PowerShell,
/// `/Date(1700000000000+0100)/`, whose offset says only where it was written.
fn moment(text: &str) -> Option<Moment> {
    let millis = text.strip_prefix("/Date(").and_then(|rest| rest.strip_suffix(")/"));
    let Some(millis) = millis else { return Moment::parse(text) };
    let digits = millis.strip_prefix('-').unwrap_or(millis);
    let digits = digits.split(['+', '-']).next().unwrap_or_default();
    let seconds = digits.parse::<i64>().ok()? / 1_000;
    Some(Moment::from_unix_local(if millis.starts_with('-') { -seconds } else { seconds }))
}

/// The year of a date, which is a text, an object with one, or an object of year, month and day; blank for none.
fn playnite_year(date: &Value) -> String {
    let text = date.as_str().or_else(|| date["ReleaseDate"].as_str()).unwrap_or_default();
    let time = if text.starts_with('/') { moment(text) } else { None };
    let time = time.map(|time| time.local_format("%Y"));
    let of_text = || time.as_deref().or(text.get(..4))?.parse::<u64>().ok();
    let year = date["Year"].as_u64().or_else(of_text);
    // A date that was never set is one of the year 1.
    let year = year.filter(|year| (1_000..10_000).contains(year));
    year.map(|year| year.to_string()).unwrap_or_default()
}

/// Sets the files of a game of Playnite: the first is the game, the others are its discs where the names say
/// so, else versions of it.
fn set_files(game: &mut Record, files: &[Value], folder: &str) {
    let file = |file: &Value| {
        let path = file["Path"].as_str()?.trim().replace(INSTALLED, folder);
        let name = name_of(file);
        let name = if name.is_empty() { path.clone() } else { name.to_owned() };
        (!path.is_empty()).then_some((name, path))
    };
    let mut files: Vec<(String, String)> = files.iter().filter_map(file).collect();
    let is_game = |path: &str, title: &str| {
        disc_of(path).is_some_and(|disc| text::fold(&disc.title) == text::fold(title))
    };
    let title = files.first().and_then(|(_, path)| Some(disc_of(path)?.title.into_owned()));
    if title.is_some_and(|title| files.iter().all(|(_, path)| is_game(path, &title))) {
        files.sort_by_cached_key(|(_, path)| disc_of(path).map(|disc| disc.order()));
        if files.len() > 1 {
            game.set("discs", files.iter().map(|(_, path)| path.as_str()).collect::<Vec<_>>());
        }
    } else if files.len() > 1 {
        let version =
            |(name, path): &(String, String)| json!({"name": name, "path": path, "command": ""});
        game.set("versions", files[1..].iter().map(version).collect::<Vec<_>>());
    }
    if let Some((_, first)) = files.first() {
        game.set("path", first.as_str());
    }
}

/// The disc named by a file of Windows.
fn disc_of(path: &str) -> Option<Marked<'_>> {
    marker::split(stem(path.rsplit('\\').next().unwrap_or(path)))
}

/// Sets what the user wrote about a game of Playnite: tags, which categories and features are here, and a note.
fn set_marks(game: &mut Record, row: &Map<String, Value>) {
    let text = |key: &str| row.get(key).map_or("", name_of);
    let mut tags: Vec<String> = Vec::new();
    for tag in ["Tags", "Categories", "Features"].into_iter().flat_map(|key| names(row, key)) {
        if tags.iter().all(|known| text::fold(known) != text::fold(&tag)) {
            tags.push(tag);
        }
    }
    if !tags.is_empty() {
        game.set("tags", tags);
    }
    let note: String = plain(text("Notes")).chars().take(limits::NOTE_CHARS).collect();
    if !note.is_empty() {
        // It has no time of its own; that of the entry is the nearest.
        let times = ["Modified", "Added"].map(|key| moment(text(key)));
        let time = times.into_iter().flatten().next().unwrap_or_else(|| Moment::from_unix(0));
        game.set("notes", json!([{"ts": time.local_iso(), "text": note}]));
    }
}

/// Sets the id of a game of Playnite in its store, under which the import of that store knows it.
fn set_store(game: &mut Record, row: &Map<String, Value>) {
    let text = |key: &str| row.get(key).map_or("", name_of);
    // An export may leave the source out. The add-on that manages the game is told all the same, and the id is its own.
    let plugin = text::fold(text("PluginId"));
    let named = text::fold(text("Source"));
    let is_store = |source: &str| {
        source == STEAM || INNER_STORES.iter().any(|(theirs, _)| source.starts_with(theirs))
    };
    let of_plugin = PLUGINS.iter().find(|(id, _)| *id == plugin).map(|(_, source)| *source);
    let source = of_plugin.filter(|_| !is_store(&named)).unwrap_or(&named);
    let number = text("GameId");
    if source == STEAM && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        game.set("store_a_app_id", number);
        if game.is_blank("path") {
            game.set("launch", "xdg-open steam://rungameid/{app_id}");
        }
    }
    let inner = INNER_STORES.iter().find(|(theirs, _)| source.starts_with(theirs));
    if let Some((_, InnerStore { name, runner })) = inner.filter(|_| !number.is_empty()) {
        game.set("store_b_app_id", number);
        game.set("store_b_source", *name);
        if game.is_blank("path") && game.is_blank("launch") {
            game.set("launch", format!("xdg-open heroic://launch/{runner}/{{store_b_app_id}}"));
        }
    }
}

/// A text with the marks of a page as plain text.
fn plain(text: &str) -> String {
    markup::without_entities(&markup::without_tags(text)).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_windows_powershell_are_read() {
        let here = |text: &str| Moment::parse(text).expect("a time").local_iso();
        let (played, added) = (here("2023-11-14T22:13:20Z"), here("2024-02-29T23:00:00Z"));
        for (date, expected) in [
            (r"\/Date(1700000000000)\/", played.as_str()),
            (r"\/Date(1700000000999+0100)\/", played.as_str()),
            (r"\/Date(1700000000000-0500)\/", played.as_str()),
            ("2023-11-14T22:13:20Z", played.as_str()),
            (r"\/Date(-62135596800000)\/", ""),
            (r"\/Date(x)\/", ""),
            (r"\/Date()\/", ""),
        ] {
            let text = format!(
                r#"[{{"Name": "A", "GameId": "x", "Playtime": 60, "LastActivity": "{date}", "Notes": "n",
                "Added": "\/Date(1709247600000)\/", "ReleaseDate": "\/Date(872467200000)\/"}}]"#
            );
            let games = games(&text).expect("an export");
            assert_eq!(games[0].text("last_played"), expected, "{date}");
            assert_eq!(games[0].list("notes")[0]["ts"], added, "{date}");
            assert_eq!(games[0].text("year"), "1997");
        }
    }

    #[test]
    fn descriptions_lose_their_marks() {
        for (text, expected) in [
            (
                "<p>A &amp; B &bogus; C & D</p><ul><li>E&nbsp;F</li></ul>",
                "A & B &bogus; C & D\nE F",
            ),
            ("I <3 it<br>chapter 4<!-- x -->. 1 &lt; 2", "I <3 it\nchapter 4. 1 < 2"),
            (" plain & simple ", "plain & simple"),
            ("", ""),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn an_address_that_starts_a_game_is_no_path() {
        let text = r#"[{"Name": "A", "GameId": "x", "CompletionStatus": {"Name": "On Hold"}, "CommunityScore": 80,
            "AgeRatings": [{"Name": "PEGI 3"}, {"Name": "ESRB T"}],
            "GameActions": [{"Type": 1, "Path": "com.store://apps/a b?launch", "IsPlayAction": true}]}]"#;
        let games = games(text).expect("an export");
        assert_eq!(games[0].text("launch"), "xdg-open 'com.store://apps/a b?launch'");
        assert!(games[0].is_blank("path"));
        assert_eq!((games[0].text("progress"), games[0].text("esrb")), ("Paused", "T"));
        assert_eq!(games[0].get("rating"), Some(&Value::from(4.0)));
    }

    #[test]
    fn a_game_without_a_source_is_of_the_store_of_its_plugin() {
        let steam = "cb91dfc9-b977-43bf-8e70-55f46e410fab";
        for (source, plugin, number, expected) in [
            ("", steam, "367520", ("367520", "", "")),
            ("\"Own Tag\"", "CB91DFC9-B977-43BF-8E70-55F46E410FAB", "367520", ("367520", "", "")),
            ("", "00000002-dbd1-46c6-b5d0-b1ba559d10e4", "Fox", ("", "Fox", "Epic")),
            ("", "aebe8b7c-6dc3-4a66-af31-e7375c6b5e9e", "1207", ("", "1207", "GOG")),
            ("{\"Name\": \"GOG\"}", steam, "1207", ("", "1207", "GOG")),
            ("", "00000000-0000-0000-0000-000000000000", "367520", ("", "", "")),
        ] {
            let source = if source.is_empty() { "null" } else { source };
            let text = format!(
                r#"[{{"Name": "A", "GameId": "{number}", "Source": {source}, "PluginId": "{plugin}"}}]"#
            );
            let games = games(&text).expect("an export");
            let text = |key: &str| games[0].text(key);
            let found = (text("store_a_app_id"), text("store_b_app_id"), text("store_b_source"));
            assert_eq!(found, expected, "{source} {plugin}");
        }
    }

    #[test]
    fn dates_and_lists_of_exports_have_several_forms() {
        for (date, expected) in [
            (r#"{"Day":25,"Month":8,"Year":1997,"Date":"1997-08-25T00:00:00"}"#, "1997"),
            (r#"{"ReleaseDate":"1997-8-25"}"#, "1997"),
            (r#""1997-08-25""#, "1997"),
            (r#"{"Day":1,"Month":1,"Year":1}"#, ""),
            (r#""0001-01-01""#, ""),
            ("1997", ""),
            ("null", ""),
        ] {
            let list = format!(r#"[{{"Name": "A", "GameId": "x", "ReleaseDate": {date}}}]"#);
            for text in
                [format!(r#"{{"value": {list}, "Count": 1}}"#), format!(r#"{{"Games": {list}}}"#)]
            {
                let games = games(&text).expect("an export");
                assert_eq!(games[0].text("year"), expected, "{date}");
            }
        }
    }
}
