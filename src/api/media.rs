//! The route that serves the media files of games.

use super::{
    call::{Answer, Call},
    code::Code,
    error::ApiError,
    file_reply::{self, Served},
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::Reader,
};
use crate::{
    http::reply::Reply,
    library::{media, projection::ViewRules},
};

const MEDIA: [Param; 4] = [
    GAME_REF[0],
    GAME_REF[1],
    required("kind", Holds::Text, "A media field, `screenshot`, or `video` for the active one."),
    optional("index", Holds::Integer { min: 0, max: 99 }, "Which screenshot."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[Route::get("/api/media", Handler::Read(serve_media))
    .about("media", "A media file of a game, whole or in part.")
    .query(&MEDIA)
    .codes(&[Code::MediaNotFound])
    .v1()];

/// Every failure is the same 404: a client cannot tell a missing game from a forbidden path.
fn serve_media(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    find_media(reader, call).ok_or_else(|| ApiError::of(Code::MediaNotFound))
}

fn find_media(reader: &Reader<'_>, call: &Call<'_>) -> Option<Reply> {
    let (_, game) = call.queried_game()?.find(&reader.state.games)?;
    let kind = call.query("kind")?;
    let index = call.query("index").and_then(|index| index.trim().parse().ok());
    let rules = ViewRules::of(reader.state.settings());
    let roots = reader.shared.library.probes().roots();
    let found = media::open(game, kind.trim(), index, &rules, roots)?;
    let etag = found.etag();
    let media::MediaFile { file, name, size, modified } = found;
    file_reply::reply(&call.request.head, Served { file, name, size, modified, etag })
}
