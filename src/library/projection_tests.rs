//! The projection against a slow, plain reference that builds JSON values.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{
    projection::{Projection, Selection, ViewRules},
    survey::{DiskFacts, Shot},
};
use crate::{
    game::slots::{MEDIA, MEDIA_COUNT, Slots},
    model::{
        Game, Record,
        fields::{FIELDS, Kind},
        media::{IMAGES, VIDEOS},
    },
};

fn rules(settings: Value) -> ViewRules {
    ViewRules::of(settings.as_object().expect("an object"))
}

fn project(record: &Record, position: usize, facts: &DiskFacts, rules: &ViewRules) -> Value {
    let game = Game::seal(record);
    let mut out = Vec::new();
    Projection::new(rules).write(&mut out, position, &game, &Slots::of(game.json()), facts);
    serde_json::from_slice(&out).expect("the projection is JSON")
}

/// The text a value shows; a number with a fraction of zero is written without it.
fn text_of(record: &Record, key: &str) -> String {
    match record.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) if number.is_f64() => {
            number.as_f64().unwrap_or_default().to_string()
        }
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// The value a field shows, written the obvious way.
fn shown(record: &Record, key: &str, kind: Kind, facts: &DiskFacts) -> Value {
    let value = record.get(key).unwrap_or(&Value::Null);
    let number = record.number(key).filter(|number| number.is_finite());
    let number = || match (value, number) {
        (Value::Number(number), _) => Some(Value::Number(number.clone())),
        (_, Some(number)) => Some(serde_json::from_str(&format!("{number}")).expect("a number")),
        _ => None,
    };
    match (key, kind) {
        ("screenshots", _) => record
            .list(key)
            .iter()
            .zip(&facts.screenshots)
            .map(|(path, shot)| match (path, shot) {
                (Value::String(path), Shot::Present | Shot::Missing) => json!(path),
                _ => json!(""),
            })
            .collect(),
        ("notes", _) => {
            if value.is_string() {
                return value.clone();
            }
            let list = record.list(key).iter();
            list.filter_map(|note| match note {
                Value::Object(_) => Some(note.clone()),
                Value::String(text) if !text.trim().is_empty() => {
                    Some(json!({"ts": "", "text": text}))
                }
                Value::Number(_) => {
                    let number = Record::from(Map::from_iter([("n".to_owned(), note.clone())]));
                    Some(json!({"ts": "", "text": text_of(&number, "n")}))
                }
                _ => None,
            })
            .collect()
        }
        ("launch_env", _) => match value {
            Value::String(lines) => lines
                .lines()
                .filter_map(|line| line.split_once('='))
                .map(|(key, value)| (key.trim().to_owned(), json!(value.trim())))
                .filter(|(key, _)| !key.is_empty())
                .collect::<Map<_, _>>()
                .into(),
            Value::Object(map) => map.clone().into(),
            _ => json!({}),
        },
        ("clips", _) => record.list(key).iter().rev().take(100).rev().cloned().collect(),
        (_, Kind::Text) => json!(text_of(record, key)),
        (_, Kind::Media) => {
            let bit = MEDIA.iter().position(|slot| FIELDS[*slot].key == key).expect("media");
            let withheld = facts.withheld & (1 << bit) != 0;
            if withheld { json!("") } else { json!(text_of(record, key)) }
        }
        (_, Kind::Flag) => json!(record.flag(key)),
        (_, Kind::Count) => match value {
            Value::String(_) => json!(number().and_then(|n| n.as_f64()).map_or(0, as_count)),
            _ => json!(record.count(key)),
        },
        (_, Kind::NumberOrBlank) => number().unwrap_or(json!("")),
        (_, Kind::NumberOrNull) => number().unwrap_or(Value::Null),
        ("alternate_names" | "languages" | "tags" | "save_paths" | "legacy_game_ids", _) => {
            record.list(key).iter().filter(|item| item.is_string()).cloned().collect()
        }
        (_, Kind::List) => record.list(key).to_vec().into(),
        (_, Kind::Object) => value.as_object().cloned().unwrap_or_default().into(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a saturating cast is what is meant"
)]
fn as_count(number: f64) -> u64 {
    number.max(0.0) as u64
}

fn reference(record: &Record, position: usize, facts: &DiskFacts) -> Value {
    let has = |key: &str| {
        let bit = MEDIA.iter().position(|slot| FIELDS[*slot].key == key).expect("media");
        facts.present & (1 << bit) != 0
    };
    let mut all = Map::new();
    for field in FIELDS {
        all.insert(field.key.to_owned(), shown(record, field.key, field.kind, facts));
    }
    let text = |key: &str| text_of(record, key);
    let installed = match record.get("store_installed") {
        Some(Value::Bool(flag)) => *flag,
        _ => facts.path_exists,
    };
    let stores = ["store_a_app_id", "store_b_app_id", "store_c_id"];
    let owned = record.flag("owned")
        || record.flag("store_catalog")
        || stores.iter().any(|key| !text(key).is_empty());
    let video = VIDEOS.iter().find(|key| has(key)).copied().unwrap_or("");
    let platform = text("platform").trim().to_lowercase();
    let arcade = ["arcade", "mame", "finalburn neo"].contains(&platform.as_str());
    let shots: Vec<usize> =
        (0..facts.screenshots.len()).filter(|at| facts.screenshots[*at] == Shot::Present).collect();
    let game = Game::seal(record);
    let list = |key: &str| !record.list(key).is_empty();
    let computed = json!({
        "id": position,
        "game_id": text("game_id"),
        "path_exists": facts.path_exists,
        "store_installed": installed,
        "owned": owned,
        "installable": !text("libserver_id").is_empty() && !installed,
        "playable": (facts.path_exists || installed) && !record.flag("manual_entry"),
        "has_video": !video.is_empty(),
        "active_video_field": video,
        "has_missing_media": !has("cover"),
        "has_saves": facts.has_saves,
        "has_documents": list("documents"),
        "has_versions": list("versions"),
        "has_memories": list("memories"),
        "has_moments": list("moments"),
        "has_clips": list("clips"),
        "moments_count": record.list("moments").len(),
        "has_achievements": !text("ach_game_id").is_empty(),
        "ach_mastered": record.flag("ach_mastered") || facts.is_mastered,
        "has_highscores": arcade && !text("rom_name").is_empty(),
        "entry_type": if record.flag("manual_entry") { "shelf" } else { "playable" },
        "platform_category": if arcade { "Arcade" } else { "Other" },
        "available_screenshots": shots,
        "manual_playtime_seconds": game.manual_playtime_seconds(),
        "total_playtime_seconds": game.playtime_seconds() + game.manual_playtime_seconds(),
    });
    all.extend(computed.as_object().expect("an object").clone());
    for key in IMAGES {
        all.insert(format!("has_{key}"), json!(has(key)));
    }
    Value::Object(all)
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (0_u64..1 << 53).prop_map(Value::from),
        (-8_000..8_000_i32).prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
        "[ -~\u{e4}\u{1f3ae}\n\"\\\\]{0,12}".prop_map(Value::from),
        "[0-9]{1,4}(\\.[0-9])?".prop_map(Value::from),
        Just(json!("A=1\nB = two\n=x\nnothing")),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..3)
                .prop_map(|map| map.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

fn any_record() -> impl Strategy<Value = Record> {
    let extra = ["owned", "store_installed", "moments", "ach_mastered", "game_id", "stranger"];
    let keys: Vec<&str> = FIELDS.iter().map(|field| field.key).chain(extra).collect();
    let field = (prop::sample::select(keys), any_value());
    prop::collection::vec(field, 0..40).prop_map(|fields| {
        let map: Map<String, Value> =
            fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        Record::from(map)
    })
}

fn any_facts() -> impl Strategy<Value = DiskFacts> {
    (any::<[bool; 3]>(), 0_u32..1 << MEDIA_COUNT, 0_u32..1 << MEDIA_COUNT).prop_map(
        |([path_exists, has_saves, is_mastered], present, withheld)| DiskFacts {
            path_exists,
            has_saves,
            is_mastered,
            present,
            withheld,
            screenshots: Vec::new(),
        },
    )
}

proptest! {
    #[test]
    fn equals_the_reference(
        record in any_record(),
        mut facts in any_facts(),
        shots in prop::collection::vec(0_u8..3, 4),
        position in 0_usize..100_000,
    ) {
        let kinds = [Shot::Present, Shot::Missing, Shot::Withheld];
        let count = record.list("screenshots").len();
        facts.screenshots = shots.iter().take(count).map(|at| kinds[*at as usize]).collect();
        let rules = rules(json!({}));
        prop_assert_eq!(
            project(&record, position, &facts, &rules),
            reference(&record, position, &facts)
        );
    }
}

#[test]
fn what_is_no_text_is_left_out_of_lists_of_texts() {
    let odd = json!(["a", 1, null, {"b": "c"}, ["d"], "e"]);
    let record: Record = serde_json::from_value(
        json!({"tags": odd, "alternate_names": odd, "save_paths": odd, "documents": odd}),
    )
    .expect("an object");
    let game = project(&record, 0, &DiskFacts::default(), &rules(json!({})));
    for key in ["tags", "alternate_names", "save_paths"] {
        assert_eq!(game[key], json!(["a", "e"]), "{key}");
    }
    assert_eq!(game["documents"], odd);
}

#[test]
fn an_empty_record_shows_every_key_unset() {
    let game = project(&Record::default(), 7, &DiskFacts::default(), &rules(json!({})));
    assert_eq!(game["id"], 7);
    for (key, expected) in [
        ("name", json!("")),
        ("rating", json!("")),
        ("disc_count", json!("")),
        ("time_to_beat_hours", Value::Null),
        ("play_count", json!(0)),
        ("user_rating", json!(0)),
        ("favorite", json!(false)),
        ("tags", json!([])),
        ("custom_fields", json!({})),
        ("cover", json!("")),
        ("has_cover", json!(false)),
        ("has_missing_media", json!(true)),
        ("active_video_field", json!("")),
        ("entry_type", json!("playable")),
        ("platform_category", json!("Other")),
        ("plugin_source_name", json!("")),
    ] {
        assert_eq!(game[key], expected, "{key}");
    }
}

#[test]
fn the_settings_choose_video_and_category() {
    let bit = |key: &str| 1 << crate::game::slots::media_bit(key);
    let facts =
        DiskFacts { present: bit("video_trailer") | bit("video_theme"), ..DiskFacts::default() };
    let record: Record =
        serde_json::from_value(json!({"platform": "NES", "video_theme": "/x"})).expect("record");
    let game = |settings: Value| project(&record, 0, &facts, &rules(settings));
    assert_eq!(game(json!({}))["active_video_field"], "video_theme");
    assert_eq!(game(json!({}))["platform_category"], "Nintendo");
    let chosen = game(json!({
        "video_priority": ["video_trailer", "video_snap"],
        "platform_categories": {"NES": "Childhood \"80s\""},
    }));
    assert_eq!(chosen["active_video_field"], "video_trailer");
    assert_eq!(chosen["platform_category"], "Childhood \"80s\"");
    let other = game(json!({"video_priority": ["video_snap"]}));
    assert_eq!((&other["has_video"], &other["active_video_field"]), (&json!(false), &json!("")));
}

#[test]
fn notes_and_clips_take_their_public_form() {
    let clips: Vec<Value> = (0..130).map(|number| json!({"clip_id": number})).collect();
    let record: Record =
        serde_json::from_value(json!({"notes": "old \"note\"", "clips": clips})).expect("record");
    let game = project(&record, 0, &DiskFacts::default(), &rules(json!({})));
    assert_eq!(game["notes"], "old \"note\"");
    assert_eq!(game["clips"].as_array().map(Vec::len), Some(100));
    assert_eq!(game["clips"][0]["clip_id"], 30);
}

#[test]
fn a_selection_writes_its_keys_and_no_others() {
    let bit = |key: &str| 1 << crate::game::slots::media_bit(key);
    let facts = DiskFacts { path_exists: true, present: bit("cover"), ..DiskFacts::default() };
    let record =
        json!({"name": "A", "platform": "NES", "tags": ["x"], "cover": "/c", "favorite": true});
    let record: Record = serde_json::from_value(record).expect("record");
    let game = Game::seal(&record);
    let rules = rules(json!({}));
    let whole = project(&record, 3, &facts, &rules);
    let shown = |text: &str| {
        let selection = Selection::parse(text).expect("known keys");
        let mut out = Vec::new();
        let mut projection = Projection::new(&rules).selecting(&selection);
        projection.write(&mut out, 3, &game, &Slots::of(game.json()), &facts);
        serde_json::from_slice::<Map<String, Value>>(&out).expect("the projection is JSON")
    };
    let every = whole.as_object().expect("an object");
    for key in every.keys() {
        let expected: Map<String, Value> = every
            .iter()
            .filter(|(each, _)| [key, "id", "game_id", "name"].contains(&each.as_str()))
            .map(|(each, value)| (each.clone(), value.clone()))
            .collect();
        assert_eq!(shown(key), expected, "{key}");
    }
    let all = every.keys().cloned().collect::<Vec<_>>().join(" , ");
    assert_eq!(&shown(&all), every);
    assert_eq!(Selection::parse("name,no_such,also_not").err(), Some("no_such"));
}
