//! The rules with an artificial machine.

use std::{
    cell::RefCell,
    collections::HashMap,
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use serde_json::{Map, Value, json};

use super::{
    examine::{Scene, examine},
    finding::{Severity, Verdict},
};
use crate::{
    definitions::bundled,
    launch::{
        archives::Packed,
        machine::{FirstDisc, Kind, Machine},
        plan::PlanContext,
    },
    model::{
        Record,
        emulators::{Catalog, Definition},
    },
};

#[derive(Default)]
struct Made {
    files: Vec<&'static str>,
    programs: Vec<&'static str>,
    packages: HashMap<&'static str, Option<&'static [&'static str]>>,
    zips: HashMap<&'static str, &'static [&'static str]>,
    faults: HashMap<&'static str, &'static str>,
    discs: HashMap<&'static str, FirstDisc>,
    sha1: Option<&'static str>,
    asked: RefCell<usize>,
}

impl Machine for Made {
    fn home(&self) -> &Path {
        Path::new("/home/me")
    }

    fn kind(&self, path: &Path) -> Kind {
        if self.files.iter().any(|file| Path::new(file) == path) {
            return Kind::File;
        }
        let above = |file: &&str| Path::new(file).ancestors().skip(1).any(|each| each == path);
        let is_folder = path == self.home() || self.files.iter().any(above);
        if is_folder { Kind::Folder } else { Kind::Nothing }
    }

    fn starts_itself(&self, path: &Path) -> bool {
        path.extension().is_some_and(|end| end == "bin64") && self.kind(path) == Kind::File
    }

    fn find_program(&self, name: &OsStr, _: &OsStr, _: &Path) -> Option<PathBuf> {
        let path = Path::new(name);
        if self.starts_itself(path) {
            return Some(path.to_owned());
        }
        let file = path.file_name()?;
        let tool = (!self.packages.is_empty()).then_some(&"flatpak");
        let known = self.programs.iter().chain(tool).find(|known| OsStr::new(**known) == file);
        known.map(|program| Path::new("/usr/bin").join(program))
    }

    fn catalog(&self) -> &Catalog {
        static CATALOG: LazyLock<Arc<Catalog>> = LazyLock::new(bundled::catalog);
        &CATALOG
    }

    fn command_of(&self, definition: &Definition) -> Option<String> {
        *self.asked.borrow_mut() += 1;
        let arguments = definition.arguments.join(" ");
        if self.programs.contains(&definition.app.executable.as_str()) {
            return Some(format!("{} {arguments}", definition.app.executable));
        }
        let app = definition.app.package.as_str();
        self.packages.contains_key(app).then(|| format!("/usr/bin/flatpak run {app} {arguments}"))
    }

    fn is_package(&self, app_id: &str) -> bool {
        self.packages.contains_key(app_id)
    }

    fn visible_folders(&self, app_id: &str) -> Option<Vec<String>> {
        let folders = self.packages.get(app_id).copied().flatten()?;
        Some(folders.iter().map(|folder| (*folder).to_owned()).collect())
    }

    fn find_core(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn core_instead(&self, missing: &Path, _: &str) -> Option<PathBuf> {
        let name = missing.file_name();
        let files = self.files.iter().map(Path::new);
        files.into_iter().find(|file| file.file_name() == name).map(Path::to_owned)
    }

    fn has_cores(&self) -> bool {
        self.files.iter().any(|file| file.ends_with("_libretro.so"))
    }

    fn system_folders(&self) -> Vec<PathBuf> {
        vec!["/home/me/system".into(), "/home/me/other".into()]
    }

    fn arcade_folders(&self) -> Option<Vec<PathBuf>> {
        None
    }

    fn has_content(&self, path: &Path) -> bool {
        self.kind(path) != Kind::Nothing
    }

    fn sha1(&self, _: &Path) -> Option<String> {
        self.sha1.map(str::to_owned)
    }

    fn first_disc(&self, playlist: &Path) -> FirstDisc {
        let discs = playlist.to_str().and_then(|path| self.discs.get(path));
        discs.cloned().unwrap_or(FirstDisc::There)
    }

    fn packed(&self, archive: &Path, member: &str) -> Option<Packed> {
        let names = self.zips.get(archive.to_str()?)?;
        let name = names.iter().find(|name| member.is_empty() || **name == member)?;
        let starts_itself = name.contains(".bin64");
        Some(Packed { name: (*name).to_owned(), is_executable: starts_itself, starts_itself })
    }

    fn archive_fault(&self, path: &Path) -> Option<String> {
        self.faults.get(path.to_str()?).map(|fault| (*fault).to_owned())
    }

    fn zip_names(&self, path: &Path) -> Option<Vec<String>> {
        let names = self.zips.get(path.to_str()?)?;
        Some(names.iter().map(|name| (*name).to_owned()).collect())
    }
}

/// A game that has everything a game may have, with these fields over it.
fn game(more: &Value) -> Record {
    let mut record: Record = serde_json::from_value(json!({
        "name": "A", "path": "/games/a.nes", "platform": "NES", "cover": "/c.png",
        "save_paths": ["/s"], "documents": [{"path": "/d.pdf"}],
    }))
    .expect("an object");
    record.0.extend(more.as_object().expect("an object").clone());
    record
}

fn verdict(machine: &Made, more: &Value, deep: bool) -> Verdict {
    let profiles = json!({"Odd": "odd {what} {path}", "Torn": "torn 'x {path}", "Mine": "mine {path}",
        "Boxed": "flatpak run --user org.example.Box {path}", "Retro": "retroarch -L /c/a_libretro.so {path}"});
    let plans = PlanContext {
        profiles: profiles.as_object().expect("an object"),
        settings: &Map::new(),
        data_dir: Path::new("/data"),
        machine,
    };
    let scene = Scene { plans, deep };
    examine(&game(more), &scene)
}

fn machine() -> Made {
    Made {
        files: vec![
            "/games/a.nes",
            "/games/a.iso",
            "/games/a.zip",
            "/games/a.bin64",
            "/games/a.sh",
            "/games/a.odd",
            "/games/a.cue",
        ],
        programs: vec!["retroarch", "bash", "mine"],
        ..Made::default()
    }
}

fn with_core() -> Made {
    let mut machine = machine();
    machine.files.extend(["/usr/lib/libretro/fceumm_libretro.so", "/c/a_libretro.so"]);
    machine
}

#[track_caller]
fn check(machine: &Made, more: Value, expected: &[(&str, &str)]) -> Verdict {
    let found = verdict(machine, &more, true);
    let said: Vec<_> =
        found.checks.iter().map(|check| (check.code, check.message.as_str())).collect();
    assert_eq!(said, expected, "{more}");
    let worst = found.checks.iter().any(|check| {
        found.status() == "blocked" && check.fix.is_none() && check.key().starts_with("PATH")
    });
    assert!(!worst, "every path error has a remedy");
    found
}

#[test]
fn a_game_that_starts_is_ready() {
    let found = check(&with_core(), json!({}), &[]);
    assert_eq!(found.status(), "ready");
    assert_eq!(
        json!(found.resolved),
        json!({"emulator_id": "org.libretro.RetroArch", "adapter_id": "retroarch-nes",
            "argv_preview": ["retroarch", "-L", "/usr/lib/libretro/fceumm_libretro.so", "/games/a.nes"],
            "cwd": "/games", "precedence": 4})
    );
    assert!(found.checks.is_empty());
    for (more, precedence) in [
        (json!({"launch": "mine"}), 1),
        (json!({"launch": "mine", "path": "xdg-open"}), 1),
        (json!({"emulator_adapter_id": "retroarch-nes", "platform": "Other"}), 2),
        (json!({"launch_profile": "Mine"}), 3),
        (json!({"path": "/games/a.bin64", "platform": "Linux"}), 5),
        (json!({"path": "/games/a.sh", "platform": "Linux"}), 5),
    ] {
        let found = check(&with_core(), more.clone(), &[]);
        assert_eq!(found.resolved.precedence, precedence, "{more}");
    }
}

#[test]
fn a_path_that_is_not_there_is_all_that_is_said() {
    let machine = with_core();
    check(
        &machine,
        json!({"path": "", "platform": ""}),
        &[("PATH_MISSING", "Game path is missing.")],
    );
    check(&machine, json!({"path": "/gone"}), &[("PATH_MISSING", "Game path does not exist.")]);
    check(&machine, json!({"path": "/games"}), &[("PATH_WRONG_TYPE", "Game path is not a file.")]);
    check(
        &machine,
        json!({"path": "/gone", "launch": "mine"}),
        &[("PATH_MISSING", "Game path does not exist.")],
    );
    let text = "This shelf entry has no local launch path yet.";
    let shelf =
        check(&machine, json!({"manual_entry": true, "path": ""}), &[("SHELF_ENTRY", text)]);
    assert_eq!((shelf.status(), shelf.checks[0].severity), ("ready", Severity::Info));
    assert_eq!(
        json!(shelf.resolved),
        json!({"emulator_id": null, "adapter_id": null, "argv_preview": [], "cwd": null, "precedence": 5})
    );
}

#[test]
fn a_title_that_a_program_has_installed_is_a_folder() {
    let root = "/home/me/.var/app/net.rpcs3.RPCS3/config/rpcs3/dev_hdd0/game";
    let file = "/home/me/.var/app/net.rpcs3.RPCS3/config/rpcs3/dev_hdd0/game/BLES1/PARAM.SFO";
    let folder = format!("{root}/BLES1");
    let firmware = ("FIRMWARE_MISSING", "Required firmware files are missing.");
    let with = |launch: &str, source: &str, programs: Vec<&'static str>| {
        let files = vec![file];
        let seen: &'static [&'static str] = &["xdg-pictures"];
        let packages = HashMap::from([("net.rpcs3.RPCS3", Some(seen))]);
        let machine = Made { files, programs, packages, ..machine() };
        let record = json!({"path": folder, "platform": "PlayStation 3", "source": source, "launch": launch});
        check(&machine, record, &[firmware]);
    };
    with(&format!("rpcs3 {folder}"), "RPCS3", vec!["rpcs3"]);
    // The package sees its own folder, whatever else it may see.
    with(&format!("flatpak run net.rpcs3.RPCS3 {folder}"), "RPCS3", vec![]);
    with("rpcs3 {path}", "", vec!["rpcs3"]);
    with("", "RPCS3", vec!["rpcs3"]);
}

#[test]
fn a_playlist_is_played_by_what_takes_its_discs() {
    let machine = Made { files: vec!["/games/Saga.m3u"], ..machine() };
    let record = json!({"path": "/games/Saga.m3u", "platform": "Disc image",
        "discs": ["/games/Saga (Disc 1).ISO", "/games/Saga (Disc 2).ISO"]});
    let text = "Platform is ambiguous for '.iso' \u{2014} choose a platform.";
    let found = check(&machine, record, &[("AMBIGUOUS_PLATFORM", text)]);
    let fix = &json!(found.checks)[0]["fix_action"];
    assert_eq!((&fix["kind"], &fix["payload"]["extension"]), (&json!("pick_core"), &json!("iso")));
    let platforms = fix["payload"]["platforms"].as_array().expect("platforms");
    assert!(platforms.contains(&json!("PSP")) && platforms.contains(&json!("PlayStation")));
}

#[test]
fn a_playlist_without_its_first_disc_is_told() {
    let list = "/games/Saga.m3u";
    let mut machine = Made { files: vec![list], ..with_core() };
    let gone = PathBuf::from("/games/Saga (Disc 1).cue");
    for (disc, text) in [
        (FirstDisc::Gone(gone), "The first disc of the playlist does not exist."),
        (FirstDisc::Unnamed, "The playlist names no disc."),
    ] {
        machine.discs.insert(list, disc.clone());
        let found = check(&machine, json!({"path": list}), &[("PATH_MISSING", text)]);
        let place = if disc == FirstDisc::Unnamed { list } else { "/games/Saga (Disc 1).cue" };
        assert_eq!(json!(found.checks)[0]["fix_action"]["payload"]["path"], place);
        // A command that needs no file plays the game all the same.
        assert_eq!(verdict(&machine, &json!({"path": list, "launch": "mine"}), true).checks, []);
    }
}

#[test]
fn missing_emulators_are_told_from_unknown_ones() {
    let bare = Made { programs: vec!["bash"], ..machine() };
    let missing = ("NATIVE_EXE_MISSING", "Emulator is not installed.");
    let found = check(&bare, json!({}), &[missing]);
    let fix = json!({"kind": "flatpak_install", "label": "Install the emulator",
        "payload": {"app_id": "org.libretro.RetroArch", "native_exe": "retroarch"}});
    assert_eq!(json!(found.checks)[0]["fix_action"], fix);
    assert_eq!(found.checks[0].key(), "NATIVE_EXE_MISSING|flatpak_install|org.libretro.RetroArch");
    check(
        &bare,
        json!({"launch_profile": "Retro"}),
        &[missing, ("RETROARCH_CORE_MISSING", "RetroArch core is missing.")],
    );
    check(&bare, json!({"launch": "gone {path}"}), &[missing]);
    check(
        &bare,
        json!({"launch_profile": "Boxed"}),
        &[("FLATPAK_NOT_INSTALLED", "Emulator is not installed.")],
    );
    check(
        &bare,
        json!({"platform": "Homebrew"}),
        &[("EMULATOR_REQUIRED", "No emulator is configured for this platform/extension.")],
    );
    check(
        &bare,
        json!({"path": "/games/a.odd", "platform": "Homebrew"}),
        &[("ARGV_INVALID", "Launch command could not be built.")],
    );
    check(
        &bare,
        json!({"path": "/games/a.iso", "platform": "Homebrew"}),
        &[("AMBIGUOUS_PLATFORM", "Platform is ambiguous for '.iso' \u{2014} choose a platform.")],
    );
    check(
        &bare,
        json!({"emulator_adapter_id": "gone", "emulator_id": "gone.App"}),
        &[
            ("ADAPTER_UNKNOWN", "Selected adapter is not in the registry."),
            ("EMULATOR_UNKNOWN", "Selected emulator is not in the registry."),
            missing,
        ],
    );
    let unknown = verdict(&bare, &json!({"platform": "", "path": "/games/a.nes"}), true);
    let codes: Vec<_> = unknown.checks.iter().map(|check| check.code).collect();
    assert_eq!(codes, ["PLATFORM_UNKNOWN", "EMULATOR_REQUIRED"]);
    let offered = &json!(unknown.checks)[1]["fix_action"]["payload"];
    assert_eq!(offered["candidates"], json!(["retroarch-nes"]));
}

#[test]
fn commands_are_read_before_they_run() {
    let machine = with_core();
    let missing = ("NATIVE_EXE_MISSING", "Emulator is not installed.");
    let odd = check(
        &machine,
        json!({"launch_profile": "Odd"}),
        &[("TEMPLATE_INVALID", "Launch template contains unknown tokens."), missing],
    );
    let payload = &json!(odd.checks)[0]["fix_action"]["payload"];
    assert_eq!(payload["invalid_tokens"], json!(["{what}"]));
    check(
        &machine,
        json!({"launch_profile": "Torn"}),
        &[("TEMPLATE_INVALID", "Launch template is invalid."), missing],
    );
    check(&machine, json!({"launch": "mine ${HOME} {} {DataDir} {name}"}), &[]);
    let core = ("RETROARCH_CORE_MISSING", "RetroArch core is missing.");
    check(&self::machine(), json!({}), &[core]);
    check(&machine, json!({"emulator_core": "gone_libretro.so"}), &[core]);
    check(&machine, json!({"launch_profile": "Retro"}), &[]);
}

#[test]
fn a_sandboxed_emulator_must_see_the_game() {
    let denied = ("FLATPAK_FS_DENIED", "Flatpak emulator cannot access the game path.");
    let cases: [(Option<&'static [&'static str]>, bool); 10] = [
        (None, true),
        (Some(&["host"]), true),
        (Some(&["host:ro"]), true),
        (Some(&["home"]), false),
        (Some(&["/games:ro"]), true),
        (Some(&["/"]), true),
        (Some(&["/games/a"]), false),
        (Some(&["/game"]), false),
        (Some(&[]), false),
        (Some(&["host", "!/games"]), false),
    ];
    for (folders, seen) in cases {
        let mut machine = machine();
        machine.programs.clear();
        machine.packages.insert("org.example.Box", folders);
        let expected = if seen { &[][..] } else { &[denied][..] };
        let found = check(&machine, json!({"launch_profile": "Boxed"}), expected);
        if !seen {
            let fix = &json!(found.checks)[0]["fix_action"];
            assert_eq!(
                fix["payload"],
                json!({"app_id": "org.example.Box", "path": "/games", "command":
                    "flatpak override --user '--filesystem=/games:ro' org.example.Box"})
            );
            assert!(found.checks[0].key().ends_with("|org.example.Box|/games"));
        }
    }
}

#[test]
fn consoles_with_discs_need_their_firmware() {
    let ps1 = json!({"platform": "PlayStation", "path": "/games/a.cue"});
    let mut machine = Made { programs: vec!["duckstation-qt", "rpcs3"], ..machine() };
    let bios = ("MISSING_BIOS", "Required BIOS files are missing.");
    let found = check(&machine, ps1.clone(), &[bios]);
    assert_eq!(found.status(), "warning");
    assert_eq!(
        json!(found.checks)[0]["fix_action"]["payload"]["path"],
        "/home/me/.local/share/duckstation/bios"
    );
    check(
        &machine,
        json!({"platform": "PlayStation 3", "path": "/games/a.iso"}),
        &[("FIRMWARE_MISSING", "Required firmware files are missing.")],
    );
    machine.files.push("/home/me/.local/share/duckstation/bios/scph1001.bin");
    machine.sha1 = Some("10155d8d6e6e832d6ea66db9bc098321fb5e8ebf");
    check(&machine, ps1.clone(), &[]);
    machine.sha1 = Some("0000000000000000000000000000000000000000");
    let text = "BIOS hash mismatch: expected 10155d8d6e6e..., got 000000000000...";
    check(&machine, ps1.clone(), &[("BIOS_SHA1_DRIFT", text)]);
    assert!(verdict(&machine, &ps1, false).checks.is_empty(), "nothing is hashed in passing");
}

#[test]
fn cores_need_the_firmware_of_the_platform() {
    let game = |platform: &str| json!({"platform": platform, "path": "/games/a.cue"});
    let mut machine = Made { programs: vec!["retroarch"], ..machine() };
    machine.files.push("/usr/lib/libretro/genesis_plus_gx_libretro.so");
    machine.files.push("/usr/lib/libretro/gambatte_libretro.so");
    let missing = ("MISSING_BIOS", "Required BIOS files are missing.");
    let found = check(&machine, game("Sega CD"), &[missing]);
    let payload = &json!(found.checks)[0]["fix_action"]["payload"];
    assert_eq!(payload["path"], "/home/me/system/bios_CD_U.bin");
    // Another region will do, also in the other folder.
    machine.files.push("/home/me/other/bios_CD_E.bin");
    machine.sha1 = Some("f891e0ea651e2232af0c5c4cb46a0cae2ee8f356");
    check(&machine, game("Sega CD"), &[]);
    machine.sha1 = Some("0000000000000000000000000000000000000000");
    let text = "BIOS hash mismatch: expected f891e0ea651e..., got 000000000000...";
    check(&machine, game("Sega CD"), &[("BIOS_SHA1_DRIFT", text)]);
    assert!(verdict(&machine, &game("Sega CD"), false).checks.is_empty());
    // What a game does not need is reported and has no weight.
    let found = verdict(&machine, &game("Game Boy"), true);
    let told: Vec<_> =
        found.checks.iter().map(|check| (check.code, check.severity, &*check.message)).collect();
    let text = "Optional firmware is missing: gb_bios.bin.";
    assert_eq!(told, [("FIRMWARE_OPTIONAL", Severity::Info, text)]);
    assert_eq!(found.status(), "ready");
}

#[test]
fn archives_are_opened_only_in_depth() {
    let mut machine = Made { programs: vec!["mame"], ..machine() };
    let zip = json!({"platform": "Arcade", "path": "/games/a.zip"});
    check(&machine, zip.clone(), &[("ARCHIVE_INVALID", "Archive could not be read.")]);
    assert!(verdict(&machine, &zip, false).checks.is_empty());
    machine.zips.insert("/games/a.zip", &["readme.TXT"]);
    let text = "Archive does not contain launchable files.";
    check(&machine, zip.clone(), &[("ARCHIVE_INVALID", text)]);
    machine.zips.insert("/games/a.zip", &["rom.bin"]);
    check(&machine, zip, &[]);
    let member =
        |name: &str| json!({"platform": "Arcade", "path": "/games/a.zip", "archive_member": name});
    check(&machine, member("rom.bin"), &[]);
    check(&machine, member("gone"), &[("ARCHIVE_MEMBER_INVALID", "Archive member was not found.")]);
}

#[test]
fn an_archive_that_cannot_be_extracted_is_told_where_it_would_be() {
    let mut machine = Made { programs: vec!["mame"], ..machine() };
    machine.zips.insert("/games/a.zip", &["rom.bin"]);
    machine.faults.insert("/games/a.zip", "It is encrypted.");
    let zip = |is_extracted: bool| json!({"platform": "Arcade", "path": "/games/a.zip", "extract_archive": is_extracted});
    check(&machine, zip(false), &[]);
    check(&machine, zip(true), &[("ARCHIVE_INVALID", "It is encrypted.")]);
}

#[test]
fn the_file_in_an_archive_decides_what_plays_it() {
    let mut machine = Made { programs: vec!["bash", "dosbox"], ..machine() };
    let zip = |platform: &str, member: &str| {
        json!({"platform": platform, "path": "/games/a.zip", "extract_archive": true,
            "archive_member": member})
    };
    let missing = ("EMULATOR_REQUIRED", "No emulator is configured for this platform/extension.");
    for (name, platform, adapter, expected) in [
        ("run.sh", "Homebrew", Value::Null, &[][..]),
        ("run.bin64", "Homebrew", Value::Null, &[]),
        ("run.bin", "Homebrew", Value::Null, &[missing]),
        ("run.conf", "DOS", json!("dosbox-dos-conf"), &[]),
        ("run.exe", "DOS", json!("dosbox-dos"), &[]),
    ] {
        machine.zips.insert("/games/a.zip", Vec::leak(vec![name]));
        for member in ["", name] {
            let found = check(&machine, zip(platform, member), expected);
            assert_eq!(json!(found.resolved.adapter_id), adapter, "{name} {member}");
        }
    }
}

#[test]
fn gaps_are_warnings() {
    let bare = json!({"save_paths": [], "cover": "", "documents": []});
    let found = check(
        &with_core(),
        bare,
        &[
            ("SAVE_GAP", "No save paths configured."),
            ("MEDIA_GAP", "No cover art or screenshots configured."),
            ("DOCUMENT_GAP", "No documents configured."),
        ],
    );
    assert_eq!(found.status(), "warning");
    check(&with_core(), json!({"cover": "", "screenshots": ["/s.png"]}), &[]);
}
