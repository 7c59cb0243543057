//! Themes, plugins, updates and metadata: what is installed and set up.

use std::fs;

use serde_json::json;

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

#[test]
fn a_fresh_start_has_nothing_installed_and_every_answer_says_so() {
    let server = Server::start();
    let plugins = server.get("/api/plugins");
    assert_eq!((&plugins["plugins"], &plugins["api_version"]), (&json!([]), &json!(1)));
    let update = server.get("/api/update");
    assert_eq!(update["current"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&update["available"], &update["configured"]), (&json!(false), &json!(false)));
    let status = server.get("/api/metadata/status");
    assert_eq!((&status["ready"], &status["job"]), (&json!(false), &json!({"state": "idle"})));
    assert_eq!(status["coverage"]["matched_ratio"], json!(0.0));
}

#[test]
fn what_is_in_the_data_directory_is_answered() {
    let library = json!({"schema_version": 6, "settings": {"theme": "night",
        "theme_by_platform": {"NES": "day"}}, "games": [
        {"game_id": "a", "name": "A", "metadb_id": "7", "cover": "/no/such.png"},
        {"game_id": "b", "name": "B"}, {"game_id": "c", "name": "C"}]});
    let setup = Setup::new().library(&library.to_string());
    let scratch = setup.scratch();
    scratch.file("data/themes/night.css", "body { color: red }");
    scratch.file("data/metadata/metadb.db", "x");
    scratch.file("data/achievements.json", "body {}");
    let manifest = json!({"id": "good", "name": "Good", "version": "1", "hooks": ["events"]});
    scratch.file("data/plugins/good/plugin.json", manifest.to_string());
    scratch.file("data/plugins/good/plugin.py", "def events(payload):\n    return {}\n");
    scratch.file("data/plugins/bad/plugin.json", "{}");
    let server = setup.start();
    let themes = server.get("/api/themes?platform=NES");
    assert_eq!(
        themes,
        json!({"themes": themes["themes"], "selected": "day", "global": "night",
            "mappings": {"NES": "day"}})
    );
    assert!(themes["themes"].as_array().expect("a list").contains(&json!("night")));
    let reply = server.send(&Request::get("/api/theme.css?name=night")).expect(200);
    assert_eq!(reply.text(), "body { color: red }");
    for path in
        ["/api/theme.css?name=..%2Fachievements", "/api/theme.css?name=none", "/api/theme.css"]
    {
        assert_eq!(server.send(&Request::get(path)).expect(200).text(), "", "{path}");
    }
    let plugins = server.get("/api/plugins");
    let (bad, good) = (&plugins["plugins"][0], &plugins["plugins"][1]);
    assert_eq!((&bad["id"], &bad["valid"]), (&json!("bad"), &json!(false)));
    assert_eq!(bad["error"], "Plugin id, name, and version are required.");
    assert_eq!(
        (&good["valid"], &good["enabled"], &good["trusted"]),
        (&json!(true), &json!(true), &json!(false))
    );
    assert_eq!(good["checksum"].as_str().map(str::len), Some(64));
    let state = json!({"disabled": ["good"], "trust": {"good": {"trusted": true,
        "checksum": good["checksum"]}}});
    fs::write(server.data("plugins/plugins-state.json"), state.to_string()).expect("written");
    let good = server.get("/api/plugins")["plugins"][1].clone();
    assert_eq!(
        (&good["enabled"], &good["trusted"], &good["retrust"]),
        (&json!(false), &json!(true), &json!(false))
    );
    fs::write(server.data("plugins/good/plugin.py"), "changed").expect("written");
    let good = server.get("/api/plugins")["plugins"][1].clone();
    assert_eq!((&good["trusted"], &good["retrust"]), (&json!(false), &json!(true)));
    let status = server.get("/api/metadata/status");
    assert_eq!(status["ready"], true);
    let coverage = &status["coverage"];
    assert_eq!((&coverage["games"], &coverage["matched_games"]), (&json!(3), &json!(1)));
    assert_eq!((&coverage["matched_ratio"], &coverage["with_cover"]), (&json!(0.3333), &json!(0)));
}
