//! What a preview tells by system and folder, and choosing the platform of folders before anything is
//! written.

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::Server,
    setup::{PREVIEW, begin, commit, decide, games, items, scan, settled},
};

/// A service with a tree of folders: two that are named after systems, one that is not.
fn server() -> (Server, String, Value) {
    let server = Server::start();
    let scratch = server.scratch();
    scratch.file("roms/nes/Jump (USA).nes", "1");
    scratch.file("roms/nes/Jump (Japan).nes", "2");
    scratch.file("roms/nes/Run.nes", "3");
    scratch.file("roms/nes/box art/Run.png", "picture");
    scratch.file("roms/psx/Ride.cue", "FILE \"Ride.bin\" BINARY");
    scratch.file("roms/psx/Ride.bin", "track");
    scratch.file("roms/Mixed bag/Sonic.md", "game");
    scratch.file("roms/Mixed bag/Streets.md", "game");
    scratch.file("roms/Mixed bag/README.md", "text");
    scratch.file("roms/Mixed bag/deep/Quest.iso", "disc");
    let root = scratch.path("roms").to_str().expect("UTF-8").to_owned();
    let sources = json!([{"type": "folder", "path": root}]);
    (server, root, sources)
}

fn id(preview: &Value) -> &str {
    preview["preview_id"].as_str().expect("an id")
}

fn folders(server: &Server, preview: &Value) -> Vec<Value> {
    let page = server.get(&format!("{PREVIEW}/folders?preview_id={}", id(preview)));
    assert_eq!(page["next_cursor"], Value::Null);
    page["folders"].as_array().expect("folders").clone()
}

/// Looks again, with these platforms for folders.
fn choose(server: &Server, preview: &Value, sources: &Value, platforms: &Value) -> Value {
    let body = json!({"sources": sources, "replaces": id(preview), "platforms": platforms,
        "keep_decisions": true});
    let begun = server.send(&Request::post(PREVIEW, &body)).expect(202).json();
    settled(server, id(&begun))
}

/// Platform, new games, open ones and further versions of each system.
fn systems(preview: &Value) -> Vec<(&str, [u64; 3])> {
    let rows = preview["systems"].as_array().expect("systems").iter();
    let number = |value: &Value| value.as_u64().expect("a number");
    rows.map(|row| {
        let counts = &row["counts"];
        let numbers = [&counts["additions"], &counts["ambiguities"], &row["versions"]];
        (row["platform"].as_str().expect("a platform"), numbers.map(number))
    })
    .collect()
}

#[test]
fn systems_folders_versions_and_what_is_left_out_are_told() {
    let (server, root, sources) = server();
    let preview = scan(&server, &sources);
    assert_eq!(
        systems(&preview),
        [("", [0, 1, 0]), ("NES", [2, 0, 1]), ("PlayStation", [1, 0, 0])]
    );
    let source = &preview["sources"][0];
    assert_eq!(source["skipped_types"], json!({"md": 3, "png": 1}));
    assert_eq!(
        (&source["unknown"], &source["parts"], &source["unreadable"]),
        (&json!(4), &json!(1), &json!(0))
    );
    let bag = format!("{root}/Mixed bag");
    let folders = folders(&server, &preview);
    assert_eq!(preview["folders"], json!(folders.len()));
    assert_eq!(
        folders[0],
        json!({"source": 0, "path": bag, "platform": null, "is_chosen": false, "games": 1, "open": 1,
            "platforms": [], "skipped": 3, "skipped_types": {"md": 3}}),
        "the one that needs a choice comes first"
    );
    let nes = &folders[1];
    assert_eq!((&nes["platform"], &nes["games"]), (&json!("NES"), &json!(2)));
    assert_eq!(nes["platforms"], json!([{"platform": "NES", "games": 2}]));
    assert_eq!(nes["skipped_types"], json!({"png": 1}));

    let page = |query: &str| {
        let target = format!("{PREVIEW}/items?preview_id={}&{query}", id(&preview));
        server.get(&target)["items"].as_array().expect("items").clone()
    };
    let nes = page("platform=NES&source=0&group=additions");
    let titles: Vec<_> = nes.iter().map(|item| &item["detected_title"]).collect();
    assert_eq!(titles, ["Jump", "Run"]);
    assert_eq!(nes[0]["version_count"], 2);
    assert_eq!(
        nes[0]["versions"],
        json!([format!("{root}/nes/Jump (USA).nes"), format!("{root}/nes/Jump (Japan).nes")])
    );
    assert_eq!((&nes[1]["version_count"], &nes[1]["versions"]), (&json!(1), &json!([])));
    assert_eq!(page("platform=")[0]["detected_title"], "Quest");
    assert_eq!(page("source=1").len(), 0);
}

#[test]
fn a_platform_chosen_for_a_folder_is_applied_and_remembered() {
    let (server, root, sources) = server();
    let first = scan(&server, &sources);
    let before = items(&server, id(&first), 50);
    decide(&server, id(&first), &before, &[("Run", json!({"action": "skip"}))]);
    let bag = format!("{root}/Mixed bag");
    let preview = choose(&server, &first, &sources, &json!({&bag: "sega genesis"}));
    assert_eq!(preview["platforms"], json!({&bag: "Sega Genesis"}));
    assert_eq!(
        systems(&preview),
        [("Sega Genesis", [3, 0, 0]), ("NES", [2, 0, 1]), ("PlayStation", [1, 0, 0])]
    );
    assert_eq!(preview["sources"][0]["skipped_types"], json!({"md": 1, "png": 1}));
    let chosen = folders(&server, &preview);
    let chosen = chosen.iter().find(|row| row["path"] == json!(bag)).expect("the folder");
    assert_eq!((&chosen["platform"], &chosen["is_chosen"]), (&json!("Sega Genesis"), &json!(true)));
    let run = items(&server, id(&preview), 50);
    let run = run.iter().find(|item| item["detected_title"] == "Run").expect("the game");
    assert_eq!(run["decision"]["action"], "skip", "decisions are kept");
    assert_eq!(server.get("/api/settings")["folder_platforms"], json!({}), "nothing is written");

    let done = commit(&server, id(&preview));
    assert_eq!((&done["result"]["added"], &done["result"]["skipped"]), (&json!(5), &json!(1)));
    let library = games(&server);
    let genesis = library.iter().filter(|game| game["platform"] == "Sega Genesis");
    assert_eq!(genesis.count(), 3);
    let kept = json!({&bag: "Sega Genesis"});
    assert_eq!(server.get("/api/settings")["folder_platforms"], kept);

    // Later scans know the choice: a watch folder brings nothing back, and new files have the platform.
    let again = server.post("/api/import", &json!({"folder": root}));
    assert_eq!(
        (&again["found"], &again["added"]),
        (&json!(6), &json!(1)),
        "only what was left out"
    );
    server.scratch().file("roms/Mixed bag/later/New.bin", "game");
    let inner = format!("{bag}/later");
    assert_eq!(server.post("/api/import", &json!({"folder": inner}))["added"], 1);
    let new = games(&server).into_iter().find(|game| game["name"] == "New").expect("imported");
    assert_eq!(new["platform"], "Sega Genesis");

    // A choice that is reset no longer counts.
    let preview = scan(&server, &sources);
    assert_eq!(preview["counts"]["duplicates"], 7);
    let preview = choose(&server, &preview, &sources, &json!({&bag: ""}));
    assert_eq!(preview["sources"][0]["skipped_types"], json!({"bin": 1, "md": 3, "png": 1}));
    commit(&server, id(&preview));
    assert_eq!(server.get("/api/settings")["folder_platforms"], json!({}));
}

#[test]
fn a_choice_that_cannot_be_meant_is_refused() {
    let (server, root, sources) = server();
    let kept = scan(&server, &sources);
    for (platforms, error) in [
        (json!({&root: "Jump Station"}), "Unknown platform: Jump Station"),
        (json!({"roms": "NES"}), "Folder must be an absolute path: roms"),
        (json!({&root: 7}), "Unknown platform: 7"),
    ] {
        let body = json!({"sources": sources, "platforms": platforms, "replaces": id(&kept)});
        let refusal = server.send(&Request::post(PREVIEW, &body)).expect(400).json();
        assert_eq!((&refusal["code"], &refusal["error"]), (&json!("BAD_REQUEST"), &json!(error)));
    }
    let still = server.get(&format!("{PREVIEW}?preview_id={}", id(&kept)));
    assert_eq!(still["state"], "ready", "nothing was replaced");
}

#[test]
fn a_plan_whose_choice_no_longer_decides_the_same_is_stale() {
    let (server, root, sources) = server();
    let bag = format!("{root}/Mixed bag");
    let body = json!({"sources": sources, "platforms": {&bag: "Sega Genesis"}});
    let begun = server.send(&Request::post(PREVIEW, &body)).expect(202).json();
    let preview = settled(&server, id(&begun));
    server.scratch().file("roms/Mixed bag/More.md", "game");
    let done = commit(&server, id(&preview));
    assert_eq!(done["error_detail"]["code"], "PREVIEW_STALE");
    assert_eq!(games(&server).len(), 0);
    assert_eq!(server.get("/api/settings")["folder_platforms"], json!({}));
}

#[test]
fn folders_come_in_pages() {
    let server = Server::start();
    for number in 0..7 {
        server.scratch().file(format!("roms/folder {number}/a{number}.nes"), "game");
    }
    let preview =
        begin(&server, &json!([{"type": "folder", "path": server.scratch().path("roms")}]));
    let preview = settled(&server, id(&preview));
    let target = format!("{PREVIEW}/folders?preview_id={}&limit=3", id(&preview));
    let (mut paths, mut cursor) = (Vec::new(), String::new());
    for expected in [3, 3, 1] {
        let page = server.get(&format!("{target}&cursor={cursor}"));
        let rows = page["folders"].as_array().expect("folders");
        assert_eq!(rows.len(), expected);
        paths.extend(rows.iter().map(|row| row["path"].clone()));
        cursor = page["next_cursor"].as_str().unwrap_or_default().to_owned();
    }
    assert!(cursor.is_empty() && paths.is_sorted_by_key(ToString::to_string));
    let foreign = format!("{PREVIEW}/items?preview_id={}&cursor=", id(&preview));
    let page = server.get(&target);
    let cursor = page["next_cursor"].as_str().expect("a cursor");
    server.send(&Request::get(&format!("{foreign}{cursor}"))).expect(409);
}
