//! Every setting that can be posted: values kept as they are, values normalised, values refused,
//! each bound at its edge and one past it.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::setting::{Initial, Writer};
use super::table::{self, SETTINGS};
use super::validate_tests::post;
use crate::{
    config::dotenv::tests::{make_folder, put_file},
    model::{fields::PROGRESS, media},
};

/// What happens to posted values of one setting.
struct Case {
    key: &'static str,
    /// Stored exactly as posted.
    kept: Vec<Value>,
    /// Stored in another form.
    turned: Vec<(Value, Value)>,
    /// Abort the save.
    refused: Vec<Value>,
}

fn case(key: &'static str, kept: Value, turned: Value, refused: Value) -> Case {
    let list = |value: Value| match value {
        Value::Array(list) => list,
        other => panic!("not a list: {other}"),
    };
    let turned = list(turned).into_iter().map(|pair| (pair[0].clone(), pair[1].clone())).collect();
    Case { key, kept: list(kept), turned, refused: list(refused) }
}

#[track_caller]
fn check(case: &Case) {
    let key = case.key;
    let kept = case.kept.iter().map(|value| (value.clone(), value.clone()));
    for (posted, expected) in kept.chain(case.turned.iter().cloned()) {
        match post(key, &posted) {
            Ok(save) => {
                assert_eq!(save.changes.get(key), Some(&expected), "{key} posted as {posted}");
                assert!(save.dropped.is_empty(), "{key}");
            }
            Err(error) => panic!("{key}: {posted} was refused: {error}"),
        }
    }
    for posted in &case.refused {
        let error = post(key, posted).expect_err(&format!("{key} took {posted}"));
        assert_eq!(error.field, key);
        let text = error.to_string();
        assert!(text.starts_with(char::is_uppercase), "{key}: {text}");
    }
}

fn numbers(from: usize, to: usize, prefix: &str) -> Vec<String> {
    (from..to).map(|n| format!("{prefix}{n}")).collect()
}

/// Whole numbers: both edges kept, one past each refused.
fn whole(key: &'static str, min: i32, max: i32) -> Case {
    let refused =
        json!([i64::from(min) - 1, i64::from(max) + 1, null, min.to_string(), true, 1.5, [1]]);
    case(key, json!([min, max]), json!([[f64::from(max), max]]), refused)
}

fn number_cases() -> Vec<Case> {
    let not_numbers = || vec![json!(null), json!("1"), json!(true), json!([]), json!({})];
    let number = |key, kept: Value, mut refused: Vec<Value>| {
        refused.extend(not_numbers());
        case(key, kept, json!([]), Value::Array(refused))
    };
    vec![
        case(
            "screensaver_seconds",
            json!([0, 30, 3600]),
            json!([[60.0, 60]]),
            json!([-1, 1, 29, 3601, 30.5, "60", true, null]),
        ),
        whole("attract_mode_seconds", 0, 86_400),
        whole("bigscreen_sound_volume", 0, 100),
        whole("progress_automation_play_minutes", 0, 100_000),
        whole("progress_automation_idle_days", 0, 3_650),
        whole("media_download_limit", 0, 10_000),
        whole("save_backup_limit", 0, 500),
        whole("backup_auto_keep", 1, 52),
        whole("state_retention", 1, 20),
        whole("ui_tile_width", 110, 300),
        case("party_players", json!([2, 8]), json!([[3.0, 3]]), json!([1, 9, "2", null, 2.5])),
        case("party_index", json!([0]), json!([[5, 0], [-3, 0]]), json!(["0", 1.5, null, true])),
        whole("webhook_attempts", 1, 5),
        number("webhook_timeout", json!([1, 15, 2.5]), vec![json!(0.99), json!(15.01)]),
        number("recorder_ws_timeout", json!([0.1, 30, 5.0]), vec![json!(0.09), json!(30.01)]),
        number("tracking_delay", json!([0, 600, 0.5]), vec![json!(-0.01), json!(600.01)]),
        number("tracking_frequency", json!([0.5, 60, 2]), vec![json!(0.49), json!(60.01)]),
    ]
}

fn choice_cases() -> Vec<Case> {
    let choice = |key, kept: Value| {
        case(key, kept, json!([]), json!(["something else", "x ", null, 1, true, ["en"], {}]))
    };
    let mut groups: Vec<&str> = media::GROUPS.to_vec();
    groups.retain(|group| *group != "default");
    let mut image_group = choice("image_group", json!(groups));
    image_group.refused.extend([json!("default"), json!(""), json!("video")]);
    let mut progress = choice("progress_on_first_play", json!(PROGRESS));
    progress.turned.push((json!("Unplayed"), json!("")));
    progress.refused.extend([json!("playing"), json!("Done")]);
    vec![
        choice("locale", json!(["en", "es", "de", "fr", "pt"])),
        choice("start_page", json!(["library", "home"])),
        choice("ui_scheme", json!(["dark", "light", "contrast", "auto"])),
        choice("ui_group", json!(table::LIBRARY_GROUPS)),
        choice("library_view", json!(["grid", "list", "details"])),
        choice("list_sort_dir", json!(["", "reversed"])),
        choice("cover_grouping", json!(["shape", "none"])),
        image_group,
        progress,
        choice("health_rescan", json!(["daily", "weekly", "on_startup", "off"])),
        choice("import_title_style", json!(["clean", "file"])),
        choice("apply_perf", json!(["off", "auto", "always"])),
        choice("museum_kiosk_esrb", json!(table::RATINGS)),
        choice("bigscreen_mode", json!(["stage", "hybrid", "coverflow"])),
        choice(
            "tracking_mode",
            json!(["default", "process", "original_process", "folder", "process_name"]),
        ),
    ]
}

fn text_cases() -> Vec<Case> {
    let text = |key, chars: usize| {
        case(
            key,
            json!(["", "x", "ä".repeat(chars)]),
            json!([[" x ", "x"], ["ä".repeat(chars + 1), "ä".repeat(chars)]]),
            json!([null, 1, [], {}]),
        )
    };
    let mut hint = text("controller_prompt_hint", 200);
    hint.turned.push((json!(true), json!("Match the labels on your controller")));
    hint.refused.push(json!(false));
    let mut cases = vec![
        text("list_sort", 20),
        text("controller_prompt_pack", 40),
        text("tracking_process_name", 100),
        text("libserver_username", 256),
        text("libserver_provider", 256),
        hint,
    ];
    for key in ["recorder_ws_password", "libserver_password"] {
        cases.push(case(
            key,
            json!(["secret", " spaced ", "p".repeat(1024)]),
            json!([[null, ""]]),
            json!([1, true, [], "p".repeat(1025), "a\0b"]),
        ));
    }
    cases
}

fn address_cases() -> Vec<Case> {
    vec![
        case(
            "recorder_ws_url",
            json!(["", "ws://127.0.0.1:4455", "ws://host", "ws://[::1]:4455/x"]),
            json!([
                [" ws://a ", "ws://a"],
                [format!("ws://h/{}", "a".repeat(300)), format!("ws://h/{}", "a".repeat(249))]
            ]),
            json!([
                null,
                1,
                "host:4455",
                "http://host",
                "ws://",
                "ws://a:b@host",
                "ws://host:0",
                "ws://host:65536",
                "ws://host:x",
                "ws://a b",
                "ws://[::1",
                "ws://[x]",
                "ws://:1"
            ]),
        ),
        case(
            "libserver_url",
            json!([
                "",
                "https://host",
                "https://host:8443/base",
                "http://localhost:8080",
                "http://127.0.0.1",
                "http://[::1]:80"
            ]),
            json!([
                ["host.example", "https://host.example"],
                ["https://host/", "https://host"],
                ["HTTPS://Host", "https://Host"],
                [" https://a ", "https://a"]
            ]),
            json!([
                null,
                1,
                "ftp://host",
                "https://",
                "https://u:p@host",
                "https://host#x",
                "https://host:0",
                "https://host:65536",
                "https://a b",
                "http://host",
                "http://192.168.1.2",
                "http://localhost.example",
                "https://h\\x",
                format!("https://{}", "a".repeat(2048))
            ]),
        ),
    ]
}

fn list_cases() -> Vec<Case> {
    let subset = |key, known: &[&str], cut: &str| {
        case(
            key,
            json!([[], known]),
            json!([[[known[0], known[0]], [known[0]]]]),
            json!([null, "x", {}, [1], ["nothing known"], [known[0], null], [cut]]),
        )
    };
    let mut types = subset("auto_import_media_types", &media::IMPORTED, "Cover");
    let mut sorted = media::IMPORTED.to_vec();
    sorted.sort_unstable();
    types.kept = vec![json!([]), json!(sorted), json!(["background", "cover", "screenshots"])];
    types.turned.push((json!(["screenshots", "cover"]), json!(["cover", "screenshots"])));
    let commands = |key| {
        case(
            key,
            json!([[], ["a b", "a b"], numbers(0, 25, "run ")]),
            json!([[[" x ", ""], ["x"]]]),
            json!([null, "x", {}, [1], numbers(0, 26, "run "), ["x".repeat(4097)], ["a\0b"]]),
        )
    };
    let free = |key, cap: usize| {
        case(
            key,
            json!([[], numbers(0, cap, "entry-")]),
            json!([[["a", " a", "b"], ["a", "b"]]]),
            json!([null, "x", {}, [1], [null], numbers(0, cap + 1, "entry-")]),
        )
    };
    vec![
        subset("badge_visibility", table::BADGES, "Favorite"),
        subset("video_priority", &media::VIDEOS, "snap"),
        types,
        case(
            "region_priority",
            json!([["Japan"], ["Europe", ""], ["North America", "World", "Europe", "Japan", ""]]),
            json!([[["Japan", "Japan"], ["Japan"]]]),
            json!([[], null, "Japan", [1], {}]),
        ),
        free("sidebar_sections", 20),
        free("hidden_sidebar_sections", 20),
        free("ui_column_widths", 40),
        free("save_sync_platforms", 100),
        free("party_queue", 50),
        commands("startup_commands"),
        commands("shutdown_commands"),
        commands("bigscreen_shutdown_commands"),
        case(
            "list_columns",
            json!([["name"], [], numbers(0, 12, "c"), {"NES": ["name"], "": numbers(0, 12, "c")}]),
            json!([[["a", "a"], ["a"]]]),
            json!([null, "name", [1], numbers(0, 13, "c"), {"NES": numbers(0, 13, "c")},
                   {"NES": "name"}]),
        ),
    ]
}

fn object_cases() -> Vec<Case> {
    let options = |count| json!([{"name": "A", "options": numbers(0, count, "o")}]);
    let fields = |count| {
        let names = numbers(0, count, "f").into_iter();
        names.map(|name| json!({"name": name, "options": []})).collect::<Value>()
    };
    let presets = |count| {
        let names = numbers(0, count, "p").into_iter();
        names.map(|name| json!({"name": name})).collect::<Value>()
    };
    let preset = |part: &str, value: Value| json!([{"name": "a", part: value}]);
    vec![
        case(
            "controller_map",
            json!([{}, {"play": 0, "menu": 31}]),
            json!([[{"back": 3.0}, {"back": 3}]]),
            json!([null, [], "x", {"dance": 1}, {"play": 32}, {"play": -1}, {"play": "0"},
                   {"play": true}, {"play": null}, {"play": 1.5}]),
        ),
        case(
            "storefront_auto_import",
            json!([{"store_a": true, "store_b": false, "store_c": true, "libserver": false}]),
            json!([[{}, {"store_a": false, "store_b": false, "store_c": false, "libserver": false}],
                   [{"libserver": true},
                    {"store_a": false, "store_b": false, "store_c": false, "libserver": true}]]),
            json!([null, true, [], {"store_a": 1}, {"store_a": "yes"}, {"store_z": true}]),
        ),
        case(
            "custom_field_defs",
            json!([[], [{"name": "A", "options": ["x", "y"]}], options(50), fields(20)]),
            json!([[[{"name": " A  b ", "options": "x, y,, x"}], [{"name": "A b", "options": ["x", "y"]}]],
                   [[{"name": "A"}], [{"name": "A", "options": []}]]]),
            json!([null, {}, ["A"], [{}], [{"name": " "}], [{"name": "A", "options": 1}],
                   [{"name": "A", "options": [1]}], [{"name": "A"}, {"name": "a"}], options(51),
                   fields(21)]),
        ),
        case(
            "platform_categories",
            json!([{}, {"NES": "Mine", "Amiga": "Commodore"}]),
            json!([[{"NES": "Nintendo", "Amiga": " A "}, {"Amiga": "A"}], [{"": "x", "y": ""}, {}]]),
            json!([null, [], "x", {"NES": 1}, {"NES": null}]),
        ),
        case(
            "compositor_custom_presets",
            json!([[], presets(16), preset("refresh", json!(1000)), preset("fsr_sharpness", json!(0)),
                   [{"name": "x", "width": 7680, "height": 4320, "inner_width": 7680,
                     "inner_height": 4320, "refresh": 1, "integer": true, "stretch": false,
                     "fsr": true, "borderless": true, "fsr_sharpness": 5,
                     "extra_args": numbers(0, 20, "-")}]]),
            json!([[[{"name": " a ", "extra_args": "-a 'b c'", "other": 1, "width": null}],
                    [{"name": "a", "extra_args": ["-a", "b c"]}]],
                   [[{"name": "n".repeat(31)}], [{"name": "n".repeat(30)}]]]),
            json!([null, {}, [1], [{}], [{"name": ""}], [{"name": 1}], presets(17),
                   [{"name": "a"}, {"name": "A"}], preset("refresh", json!(1001)),
                   preset("refresh", json!(-1)), preset("fsr_sharpness", json!(6)),
                   [{"name": "a", "width": 7681, "height": 1}],
                   [{"name": "a", "width": 1, "height": 4321}],
                   [{"name": "a", "inner_width": 7681, "inner_height": 1}],
                   [{"name": "a", "inner_width": 1, "inner_height": 4321}],
                   preset("width", json!(100)), preset("inner_height", json!(100)),
                   preset("integer", json!(1)), preset("fsr", json!("yes")),
                   preset("extra_args", json!(numbers(0, 21, "-"))),
                   preset("extra_args", json!("'open")), preset("extra_args", json!([1]))]),
        ),
        case(
            "compositor_preset",
            json!([
                "",
                "handheld",
                "handheld_hd",
                "1080p",
                "1440p",
                "4k",
                "integer",
                "stretch",
                "borderless"
            ]),
            json!([["HandHeld", "handheld"], [" 4K ", "4k"]]),
            json!(["nothing", null, 1, []]),
        ),
    ]
}

fn path_cases(root: &Path) -> Vec<Case> {
    for folder in ["one", "two"] {
        make_folder(&root.join(folder));
    }
    put_file(&root.join("plain.txt"), b"x", 0o600);
    let many: Vec<String> = (0..51)
        .map(|n| {
            let folder = root.join(format!("many-{n}"));
            make_folder(&folder);
            folder.display().to_string()
        })
        .collect();
    let at = |name: &str| root.join(name).display().to_string();
    let folders = |key, cap: usize| {
        case(
            key,
            json!([[], [at("one"), at("two")], many[..cap]]),
            json!([[[at("one"), format!("{}/", at("one")), ""], [at("one")]]]),
            json!([
                null,
                at("one"),
                {},
                [1],
                ["relative"],
                [at("absent")],
                [at("plain.txt")],
                many[..=cap],
                [at("one\0")]
            ]),
        )
    };
    let new_folder = |key| {
        case(
            key,
            json!(["", at("one"), at("still/to/come")]),
            json!([[format!(" {}/ ", at("one")), at("one")]]),
            json!([null, 1, "relative", at("plain.txt")]),
        )
    };
    vec![
        folders("watch_folders", 50),
        folders("memories_import_roots", 32),
        new_folder("save_primary_backup_path"),
        new_folder("libserver_install_dir"),
        case(
            "cloud_folder",
            json!(["", at("one")]),
            json!([[format!("{}/.", at("one")), at("one")]]),
            json!([null, 1, "relative", at("absent"), at("plain.txt")]),
        ),
        case(
            "recorder_recording_path",
            json!(["", at("one"), at("plain.txt")]),
            json!([]),
            json!([null, 1, "relative", at("absent")]),
        ),
    ]
}

fn media_file_cases(root: &Path) -> Vec<Case> {
    for file in ["song.mp3", "song.flac", "film.mp4", "film.mkv"] {
        put_file(&root.join(file), b"x", 0o600);
    }
    let at = |name: &str| root.join(name).display().to_string();
    vec![
        case(
            "library_music",
            json!(["", at("song.mp3"), at("song.flac")]),
            json!([]),
            json!([
                null,
                1,
                "song.mp3",
                at("absent.mp3"),
                at("plain.txt"),
                at("film.mp4"),
                at("one")
            ]),
        ),
        case(
            "bigscreen_startup_video",
            json!(["", at("film.mp4"), at("film.mkv")]),
            json!([]),
            json!([
                null,
                1,
                "film.mp4",
                at("absent.mp4"),
                at("plain.txt"),
                at("song.mp3"),
                at("one")
            ]),
        ),
    ]
}

fn flag_cases() -> Vec<Case> {
    SETTINGS
        .iter()
        .filter(|setting| {
            setting.default == Initial::Flag(true) || setting.default == Initial::Flag(false)
        })
        .filter(|setting| setting.writer == Writer::Settings)
        .map(|setting| {
            let kept = if matches!(setting.key, "mood_match_bigscreen" | "library_sync_enabled") {
                json!([false])
            } else {
                json!([true, false])
            };
            case(setting.key, kept, json!([]), json!([null, 0, 1, "true", "", "yes", [], {}]))
        })
        .collect()
}

#[test]
fn every_setting_that_can_be_posted_at_and_past_its_edges() {
    let root = tempfile::tempdir().expect("temporary folder");
    let mut cases = number_cases();
    cases.extend(choice_cases());
    cases.extend(text_cases());
    cases.extend(address_cases());
    cases.extend(list_cases());
    cases.extend(object_cases());
    cases.extend(path_cases(root.path()));
    cases.extend(media_file_cases(root.path()));
    cases.extend(flag_cases());
    cases.iter().for_each(check);
    let tested: BTreeSet<&str> = cases.iter().map(|case| case.key).collect();
    let postable: BTreeSet<&str> = SETTINGS
        .iter()
        .filter(|setting| setting.writer == Writer::Settings)
        .map(|setting| setting.key)
        .collect();
    assert_eq!(tested, postable);
}
