//! `/api/backup` and `/api/backups`: make, list, compare and restore archives of the library.

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    replies::Queued,
    route::{Handler, Holds, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    backup::{
        diff::{self, BackupDiff},
        folder::Listed,
        items::{CreateRequest, Item, RestoreRequest, names},
        job::{submit_create, submit_restore},
        redact,
    },
    base::schema::schema,
    http::reply::Reply,
    store::exchange::write_state,
};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/backup/create", Handler::Write(create_backup))
        .about("backup", "Starts a backup of the library.")
        .body(&[
            optional("items", Holds::List, "Its content; library and settings by default."),
            optional(
                "keep",
                Holds::Integer { min: 0, max: i64::MAX },
                "How many archives remain; 0 keeps all.",
            ),
        ])
        .returns::<Queued>()
        .accepts()
        .v1(),
    Route::get("/api/backups", Handler::Open(list_backups))
        .about("backup", "The archives, newest first.")
        .returns::<BackupList>()
        .slow()
        .v1(),
    Route::get("/api/backup", Handler::Read(export_portable))
        .about("backup", "The whole library without credentials, as a portable export.")
        .file()
        .slow()
        .v1(),
    Route::get("/api/backup/manifest", Handler::Open(list_items))
        .about("backup", "What a backup can hold.")
        .returns::<BackupItems>(),
    Route::post("/api/backup/restore", Handler::Write(restore_backup))
        .about("backup", "Restores an archive.")
        .body(&[
            required("path", Holds::Text, "The archive, inside the data directory."),
            optional("items", Holds::List, "What is restored; everything in it by default."),
            optional("force", Holds::Flag, "Restore an archive older than the library."),
        ])
        .returns::<Queued>()
        .accepts()
        .slow()
        .v1(),
    Route::get("/api/v2/backup/diff", Handler::Read(compare_backup))
        .about("backup", "The changes since an archive, and the effect of restoring it.")
        .since("1.7")
        .query(&[
            required("archive", Holds::Text, "Its name.").refusal("archive parameter required")
        ])
        .returns::<BackupDiff>()
        .codes(&[Code::NotFound])
        .slow(),
];

fn create_backup(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let request = CreateRequest::read(&call.body)?;
    writer.shared.backups.check_create()?;
    let job = submit_create(&writer.shared.jobs, &request)?;
    accepted(&Queued::of(job.job_id))
}

schema! {
    /// `GET /api/backups`.
    struct BackupList {
        backups: Vec<Listed>,
    }

    /// `GET /api/backup/manifest`.
    struct BackupItems {
        items: Vec<&'static str>,
    }
}

fn list_backups(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&BackupList { backups: writer.shared.backups.list()? })
}

fn list_items(_: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&BackupItems { items: names(&Item::ALL) })
}

fn export_portable(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let mut text = Vec::new();
    let written = write_state(&redact::redacted_state(&reader.state, true), &mut text);
    written.map_err(|_| ApiError::of(Code::InternalError))?;
    let name = "attachment; filename=\"portable-redacted-export.json\"".to_owned();
    Ok(Reply::json_bytes(200, text).header("Content-Disposition", name))
}

fn restore_backup(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let mut request = RestoreRequest::read(&call.body)?;
    if request.path.starts_with("~/") {
        let path = writer.shared.environment.expand_home(&request.path);
        request.path = path.to_string_lossy().into_owned();
    }
    writer.shared.backups.check_restore(&request)?;
    let job = submit_restore(&writer.shared.jobs, &request)?;
    accepted(&Queued::of(job.job_id))
}

fn compare_backup(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let archived = reader.shared.backups.read_archived(&call.required_query("archive")?);
    let missing = || ApiError::new(Code::NotFound, "backup archive not found");
    ok(&diff::compare(&reader.state, &archived.ok_or_else(missing)?))
}
