//! `/api/v2/library/journal/*`: what changed, how it was, and taking it back.

use serde_json::{Value, json};

use crate::support::{
    client::{Request, encode},
    library::library,
    server::{Server, Setup},
    stream::{Stream, started},
};

use super::game::create;

const JOURNAL: &str = "/api/v2/library/journal";

fn events(server: &Server, query: &str) -> Value {
    server.get(&format!("{JOURNAL}/events?{query}"))
}

fn rows(server: &Server, query: &str) -> Vec<Value> {
    events(server, query)["events"].as_array().expect("a list").clone()
}

/// Kind and name of every event that is asked for, newest first.
fn told(server: &Server, query: &str) -> Vec<String> {
    let shown = |row: &Value| format!("{} {}", row["kind"], row["name"]).replace('"', "");
    rows(server, query).iter().map(shown).collect()
}

fn edit(server: &Server, id: &str, game: Value) {
    server.post("/api/game", &json!({"game_id": id, "game": game}));
}

/// The day of the newest event, in UTC.
fn today(server: &Server) -> String {
    events(server, "")["latest_at"].as_str().expect("a time")[..10].to_owned()
}

#[track_caller]
fn refused_get(server: &Server, target: &str, code: &str, message: &str) {
    let reply = server.send(&Request::get(&format!("{JOURNAL}/{target}"))).expect(400).json();
    assert_eq!((&reply["code"], &reply["error"]), (&json!(code), &json!(message)), "{target}");
}

#[track_caller]
fn refused_revert(server: &Server, body: &Value, status: u16, code: &str, message: &str) {
    let request = Request::post(&format!("{JOURNAL}/revert"), body);
    let reply = server.send(&request).expect(status).json();
    assert_eq!((&reply["code"], &reply["error"]), (&json!(code), &json!(message)), "{body}");
    assert!(reply["request_id"].is_string());
}

fn preview(server: &Server, body: &Value) -> Value {
    let reply = server.post(&format!("{JOURNAL}/revert"), body);
    assert_eq!(reply["preview"], true);
    assert_eq!(reply["base_token"], reply["plan"]["base_token"]);
    reply["plan"].clone()
}

/// Previews and applies; returns the answer.
fn revert(server: &Server, body: &Value) -> Value {
    let plan = preview(server, body);
    let mut body = body.clone();
    body["apply"] = json!(true);
    body["base_token"] = plan["base_token"].clone();
    let reply = server.post(&format!("{JOURNAL}/revert"), &body);
    assert_eq!(reply["preview"], false);
    reply
}

/// The games of the library without what changes by itself.
fn games(server: &Server) -> Vec<Value> {
    server.get("/api/library")["games"].as_array().expect("a list").clone()
}

#[test]
fn every_catalog_change_is_one_event_and_nothing_else_is() {
    let server = Server::start();
    let id = create(&server, "A");
    edit(&server, &id, json!({"name": "B", "genre": "Puzzle", "series": "x"}));
    server.post("/api/favorite", &json!({"game_id": id}));
    edit(&server, &id, json!({"name": "B", "progress": "Beaten", "rating": 3, "hidden": true}));
    server.post("/api/settings", &json!({"save_backup_limit": 7}));
    server.post("/api/games/bulk", &json!({"ids": [id], "changes": {"platform": "SNES"}}));
    let trashed = server.post("/api/v2/library/trash", &json!({"game_id": id}));
    let restore = json!({"trash_id": trashed["trash_id"]});
    server.post("/api/v2/library/trash/restore", &restore);
    server.post("/api/game/delete", &json!({"game_id": id}));
    let expected =
        ["delete B", "restore B", "delete B", "edit B", "edit B", "add A"].map(str::to_owned);
    assert_eq!(told(&server, ""), expected);
    let all = events(&server, "");
    assert_eq!((&all["total"], &all["has_more"]), (&json!(6), &json!(false)));
    assert_eq!((&all["offset"], &all["limit"]), (&json!(0), &json!(200)));
    assert_eq!((&all["journal_enabled"], &all["gap"]), (&json!(true), &json!(false)));
    assert_eq!((&all["horizon"], &all["corrupt"]), (&Value::Null, &json!([])));
    let list = all["events"].as_array().expect("a list");
    assert_eq!(all["latest_at"], list[0]["created_at"]);
    assert_eq!(all["earliest_at"], list[5]["created_at"]);
    let row = &list[4];
    assert_eq!((&row["sequence"], &row["tombstone"]), (&json!(2), &json!(false)));
    assert_eq!((&row["game_id"], &row["sync_key"]), (&json!(id), &json!(format!("game:{id}"))));
    assert_eq!(row["parents"], json!([list[5]["event_id"]]));
    assert_eq!(row["event_id"].as_str().map(str::len), Some(64));
    assert_eq!(row["device_id"].as_str().map(str::len), Some(36));
    assert!(row["created_at"].as_str().is_some_and(|at| at.ends_with("+00:00") && at.len() == 32));
    assert_eq!(row["diff_base_missing"], false);
    let changes = json!({"name": {"from": "A", "to": "B"},
        "genre": {"from": null, "to": "Puzzle"}, "series": {"from": null, "to": "x"}});
    assert_eq!(row["changes"], changes);
    assert_eq!(list[3]["changes"], json!({"platform": {"from": null, "to": "SNES"}}));
    assert_eq!(
        (&list[0]["tombstone"], &list[0]["parents"]),
        (&json!(true), &json!([list[1]["event_id"]]))
    );
    assert_eq!(list[5]["parents"], json!([]));
    assert!(list.iter().all(|row| row.get("revert").is_none()));
}

#[test]
fn events_are_filtered_and_paged() {
    let server = Server::start();
    let ids = ["A", "B", "C"].map(|name| create(&server, name));
    edit(&server, &ids[0], json!({"name": "A2"}));
    server.post("/api/game/delete", &json!({"game_id": ids[1]}));
    let added = rows(&server, "kind=add")[2]["event_id"].clone();
    revert(&server, &json!({"event_id": added}));
    let cases: [(String, &[&str]); 14] = [
        ("kind=add".into(), &["add C", "add B", "add A"]),
        ("kind=edit".into(), &["edit A", "edit A2"]),
        ("kind=delete".into(), &["delete B"]),
        ("kind=restore".into(), &[]),
        ("kind=revert".into(), &["edit A"]),
        (format!("game_id={}", ids[0]), &["edit A", "edit A2", "add A"]),
        (format!("game={}&kind=add", ids[1]), &["add B"]),
        (format!("game_id={}", encode(&format!("game:{}", ids[2]))), &["add C"]),
        ("game_id=game-unknown".into(), &[]),
        ("limit=2".into(), &["edit A", "delete B"]),
        ("offset=4&limit=1".into(), &["add B"]),
        ("offset=99".into(), &[]),
        ("days=0.5&kind=delete".into(), &["delete B"]),
        ("days=+2&limit=0".into(), &["edit A"]),
    ];
    for (query, expected) in cases {
        assert_eq!(told(&server, &query), expected, "{query}");
    }
    let page = events(&server, "offset=1&limit=2");
    assert_eq!((&page["total"], &page["has_more"]), (&json!(6), &json!(true)));
    assert_eq!(events(&server, "offset=4&limit=2")["has_more"], false);
    for (limit, used) in [("1000", 1000), ("1001", 1000), ("1", 1), ("-1", 1), ("", 200)] {
        assert_eq!(events(&server, &format!("limit={limit}"))["limit"], used, "{limit}");
    }
    for days in ["0", "-1", "x", "nan"] {
        let message = "days must be a positive number";
        refused_get(&server, &format!("events?days={days}"), "TM_INVALID_REQUEST", message);
    }
    for key in ["offset", "limit"] {
        let message = format!("{key} must be an integer");
        refused_get(&server, &format!("events?{key}=1.5"), "TM_INVALID_REQUEST", &message);
    }
    let message = "kind must be add, edit, delete, restore or revert";
    refused_get(&server, "events?kind=moved", "TM_INVALID_REQUEST", message);
}

#[test]
fn the_library_is_shown_as_it_was() {
    let server = Server::start();
    let ids = ["b", "A", "c"].map(|name| create(&server, name));
    edit(&server, &ids[2], json!({"name": "d", "genre": "RPG"}));
    server.post("/api/game/delete", &json!({"game_id": ids[0]}));
    let day = today(&server);
    let past = server.get(&format!("{JOURNAL}/as-of?date={day}"));
    assert_eq!(past["as_of"], format!("{day}T23:59:59.999999+00:00"));
    assert_eq!((&past["requested"], &past["count"]), (&json!(day), &json!(2)));
    let names: Vec<&Value> =
        past["games"].as_array().expect("a list").iter().map(|game| &game["name"]).collect();
    assert_eq!(names, ["A", "d"]);
    assert_eq!(past["games"][1]["genre"], "RPG");
    assert_eq!(past["games"][1]["sync_key"], format!("game:{}", ids[2]));
    assert_eq!((&past["before_first_event"], &past["truncated"]), (&json!(false), &json!(false)));
    assert_eq!((&past["corrupt"], &past["unknown_keys"]), (&json!([]), &json!([])));
    // Between the second and the third game.
    let third = rows(&server, "kind=add")[1]["created_at"].as_str().expect("a time").to_owned();
    let past = server.get(&format!("{JOURNAL}/as-of?date={}", encode(&third)));
    assert_eq!((&past["count"], &past["requested"]), (&json!(2), &json!(third)));
    assert_eq!(past["games"][1]["name"], "b");
    assert_eq!(server.get(&format!("{JOURNAL}/as-of?date=9999-12-31"))["requested"], "9999-12-31");
    server.get(&format!("{JOURNAL}/compare?after=9999-12-31"));
    let past = server.get(&format!("{JOURNAL}/as-of?date=2001-01-01"));
    assert_eq!((&past["count"], &past["before_first_event"]), (&json!(0), &json!(true)));
    refused_get(&server, "as-of", "TM_INVALID_DATE", "date is required");
    refused_get(&server, "as-of?date=%20", "TM_INVALID_DATE", "date is required");
    for date in ["yesterday", "2026-02-30", "2026-1-1", "20260101", "1", "0000-01-01"] {
        let message = "date must be a date such as 2026-11-21";
        refused_get(&server, &format!("as-of?date={date}"), "TM_INVALID_DATE", message);
    }
}

#[test]
fn two_dates_are_compared() {
    let server = Server::start();
    let ids = ["A", "B", "C"].map(|name| create(&server, name));
    let moment = rows(&server, "limit=1")[0]["created_at"].as_str().expect("a time").to_owned();
    let before = encode(&moment);
    edit(&server, &ids[0], json!({"name": "A2", "genre": "RPG"}));
    edit(&server, &ids[1], json!({"name": "B", "genre": "x"}));
    edit(&server, &ids[1], json!({"name": "B", "genre": ""}));
    server.post("/api/game/delete", &json!({"game_id": ids[2]}));
    let new = create(&server, "D");
    let day = today(&server);
    let compare = |query: &str| server.get(&format!("{JOURNAL}/compare?{query}"));
    let all = compare(&format!("after={day}&before={before}"));
    let game = |id: &str, name: &str| json!({"sync_key": format!("game:{id}"), "game_id": id, "name": name, "platform": ""});
    assert_eq!(all["added"], json!([game(&new, "D")]));
    assert_eq!(all["removed"], json!([game(&ids[2], "C")]));
    let changes = json!({"name": {"from": "A", "to": "A2"}, "genre": {"from": null, "to": "RPG"}});
    let rows = json!([{"sync_key": format!("game:{}", ids[0]), "game_id": ids[0], "name": "A2", "changes": changes}]);
    assert_eq!(all["changed"], rows);
    assert_eq!(all["summary"], json!({"added": 1, "removed": 1, "changed": 1}));
    let whole = json!({"added": false, "removed": false, "changed": false, "limit": 200});
    assert_eq!(all["truncated"], whole);
    assert_eq!(
        (&all["before"], &all["after"]),
        (&json!(moment), &json!(format!("{day}T23:59:59.999999+00:00")))
    );
    assert_eq!(
        (&all["horizon"], &all["before_horizon"], &all["corrupt"]),
        (&Value::Null, &json!(false), &json!([]))
    );
    let some = compare(&format!("after={day}&before={before}&fields=genre,%20year"));
    assert_eq!(some["changed"][0]["changes"], json!({"genre": {"from": null, "to": "RPG"}}));
    let none = compare(&format!("after={day}&before={before}&fields=year"));
    assert_eq!(none["summary"]["changed"], 0);
    let empty = compare(&format!("date={day}&limit=2"));
    assert_eq!(empty["summary"], json!({"added": 3, "removed": 0, "changed": 0}));
    assert_eq!(
        (&empty["before"], empty["added"].as_array().map(Vec::len)),
        (&Value::Null, Some(2))
    );
    assert_eq!(
        empty["truncated"],
        json!({"added": true, "removed": false, "changed": false, "limit": 2})
    );
    for (limit, used) in [("0", 1), ("-3", 1), ("1000", 1000), ("1001", 1000), ("", 200)] {
        let bounded = compare(&format!("after={day}&limit={limit}"));
        assert_eq!(bounded["truncated"]["limit"], used, "{limit}");
        assert_eq!(bounded["summary"]["added"], 3, "{limit}");
    }
    let none = compare(&format!("after={day}&before={day}"));
    assert_eq!(none["summary"], json!({"added": 0, "removed": 0, "changed": 0}));
    let date = "TM_INVALID_DATE";
    refused_get(&server, "compare", date, "after is required");
    refused_get(&server, "compare?before=2001-01-01", date, "after is required");
    refused_get(&server, "compare?after=soon", date, "after must be a date such as 2026-11-21");
    refused_get(
        &server,
        &format!("compare?after={day}&before=x"),
        date,
        "before must be a date such as 2026-11-21",
    );
    let reversed = "before must not be later than after";
    refused_get(&server, "compare?after=2001-01-01&before=2001-01-02", date, reversed);
    for fields in ["path", "name,favorite", ",", "Name"] {
        let message = "fields must be a list of catalog field names";
        let target = format!("compare?after={day}&fields={fields}");
        refused_get(&server, &target, "TM_INVALID_REQUEST", message);
    }
    let message = "limit must be an integer";
    refused_get(&server, &format!("compare?after={day}&limit=x"), "TM_INVALID_REQUEST", message);
}

#[test]
fn a_game_goes_back_to_an_event_and_keeps_what_the_journal_does_not_know() {
    let server = Server::start();
    let id = create(&server, "A");
    edit(&server, &id, json!({"name": "B", "genre": "Puzzle", "year": "1991"}));
    server.post("/api/favorite", &json!({"game_id": id}));
    edit(&server, &id, json!({"name": "C", "genre": "", "series": "t"}));
    let list = rows(&server, "");
    let body = json!({"event_id": list[1]["event_id"], "game_id": id});
    let plan = preview(&server, &body);
    assert_eq!((&plan["sync_key"], &plan["game_id"]), (&json!(format!("game:{id}")), &json!(id)));
    assert_eq!((&plan["event_id"], &plan["undo"]), (&list[1]["event_id"], &json!(false)));
    assert_eq!(
        (&plan["fields"], &plan["noop"], &plan["format"]),
        (&Value::Null, &json!(false), &json!(3))
    );
    let changes = json!([
        {"field": "genre", "action": "set", "from": null, "to": "Puzzle"},
        {"field": "name", "action": "set", "from": "C", "to": "B"},
        {"field": "series", "action": "remove", "from": "t", "to": null},
    ]);
    assert_eq!(plan["changes"], changes);
    let target = json!({"game_id": id, "name": "B", "genre": "Puzzle", "year": "1991"});
    assert_eq!(plan["target_catalog"], target);
    assert_eq!(games(&server)[0]["name"], "C", "a preview changes nothing");
    let done = revert(&server, &body);
    assert_eq!((&done["changed"], &done["applied"]), (&json!(true), &changes));
    assert!(done.get("deleted").is_none() && done.get("restored").is_none());
    let game = &games(&server)[0];
    assert_eq!(
        (&game["name"], &game["genre"], &game["series"]),
        (&json!("B"), &json!("Puzzle"), &json!(""))
    );
    assert_eq!(game["favorite"], true);
    let newest = &rows(&server, "limit=1")[0];
    assert_eq!(newest["event_id"], done["event_id"]);
    let told = json!({"source_event": list[1]["event_id"], "fields": null, "undo": false});
    assert_eq!((&newest["kind"], &newest["revert"]), (&json!("edit"), &told));
    let again = revert(&server, &body);
    assert_eq!((&again["changed"], &again["applied"]), (&json!(false), &json!([])));
    assert_eq!(preview(&server, &body)["noop"], true);
    assert_eq!(rows(&server, "kind=revert").len(), 1);
    // Only some fields.
    let body = json!({"event_id": list[0]["event_id"], "fields": ["series", "genre", "series"]});
    let plan = preview(&server, &body);
    assert_eq!(plan["fields"], json!(["genre", "series"]));
    revert(&server, &body);
    let game = &games(&server)[0];
    assert_eq!(
        (&game["name"], &game["genre"], &game["series"]),
        (&json!("B"), &json!(""), &json!("t"))
    );
}

#[test]
fn a_change_is_undone_beside_later_ones() {
    let server = Server::start();
    let id = create(&server, "A");
    edit(&server, &id, json!({"name": "B", "genre": "Puzzle"}));
    edit(&server, &id, json!({"name": "C", "year": "1999"}));
    let renamed = rows(&server, "")[1]["event_id"].clone();
    let body = json!({"event_id": renamed, "undo": true});
    let changes = json!([
        {"field": "genre", "action": "remove", "from": "Puzzle", "to": null},
        {"field": "name", "action": "set", "from": "C", "to": "A"},
    ]);
    assert_eq!(preview(&server, &body)["changes"], changes);
    revert(&server, &body);
    let game = &games(&server)[0];
    assert_eq!(
        (&game["name"], &game["genre"], &game["year"]),
        (&json!("A"), &json!(""), &json!("1999"))
    );
    // Undoing the undo brings it back.
    let undo = rows(&server, "limit=1")[0]["event_id"].clone();
    revert(&server, &json!({"event_id": undo, "undo": true}));
    assert_eq!(games(&server)[0]["name"], "C");
    assert_eq!(games(&server)[0]["genre"], "Puzzle");
}

#[test]
fn removals_and_additions_are_taken_back_through_the_trash() {
    let server = Server::start();
    let id = create(&server, "A");
    server.post("/api/favorite", &json!({"game_id": id}));
    let before = games(&server);
    let added = rows(&server, "")[0]["event_id"].clone();
    let done = revert(&server, &json!({"event_id": added, "undo": true}));
    assert_eq!((&done["deleted"], &done["changed"]), (&json!(true), &json!(true)));
    assert!(games(&server).is_empty());
    assert_eq!(server.get("/api/v2/library/trash")["count"], 1);
    let deleted = rows(&server, "limit=1")[0].clone();
    assert_eq!((&deleted["kind"], &deleted["event_id"]), (&json!("delete"), &done["event_id"]));
    let done = revert(&server, &json!({"event_id": deleted["event_id"], "undo": true}));
    assert_eq!((&done["restored"], &done.get("deleted")), (&json!(true), &None));
    assert_eq!(games(&server), before, "it came back from the trash whole");
    assert_eq!(server.get("/api/v2/library/trash")["count"], 0);
    assert_eq!(told(&server, "limit=1"), ["restore A"]);
    // Going back to the removal removes again; without the trash only the catalog is known.
    let done = revert(&server, &json!({"event_id": deleted["event_id"]}));
    assert_eq!(done["deleted"], true);
    let noop = preview(&server, &json!({"event_id": deleted["event_id"]}));
    assert_eq!((&noop["noop"], &noop["target_catalog"]), (&json!(true), &Value::Null));
    server.post("/api/v2/library/trash/purge", &json!({}));
    let done = revert(&server, &json!({"event_id": added}));
    assert_eq!(done["restored"], true);
    let game = &games(&server)[0];
    assert_eq!((&game["name"], &game["game_id"]), (&json!("A"), &json!(id)));
    assert_eq!((&game["favorite"], &game["path"]), (&json!(false), &json!("")));
}

#[test]
fn a_revert_that_breaks_a_rule_changes_nothing() {
    let server = Server::start();
    let id = create(&server, "A");
    let other = create(&server, "B");
    edit(&server, &id, json!({"name": "A2"}));
    let event = rows(&server, &format!("game_id={id}"))[1]["event_id"].clone();
    let before = games(&server);
    let with = |key: &str, value: Value| {
        let mut body = json!({"event_id": event});
        body[key] = value;
        body
    };
    let list = "fields must be a list of catalog field names";
    let cases = [
        (json!({}), "event_id is required"),
        (json!({"event_id": 7}), "event_id is required"),
        (json!({"event_id": " "}), "event_id is required"),
        (json!({"event_id": "x"}), "event not in journal"),
        (json!({"event_id": "0".repeat(64)}), "event not in journal"),
        (with("game_id", json!(other)), "event does not belong to that game"),
        (with("game_id", json!("game-x")), "event does not belong to that game"),
        (with("fields", json!("name")), list),
        (with("fields", json!([])), list),
        (with("fields", json!(["name", 1])), list),
        (with("fields", json!({})), list),
        (
            with("fields", json!(["path", "name", "favorite"])),
            "non-catalog fields cannot be reverted: ['favorite', 'path']",
        ),
        (with("fields", json!(["metadb_id"])), "identity fields cannot be reverted: ['metadb_id']"),
        (with("undo", json!("yes")), "undo must be true or false."),
        (with("apply", json!(1)), "apply must be true or false."),
        (with("apply", json!(true)), "base_token is required when applying a revert preview"),
    ];
    for (body, message) in cases {
        refused_revert(&server, &body, 400, "TM_INVALID_REQUEST", message);
    }
    let stale = "The game changed since the preview; look at a new one.";
    let body = json!({"event_id": event, "apply": true, "base_token": "0"});
    refused_revert(&server, &body, 409, "TM_REVERT_STALE", stale);
    assert_eq!(games(&server), before);
    // A token of another wish, and one of a game that changed since.
    let token = preview(&server, &json!({"event_id": event, "undo": true}))["base_token"].clone();
    let body = json!({"event_id": event, "apply": true, "base_token": token});
    refused_revert(&server, &body, 409, "TM_REVERT_STALE", stale);
    let token = preview(&server, &json!({"event_id": event}))["base_token"].clone();
    edit(&server, &id, json!({"name": "A3"}));
    let body = json!({"event_id": event, "apply": true, "base_token": token});
    refused_revert(&server, &body, 409, "TM_REVERT_STALE", stale);
    assert_eq!(games(&server)[0]["name"], "A3");
    // A change of another game, and of what the journal does not know, is none of the plan's business.
    let token = preview(&server, &json!({"event_id": event}))["base_token"].clone();
    edit(&server, &other, json!({"name": "B2"}));
    server.post("/api/favorite", &json!({"game_id": id}));
    let body = json!({"event_id": event, "apply": true, "base_token": token});
    let done = server.post(&format!("{JOURNAL}/revert"), &body);
    assert_eq!(done["changed"], true);
    assert_eq!(
        (&games(&server)[0]["name"], &games(&server)[0]["favorite"]),
        (&json!("A"), &json!(true))
    );
}

/// A game called A, then B, then C. With `is_folded` the log of the library, from which the journal
/// is mended, does not reach back to these commits. Returns the events before the first was damaged.
fn damaged(is_folded: bool) -> (Server, Value) {
    // Without a pause the library is only written when the program stops.
    let mut server = Setup::new().env("SERVICE_SNAPSHOT_DEBOUNCE", "3600").start();
    let entry = json!({"game": {"name": "A"}});
    let id = server.post("/api/v2/library/manual-entry", &entry)["game_id"].clone();
    for name in ["B", "C"] {
        edit(&server, id.as_str().expect("an id"), json!({"name": name}));
    }
    let before = rows(&server, "");
    if is_folded {
        server.stop();
        server.restart();
        server.post("/api/settings", &json!({"locale": "de"}));
    }
    server.stop();
    let path = server.data("library.journal");
    let mut bytes = std::fs::read(&path).expect("the journal");
    let name = b"\"name\":\"A\"";
    let at = bytes.windows(name.len()).position(|piece| piece == name).expect("the first name");
    bytes[at + name.len() - 2] = b'Z';
    std::fs::write(&path, bytes).expect("damaged");
    server.restart();
    (server, before.into())
}

#[test]
fn a_damaged_event_is_recorded_again_from_the_log_of_the_library() {
    let (server, before) = damaged(false);
    assert_eq!(events(&server, "")["corrupt"], json!([]));
    let names = ["edit C", "edit B"];
    assert_eq!(told(&server, "")[..2], names);
    let second = &before[1]["event_id"];
    revert(&server, &json!({"event_id": second, "undo": true}));
    assert_eq!(games(&server)[0]["name"], "A");
}

#[test]
fn a_damaged_event_is_named_and_what_came_after_it_stays() {
    let (server, before) = damaged(true);
    let all = events(&server, "");
    let first = &before[2]["event_id"];
    assert_eq!(all["corrupt"], json!([{"event_id": first, "sync_key": before[2]["sync_key"]}]));
    assert_eq!(told(&server, ""), ["edit C", "edit B"]);
    let missing = |at: usize| all["events"][at]["diff_base_missing"].clone();
    assert_eq!((missing(0), missing(1)), (json!(false), json!(true)));
    let undo = |event: &Value| json!({"event_id": event, "undo": true});
    let message = "cannot undo: the event's base is unavailable";
    let second = undo(&before[1]["event_id"]);
    refused_revert(&server, &second, 400, "TM_INVALID_REQUEST", message);
    refused_revert(&server, &undo(first), 400, "TM_INVALID_REQUEST", "event not in journal");
    revert(&server, &undo(&before[0]["event_id"]));
    assert_eq!(games(&server)[0]["name"], "B");
}

#[test]
fn recording_is_switched_off_and_goes_on_later() {
    let mut server = Server::start();
    let id = create(&server, "A");
    server.post("/api/settings", &json!({"library_journal_enabled": false}));
    edit(&server, &id, json!({"name": "B"}));
    edit(&server, &id, json!({"name": "C"}));
    let off = events(&server, "");
    assert_eq!((&off["journal_enabled"], &off["total"]), (&json!(false), &json!(1)));
    let day = today(&server);
    let message = "The library journal is turned off.";
    refused_get(&server, &format!("compare?after={day}"), "TM_INVALID_REQUEST", message);
    let body = json!({"event_id": off["events"][0]["event_id"]});
    refused_revert(&server, &body, 400, "TM_INVALID_REQUEST", message);
    server.kill();
    server.restart();
    assert_eq!(events(&server, "")["total"], 1);
    edit(&server, &id, json!({"name": "D"}));
    server.post("/api/settings", &json!({"library_journal_enabled": true}));
    assert_eq!(told(&server, ""), ["edit D", "add A"]);
    edit(&server, &id, json!({"name": "E"}));
    assert_eq!(told(&server, ""), ["edit E", "edit D", "add A"]);
}

#[test]
fn a_library_without_a_journal_gets_one_at_its_first_start() {
    let setup = Setup::new();
    let mut server = setup.library(&library(700)).start();
    let all = events(&server, "limit=1000");
    assert_eq!((&all["total"], all["events"].as_array().map(Vec::len)), (&json!(700), Some(700)));
    assert!(all["events"].as_array().expect("a list").iter().all(|row| row["kind"] == "add"));
    let day = today(&server);
    let past = server.get(&format!("{JOURNAL}/as-of?date={day}"));
    assert_eq!(past["count"], 700);
    server.stop();
    server.restart();
    assert_eq!(events(&server, "")["total"], 700, "and only then");
}

/// Starts a job and waits until it is done.
#[track_caller]
fn done(server: &Server, path: &str, body: &Value) -> Value {
    let mut stream = Stream::open(server);
    let id = started(server, path, body);
    let job = stream.job_end(server, &id);
    assert_eq!(job["state"], "done", "{job}");
    let jobs = server.get("/api/jobs")["history"].as_array().expect("a list").clone();
    jobs.into_iter().find(|job| job["job_id"] == id.as_str()).expect("it is listed")
}

#[test]
fn the_journal_goes_into_a_backup_and_comes_back() {
    let server = Server::start();
    let id = create(&server, "A");
    edit(&server, &id, json!({"name": "B"}));
    let archived = rows(&server, "");
    let archive = done(&server, "/api/backup/create", &json!({}))["archive"].clone();
    edit(&server, &id, json!({"name": "C"}));
    // Here the journal goes on and tells what the restore changed.
    done(&server, "/api/backup/restore", &json!({"path": archive, "force": true}));
    assert_eq!(games(&server)[0]["name"], "B");
    assert_eq!(told(&server, ""), ["edit B", "edit C", "edit B", "add A"]);
    assert_eq!(rows(&server, "offset=2"), archived);
    // Elsewhere the history comes with the library.
    let other = Server::start();
    let own = create(&other, "Own");
    other.scratch().folder("data/backups");
    let path = other.data("backups/archive.zip");
    std::fs::copy(archive.as_str().expect("a path"), &path).expect("copied");
    done(&other, "/api/backup/restore", &json!({"path": path, "force": true}));
    assert_eq!(told(&other, &format!("game_id={id}")), ["edit B", "add A"]);
    assert_eq!(rows(&other, &format!("game_id={id}")), archived, "with ids and devices");
    assert_eq!(told(&other, &format!("game_id={own}")), ["delete Own", "add Own"]);
    let body = json!({"event_id": archived[0]["event_id"], "undo": true});
    assert_eq!(revert(&other, &body)["changed"], true);
    assert_eq!(games(&other)[0]["name"], "A");
    let total = events(&other, "")["total"].clone();
    done(&other, "/api/backup/restore", &json!({"path": path, "force": true}));
    let expected = total.as_u64().map(|total| json!(total + 1));
    assert_eq!(Some(events(&other, "")["total"].clone()), expected, "only the edit of the restore");
}
