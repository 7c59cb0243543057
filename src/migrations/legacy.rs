//! The library of an older launcher: what each element means for a row of the library.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    launchbox,
    launchers::{is_address, opening},
    list::{ListKind, Read, RowContext},
    merge::{Policy, incoming},
};
use crate::{
    formats::xml_rows::{Row, Shape},
    imports::{
        brought,
        known::{self, Paths, ids_of_address},
    },
    model::{Record, media},
};

/// The library of the older launcher.
pub const LEGACY: ListKind = ListKind {
    source: known::LEGACY,
    shape: Shape { roots: launchbox::ROOTS, row: "game", direct: false },
    most_bytes: 64 << 20,
    lists: launchbox::lists,
    layout: launchbox::layout,
    takes_others: false,
    policy: Policy { prefix: "legacy:", paths: Paths::Unclaimed, has_exclusions: true, keeps },
    read,
};

/// Elements that are copied unchanged.
const TEXTS: [(&str, &[&str]); 12] = [
    ("sort_title", &["sorttitle"]),
    ("series", &["series"]),
    ("wikipedia_url", &["wikipediaurl"]),
    ("video_url", &["videourl"]),
    ("platform", &["platform"]),
    ("developer", &["developer"]),
    ("publisher", &["publisher"]),
    ("region", &["region"]),
    ("play_mode", &["playmode"]),
    ("status", &["status"]),
    ("description", &["notes"]),
    ("legacy_emulator_id", &["emulatorid", "emulator"]),
];
/// Elements that name files.
const FILES: [(&str, &[&str]); 5] = [
    ("path", &["applicationpath"]),
    ("manual", &["manualpath"]),
    ("music", &["musicpath"]),
    ("video_snap", &["videopath"]),
    ("cover", &["imagepath", "boxfrontimagepath"]),
];
/// The audiences that a rating may name instead of stars: `E - Everyone`.
const AUDIENCES: [&str; 8] = ["E", "E10+", "T", "M", "AO", "RP", "EC", "K-A"];
/// Elements that mean something else than a text or a file.
const OTHERS: [&str; 20] = [
    "communitystarrating",
    "genre",
    "favorite",
    "hide",
    "broken",
    "completed",
    "playcount",
    "playtime",
    "lastplayeddate",
    "maxplayers",
    "title",
    "id",
    "rating",
    "starrating",
    "starratingfloat",
    "releasedate",
    "year",
    "databaseid",
    "screenshotpath",
    "screenshotspath",
];
/// What the user sets, and files: a set value stays unless the field is named.
const KEPT: [&str; 25] = [
    "discs",
    "versions",
    "applications",
    "alternate_names",
    "broken",
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
    let is_media = media::MEDIA.iter().any(|kind| kind.field == field);
    KEPT.contains(&field) || is_media || field == "status"
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
        if field == "path" && is_address(file) {
            start_address(&mut record, file);
        } else if !file.is_empty() {
            record.set(field, resolve(file));
        }
    }
    let genres = row.first(&["genre"]).split(';').map(str::trim).filter(|genre| !genre.is_empty());
    let genres: Vec<&str> = genres.collect();
    if !genres.is_empty() {
        record.set("genre", genres.join(", "));
    }
    let shots = row.all("screenshotpath").chain(row.all("screenshotspath")).map(resolve);
    let shots: Vec<Value> = shots.map(Value::from).collect();
    if !shots.is_empty() {
        record.set("screenshots", shots);
    }
    let year = row.first(&["releasedate", "year"]);
    let year = year.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    // A date that was never set is one of the year 1.
    if let Some(year) = year.filter(|year| *year >= "1000") {
        record.set("year", year);
    }
    // The rounded one stands besides the exact one, which may be missing or zero.
    let stars = ["starratingfloat", "starrating", "rating", "communitystarrating"].into_iter();
    let mut stars = stars.filter_map(|element| row.first(&[element]).parse::<f64>().ok());
    if let Some(stars) = stars.find(|stars| *stars > 0.0 && *stars <= 5.0) {
        record.set("rating", stars);
    }
    let audience = row.first(&["rating"]).split(" - ").next().unwrap_or_default();
    if AUDIENCES.contains(&audience) {
        record.set("esrb", audience);
    }
    take_play(row, &mut record);
    take_around(id, &mut record, context);
    let database = row.first(&["databaseid"]);
    if !database.is_empty() && database.bytes().all(|byte| byte.is_ascii_digit()) {
        record.set("metadb_id", database);
    }
    let emulator = row.first(&["emulatorid", "emulator"]).to_owned();
    let by_name = || options.emulators.get(context.extras.emulators.get(&emulator)?);
    choose_emulator(&mut record, options.emulators.get(&emulator).or_else(by_name));
    let identity = format!("legacy:{id}");
    record.set("source", known::LEGACY);
    record.set("source_identity", identity.as_str());
    record.set("source_identities", json!([identity]));
    let strange = row.names().filter(|name| !is_known(name));
    let custom = context.extras.with_custom_fields.contains(id).then_some("customfield");
    let strange = strange.chain(custom).map(str::to_owned).collect();
    Ok(Read { incoming: incoming(record), strange, emulator })
}

/// A game that is started by an address (`steam://rungameid/440`) has no file. A game of a store
/// is known by its id there, so that an import of that store finds it.
fn start_address(record: &mut Record, address: &str) {
    record.set("launch", opening(address));
    for (field, id) in ids_of_address(address) {
        record.set(field, id);
    }
}

/// What the user did with the game in the other launcher.
fn take_play(row: &Row, record: &mut Record) {
    let is_set = |element: &str| row.first(&[element]).eq_ignore_ascii_case("true");
    for (element, field) in [("favorite", "favorite"), ("hide", "hidden"), ("broken", "broken")] {
        if is_set(element) {
            record.set(field, true);
        }
    }
    if is_set("completed") {
        record.set("progress", "Completed");
    }
    let count =
        |element: &str| row.first(&[element]).parse::<u64>().ok().filter(|count| *count > 0);
    if let Some(count) = count("playcount") {
        record.set("play_count", count);
    }
    if let Some(players) = count("maxplayers") {
        record.set("max_players", players.to_string());
    }
    let last = brought::last_play(row.first(&["lastplayeddate"]));
    if !last.is_empty() {
        record.set("last_played", last.as_str());
    }
    if let Some(seconds) = count("playtime") {
        brought::note(record, "LaunchBox", seconds, &last);
    }
}

/// Other files, other names and pictures of the game with this id.
fn take_around(id: &str, record: &mut Record, context: &RowContext<'_>) {
    let (mut discs, mut versions, mut applications) = (BTreeMap::new(), Vec::new(), Vec::new());
    let own = record.text("path").to_owned();
    for file in context.extras.files.get(id).into_iter().flatten() {
        let path = file.first(&["applicationpath"]);
        if path.is_empty() {
            continue;
        }
        let name = [file.first(&["name"]), file.first(&["version"]), path];
        let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or(path);
        if is_address(path) {
            applications.push(json!({"name": name, "path": "", "command": opening(path)}));
            continue;
        }
        let path = (context.resolve)(path);
        // What the emulator plays is the same game; what runs by itself belongs to it.
        let is_played = file.first(&["useemulator"]).eq_ignore_ascii_case("true");
        if let Ok(disc) = file.first(&["disc"]).parse::<u16>()
            && is_played
        {
            discs.entry(disc).or_insert(path);
        } else if !is_played {
            applications.push(json!({"name": name, "path": path, "command": ""}));
        } else if path != own {
            versions.push(json!({"name": name, "path": path, "command": ""}));
        }
    }
    // The file of the game is its first disc, which need not be listed.
    if !discs.is_empty() && !own.is_empty() {
        discs.entry(1).or_insert(own);
    }
    let discs: Vec<String> = discs.into_values().collect();
    if discs.len() > 1 {
        record.set("discs", discs);
    }
    let names = context.extras.names.get(id).into_iter().flatten();
    let names: Vec<Value> = names.filter(|name| !name.is_empty()).map(|name| json!(name)).collect();
    for (field, list) in
        [("versions", versions), ("applications", applications), ("alternate_names", names)]
    {
        if !list.is_empty() {
            record.set(field, list);
        }
    }
    // Several games may have one title, so a file with the id goes before those with the title alone.
    let keys = [id.to_lowercase(), launchbox::key_of_title(record.text("name"))];
    for kind in &media::MEDIA {
        let mut files = keys.iter().map(|key| context.layout.media_under(kind.field, key));
        let mut files = files.find(|files| !files.is_empty()).unwrap_or_default().to_vec();
        let own = record.text("region");
        files.sort_by_cached_key(|file| {
            (file.kind, launchbox::rank_of_region(&file.region, own, context.regions))
        });
        let files: Vec<String> = files.into_iter().map(|file| file.path).collect();
        if let Some(first) = files.first().filter(|_| record.is_blank(kind.field)) {
            record.set(kind.field, if kind.list { json!(files) } else { json!(first) });
        }
    }
}

fn is_known(name: &str) -> bool {
    let listed = |table: &[(&str, &[&str])]| table.iter().any(|(_, names)| names.contains(&name));
    listed(&TEXTS) || listed(&FILES) || OTHERS.contains(&name)
}

/// The local replacement of an emulator of the older launcher: an adapter, or several ids.
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
