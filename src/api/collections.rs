//! Searching by plain words, and phrases with the smart collections made of them.

use serde_json::{Map, Value, value::RawValue};

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    probed::Probed,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::{
        Moment,
        limits::{PHRASE_CHARS, PHRASE_IDS, SEARCH_RESULTS},
        schema::schema,
    },
    query::{
        collections,
        phrase::{condition::Chip, matching},
        search::service::Source,
    },
};

const NAME: Param = required("name", Holds::Text, "Its name, at most 80 characters.");

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    // Slow, because they check every game once for each phrase.
    Route::post("/api/v2/library/query/parse", Handler::Write(parse_query))
        .about("library", "Reads a phrase as filters and finds its games; changes nothing.")
        .body(&[required("query", Holds::Text, "The phrase, at most 2,000 characters.")])
        .returns::<ParsedPhrase<'_>>()
        .since("1.14")
        .slow(),
    // Slow, because it waits a moment for an index that is behind.
    Route::get("/api/v2/library/search", Handler::Read(search_library))
        .about("library", "Finds games by words of their title; large libraries use an index.")
        .query(&[
            optional("q", Holds::Text, "The words; blank finds nothing."),
            optional("limit", Holds::Integer { min: 1, max: SEARCH_RESULTS }, "50 when missing.")
                .or(50)
                .clamped()
                .refusal("Invalid limit."),
        ])
        .returns::<SearchAnswer<'_>>()
        .since("1.9")
        .slow(),
    Route::get("/api/v2/collections", Handler::Read(list_collections))
        .about("collections", "Every smart collection with the number of its games.")
        .returns::<CollectionList>()
        .since("1.12")
        .slow(),
    Route::post("/api/v2/collections", Handler::Write(save_collection))
        .about("collections", "Saves a smart collection, replacing the one with its name.")
        .body(&[
            NAME,
            required("query", Holds::Text, "Its phrase, at most 500 characters."),
            optional("former", Holds::Text, "Its previous name; it is renamed in place."),
        ])
        .returns::<CollectionSaved>()
        .since("1.12")
        .codes(&[Code::CollectionInvalid, Code::CollectionNotFound]),
    Route::post("/api/v2/collections/delete", Handler::Write(delete_collection))
        .about("collections", "Deletes a smart collection; its games stay.")
        .body(&[NAME])
        .returns::<CollectionDeleted<'_>>()
        .since("1.12")
        .codes(&[Code::CollectionNotFound]),
];

fn parse_query(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let Some(Value::String(query)) = call.key("query") else {
        return Err(ApiError::bad("query must be a string."));
    };
    if query.chars().count() > PHRASE_CHARS {
        return Err(ApiError::bad("query is too long."));
    }
    let (state, now) = (writer.visible()?, Moment::now());
    let read = collections::read_phrase(query, &state.games, &now);
    let context = Probed { shared: writer.shared, state: &state };
    let taken = matching::taken(&read, &state.games, &context, &now);
    let games = taken.iter().take(PHRASE_IDS).filter_map(|position| state.games.get(*position));
    let ids: Vec<&str> = games.map(|game| game.id()).collect();
    let clauses = read.clauses();
    ok(&ParsedPhrase {
        canonical: read.print(),
        chips: read.chips(),
        complete: clauses.is_empty(),
        clauses,
        hint: read.hint(),
        match_count: taken.len(),
        matched_game_ids: ids,
        ok: true,
        parsed: read.is_parsed(),
        plain_query: read.plain_query(),
        rules: read.rules(),
        text: &read.text,
        unparsed: &read.unparsed,
    })
}

schema! {
    /// A phrase that was read, and the games it finds.
    struct ParsedPhrase<'a> {
        /// The phrase in a fixed spelling.
        canonical: String,
        chips: Vec<Chip>,
        /// What the rules of a preset cannot express.
        clauses: Vec<Map<String, Value>>,
        /// Whether the rules express everything.
        complete: bool,
        hint: &'static str,
        match_count: usize,
        /// The first of them.
        matched_game_ids: Vec<&'a str>,
        ok: bool,
        /// Whether anything was understood.
        parsed: bool,
        /// The phrase, searched for as it stands.
        #[serde(skip_serializing_if = "Option::is_none")]
        plain_query: Option<&'a str>,
        /// The rules of a preset.
        rules: Map<String, Value>,
        text: &'a str,
        /// Words that were not understood.
        unparsed: &'a [String],
    }
}

fn search_library(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let limit = call.count("limit")?;
    let query = call.query("q").unwrap_or_default();
    let found = reader.shared.search.find(&reader.state, &query, limit);
    let games = found.positions.iter().filter_map(|position| reader.state.games.get(*position));
    // OK because a game holds the JSON of one object.
    let results: Vec<&RawValue> =
        games.filter_map(|game| serde_json::from_str(game.json()).ok()).collect();
    let count = results.len();
    ok(&SearchAnswer { results, source: found.source, count })
}

schema! {
    /// Stored records as they are, with where they were found.
    struct SearchAnswer<'a> {
        results: Vec<&'a RawValue>,
        source: Source,
        count: usize,
    }

    /// `GET /api/v2/collections`.
    struct CollectionList {
        items: Vec<collections::Collection>,
    }

    /// A smart collection was saved.
    struct CollectionSaved {
        ok: bool,
        saved: String,
    }

    /// A smart collection was deleted.
    struct CollectionDeleted<'a> {
        ok: bool,
        deleted: &'a str,
    }
}

fn list_collections(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let context = Probed { shared: reader.shared, state: &reader.state };
    let items = reader.library.collections(&reader.state, &context, &Moment::now());
    ok(&CollectionList { items })
}

fn save_collection(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let saved = collections::save_collection(writer.store, &call.body)?;
    ok(&CollectionSaved { ok: true, saved })
}

fn delete_collection(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let name = call.text("name");
    collections::delete_collection(writer.store, name)?;
    ok(&CollectionDeleted { ok: true, deleted: name })
}
