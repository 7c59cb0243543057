//! What the package tool is asked, and the emulators of the extended pack.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use serde_json::json;

use super::emulators::{DOLPHIN, emulator, setup, with_packages};
use crate::support::{
    client::Request,
    setup::{items, scan},
    wait::until,
};

/// Lists two packages, and keeps every call in a log.
const LISTING_TOOL: &str = r#"echo "$*" >> "$STATE/log"
case "$1" in
    list) printf 'org.DolphinEmu.dolphin-emu\norg.flycast.Flycast\n' ;;
    info) exit 1 ;;
esac"#;

#[test]
fn the_package_tool_is_asked_once_about_all_packages() {
    let setup = setup(&[("flatpak", LISTING_TOOL)]);
    setup.scratch().file("home/ROMs/wii/Fern Rally.wbfs", "x");
    setup.scratch().file("home/ROMs/dreamcast/Blue Coast.gdi", "x");
    let server = setup.start();
    let sources = json!([{"type": "folder", "path": server.scratch().path("home/ROMs")}]);
    let preview = scan(&server, &sources);
    let all = items(&server, preview["preview_id"].as_str().expect("an id"), 50);
    let is_played = all.iter().map(|item| {
        let choices = item["emulator_choices"].as_array().expect("a list");
        choices.iter().any(|choice| choice["installed"] == true)
    });
    assert_eq!(is_played.collect::<Vec<_>>(), [true, true], "{all:?}");
    assert_eq!(emulator(&server, DOLPHIN)["mode"], "flatpak");
    server.get("/api/profiles");
    server.get("/api/emulators?pack=all");
    let log = String::from_utf8(server.scratch().read("packages/log")).expect("text");
    assert_eq!(log, "list --columns=application\n");
}

#[test]
fn a_package_tool_without_packages_is_not_asked_about_each() {
    let tool = r#"echo "$*" >> "$STATE/log"; [ "$1" != --version ] || echo "Flatpak 1.14.10""#;
    let server = setup(&[("flatpak", tool)]).start();
    let all = server.get("/api/emulators?pack=all");
    assert!(all["emulators"].as_array().expect("a list").iter().all(|one| one["mode"] == ""));
    let log = String::from_utf8(server.scratch().read("packages/log")).expect("text");
    assert_eq!(log, "list --columns=application\n--version\n");
}

#[test]
fn a_package_that_another_program_installs_or_removes_is_noticed_at_once() {
    let tool = r#"[ "$1" = list ] || exit 1
while read -r id; do echo "$id"; done < "$STATE/ids""#;
    let setup = setup(&[("flatpak", tool)]);
    setup.scratch().file("packages/ids", "org.flycast.Flycast\n");
    let server = setup.start();
    let mode = || emulator(&server, DOLPHIN)["mode"].clone();
    assert_eq!(mode(), "");
    server.scratch().file("packages/ids", format!("org.flycast.Flycast\n{DOLPHIN}\n"));
    server.scratch().file("home/.local/share/flatpak/.changed", "");
    assert_eq!(mode(), "flatpak");
    server.scratch().file("packages/ids", "org.flycast.Flycast\n");
    server.scratch().file("home/.local/share/flatpak/.changed", "");
    assert_eq!(mode(), "");
}

#[test]
fn a_slow_package_tool_does_not_hold_an_answer_for_each_emulator() {
    let server = setup(&[("flatpak", "[ \"$1\" = info ] || exit 2\n/bin/sleep 1\nexit 1")]).start();
    let begun = Instant::now();
    let all = server.get("/api/emulators?pack=all");
    server.get("/api/profiles");
    assert!(all["emulators"].as_array().expect("a list").iter().all(|one| one["mode"] == ""));
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
}

#[test]
fn the_extended_pack_is_listed_on_request_and_can_be_installed() {
    let server = with_packages();
    let list = server.get("/api/emulators?pack=all");
    let all = list["emulators"].as_array().expect("a list");
    let (standard, extended): (Vec<_>, Vec<_>) =
        all.iter().partition(|one| one["pack"] != "extended");
    assert_eq!(standard.len(), 14);
    assert!(extended.len() > 40, "{}", extended.len());
    let ids: HashSet<_> = all.iter().map(|one| one["app_id"].as_str()).collect();
    assert_eq!(ids.len(), all.len(), "each once");
    let named = |name: &str| all.iter().find(|one| one["name"] == name).expect(name);
    let retroarch = named("RetroArch");
    let platforms = retroarch["platforms"].as_array().expect("a list");
    assert!(platforms.contains(&json!("NES")) && platforms.contains(&json!("Sega Genesis")));
    assert_eq!(retroarch["recommendations"]["Sega Genesis"][0][1], "RetroArch");
    let flycast = named("Flycast");
    assert_eq!((&flycast["can_install"], &flycast["installed"]), (&json!(true), &json!(false)));
    assert!(flycast["recommendations"].get("NES").is_none(), "only its own platforms");
    assert!(extended.iter().any(|one| one["can_install"] == false), "not every one is a package");
    let app_id = flycast["app_id"].as_str().expect("an id");
    let install = Request::post("/api/emulators/install", &json!({"app_id": app_id}));
    server.send(&install).expect(202);
    until("Flycast to be installed", || {
        let all = server.get("/api/emulators?pack=all")["emulators"].clone();
        let all = all.as_array().expect("a list").clone();
        all.into_iter().find(|one| one["name"] == "Flycast" && one["installed"] == true)
    });
    let folder = server.scratch().folder("dc");
    server.scratch().file("dc/Blue Coast.gdi", "x");
    let body = json!({"folder": folder, "emulator_id": app_id});
    let answer = server.post("/api/emulators/scan", &body);
    assert_eq!((&answer["added"], &answer["found"]), (&json!(1), &json!(1)));
}
