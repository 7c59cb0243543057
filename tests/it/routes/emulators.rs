//! `/api/emulators/*`, the wizard and the watch folders, with a small substitute for the package
//! tool on a PATH of its own.

use std::{fs, path::Path};

use rustix::fs::{CWD, mkfifoat};
use serde_json::{Value, json};

use super::importers::sfo;
use crate::support::{
    client::Request,
    server::{Server, Setup},
    wait::until,
};

/// Keeps packages as files below `$STATE`, and every call in a log there.
const PACKAGE_TOOL: &str = r#"echo "$*" >> "$STATE/log"
for last; do :; done
case "$1" in
    list) for each in "$STATE"/*; do echo "${each##*/}"; done ;;
    info) [ -e "$STATE/$last" ] ;;
    remotes) [ -e "$STATE/remote" ] && echo flathub; true ;;
    remote-add) [ ! -e "$STATE/no-remote" ] || { echo "no network" >&2; exit 1; }; : > "$STATE/remote" ;;
    install) [ ! -p "$STATE/gate" ] || read -r _ < "$STATE/gate"
        [ ! -e "$STATE/refuse-$last" ] || { echo "no space" >&2; exit 1; }; : > "$STATE/$last" ;;
    update) : > "$STATE/$last.updated" ;;
esac"#;

pub(super) fn setup(scripts: &[(&str, &str)]) -> Setup {
    let setup = Setup::new();
    let bin = setup.scratch().folder("bin");
    let state = setup.scratch().folder("packages");
    for (name, lines) in scripts {
        setup.scratch().script(Path::new("bin").join(name), lines);
    }
    setup.env("PATH", bin).env("STATE", state)
}

pub(super) fn with_packages() -> Server {
    setup(&[("flatpak", PACKAGE_TOOL)]).start()
}

pub(super) fn emulator(server: &Server, app_id: &str) -> Value {
    let list = server.get("/api/emulators");
    let all = list["emulators"].as_array().expect("a list");
    assert_eq!(all.len(), 14);
    all.iter().find(|entry| entry["app_id"] == app_id).expect("known").clone()
}

fn calls(server: &Server) -> Vec<String> {
    let log = String::from_utf8(server.scratch().read("packages/log")).expect("text");
    log.lines().filter(|line| !line.starts_with("list ")).map(str::to_owned).collect()
}

#[track_caller]
fn check_refused(server: &Server, route: &str, body: &Value, error: &str) {
    let reply = server.send(&Request::post(route, body)).expect(400).json();
    assert_eq!(reply["error"], error, "{route} {body}");
}

pub(super) const DOLPHIN: &str = "org.DolphinEmu.dolphin-emu";

#[test]
fn the_list_tells_what_is_here_and_how() {
    let setup = setup(&[("dolphin-emu", "exit 0")]);
    let server = setup.start();
    let dolphin = emulator(&server, DOLPHIN);
    assert_eq!((&dolphin["installed"], &dolphin["mode"]), (&json!(true), &json!("native")));
    assert_eq!(dolphin["platforms"], json!(["GameCube", "Wii", "WiiWare"]));
    let command = dolphin["profiles"]["Wii"].as_str().expect("a command");
    assert!(command.ends_with("/bin/dolphin-emu -b -e {path}"), "{command}");
    assert_eq!((&dolphin["can_install"], &dolphin["job"]), (&json!(false), &json!({})));
    assert_eq!(dolphin["recommendations"]["Wii"], json!([[DOLPHIN, "Dolphin"]]));
    let mame = emulator(&server, "org.mamedev.MAME");
    assert_eq!(
        (&mame["installed"], &mame["mode"], &mame["profiles"]),
        (&json!(false), &json!(""), &json!({}))
    );
    let list = server.get("/api/v1/emulators");
    assert_eq!((&list["install_all"], &list["update_all"]), (&json!({}), &json!({})));
    let definitions = server.get("/api/emulators/definitions");
    let first = &definitions["definitions"][0];
    assert_eq!(definitions["definitions"].as_array().map(Vec::len), Some(24));
    for (key, expected) in [
        ("id", json!("cemu-wiiu")),
        ("name", json!("Cemu (Wii U)")),
        ("platforms", json!(["Wii U"])),
        ("startup", json!("-g {path}")),
        ("executable_patterns", json!(["cemu"])),
        ("flatpak", json!("info.cemu.Cemu")),
        ("native", json!("cemu")),
        ("origin", json!("bundled")),
        ("state", json!({"kind": "none", "template": [], "capture": [], "glob": []})),
    ] {
        assert_eq!(first[key], expected, "{key}");
    }
    let all = server.get("/api/emulators/definitions?pack=all")["definitions"].clone();
    let all = all.as_array().expect("a list");
    assert!(all.len() > 100 && all[..24].iter().all(|each| each.get("pack").is_none()));
    assert!(all[24..].iter().all(|each| each["pack"] == "extended"));
    let genesis = all.iter().find(|each| each["id"] == "retroarch-sega-genesis").expect("there");
    assert_eq!(genesis["platforms"], json!(["Sega Genesis"]));
    let unknown = Request::get("/api/emulators/definitions?pack=some");
    assert_eq!(server.send(&unknown).expect(400).json()["error"], "pack is not known.");
    let genesis = server.get("/api/emulators/recommend?platform=Sega%20Genesis");
    assert_eq!(genesis["recommendations"][0]["name"], "RetroArch");
    let arcade = server.get("/api/emulators/recommend?platform=Arcade");
    let names: Vec<_> = arcade["recommendations"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|each| &each["name"])
        .collect();
    assert_eq!(names, ["MAME", "RetroArch"]);
    assert_eq!(
        server.get("/api/emulators/recommend?platform=Nothing"),
        json!({"recommendations": []})
    );
    assert_eq!(server.get("/api/emulators/recommend"), json!({"recommendations": []}));
}

/// A definition of the user for a program of the test.
const OWN: &str = "id: my-arcade\nemulator_id: org.example.Mine\nplatform: Arcade\nname: Mine (Arcade)\n\
                   native: my-player\nextensions: [zip, rom]\nstartup: \"--play {path}\"\npriority: 1\n";

#[test]
fn own_definitions_come_first_and_count_at_once() {
    let server = setup(&[("my-player", "exit 0"), ("mame", "exit 0")]).start();
    let folder = "data/emulator_defs";
    let commands = || server.get("/api/emulators")["emulators"].clone();
    let names = || {
        let arcade =
            server.get("/api/emulators/recommend?platform=Arcade")["recommendations"].clone();
        let names = arcade.as_array().expect("a list").iter().map(|each| each["name"].to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(), "\"MAME\" \"RetroArch\"");
    server.scratch().file(format!("{folder}/my-arcade.yaml"), OWN);
    assert_eq!(names(), "\"MAME\" \"Mine\" \"RetroArch\"");
    let mine =
        commands().as_array().expect("a list").iter().find(|each| each["name"] == "Mine").cloned();
    let command = mine.expect("listed")["profiles"]["Arcade"].to_string();
    assert!(command.ends_with("/bin/my-player --play {path}\""), "{command}");
    // The own definition has the better priority, so a profile of its platform names it.
    let detected = server.get("/api/profiles")["detected"]["Arcade"].to_string();
    assert!(detected.contains("my-player"), "{detected}");
    // A bad file is reported and hides nothing; one of the same id hides the bundled one.
    server.scratch().file(format!("{folder}/cemu-wiiu.yaml"), "id: cemu-wiiu\n");
    let hiding = OWN.replace("my-arcade", "mame-arcade").replace("Mine (Arcade)", "Other (Arcade)");
    server.scratch().file(format!("{folder}/other.yaml"), &hiding);
    let answer = server.get("/api/emulators/definitions");
    let problem = "This file is not used: the key emulator_id is missing.";
    assert_eq!(answer["problems"], json!([{"file": "cemu-wiiu.yaml", "error": problem}]));
    let all = answer["definitions"].as_array().expect("a list");
    let origins: Vec<(&str, &str)> = all
        .iter()
        .filter(|each| each["platforms"] == json!(["Arcade"]))
        .map(|each| (each["id"].as_str().expect("id"), each["origin"].as_str().expect("origin")))
        .collect();
    let expected =
        [("my-arcade", "user"), ("mame-arcade", "user"), ("retroarch-arcade", "bundled")];
    assert_eq!(origins, expected);
    let open = json!({"app_id": "info.cemu.Cemu"});
    check_refused(&server, "/api/emulators/open", &open, "Cemu is not installed.");
    // It is here already, so nothing is asked of a package tool.
    let body = json!({"app_id": "org.example.Mine"});
    server.send(&Request::post("/api/emulators/install", &body)).expect(202);
    until("the job to end", || {
        let list = server.get("/api/emulators")["emulators"].clone();
        let mut all = list.as_array().expect("a list").iter();
        all.find(|each| each["app_id"] == "org.example.Mine" && each["job"]["state"] == "done")
            .cloned()
    });
}

#[test]
fn what_an_emulator_needs_is_looked_for() {
    let server = with_packages();
    let needs = server.get("/api/emulators/dependencies?name=DuckStation");
    assert_eq!(needs["required"].as_array().map(Vec::len), Some(2));
    assert_eq!(needs["missing"], needs["required"]);
    assert_eq!(needs["required"][0]["name"], "PSX BIOS (scph1001.bin)");
    server.scratch().file("home/.local/share/duckstation/bios/scph1001.bin", "x");
    let needs = server.get("/api/emulators/dependencies?name=DuckStation");
    assert_eq!(
        (&needs["required"][0]["found"], needs["missing"].as_array().map(Vec::len)),
        (&json!(true), Some(1))
    );
    let nothing = json!({"required": [], "missing": []});
    assert_eq!(server.get("/api/emulators/dependencies?name=Nobody"), nothing);
    assert_eq!(server.get("/api/emulators/dependencies"), nothing);
}

#[test]
fn an_installation_is_a_job_and_gives_profiles() {
    let server = with_packages();
    let body = json!({"app_id": DOLPHIN});
    let reply = server.send(&Request::post("/api/emulators/install", &body)).expect(202).json();
    assert_eq!(reply["state"], "installing");
    let done = until("the installation", || {
        let entry = emulator(&server, DOLPHIN);
        (entry["job"]["state"] == "done").then_some(entry)
    });
    assert_eq!((&done["installed"], &done["mode"]), (&json!(true), &json!("flatpak")));
    assert_eq!(done["job"]["profiles"], done["profiles"]);
    let profiles = server.get("/api/profiles");
    let command = profiles["profiles"]["Wii"].as_str().expect("a profile");
    assert!(command.ends_with(&format!("flatpak run {DOLPHIN} -b -e {{path}}")), "{command}");
    assert_eq!(
        calls(&server),
        [
            "remotes --user".to_owned(),
            "remote-add --user --if-not-exists flathub https://flathub.org/repo/flathub.flatpakrepo".to_owned(),
            format!("install --user --noninteractive -y flathub {DOLPHIN}"),
        ]
    );
    server.send(&Request::post("/api/emulators/update", &body)).expect(202);
    let updated = until("the update", || {
        let entry = emulator(&server, DOLPHIN);
        (entry["job"]["state"] == "done" && entry["job"].get("updated").is_some()).then_some(entry)
    });
    assert_eq!(updated["job"]["updated"], "Dolphin");
}

#[test]
fn an_emulator_that_moved_takes_its_profiles_along() {
    let server = setup(&[("flatpak", PACKAGE_TOOL), ("dolphin-emu", "exit 0")]).start();
    let profiles = || server.get("/api/profiles")["profiles"].clone();
    let mut known = until("the profiles of the first start", || {
        let known = profiles();
        known["Wii"].is_string().then_some(known)
    });
    let program = server.scratch().path("bin/dolphin-emu");
    assert_eq!(known["Wii"], format!("{} -b -e {{path}}", program.display()));
    // The user wrote this one, though it leads nowhere either.
    known["WiiWare"] = json!(format!("{} -b --mine {{path}}", program.display()));
    server.post("/api/profiles", &json!({"profiles": known}));
    fs::remove_file(program).expect("removed");
    server.send(&Request::post("/api/emulators/install", &json!({"app_id": DOLPHIN}))).expect(202);
    until("the installation", || {
        (emulator(&server, DOLPHIN)["job"]["state"] == "done").then_some(())
    });
    let learned = profiles();
    for platform in ["GameCube", "Wii"] {
        let command = learned[platform].as_str().expect("a profile");
        assert!(command.contains(&format!("flatpak run {DOLPHIN} ")), "{platform}: {command}");
    }
    assert_eq!(learned["WiiWare"], known["WiiWare"]);
}

#[test]
fn a_package_that_is_gone_gives_way_to_the_program_at_the_next_start() {
    let setup = setup(&[("flatpak", PACKAGE_TOOL)]);
    setup.scratch().file(format!("packages/{DOLPHIN}"), "");
    let mut server = setup.start();
    let wii = |server: &Server| {
        let command = server.get("/api/profiles")["profiles"]["Wii"].clone();
        command.as_str().unwrap_or_default().to_owned()
    };
    until("the profiles of the first start", || wii(&server).contains("flatpak run").then_some(()));
    let asked = |server: &Server| {
        let log = String::from_utf8(server.scratch().read("packages/log")).expect("text");
        log.lines().filter(|line| line.starts_with("list ")).count()
    };
    server.stop();
    fs::remove_file(server.scratch().path("packages").join(DOLPHIN)).expect("removed");
    let before = asked(&server);
    server.scratch().script("bin/dolphin-emu", "exit 0");
    server.restart();
    until("the profiles of the second start", || {
        wii(&server).ends_with("/bin/dolphin-emu -b -e {path}").then_some(())
    });
    assert!(asked(&server) > before, "the tool said so");
}

#[test]
fn titles_start_once_their_program_is_installed() {
    let setup = setup(&[("flatpak", PACKAGE_TOOL)]);
    let scratch = setup.scratch();
    let root = "home/.var/app/net.rpcs3.RPCS3/config/rpcs3/dev_hdd0/game";
    for name in ["A1", "B2"] {
        scratch.file(format!("{root}/{name}/PARAM.SFO"), sfo(name));
    }
    let [a1, b2] = ["A1", "B2"].map(|name| scratch.path(root).join(name));
    let server = setup.start();
    let import = || server.import("/api/import/emu-library-1", &json!({}));
    assert_eq!(import()["added"], 2);
    let launches = || {
        let library = server.get("/api/library");
        ["/games/0/launch", "/games/1/launch"].map(|at| library.pointer(at).cloned())
    };
    let bare = [&a1, &b2].map(|path| Some(json!(format!("rpcs3 {}", path.display()))));
    assert_eq!(launches(), bare);
    let own = json!("nice rpcs3");
    let game = json!({"name": "B2", "path": b2, "launch": own});
    server.post("/api/game", &json!({"id": 1, "game": game}));
    let app = "net.rpcs3.RPCS3";
    server.send(&Request::post("/api/emulators/install", &json!({"app_id": app}))).expect(202);
    until("the installation", || (emulator(&server, app)["job"]["state"] == "done").then_some(()));
    let packaged = json!(format!("flatpak run {app} {}", a1.display()));
    assert_eq!(launches(), [Some(packaged), Some(own)]);
    let id = server.get("/api/library")["games"][0]["game_id"].clone();
    let looked = server.post("/api/v2/launch/preflight", &json!({"game_id": id}));
    assert_eq!(
        (&looked["status"], &looked["resolved"]["emulator_id"]),
        (&json!("warning"), &json!(app))
    );
}

#[test]
fn tracks_of_a_sheet_and_discs_of_a_game_are_no_games_of_their_own() {
    let server = setup(&[]).start();
    let scratch = server.scratch();
    scratch.file(
        "roms/One.cue",
        "FILE \"One (Track 1).bin\" BINARY\nFILE \"One (Track 2).bin\" BINARY\n",
    );
    scratch.file("roms/One (Track 1).bin", "1");
    scratch.file("roms/One (Track 2).bin", "2");
    scratch.file("roms/Alone.bin", "3");
    scratch.file("discs/Saga (Disc 1).iso", "4");
    scratch.file("discs/Saga (Disc 2).iso", "5");
    let scan = |folder: &str| {
        server.import("/api/emulators/scan", &json!({"folder": scratch.path(folder)}))
    };
    assert_eq!(scan("roms"), json!({"added": 2, "found": 2}));
    let import = server.post("/api/import", &json!({"folder": scratch.path("discs")}));
    assert_eq!(import["added"], 1, "{import}");
    assert_eq!(scan("discs"), json!({"added": 0, "found": 2}), "they are discs of a game");
    let library = server.get("/api/library");
    let mut names: Vec<_> = library["games"]
        .as_array()
        .expect("games")
        .iter()
        .map(|game| game["name"].as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["Alone", "One", "Saga"].map(Some));
}

#[test]
fn what_fails_says_why() {
    let server = with_packages();
    server.scratch().file("packages/no-remote", "");
    let failed = |app: &str| {
        let body = json!({"app_id": app});
        server.send(&Request::post("/api/v1/emulators/install", &body)).expect(202);
        until("the end of the job", || {
            let job = emulator(&server, app)["job"].clone();
            (job["state"] == "error").then(|| job["error"].as_str().expect("text").to_owned())
        })
    };
    assert_eq!(failed(DOLPHIN), "Could not add the Flathub remote. flatpak says: no network");
    server.scratch().file("packages/remote", "");
    server.scratch().file("packages/refuse-app.xemu.xemu", "");
    assert_eq!(failed("app.xemu.xemu"), "Flatpak could not install xemu. flatpak says: no space");
    for route in ["install", "update", "open"] {
        let route = format!("/api/emulators/{route}");
        check_refused(&server, &route, &json!({}), "app_id is required");
        check_refused(&server, &route, &json!({"app_id": " "}), "app_id is required");
        check_refused(&server, &route, &json!({"app_id": "org.no.such"}), "Unknown emulator.");
    }
    check_refused(
        &server,
        "/api/emulators/open",
        &json!({"app_id": DOLPHIN}),
        "Dolphin is not installed.",
    );
}

#[test]
fn what_was_cancelled_says_so() {
    let server = with_packages();
    let gate = server.scratch().path("packages/gate");
    mkfifoat(CWD, &gate, 0o600.into()).expect("a FIFO");
    let body = json!({"app_id": DOLPHIN});
    let begun = server.send(&Request::post("/api/emulators/install", &body)).expect(202).json();
    assert_eq!(emulator(&server, DOLPHIN)["job"]["state"], "installing");
    server.send(&Request::post("/api/v2/jobs/cancel", &json!({"job_id": begun["job_id"]})));
    let job = until("the end of the job", || {
        let job = emulator(&server, DOLPHIN)["job"].clone();
        (job["state"] != "installing").then_some(job)
    });
    assert_eq!(job, json!({"state": "error", "error": "The job was cancelled."}));
}

#[test]
fn without_the_package_tool() {
    let server = setup(&[]).start();
    let body = json!({"app_id": DOLPHIN});
    for route in ["update", "update-all"] {
        let route = format!("/api/emulators/{route}");
        check_refused(&server, &route, &body, "Flatpak is required for emulator updates.");
    }
    let required = "Flatpak is required for automatic emulator installation.";
    check_refused(&server, "/api/emulators/install", &body, required);
    assert_eq!(emulator(&server, DOLPHIN)["job"], json!({}), "nothing was begun");
}

#[test]
fn what_the_tool_has_installed_counts_as_installed() {
    let forgetful = "case \"$1\" in remotes) exit 1 ;; list | info) exit 1 ;; *) exit 0 ;; esac";
    let server = setup(&[("flatpak", forgetful)]).start();
    let body = json!({"app_id": DOLPHIN});
    server.send(&Request::post("/api/emulators/install", &body)).expect(202);
    let profiles = until("the end of the job", || {
        let entry = emulator(&server, DOLPHIN);
        (entry["job"]["state"] == "done").then(|| entry["profiles"].clone())
    });
    let command = profiles["GameCube"].as_str().expect("a command");
    assert!(command.contains(&format!("run {DOLPHIN}")), "{command}");
    assert_eq!(server.get("/api/profiles")["profiles"]["GameCube"], command);
}

#[test]
fn everything_at_once() {
    let server = with_packages();
    server.scratch().file("packages/refuse-app.xemu.xemu", "");
    server.send(&Request::post("/api/emulators/install-all", &json!({}))).expect(202);
    let all = |key: &str| {
        until(key, || {
            let job = server.get("/api/emulators")[key].clone();
            (job["state"] == "done").then_some(job)
        })
    };
    let done = all("install_all");
    assert_eq!(done["installed"].as_array().map(Vec::len), Some(13));
    assert_eq!(
        done["errors"],
        json!(["xemu: Flatpak could not install xemu. flatpak says: no space"])
    );
    server.send(&Request::post("/api/emulators/update-all", &json!({}))).expect(202);
    assert_eq!(all("update_all")["updated"].as_array().map(Vec::len), Some(13));
}

#[test]
fn an_emulator_is_opened_without_a_game() {
    let setup = setup(&[("mame", "echo opened > \"$STATE/opened\"")]);
    let server = setup.start();
    let reply = server.post("/api/emulators/open", &json!({"app_id": "org.mamedev.MAME"}));
    assert_eq!(reply["mode"], "native");
    assert!(reply["command"].as_str().is_some_and(|command| command.ends_with("/bin/mame")));
    until("the program", || server.scratch().path("packages/opened").exists().then_some(()));
}

#[test]
fn folders_are_scanned_by_definition() {
    let server = setup(&[]).start();
    for name in ["roms/A Game.nes", "roms/deep/B.wbfs", "roms/c.txt", "roms/._A.nes", "roms/d.iso"]
    {
        server.scratch().file(name, "x");
    }
    let roms = server.scratch().path("roms");
    let scan = |more: &Value| {
        let mut body = json!({"folder": roms});
        body.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        server.import("/api/emulators/scan", &body)
    };
    assert_eq!(scan(&json!({"emulator_id": "retroarch-nes"})), json!({"added": 1, "found": 1}));
    let odd = json!({"folder": roms, "emulator_id": 5});
    check_refused(&server, "/api/emulators/scan", &odd, "emulator_id must be text.");
    assert_eq!(scan(&json!({"emulator_id": null})), json!({"added": 2, "found": 3}));
    assert_eq!(scan(&json!({})), json!({"added": 0, "found": 3}));
    let games = server.get("/api/library")["games"].clone();
    assert_eq!(
        (&games[0]["name"], &games[0]["platform"], &games[0]["rom_name"]),
        (&json!("A Game"), &json!("NES"), &json!("A Game.nes"))
    );
    assert_eq!(games[0]["source"], "RetroArch (NES)");
    assert_eq!(
        server.post("/api/import", &json!({"folder": roms}))["added"],
        0,
        "known by their paths"
    );
    check_refused(&server, "/api/emulators/scan", &json!({}), "folder required");
    check_refused(
        &server,
        "/api/emulators/scan",
        &json!({"folder": "/no/such"}),
        "Scan folder does not exist.",
    );
    let config = json!({"folder": roms, "emulator_id": "retroarch-nes", "auto_update": true});
    assert_eq!(server.post("/api/emulators/scan-configs", &config), json!({"config": config}));
    assert_eq!(server.get("/api/emulators/scan-configs"), json!({"configs": [config]}));
    let forget = "/api/emulators/scan-configs/delete";
    check_refused(&server, forget, &json!({}), "folder required");
    for removed in [true, false] {
        assert_eq!(server.post(forget, &json!({"folder": roms})), json!({"removed": removed}));
    }
    assert_eq!(server.get("/api/emulators/scan-configs"), json!({"configs": []}));
    for body in [json!({}), json!({"folder": roms}), json!({"emulator_id": "x"})] {
        check_refused(
            &server,
            "/api/emulators/scan-configs",
            &body,
            "folder and emulator_id required",
        );
    }
    let odd = json!({"folder": roms, "emulator_id": "x", "auto_update": "yes"});
    let message = "auto_update must be true or false.";
    check_refused(&server, "/api/emulators/scan-configs", &odd, message);
}

#[test]
fn the_usual_folders_are_offered() {
    let server = setup(&[]).start();
    server.scratch().file("home/Games/a.nes", "x");
    let offered = server.get("/api/import/folders")["folders"].clone();
    assert_eq!(offered[0], json!(server.scratch().path("home/Games")));
}

#[test]
fn the_wizard_installs_what_was_chosen() {
    let server = with_packages();
    server.scratch().file("roms/a.nes", "x");
    server.scratch().file("packages/refuse-org.mamedev.MAME", "");
    let chosen = json!({"NES": "org.libretro.RetroArch", "Arcade": "org.mamedev.MAME", "Wii": "org.no.such", "PSP": " "});
    let body = json!({"folder": server.scratch().path("roms"), "chosen_emulators": chosen});
    let reply = server.post("/api/import/wizard", &body);
    assert_eq!((&reply["added"], &reply["found"]), (&json!(1), &json!(1)));
    assert_eq!(reply["installed"], json!(["org.libretro.RetroArch"]));
    let game = &server.get("/api/library")["games"][0];
    assert_eq!(game["recommended_emulator"], "org.libretro.RetroArch");
    assert!(server.get("/api/profiles")["profiles"]["NES"].is_string());
    let wrong = json!({"folder": server.scratch().path("roms"), "chosen_emulators": []});
    check_refused(&server, "/api/import/wizard", &wrong, "chosen_emulators must be an object.");
    check_refused(&server, "/api/import/wizard", &json!({}), "Folder path is required.");
    check_refused(
        &server,
        "/api/import/wizard",
        &json!({"folder": "/no/such"}),
        "Folder does not exist.",
    );
}

#[test]
fn watch_folders_are_imported_when_asked_and_by_themselves() {
    let server = setup(&[]).start();
    assert_eq!(
        server.post("/api/import/watch", &json!({})),
        json!({"added": 0, "found": 0, "errors": []})
    );
    server.scratch().file("one/a.nes", "x");
    server.scratch().file("two/b.nes", "x");
    let folders = json!([server.scratch().path("one"), server.scratch().path("two")]);
    server.post("/api/settings", &json!({"watch_folders": folders}));
    let gone = server.scratch().path("two");
    fs::rename(&gone, server.scratch().path("away")).expect("renamed");
    let reply = server.post("/api/import/watch", &json!({}));
    let errors = json!([format!("{}: Folder does not exist.", gone.display())]);
    assert_eq!(reply, json!({"added": 1, "found": 1, "errors": errors}));
    fs::rename(server.scratch().path("away"), &gone).expect("renamed");
    server.scratch().file("one/deep/c.nes", "x");
    until("the games that come by themselves", || {
        (server.get("/api/library")["games"].as_array()?.len() == 3).then_some(())
    });
    fs::remove_dir_all(server.scratch().path("one")).expect("removed");
    let reply = server.post("/api/import/watch", &json!({}));
    assert_eq!(reply["errors"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        server.get("/api/library")["games"].as_array().map(Vec::len),
        Some(3),
        "nothing is removed"
    );
}
