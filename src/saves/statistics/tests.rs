//! Machines that share one file: in any order of syncs they end up with the same values.

use proptest::prelude::*;

use super::*;

const NOW: i64 = 1_750_000_000;

/// A machine with a library of its own and a clock that may be wrong.
struct Machine {
    state: State,
    skew: i64,
}

impl Machine {
    fn new(games: &Value, skew: i64) -> Self {
        let mut draft = Draft::new(State::default());
        for game in games.as_array().expect("a list") {
            let record = serde_json::from_value(game.clone()).expect("an object");
            draft.add_game(record).expect("added");
        }
        Self { state: draft.finish().0, skew }
    }

    fn sync(&mut self, file: &mut Option<Shared>, time: i64) -> Merged {
        let mut draft = Draft::new(self.state.clone());
        let now = Moment::from_unix(NOW + time + self.skew);
        let merged = merge(&mut draft, file.as_ref(), &now);
        self.state = draft.finish().0;
        if let Some(new) = &merged.file {
            // Through bytes, as a disk would give it back.
            *file = Some(Shared::parse(&new.to_bytes()).expect("a statistics file"));
        }
        merged
    }

    fn edit(&mut self, id: &str, edit: impl FnOnce(&mut Record)) {
        let mut draft = Draft::new(self.state.clone());
        drop(draft.edit_game(id, edit));
        self.state = draft.finish().0;
    }

    fn row(&self, id: &str) -> Option<Row> {
        self.state.games.find(id).map(|(_, game)| Row::of(game))
    }
}

fn game(id: &str, more: &Value) -> Value {
    let mut game = json!({"game_id": id, "name": id});
    game.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
    game
}

#[track_caller]
fn check(local: Value, remote: Value, generated: &str, expected: Value) {
    let mut machine = Machine::new(&json!([game("g", &local)]), 0);
    let text = json!({"format": 1, "generated_at": generated, "games": {"id:g": remote}});
    let mut file = Shared::parse(text.to_string().as_bytes());
    machine.sync(&mut file, 0);
    let record = machine.state.games.find("g").expect("there").1.record();
    for (key, value) in expected.as_object().expect("an object") {
        let found = record.get(key).cloned().unwrap_or_default();
        assert_eq!(&found, value, "{key} of {local} and {remote}");
    }
}

#[test]
fn counts_are_the_largest_and_wishes_follow_the_last_play() {
    let then = "2025-01-01T00:00:00+00:00";
    check(
        json!({"play_count": 3, "playtime_seconds": 10, "last_played": "2025-01-01T10:00:00",
            "progress": "Playing", "rating": 2, "favorite": true}),
        json!({"play_count": 2, "playtime_seconds": 60, "last_played": "2025-01-02T10:00:00",
            "progress": "Beaten", "rating": 4.5, "favorite": false}),
        then,
        json!({"play_count": 3, "playtime_seconds": 60, "last_played": "2025-01-02T10:00:00",
            "progress": "Beaten", "rating": 4.5, "favorite": false}),
    );
    check(
        json!({"last_played": "2025-01-03T10:00:00", "progress": "Playing"}),
        json!({"last_played": "2025-01-02T10:00:00", "progress": "Beaten", "rating": 4}),
        then,
        json!({"last_played": "2025-01-03T10:00:00", "progress": "Playing", "rating": null}),
    );
}

#[test]
fn the_first_sync_of_a_machine_takes_what_is_set_elsewhere_and_clears_nothing() {
    let then = "2025-01-01T00:00:00+00:00";
    let set = json!({"progress": "Playing", "rating": 4.5, "favorite": true});
    let played =
        json!({"last_played": "2025-01-01T10:00:00", "progress": "Playing", "rating": 4.5});
    let later = "2025-01-02T10:00:00";
    for (local, remote, expected) in [
        (&set, json!({"progress": "", "rating": "", "favorite": false}), &set),
        (&set, json!({"progress": "", "rating": null}), &set),
        (
            &set,
            json!({"progress": "Beaten", "rating": 2, "favorite": true}),
            &json!({"progress": "Beaten", "rating": 2, "favorite": true}),
        ),
        (&json!({}), set.clone(), &set),
        (&json!({"progress": "", "rating": "", "favorite": false}), set.clone(), &set),
        (&json!({"rating": 4.5}), json!({"progress": "Playing", "favorite": true}), &set),
        // A later session elsewhere counts for the values it has, and not for those it leaves out.
        (
            &played,
            json!({"last_played": later, "progress": "", "rating": ""}),
            &json!({"last_played": later, "progress": "Playing", "rating": 4.5}),
        ),
        (
            &played,
            json!({"last_played": later, "progress": "Beaten", "rating": null}),
            &json!({"last_played": later, "progress": "Beaten", "rating": 4.5}),
        ),
    ] {
        check(local.clone(), remote, then, expected.clone());
    }
}

#[test]
fn a_machine_that_joins_keeps_its_wishes_and_a_blank_clears_from_then_on() {
    let mut one = Machine::new(&json!([game("a", &json!({})), game("b", &json!({}))]), 0);
    let mine = json!({"rating": 4.5, "favorite": true, "progress": "Beaten"});
    let mut two = Machine::new(&json!([game("a", &mine), game("b", &json!({"rating": 3}))]), 0);
    let mut file = None;
    one.sync(&mut file, 0);
    two.sync(&mut file, 60);
    one.sync(&mut file, 120);
    for machine in [&one, &two] {
        let row = machine.row("a").expect("there");
        assert_eq!((row.rating, row.favorite, row.progress.as_str()), (Some(4.5), true, "Beaten"));
        assert_eq!(machine.row("b").expect("there").rating, Some(3.0));
    }
    one.edit("a", |record| {
        record.set("rating", "");
        record.set("favorite", false);
    });
    one.sync(&mut file, 180);
    two.sync(&mut file, 240);
    let row = two.row("a").expect("there");
    assert_eq!((row.rating, row.favorite, row.progress.as_str()), (None, false, "Beaten"));
}

#[test]
fn the_time_of_a_row_counts_unless_the_file_is_newer_than_all_of_them() {
    let text = |generated: &str| {
        json!({"format": 1, "generated_at": generated, "games": {}, "updated": {
            "id:a": "2025-01-01T00:00:00+00:00", "id:b": "2025-01-02T00:00:00+00:00", "id:c": 7}})
    };
    let of = |generated: &str, key: &str| {
        let shared =
            Shared::parse(text(generated).to_string().as_bytes()).expect("a statistics file");
        shared.readings().of(key)
    };
    let (first, second, third) =
        ("2025-01-01T00:00:00+00:00", "2025-01-02T00:00:00+00:00", "2025-01-03T00:00:00+00:00");
    for (generated, key, expected) in [
        (second, "id:a", first),
        (second, "id:b", second),
        (second, "id:c", second),
        (second, "id:other", second),
        (third, "id:a", third),
    ] {
        assert_eq!(of(generated, key), micros(&expected.into()), "{key} of {generated}");
    }
}

#[test]
fn a_file_that_another_program_wrote_again_is_the_newer_one() {
    let mut machine = Machine::new(&json!([game("g", &json!({"favorite": false}))]), 0);
    let mut file = None;
    machine.sync(&mut file, 0);
    let mut text: Value = serde_json::from_slice(&file.expect("a file").to_bytes()).expect("JSON");
    text["games"]["id:g"]["favorite"] = json!(true);
    text["generated_at"] = json!("2099-01-01T00:00:00+00:00");
    machine.sync(&mut Shared::parse(text.to_string().as_bytes()), 1);
    assert!(machine.row("g").expect("there").favorite);
}

#[test]
fn without_times_the_newer_of_file_and_last_sync_counts() {
    for (last, wins) in [
        ("2025-01-01T00:00:00+00:00", true),
        ("2025-02-01T00:00:00+00:00", false),
        ("2025-03-01T00:00:00+00:00", false),
        ("", true),
    ] {
        let mut machine = Machine::new(&json!([game("g", &json!({"favorite": false}))]), 0);
        let mut draft = Draft::new(machine.state.clone());
        draft.set_section("settings", json!({"last_cloud_sync": last}));
        machine.state = draft.finish().0;
        let text = json!({"format": 1, "generated_at": "2025-02-01T00:00:00+00:00",
            "games": {"id:g": {"favorite": true}}});
        let merged = machine.sync(&mut Shared::parse(text.to_string().as_bytes()), 0);
        assert_eq!(machine.row("g").expect("there").favorite, wins, "{last}");
        assert_eq!((merged.games, merged.merged), (1, usize::from(wins)));
    }
}

#[test]
fn the_later_time_of_play_wins_however_late_it_is() {
    let local = json!({"last_played": "2025-01-01T10:00:00", "progress": "Playing", "rating": 2});
    for last in
        ["2025-01-01T10:00:01", "2025-07-01T00:00:00", "2031-01-01T00:00:00", "2099-12-31T23:59:59"]
    {
        check(
            local.clone(),
            json!({"last_played": last, "progress": "Beaten", "rating": 4.5, "favorite": true}),
            "2025-01-01T00:00:00+00:00",
            json!({"last_played": last, "progress": "Beaten", "rating": 4.5, "favorite": true}),
        );
    }
}

#[test]
fn what_cannot_be_believed_is_passed_over() {
    let then = "2025-01-01T00:00:00+00:00";
    let local = json!({"play_count": 1, "playtime_seconds": 5, "last_played": "2025-01-01T10:00:00",
        "progress": "Playing", "rating": 2, "favorite": true});
    for remote in [
        json!({"play_count": u64::MAX, "playtime_seconds": u64::MAX, "last_played": "9999-99-31T23:59:59"}),
        json!({"play_count": -1, "playtime_seconds": 1.5, "last_played": "zzz", "favorite": false}),
        json!({"play_count": "9", "last_played": ["x"], "progress": "Beaten"}),
        json!({"last_played": "2025-01-02T10:00:00", "progress": "Owned", "rating": 6, "favorite": "no"}),
        json!({"last_played": "x".repeat(100_000), "rating": -1}),
        json!([1]),
        json!(null),
    ] {
        check(
            local.clone(),
            remote,
            then,
            json!({"play_count": 1, "playtime_seconds": 5, "progress": "Playing", "rating": 2, "favorite": true}),
        );
    }
    for bad in ["", "{", "[]", "{}", r#"{"format":2,"games":{}}"#, r#"{"format":1,"games":[]}"#] {
        assert_eq!(Shared::parse(bad.as_bytes()), None, "{bad}");
    }
}

#[test]
fn games_that_are_deleted_here_stay_deleted_and_stay_in_the_file() {
    let mut machine = Machine::new(&json!([game("here", &json!({}))]), 0);
    let text = json!({"format": 1, "generated_at": "2025-01-01T00:00:00+00:00", "note": "kept",
        "games": {"id:gone": {"play_count": 9, "later": true}}});
    let mut file = Shared::parse(text.to_string().as_bytes());
    let merged = machine.sync(&mut file, 0);
    assert_eq!((merged.games, machine.state.games.len()), (1, 1));
    let document = file.expect("a file").document;
    assert_eq!(document["games"]["id:gone"], json!({"play_count": 9, "later": true}));
    assert_eq!((&document["note"], &document["format"]), (&json!("kept"), &json!(1)));
}

#[test]
fn rows_of_earlier_programs_are_read() {
    for (more, key) in [
        (json!({"store_a_app_id": "10"}), "store_a:10"),
        (json!({"store_b_app_id": "x", "source": "GOG"}), "store_b:GOG:x"),
        (json!({"store_c_id": "7"}), "store_c:7"),
        (json!({"rom_name": "sf2", "source": "mame"}), "arcade:mame:sf2"),
        (json!({"path": "/a"}), "path:/a"),
        (json!({"legacy_game_ids": ["old"]}), "id:old"),
    ] {
        let mut machine = Machine::new(&json!([game("g", &more)]), 0);
        let text = json!({"format": 1, "generated_at": "2025-01-01T00:00:00+00:00",
            "games": {key: {"play_count": 7}}});
        machine.sync(&mut Shared::parse(text.to_string().as_bytes()), 0);
        assert_eq!(machine.row("g").expect("there").play_count, 7, "{key}");
    }
}

#[test]
fn a_wish_made_without_playing_reaches_the_other_machine_whatever_its_clock_says() {
    for skew in [-7_200, 0, 7_200] {
        let games = json!([
            game("a", &json!({"last_played": "2025-01-01T10:00:00"})),
            game("b", &json!({"last_played": "2025-01-01T10:00:00"}))
        ]);
        let (mut one, mut two) = (Machine::new(&games, 0), Machine::new(&games, skew));
        let mut file = None;
        one.sync(&mut file, 0);
        two.sync(&mut file, 60);
        two.edit("a", |record| record.set("rating", 5));
        // The other machine plays another game in between, which moves the file on.
        one.edit("b", |record| record.set("play_count", 1));
        one.sync(&mut file, 120);
        two.sync(&mut file, 180);
        assert_eq!(two.row("a").expect("there").rating, Some(5.0), "kept with skew {skew}");
        one.sync(&mut file, 240);
        assert_eq!(one.row("a").expect("there").rating, Some(5.0), "arrives with skew {skew}");
    }
}

#[test]
fn a_sync_with_nothing_new_writes_nothing() {
    let mut machine = Machine::new(&json!([game("a", &json!({"rating": 4.3}))]), 0);
    let mut file = None;
    assert!(machine.sync(&mut file, 0).file.is_some());
    let merged = machine.sync(&mut file, 10);
    assert_eq!((merged.file, merged.merged), (None, 0));
}

/// One step of the story of three machines.
#[derive(Clone, Debug)]
enum Step {
    Sync(usize),
    Play(usize, usize, u64),
    Wish(usize, usize, u8),
    Delete(usize, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..3_usize).prop_map(Step::Sync),
        2 => (0..3_usize, 0..4_usize, 1..5_000_u64).prop_map(|(m, g, s)| Step::Play(m, g, s)),
        3 => (0..3_usize, 0..4_usize, 0..6_u8).prop_map(|(m, g, stars)| Step::Wish(m, g, stars)),
        1 => (0..3_usize, 0..4_usize).prop_map(|(m, g)| Step::Delete(m, g)),
    ];
    prop::collection::vec(step, 0..40)
}

proptest! {
    #[test]
    fn machines_that_share_a_file_converge_and_lose_no_play(
        steps in steps(), skews in prop::array::uniform3(-4_000_i64..4_000), last in 0..3_usize,
    ) {
        let ids = ["a", "b", "c", "d"];
        let games: Vec<Value> = ids.iter().map(|id| game(id, &json!({}))).collect();
        let games = Value::Array(games);
        let mut machines: Vec<_> = skews.iter().map(|skew| Machine::new(&games, *skew)).collect();
        let mut file = None;
        let mut most = [0_u64; 4];
        for (time, step) in (0_i64..).step_by(30).zip(&steps) {
            match *step {
                Step::Sync(at) => {
                    machines[at].sync(&mut file, time);
                    let again = machines[at].sync(&mut file, time + 1);
                    prop_assert_eq!((again.merged, again.file), (0, None), "a second sync is idle");
                }
                Step::Play(at, game, seconds) => {
                    let played = Moment::from_unix(NOW + time + skews[at]).local_iso();
                    let mut total = 0;
                    machines[at].edit(ids[game], |record| {
                        total = record.count("playtime_seconds") + seconds;
                        record.set("playtime_seconds", total);
                        record.set("play_count", record.count("play_count") + 1);
                        record.set("last_played", played);
                    });
                    most[game] = most[game].max(total);
                }
                Step::Wish(at, game, stars) => machines[at].edit(ids[game], |record| {
                    record.set("rating", stars);
                    record.set("favorite", stars > 3);
                }),
                Step::Delete(at, game) => {
                    // What was played here and never shared is deleted with the game.
                    machines[at].sync(&mut file, time);
                    let mut draft = Draft::new(machines[at].state.clone());
                    draft.remove_games(&[ids[game]]);
                    machines[at].state = draft.finish().0;
                }
            }
        }
        // Quiet from here on: one round carries everything into the file, the next one back.
        for round in 0..2_i64 {
            for turn in 0..3 {
                let at = (last + turn) % 3;
                let time = 10_000 + round * 100 + i64::try_from(turn).expect("small");
                machines[at].sync(&mut file, time);
            }
        }
        for (at, id) in ids.iter().enumerate() {
            let rows: Vec<Row> = machines.iter().filter_map(|machine| machine.row(id)).collect();
            for row in &rows {
                prop_assert_eq!(row, &rows[0], "{}", id);
                prop_assert_eq!(row.playtime_seconds, most[at], "no second of {} is lost", id);
            }
        }
        for machine in &mut machines {
            let merged = machine.sync(&mut file, 20_000);
            prop_assert_eq!((merged.merged, merged.file), (0, None));
        }
    }

    #[test]
    fn counts_merge_in_any_order_to_the_same(
        one in (0..100_u64, 0..100_u64, 0..60_i64), two in (0..100_u64, 0..100_u64, 0..60_i64),
    ) {
        let of = |(count, seconds, day): (u64, u64, i64)| Row {
            play_count: count,
            playtime_seconds: seconds,
            last_played: Moment::from_unix(NOW - day * 86_400).local_iso(),
            ..Row::default()
        };
        let read = |row: &Row| {
            Remote::read(&Value::Object(row.to_map()))
        };
        let (one, two) = (of(one), of(two));
        let (mut ab, mut ba) = (one.clone(), two.clone());
        ab.take(&read(&two), News::Known);
        ba.take(&read(&one), News::Known);
        prop_assert_eq!(&ab, &ba);
        let mut again = ab.clone();
        again.take(&read(&two), News::Changed);
        prop_assert_eq!(again, ab);
    }

    #[test]
    fn reading_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        drop(Shared::parse(&bytes));
    }
}
