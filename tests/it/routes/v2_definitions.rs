//! `/api/v2/emulators/registry` and the definition channel against a publisher of the test.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    publisher::{ARCHIVE, Answer, Publisher, archive, definition, pack, signature},
    server::{Server, Setup},
};

const REGISTRY: &str = "/api/v2/emulators/registry";
const STATUS: &str = "/api/v2/emulators/defs/status";
const UPDATE: &str = "/api/v2/emulators/defs/update";
const ROLL_BACK: &str = "/api/v2/emulators/defs/rollback";

fn setup() -> Setup {
    let setup = Setup::new();
    let bin = setup.scratch().folder("bin");
    setup.env("PATH", bin)
}

fn adapter(registry: &Value, id: &str) -> Value {
    let all = registry["adapters"].as_array().expect("a list");
    all.iter().find(|each| each["adapter_id"] == id).expect(id).clone()
}

#[test]
fn the_registry_tells_what_this_machine_has() {
    let setup = setup();
    setup.scratch().script("bin/retroarch", "exit 0");
    let server = setup.start();
    let registry = server.get(REGISTRY);
    assert_eq!(registry["schema_version"], 2);
    assert_eq!(registry["adapters"].as_array().map(Vec::len), Some(24));
    assert_eq!(registry["problems"], json!([]));
    let arcade = json!({"adapters": 2, "installed": 1});
    assert_eq!(registry["platforms"]["Arcade"], arcade);
    assert_eq!(registry["platforms"]["Wii"], json!({"adapters": 1, "installed": 0}));
    let nes = adapter(&registry, "retroarch-nes");
    assert_eq!(
        nes,
        json!({
            "adapter_id": "retroarch-nes", "emulator_id": "org.libretro.RetroArch",
            "label": "RetroArch (NES)", "platform": "NES", "extensions": ["nes"],
            "native_exe": "retroarch", "flatpak_app_id": "org.libretro.RetroArch",
            "startup_args": ["-L", "/usr/lib/libretro/fceumm_libretro.so", "{path}"],
            "recommended": true, "priority": 10, "adapter_type": "libretro",
            "installed": true, "mode": "native", "origin": "bundled",
            "state": {
                "kind": "retroarch",
                "template": ["-s", "{state_path}", "--appendconfig", "{state_config}"],
                "capture": ["--appendconfig", "{state_config}"],
                "glob": ["*.state*"],
            },
        })
    );
    let wii = adapter(&registry, "dolphin-wii");
    assert_eq!((&wii["installed"], &wii["mode"]), (&json!(false), &json!("")));
    assert_eq!(wii["adapter_type"], "standalone");
}

#[test]
fn a_package_loads_cores_of_its_own() {
    let setup = setup();
    setup.scratch().script("bin/flatpak", "[ \"$1 $2\" = \"info org.libretro.RetroArch\" ]");
    let server = setup.start();
    let nes = adapter(&server.get(&format!("{REGISTRY}?health=1")), "retroarch-nes");
    let home = server.scratch().path("home");
    let core =
        home.join(".var/app/org.libretro.RetroArch/config/retroarch/cores/fceumm_libretro.so");
    let core = core.to_str().expect("text");
    assert_eq!(nes["mode"], "flatpak");
    assert_eq!(nes["startup_args"], json!(["-L", core, "{path}"]));
    assert_eq!((&nes["core_path"], &nes["core_ok"]), (&json!(core), &json!(false)));
    server.scratch().file(core, "x");
    let nes = adapter(&server.get(&format!("{REGISTRY}?health=true")), "retroarch-nes");
    assert_eq!(nes["core_ok"], true);
}

#[test]
fn health_tells_what_is_missing_and_what_differs() {
    let server = setup().start();
    let health = |id: &str| {
        let adapter = adapter(&server.get(&format!("{REGISTRY}?health=1")), id);
        let flags = ["bios_ok", "firmware_ok", "core_ok"].map(|key| adapter[key].as_bool());
        (flags, adapter["codes"].clone())
    };
    let flags = |bios, firmware, core| [Some(bios), Some(firmware), Some(core)];
    assert_eq!(health("duckstation-psx"), (flags(false, true, true), json!([])));
    assert_eq!(health("pcsx2-ps2"), (flags(false, true, true), json!([])));
    assert_eq!(health("rpcs3-ps3"), (flags(true, false, true), json!([])));
    assert_eq!(health("retroarch-n64"), (flags(false, true, false), json!([])));
    assert_eq!(health("dolphin-wii"), (flags(true, true, true), json!([])));
    let home = |path: &str, bytes: &str| server.scratch().file(format!("home/{path}"), bytes);
    home(".local/share/duckstation/bios/scph1001.bin", "not it");
    home(".config/PCSX2/bios/any.bin", "x");
    home(".var/app/net.rpcs3.RPCS3/config/rpcs3/dev_flash/sys", "x");
    home(".config/retroarch/system/x", "x");
    assert_eq!(health("duckstation-psx"), (flags(false, true, true), json!(["BIOS_SHA1_DRIFT"])));
    assert_eq!(health("pcsx2-ps2"), (flags(true, true, true), json!([])));
    assert_eq!(health("rpcs3-ps3"), (flags(true, true, true), json!([])));
    assert_eq!(health("retroarch-n64"), (flags(true, true, false), json!([])));
    let psx = adapter(&server.get(&format!("{REGISTRY}?health=1")), "duckstation-psx");
    assert_eq!(psx["bios_path"], "~/.local/share/duckstation/bios/scph1001.bin");
    assert_eq!(psx["bios_sha1"], "10155d8d6e6e832d6ea66db9bc098321fb5e8ebf");
    assert_eq!((&psx["firmware_path"], &psx["core_path"]), (&json!(""), &json!("")));
    let plain = adapter(&server.get(&format!("{REGISTRY}?health=0")), "duckstation-psx");
    assert!(plain.get("bios_ok").is_none() && plain.get("codes").is_none());
}

#[test]
fn a_definition_may_name_the_hash_of_what_is_there() {
    let server = setup().start();
    server.scratch().file("home/bios.bin", "abc");
    let own = "id: mine\nemulator_id: e\nplatform: P\nbios_path: \"~/bios.bin\"\n\
               bios_sha1: A9993E364706816ABA3E25717850C26C9CD0D89D\nfirmware_path: \"~/none\"\n";
    server.scratch().file("data/emulator_defs/mine.yaml", own);
    let mine = adapter(&server.get(&format!("{REGISTRY}?health=1")), "mine");
    assert_eq!((&mine["bios_ok"], &mine["firmware_ok"]), (&json!(true), &json!(false)));
    assert_eq!(mine["origin"], "user");
}

fn with_publisher(publisher: &Publisher) -> Server {
    let setup = setup();
    let key = setup.scratch().file("release.pub", Publisher::key());
    setup.env("SERVICE_RELEASE_KEY_FILE", key).env("SERVICE_RELEASE_BASE", publisher.base()).start()
}

/// The visible files of the folder with their contents.
fn folder(server: &Server) -> BTreeMap<String, String> {
    let Ok(entries) = fs::read_dir(server.data("emulator_defs")) else { return BTreeMap::new() };
    let names =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
    let yaml = names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "yaml"));
    yaml.map(|name| {
        let text = fs::read_to_string(server.data("emulator_defs").join(&name)).expect("read");
        (name, text)
    })
    .collect()
}

#[track_caller]
fn refused(server: &Server, expected: &str) {
    let before = folder(server);
    let reply = server.send(&Request::post(UPDATE, &json!({}))).expect(400).json();
    assert_eq!(reply["error"], expected);
    assert_eq!(reply["code"], "BAD_REQUEST");
    assert_eq!(folder(server), before, "nothing changed");
}

#[test]
fn a_pack_is_installed_refreshed_and_taken_back() {
    let publisher = Publisher::new();
    let server = with_publisher(&publisher);
    let dir = server.data("emulator_defs");
    let dir = dir.to_str().expect("text");
    let own = definition("beta", 1).replace("platform: Test", "platform: Mine");
    server.scratch().file("data/emulator_defs/beta.yaml", &own);
    publisher.publish("1.0", &pack(&["alpha", "beta", "gamma", "cemu-wiiu"], 10));
    let status = server.get(STATUS);
    for (key, expected) in [
        ("ok", json!(true)),
        ("version", json!(null)),
        ("dir", json!(dir)),
        ("installed", json!([])),
        ("kept_local", json!([])),
        ("local_definitions", json!(1)),
        ("bundled_definitions", json!(24)),
        ("locally_modified", json!([])),
        ("problems", json!([])),
    ] {
        assert_eq!(status[key], expected, "{key}");
    }
    let offer = |version: &str, installed: Value, available: bool| {
        json!({"ok": true, "version": version, "installed_version": installed,
            "update_available": available, "notes": format!("Notes of {version}")})
    };
    assert_eq!(status["update"], offer("1.0", json!(null), true));
    assert_eq!(server.get(UPDATE), offer("1.0", json!(null), true));
    assert_eq!(folder(&server).len(), 1, "looking writes nothing");
    let done = server.post(UPDATE, &json!({}));
    assert_eq!(
        done,
        json!({"ok": true, "version": "1.0", "installed": ["alpha.yaml", "cemu-wiiu.yaml", "gamma.yaml"],
            "updated": [], "removed": [], "kept_local": ["beta.yaml"], "dir": dir})
    );
    let registry = server.get(REGISTRY);
    assert_eq!(adapter(&registry, "alpha")["origin"], "community");
    assert_eq!(adapter(&registry, "beta")["platform"], "Mine");
    assert_eq!(
        adapter(&registry, "cemu-wiiu")["platform"],
        "Test",
        "the pack hides the bundled one"
    );
    assert_eq!(server.get(UPDATE), offer("1.0", json!("1.0"), false));
    // A file of the pack is edited, and the next pack changes one and retracts one.
    let edited = definition("gamma", 77);
    server.scratch().file("data/emulator_defs/gamma.yaml", &edited);
    publisher.publish("1.1", &pack(&["alpha", "delta", "gamma"], 20));
    let done = server.post(UPDATE, &json!({}));
    assert_eq!(
        done,
        json!({"ok": true, "version": "1.1", "installed": ["delta.yaml"], "updated": ["alpha.yaml"],
            "removed": ["cemu-wiiu.yaml"], "kept_local": ["gamma.yaml"], "dir": dir})
    );
    assert_eq!(folder(&server)["gamma.yaml"], edited);
    assert_eq!(adapter(&server.get(REGISTRY), "cemu-wiiu")["platform"], "Wii U");
    server.scratch().file("data/emulator_defs/delta.yaml", definition("delta", 99));
    let status = server.get(STATUS);
    assert_eq!(status["version"], "1.1");
    assert_eq!(status["installed"], json!(["alpha.yaml", "delta.yaml"]));
    assert_eq!(status["locally_modified"], json!(["delta.yaml"]));
    assert_eq!(status["local_definitions"], 3);
    let back = server.post(ROLL_BACK, &json!({}));
    assert_eq!(back, json!({"ok": true, "removed": ["alpha.yaml"], "dir": dir}));
    let left: Vec<String> = folder(&server).into_keys().collect();
    assert_eq!(left, ["beta.yaml", "delta.yaml", "gamma.yaml"]);
    assert_eq!(server.get(STATUS)["version"], json!(null));
    assert_eq!(server.post(ROLL_BACK, &json!({})), json!({"ok": true, "removed": [], "dir": dir}));
}

#[test]
fn a_pack_that_is_not_signed_changes_nothing_and_is_told() {
    let publisher = Publisher::new();
    let server = with_publisher(&publisher);
    let good = pack(&["alpha"], 1);
    let other = pack(&["alpha"], 2);
    publisher.publish("1", &good);
    let name = format!("{ARCHIVE}.sig");
    let bytes = |value: Value| Answer::File(value.to_string().into_bytes());
    let mut wrong_name = signature(&good);
    wrong_name["artifact"] = "other.tar.gz".into();
    let mut forged = signature(&good);
    forged["signature"] = signature(&other)["signature"].clone();
    let all = [
        bytes(signature(&other)),
        bytes(wrong_name),
        bytes(forged),
        Answer::File(b"not a signature".to_vec()),
        Answer::File(Vec::new()),
    ];
    for answer in all {
        publisher.put(&name, answer);
        let reply = server.send(&Request::post(UPDATE, &json!({}))).expect(400).json();
        assert_eq!(reply["error"], "signature_verification_failed");
        assert_eq!(reply["code"], "signature_verification_failed");
    }
    publisher.remove(&name);
    let reply = server.send(&Request::post(UPDATE, &json!({}))).expect(400).json();
    assert_eq!(reply["error"], "signature_verification_failed");
    assert!(folder(&server).is_empty());
    let notices = server.get("/api/notifications");
    let security: Vec<&Value> = notices["notifications"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|notice| notice["kind"] == "security")
        .collect();
    assert_eq!(security.len(), 1, "the same is told once: {notices}");
    assert_eq!(security[0]["level"], "error");
    assert_eq!(server.get(STATUS)["version"], json!(null));
}

#[test]
fn what_cannot_be_a_pack_changes_nothing() {
    let publisher = Publisher::new();
    let server = with_publisher(&publisher);
    publisher.publish("1", &pack(&["alpha"], 1));
    server.post(UPDATE, &json!({}));
    let invalid = |why: &str| format!("The definition pack is not valid: {why}.");
    let file = |path: &str, id: &str| (path.to_owned(), b'0', definition(id, 2).into_bytes());
    let link = ("a.yaml".to_owned(), b'2', Vec::new());
    let many: Vec<_> = (0..401).map(|at| file(&format!("d{at}.yaml"), &format!("d{at}"))).collect();
    let large = [definition("a", 1).into_bytes(), vec![b'#'; 256 * 1024]].concat();
    let cases = [
        (vec![], "the archive holds no definition"),
        (vec![link], "the member \"a.yaml\" is a link"),
        (vec![file("../a.yaml", "a")], "the name of the member \"../a.yaml\" is not safe"),
        (vec![file("x/a.yaml", "a"), file("y/a.yaml", "b")], "the name \"a.yaml\" stands twice"),
        (vec![file("a.txt", "a")], "the archive holds no definition"),
        (many, "the archive holds too many members"),
        (
            vec![("a.yaml".to_owned(), b'0', large)],
            "the definition \"a.yaml\" cannot be used: it is larger than 262144 bytes",
        ),
        (
            vec![("a.yaml".to_owned(), b'0', b"id: a".to_vec())],
            "the definition \"a.yaml\" cannot be used: the key emulator_id is missing",
        ),
    ];
    for (number, (members, why)) in cases.iter().enumerate() {
        publisher.publish(&format!("2.{number}"), &archive(members));
        refused(&server, &invalid(why));
    }
    publisher.publish("3", b"no archive at all");
    refused(&server, &invalid("the archive cannot be unpacked"));
    let whole = pack(&["alpha"], 3);
    publisher.publish("3", &whole[..whole.len() / 2]);
    refused(&server, &invalid("the archive cannot be unpacked"));
    assert_eq!(server.get(STATUS)["version"], "1");
}

#[test]
fn what_the_publisher_does_wrong_is_told() {
    let publisher = Publisher::new();
    let server = with_publisher(&publisher);
    let missing = "Could not download index.json: the server answered 404.";
    refused(&server, missing);
    let told = server.get(UPDATE);
    assert_eq!(told, json!({"ok": false, "error": missing, "installed_version": null}));
    assert_eq!(server.get(STATUS)["update"], told);
    let index = "The index of the definition packs is not valid.";
    let wrong =
        [json!([]), json!({}), json!({"version": " "}), json!({"version": "x".repeat(101)})];
    for body in wrong {
        publisher.put("index.json", Answer::File(body.to_string().into_bytes()));
        refused(&server, index);
    }
    let long = json!({"version": "x".repeat(100), "notes": "n".repeat(900)}).to_string();
    publisher.put("index.json", Answer::File(long.into_bytes()));
    let seen = server.get(UPDATE);
    assert_eq!(seen["notes"].as_str().map(str::len), Some(500));
    refused(&server, &format!("Could not download {ARCHIVE}: the server answered 404."));
    let huge = vec![0; (8 << 20) + 1];
    publisher.publish("1", &huge);
    refused(
        &server,
        &format!("Could not download {ARCHIVE}: the file is larger than 8388608 bytes."),
    );
    let good = pack(&["alpha"], 1);
    publisher.publish("1", &good);
    publisher.put(ARCHIVE, Answer::Short(good.clone()));
    let reply = server.send(&Request::post(UPDATE, &json!({}))).expect(400).json();
    let error = reply["error"].as_str().expect("text");
    assert!(
        error.starts_with(&format!("Could not download {ARCHIVE}: the answer broke off")),
        "{error}"
    );
    for target in ["https://example.org/x", "http://10.0.0.1/x", "/releases/emulator-defs/loop"] {
        publisher.put("loop", Answer::Redirect("/releases/emulator-defs/loop".to_owned()));
        publisher.put(ARCHIVE, Answer::Redirect(target.to_owned()));
        server.send(&Request::post(UPDATE, &json!({}))).expect(400);
    }
    assert!(folder(&server).is_empty());
    // A publisher may hand its files out from elsewhere.
    publisher.put("moved", Answer::File(good));
    publisher.put(ARCHIVE, Answer::Redirect("/releases/emulator-defs/moved".to_owned()));
    assert_eq!(server.post(UPDATE, &json!({}))["installed"], json!(["alpha.yaml"]));
}

#[test]
fn an_older_pack_does_not_come_back() {
    let publisher = Publisher::new();
    let server = with_publisher(&publisher);
    let (first, second) = (pack(&["alpha"], 1), pack(&["alpha"], 2));
    publisher.publish("1", &first);
    server.post(UPDATE, &json!({}));
    publisher.publish("2", &second);
    server.post(UPDATE, &json!({}));
    let older = "The published pack is older than the installed one.";
    publisher.publish("1", &first);
    assert_eq!(server.get(UPDATE)["update_available"], false);
    refused(&server, older);
    publisher.publish("3", &first);
    refused(&server, older);
    publisher.publish("2", &second);
    let again = server.post(UPDATE, &json!({}));
    for key in ["installed", "updated", "removed"] {
        assert_eq!(again[key], json!([]), "{key}");
    }
}

#[test]
fn nothing_is_verified_without_a_key() {
    let publisher = Publisher::new();
    publisher.publish("1", &pack(&["alpha"], 1));
    let server = setup().env("SERVICE_RELEASE_BASE", publisher.base()).start();
    let reply = server.send(&Request::post(UPDATE, &json!({}))).expect(400).json();
    assert_eq!(reply["error"], "signature_verification_failed");
    let notices = server.get("/api/notifications");
    let kinds = notices["notifications"].as_array().into_iter().flatten().map(|one| &one["kind"]);
    assert!(kinds.into_iter().any(|kind| kind == "security"), "{notices}");
    assert_eq!(server.get(UPDATE)["version"], "1", "looking needs no key");
    let server = setup().start();
    assert_eq!(server.get(UPDATE)["error"], "This build knows no release address.");
    assert_eq!(server.get(STATUS)["update"]["ok"], false);
}
