//! The game database (`/api/metadata/gamedb/*`) and details of games at stores
//! (`/api/metadata/store-a`, `/trailer`, `/store-d`).

use super::{
    call::{Answer, Call, ok},
    replies::Done,
    route::{GAME_REF, Handler, Holds, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    lookup::{gamedb_answers::Hit, store_d::StorePictures},
};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/metadata/gamedb/search", Handler::Read(search))
        .about("metadata", "Searches the game database for a game.")
        .query(&[
            optional("q", Holds::Text, "The title; required for a result."),
            optional("platform", Holds::Text, "The platform; any when it is missing."),
            optional("limit", Holds::Integer { min: 1, max: 50 }, "Games at most.").or(12),
        ])
        .returns::<GamedbHits>()
        .slow(),
    Route::post("/api/metadata/gamedb/apply", Handler::Write(apply))
        .about("metadata", "Writes the facts of the game database to a game.")
        .body(&[
            GAME_REF[0],
            GAME_REF[1],
            required(
                "gamedb_id",
                Holds::Integer { min: 1, max: 4_294_967_295 },
                "The number of the game in the database.",
            )
            .refusal("gamedb_id is required.")
            .or_digits(),
        ])
        .returns::<GamedbApplied>()
        .slow(),
    Route::post("/api/metadata/store-a", Handler::Write(fetch_store_a))
        .about("metadata", "Writes the details of the Steam store to a game, with two pictures.")
        .body(&GAME_REF)
        .returns::<Done>()
        .slow(),
    Route::post("/api/metadata/trailer", Handler::Write(fetch_trailer))
        .about("metadata", "Saves the first trailer that the Steam store has of a game.")
        .body(&GAME_REF)
        .returns::<TrailerSaved>()
        .slow(),
    Route::post("/api/metadata/store-d", Handler::Write(fetch_store_d))
        .about("metadata", "Saves the cover and the background that GOG has of a game.")
        .body(&GAME_REF)
        .returns::<StorePictures>()
        .slow(),
];

schema! {
    /// `GET /api/metadata/gamedb/search`.
    struct GamedbHits {
        /// The likeliest first.
        results: Vec<Hit>,
    }

    /// `POST /api/metadata/gamedb/apply`.
    struct GamedbApplied {
        applied: bool,
        /// The name of the game.
        game: String,
    }

    /// `POST /api/metadata/trailer`.
    struct TrailerSaved {
        /// Where it lies.
        video_trailer: String,
    }
}

fn search(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let title = call.query_text("q").unwrap_or_default();
    let platform = call.query_text("platform").unwrap_or_default();
    let limit = call.count("limit")?;
    ok(&GamedbHits { results: reader.shared.lookup.gamedb.search(&title, &platform, limit)? })
}

fn apply(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let lookup = &writer.shared.lookup;
    lookup.gamedb.check_keys()?;
    let game = call.required_game()?;
    let id = call.integer("gamedb_id")?.and_then(|id| u32::try_from(id).ok());
    let id = id.ok_or_else(|| call.missing("gamedb_id"))?;
    ok(&GamedbApplied { applied: true, game: lookup.apply_gamedb(&game, id)? })
}

fn fetch_store_a(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    writer.shared.lookup.fetch_store_a(&call.required_game()?)?;
    ok(&Done { ok: true })
}

fn fetch_trailer(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let path = writer.shared.lookup.fetch_trailer(&call.required_game()?)?;
    ok(&TrailerSaved { video_trailer: path.to_string_lossy().into_owned() })
}

fn fetch_store_d(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.lookup.fetch_store_d(&call.required_game()?)?)
}
