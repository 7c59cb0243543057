//! The third store (Lutris): what its own command lists.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::Value;

use crate::{
    base::text,
    imports::programs,
    model::Record,
    process::{Limits, Spec, search},
};

use super::{error::StorefrontError, store_c_database, title::Title, tools};

/// The source of its rows.
pub const SOURCE: &str = "store_c";
pub(super) const LABEL: &str = "Lutris";
pub(super) const PACKAGE: &str = "net.lutris.Lutris";
/// How long its command may take, and how much it may print.
const LIMITS: Limits = Limits { timeout: Duration::from_secs(30), output_bytes: 64 * 1024 * 1024 };
/// Where it keeps covers below the home.
const COVERS: [&str; 2] =
    [".local/share/lutris/coverart", ".var/app/net.lutris.Lutris/data/lutris/coverart"];

/// The program that lists and starts its games.
struct Client {
    program: PathBuf,
    words: Vec<&'static str>,
    /// The message for the other program, when it is known to be missing.
    gone: Option<&'static str>,
}

/// What the database holds and the list does not. Its own list of installed games holds no others.
const KEPT: [&str; 2] = ["service", "installed"];
const NATIVE: &str = "lutris";
const PACKAGED: &str = "flatpak run net.lutris.Lutris";

fn client() -> Result<Client, StorefrontError> {
    if let Some(program) = search::on_path(NATIVE) {
        let gone = (!programs::has_packages()).then_some(PACKAGED);
        return Ok(Client { program, words: vec![NATIVE], gone });
    }
    let program = programs::package(PACKAGE).ok_or(StorefrontError::NoLauncher(LABEL))?;
    Ok(Client { program, words: vec!["flatpak", "run", PACKAGE], gone: Some(NATIVE) })
}

/// The installed games in the order of its list.
///
/// # Errors
/// [`StorefrontError`] when it is missing, does not answer or prints no list.
pub fn installed(home: &Path) -> Result<Vec<Title>, StorefrontError> {
    list(home, &["--list-games", "--installed", "--json"], true)
}

/// Every game it knows, in the order of its list.
///
/// # Errors
/// As [`installed`].
pub fn catalog(home: &Path) -> Result<Vec<Title>, StorefrontError> {
    list(home, &["--list-games", "--json"], false)
}

fn list(
    home: &Path,
    arguments: &[&str],
    installed_only: bool,
) -> Result<Vec<Title>, StorefrontError> {
    let kept = store_c_database::games(home);
    let client = match (client(), &kept) {
        (Ok(client), _) => client,
        // Its program is where this one does not look; whatever opens its addresses starts it.
        (Err(_), Some(games)) => {
            let program = tools::opener()?;
            let client = Client { program, words: vec!["xdg-open"], gone: None };
            return Ok(titles(games, &client, home, installed_only, games));
        }
        (Err(error), None) => return Err(error),
    };
    let mut argv = vec![client.program.clone().into_os_string()];
    argv.extend(client.words[1..].iter().chain(arguments).map(Into::into));
    let printed = tools::ask(LABEL, &Spec::new(argv), &LIMITS)?;
    let games = parse(&printed).ok_or(StorefrontError::NoList(LABEL))?;
    Ok(titles(&games, &client, home, installed_only, &kept.unwrap_or_default()))
}

/// The titles of games, with the playtime that the games of the database have. Where a game comes from, and
/// whether it is installed, is in the database alone: a game that was removed keeps its folder in the list.
fn titles(
    games: &[Record],
    client: &Client,
    home: &Path,
    installed_only: bool,
    kept: &[Record],
) -> Vec<Title> {
    let played: HashMap<String, (u64, String)> =
        kept.iter().map(|game| (game.shown("id"), store_c_database::played(game))).collect();
    let rows: HashMap<String, &Record> = kept.iter().map(|game| (game.shown("id"), game)).collect();
    let titles = games.iter().filter_map(|game| {
        let mut game = game.clone();
        let row = rows.get(game.shown("id").trim());
        for key in if installed_only { &KEPT[..1] } else { &KEPT[..] } {
            if let Some(value) = row.and_then(|row| row.get(key)).filter(|_| game.is_blank(key)) {
                game.set(key, value.clone());
            }
        }
        title(&game, client, home, installed_only)
    });
    let titles = titles.filter(|title| title.is_installed || !installed_only);
    let with_time = titles.map(|title| {
        let (played_seconds, last_played) = played.get(&title.id).cloned().unwrap_or_default();
        Title { played_seconds, last_played, ..title }
    });
    with_time.collect()
}

/// The list among everything it prints: log lines may stand around it.
fn parse(printed: &[u8]) -> Option<Vec<Record>> {
    let text = String::from_utf8_lossy(printed);
    let slice = |open, close| text.get(text.find(open)?..=text.rfind(close)?);
    let read = |piece: &str| serde_json::from_str::<Value>(piece).ok();
    let value = slice('[', ']').and_then(read).or_else(|| slice('{', '}').and_then(read))?;
    let list = match &value {
        Value::Object(map) => map.get("games")?.as_array()?,
        other => other.as_array()?,
    };
    Some(list.iter().filter_map(|game| Some(game.as_object()?.clone().into())).collect())
}

fn title(game: &Record, client: &Client, home: &Path, says_installed: bool) -> Option<Title> {
    let id = game.shown("id").trim().to_owned();
    let name = game.text("name").trim().to_owned();
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) || name.is_empty() {
        return None;
    }
    let is_installed = match game.get("installed") {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::Number(number)) => number.as_i64() != Some(0),
        _ => says_installed || !first(game, &["directory", "path"]).is_empty(),
    };
    let service = text::fold(&format!("{} {}", game.text("service"), game.text("source")));
    let service = service.replace('_', " ");
    let source = match service.trim() {
        name if name.contains("xbox") || name.contains("game pass") => "Xbox",
        name if name.contains("origin") || name.contains("ea app") => "EA",
        name if name.contains("ubisoft") || name.contains("uplay") => "Ubisoft",
        _ => SOURCE,
    };
    let is_wine = matches!(game.text("runner"), "wine" | "winesteam");
    let platform = match game.text("platform").trim() {
        "" if is_wine => "Windows",
        "" => "PC",
        platform => platform,
    };
    let folder = first(game, &["directory", "path"]);
    Some(Title {
        id_key: "store_c_id",
        name,
        source: source.to_owned(),
        label: LABEL.to_owned(),
        platform: platform.to_owned(),
        is_installed,
        install_uri: format!("lutris:rungameid/{id}"),
        path: client.program.to_string_lossy().into_owned(),
        launch: command(&client.words.join(" ")),
        gone: client.gone.map(command).into_iter().collect(),
        install_dir: folder,
        cover: cover(home, &first(game, &["slug", "game_slug"])),
        id,
        ..Title::default()
    })
}

/// The command of a game behind the words that start the store.
fn command(words: &str) -> String {
    format!("{words} lutris:rungameid/{{store_c_id}}")
}

fn first(game: &Record, keys: &[&str]) -> String {
    let mut values = keys.iter().map(|key| game.shown(key).trim().to_owned());
    values.find(|value| !value.is_empty()).unwrap_or_default()
}

/// The cover it keeps for a game; blank without one.
fn cover(home: &Path, slug: &str) -> String {
    if slug.is_empty() || slug.contains('/') {
        return String::new();
    }
    let endings = ["jpg", "png", "webp"];
    let mut places = COVERS.iter().flat_map(|folder| {
        endings.iter().map(move |ending| home.join(folder).join(format!("{slug}.{ending}")))
    });
    places
        .find(|place| place.is_file())
        .map(|place| place.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lutris() -> Client {
        Client { program: "/x/lutris".into(), words: vec![NATIVE], gone: None }
    }

    #[track_caller]
    fn check(game: Value, expected: Option<(&str, &str, &str, bool)>) {
        let record: Record = serde_json::from_value(game).expect("an object");
        let title = title(&record, &lutris(), Path::new("/nowhere"), false);
        let shown = title
            .as_ref()
            .map(|title| (&*title.id, &*title.source, &*title.platform, title.is_installed));
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_game_says_where_it_comes_from() {
        use serde_json::json;
        check(
            json!({"id": 3, "name": "A", "runner": "wine"}),
            Some(("3", "store_c", "Windows", false)),
        );
        check(
            json!({"id": "3", "name": "A", "service": "EA App", "directory": "/g", "platform": "Linux"}),
            Some(("3", "EA", "Linux", true)),
        );
        check(
            json!({"id": 3, "name": "A", "installed": false, "directory": "/g"}),
            Some(("3", "store_c", "PC", false)),
        );
        check(json!({"id": "x", "name": "A"}), None);
        check(json!({"id": 3, "name": " "}), None);
    }

    #[test]
    fn the_database_says_what_is_installed_and_from_where() {
        use serde_json::json;
        let records =
            |games: Value| -> Vec<Record> { serde_json::from_value(games).expect("games") };
        let listed = records(json!([
            {"id": 1, "name": "A", "directory": "/g/a"},
            {"id": 2, "name": "B", "directory": "/g/b"},
            {"id": 3, "name": "C", "directory": "/g/c"},
        ]));
        let kept = records(json!([
            {"id": 1, "name": "A", "installed": 0, "service": "ea_app"},
            {"id": 2, "name": "B", "installed": 1, "service": null},
        ]));
        let shown = |installed_only| -> Vec<(String, bool)> {
            let titles = titles(&listed, &lutris(), Path::new("/nowhere"), installed_only, &kept);
            titles.into_iter().map(|title| (title.source, title.is_installed)).collect()
        };
        let own = |source: &str, is_installed| (source.to_owned(), is_installed);
        assert_eq!(shown(false), [own("EA", false), own(SOURCE, true), own(SOURCE, true)]);
        assert_eq!(shown(true), [own("EA", true), own(SOURCE, true), own(SOURCE, true)]);
    }

    #[test]
    fn the_list_is_found_among_log_lines() {
        let printed = b"2026 INFO start\n[{\"id\": 1, \"name\": \"A\"}]\ndone\n";
        assert_eq!(parse(printed).expect("a list").len(), 1);
        assert_eq!(parse(b"{\"games\": []}").expect("a list").len(), 0);
        assert!(parse(b"no list").is_none());
        assert!(parse(b"{\"games\": 3}").is_none());
    }

    proptest! {
        #[test]
        fn whatever_it_prints_is_read_or_refused(text in "[\\[\\]{}\"a1:, \n]{0,80}") {
            let games = parse(text.as_bytes());
            prop_assert!(games.is_none_or(|games| games.len() <= text.len()));
        }
    }
}
