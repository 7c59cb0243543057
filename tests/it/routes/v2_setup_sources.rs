//! Setup previews of every source that is no plain folder: what other programs keep on this machine,
//! and the library server. Each goes the whole way, from the scan to the rows, and again.

use std::{fs, path::Path};

use serde_json::{Map, Value, json};

use super::{
    importers::{sfo, with_tools},
    libserver::{Shop, install},
};
use crate::support::{
    client::Request,
    server::{Server, Setup},
    setup::{PREVIEW, commit, decide, games, items, scan, settled},
};

/// One source on its way into the library.
struct Story<'a> {
    source: Value,
    /// Title, platform and group of every candidate, in their order.
    candidates: &'a [(&'a str, Value, &'a str)],
    /// What the user says, by title.
    decisions: &'a [(&'a str, Value)],
    /// Added, merged, skipped, excluded, failed.
    counts: [u64; 5],
    /// The fields of every row that are looked at.
    rows: Value,
    /// What a second preview finds: duplicates and what was left out on purpose.
    known: u64,
    left: u64,
}

fn id(preview: &Value) -> &str {
    preview["preview_id"].as_str().expect("an id")
}

/// Whether the files of the library speak of a title.
fn is_written(server: &Server, title: &str) -> bool {
    ["library.json", "library.log"].iter().any(|file| {
        let text = fs::read_to_string(server.data(file)).unwrap_or_default();
        text.contains(title)
    })
}

#[track_caller]
fn check_counts(document: &Value, expected: [u64; 5]) {
    let names = ["added", "merged", "skipped", "excluded", "failed"];
    let found = names.map(|name| document["result"][name].as_u64());
    assert_eq!((&document["state"], found), (&json!("done"), expected.map(Some)), "{document}");
}

/// The fields of the rows that an expectation names.
fn shown(rows: &[Value], expected: &Value) -> Value {
    let expected = expected.as_array().expect("rows");
    let shown = rows.iter().enumerate().map(|(at, row)| {
        let keys = expected.get(at).and_then(Value::as_object).cloned().unwrap_or_default();
        keys.keys().map(|key| (key.clone(), row[key].clone())).collect::<Map<_, _>>()
    });
    shown.map(Value::from).collect()
}

/// Scans, looks, decides, looks whether anything changed, commits; then all of it once more.
#[track_caller]
fn check(server: &Server, story: &Story<'_>) {
    let before = games(server);
    let sources = json!([story.source]);
    let preview = scan(server, &sources);
    assert_eq!(preview["state"], "ready", "{preview}");
    assert_eq!(preview["sources"][0].get("error"), None, "{preview}");
    let all = items(server, id(&preview), 2);
    let found: Vec<_> = all
        .iter()
        .map(|item| {
            let text = |key: &str| item[key].as_str().expect("text");
            (text("detected_title"), item["detected_platform"].clone(), text("group"))
        })
        .collect();
    assert_eq!(found, story.candidates);
    if !story.decisions.is_empty() {
        decide(server, id(&preview), &all, story.decisions);
    }
    let body = json!({"preview_id": id(&preview)});
    server.send(&Request::post(&format!("{PREVIEW}/revalidate"), &body)).expect(202);
    let valid = settled(server, id(&preview));
    assert_eq!(
        (&valid["revalidated"], &valid["state"]),
        (&json!(true), &json!("ready")),
        "{valid}"
    );
    assert_eq!(games(server), before, "nothing before the commit");
    for (title, ..) in story.candidates {
        assert!(!is_written(server, title), "{title} before the commit");
    }

    let document = commit(server, id(&preview));
    check_counts(&document, story.counts);
    let rows = games(server);
    assert_eq!(shown(&rows, &story.rows), story.rows);
    let batch = document["result"]["import_batch_id"].clone();
    assert_eq!(batch.as_str().map(str::len), Some(32));
    let stamped = rows.iter().filter(|row| row["import_batch_id"] == batch).count();
    assert_eq!(stamped as u64, story.counts[0], "every new row knows its import");

    let next = scan(server, &sources);
    let count = |group: &str| next["counts"][group].as_u64().expect("a count");
    let open = count("additions") + count("unsupported") + count("ambiguities");
    let known = count("duplicates") + count("exclusions");
    assert_eq!((known, open), (story.known, story.left), "{next}");
    if story.left == 0 {
        check_counts(&commit(server, id(&next)), {
            let excluded = next["counts"]["exclusions"].as_u64().expect("a count");
            [0, 0, story.known - excluded, excluded, 0]
        });
        assert_eq!(games(server), rows, "twice adds nothing");
    }
}

#[test]
fn executables_of_a_console() {
    let setup = with_tools(&[("xenia", "exit 0")]);
    let server = setup.start();
    let scratch = server.scratch();
    let blue = scratch.file("x360/Blue_Dragon/default.xex", "XEX2");
    let other = scratch.file("x360/deep/er/Other_Game.xbe", "XBEH");
    scratch.file("x360/readme.txt", "no game");
    let folder = scratch.path("x360");
    let platform = json!("Xbox 360");
    check(
        &server,
        &Story {
            source: json!({"type": "console-x", "path": folder}),
            candidates: &[
                ("Blue Dragon", platform.clone(), "additions"),
                ("Other Game", platform, "additions"),
            ],
            decisions: &[("Other Game", json!({"action": "import"}))],
            counts: [2, 0, 0, 0, 0],
            rows: json!([
                {"name": "Blue Dragon", "platform": "Xbox 360", "path": blue, "source": "Xbox 360",
                    "collection": "Xbox 360", "launch": "xenia --launch {path}", "progress": "Playing"},
                {"name": "Other Game", "platform": "Xbox 360", "path": other, "source": "Xbox 360",
                    "launch": "xenia --launch {path}"},
            ]),
            known: 2,
            left: 0,
        },
    );
    let again = server.post("/api/import/console-x", &json!({"folder": folder}));
    assert_eq!(again, json!({"added": 0, "found": 2}), "the other way knows them too");
}

#[test]
fn games_of_the_adventure_engine() {
    let setup = with_tools(&[]);
    let ini = "[scummvm]\nversion=2\n[monkey]\ndescription=Secret of the Island\npath=/g/m\n[cloud]\nx=1\n\
        [sky two]\nengineid=sky\n[old]\ndescription=Old One\npath=/g/o\n";
    let file = setup.scratch().file("home/.config/scummvm/scummvm.ini", ini);
    let server = setup.start();
    let platform = json!("ScummVM");
    check(
        &server,
        &Story {
            source: json!({"type": "engine-library"}),
            candidates: &[
                ("Secret of the Island", platform.clone(), "additions"),
                ("sky two", platform.clone(), "additions"),
                ("Old One", platform, "additions"),
            ],
            decisions: &[("Old One", json!({"action": "skip"}))],
            counts: [2, 0, 1, 0, 0],
            rows: json!([
                {"name": "Secret of the Island", "platform": "ScummVM", "path": "/g/m", "genre": "Adventure",
                    "source": "ScummVM", "launch": "scummvm monkey"},
                {"name": "sky two", "platform": "ScummVM", "path": file, "launch": "scummvm 'sky two'"},
            ]),
            known: 2,
            left: 1,
        },
    );
    let rest = server.import("/api/import/engine-library", &json!({}));
    assert_eq!(rest, json!({"added": 1, "found": 3}), "what was skipped once can still come");
}

#[test]
fn titles_of_the_first_console_emulator() {
    let setup = with_tools(&[]);
    let scratch = setup.scratch();
    let root = "home/.var/app/net.rpcs3.RPCS3/config/rpcs3/dev_hdd0/game";
    scratch.file(format!("{root}/BLES1/PARAM.SFO"), sfo("Disc Game"));
    // A file that was cut off names nothing; its folder does.
    scratch.file(format!("{root}/NP 2/PARAM.SFO"), &sfo("Never Read")[..30]);
    scratch.file(format!("{root}/cache/data"), "no title");
    let path = |name: &str| scratch.path(root).join(name);
    let (one, two) = (path("BLES1"), path("NP 2"));
    let server = setup.start();
    let platform = json!("PlayStation 3");
    let chosen = json!({"action": "import", "launch_setup": "adapter", "emulator_id": "net.rpcs3.RPCS3",
        "adapter_id": "rpcs3-ps3"});
    check(
        &server,
        &Story {
            source: json!({"type": "emu-library-1"}),
            candidates: &[
                ("Disc Game", platform.clone(), "additions"),
                ("NP 2", platform, "additions"),
            ],
            decisions: &[("NP 2", chosen)],
            counts: [2, 0, 0, 0, 0],
            rows: json!([
                {"name": "Disc Game", "platform": "PlayStation 3", "path": one, "source": "RPCS3",
                    "collection": "RPCS3", "launch": format!("rpcs3 {}", one.display())},
                {"name": "NP 2", "platform": "PlayStation 3", "path": two,
                    "launch": format!("rpcs3 '{}'", two.display())},
            ]),
            known: 2,
            left: 0,
        },
    );
    let again = server.post("/api/import/emu-library-1", &json!({}));
    assert_eq!(again, json!({"added": 0, "found": 2}));
}

#[test]
fn titles_of_the_second_console_emulator() {
    let setup = with_tools(&[]);
    let scratch = setup.scratch();
    let root = "home/.local/share/Vita3K/Vita3K/ux0/app";
    scratch.file(format!("{root}/PCSA00001/sce_sys/param.sfo"), sfo("App Game"));
    scratch.file(format!("{root}/PCSA00002/sce_sys/param.sfo"), sfo("PCSB99999"));
    scratch.folder(format!("{root}/PCSA00003"));
    let path = |name: &str| scratch.path(root).join(name);
    let (one, two) = (path("PCSA00001"), path("PCSA00002"));
    let server = setup.start();
    let platform = json!("PlayStation Vita");
    check(
        &server,
        &Story {
            source: json!({"type": "emu-library-2", "label": "Handheld"}),
            candidates: &[
                ("App Game", platform.clone(), "additions"),
                ("PCSA00002", platform.clone(), "additions"),
                ("PCSA00003", platform, "additions"),
            ],
            decisions: &[("PCSA00003", json!({"action": "skip"}))],
            counts: [2, 0, 1, 0, 0],
            rows: json!([
                {"name": "App Game", "platform": "PlayStation Vita", "path": one, "source": "Vita3K", "launch": ""},
                {"name": "PCSA00002", "platform": "PlayStation Vita", "path": two, "launch": ""},
            ]),
            known: 2,
            left: 1,
        },
    );
    let rest = server.import("/api/import/emu-library-2", &json!({}));
    assert_eq!(rest, json!({"added": 1, "found": 3}));
}

#[test]
fn games_and_prefixes_of_the_wrapper_launcher() {
    let setup = with_tools(&[]);
    let scratch = setup.scratch();
    let base = "home/.config/faugus-launcher";
    let one = scratch.file("games/my one.exe", "MZ");
    let prefix = scratch.folder("home/prefix one");
    let game = json!({"title": "One", "GAMEID": "umu-1", "exe": one, "WINEPREFIX": prefix, "proton": "GE"});
    scratch.file(format!("{base}/games/one.json"), game.to_string());
    scratch.file(format!("{base}/broken.json"), "{\"title\": ");
    scratch.folder(format!("{base}/prefixes/my-two/drive_c"));
    let two = scratch.path(base).join("prefixes/my-two");
    let server = setup.start();
    let platform = json!("Windows");
    check(
        &server,
        &Story {
            source: json!({"type": "wrapper"}),
            // A prefix without a game starts nothing, so it needs a decision.
            candidates: &[
                ("My Two", platform.clone(), "unsupported"),
                ("One", platform, "additions"),
            ],
            decisions: &[("My Two", json!({"action": "import"}))],
            counts: [2, 0, 0, 0, 0],
            rows: json!([
                {"name": "My Two", "platform": "Windows", "path": "", "launch": "", "source": "wrapper"},
                {"name": "One", "platform": "Windows", "path": one, "launch": "umu-run {path}", "source": "wrapper"},
            ]),
            known: 2,
            left: 0,
        },
    );
    let again = server.post("/api/wrapper/import", &json!({}));
    assert_eq!(again, json!({"added": 0, "found": 2, "imported": [], "count": 0}));
    for (name, place) in [("My Two", &two), ("One", &prefix)] {
        let rows = games(&server);
        let row = rows.iter().find(|row| row["name"] == name).expect(name);
        let target = format!(
            "/api/compat/prefix-for-game?game_id={}",
            row["game_id"].as_str().expect("an id")
        );
        assert_eq!(server.get(&target), json!({"prefix": place, "available": true}), "{name}");
    }
}

#[test]
fn games_of_the_library_server() {
    let shop = Shop::open();
    let server = shop.service();
    let nothing = scan(&server, &json!([{"type": "libserver"}]));
    assert_eq!(nothing["scanned_entries"], 0, "nothing of it is installed: {nothing}");
    let pc = json!("PC");
    check(
        &server,
        &Story {
            source: json!({"type": "libserver", "include_uninstalled": true}),
            candidates: &[
                ("My Game", json!("Windows"), "additions"),
                ("Damaged", pc.clone(), "additions"),
                ("Elsewhere", pc.clone(), "additions"),
                ("Broken", pc, "additions"),
            ],
            decisions: &[
                ("Elsewhere", json!({"action": "skip"})),
                ("Broken", json!({"action": "exclude"})),
            ],
            counts: [2, 0, 1, 1, 0],
            rows: json!([
                {"name": "My Game", "platform": "Windows", "source": "libserver", "libserver_id": "7",
                    "description": "Text", "developer": "Dev", "year": "1999",
                    "path": "", "launch": "", "owned": true, "store_catalog": true, "store_installed": false},
                {"name": "Damaged", "platform": "PC", "libserver_id": "8", "owned": true},
            ]),
            known: 3,
            left: 1,
        },
    );
    let ids = ["7", "8"];
    assert_eq!(install(&server, &json!({"libserver_id": "7"}))["state"], "done");
    let rows = games(&server);
    let known: Vec<_> =
        rows.iter().map(|row| row["libserver_id"].as_str().expect("an id")).collect();
    assert_eq!(known, ids, "what is installed is the row that was there");
    assert_eq!(rows[0]["store_installed"], true);
    let preview = scan(&server, &json!([{"type": "libserver"}]));
    assert_eq!(
        (&preview["scanned_entries"], &preview["counts"]["duplicates"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn a_source_that_is_nested_too_deeply_is_refused() {
    let server = Server::start();
    let body = |levels: usize| {
        let nested = (0..levels).fold(json!(1), |inner, _| json!([inner]));
        json!({"sources": [{"type": "folder", "path": "/r", "more": nested}]})
    };
    let refused = server.send(&Request::post(PREVIEW, &body(120))).expect(400).json();
    assert_eq!(refused["code"], "BAD_REQUEST");
    assert_eq!(refused["error"], "Request body is nested more than 64 levels deep.");
    let taken = server.send(&Request::post(PREVIEW, &body(60))).expect(202).json();
    settled(&server, taken["preview_id"].as_str().expect("an id"));
}

#[test]
fn sources_that_are_not_there_say_so_and_add_nothing() {
    let server = with_tools(&[]).start();
    for (source, error) in [
        (json!({"type": "engine-library"}), Value::Null),
        (json!({"type": "emu-library-1"}), Value::Null),
        (json!({"type": "emu-library-2"}), Value::Null),
        (json!({"type": "wrapper"}), Value::Null),
        (json!({"type": "console-x", "path": "/no/such"}), json!("Folder does not exist.")),
        (json!({"type": "libserver"}), json!("Library server URL is not configured.")),
        (json!({"type": "store_a"}), json!("Steam is not installed.")),
        (json!({"type": "store_b"}), json!("xdg-open is required to start these games.")),
        (json!({"type": "store_c"}), json!("Lutris is not installed.")),
    ] {
        let preview = scan(&server, &json!([source]));
        let told = &preview["sources"][0]["error"];
        assert_eq!((&preview["state"], told), (&json!("ready"), &error), "{source}");
        assert_eq!(preview["counts"]["errors"], json!(u8::from(!error.is_null())), "{source}");
        check_counts(&commit(&server, id(&preview)), [0; 5]);
    }
    assert!(games(&server).is_empty());
}

#[test]
fn hostile_files_of_other_programs_hold_up_nothing() {
    let setup = with_tools(&[]);
    let scratch = setup.scratch();
    let all = |root: &str, name: &str, bytes: &[u8]| {
        scratch.file(Path::new("home").join(root).join(name), bytes);
    };
    let mut endless = sfo("Endless");
    // As many entries as the header can claim.
    endless[16..20].copy_from_slice(&[0xff; 4]);
    let mut away = sfo("Away");
    // A data table far behind the end of the file.
    away[12..16].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
    for (at, bytes) in [endless, away, b"\0PSF".to_vec(), Vec::new()].iter().enumerate() {
        all(".config/rpcs3/dev_hdd0/game", &format!("T{at}/PARAM.SFO"), bytes);
        all(".config/Vita3K/ux0/app", &format!("T{at}/sce_sys/param.sfo"), bytes);
    }
    all(
        ".config/scummvm",
        "scummvm.ini",
        b"[\n]\n[]\n=\n[\xff\xfe]\ndescription=\xff\n[ok]\ndescription=Fine\n",
    );
    all(".config/faugus-launcher", "deep.json", "[".repeat(100_000).as_bytes());
    all(".config/faugus-launcher", "list.json", b"[1, 2]");
    let server = setup.start();
    let kinds = ["emu-library-1", "emu-library-2", "engine-library", "wrapper"];
    let sources: Vec<_> = kinds.iter().map(|kind| json!({"type": kind})).collect();
    let preview = scan(&server, &sources.into());
    assert_eq!(
        (&preview["state"], &preview["counts"]["errors"]),
        (&json!("ready"), &json!(0)),
        "{preview}"
    );
    let all = items(&server, id(&preview), 50);
    let named = |kind: &str| {
        let own = all.iter().filter(|item| item["source"]["type"] == kind);
        own.map(|item| item["detected_title"].as_str().expect("text")).collect::<Vec<_>>()
    };
    assert_eq!(named("emu-library-1"), ["Endless", "T1", "T2", "T3"]);
    assert_eq!(named("emu-library-2"), ["Endless", "T1", "T2", "T3"]);
    assert!(named("engine-library").contains(&"Fine"));
    assert!(named("wrapper").is_empty());
}

#[test]
fn a_game_whose_program_moved_is_offered_the_new_command() {
    let server = with_tools(&[("scummvm", "exit 0"), ("flatpak", "[ \"$1\" = info ]")]).start();
    let scratch = server.scratch();
    scratch.file("home/.config/scummvm/scummvm.ini", "[monkey]\npath=/g/m\n[sky]\npath=/g/s\n");
    let sources = json!([{"type": "engine-library"}]);
    let preview = scan(&server, &sources);
    check_counts(&commit(&server, id(&preview)), [2, 0, 0, 0, 0]);
    fs::remove_file(scratch.path("bin/scummvm")).expect("removed");
    let preview = scan(&server, &sources);
    assert_eq!(preview["counts"]["merges"], 2, "{preview}");
    let all = items(&server, id(&preview), 50);
    assert_eq!(
        all[0]["merge_diff"],
        json!([{"field": "launch", "current": "scummvm monkey",
            "proposed": "flatpak run org.scummvm.ScummVM monkey", "effect": "replace", "applied": true}])
    );
    decide(&server, id(&preview), &all, &[("sky", json!({"action": "skip"}))]);
    check_counts(&commit(&server, id(&preview)), [0, 1, 1, 0, 0]);
    let rows = games(&server);
    let launches: Vec<_> = rows.iter().map(|row| row["launch"].as_str().expect("text")).collect();
    assert_eq!(launches, ["flatpak run org.scummvm.ScummVM monkey", "scummvm sky"]);
    assert_eq!(rows[0]["applications"], json!([]), "the same game, no second way to start it");
}

#[test]
fn a_source_that_changed_is_seen_before_the_commit() {
    let setup: Setup = with_tools(&[]);
    let scratch = setup.scratch();
    let root = "home/.config/rpcs3/dev_hdd0/game";
    scratch.file(format!("{root}/BLES1/PARAM.SFO"), sfo("Disc Game"));
    let server = setup.start();
    let preview = scan(&server, &json!([{"type": "emu-library-1"}]));
    server.scratch().file(format!("{root}/BLES2/PARAM.SFO"), sfo("Newer Game"));
    let document = commit(&server, id(&preview));
    assert_eq!(
        (&document["state"], &document["error_detail"]["code"], &document["error"]),
        (
            &json!("error"),
            &json!("PREVIEW_STALE"),
            &json!("Source fingerprints changed since preview was created.")
        )
    );
    assert!(games(&server).is_empty());
}
