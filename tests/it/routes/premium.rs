//! `/api/premium/*` and `/api/bigscreen/mode`.

use serde_json::{Value, json};

use crate::support::{client::Request, server::Server, wait::until};

#[test]
fn strings_come_in_five_locales() {
    let server = Server::start();
    for (asked, locale) in [
        ("en", "en"),
        ("es", "es"),
        ("de", "de"),
        ("fr", "fr"),
        ("pt", "pt"),
        ("de-AT", "de"),
        ("PT-br", "pt"),
        ("xx", "en"),
        ("zh-Hans", "en"),
        ("", "en"),
    ] {
        let answer = server.get(&format!("/api/premium/strings?locale={asked}"));
        assert_eq!(answer["locale"], locale, "{asked}");
        let keys: Vec<&String> = answer["strings"].as_object().expect("an object").keys().collect();
        assert_eq!(
            keys,
            [
                "all_games",
                "bigscreen",
                "drop_import",
                "grid_view",
                "import",
                "library",
                "list_view",
                "settings"
            ]
        );
    }
    assert_eq!(server.get("/api/premium/strings?locale=de")["strings"]["library"], "Bibliothek");
    server.post("/api/settings", &json!({"locale": "fr"}));
    assert_eq!(server.get("/api/premium/strings")["locale"], "fr");
}

#[test]
fn media_packs_are_applied_once_each() {
    let server = Server::start();
    let packs = server.get("/api/v1/premium/media-packs")["packs"].clone();
    let ids: Vec<&Value> =
        packs.as_array().expect("a list").iter().map(|pack| &pack["id"]).collect();
    assert_eq!(
        ids,
        ["clear-logos-default", "controller-console-x", "controller-console-p", "badges-core"]
    );
    for pack in packs.as_array().expect("a list") {
        assert!(["name", "description"].iter().all(|key| pack[*key].is_string()), "{pack}");
        assert!(pack["kinds"].is_array() && pack["active"] == false, "{pack}");
    }
    for _ in 0..2 {
        let reply = server.post("/api/premium/media-packs/apply", &json!({"id": "badges-core"}));
        assert_eq!(
            (&reply["pack"]["id"], &reply["pack"]["active"]),
            (&json!("badges-core"), &json!(true))
        );
        assert_eq!(reply["settings"]["active_media_packs"], json!(["badges-core"]));
        assert_eq!(reply["settings"]["controller_prompt_pack"], "console-x");
    }
    let body = json!({"id": "controller-console-p"});
    let reply = server.post("/api/v1/premium/media-packs/apply", &body);
    assert_eq!(reply["settings"]["controller_prompt_pack"], "controller-console-p");
    let hint = &reply["settings"]["controller_prompt_hint"];
    assert_eq!(hint, &reply["pack"]["mapping_hint"]);
    let active = json!(["badges-core", "controller-console-p"]);
    assert_eq!(server.get("/api/settings")["active_media_packs"], active);
    for (pack, kinds) in [
        (0, json!(["platform_logo"])),
        (1, json!(["controller_art"])),
        (2, json!(["controller_art"])),
        (3, json!(["badges"])),
    ] {
        assert_eq!(packs[pack]["kinds"], kinds);
    }
    for body in
        [json!({"id": "x"}), json!({"id": ""}), json!({"id": null}), json!({}), json!({"id": 1})]
    {
        let request = Request::post("/api/premium/media-packs/apply", &body);
        assert_eq!(server.send(&request).expect(400).json()["error"], "Unknown media pack.");
    }
    assert_eq!(server.get("/api/settings")["active_media_packs"], active);
}

#[test]
fn platform_categories_show_the_users_choice() {
    let server = Server::start();
    server.post(
        "/api/settings",
        &json!({"platform_categories": {"NES": "Mine", "New": "Other one"}}),
    );
    let categories = server.get("/api/premium/platform-categories")["categories"].clone();
    for (platform, category) in [
        ("NES", "Mine"),
        ("New", "Other one"),
        ("SNES", "Nintendo"),
        ("FinalBurn Neo", "Arcade"),
        ("Game Boy Advance", "Nintendo"),
        ("Nintendo 3DS", "Nintendo"),
        ("PlayStation 3", "Sony"),
        ("Xbox 360", "Microsoft"),
        ("Linux", "Computer"),
        ("MAME", "Arcade"),
        ("PSP", "Sony"),
        ("Xbox", "Microsoft"),
        ("DOS", "Computer"),
        ("ScummVM", "Adventure"),
    ] {
        assert_eq!(categories[platform], category, "{platform}");
    }
}

#[test]
fn entering_the_big_screen_runs_commands_and_leaving_does_not() {
    let server = Server::start();
    let script = server.scratch().script("run me", "echo \"$1\" >> \"${0%/*}/ran\"");
    let commands = json!([format!("'{}' first", script.display()), "/nonexistent/program"]);
    server.post("/api/settings", &json!({"bigscreen_shutdown_commands": commands}));
    let mode = |path: &str, body: Value| server.post(path, &body);
    for body in [json!({"entering": false}), json!({})] {
        assert_eq!(mode("/api/bigscreen/mode", body), json!({"ok": true, "entering": false}));
    }
    let entered = mode("/api/v1/bigscreen/mode", json!({"entering": true}));
    assert_eq!(entered, json!({"ok": true, "entering": true}));
    let ran = server.scratch().path("ran");
    until("the command to run", || ran.exists().then_some(()));
    let text =
        until("its line", || Some(server.scratch().read("ran")).filter(|text| !text.is_empty()));
    assert_eq!(text, b"first\n");
    for entering in [json!("yes"), json!(1), json!([])] {
        let request = Request::post("/api/bigscreen/mode", &json!({"entering": entering}));
        let reply = server.send(&request).expect(400).json();
        assert_eq!(reply["error"], "entering must be true or false.");
    }
}

#[test]
fn the_files_of_the_big_screen_are_those_of_the_settings() {
    let server = Server::start();
    let get = |kind: &str, range: &str| {
        let request = Request::get(&format!("/api/bigscreen/media?kind={kind}"));
        server.send(&if range.is_empty() { request } else { request.header("Range", range) })
    };
    for (kind, setting, name, of_type) in [
        ("startup_video", "bigscreen_startup_video", "intro.mp4", "video/mp4"),
        ("library_music", "library_music", "theme.mp3", "audio/mpeg"),
    ] {
        get(kind, "").expect(404);
        let path = server.scratch().path(name);
        std::fs::write(&path, b"0123456789").expect("a file");
        server.post("/api/settings", &json!({setting: path}));
        let whole = get(kind, "").expect(200);
        assert_eq!(whole.text(), "0123456789");
        assert_eq!(whole.header("Content-Type"), Some(of_type));
        assert_eq!(whole.header("Cache-Control"), Some("private, no-cache"));
        assert_eq!(get(kind, "bytes=2-4").expect(206).text(), "234");
        std::fs::remove_file(&path).expect("removed");
        get(kind, "").expect(404);
    }
    for kind in ["", "cover", "../intro.mp4"] {
        assert_eq!(get(kind, "").expect(404).json()["code"], "MEDIA_NOT_FOUND");
    }
}

#[test]
fn every_platform_of_the_categories_is_described() {
    let server = Server::start();
    let platforms = server.get("/api/v2/platforms")["platforms"].clone();
    let platforms = platforms.as_array().expect("a list");
    let categories = server.get("/api/premium/platform-categories")["categories"].clone();
    assert_eq!(platforms.len(), categories.as_object().expect("an object").len());
    for platform in platforms {
        let name = platform["name"].as_str().expect("a name");
        assert_eq!(categories[name], platform["category"], "{name}");
    }
    let snes = platforms.iter().find(|platform| platform["name"] == "SNES").expect("SNES");
    assert_eq!(snes["maker"], "Nintendo");
    assert_eq!(snes["kind"], "cartridge");
    assert_eq!(
        (&snes["gamedb"], &snes["scraper"], &snes["ach"]),
        (&json!(19), &json!(4), &json!(3))
    );
    assert_eq!(snes["libretro"], "Nintendo - Super Nintendo Entertainment System");
    assert!(snes["own_extensions"].as_array().is_some_and(|list| list.contains(&json!("sfc"))));
}
