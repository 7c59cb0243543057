//! `/api/v2/library/dna/*`: finding similar games.

use super::{
    call::{Answer, Call, accepted, ok},
    error::ApiError,
    probed::Probed,
    replies::Queued,
    route::{Handler, Holds, Route, optional, required},
    services::Writer,
};
use crate::{
    base::Moment,
    dna::{
        job,
        search::{DnaAnswer, Question, read_filters},
        service::DnaStatus,
    },
    model::State,
};

/// The rows of this family. All may have to make the index, so they are slow.
pub const ROUTES: &[Route] = &[
    Route::post("/api/v2/library/dna/search", Handler::Write(search_dna))
        .about("library", "Finds games by a question in plain words, or games like another one.")
        .since("1.14")
        .body(&[
            required(
                "query",
                Holds::Text,
                "The question, such as `cozy farming` or `games like X`.",
            ),
            optional("limit", Holds::Integer { min: 1, max: 100 }, "20 when missing.")
                .or(20)
                .clamped()
                .strict()
                .refusal("limit must be an integer"),
            optional(
                "filters",
                Holds::Object,
                "`genre`, `platform`, `play_mode`, `developer` and `publisher`: a text or a list.",
            )
            .lenient(),
        ])
        .returns::<DnaAnswer>()
        .slow(),
    // Writes, because an index that is missing is made by the first who asks.
    Route::get("/api/v2/library/dna/status", Handler::Write(show_status))
        .about("library", "Reports how far the index of similar games covers the library.")
        .since("1.14")
        .returns::<DnaStatus>()
        .slow(),
    Route::post("/api/v2/library/dna/index/rebuild", Handler::Write(rebuild_index))
        .about("library", "Rebuilds the index of similar games.")
        .since("1.14")
        .returns::<Queued>()
        .accepts(),
];

fn search_dna(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let query = call.text("query");
    if query.is_empty() {
        return Err(ApiError::bad("query is required"));
    }
    let limit = call.count("limit")?;
    let filters = read_filters(call.key("filters"));
    let state = writer.store.snapshot()?;
    ok(&answer(writer, &state, &Question { query, limit, filters }))
}

/// The answer to a question; an index that takes a job gets one.
pub(super) fn answer(writer: &Writer<'_>, state: &State, question: &Question<'_>) -> DnaAnswer {
    let shared = writer.shared;
    let standing = shared.dna.bring(state);
    job::submit_due(&shared.jobs, standing);
    let context = Probed { shared, state };
    shared.dna.search(state, standing, question, &context, &Moment::now())
}

fn show_status(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let state = writer.store.snapshot()?;
    let dna = &writer.shared.dna;
    let standing = dna.bring(&state);
    job::submit_due(&writer.shared.jobs, standing);
    ok(&dna.status(&state, standing))
}

fn rebuild_index(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let job = job::submit(&writer.shared.jobs)?;
    accepted(&Queued::of(job.job_id))
}
