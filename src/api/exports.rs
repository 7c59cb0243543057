//! `/api/v2/library/export`: start, list and download exports.

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    replies::Queued,
    route::{Handler, Holds, Route, optional, required},
    services::Writer,
};
use crate::{
    base::schema::schema,
    exports::{folder::ExportFile, job::submit_export, request::ExportRequest},
    files::DiskError,
    http::reply::{Body, Reply},
};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/v2/library/export", Handler::Write(export_library))
        .about("exports", "Starts an export of the library.")
        .since("1.8")
        .body(&[
            required("format", Holds::Choice(&["json", "csv"]), "The format of the file."),
            required("scope", Holds::Choice(&["all", "platform", "playlist"]), "Which games."),
            optional("scope_name", Holds::Text, "Name of the platform or playlist."),
            optional("include_media_paths", Holds::Flag, "Export the paths of media files too."),
        ])
        .returns::<Queued>()
        .accepts(),
    Route::post("/api/v2/library/export/gamelist", Handler::Write(export_gamelist))
        .about("exports", "Makes a list for front ends of a platform.")
        .since("1.16")
        .body(&[
            required("platform", Holds::Text, "The platform."),
            optional(
                "format",
                Holds::Choice(&["gamelist", "pegasus", "lpl"]),
                "gamelist.xml, metadata of Pegasus or a playlist of RetroArch; the first when missing.",
            ),
            optional("include_media_paths", Holds::Flag, "Write the paths of media files too."),
        ])
        .returns::<Queued>()
        .accepts(),
    Route::get("/api/v2/library/export/exports", Handler::Open(list_exports))
        .about("exports", "The finished exports, newest first.")
        .since("1.8")
        .returns::<ExportList>(),
    Route::get("/api/v2/library/export/download", Handler::Open(download_export))
        .about("exports", "One finished export.")
        .file()
        .since("1.8")
        .query(&[required("file", Holds::Text, "Its name.")])
        .codes(&[Code::NotFound]),
];

fn export_library(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let request = ExportRequest::read(&call.body)?;
    let job = submit_export(&writer.shared.jobs, &request)?;
    accepted(&Queued::of(job.job_id))
}

fn export_gamelist(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let request = ExportRequest::read_gamelist(&call.body)?;
    let job = submit_export(&writer.shared.jobs, &request)?;
    accepted(&Queued::of(job.job_id))
}

schema! {
    /// `GET /api/v2/library/export/exports`.
    struct ExportList {
        exports: Vec<ExportFile>,
    }
}

fn list_exports(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&ExportList { exports: writer.shared.exports.list().map_err(unreadable)? })
}

fn download_export(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let name = call.query("file").unwrap_or_default();
    let missing = || ApiError::new(Code::NotFound, "export not found");
    let (file, len, format) =
        writer.shared.exports.open(&name).map_err(unreadable)?.ok_or_else(missing)?;
    let reply = Reply::new(200, format.content_type(), Body::File { file, start: 0, len });
    Ok(reply.header("Content-Disposition", format!("attachment; filename=\"{name}\"")))
}

fn unreadable(error: DiskError) -> ApiError {
    log::error!("{error}");
    ApiError::bad(format!("The exports could not be read: {}.", error.reason()))
}
