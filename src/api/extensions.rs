//! What extends the program (`/api/themes`, `/api/theme.css`, `/api/plugins`, `/api/update`,
//! `/api/ach/settings`): what is installed and set up.

use super::{
    call::{Answer, Call, ok},
    route::{Handler, Holds, Param, Route, optional},
    services::{Reader, Writer},
};
use crate::{
    extensions::{
        plugins::{self, PluginList},
        sources::{self, AchievementSettings, UpdateStatus},
        themes::{self, Sheet, ThemeList},
    },
    http::{
        conditional,
        reply::{Body, Reply},
    },
};

const PLATFORM: [Param; 1] =
    [optional("platform", Holds::Text, "The platform whose style sheet is chosen.")];
const NAME: [Param; 1] = [optional("name", Holds::Text, "The name of a style sheet.")];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/themes", Handler::Read(list_themes))
        .about("extensions", "Lists the style sheets of the user and those that are chosen.")
        .query(&PLATFORM)
        .returns::<ThemeList>()
        .slow()
        .v1(),
    Route::get("/api/theme.css", Handler::Open(show_theme))
        .about("extensions", "Sends a style sheet; an unknown one is empty.")
        .query(&NAME)
        .file()
        .slow(),
    Route::get("/api/plugins", Handler::Open(list_plugins))
        .about("extensions", "Lists the installed plugins.")
        .returns::<PluginList>()
        .slow()
        .v1(),
    Route::get("/api/update", Handler::Read(show_update))
        .about("state", "The version that runs and what is known about newer ones.")
        .returns::<UpdateStatus>()
        .v1(),
    Route::get("/api/ach/settings", Handler::Open(show_achievements))
        .about("extensions", "Whose achievements can be asked for.")
        .returns::<AchievementSettings>(),
];

fn list_themes(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let platform = call.query("platform").unwrap_or_default();
    ok(&themes::list(&reader.shared.data_dir.themes(), &reader.state, &platform))
}

fn show_theme(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let name = call.query("name").unwrap_or_default();
    let Sheet { text, etag } = themes::sheet(&writer.shared.data_dir.themes(), &name);
    let reply = if conditional::is_unchanged(&call.request.head, Some(&etag), None) {
        Reply::empty(304)
    } else {
        Reply::new(200, "text/css; charset=utf-8", Body::Bytes(text.into_bytes()))
    };
    Ok(reply.cached("public, max-age=0, must-revalidate").header("ETag", etag))
}

fn list_plugins(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let shared = writer.shared;
    ok(&plugins::list(&shared.data_dir.plugins(), &shared.environment))
}

fn show_update(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&sources::update_status(&reader.state, &reader.shared.environment))
}

fn show_achievements(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let shared = writer.shared;
    ok(&sources::achievement_settings(&shared.environment, &shared.data_dir))
}
