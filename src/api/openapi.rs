//! The OpenAPI document, made from the route table and the settings table.
//!
//! `GET /api/openapi.json` serves it; a checked-in copy shows every change of the surface in review.

use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use super::{
    call::Answer,
    code::Code,
    params::{Holds, Param},
    route::{Handler, Replies, Route, Verb},
};
use crate::{
    config::settings::describe,
    http::{
        gzip,
        reply::{Body, Reply},
    },
};

/// The route whose schemas come from the settings table.
const SETTINGS: &str = "/api/settings";

/// Codes that every protected route may answer.
const EVERYWHERE: [Code; 6] = [
    Code::BadRequest,
    Code::Unauthorized,
    Code::BadHost,
    Code::ArcadeKioskLocked,
    Code::RateLimited,
    Code::InternalError,
];

/// Answers with the document, which is made once: it takes megabytes to make.
///
/// # Errors
/// Never.
pub fn show(families: &[&'static [Route]]) -> Answer {
    static PACKED: OnceLock<(Vec<u8>, u64)> = OnceLock::new();
    let (gzip, len) = PACKED.get_or_init(|| {
        let text = document(families).to_string();
        (gzip::compress(text.as_bytes()), text.len() as u64)
    });
    let body = Body::Packed { gzip, len: *len };
    Ok(Reply::new(200, "application/json", body).compressible())
}

/// The document for these rows.
pub fn document(families: &[&'static [Route]]) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    let mut components = Map::from_iter([("Error".to_owned(), error())]);
    for route in families.iter().flat_map(|family| family.iter()) {
        let operation = operation(route, &mut components);
        for path in [Some(route.path.to_owned()), route.v1_path()].into_iter().flatten() {
            let mut operation = operation.clone();
            operation["operationId"] = operation_id(route.verb, &path).into();
            let entry = paths.entry(path).or_insert_with(|| json!({}));
            entry[route.verb.name().to_lowercase()] = operation;
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Service Launcher",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A local-first game library. Every route needs the session token.",
        },
        "security": [{"token": []}, {"query": []}],
        "components": {
            "securitySchemes": {
                "token": {"type": "apiKey", "in": "header", "name": "X-Service-Token"},
                "query": {"type": "apiKey", "in": "query", "name": "token"},
            },
            "schemas": components,
        },
        "paths": paths,
        "x-settings": describe::screen_rows(),
    })
}

/// The envelope of an error.
fn error() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {"type": "string"},
            "code": {"type": "string"},
            "request_id": {"type": "string"},
            "detail": {"description": "Facts that a client can act on."},
            "retry_after": {"type": "integer", "description": "Seconds to wait."},
        },
    })
}

fn operation(route: &Route, components: &mut Map<String, Value>) -> Value {
    let mut operation = json!({
        "summary": route.summary,
        "tags": [route.tag],
        "x-since": route.since,
        "responses": responses(route, components),
    });
    if !route.params.query.is_empty() {
        operation["parameters"] = route.params.query.iter().map(parameter).collect();
    }
    if route.verb == Verb::Post {
        let required: Vec<&str> = route
            .params
            .body
            .iter()
            .filter(|param| param.required)
            .map(|param| param.name)
            .collect();
        let mut schema = match route.path {
            SETTINGS => describe::posted_schema(),
            _ => json!({"type": "object", "properties": properties(route.params.body)}),
        };
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        operation["requestBody"] = json!({"content": {"application/json": {"schema": schema}}});
    }
    operation
}

/// The id of an operation: its method and path in one word, so that an alias has one of its own.
fn operation_id(verb: Verb, path: &str) -> String {
    let rest = path.trim_start_matches("/api/");
    format!("{}_{}", verb.name().to_lowercase(), rest.replace(['/', '-', '.'], "_"))
}

fn responses(route: &Route, components: &mut Map<String, Value>) -> Value {
    let is_stream = matches!(route.handler, Handler::Stream(_));
    let (about, kind, schema) = match route.reply {
        Replies::Typed(holds) => ("Done.", "application/json", holds.to_json(components)),
        _ if is_stream => ("Events.", "text/event-stream", json!({"type": "string"})),
        _ => ("The file.", "*/*", json!({"type": "string", "format": "binary"})),
    };
    let done = json!({"description": about, "content": {kind: {"schema": schema}}});
    let done = route.success.iter().map(|status| (status.to_string(), done.clone()));
    let mut responses = Value::Object(done.collect());
    // These see a state, which there may be none of.
    let needs_state = matches!(route.handler, Handler::Read(_) | Handler::Write(_));
    let unavailable = [Code::StateUnavailable];
    let unavailable = unavailable.iter().filter(|code| needs_state && !route.codes.contains(code));
    for code in EVERYWHERE.iter().chain(unavailable).chain(route.codes) {
        let row = code.row();
        let entry = &mut responses[row.status.to_string()];
        if entry.is_null() {
            *entry = json!({
                "description": "Refused.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
                "x-codes": [],
            });
        }
        if let Some(codes) = entry["x-codes"].as_array_mut() {
            codes.push(row.name.into());
        }
    }
    responses
}

fn parameter(param: &Param) -> Value {
    json!({
        "name": param.name,
        "in": "query",
        "required": param.required,
        "description": param.about,
        "schema": schema(param),
    })
}

fn properties(params: &[Param]) -> Value {
    let entry = |param: &Param| {
        let mut schema = schema(param);
        schema["description"] = param.about.into();
        (param.name.to_owned(), schema)
    };
    Value::Object(params.iter().map(entry).collect())
}

fn schema(param: &Param) -> Value {
    let mut schema = match param.holds {
        Holds::Text => json!({"type": "string"}),
        Holds::Integer { min, max: i64::MAX } => json!({"type": "integer", "minimum": min}),
        Holds::Number => json!({"type": "number", "minimum": 0}),
        Holds::Integer { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        Holds::Flag => json!({"type": "boolean"}),
        Holds::Choice(choices) => json!({"type": "string", "enum": choices}),
        Holds::List => json!({"type": "array"}),
        Holds::Object => json!({"type": "object"}),
    };
    if let (Holds::Integer { .. }, Some(default)) = (param.holds, param.default) {
        schema["default"] = default.into();
    }
    if param.digits {
        schema["type"] = json!(["integer", "string"]);
        schema["pattern"] = "^-?[0-9]+$".into();
    }
    if let Holds::List = param.holds
        && param.size.0 > 0
    {
        schema["minItems"] = param.size.0.into();
        schema["maxItems"] = param.size.1.into();
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::FAMILIES;

    #[test]
    fn every_row_declares_its_reply() {
        let rows = FAMILIES.iter().flat_map(|family| family.iter());
        let undeclared = rows.filter(|route| matches!(route.reply, Replies::Undeclared));
        let paths: Vec<&str> = undeclared.map(|route| route.path).collect();
        assert!(paths.is_empty(), "neither `returns` nor `file`: {paths:?}");
    }
}
