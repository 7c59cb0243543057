//! `/api/v2/household/...`: records, views, and the exchange of two programs through one folder.

use std::{fs, os::unix::fs::symlink, path::Path};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    stream::Stream,
};

const HOUSEHOLD: &str = "/api/v2/household";
const BOARD: &str = "/api/v2/household/leaderboard";
const MEMBER: &str = "/api/v2/household/member";
const CHALLENGE: &str = "/api/v2/household/challenge";
const RESULT: &str = "/api/v2/household/challenge/result";
const SHARE: &str = "/api/v2/household/share";
const RECORD: &str = "/api/v2/household/record";
const MERGE: &str = "/api/v2/household/merge";
const PUBLISH: &str = "/api/v2/household/sync/publish";
const PULL: &str = "/api/v2/household/sync/pull";

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, code: &str) -> String {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!(reply["code"], code, "{path} {body}: {reply}");
    reply["error"].as_str().expect("a sentence").to_owned()
}

fn start(settings: &Value, games: &Value) -> Server {
    let library = json!({"schema_version": 6, "games": games, "settings": settings});
    Setup::new().library(&library.to_string()).start()
}

fn sharing(folder: &Path) -> Server {
    start(&json!({"cloud_folder": folder, "household_stats_sharing": true}), &json!([]))
}

fn member(server: &Server, id: &str, name: &str) -> Value {
    server.post(MEMBER, &json!({"member_id": id, "display_name": name}))
}

#[test]
fn an_empty_household_has_every_key() {
    let server = Server::start();
    let mut household = server.get(HOUSEHOLD);
    let token = household["state_token"].take();
    assert_eq!(token.as_str().map(str::len), Some(64));
    let expected = json!({"format": 1, "records": [], "challenges": [],
        "leaderboard": {"available": false, "reason": "stats_sharing_disabled", "entries": []},
        "stats_sharing": false, "outbox_count": 0, "device_id": null,
        "settings": {"household_stats_sharing": false},
        "household_sync": {"configured": false, "format": 1}, "state_token": null});
    assert_eq!(household, expected);
    assert_eq!(server.get(BOARD)["leaderboard_only"], true);
    let reply =
        server.send(&Request::get(&format!("{HOUSEHOLD}?period=yearly"))).expect(400).json();
    assert_eq!(reply["code"], "HOUSEHOLD_INVALID_FIELD");
    server.get(&format!("{BOARD}?period=All-Time"));
}

#[test]
fn a_member_is_added_changed_and_kept() {
    let mut server = Server::start();
    let mut stream = Stream::open(&server);
    let added = member(&server, "mia", " Mia ");
    let record = &added["record"];
    assert_eq!((&record["kind"], &record["sequence"]), (&json!("member"), &json!(1)));
    let payload = json!({"member_id": "mia", "display_name": "Mia", "avatar_color": "blue", "stats_shared": false});
    assert_eq!((&record["payload"], &record["parents"]), (&payload, &json!([])));
    assert_eq!((&added["records"], &added["outbox_count"]), (&json!([record]), &json!(1)));
    assert_eq!(added["device_id"], record["device_id"]);
    let told = stream.hear("household.changed");
    assert_eq!((&told["event"], &told["record_id"]), (&json!("member"), &record["event_id"]));
    let changed = server.post(
        MEMBER,
        &json!({"member_id": "mia", "display_name": "M", "avatar_color": "red", "stats_shared": true}),
    );
    assert_eq!(changed["record"]["parents"], json!([record["event_id"]]));
    assert_eq!(
        (changed["records"].as_array().map(Vec::len), &changed["outbox_count"]),
        (Some(1), &json!(2))
    );
    server.stop();
    server.restart();
    let kept = server.get(HOUSEHOLD);
    assert_eq!(
        (&kept["records"], &kept["state_token"]),
        (&changed["records"], &changed["state_token"])
    );
}

#[test]
fn each_field_has_its_bounds() {
    let server = Server::start();
    let long = |count: usize| "x".repeat(count);
    for body in [
        json!({}),
        json!({"member_id": "m"}),
        json!({"member_id": "", "display_name": "n"}),
        json!({"member_id": long(257), "display_name": "n"}),
        json!({"member_id": "m", "display_name": long(81)}),
        json!({"member_id": "m", "display_name": 5}),
        json!({"member_id": "m", "display_name": "n", "avatar_color": long(49)}),
        json!({"member_id": "m", "display_name": "n", "stats_shared": "yes"}),
    ] {
        refused(&server, MEMBER, &body, "HOUSEHOLD_INVALID_FIELD");
    }
    for body in [
        json!({}),
        json!({"title": long(161)}),
        json!({"title": "t", "metric": "luck"}),
        json!({"title": "t", "target": 0}),
        json!({"title": "t", "target": 2_000_000_001}),
        json!({"title": "t", "target": 1.5}),
        json!({"title": "t", "deadline": "2030-01-01T00:00:00"}),
        json!({"title": "t", "description": long(2_001)}),
        json!({"title": "t", "participant_ids": ["a", "a"]}),
        json!({"title": "t", "participant_ids": "a"}),
    ] {
        refused(&server, CHALLENGE, &body, "HOUSEHOLD_INVALID_FIELD");
    }
    assert_eq!(
        refused(&server, CHALLENGE, &json!({"title": " "}), "HOUSEHOLD_INVALID_FIELD"),
        "title is required."
    );
    server.post(
        MEMBER,
        &json!({"member_id": long(256), "display_name": long(80), "avatar_color": long(48)}),
    );
    let made = server.post(CHALLENGE, &json!({"title": long(160), "description": long(2_000)}));
    let payload = &made["record"]["payload"];
    assert_eq!(
        (&payload["metric"], &payload["target"], &payload["status"]),
        (&json!("completions"), &json!(1), &json!("open"))
    );
    assert_eq!(payload["created_by"], made["device_id"]);
}

#[test]
fn a_challenge_shows_who_is_how_far() {
    let server = Server::start();
    let body = json!({"challenge_id": "c", "title": "Finish", "target": 4, "game_id": "game-1",
        "participant_ids": ["a", "b"]});
    server.post(CHALLENGE, &body);
    for (body, text) in [
        (json!({"challenge_id": "gone", "member_id": "a"}), "There is no such challenge."),
        (json!({"challenge_id": "c", "member_id": "x"}), "The challenge is not for this member."),
        (
            json!({"challenge_id": "c", "member_id": "a", "game_id": "game-2"}),
            "The challenge is about another game.",
        ),
    ] {
        assert_eq!(refused(&server, RESULT, &body, "HOUSEHOLD_INVALID_RECORD"), text);
    }
    for body in [
        json!({"challenge_id": "c"}),
        json!({"member_id": "a"}),
        json!({"challenge_id": "c", "member_id": "a", "value": -1}),
        json!({"challenge_id": "c", "member_id": "a", "note": "x".repeat(501)}),
    ] {
        refused(&server, RESULT, &body, "HOUSEHOLD_INVALID_FIELD");
    }
    let part = server
        .post(RESULT, &json!({"challenge_id": "c", "member_id": "b", "value": 1, "note": "n"}));
    let row = &part["challenges"][0];
    assert_eq!(
        (&row["current"], &row["percent"], &row["status"]),
        (&json!(1), &json!(25.0), &json!("open"))
    );
    assert_eq!(
        (&row["winner"], &row["member_id"], &row["completed"]),
        (&Value::Null, &Value::Null, &json!(false))
    );
    let done = server.post(RESULT, &json!({"challenge_id": "c", "member_id": "a", "value": 9}));
    let row = &done["challenges"][0];
    assert_eq!(
        (&row["current"], &row["progress"], &row["status"]),
        (&json!(4), &json!(1.0), &json!("complete"))
    );
    assert_eq!((&row["winner"]["member_id"], &row["complete"]), (&json!("a"), &json!(true)));
    let members = row["members"].as_array().expect("members");
    assert_eq!((&members[0]["member_id"], &members[1]["current"]), (&json!("a"), &json!(1)));
    server.post(
        CHALLENGE,
        &json!({"challenge_id": "old", "title": "t", "deadline": "2020-01-01T00:00:00Z"}),
    );
    let text = refused(
        &server,
        RESULT,
        &json!({"challenge_id": "old", "member_id": "a"}),
        "HOUSEHOLD_INVALID_RECORD",
    );
    assert_eq!(text, "The time of the challenge is over.");
    let all = server.get(HOUSEHOLD);
    assert_eq!(
        (&all["challenges"][1]["expired"], &all["challenges"][1]["status"]),
        (&json!(true), &json!("expired"))
    );
    server.post(CHALLENGE, &json!({"challenge_id": "c", "title": "t", "status": "closed"}));
    refused(
        &server,
        RESULT,
        &json!({"challenge_id": "c", "member_id": "a"}),
        "HOUSEHOLD_INVALID_RECORD",
    );
}

#[test]
fn statistics_are_shared_only_when_that_is_on() {
    let games = json!([{"game_id": "game-1", "name": "A", "playtime_seconds": 3_600, "play_count": 2, "progress": "Beaten"}]);
    let server = start(&json!({}), &games);
    refused(&server, SHARE, &json!({"member_id": "a"}), "HOUSEHOLD_STATS_DISABLED");
    server.post("/api/settings", &json!({"household_stats_sharing": true}));
    member(&server, "a", "Ada");
    for body in [
        json!({}),
        json!({"member_id": "a", "period": "yearly"}),
        json!({"member_id": "a", "stats": []}),
        json!({"member_id": "a", "stats": {"luck": 1}}),
        json!({"member_id": "a", "stats": {"wins": 2_000_000_001}}),
    ] {
        refused(&server, SHARE, &body, "HOUSEHOLD_INVALID_FIELD");
    }
    let shared = server.post(SHARE, &json!({"member_id": "a"}));
    let stats = json!({"playtime_seconds": 3_600, "completions": 1, "ach_count": 0, "games_played": 1, "sessions": 2});
    assert_eq!((&shared["shared"], &shared["record"]["payload"]["stats"]), (&json!(true), &stats));
    assert_eq!(shared["record"]["payload"]["share_id"], "a:all_time");
    server.post(
        SHARE,
        &json!({"member_id": "b", "period": "Daily", "stats": {"completions": 5, "wins": 1}}),
    );
    let board = server.get(BOARD);
    let row = json!({"member_id": "a", "display_name": "Ada", "avatar_color": "blue", "playtime_seconds": 3_600,
        "completions": 1, "ach_count": 0, "games_played": 1, "sessions": 2, "wins": 0, "rank": 1});
    assert_eq!(
        board["leaderboard"],
        json!({"available": true, "entries": [row], "period": "all_time"})
    );
    let daily = server.get(&format!("{BOARD}?period=daily"));
    assert_eq!(daily["leaderboard"]["entries"][0]["member_id"], "b");
    assert_eq!(server.get(&format!("{BOARD}?period=weekly"))["leaderboard"]["entries"], json!([]));
    let all = server.get(HOUSEHOLD);
    let ranks: Vec<&Value> = all["leaderboard"]["entries"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| &row["member_id"])
        .collect();
    assert_eq!(
        (ranks, &all["leaderboard"]["period"]),
        (vec![&json!("b"), &json!("a")], &Value::Null)
    );
}

#[test]
fn records_of_others_are_checked_and_merged() {
    let (one, two) = (Server::start(), Server::start());
    let first = member(&one, "mia", "Mia")["record"].clone();
    let second = member(&one, "mia", "M")["record"].clone();
    refused(&two, RECORD, &json!({}), "HOUSEHOLD_INVALID_REQUEST");
    refused(&two, RECORD, &json!({"record": []}), "HOUSEHOLD_INVALID_REQUEST");
    refused(&two, MERGE, &json!({"records": {}}), "HOUSEHOLD_INVALID_REQUEST");
    refused(&two, MERGE, &json!({"records": [1]}), "HOUSEHOLD_INVALID_RECORD");
    let orphan = refused(&two, RECORD, &json!({"record": second}), "HOUSEHOLD_INVALID_RECORD");
    assert_eq!(orphan, "A record is missing that another one follows.");
    let mut forged = first.clone();
    forged["payload"]["display_name"] = "Eve".into();
    refused(&two, RECORD, &json!({"record": forged}), "HOUSEHOLD_INVALID_RECORD");
    refused(&two, MERGE, &json!({"records": [first, first]}), "HOUSEHOLD_INVALID_RECORD");
    let added = two.post(RECORD, &json!({"record": first}));
    assert_eq!((&added["record"], &added["outbox_count"]), (&first, &json!(0)));
    let merged = two.post(MERGE, &json!({"records": [second, first]}));
    let heads = json!({"member:mia": [second["event_id"]]});
    assert_eq!(
        merged["merge"],
        json!({"records": 2, "applied": 1, "changed": true, "heads": heads})
    );
    assert_eq!(merged["state_token"], one.get(HOUSEHOLD)["state_token"]);
    assert_eq!(two.post(MERGE, &json!({"records": []}))["merge"]["changed"], false);
}

#[test]
fn two_programs_exchange_records_through_one_folder() {
    let top = tempfile::tempdir().expect("a folder");
    let (one, two) = (sharing(top.path()), sharing(top.path()));
    member(&one, "a", "Ada");
    member(&two, "b", "Bob");
    one.post(SHARE, &json!({"member_id": "a"}));
    one.post("/api/settings", &json!({"household_stats_sharing": false}));
    let published = one.post(PUBLISH, &json!({"protocol": "household-v1"}))["sync"].clone();
    assert_eq!((&published["published"], &published["stats_skipped"]), (&json!(1), &json!(1)));
    assert_eq!((&published["acknowledged"], &published["pending"]), (&json!(1), &json!(1)));
    one.post("/api/settings", &json!({"household_stats_sharing": true}));
    assert_eq!(one.post(PUBLISH, &json!({"protocol": 1}))["sync"]["published"], 1);
    assert_eq!(one.post(PUBLISH, &json!({}))["sync"]["published_ids"], json!([]));
    two.post(PUBLISH, &json!({"protocol": null}));
    let pulled = one.post(PULL, &json!({"protocol": "v1"}))["sync"].clone();
    assert_eq!(
        (&pulled["pulled"], &pulled["applied"], &pulled["records"]),
        (&json!(3), &json!(1), &json!(3))
    );
    two.post(PULL, &json!({}));
    let (first, second) = (one.get(HOUSEHOLD), two.get(HOUSEHOLD));
    assert_eq!(
        (&first["records"], &first["state_token"]),
        (&second["records"], &second["state_token"])
    );
    assert_eq!(first["household_sync"], json!({"configured": true, "format": 1}));
}

#[test]
fn a_folder_that_cannot_be_used_changes_nothing() {
    let server = Server::start();
    refused(&server, PUBLISH, &json!({"protocol": "v2"}), "HOUSEHOLD_SYNC_PROTOCOL");
    refused(&server, PULL, &json!({"protocol": true}), "HOUSEHOLD_SYNC_PROTOCOL");
    for route in [PUBLISH, PULL] {
        let text = refused(&server, route, &json!({}), "HOUSEHOLD_SYNC_FOLDER_REQUIRED");
        assert_eq!(text, "Configure a mounted cloud sync folder first.");
    }
    let top = tempfile::tempdir().expect("a folder");
    let server = sharing(top.path());
    assert_eq!(server.post(PULL, &json!({}))["sync"]["pulled"], 0);
    assert_eq!(fs::read_dir(top.path()).expect("a folder").count(), 0, "a pull creates nothing");
    member(&server, "a", "Ada");
    let events = top.path().join("service-household-v1/events");
    fs::create_dir_all(&events).expect("created");
    fs::write(events.join(".syncthing.part.tmp"), b"{").expect("written");
    let half = events.join(format!("{}.json", "a".repeat(64)));
    let huge = vec![0xff; 200_000];
    for bytes in [&b"{\"format\":1"[..], b"", b"{}", &huge] {
        fs::write(&half, bytes).expect("written");
        for route in [PUBLISH, PULL] {
            refused(&server, route, &json!({}), "HOUSEHOLD_SYNC_INVALID");
        }
    }
    fs::remove_file(&half).expect("removed");
    symlink("/etc/hostname", &half).expect("linked");
    refused(&server, PULL, &json!({}), "HOUSEHOLD_SYNC_INVALID");
    assert_eq!(server.get(HOUSEHOLD)["outbox_count"], 1);
    fs::remove_file(&half).expect("removed");
    assert_eq!(server.post(PUBLISH, &json!({}))["sync"]["acknowledged"], 1);
    fs::remove_dir_all(top.path()).expect("removed");
    let text = refused(&server, PULL, &json!({}), "HOUSEHOLD_SYNC_INVALID");
    assert!(!text.contains('/'), "{text}");
}
