//! `/api/native/*`, `/api/desktop/install`, links to the program and its menu, with small programs in the place
//! of those of a desktop.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    thread,
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{
    client::{Client, Request},
    server::{Server, Setup},
    wait,
};

#[test]
fn the_program_has_no_window_and_leaves_the_rest_to_the_browser() {
    // The second library cannot be read; the answer does not depend on it.
    for library in ["{}", "{ this is no library"] {
        let server = Setup::new().library(library).start();
        let report = server.get("/api/diagnostic");
        let report: Value =
            serde_json::from_str(report["report"].as_str().expect("text")).expect("JSON in a text");
        let data_dir = server.scratch().path("data");
        assert!(data_dir.is_absolute());
        assert_eq!(
            server.get("/api/native/capabilities"),
            json!({
                "webview": false,
                "dialogs": false,
                "tray": false,
                "single_instance": false,
                "gamepad": "webkit",
                "fullscreen": true,
                "clipboard": true,
                "version": env!("CARGO_PKG_VERSION"),
                "platform": report["platform"],
                "data_dir": data_dir,
            })
        );
    }
}

/// A program on a search path with nothing but what a test puts there.
fn desktop() -> (Setup, PathBuf) {
    let setup = Setup::new();
    let bin = setup.scratch().folder("bin");
    let seen = setup.scratch().path("seen");
    (setup.env("PATH", bin).env("DISPLAY", ":7"), seen)
}

/// The lines of a script that writes its arguments, one a line.
fn note(seen: &Path) -> String {
    format!(
        "for word; do printf '%s\\n' \"$word\"; done > '{0}.new'; /bin/mv '{0}.new' '{0}'",
        seen.display()
    )
}

fn noted(seen: &Path) -> String {
    let text = wait::until("the program", || fs::read_to_string(seen).ok());
    fs::remove_file(seen).expect("removed");
    text
}

#[track_caller]
fn refused(server: &Server, route: &str, body: &Value, error: &str) {
    let reply = server.send(&Request::post(route, body)).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(error), &json!("BAD_REQUEST")), "{body}");
}

#[test]
fn dialogs_are_those_of_the_desktop() {
    let (setup, seen) = desktop();
    let server = setup.start();
    let dialog = |body: &Value| server.post("/api/native/dialog", body);
    let missing = "zenity or kdialog is required to show a file dialog.";
    let nothing = json!({"path": null, "cancelled": true, "reason": missing});
    assert_eq!(dialog(&json!({})), nothing);
    assert_eq!(server.get("/api/native/capabilities")["dialogs"], false);
    let chosen = server.scratch().path("chosen one");
    let prints = format!("{}\nprintf '%s\\n' '{}'", note(&seen), chosen.display());
    server.scratch().script("bin/zenity", &prints);
    assert_eq!(server.get("/api/native/capabilities")["dialogs"], true);
    assert_eq!(dialog(&json!({})), json!({"path": chosen}));
    assert_eq!(noted(&seen), "--file-selection\n--directory\n");
    let body = json!({"kind": "save", "title": "$(reboot)", "default": "/a b"});
    assert_eq!(dialog(&body), json!({"path": chosen}));
    let words =
        "--file-selection\n--save\n--confirm-overwrite\n--title=$(reboot)\n--filename=/a b\n";
    assert_eq!(noted(&seen), words);
    assert_eq!(dialog(&json!({"kind": "file"})), json!({"path": chosen}));
    server.scratch().script("bin/zenity", "exit 1");
    assert_eq!(dialog(&json!({})), json!({"path": null, "cancelled": true}));
    server.scratch().script("bin/zenity", "exit 255");
    assert_eq!(dialog(&json!({}))["reason"], "The file dialog could not be shown.");
    server.scratch().script("bin/zenity", "echo relative");
    assert_eq!(dialog(&json!({}))["reason"], "The file dialog did not name a usable path.");
    for kind in [json!("window"), json!(""), json!(7), json!("Folder")] {
        refused(&server, "/api/native/dialog", &json!({"kind": kind}), "kind is not known.");
    }
    let request = Request::post("/api/native/dialog", &json!({})).without_token();
    server.send(&request).expect(403);
}

#[test]
fn an_open_dialog_does_not_keep_the_program_from_stopping() {
    let (setup, seen) = desktop();
    let mut server = setup.start();
    let line = format!("{}\nexec /bin/sleep 600", note(&seen));
    server.scratch().script("bin/zenity", &line);
    let mut client = server.client();
    let waiting =
        thread::spawn(move || client.try_send(&Request::post("/api/native/dialog", &json!({}))));
    noted(&seen);
    let second = server.post("/api/native/dialog", &json!({}));
    assert_eq!(second["reason"], "Another dialog is open already.");
    server.stop();
    let reply = waiting.join().expect("no panic");
    assert!(reply.is_err() || reply.is_ok_and(|reply| reply.json()["cancelled"] == true));
}

#[test]
fn folders_files_and_pages_are_opened_by_the_desktop() {
    let (setup, seen) = desktop();
    let server = setup.start();
    let reveal = |path: &Value| server.post("/api/native/reveal", &json!({"path": path}));
    let open = |body: &Value| server.post("/api/native/open-external", body);
    let file = server.scratch().file("home/games/a b.txt", "x");
    let needed = "xdg-open is required to open folders, files and pages.";
    assert_eq!(reveal(&json!(file)), json!({"ok": false, "error": needed}));
    assert_eq!(open(&json!({"url": "https://example.org"})), json!({"ok": false, "error": needed}));
    server.scratch().script("bin/xdg-open", &note(&seen));
    let done = json!({"ok": true, "error": null});
    let folder = format!("{}\n", file.parent().expect("a folder").display());
    assert_eq!(reveal(&json!(file)), done);
    assert_eq!(noted(&seen), folder);
    assert_eq!(reveal(&json!("~/games")), done);
    assert_eq!(noted(&seen), folder);
    assert_eq!(reveal(&json!(server.data("library.json").parent())), done);
    assert_eq!(
        noted(&seen),
        format!("{}\n", server.data("").canonicalize().expect("real").display())
    );
    assert_eq!(open(&json!({"url": "https://example.org/a?b=$(c)#d"})), done);
    assert_eq!(noted(&seen), "https://example.org/a?b=$(c)#d\n");
    assert_eq!(open(&json!({"path": file})), done);
    assert_eq!(noted(&seen), format!("{}\n", file.display()));
    let outside = "Only what lies in your home folder or in the data directory is opened.";
    for path in ["/etc/hostname", "/", "/etc"] {
        assert_eq!(reveal(&json!(path)), json!({"ok": false, "error": outside}), "{path}");
    }
    symlink("/etc", server.scratch().path("home/etc")).expect("linked");
    let link = server.scratch().path("home/etc");
    assert_eq!(open(&json!({"path": link})), json!({"ok": false, "error": outside}));
    let none = server.scratch().path("home/none");
    assert_eq!(reveal(&json!(none)), json!({"ok": false, "error": "The path does not exist."}));
    let program = server.scratch().script("home/run", "exit 0");
    let refusal = json!({"ok": false, "error": "Programs are not opened from here."});
    assert_eq!(open(&json!({"path": program})), refusal);
    refused(&server, "/api/native/reveal", &json!({}), "path is required.");
    refused(&server, "/api/native/reveal", &json!({"path": 7}), "path is required.");
    refused(&server, "/api/native/reveal", &json!({"path": "a/b"}), "The path must be absolute.");
    refused(&server, "/api/native/open-external", &json!({}), "url or path is required.");
    let page = "Only http and https addresses without credentials can be opened.";
    for url in ["javascript:alert(1)", "file:///etc/passwd", "https://a:b@example.org", "--help"] {
        refused(&server, "/api/native/open-external", &json!({"url": url}), page);
    }
    assert!(!seen.exists(), "nothing else was opened");
}

#[test]
fn only_the_window_of_the_program_is_changed() {
    let (setup, seen) = desktop();
    let server = setup.start();
    let act = |action: &str| server.post("/api/native/window", &json!({"action": action}));
    assert_eq!(act("minimize"), json!({"ok": false}));
    server.scratch().script("bin/wmctrl", &note(&seen));
    server.scratch().script("bin/xdotool", "exit 1");
    for (action, words) in [
        ("toggle-maximize", "-x\n-r\nservice-launcher\n-b\ntoggle,maximized_vert,maximized_horz\n"),
        ("set-fullscreen", "-x\n-r\nservice-launcher\n-b\nadd,fullscreen\n"),
        ("unset-fullscreen", "-x\n-r\nservice-launcher\n-b\nremove,fullscreen\n"),
        ("close", "-x\n-c\nservice-launcher\n"),
    ] {
        assert_eq!(act(action), json!({"ok": true}), "{action}");
        assert_eq!(noted(&seen), words);
    }
    assert_eq!(act("minimize"), json!({"ok": false}), "there is no such window");
    refused(&server, "/api/native/window", &json!({}), "action is required.");
    for action in [json!("explode"), json!(1)] {
        refused(&server, "/api/native/window", &json!({"action": action}), "action is not known.");
    }
}

#[test]
fn a_host_that_started_the_program_is_told_of() {
    let server = Setup::new().env("SERVICE_NATIVE_HOST", "1").start();
    let host = server.get("/api/native/capabilities");
    for key in ["webview", "dialogs", "tray", "single_instance"] {
        assert_eq!(host[key], true, "{key}");
    }
    assert_eq!(fs::read_to_string(server.data("native-host-flags")).expect("written"), "0 0");
}

#[test]
fn a_bundle_gets_an_entry_in_the_menu() {
    let install = |server: &Server| server.send(&Request::post("/api/desktop/install", &json!({})));
    let reply = install(&Server::start()).expect(400).json();
    assert_eq!(reply["error"], "Desktop installation requires the Service AppImage.");
    let server = Setup::new().env("APPIMAGE", "/opt/My $App.AppImage").start();
    let share = server.scratch().path("home/share");
    let entry = share.join("applications/service-launcher.desktop");
    assert_eq!(install(&server).expect(200).json(), json!({"desktop": entry}));
    let text = fs::read_to_string(&entry).expect("written");
    assert!(text.contains("\nExec=\"/opt/My \\\\$App.AppImage\" %u\n"), "{text}");
    assert!(text.contains("\nMimeType=x-scheme-handler/service;\n"), "{text}");
    assert_eq!(server.scratch().mode("home/share/applications/service-launcher.desktop"), 0o755);
    assert!(share.join("icons/hicolor/scalable/apps/service-launcher.svg").is_file());
    assert_eq!(install(&server).expect(200).json(), json!({"desktop": entry}), "a second time");
}

#[test]
fn links_and_the_menu_reach_the_running_program_or_start_it() {
    let (setup, seen) = desktop();
    let player = setup.scratch().script("bin/player", &note(&seen));
    let file = setup.scratch().file("comet.rom", "x");
    let games = json!([
        {"game_id": "g-1", "name": "Comet", "path": file, "launch": format!("{} {{name}}", player.display()),
            "last_played": "2024-01-02T10:00:00"},
        {"game_id": "g-2", "name": "Comet", "path": file, "launch": "/bin/true"},
        {"game_id": "g-3", "name": "Secret", "path": file, "hidden": true},
    ]);
    let library = json!({"schema_version": 6, "games": games}).to_string();
    let setup = setup.library(&library);
    let run = |words: &[&str]| {
        let mut command = setup.command();
        command.args(words).output().expect("it runs")
    };
    let failed = run(&["--uri"]);
    assert_eq!(failed.status.code(), Some(2), "a missing argument");
    assert_eq!(run(&["service:format/c"]).status.code(), Some(2));
    // No service runs yet: the first link starts a service that stays.
    let launched = run(&["service://launch/g-1"]);
    assert!(launched.status.success(), "{launched:?}");
    assert_eq!(noted(&seen), "Comet\n");
    let data = setup.scratch().path("data");
    let read = |name: &str| fs::read_to_string(data.join(name)).expect(name);
    let address =
        SocketAddr::from((Ipv4Addr::LOCALHOST, read("server.port").parse().expect("a port")));
    let mut client = Client::new(address, &read("server.token"));
    let menu = client.get("/api/launcher/menu");
    assert_eq!(
        menu["items"],
        json!([
            {"id": "bigscreen", "label": "Big screen"}, {"id": "settings", "label": "Settings"},
            {"id": "search", "label": "Search"}, {"id": "launch:0", "label": "Comet"},
            {"id": "launch:1", "label": "Comet (1)"},
        ])
    );
    wait::until("the end of the game", || {
        client.get("/api/running")["running"].as_array().is_none_or(Vec::is_empty).then_some(())
    });
    assert_eq!(run(&["--uri", "service:launch/99"]).status.code(), Some(1), "no such game");
    assert_eq!(run(&["--launcher"]).status.code(), Some(1), "no menu is installed");
    setup.scratch().script(
        "bin/rofi",
        "while read -r line; do last=$line; [ \"$line\" = Comet ] && break; done; echo \"$last\"",
    );
    let chosen = run(&["--launcher"]);
    assert!(chosen.status.success(), "{chosen:?}");
    assert_eq!(noted(&seen), "Comet\n");
    setup.scratch().script("bin/chromium", &note(&seen));
    let shown = run(&["service:game/g-1", "--app-window", "--resolution", "800x600"]);
    assert!(shown.status.success(), "{shown:?}");
    let words = noted(&seen);
    let link = format!("--app=http://{address}/?deeplink=game&id=g-1#token=");
    assert!(words.contains(&link) && words.contains("\n--window-size=800,600\n"), "{words}");
    // The opener of pages knows better than the program where they can be shown.
    let find = |words: &[&str]| {
        let mut command = setup.command();
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command.args(words).output().expect("it runs")
    };
    let words = ["service:search/co%20met", "--web"];
    let printed = format!("Listening on http://{address}\n");
    let found = find(&words);
    assert_eq!(String::from_utf8_lossy(&found.stdout), printed, "nothing here opens pages");
    setup.scratch().script("bin/xdg-open", &note(&seen));
    let found = find(&words);
    assert_eq!((found.status.code(), found.stdout.is_empty()), (Some(0), true));
    let opened = noted(&seen);
    let link = format!("http://{address}/?deeplink=search&q=co%20met#token=");
    assert!(opened.starts_with(&link), "{opened}");
    client.post("/api/shutdown", &json!({"force": true}));
    let pid = wait::until("its process", || {
        let found = fs::read_dir("/proc").expect("a list").flatten().find(|entry| {
            let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let words = String::from_utf8_lossy(&words).into_owned();
            words.contains(data.to_str().expect("text")) && words.contains("--no-browser")
        });
        found?.file_name().to_str()?.parse::<i32>().ok()
    });
    let process = Pid::from_raw(pid).expect("a process");
    kill_process(process, Signal::TERM).expect("a signal");
    wait::until("its end", || (!data.join("server.port").exists()).then_some(()));
}
