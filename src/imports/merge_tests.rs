//! The rule of merging, on records of the stores.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    exclusions,
    incoming::{Incoming, Key},
    merge::{Merged, add_new, merge},
};
use crate::{
    base::Moment,
    care::titles,
    model::{
        Draft, Record, State,
        origins::{self, Origins},
    },
};

fn now() -> Moment {
    Moment::from_unix(1_795_280_400)
}

fn game_of(label: &str, record: Value) -> Incoming {
    let record = serde_json::from_value(record).expect("an object");
    Incoming { record, label: label.to_owned(), ..Incoming::default() }
}

fn steam(id: &str, name: &str) -> Incoming {
    let record = json!({"name": name, "platform": "PC", "source": "store_a", "collection": "store_a",
        "path": "/usr/bin/steam", "launch": "steam -applaunch {app_id}", "store_a_app_id": id,
        "install_dir": "/games/x", "store_installed": true});
    Incoming { stand_in: format!("Steam App {id}"), ..game_of("Steam", record) }
}

fn gog(id: &str, name: &str) -> Incoming {
    let record = json!({"name": name, "platform": "PC", "source": "GOG", "collection": "GOG",
        "store_b_source": "GOG", "path": "/usr/bin/xdg-open", "store_b_app_id": id,
        "launch": "xdg-open heroic://launch/gog/{store_b_app_id}", "store_installed": true});
    game_of("GOG", record)
}

#[test]
fn a_listed_row_gets_the_command_of_its_file_and_no_id_of_another_row() {
    let file = |name: &str, id: &str| {
        let record = json!({"name": "File", "platform": "Linux", "path": format!("/r/{name}.desktop"),
            "launch": format!("run {id}"), "store_a_app_id": id});
        Incoming { is_file: true, is_plain: true, ..game_of("", record) }
    };
    let mut draft = Draft::new(State::default());
    for row in [
        json!({"name": "A", "path": "/r/a.desktop", "source": "frontend"}),
        json!({"name": "B", "path": "/r/b.desktop", "source": "frontend"}),
        json!({"name": "C", "path": "/r/c.desktop", "source": "frontend", "launch": "own"}),
        json!({"name": "D", "path": "/r/d.desktop"}),
        json!({"name": "Store", "store_a_app_id": "2", "path": "/usr/bin/steam"}),
    ] {
        draft.add_game(serde_json::from_value(row).expect("a row")).expect("added");
    }
    let files = [file("a", "1"), file("b", "2"), file("c", "3"), file("d", "4")];
    let merged = add_new(&mut draft, files.into_iter(), &now(), "b").expect("merged");
    assert_eq!((merged.added.len(), merged.changed.len()), (0, 2));
    let rows = draft.state().games.iter().map(|game| game.record());
    let rows: Vec<String> = rows
        .map(|row| {
            ["name", "platform", "launch", "store_a_app_id"].map(|key| row.text(key)).join("|")
        })
        .collect();
    assert_eq!(rows, ["A|Linux|run 1|1", "B|Linux|run 2|", "C||own|", "D|||", "Store|||2"]);
}

#[test]
fn a_command_whose_program_is_gone_is_renewed_and_a_persons_own_stays() {
    let packaged = "flatpak run com.valvesoftware.Steam -applaunch {app_id}";
    let mut moved = steam("7", "Hades");
    moved.record.set("path", "/usr/bin/flatpak");
    moved.record.set("launch", packaged);
    moved.gone = vec!["steam -applaunch {app_id}".to_owned()];
    let mut draft = Draft::new(State::default());
    run(&mut draft, &[steam("7", "Hades"), steam("8", "Own")]);
    let own = row(&draft, 1).text("game_id").to_owned();
    draft
        .edit_game(&own, |row| row.set("launch", "gamemoderun steam -applaunch {app_id}"))
        .expect("a game");
    let mut other = moved.clone();
    other.record.set("store_a_app_id", "8");
    other.record.set("name", "Own");
    let merged = run(&mut draft, &[moved.clone(), other.clone()]);
    assert_eq!((merged.added.len(), merged.changed.len()), (0, 1));
    let shown = |at| {
        let row = row(&draft, at);
        (row.text("path").to_owned(), row.text("launch").to_owned())
    };
    assert_eq!(shown(0), ("/usr/bin/flatpak".to_owned(), packaged.to_owned()));
    assert_eq!(shown(1).1, "gamemoderun steam -applaunch {app_id}");
    assert!(run(&mut draft, &[moved, other]).changed.is_empty(), "once");
}

#[test]
fn a_listed_game_is_renewed_and_a_disc_is_none_of_its_own() {
    let engine = |launch: &str, gone: &[&str]| Incoming {
        record: serde_json::from_value(
            json!({"name": "M", "source": "ScummVM", "engine_library_id": "m",
            "path": "/g/m", "launch": launch}),
        )
        .expect("an object"),
        key: Key::EngineId,
        gone: gone.iter().map(|each| (*each).to_owned()).collect(),
        ..Incoming::default()
    };
    let mut draft = Draft::new(State::default());
    run(&mut draft, &[engine("scummvm m", &[])]);
    let merged = run(&mut draft, &[engine("flatpak run x m", &["scummvm m"])]);
    assert_eq!((merged.changed.len(), merged.added.len()), (1, 0));
    assert_eq!(
        (row(&draft, 0).text("launch"), row(&draft, 0).text("path")),
        ("flatpak run x m", "/g/m")
    );
    let record = json!({"name": "Saga", "path": "/r/Saga.m3u", "discs": ["/r/1.iso", "/r/2.iso"]});
    draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
    let disc = Incoming {
        record: serde_json::from_value(
            json!({"name": "1", "path": "/r/1.iso", "platform": "GameCube"}),
        )
        .expect("an object"),
        is_file: true,
        ..Incoming::default()
    };
    let merged = run(&mut draft, &[disc]);
    assert_eq!((merged.found, merged.added.len(), merged.changed.len()), (1, 0, 0));
}

fn run(draft: &mut Draft, games: &[Incoming]) -> Merged {
    merge(draft, games, &now(), "b").expect("merged")
}

fn row(draft: &Draft, at: usize) -> Record {
    draft.state().games.get(at).expect("a game").record()
}

#[test]
fn the_note_of_a_game_that_is_not_installed_goes_when_it_is() {
    let mut owned = steam("7", "Hades");
    owned.record.set("store_installed", false);
    owned
        .record
        .set("notes", json!([{"ts": "t", "text": super::incoming::not_installed("Steam")}]));
    let mut draft = Draft::new(State::default());
    run(&mut draft, &[owned]);
    let id = row(&draft, 0).text("game_id").to_owned();
    let add = |row: &mut Record| {
        let own = json!({"ts": "u", "text": "mine"});
        row.set("notes", [row.list("notes").to_vec(), vec![own]].concat());
    };
    draft.edit_game(&id, add).expect("a game");
    run(&mut draft, &[steam("7", "Hades")]);
    let row = row(&draft, 0);
    assert_eq!((row.list("notes").len(), &row.list("notes")[0]["text"]), (1, &json!("mine")));
    assert!(row.flag("store_installed"));
}

#[test]
fn a_second_import_adds_and_changes_nothing() {
    let mut draft = Draft::new(State::default());
    let games = [steam("440", "Team Game"), gog("1", "Other"), gog("2", "Team Game")];
    let first = run(&mut draft, &games);
    assert_eq!((first.found, first.added.len(), first.changed.len()), (3, 2, 0));
    let (state, _) = draft.finish();
    let mut again = Draft::new(state);
    let second = run(&mut again, &games);
    assert_eq!((second.found, second.added.len(), second.changed.len()), (3, 0, 0));
    assert!(again.finish().1.is_empty(), "nothing is written");
}

#[test]
fn the_same_title_in_another_store_is_another_way_to_start() {
    let mut draft = Draft::new(State::default());
    run(&mut draft, &[steam("440", "Team Game™")]);
    let merged = run(&mut draft, &[gog("7", "Team Game")]);
    assert_eq!((merged.added.len(), merged.changed.len()), (0, 1));
    let row = row(&draft, 0);
    assert_eq!(row.text("path"), "/usr/bin/steam", "it keeps its own way to start");
    assert_eq!(
        row.list("applications"),
        [json!({"name": "Launch with GOG", "path": "/usr/bin/xdg-open",
            "command": "xdg-open heroic://launch/gog/7"})]
    );
    assert_eq!(row.text("store_b_app_id"), "7");
    assert_eq!(
        row.texts("source_identities").collect::<Vec<_>>(),
        ["store_a:440", "store_b:gog:7"]
    );
    assert_eq!(row.text("progress"), "Playing");
}

#[test]
fn an_installed_game_takes_the_place_of_one_that_was_not() {
    let mut draft = Draft::new(State::default());
    let mut catalog = steam("440", "Steam App 440");
    catalog.record.set("store_installed", false);
    catalog.record.set("launch", "xdg-open steam://store/440");
    catalog.record.set("path", "/usr/bin/xdg-open");
    run(&mut draft, &[catalog.clone()]);
    run(&mut draft, &[steam("440", "Team Game")]);
    let installed = row(&draft, 0);
    assert_eq!(installed.text("name"), "Team Game");
    assert_eq!(installed.text("launch"), "steam -applaunch {app_id}");
    assert!(installed.flag("store_installed"));
    assert!(installed.is_blank("alternate_names"));
    run(&mut draft, &[catalog]);
    assert_eq!(row(&draft, 0), installed, "the catalog takes nothing back");
}

#[test]
fn what_the_user_set_stays() {
    let mut draft = Draft::new(State::default());
    let id = run(&mut draft, &[steam("440", "Team Game")]).added.remove(0);
    draft
        .edit_game(&id, |row| {
            row.set("name", "My Game");
            row.set("cover", "/mine.png");
            row.set("launch", "my-script");
            row.set("progress", "Beaten");
        })
        .expect("found");
    let mut again = steam("440", "Team Game");
    again.record.set("cover", "/theirs.png");
    again.record.set("icon", "/icon.png");
    run(&mut draft, &[again]);
    let row = row(&draft, 0);
    for (key, expected) in [
        ("name", "My Game"),
        ("cover", "/mine.png"),
        ("launch", "my-script"),
        ("progress", "Beaten"),
        ("icon", "/icon.png"),
    ] {
        assert_eq!(row.text(key), expected, "{key}");
    }
    assert_eq!(row.texts("alternate_names").collect::<Vec<_>>(), ["Team Game"]);
}

#[test]
fn files_and_tuples_are_known() {
    let mut draft = Draft::new(State::default());
    let file = |path: &str, rom: &str| Incoming {
        record: serde_json::from_value(json!({"name": rom, "platform": "Arcade", "source": "MAME",
            "path": path, "rom_name": rom}))
        .expect("an object"),
        key: Key::RomName,
        ..Incoming::default()
    };
    let merged = run(&mut draft, &[file("/a/p.zip", "p"), file("/a/p.zip", "clone")]);
    assert_eq!(merged.added.len(), 2, "two sets of one archive");
    let loose = Incoming { is_file: true, ..file("/a/p.zip", "other") };
    assert_eq!(run(&mut draft, &[loose]).added.len(), 0, "its file is known");
    assert_eq!(run(&mut draft, &[file("/elsewhere.zip", "P")]).added.len(), 0);
}

#[test]
fn exclusions_are_not_found() {
    let mut draft = Draft::new(State::default());
    let wanted = exclusions::Exclusion {
        source: "store_a".to_owned(),
        external_id: "1".to_owned(),
        inner: String::new(),
    };
    exclusions::add(&mut draft, &wanted);
    let merged = run(&mut draft, &[steam("1", "A"), steam("2", "B")]);
    assert_eq!((merged.found, merged.names), (1, vec!["B".to_owned()]));
}

proptest! {
    #[test]
    fn no_import_changes_what_a_person_set(
        edits in prop::collection::vec((0_usize..4, 0_usize..4, any::<bool>()), 0..8),
        picks in prop::collection::vec((any::<bool>(), 0_u8..4), 1..12),
    ) {
        let fields = ["name", "platform", "launch", "collection"];
        let game = |is_steam: bool, id: u8| if is_steam { steam(&id.to_string(), "A") } else { gog(&id.to_string(), "A") };
        let mut draft = Draft::new(State::default());
        run(&mut draft, &[steam("0", "Steam App 0"), gog("1", "B"), steam("2", "C")]);
        let ids: Vec<String> = draft.state().games.iter().map(|game| game.id().to_owned()).collect();
        for (at, field, is_held) in edits {
            let Some(id) = ids.get(at) else { continue };
            draft.edit_by_person(id, |row| row.set(fields[field], "mine")).expect("there");
            draft.edit_game(id, |row| is_held && origins::set_lock(row, fields[field], true)).expect("there");
        }
        for (is_steam, id) in picks {
            let before: Vec<Record> = draft.state().games.iter().map(|game| game.record()).collect();
            run(&mut draft, &[game(is_steam, id)]);
            let title = titles::Change { game_id: ids[0].clone(), expected: before[0].text("name").to_owned(), name: "clean".to_owned() };
            titles::write(&mut draft, &[title], "p");
            for row in before {
                let now = draft.state().games.find(row.text("game_id")).expect("there").1.record();
                let origins = Origins::of(&row);
                for field in fields.into_iter().filter(|field| origins.is_locked(field)) {
                    prop_assert_eq!(row.get(field), now.get(field), "{}", field);
                }
            }
        }
    }

    #[test]
    fn any_order_of_imports_settles(shift in 0_u8..3, picks in prop::collection::vec((any::<bool>(), 0_u8..4), 1..20)) {
        let games: Vec<Incoming> = picks
            .iter()
            .map(|(is_steam, id)| {
                let name = format!("Game {}", (id + if *is_steam { 0 } else { shift }) % 3);
                if *is_steam { steam(&id.to_string(), &name) } else { gog(&id.to_string(), &name) }
            })
            .collect();
        let mut draft = Draft::new(State::default());
        run(&mut draft, &games);
        let (state, _) = draft.finish();
        let mut again = Draft::new(state);
        let second = run(&mut again, &games);
        prop_assert_eq!(second.added.len(), 0);
        prop_assert!(again.finish().1.is_empty());
    }
}
