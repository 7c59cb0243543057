//! `GET /api/openapi.json`: the document is checked in, and `/api/v1` is frozen.
//!
//! `UPDATE_GOLDEN=1 cargo test` rewrites the checked-in document after a change that is meant.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::{Map, Value};

use super::{Operation, openapi};
use crate::support::server::Server;

/// The frozen contract: one method and path a line.
const FROZEN: &str = include_str!("../../golden/v1-routes.txt");

#[test]
fn the_document_is_the_one_checked_in() {
    let server = Server::start();
    let mut document = server.get("/api/openapi.json");
    document["info"]["version"] = "0.0.0".into();
    document.as_object_mut().expect("an object").remove("servers");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/openapi.json");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, format!("{document:#}\n")).unwrap();
    }
    let golden: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let changed: Vec<_> = differences(&golden, &document);
    assert!(changed.is_empty(), "UPDATE_GOLDEN=1 accepts these changes: {changed:#?}");
}

/// Paths of the document that differ, or the sections that do.
fn differences(golden: &Value, now: &Value) -> Vec<String> {
    let keys = |value: &Value| -> BTreeSet<String> {
        value.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
    };
    let differing = |golden: &Value, now: &Value| -> Vec<String> {
        let all = keys(golden).union(&keys(now)).cloned().collect::<Vec<_>>();
        all.into_iter().filter(|key| golden[key] != now[key]).collect()
    };
    let sections = differing(golden, now).into_iter().filter(|key| key != "paths");
    sections.chain(differing(&golden["paths"], &now["paths"])).collect()
}

#[test]
fn every_operation_has_an_id_of_its_own_and_a_summary() {
    let server = Server::start();
    let document = server.get("/api/openapi.json");
    let mut ids = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap_or_default();
            assert!(!id.is_empty() && ids.insert(id.to_owned()), "{method} {path}: id {id:?}");
            assert!(operation["summary"].is_string(), "{method} {path}: no summary");
            assert!(operation["responses"].is_object(), "{method} {path}: no responses");
        }
    }
}

/// What an operation lacks of its schemas.
fn missing_schemas(operation: &Value, is_post: bool) -> Vec<&'static str> {
    let mut missing = Vec::new();
    let has_schema = |content: &Value| {
        let kinds = content.as_object().into_iter().flat_map(Map::values);
        let schemas: Vec<_> = kinds.map(|kind| &kind["schema"]).collect();
        !schemas.is_empty()
            && schemas.iter().all(|schema| schema.is_object() && **schema != serde_json::json!({}))
    };
    if is_post && !has_schema(&operation["requestBody"]["content"]) {
        missing.push("request body");
    }
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let fields =
        operation["requestBody"]["content"]["application/json"]["schema"]["properties"].as_object();
    let fields = fields.into_iter().flat_map(Map::values);
    if parameters
        .map(|parameter| &parameter["schema"])
        .chain(fields)
        .any(|schema| schema.as_object().is_none_or(Map::is_empty))
    {
        missing.push("field");
    }
    for response in operation["responses"].as_object().into_iter().flat_map(Map::values) {
        if !has_schema(&response["content"]) {
            missing.push("response");
        }
    }
    missing
}

#[test]
fn a_key_for_which_another_one_may_stand_is_not_required() {
    let server = Server::start();
    let document = server.get("/api/openapi.json");
    let mut found = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            let keys = body["properties"].as_object().into_iter().flat_map(Map::values);
            for description in parameters.clone().chain(keys).map(|key| &key["description"]) {
                let Some(text) = description.as_str() else { continue };
                let Some(other) = text.strip_prefix("The same as ") else { continue };
                let other = other.trim_end_matches('.');
                let own = |key: &&Value| key["name"] == other;
                let is_required = parameters.clone().find(own).map(|key| &key["required"]);
                let required = body["required"].as_array().into_iter().flatten();
                let is_listed = required.into_iter().any(|name| *name == other);
                let is_asked_for = is_required == Some(&Value::Bool(true)) || is_listed;
                assert!(!is_asked_for, "{method} {path}: {other} may be left out");
                found += 1;
            }
        }
    }
    assert!(found >= 5, "{found}");
}

/// Every `$ref` of a value.
fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get("$ref").and_then(Value::as_str));
            map.values().for_each(|value| references(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn every_operation_has_schemas_of_what_it_takes_and_answers() {
    let server = Server::start();
    let document = server.get("/api/openapi.json");
    let mut bare = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            for missing in missing_schemas(operation, method == "post") {
                bare.push(format!("{method} {path}: {missing}"));
            }
        }
    }
    assert!(bare.is_empty(), "no schema: {bare:#?}");
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(found.len() > 100, "{found:?}");
    for reference in found {
        let pointer = reference.strip_prefix('#').expect("in this document");
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

fn frozen() -> BTreeSet<Operation> {
    FROZEN
        .lines()
        .map(|line| {
            let (method, path) = line.split_once(' ').expect("a method and a path");
            Operation { method: method.to_owned(), path: path.to_owned() }
        })
        .collect()
}

#[test]
fn a_route_below_v1_is_served_exactly_when_it_is_frozen() {
    let server = Server::start();
    let operations = openapi(&server).into_iter();
    let (v1, base): (BTreeSet<_>, BTreeSet<_>) =
        operations.partition(|operation| operation.path.starts_with("/api/v1/"));
    let frozen = frozen();
    let added: Vec<_> = v1.difference(&frozen).collect();
    assert!(added.is_empty(), "not frozen: {added:?}");
    for operation in frozen {
        let path = operation.path.replacen("/api/v1/", "/api/", 1);
        let has_base = base.contains(&Operation { path, ..operation.clone() });
        assert_eq!(has_base, v1.contains(&operation), "{operation:?} and its base route");
    }
}
