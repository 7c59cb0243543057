//! The cached answers: their correctness, and the work that a change causes.

use std::{fs, io::Read as _, sync::Arc};

use crossbeam_channel::unbounded;
use flate2::read::GzDecoder;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{
    answers::{AnswerContext, Answers, Document, Page, Whole},
    blocks::Form,
    projection::ALL,
};
use crate::{
    base::ResponseBytes,
    files::testing,
    model::{CHUNK, Draft, Record, State},
    probe::{found_saves::FoundSaves, media_roots::MediaRoots, probes::Probes},
};

/// Room for the text of one chunk of [`House`] or so.
const KEPT: usize = 900_000;

/// The bytes of a text that is made while it is sent.
fn joined(text: impl Iterator<Item = ResponseBytes>) -> Vec<u8> {
    text.flat_map(|piece| piece.as_ref().to_vec()).collect()
}

struct House {
    folder: tempfile::TempDir,
    answers: Answers,
    state: State,
}

impl House {
    /// A library of `count` games named after their numbers, whose files are not there.
    fn with_games(count: usize) -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        let base = folder.path().canonicalize().expect("real path");
        let answers = Answers::new(Probes::new(Arc::new(MediaRoots::new(&base, &[]))));
        let mut house = Self { folder, answers, state: State::default() };
        house.change(|draft| {
            for number in 0..count {
                let path = base.join(format!("roms/{number}.nes"));
                let record = json!({
                    "game_id": format!("game-{number}"), "name": format!("Gr\u{f6}\u{df}e {number}"),
                    "path": path, "cover": base.join(format!("media/{number}.png")),
                });
                let record: Record = serde_json::from_value(record).expect("an object");
                draft.add_game(record).expect("added");
            }
        });
        house
    }

    fn keeping(mut self, plain_bytes: usize) -> Self {
        self.answers = self.answers.keeping(plain_bytes);
        self
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().canonicalize().expect("real path").join(name)
    }

    fn change(&mut self, change: impl FnOnce(&mut Draft)) {
        let mut draft = Draft::new(self.state.clone());
        change(&mut draft);
        self.state = draft.finish().0;
        self.state.revision += 1;
    }

    fn ask(&self, form: Form, known: &str) -> Whole {
        let settings = |state: &State| state.settings().clone();
        let context =
            AnswerContext { settings: &settings, ach_configured: true, mediasvc_configured: false };
        self.answers.whole(&self.state, &context, form, |etag| etag == known)
    }

    fn body(&self, form: Form) -> (String, String) {
        let Whole::Body { etag, document } = self.ask(form, "") else { panic!("nothing is known") };
        let bytes = match document {
            Document::Gzip(pieces) => pieces.concat(),
            Document::Plain(text) => {
                let len = text.len();
                let bytes = joined(text);
                assert_eq!(bytes.len() as u64, len);
                bytes
            }
        };
        let mut text = String::new();
        match form {
            Form::Plain => text = String::from_utf8(bytes).expect("text"),
            Form::Gzip => {
                GzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("one gzip stream");
            }
        }
        (etag, text)
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body(Form::Plain).1).expect("JSON")
    }

    fn renders_of(&self, ask: impl FnOnce(&Self)) -> u64 {
        let before = self.answers.renders();
        ask(self);
        self.answers.renders() - before
    }
}

#[test]
fn saves_are_looked_for_where_there_are_games() {
    for count in [0, 1] {
        let house = House::with_games(count);
        let (sender, looks) = unbounded();
        house.answers.probes().look_for_saves_with(Box::new(move || {
            // OK because the test receives all.
            let _ = sender.send(());
            FoundSaves::default()
        }));
        house.json();
        drop(house);
        assert_eq!(looks.iter().count(), count);
    }
}

#[test]
fn both_forms_hold_the_same_document() {
    for count in [0, 1, CHUNK, 3 * CHUNK + 5] {
        let house = House::with_games(count);
        let (etag, plain) = house.body(Form::Plain);
        assert_eq!(house.body(Form::Gzip), (etag.clone(), plain.clone()));
        let value: Value = serde_json::from_str(&plain).expect("JSON");
        assert_eq!(value["games"].as_array().map(Vec::len), Some(count));
        for (at, game) in value["games"].as_array().expect("games").iter().enumerate() {
            assert_eq!(game["id"], at);
        }
        let mut keys: Vec<&str> =
            value.as_object().expect("an object").keys().map(String::as_str).collect();
        keys.sort_unstable();
        let expected = [
            "ach_configured",
            "discovery",
            "filter_presets",
            "games",
            "media_epoch",
            "playlists",
            "settings",
            "smart_collections",
        ];
        assert_eq!(keys, expected);
        assert!(
            matches!(house.ask(Form::Plain, &etag), Whole::Unchanged { etag: same } if same == etag)
        );
    }
}

#[test]
fn an_edit_renders_one_chunk() {
    let mut house = House::with_games(4 * CHUNK);
    assert_eq!(house.renders_of(|house| drop(house.body(Form::Gzip))), 4);
    assert_eq!(house.renders_of(|house| drop(house.body(Form::Gzip))), 0);
    let (before, _) = house.body(Form::Gzip);
    house.change(|draft| {
        draft.edit_game("game-300", |game| game.set("name", "Other")).expect("found");
    });
    assert_eq!(house.renders_of(|house| drop(house.body(Form::Gzip))), 1);
    let (after, text) = house.body(Form::Gzip);
    assert_ne!(before, after);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["games"][300]["name"], "Other");
    assert_eq!(house.renders_of(|house| drop(house.body(Form::Plain))), 4, "plain was never asked");
}

#[test]
fn text_beyond_the_room_is_rendered_while_it_is_sent() {
    let len = House::with_games(2 * CHUNK + 70).body(Form::Plain).1.len();
    for (kept, expected) in [(0, 0), (len / 2, 1), (len, 3)] {
        let mut house = House::with_games(2 * CHUNK + 70).keeping(kept);
        let (_, plain) = house.body(Form::Plain);
        assert_eq!(house.body(Form::Gzip).1, plain);
        let kept_parts = |house: &House| {
            let Whole::Body { document: Document::Plain(text), .. } = house.ask(Form::Plain, "")
            else {
                panic!("nothing is known")
            };
            text.kept()
        };
        // The head and the tail are kept as well.
        assert_eq!(kept_parts(&house), expected + 2, "{kept}");
        assert_eq!(house.renders_of(|house| drop(house.body(Form::Plain))), 0, "{kept}");
        // A text that was asked for stays what it was, whatever happens to the library.
        let Whole::Body { document: Document::Plain(text), .. } = house.ask(Form::Plain, "") else {
            panic!("nothing is known")
        };
        testing::put(house.path("roms/3.nes"), "x");
        house.answers.probes().forget(house.path("roms/3.nes").to_str().expect("text"));
        house.change(|draft| {
            draft.edit_game("game-300", |game| game.set("name", "Other")).expect("found");
        });
        assert_ne!(house.body(Form::Plain).1, plain);
        assert_eq!(kept_parts(&house), expected + 2, "what is replaced makes room");
        assert_eq!(String::from_utf8(joined(text)).expect("text"), plain);
    }
}

#[test]
fn files_that_come_and_go_change_the_answer() {
    let house = House::with_games(2 * CHUNK);
    assert_eq!(house.json()["games"][3]["path_exists"], false);
    testing::put(house.path("roms/3.nes"), "x");
    testing::put(house.path("media/3.png"), "x");
    let now = |house: &House| {
        house.answers.probes().forget(house.path("roms/3.nes").to_str().expect("text"));
        house.json()["games"][3].clone()
    };
    let game = now(&house);
    assert_eq!((&game["path_exists"], &game["has_cover"]), (&json!(true), &json!(true)));
    assert_eq!((&game["playable"], &game["has_missing_media"]), (&json!(true), &json!(false)));
    let (etag, _) = house.body(Form::Plain);
    testing::put(house.path("roms/unrelated.txt"), "x");
    let renders = house.renders_of(|house| drop(now(house)));
    assert_eq!(renders, 0, "a file that no game names changes nothing");
    assert_eq!(house.body(Form::Plain).0, etag);
    #[expect(clippy::disallowed_methods, reason = "the file is removed under the library")]
    fs::remove_file(house.path("roms/3.nes")).expect("removed");
    assert_eq!(now(&house)["path_exists"], false);
    assert_ne!(house.body(Form::Plain).0, etag);
}

#[test]
fn an_edit_sees_the_disk_as_it_is() {
    let mut house = House::with_games(3);
    house.json();
    for round in 0..10 {
        let path = house.path(&format!("new/{round}.nes"));
        testing::put(&path, "x");
        let text = path.to_str().expect("text").to_owned();
        house.change(|draft| {
            draft.edit_game("game-1", |game| game.set("path", text)).expect("found");
        });
        assert_eq!(house.json()["games"][1]["path_exists"], true, "round {round}");
    }
}

#[test]
fn settings_sections_and_media_make_a_new_version() {
    let mut house = House::with_games(CHUNK + 1);
    let mut last = house.body(Form::Plain).0;
    let mut moved = |house: &House| {
        let (etag, text) = house.body(Form::Plain);
        assert_ne!(etag, last);
        last = etag;
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    house.change(|draft| draft.set_section("playlists", json!([{"name": "P"}])));
    assert_eq!(moved(&house)["playlists"][0]["name"], "P");
    house.answers.note_media_change();
    assert_eq!(moved(&house)["media_epoch"], 1);
    let set = Map::from_iter([("locale".to_owned(), json!("de"))]);
    house.change(|draft| draft.merge_section("settings", set, &[]));
    let renders = house.answers.renders();
    assert_eq!(moved(&house)["settings"]["locale"], "de");
    assert_eq!(house.answers.renders(), renders, "no game looks different");
    let set = Map::from_iter([("platform_categories".to_owned(), json!({"": "Unsorted"}))]);
    house.change(|draft| draft.merge_section("settings", set, &[]));
    assert_eq!(moved(&house)["games"][256]["platform_category"], "Unsorted");
    assert_eq!(house.answers.renders(), renders + 2, "every game may look different");
    house.change(|draft| drop(draft.remove_games(&["game-256"])));
    assert_eq!(moved(&house)["games"].as_array().map(Vec::len), Some(CHUNK));
    house.change(|draft| draft.set_section("queue", json!([1])));
    assert_eq!(house.body(Form::Plain).0, last, "the queue is not part of the answer");
}

#[test]
fn pages_cut_the_list_anywhere() {
    let house = House::with_games(CHUNK + 40);
    let settings = |_: &State| Map::new();
    let context =
        AnswerContext { settings: &settings, ach_configured: false, mediasvc_configured: false };
    let page = |offset, limit| {
        let page = Page { offset, limit, selection: ALL.clone() };
        let bytes = house.answers.page(&house.state, &context, &page);
        serde_json::from_slice::<Value>(&bytes).expect("JSON")
    };
    let ids = |page: &Value| {
        let games = page["games"].as_array().expect("games");
        games.iter().map(|game| game["id"].as_u64().expect("a number")).collect::<Vec<_>>()
    };
    let middle = page(250, 10);
    assert_eq!(ids(&middle), (250..260).collect::<Vec<_>>());
    assert_eq!(middle["total_count"], CHUNK + 40);
    assert_eq!((&middle["offset"], &middle["limit"]), (&json!(250), &json!(10)));
    assert!(middle.get("discovery").is_none() && middle.get("settings").is_some());
    assert_eq!(ids(&page(0, 5_000)).len(), CHUNK + 40);
    assert!(ids(&page(0, 0)).is_empty() && ids(&page(usize::MAX, 10)).is_empty());
}

#[test]
fn a_delta_keeps_the_order_of_its_ids() {
    let mut house = House::with_games(4);
    house.change(|draft| {
        draft
            .edit_game("game-2", |game| game.set("legacy_game_ids", json!(["game-old"])))
            .expect("found");
    });
    let asked = ["game-3", " game-old", "1", "game-3", "99", "-1", "", "3"];
    let bytes = house.answers.delta(&house.state, &asked);
    let value: Value = serde_json::from_slice(&bytes).expect("JSON");
    let ids: Vec<&Value> =
        value["games"].as_array().expect("games").iter().map(|game| &game["id"]).collect();
    assert_eq!(ids, [3, 2, 1]);
    assert_eq!(value["media_epoch"], 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]
    #[test]
    fn caches_answer_as_if_they_were_empty(
        steps in prop::collection::vec((0_u8..6, 0_usize..600, any::<bool>()), 1..8),
        kept in prop::sample::select(vec![0, KEPT, usize::MAX]),
    ) {
        let mut house = House::with_games(2 * CHUNK + 30).keeping(kept);
        for (step, at, packed) in steps {
            let id = house.state.games.get(at).map(|game| game.id().to_owned());
            let rom = house.path(&format!("roms/{at}.nes"));
            house.change(|draft| match (step, id) {
                (0, Some(id)) => {
                    draft.edit_game(&id, |game| game.set("name", at)).expect("found");
                }
                (1, Some(id)) => drop(draft.remove_games(&[id])),
                (2, _) => {
                    let record = json!({"name": "New", "path": rom, "game_id": format!("new-{at}")});
                    let record: Record = serde_json::from_value(record).expect("an object");
                    // OK because a game that is there already stays.
                    drop(draft.insert_game(at, record));
                }
                (3, _) => draft.set_section("playlists", json!([at])),
                _ => {}
            });
            match step {
                4 => testing::put(&rom, "x"),
                5 => house.answers.note_media_change(),
                _ => {}
            }
            house.answers.probes().forget(rom.to_str().expect("text"));
            let form = if packed { Form::Gzip } else { Form::Plain };
            let cached: Value = serde_json::from_str(&house.body(form).1).expect("JSON");
            let media_epoch = house.answers.media_epoch();
            let root = house.path("");
            let warm = std::mem::replace(
                &mut house.answers,
                Answers::new(Probes::new(Arc::new(MediaRoots::new(&root, &[])))).keeping(0),
            );
            for _ in 0..media_epoch {
                house.answers.note_media_change();
            }
            let mut fresh = house.json();
            house.answers = warm;
            let mut cached = cached;
            for answer in [&mut fresh, &mut cached] {
                answer["discovery"]["random_picks"].take();
                answer["discovery"]["generated_at"].take();
            }
            prop_assert_eq!(cached, fresh);
        }
    }
}
