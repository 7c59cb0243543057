//! The library of an older launcher: what each element means for a row of the library.

use serde_json::{Value, json};

use super::{
    import::{ListKind, Read, RowContext},
    merge::{Policy, incoming},
};
use crate::{
    formats::xml_rows::{Row, Shape},
    imports::known::Paths,
    model::Record,
};

/// The library of the older launcher.
pub const LEGACY: ListKind = ListKind {
    source: "legacy",
    shape: Shape { roots: &["launchbox"], row: "game", direct: false },
    most_bytes: 64 << 20,
    has_trees: false,
    policy: Policy { prefix: "legacy:", paths: Paths::Unclaimed, has_exclusions: true, keeps },
    read,
};

/// Elements that are taken over as they stand.
const TEXTS: [(&str, &[&str]); 9] = [
    ("platform", &["platform"]),
    ("genre", &["genre"]),
    ("developer", &["developer"]),
    ("publisher", &["publisher"]),
    ("region", &["region"]),
    ("play_mode", &["playmode"]),
    ("status", &["status"]),
    ("description", &["notes"]),
    ("legacy_emulator_id", &["emulatorid"]),
];
/// Elements that name files.
const FILES: [(&str, &[&str]); 5] = [
    ("path", &["applicationpath"]),
    ("manual", &["manualpath"]),
    ("music", &["musicpath"]),
    ("video_snap", &["videopath"]),
    ("cover", &["imagepath", "boxfrontimagepath"]),
];
/// Elements that mean something else than a text or a file.
const OTHERS: [&str; 8] = [
    "title",
    "id",
    "rating",
    "releasedate",
    "year",
    "databaseid",
    "screenshotpath",
    "screenshotspath",
];
/// What a person sets, and files: a set value stays unless the field is named.
const KEPT: [&str; 20] = [
    "favorite",
    "hidden",
    "progress",
    "play_count",
    "playtime_seconds",
    "last_played",
    "rating",
    "user_rating",
    "notes",
    "description",
    "tags",
    "launch",
    "legacy_emulator_id",
    "emulator_id",
    "emulator_adapter_id",
    "emulator_profile_id",
    "path",
    "manual",
    "music",
    "screenshots",
];

fn keeps(field: &str) -> bool {
    KEPT.contains(&field) || matches!(field, "cover" | "video_snap" | "status")
}

fn read(row: &Row, context: &RowContext<'_>) -> Result<Read, &'static str> {
    let (options, resolve) = (context.options, context.resolve);
    let (title, id) = (row.first(&["title"]), row.first(&["id"]));
    if title.is_empty() || id.is_empty() {
        return Err(if title.is_empty() { "Title is missing." } else { "ID is missing." });
    }
    let mut record = Record::default();
    record.set("name", title);
    record.set("legacy_source_id", id);
    for (field, elements) in TEXTS {
        let text = row.first(elements);
        if !text.is_empty() {
            record.set(field, text);
        }
    }
    for (field, elements) in FILES {
        let file = row.first(elements);
        if !file.is_empty() {
            record.set(field, resolve(file));
        }
    }
    let shots = row.all("screenshotpath").chain(row.all("screenshotspath")).map(resolve);
    let shots: Vec<Value> = shots.map(Value::from).collect();
    if !shots.is_empty() {
        record.set("screenshots", shots);
    }
    let year = row.first(&["releasedate", "year"]);
    let year = year.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    if let Some(year) = year {
        record.set("year", year);
    }
    let stars = row.first(&["rating"]).parse::<f64>().ok();
    if let Some(stars) = stars.filter(|stars| (0.0..=5.0).contains(stars) && *stars > 0.0) {
        record.set("rating", stars);
    }
    let database = row.first(&["databaseid"]);
    if !database.is_empty() && database.bytes().all(|byte| byte.is_ascii_digit()) {
        record.set("metadb_id", database);
    }
    let emulator = row.first(&["emulatorid"]).to_owned();
    choose_emulator(&mut record, options.emulators.get(&emulator));
    let identity = format!("legacy:{id}");
    record.set("source", "legacy");
    record.set("source_identity", identity.as_str());
    record.set("source_identities", json!([identity]));
    let strange = row.names().filter(|name| !is_known(name)).map(str::to_owned).collect();
    Ok(Read { incoming: incoming(record), strange, emulator })
}

fn is_known(name: &str) -> bool {
    let listed = |table: &[(&str, &[&str])]| table.iter().any(|(_, names)| names.contains(&name));
    listed(&TEXTS) || listed(&FILES) || OTHERS.contains(&name)
}

/// What stands here for an emulator of the older launcher: an adapter, or several ids.
fn choose_emulator(record: &mut Record, chosen: Option<&Value>) {
    match chosen {
        Some(Value::String(adapter)) if !adapter.trim().is_empty() => {
            record.set("emulator_adapter_id", adapter.trim());
        }
        Some(Value::Object(ids)) => {
            for key in ["emulator_id", "emulator_adapter_id", "emulator_profile_id"] {
                if let Some(id) = ids.get(key).and_then(Value::as_str) {
                    record.set(key, id);
                }
            }
        }
        _ => {}
    }
}
