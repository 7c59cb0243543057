//! What is looked up after an import, by itself and on request (`POST /api/v2/metadata/auto-scrape`).

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    metadb::{Metadb, Says, dump},
    server::Server,
    wait::until,
};

const ROUTE: &str = "/api/v2/metadata/auto-scrape";
const NES: &str = "Nintendo Entertainment System";

fn metadb() -> Metadb {
    let rows = [
        (1, "Comet Rangers", NES, &[("Box - Front", "", "1.jpg")][..]),
        (2, "Stone Puzzle", NES, &[("Box - Front", "", "2.jpg")][..]),
        (3, "The Cave of the Lights", NES, &[][..]),
    ];
    Metadb::new(&[("Metadata.xml", &dump(&rows))])
}

fn start(metadb: &Metadb) -> Server {
    let server = metadb.setup().start();
    server.send(&Request::post("/api/metadata/sync", &json!({}))).expect(202);
    until("the sync", || {
        (server.get("/api/metadata/status")["job"]["state"] == "done").then_some(())
    });
    server
}

/// Imports three files; the id of the import.
fn import(server: &Server) -> String {
    let root = server.scratch().folder("nes");
    for name in ["Comet Rangers (USA)", "Stone Puzzle (Japan)", "Cave of the Lights, The"] {
        server.scratch().file(format!("nes/{name}.nes"), name);
    }
    let reply = server.post("/api/import", &json!({"folder": root}));
    assert_eq!(reply["added"], 3);
    reply["import_batch_id"].as_str().expect("an id").to_owned()
}

/// The newest job of a type once it has ended.
fn ended(server: &Server, kind: &str) -> Value {
    until(kind, || {
        let jobs = server.get(&format!("/api/v2/jobs?type={kind}"))["jobs"].clone();
        let job = jobs.as_array()?.first()?.clone();
        let is_over = !["queued", "running", "cancelling"].contains(&job["state"].as_str()?);
        is_over.then_some(job)
    })
}

fn games(server: &Server) -> Vec<Value> {
    let mut games = server.get("/api/library")["games"].as_array().expect("games").clone();
    games.sort_by_key(|game| game["name"].as_str().map(str::to_owned));
    games
}

#[test]
fn an_import_gets_texts_and_covers_by_itself() {
    let metadb = metadb();
    let server = start(&metadb);
    metadb.say_of("2.jpg", Says::Page);
    let batch = import(&server);
    let media = ended(&server, "metadata.media_auto");
    assert_eq!((&media["state"], &media["output"]["batch"]), (&json!("partial"), &json!(batch)));
    assert_eq!(
        media["output"]["errors"],
        json!(["Stone Puzzle: cover: the server sent a web page"])
    );
    let matched = ended(&server, "metadata.match_auto");
    assert_eq!(
        (&matched["state"], &matched["output"]["metadb"]["matched"]),
        (&json!("done"), &json!(3))
    );
    let games = games(&server);
    let shown: Vec<_> =
        games.iter().map(|game| (&game["metadb_id"], &game["has_cover"], &game["year"])).collect();
    let (yes, no, year) = (json!(true), json!(false), json!("1994"));
    let expected =
        [(&json!("1"), &yes, &year), (&json!("2"), &no, &year), (&json!("3"), &no, &year)];
    assert_eq!(shown, expected);
    let before = server.get("/api/v2/jobs")["jobs"].as_array().expect("jobs").len();
    let root = server.scratch().folder("nes");
    assert_eq!(server.post("/api/import", &json!({"folder": root}))["added"], 0);
    let after = server.get("/api/v2/jobs")["jobs"].as_array().expect("jobs").len();
    assert_eq!(before, after, "nothing is looked up when nothing is new");
    metadb.say_of("2.jpg", Says::Status(404));
    let again = json!({"import_batch_id": batch, "media_types": ["cover"]});
    let queued = server.send(&Request::post(ROUTE, &again)).expect(202).json();
    assert_eq!((&queued["queued"], &queued["import_batch_id"]), (&json!(true), &json!(batch)));
    for key in ["match_job_id", "media_job_id", "preview_id"] {
        assert_eq!(queued[key].as_str().map(str::len), Some(32), "{key}");
    }
    let preview = queued["preview_id"].as_str().expect("an id");
    until("the review", || {
        let path = format!("/api/v2/metadata/matches/preview?preview_id={preview}");
        (server.get(&path)["state"] == "ready").then_some(())
    });
}

#[test]
fn a_request_for_an_import_is_checked_and_the_switch_counts() {
    let metadb = metadb();
    let server = metadb.setup().start();
    let batch = import(&server);
    let jobs = server.get("/api/v2/jobs")["jobs"].clone();
    assert_eq!(jobs, json!([]), "without the database nothing follows an import");
    let types = "Invalid media type selection.";
    for (body, error) in [
        (json!({}), "import_batch_id is required."),
        (json!({"import_batch_id": " "}), "import_batch_id is required."),
        (json!({"import_batch_id": batch, "media_types": ["hologram"]}), types),
        (json!({"import_batch_id": batch, "media_types": "cover"}), types),
    ] {
        let reply = server.send(&Request::post(ROUTE, &body)).expect(400).json();
        assert_eq!(reply["error"], error, "{body}");
    }
    let body = json!({"import_batch_id": batch});
    let queued = server.send(&Request::post(ROUTE, &body)).expect(202).json();
    assert_eq!((&queued["queued"], &queued["preview_id"]), (&json!(true), &Value::Null));
    assert_eq!(ended(&server, "metadata.media_auto")["output"]["targets"], 0);
    server.post("/api/v2/metadata/scrape-settings", &json!({"scrape_after_import": false}));
    let queued = server.post(ROUTE, &body);
    assert_eq!(
        (&queued["queued"], &queued["reason"]),
        (&json!(false), &json!("scrape_after_import is disabled"))
    );
}
