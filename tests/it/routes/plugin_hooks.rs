//! What the hooks of plugins do: each example of the repository is installed and run.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{
    client::{Reply, Request},
    plugin::{
        Package, go, has_python, has_sandbox, install_example, logged, open_server, open_setup,
        refused,
    },
    receiver::Receiver,
    server::{Server, Setup},
    toy::Toy,
    wait::until,
};

/// A server that shuts plugins in where this machine can, and otherwise runs them openly.
fn server() -> Option<Server> {
    if has_sandbox() { Some(Setup::new().start()) } else { open_server() }
}

fn add_game(server: &Server, name: &str, more: &Value) -> String {
    let mut game = json!({"name": name});
    game.as_object_mut().expect("it").extend(more.as_object().expect("an object").clone());
    let saved = server.post("/api/v2/library/manual-entry", &json!({"game": game}));
    saved["game_id"].as_str().expect("an id").to_owned()
}

fn names(server: &Server) -> Vec<String> {
    let library = server.get("/api/library");
    let games = library["games"].as_array().expect("a list").iter();
    games.map(|game| game["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn the_example_of_a_command_greets() {
    let Some(server) = server() else { return };
    add_game(&server, "A", &json!({}));
    install_example(&server, "service.hello-palette");
    let commands = server.get("/api/v2/plugins/commands");
    let command = json!({"id": "hello", "label": "Say hello", "plugin_id": "service.hello-palette",
        "description": "Greets and counts the games of the library.", "source": "manifest"});
    assert_eq!((&commands["api_version"], &commands["commands"]), (&json!(1), &json!([command])));
    let id = "service.hello-palette";
    server.post("/api/v2/plugins/settings", &json!({"id": id, "values": {"name": "Ada"}}));
    let run =
        Request::post("/api/v2/plugins/command", &json!({"plugin_id": id, "command": "hello"}));
    let reply = until("the command", || {
        let reply = server.send(&run);
        (reply.status == 200).then(|| reply.json())
    });
    let message = json!({"level": "success", "message": "Hello Ada, you have 1 games."});
    assert_eq!(reply["notification"], message);
    assert_eq!(reply["result"], json!({"games": 1, "favorites": [], "notification": message}));
    assert_eq!(
        (&reply["ok"], &reply["plugin_id"], &reply["command"]),
        (&json!(true), &json!(id), &json!("hello"))
    );
    let other = json!({"plugin_id": id, "command": "other"});
    let undeclared = "This plugin does not declare that command.";
    refused(&server, &Request::post("/api/v2/plugins/command", &other), undeclared);
    server.post("/api/plugins/toggle", &json!({"id": id, "enabled": false}));
    refused(&server, &run, "Plugin is disabled.");
    assert_eq!(server.get("/api/v2/plugins/commands")["commands"], json!([]));
}

#[test]
fn a_plugin_that_is_off_shows_nothing_whatever_changed_before() {
    let Some(server) = server() else { return };
    add_game(&server, "Comet", &json!({"year": "1994-11-01"}));
    let id = "service.year-titles";
    install_example(&server, id);
    until("the title", || (names(&server) == ["Comet (1994)"]).then_some(()));
    for _ in 0..3 {
        // The hook runs again because of the first change, and ends after the second one.
        server.post("/api/v2/plugins/trust", &json!({"id": id, "trusted": false}));
        server.post("/api/plugins/toggle", &json!({"id": id, "enabled": false}));
        assert_eq!(names(&server), ["Comet"]);
        server.post("/api/plugins/toggle", &json!({"id": id, "enabled": true}));
        until("the title", || (names(&server) == ["Comet (1994)"]).then_some(()));
    }
}

#[test]
fn the_example_of_a_library_hook_shows_years_and_changes_nothing() {
    let Some(server) = server() else { return };
    let id = add_game(&server, "Comet", &json!({"year": "1994-11-01"}));
    add_game(&server, "Tower", &json!({}));
    install_example(&server, "service.year-titles");
    until("the titles", || (names(&server) == ["Comet (1994)", "Tower"]).then_some(()));
    let page = server.get("/api/library?offset=0&limit=1");
    assert_eq!(
        (&page["games"][0]["name"], &page["total_count"]),
        (&json!("Comet (1994)"), &json!(2))
    );
    let delta = server.get(&format!("/api/library/delta?ids={id}"));
    assert_eq!(delta["games"][0]["name"], "Comet (1994)");
    let zipped = Request::get("/api/library").header("Accept-Encoding", "gzip");
    let zipped = server.send(&zipped).expect(200).json();
    assert_eq!(zipped["games"], server.get("/api/library")["games"]);
    let stored = fs::read_to_string(server.data("library.json")).unwrap_or_default();
    assert!(!stored.contains("(1994)"));
    // An edit is seen at once or as soon as the hook has seen it; the old title never again.
    server.post("/api/game", &json!({"game_id": id, "game": {"game_id": id, "name": "Nova"}}));
    assert!(names(&server)[0].starts_with("Nova"));
    until("the new title", || (names(&server)[0] == "Nova (1994)").then_some(()));
    let tag = |reply: Reply| reply.header("ETag").map(str::to_owned);
    let before = tag(server.send(&Request::get("/api/library")));
    let style = json!({"id": "service.year-titles", "values": {"style": "[1994]"}});
    server.post("/api/v2/plugins/settings", &style);
    until("the other style", || (names(&server)[0] == "Nova [1994]").then_some(()));
    assert_ne!(tag(server.send(&Request::get("/api/library"))), before);
    server.post("/api/plugins/remove", &json!({"id": "service.year-titles"}));
    until("the library as it is", || (names(&server) == ["Nova", "Tower"]).then_some(()));
}

#[test]
fn a_library_hook_that_returns_something_else_is_passed_over() {
    let Some(server) = open_server() else { return };
    add_game(&server, "A", &json!({}));
    let good = "def library(payload):\n    for game in payload['games']:\n        game['name'] += '!'\n    return payload\n";
    Package::new("a.good").hooks(&["library"]).code(good).install(&server);
    for (id, result) in
        [("b.short", "{'games': []}"), ("c.odd", "{'games': [1]}"), ("d.none", "{}")]
    {
        let code = format!("def library(payload):\n    return {result}\n");
        Package::new(id).hooks(&["library"]).code(&code).install(&server);
    }
    until("the good one", || (names(&server) == ["A!"]).then_some(()));
    until("the log", || (logged(&server, "plugin c.odd: library: it returned") > 0).then_some(()));
}

#[test]
fn a_library_hook_changes_no_identity() {
    let Some(server) = open_server() else { return };
    let id = add_game(&server, "A", &json!({}));
    let code = "def library(payload):\n    games = payload['games']\n    \
        return {'games': [{**game, 'id': 9, 'game_id': 'x', 'name': 'A!'} for game in games]}\n";
    Package::new("a.renamer").hooks(&["library"]).code(code).install(&server);
    until("the other name", || (names(&server) == ["A!"]).then_some(()));
    let game = server.get("/api/library")["games"][0].clone();
    assert_eq!((&game["id"], &game["game_id"]), (&json!(0), &json!(id)));
    let delta = server.get(&format!("/api/library/delta?ids={id}"));
    assert_eq!(delta["games"][0]["name"], "A!");
    assert!(logged(&server, "plugin a.renamer: library: it changed id or game_id") > 0);
}

#[test]
fn the_example_of_a_source_adds_games_that_cannot_be_edited() {
    let Some(server) = server() else { return };
    add_game(&server, "A", &json!({}));
    install_example(&server, "service.wish-list");
    let all = ["A", "Comet Rangers II", "Tower of Glass"];
    until("the wishes", || (names(&server) == all).then_some(()));
    let library = server.get("/api/library");
    let game = &library["games"][1];
    let id = "plugin:service.wish-list:comet rangers ii";
    assert_eq!((&game["id"], &game["game_id"]), (&json!(1), &json!(id)));
    assert_eq!(
        (&game["plugin_source"], &game["plugin_source_name"]),
        (&json!("service.wish-list"), &json!("Wish List"))
    );
    assert_eq!((&game["platform"], &game["entry_type"]), (&json!("SNES"), &json!("shelf")));
    let page = server.get("/api/library?offset=1&limit=5");
    assert_eq!(
        (&page["total_count"], &page["games"][1]["name"]),
        (&json!(3), &json!("Tower of Glass"))
    );
    let asked = "plugin%3Aservice.wish-list%3Acomet%20rangers%20ii";
    let delta = server.get(&format!("/api/library/delta?ids={asked}"));
    assert_eq!(delta["games"][0]["name"], "Comet Rangers II");
    let edit = Request::post("/api/game/delete", &json!({"game_id": id}));
    assert!(server.send(&edit).json()["error"].as_str().is_some_and(|it| it.contains("not found")));
    server.post("/api/plugins/toggle", &json!({"id": "service.wish-list", "enabled": false}));
    until("the library alone", || (names(&server) == ["A"]).then_some(()));
}

#[test]
fn a_source_is_bounded_and_bad_entries_are_left_out() {
    let Some(server) = open_server() else { return };
    let code = "def library_source(payload):\n    assert payload == {'api_version': 1}, payload\n    \
        rows = [{'id': 'x', 'name': 'First'}, {'id': 'x', 'name': 'Twice'}, 7, {'id': 'y'},\n        \
        {'id': 'z', 'name': 'Z', 'path': 'relative'}]\n    \
        return {'games': rows + [{'name': f'n{at}'} for at in range(600)]}\n";
    Package::new("a.many").hooks(&["library_source"]).code(code).install(&server);
    let seen = until("its games", || Some(names(&server)).filter(|names| !names.is_empty()));
    assert_eq!((seen.len(), seen[0].as_str(), seen[1].as_str()), (496, "First", "n0"));
    let list = "def library_source(payload):\n    return [{'name': 'x'}]\n";
    Package::new("b.list").hooks(&["library_source"]).code(list).install(&server);
    let refused = "plugin b.list: library_source: it returned no list";
    until("the log", || {
        names(&server);
        (logged(&server, refused) > 0).then_some(())
    });
}

#[test]
fn the_example_of_a_launch_hook_adds_words_and_cancels() {
    let Some(server) = server() else { return };
    let script =
        "echo \"$@\" > args; echo $$ > up.new; mv up.new up; read -r code < gate; exit \"$code\"";
    let toy = Toy::with_script(server.scratch(), "game", "game.sh", script);
    let launch = format!("{} --one", toy.path.display());
    let id = toy.add(&server, "A", &json!({"platform": "NES", "launch": launch}));
    install_example(&server, "service.launch-words");
    server.post("/api/launch", &json!({"game_id": id}));
    toy.pid();
    let args = fs::read_to_string(toy.folder.join("args")).expect("its words");
    assert_eq!(args, "--one --fullscreen\n");
    toy.end(0);
    until("the end", || server.get("/api/running")["running"].as_array()?.is_empty().then_some(()));
    server.post("/api/tags", &json!({"ids": [id], "tags_add": ["not yet"]}));
    let launch = Request::post("/api/launch", &json!({"game_id": id}));
    refused(&server, &launch, "A has the tag 'not yet'.");
    assert_eq!(server.get("/api/running")["running"], json!([]));
}

#[test]
fn a_launch_hook_that_goes_too_far_changes_nothing() {
    let Some(server) = open_server() else { return };
    let toy = Toy::new(server.scratch(), "game", "game.sh");
    let id = toy.add(&server, "A", &json!({}));
    for (plugin, result) in [
        ("a.other", "{'args': ['/bin/true']}"),
        ("b.folder", "{'args': payload['args'], 'cwd': '/etc'}"),
        ("c.empty", "{'args': []}"),
        ("d.raises", "1 / 0"),
    ] {
        let code = format!("def before_launch(payload):\n    return {result}\n");
        Package::new(plugin).hooks(&["before_launch"]).code(&code).install(&server);
    }
    server.post("/api/launch", &json!({"game_id": id}));
    toy.pid();
    toy.end(0);
    for line in [
        "plugin a.other: A plugin returned an invalid launch command.",
        "plugin b.folder: A plugin returned an invalid working directory.",
        "plugin c.empty: A plugin returned an invalid launch command.",
        "plugin d.raises: before_launch: Plugin exited with status 1: ",
    ] {
        assert!(logged(&server, line) > 0 || logged(&server, "did not end within") > 0, "{line}");
    }
    let plain = "def before_launch(payload):\n    return {'cancel': True}\n";
    Package::new("e.no").hooks(&["before_launch"]).code(plain).install(&server);
    until("the end", || server.get("/api/running")["running"].as_array()?.is_empty().then_some(()));
    let launch = Request::post("/api/launch", &json!({"game_id": id}));
    refused(&server, &launch, "Launch canceled by a plugin.");
}

#[test]
fn a_launch_that_a_plugin_cancels_had_its_power_limit_and_gives_it_back() {
    if !has_python() {
        return;
    }
    let setup = open_setup();
    let told = setup.scratch().path("told");
    let tell = format!("echo \"$*\" >> '{}'", told.display());
    let tool = setup.scratch().script("bin/ryzenadj", &tell);
    let folder = tool.parent().expect("a folder").display().to_string();
    let server = setup.env("PATH", format!("{folder}:/usr/bin:/bin")).start();
    server.post("/api/settings", &json!({"apply_perf": "always"}));
    let limits = json!({"Linux": {"enabled": true, "tdp_w": 8.5, "restore_tdp_w": 15}});
    server.post("/api/perf_profiles", &json!({"perf_profiles": limits}));
    let toy = Toy::new(server.scratch(), "game", "game.sh");
    let id = toy.add(&server, "A", &json!({"platform": "Linux"}));
    let code = "def before_launch(payload):\n    return {'cancel': True}\n";
    Package::new("a.no").hooks(&["before_launch"]).code(code).install(&server);
    let launch = Request::post("/api/launch", &json!({"game_id": id}));
    refused(&server, &launch, "Launch canceled by a plugin.");
    let said = fs::read_to_string(told).expect("the tool was called");
    assert_eq!(said, "-stapm-limit=8500\n-stapm-limit=15000\n");
    let sessions = server.get("/api/running");
    assert_eq!((&sessions["running"], &sessions["abandoned"]), (&json!([]), &json!([])));
    server.post("/api/plugins/remove", &json!({"id": "a.no"}));
    server.post("/api/launch", &json!({"game_id": id}));
    toy.pid();
    toy.end(0);
}

#[test]
fn the_example_of_a_session_hook_writes_a_line_into_the_log() {
    let Some(server) = server() else { return };
    install_example(&server, "service.library-stats");
    let toy = Toy::new(server.scratch(), "game", "game.sh");
    let id = toy.add(&server, "Comet", &json!({}));
    let line = "plugin service.library-stats: after_session: Comet: 0 minutes, ended with code 3";
    until("the line", || {
        server.post("/api/launch", &json!({"game_id": id}));
        toy.pid();
        toy.end(3);
        until("the end", || {
            server.get("/api/running")["running"].as_array()?.is_empty().then_some(())
        });
        toy.forget();
        until("an outcome", || {
            let outcome = logged(&server, "plugin service.library-stats");
            (outcome > 0).then_some(())
        });
        (logged(&server, line) > 0).then_some(())
    });
}

/// The first event of this name that a recorder wrote down.
fn told(path: &Path, event: &str) -> Value {
    until(event, || {
        let text = fs::read_to_string(path).unwrap_or_default();
        let mut events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        events.find(|told| told["event"] == event)
    })
}

/// A plugin that appends every event to a file; it needs no sandbox.
fn recorder(path: &Path) -> Package {
    let code = format!(
        "import json\ndef events(payload):\n    with open({path:?}, 'a') as out:\n        \
         out.write(json.dumps(payload) + '\\n')\n    return {{}}\n",
        path = path.display().to_string()
    );
    Package::new("a.recorder").hooks(&["events"]).code(&code)
}

#[test]
fn every_event_is_told() {
    if !has_python() {
        return;
    }
    let setup = open_setup();
    let path = setup.scratch().path("events");
    recorder(&path).write(setup.scratch(), "data/plugins/a.recorder");
    setup.scratch().file("roms/Game.nes", "x");
    let mut server = setup.start();
    let told = |event: &str| told(&path, event);
    assert_eq!(told("app_startup"), json!({"event": "app_startup"}));
    let id = add_game(&server, "A", &json!({}));
    assert_eq!(told("game_added"), json!({"event": "game_added", "game_ids": [id]}));
    server.post(
        "/api/game",
        &json!({"game_id": id, "game": {"game_id": id, "name": "B", "genre": "x"}}),
    );
    let changes = json!([{"game_id": id, "changed": ["name"]}]);
    assert_eq!(told("game_updated"), json!({"event": "game_updated", "changes": changes}));
    server.post("/api/game/delete", &json!({"game_id": id}));
    assert_eq!(told("game_removed"), json!({"event": "game_removed", "game_ids": [id]}));
    let folder = server.scratch().path("roms");
    server.post("/api/import", &json!({"folder": folder}));
    let scanned = json!({"event": "scan_finished", "folder": folder, "added": 1, "scanned": 1});
    assert_eq!(told("scan_finished"), scanned);
    server.stop();
    assert_eq!(told("app_shutdown"), json!({"event": "app_shutdown"}));
}

#[test]
fn a_milestone_is_told() {
    if !has_python() {
        return;
    }
    let setup = open_setup();
    let path = setup.scratch().path("events");
    recorder(&path).write(setup.scratch(), "data/plugins/a.recorder");
    let toy = Toy::new(setup.scratch(), "game", "game.sh");
    let game = json!({"game_id": "a", "name": "A", "path": toy.path, "playtime_seconds": 7_199});
    let library = json!({"schema_version": 6, "settings": {}, "games": [game]});
    let server = setup.library(&library.to_string()).start();
    server.post("/api/launch", &json!({"game_id": "a"}));
    toy.pid();
    toy.end(0);
    let milestone = told(&path, "playtime_milestone");
    assert_eq!(
        (&milestone["game_id"], &milestone["name"], &milestone["hours"]),
        (&json!("a"), &json!("A"), &json!(2))
    );
    assert!(milestone["playtime_seconds"].as_u64().is_some_and(|seconds| seconds >= 7_200));
}

#[test]
fn the_example_of_events_posts_them() {
    if !has_sandbox() {
        return;
    }
    let server = Server::start();
    let receiver = Receiver::new();
    install_example(&server, "service.event-relay");
    let id = "service.event-relay";
    let values = json!({"address": receiver.url()});
    server.post("/api/v2/plugins/settings", &json!({"id": id, "values": values}));
    server.post("/api/v2/plugins/permissions", &json!({"id": id, "permissions": ["network"]}));
    let game = add_game(&server, "A", &json!({}));
    let delivery = receiver.next();
    let event = delivery.json();
    delivery.answer(200, "");
    assert_eq!(event, json!({"event": "game_added", "game_ids": [game]}));
}

#[test]
fn safe_mode_runs_nothing() {
    let setup = open_setup().env("SERVICE_SAFE_MODE", "1");
    let code = "def library_source(payload):\n    return {'games': [{'name': 'x'}]}\n";
    let package = Package::new("a.source").hooks(&["library_source", "events", "before_launch"]);
    package.code(code).write(setup.scratch(), "data/plugins/a.source");
    Package::command("b.go", "return {}").write(setup.scratch(), "data/plugins/b.go");
    let server = setup.start();
    assert_eq!(names(&server), Vec::<String>::new());
    assert_eq!(go(&server, "b.go"), Err("Plugins are switched off in safe mode.".to_owned()));
    assert_eq!(server.get("/api/plugins")["plugins"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_package_that_waits_to_be_replaced_comes_back_after_a_kill() {
    let setup = Setup::new();
    let stamp = "a.b-20260101-101010-000001";
    Package::new("a.b").write(setup.scratch(), &format!("data/plugins/.backups/{stamp}"));
    Package::new("a.b").version("2").write(setup.scratch(), "data/plugins/.a.b.installing");
    setup.scratch().file("data/plugins/.0011.unpacking/x", "");
    let server = setup.start();
    let plugins = server.get("/api/plugins")["plugins"].clone();
    assert_eq!((&plugins[0]["id"], &plugins[0]["version"]), (&json!("a.b"), &json!("1")));
    for gone in [".a.b.installing", ".0011.unpacking"] {
        assert!(!server.data("plugins").join(gone).exists(), "{gone}");
    }
}
