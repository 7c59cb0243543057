//! The party queue (`/api/v2/party/...`).

use super::{
    call::{Answer, Call, ok},
    route::{Handler, Holds, Param, Route, optional},
    services::{Reader, Writer},
};
use crate::{
    base::dice::Dice,
    party::{self, PLAYERS, PartyBuilt, PartyQueue, PartyTurn, USUAL_PLAYERS, Wanted},
};

const WANTED: [Param; 2] = [
    optional(
        "players",
        Holds::Integer { min: PLAYERS.0, max: PLAYERS.1 },
        "How many play; 2 when missing.",
    )
    .or(USUAL_PLAYERS)
    .passed()
    .strict()
    .refusal("players must be an integer"),
    optional("minutes", Holds::Integer { min: 0, max: i64::MAX }, "Minutes of time; 0 for any.")
        .or(0)
        .passed()
        .strict()
        .refusal("minutes must be an integer"),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/party/queue", Handler::Read(show_queue))
        .about("party", "The games of a party and whose turn it is.")
        .since("1.9.0")
        .returns::<PartyQueue>(),
    Route::post("/api/v2/party/queue", Handler::Write(build_queue))
        .about("party", "Replaces the queue with games that this many people can play here.")
        .since("1.9.0")
        .body(&WANTED)
        .returns::<PartyBuilt>()
        .slow(),
    Route::post("/api/v2/party/next", Handler::Write(next_turn))
        .about("party", "The turn of the next game; launches nothing.")
        .since("1.9.0")
        .returns::<PartyTurn>(),
];

fn show_queue(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&party::queue(&reader.state))
}

fn build_queue(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let players = call.integer("players")?.unwrap_or(USUAL_PLAYERS);
    let minutes = call.integer("minutes")?.unwrap_or(0);
    let wanted = Wanted::of(players, minutes)?;
    let probes = writer.shared.library.probes();
    ok(&party::build(writer.store, wanted, probes, &mut Dice::thrown())?)
}

fn next_turn(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&party::next(writer.store)?)
}
