//! Setup previews as a client works with them: begun, awaited, paged through, committed.

use serde_json::{Value, json};

use super::{
    client::{Request, encode},
    server::Server,
    stream::job,
    wait::until,
};

/// Where previews are made.
pub(crate) const PREVIEW: &str = "/api/v2/setup/preview";
/// Where they are committed.
pub(crate) const COMMIT: &str = "/api/v2/setup/commit";

/// Reads sources and returns the answer.
#[track_caller]
pub(crate) fn begin(server: &Server, sources: &Value) -> Value {
    server.send(&Request::post(PREVIEW, &json!({"sources": sources}))).expect(202).json()
}

/// Reads sources to their end and returns the preview.
#[track_caller]
pub(crate) fn scan(server: &Server, sources: &Value) -> Value {
    let begun = begin(server, sources);
    settled(server, begun["preview_id"].as_str().expect("an id"))
}

/// The preview once none of its jobs runs.
#[track_caller]
pub(crate) fn settled(server: &Server, id: &str) -> Value {
    until("the job of a preview to end", || {
        let preview = server.get(&format!("{PREVIEW}?preview_id={id}"));
        let state = preview["state"].as_str().expect("a state");
        (!["queued", "running", "cancelling"].contains(&state)).then_some(preview)
    })
}

/// Every candidate, read in pages of `limit`.
#[track_caller]
pub(crate) fn items(server: &Server, id: &str, limit: usize) -> Vec<Value> {
    let (mut items, mut cursor) = (Vec::new(), String::new());
    loop {
        let target =
            format!("{PREVIEW}/items?preview_id={id}&limit={limit}&cursor={}", encode(&cursor));
        let page = server.get(&target);
        let shown = page["items"].as_array().expect("items");
        assert!(shown.len() <= limit);
        items.extend(shown.iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return items,
        }
    }
}

/// The candidate with a title.
#[track_caller]
pub(crate) fn titled<'a>(items: &'a [Value], title: &str) -> &'a Value {
    let mut found = items.iter().filter(|item| item["detected_title"] == title);
    found.next().expect(title)
}

/// Decides on candidates by title.
#[track_caller]
pub(crate) fn decide(server: &Server, id: &str, items: &[Value], decisions: &[(&str, Value)]) {
    let page: Vec<Value> = decisions
        .iter()
        .map(|(title, decision)| {
            let mut decision = decision.clone();
            decision["candidate_id"] = titled(items, title)["candidate_id"].clone();
            decision
        })
        .collect();
    let answer =
        server.post(&format!("{PREVIEW}/decisions"), &json!({"preview_id": id, "items": page}));
    assert_eq!(answer, json!({"preview_id": id, "accepted": page.len()}));
}

/// The body of a commit without choices.
pub(crate) fn commit_body(id: &str) -> Value {
    json!({"preview_id": id, "revision": 1, "emulator_choices": []})
}

/// Commits a preview and returns the document of the job.
#[track_caller]
pub(crate) fn commit(server: &Server, id: &str) -> Value {
    let begun = server.send(&Request::post(COMMIT, &commit_body(id))).expect(202).json();
    settled(server, id);
    job(server, begun["job_id"].as_str().expect("an id"))
}

/// The games of the library.
#[track_caller]
pub(crate) fn games(server: &Server) -> Vec<Value> {
    server.get("/api/library")["games"].as_array().expect("games").clone()
}

/// A field of the row with a name as it is stored; the public form leaves some out.
#[track_caller]
pub(crate) fn stored(server: &Server, name: &str, key: &str) -> Value {
    let read = |file: &str| std::fs::read_to_string(server.data(file)).unwrap_or_default();
    let library: Value = serde_json::from_str(&read("library.json")).unwrap_or_default();
    let mut rows = library["games"].as_array().cloned().unwrap_or_default();
    for line in read("library.log").lines() {
        // A checksum of eight digits stands before the JSON.
        let line: Value = serde_json::from_str(line.get(9..).unwrap_or("")).unwrap_or_default();
        let ops = line["ops"].as_array().cloned().unwrap_or_default();
        rows.extend(ops.iter().map(|op| op["add"]["game"].clone()));
    }
    let row = rows.into_iter().rfind(|row| row["name"] == name);
    row.expect("a stored row")[key].clone()
}
