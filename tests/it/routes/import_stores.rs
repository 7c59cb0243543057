//! Games of stores that also come in another way: as entries of desktop menus, in lists of launchers, and automatically.

use serde_json::json;

use super::{
    importers::{manifest, with_tools},
    libserver::Shop,
    migrations::{FRONTEND, games},
};
use crate::support::{server::Server, wait::until};

fn ready() -> Server {
    let setup = with_tools(&[("steam", "exit 0"), ("xdg-open", "exit 0")]);
    let scratch = setup.scratch();
    scratch
        .file("home/.local/share/Steam/steamapps/appmanifest_440.acf", manifest(440, "Team Game"));
    scratch.file(
        "home/.config/heroic/gog_store/installed.json",
        r#"[{"appName": "1207", "title": "Old Game"}]"#,
    );
    setup.start()
}

#[test]
fn entries_of_a_menu_are_the_games_of_stores_that_they_start() {
    let entry = |name: &str, exec: &str, more: &str| {
        format!(
            "[Desktop Entry]\nType=Application\nName={name}\nExec={exec}\nCategories=Game;{more}\n"
        )
    };
    for is_store_first in [true, false] {
        let server = ready();
        let scratch = server.scratch();
        let here = scratch.script("bin/maze", "exit 0");
        for (file, name, exec, more) in [
            ("team", "Team Game", "steam steam://rungameid/440", ""),
            ("old", "Old Game", "xdg-open heroic://launch/gog/1207", ""),
            ("steam", "Steam", "/usr/bin/steam %U", ""),
            ("emulator", "Emulator", "emulator", "Emulator;"),
            ("store", "Software", "software", "PackageManager;"),
            ("gone", "Gone", "/no/such/program", ""),
            ("maze", "Maze", here.to_str().expect("text"), ""),
        ] {
            scratch.file(format!("menu/{file}.desktop"), entry(name, exec, more));
        }
        let stores = || {
            server.post("/api/import/store-a", &json!({}));
            server.post("/api/import/store-b", &json!({}));
        };
        let menu = || server.post("/api/import", &json!({"folder": scratch.path("menu")}));
        if is_store_first {
            stores();
        }
        menu();
        stores();
        assert_eq!(menu()["added"], 0);
        let all = games(&server);
        let mut names: Vec<&str> = all.iter().filter_map(|row| row["name"].as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["Maze", "Old Game", "Team Game"], "{is_store_first}");
    }
}

#[test]
fn games_of_an_export_of_playnite_are_those_of_their_store() {
    const LIST: &str = r#"[{"Id": "1", "Name": "Old Game (Windows)", "GameId": "1207", "Source": {"Name": "GOG"},
        "Playtime": 60, "Notes": "<b>Mine</b>", "Modified": "2024-01-31T20:00:00", "Tags": [{"Name": "Old"}],
        "Categories": ["Shelf", "old"], "Features": [{"Name": "Co-Op"}]},
        {"Id": "2", "Name": "Fox", "GameId": "f0x", "Source": {"Name": "Epic Games"}, "Playtime": 0}]"#;
    for is_store_first in [true, false] {
        let server = ready();
        let list = server.scratch().file("playnite.json", LIST);
        let store = || server.post("/api/import/store-b", &json!({}));
        let bring = || server.post(&format!("{FRONTEND}/apply"), &json!({"xml_path": list}));
        if is_store_first {
            store();
        }
        bring();
        assert_eq!(store()["added"], 0);
        assert_eq!(bring()["added"], 0);
        let all = games(&server);
        let find = |id: &str| all.iter().find(|row| row["store_b_app_id"] == id).expect(id);
        assert_eq!(all.len(), 2, "{is_store_first}");
        let (old, fox) = (find("1207"), find("f0x"));
        assert_eq!(
            (&old["store_b_source"], &fox["store_b_source"]),
            (&json!("GOG"), &json!("Epic"))
        );
        assert_eq!(fox["launch"], "xdg-open heroic://launch/legendary/{store_b_app_id}");
        assert_eq!(old["tags"], json!(["Old", "Shelf", "Co-Op"]));
        let notes = old["notes"].as_array().expect("notes");
        assert_eq!((notes.len(), &notes[0]["text"]), (1, &json!("Mine")));
    }
}

#[test]
fn the_catalog_is_imported_automatically_when_that_is_wanted() {
    let shop = Shop::open();
    let server = shop.service();
    let wanted = json!({"storefront_auto_import": {"libserver": true}});
    server.post("/api/settings", &wanted);
    let names = until("the games of the server", || {
        let games = server.get("/api/library")["games"].as_array().expect("games").clone();
        let names: Vec<_> = games.iter().map(|game| game["source"].clone()).collect();
        (!names.is_empty()).then_some(names)
    });
    assert!(names.iter().all(|source| source == "libserver"), "{names:?}");
}
