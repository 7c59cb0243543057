//! Definitions valid and invalid.

use proptest::prelude::*;

use super::definition_file::*;
use crate::model::emulators::{Definition, Origin, StateBlock, StateKind};

const SHORT: &str = "adapter_id: a\nemulator_id: org.example.A\nplatform: P\n";

fn user(more: &str) -> Result<Definition, DefinitionError> {
    parse(format!("{SHORT}{more}").as_bytes(), Origin::User)
}

#[track_caller]
fn read(more: &str) -> Definition {
    user(more).expect(more)
}

#[test]
fn a_short_definition_has_the_usual_values() {
    let short = read("");
    assert_eq!((short.id.as_str(), short.platform.as_str()), ("a", "P"));
    assert_eq!(short.label, "org.example.A (P)");
    assert_eq!(short.app.name, "org.example.A");
    assert_eq!((short.app.executable.as_str(), short.app.package.as_str()), ("", ""));
    assert_eq!(short.arguments, ["{path}"]);
    assert_eq!((short.recommended, short.priority), (true, 100));
    assert_eq!(short.state, StateBlock::default());
    assert!(short.extensions.is_empty() && short.core_path.is_empty());
}

#[test]
fn other_names_of_keys_are_understood() {
    let text = "id: b\nflatpak: org.example.B\nplatforms: [Q]\nname: Bee (Q)\nnative: bee\n\
                startup: \"-L /c/x_libretro.so '{path}'\"\nextensions: [.ISO, iso, 7z]\n";
    let read = parse(text.as_bytes(), Origin::User).expect("a definition");
    assert_eq!(read.app.id, "org.example.B");
    assert_eq!(read.app.package, "org.example.B");
    assert_eq!((read.app.name.as_str(), read.app.executable.as_str()), ("Bee", "bee"));
    assert_eq!(read.arguments, ["-L", "/c/x_libretro.so", "{path}"]);
    assert_eq!(read.core_path, "/c/x_libretro.so");
    assert_eq!(read.extensions, ["iso", "7z"]);
}

#[test]
fn a_core_and_a_state_are_filled_in() {
    let text = "schema_version: 2\nretroarch_core: mgba_libretro.so\n\
                startup_args: [\"-L\", \"{retroarch_core}\", \"{path}\"]\n\
                state: {kind: adapter-cli, template: \"-s {state_path}\", capture: [\"-c\", \"{state_dir}\"]}\n";
    let with = read(text);
    assert_eq!(with.arguments[1], "/usr/lib/libretro/mgba_libretro.so");
    assert_eq!(with.core_path, with.arguments[1]);
    assert_eq!(with.state.kind, StateKind::AdapterCli);
    assert_eq!(with.state.template, ["-s", "{state_path}"]);
    assert_eq!(with.state.capture, ["-c", "{state_dir}"]);
    assert_eq!(with.state.glob, ["*"]);
    assert_eq!(read("state: {kind: none, glob: x}\n").state, StateBlock::default());
}

#[track_caller]
fn refused(more: &str, expected: &str) {
    let error = user(more).expect_err(more);
    assert_eq!(error.to_string(), expected, "{more}");
}

#[test]
fn what_is_wrong_is_named() {
    let path = "an absolute path or one that begins with ~/";
    let number = "a whole number from 0 to 100000";
    let hash = "a SHA-1 of 40 hexadecimal digits";
    let list = "a list of at most 64 short texts";
    for (more, key, expected) in [
        ("priority: -1\n", "priority", number),
        ("priority: 100001\n", "priority", number),
        ("priority: \"1\"\n", "priority", number),
        ("priority:\n", "priority", number),
        ("recommended: yes\n", "recommended", "true or false"),
        ("schema_version: 0\n", "schema_version", "1 or 2"),
        ("extensions: iso\n", "extensions", list),
        ("extensions: [a/b]\n", "extensions", "a list of file name extensions"),
        ("extensions: [\"\"]\n", "extensions", "a list of file name extensions"),
        ("native_exe: -rf\n", "native_exe", "the name of a program or an absolute path"),
        ("native_exe: a/b\n", "native_exe", "the name of a program or an absolute path"),
        ("native_exe: [a]\n", "native_exe", "a text of at most 200 characters"),
        ("executable_patterns: [-x]\n", "executable_patterns", "a list of names of programs"),
        ("bios_path: bios\n", "bios_path", path),
        ("core_path: x.so\n", "core_path", path),
        ("bios_sha1: xyz\n", "bios_sha1", hash),
        ("firmware_path: ../x\n", "firmware_path", path),
        ("startup_args: x\n", "startup_args", "a list of arguments"),
        ("startup: \"'x\"\n", "startup", "a list of arguments"),
        ("retroarch_core: a/x_libretro.so\n", "retroarch_core", "the file name of a core"),
        ("retroarch_core: _libretro.so\n", "retroarch_core", "the file name of a core"),
        ("state: x\n", "state", "a mapping with a kind"),
        ("state: {}\n", "state.kind", "none, retroarch, adapter-cli or config-override"),
        ("state: {kind: retroarch, glob: {}}\n", "state.glob", "a list of file names"),
        ("flatpak_app_id: -x\n", "flatpak_app_id", "letters, digits, dots, dashes and underscores"),
        ("label: \"a\\tb\"\n", "label", "a text of at most 200 characters"),
    ] {
        refused(more, &format!("the key {key} must be {expected}"));
    }
    refused("schema_version: 3\n", "its schema_version is later than 2");
    refused("startup: \"{what}\"\n", "the key startup holds the unknown token {what}");
    refused(
        "startup: \"{retroarch_core}\"\n",
        "the key startup holds the unknown token {retroarch_core}",
    );
    refused("startup: \"{state_path}\"\n", "the key startup holds the unknown token {state_path}");
    let state = "state: {kind: retroarch, template: \"{x}\"}\n";
    refused(state, "the key state.template holds the unknown token {x}");
    refused("a: &x 1\nb: *x\n", "it holds an anchor, an alias or a tag");
    let whole = |text: &str| parse(text.as_bytes(), Origin::User).expect_err(text).to_string();
    assert_eq!(whole("- a\n"), "it is not a mapping of keys to values");
    assert_eq!(whole("emulator_id: a\nplatform: b\n"), "the key adapter_id is missing");
    assert_eq!(whole("id: a\nplatform: b\n"), "the key emulator_id is missing");
    assert_eq!(whole("id: a\nemulator_id: b\n"), "the key platform is missing");
    let two = "id: a\nemulator_id: b\nplatforms: [a, b]\n";
    assert_eq!(whole(two), "the key platforms must be a list of one platform");
    let large = vec![b' '; FILE_BYTES + 1];
    let error = parse(&large, Origin::User).expect_err("too large").to_string();
    assert_eq!(error, "it is larger than 262144 bytes");
}

#[test]
fn limits_hold_at_their_edge() {
    let label = |chars: usize| user(&format!("label: {}\n", "x".repeat(chars)));
    assert!(label(200).is_ok() && label(201).is_err());
    let ending = |chars: usize| user(&format!("extensions: [{}]\n", "x".repeat(chars)));
    assert!(ending(16).is_ok() && ending(17).is_err());
    let endings = |count: usize| {
        let all: Vec<String> = (0..count).map(|at| format!("e{at}")).collect();
        user(&format!("extensions: [{}]\n", all.join(", ")))
    };
    assert!(endings(64).is_ok() && endings(65).is_err());
    assert!(user("priority: 100000\n").is_ok() && user("priority: 0\n").is_ok());
}

#[test]
fn a_definition_of_the_channel_is_complete() {
    let whole = "emulator_id: e\nadapter_id: a\nlabel: L (P)\nplatform: P\nextensions: [x]\n\
                 executable_patterns: [e]\nnative_exe: e\nnative_exe_windows: e.exe\nflatpak_app_id: e\n\
                 priority: 1\nstartup_args: [\"{path}\"]\nstate: {kind: none}\nschema_version: 1\nrecommended: true\n";
    assert!(parse(whole.as_bytes(), Origin::Community).is_ok());
    for line in whole.lines() {
        let key = line.split(':').next().expect("a key");
        let rest = whole.replace(&format!("{line}\n"), "");
        let error = parse(rest.as_bytes(), Origin::Community).expect_err(key).to_string();
        assert_eq!(error, format!("the key {key} is missing"));
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        id in "[a-z0-9][a-z0-9._-]{0,20}",
        platform in "[A-Za-z0-9][ -~]{0,20}[a-z]",
        words in prop::collection::vec("[ -z|~\u{e4}\u{1f600}]{1,20}", 0..6),
        endings in prop::collection::btree_set("[a-z0-9]{1,8}", 0..6),
        priority in 0_u32..=100_000,
        recommended in any::<bool>(),
    ) {
        let list = |items: &mut dyn Iterator<Item = &String>| {
            items.map(|item| quoted(item)).collect::<Vec<_>>().join(", ")
        };
        let text = format!(
            "adapter_id: {}\nemulator_id: e\nplatform: {}\nstartup_args: [{}]\nextensions: [{}]\n\
             priority: {priority}\nrecommended: {recommended}\n",
            quoted(&id), quoted(&platform), list(&mut words.iter()), list(&mut endings.iter()),
        );
        let read = parse(text.as_bytes(), Origin::User).expect("valid");
        prop_assert_eq!(read.id, id);
        prop_assert_eq!(read.platform, platform);
        prop_assert_eq!(read.arguments, words);
        prop_assert_eq!(read.extensions, endings.into_iter().collect::<Vec<_>>());
        prop_assert_eq!((read.priority, read.recommended), (priority, recommended));
    }

    #[test]
    fn damage_never_stops_the_reading(at in 0_usize..400, byte in any::<u8>()) {
        let mut bytes = include_bytes!("../../definitions/retroarch-nes.yaml").to_vec();
        let at = at % bytes.len();
        bytes[at] = byte;
        drop(parse(&bytes, Origin::Community));
        drop(parse(&bytes[..at], Origin::User));
    }
}
