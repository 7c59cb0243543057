//! Extensions of the program (`/api/themes/*`, `/api/theme.css`, `/api/update`): what is installed and set up.

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional, required},
    services::Writer,
};
use crate::{
    extensions::{
        stock_themes,
        theme_choice::{self, ThemeFolder, ThemeImported, ThemeSelected},
        themes::{self, Sheet, ThemeList},
    },
    http::{
        conditional,
        reply::{Body, Reply},
    },
    updates::{
        Target,
        release::UpdateStatus,
        updater::{UpdateInstalled, UpdateReturned},
    },
};

const PLATFORM: [Param; 1] =
    [optional("platform", Holds::Text, "The platform whose style sheet is chosen.")];
const SOURCE: [Param; 1] =
    [required("path", Holds::Text, "The style sheet, a file that ends in `.css`.")];
const CHOICE: [Param; 2] = [
    optional("name", Holds::Text, "The style sheet; blank chooses none."),
    optional("platform", Holds::Text, "The platform it is for; all when it is missing."),
];
const TARGET: [Param; 1] = [optional(
    "target",
    Holds::Choice(&["bundle", "executable"]),
    "The file to replace: the single-file bundle, which is the default, or the plain executable.",
)];
const NAME: [Param; 1] = [optional("name", Holds::Text, "The name of a style sheet.")];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/themes", Handler::Write(list_themes))
        .about("extensions", "Lists the style sheets and those that are chosen.")
        .query(&PLATFORM)
        .returns::<ThemeList>()
        .slow()
        .v1(),
    Route::get("/api/theme.css", Handler::Open(show_theme))
        .about("extensions", "Sends a style sheet; an unknown one is empty.")
        .query(&NAME)
        .file()
        .slow(),
    Route::post("/api/themes/import", Handler::Write(import_theme))
        .about("extensions", "Copies a style sheet into the folder of themes.")
        .body(&SOURCE)
        .returns::<ThemeImported>()
        .slow(),
    Route::post("/api/themes/select", Handler::Write(select_theme))
        .about("extensions", "Chooses a style sheet for all platforms or for one.")
        .body(&CHOICE)
        .returns::<ThemeSelected>()
        .slow(),
    Route::post("/api/themes/open-folder", Handler::Write(open_themes))
        .about("extensions", "Shows the folder of themes in the file manager.")
        .returns::<ThemeFolder>()
        .slow()
        .v1(),
    Route::get("/api/update", Handler::Write(show_update))
        .about("state", "The version that runs and the newest one.")
        .returns::<UpdateStatus>()
        .slow()
        .v1(),
    Route::post("/api/update/install", Handler::Write(install_update))
        .about("state", "Verifies and installs the newest version.")
        .body(&TARGET)
        .returns::<UpdateInstalled>()
        .slow()
        .v1(),
    Route::post("/api/v2/update/rollback", Handler::Write(roll_back_update))
        .about("state", "Restores the program from before the last update.")
        .body(&TARGET)
        .returns::<UpdateReturned>()
        .since("0.1.0")
        .slow(),
];

fn list_themes(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let platform = call.query("platform").unwrap_or_default();
    let folder = writer.shared.data_dir.themes();
    stock_themes::keep(writer.files, &folder);
    ok(&themes::list(&folder, &*writer.store.snapshot()?, &platform))
}

fn import_theme(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let path = shared.environment.expand_home(call.text("path"));
    ok(&theme_choice::import(writer.files, &shared.data_dir.themes(), &path)?)
}

fn select_theme(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (name, platform) = (call.optional_text("name")?, call.optional_text("platform")?);
    let data_dir = &writer.shared.data_dir;
    ok(&theme_choice::select(writer.store, writer.files, data_dir, name, platform)?)
}

fn open_themes(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&theme_choice::open_folder(writer.files, &writer.shared.data_dir.themes())?)
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

fn show_update(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&writer.shared.updater.check()?)
}

fn install_update(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.updater.install(target(call)?)?)
}

fn roll_back_update(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.updater.roll_back(target(call)?)?)
}

fn target(call: &Call<'_>) -> Result<Target, ApiError> {
    Ok(call.named("target", Target::named)?.unwrap_or_default())
}
