//! Launch readiness: preflight, audit, folder access of sandboxed emulators, cores.

use std::{collections::BTreeMap, path::Path};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    bulk::GamesUpdated,
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::{Moment, schema::schema},
    http::reply::Reply,
    launch::{
        choices, cores,
        doctor::{
            finding::{Check, Resolved, Verdict},
            grants::Granted,
            job::{self, LatestJob},
            report::{MemberPage, PAGE, Report, ShownReport, Totals},
            reveal::{self, RevealError},
        },
    },
    model::{Record, State},
    process::spawn,
};

const SINCE: &str = "1.16.0";
/// Keys that a candidate of a setup preview must have; `null` is a value.
const CANDIDATE: [&str; 7] = [
    "candidate_id",
    "preview_id",
    "path",
    "platform",
    "emulator_id",
    "adapter_id",
    "archive_member",
];

const FAIL: Param =
    optional("fail_on_blocked", Holds::Flag, "Answer 409 when a game would not start.");
const PREFLIGHT: [Param; 3] = [
    optional("game_id", Holds::Text, "Stable id of the game; or a candidate."),
    optional("candidate", Holds::Object, "A candidate of a setup preview."),
    FAIL,
];
const PREFLIGHT_BATCH: [Param; 2] = [
    required("items", Holds::List, "1 to 200 objects with a game_id or a candidate.")
        .sized(1, 200)
        .refusal("items must contain between 1 and 200 identities."),
    FAIL,
];
const AUDIT: [Param; 3] = [
    optional("group", Holds::Text, "Also list the games of the group with this key."),
    optional("offset", Holds::Integer { min: 0, max: i64::MAX }, "The first game listed.")
        .or(0)
        .clamped(),
    optional("limit", Holds::Integer { min: 1, max: PAGE.1 }, "Games listed; 50 by default.")
        .or(PAGE.0)
        .clamped(),
];
const GRANT: [Param; 2] = [
    required("app_id", Holds::Text, "The sandboxed emulator."),
    required("folder", Holds::Text, "An absolute path inside the home directory."),
];
const CORE: [Param; 2] = [
    required("game_id", Holds::Text, "Stable id of the game."),
    optional("core", Holds::Text, "File name of the core; empty for the usual one."),
];

const ADAPTER: [Param; 2] = [
    required("game_ids", Holds::List, "Stable ids of 1 to 500 games.")
        .sized(1, 500)
        .refusal("game_ids must be a list of 1 to 500 game ids."),
    required("adapter_id", Holds::Text, "The id of an emulator definition."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/v2/launch/preflight", Handler::Write(preflight))
        .about("launch", "Checks what would prevent a launch; starts nothing.")
        .since("1.9.0")
        .body(&PREFLIGHT)
        .returns::<Preflight>()
        .codes(&[
            Code::GameNotFound,
            Code::LaunchPreflightBlocked,
            Code::PreviewNotFound,
            Code::PreviewExpired,
        ])
        .slow(),
    Route::post("/api/v2/launch/preflight/batch", Handler::Write(preflight_batch))
        .about("launch", "Checks what would prevent each of many launches.")
        .since("1.9.0")
        .body(&PREFLIGHT_BATCH)
        .returns::<PreflightBatch<'_>>()
        .codes(&[
            Code::GameNotFound,
            Code::LaunchPreflightBlocked,
            Code::PreviewNotFound,
            Code::PreviewExpired,
        ])
        .slow(),
    Route::get("/api/v2/launch/audit", Handler::Read(show_audit))
        .about("launch", "The last audit by root cause; never examines a game itself.")
        .since(SINCE)
        .query(&AUDIT)
        .returns::<LaunchAudit<'_>>(),
    Route::post("/api/v2/launch/audit/scan", Handler::Write(scan_audit))
        .about("launch", "Checks every game; a second call replaces the first.")
        .since(SINCE)
        .body(&[optional("deep", Holds::Flag, "Open archives and hash firmware too.")])
        .returns::<AuditQueued>()
        .accepts(),
    Route::get("/api/v2/launch/audit/status", Handler::Read(show_statuses))
        .about("launch", "Which games would not start or need attention; none when stale.")
        .since(SINCE)
        .returns::<AuditStatuses>(),
    Route::post("/api/v2/launch/audit/refresh", Handler::Write(refresh_audit))
        .about("launch", "Checks the games of one root cause again.")
        .since(SINCE)
        .body(&[required("group", Holds::Text, "Key of the group.")])
        .returns::<AuditRefreshed<'_>>()
        .slow(),
    Route::post("/api/v2/launch/grant", Handler::Write(grant_folder))
        .about("launch", "Gives a sandboxed emulator read-only access to a folder.")
        .since(SINCE)
        .body(&GRANT)
        .returns::<Granted>()
        .slow(),
    Route::post("/api/v2/launch/grant/undo", Handler::Write(undo_grant))
        .about("launch", "Revokes access that was granted since the service started.")
        .since(SINCE)
        .body(&GRANT)
        .returns::<Granted>()
        .slow(),
    Route::post("/api/v2/launch/reveal", Handler::Write(reveal_place))
        .about("launch", "Shows the folder of a path in the file manager; starts no file.")
        .since(SINCE)
        .body(&[required("path", Holds::Text, "An absolute path, which need not exist.")])
        .returns::<Revealed>()
        .slow(),
    Route::get("/api/v2/launch/cores", Handler::Read(list_cores))
        .about("launch", "The installed cores.")
        .since(SINCE)
        .returns::<CoreList>(),
    Route::post("/api/v2/launch/adapter", Handler::Write(choose_adapter))
        .about("launch", "Chooses the emulator that plays games; a platform is only filled in.")
        .since(SINCE)
        .body(&ADAPTER)
        .returns::<GamesUpdated>(),
    Route::post("/api/v2/launch/core", Handler::Write(choose_core))
        .about("launch", "Chooses the core a game is played with.")
        .since(SINCE)
        .body(&CORE)
        .returns::<CoreChosen<'_>>()
        .codes(&[Code::GameNotFound]),
];

fn preflight(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let fail = call.flag("fail_on_blocked")?;
    let state = writer.store.snapshot()?;
    let subject = match identify(writer, &state, &call.body)? {
        Ok(subject) => subject,
        Err(refusal) => return no_preview(call, &refusal),
    };
    let verdicts = writer.shared.doctor.preflight(&state, std::slice::from_ref(&subject.record));
    let verdict = verdicts.into_iter().next().ok_or(ApiError::of(Code::InternalError))?;
    let result = subject.result(verdict);
    preflight_reply(call, &result, fail && result.status == "blocked")
}

fn preflight_batch(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let fail = call.flag("fail_on_blocked")?;
    let items = call.required_list("items")?;
    let state = writer.store.snapshot()?;
    let mut subjects = Vec::with_capacity(items.len());
    for item in items {
        let item = item.as_object().ok_or_else(|| ApiError::bad("Each item must be an object."))?;
        match identify(writer, &state, item)? {
            Ok(subject) => subjects.push(subject),
            Err(refusal) => return no_preview(call, &refusal),
        }
    }
    let records: Vec<Record> = subjects.iter().map(|subject| subject.record.clone()).collect();
    let verdicts = writer.shared.doctor.preflight(&state, &records);
    let result = PreflightBatch::of(&subjects, verdicts);
    preflight_reply(call, &result, fail && result.totals.blocked > 0)
}

schema! {
    /// What would go wrong with a launch.
    struct Preflight {
        candidate_id: Option<String>,
        checks: Vec<Check>,
        game_id: Option<String>,
        resolved: Resolved,
        /// `ready`, `warning` or `blocked`.
        status: &'static str,
    }

    /// What would go wrong with each of many launches.
    struct PreflightBatch<'a> {
        by_platform: Vec<PlatformTotals<'a>>,
        results: Vec<Preflight>,
        totals: Totals,
    }

    /// The totals of a platform.
    struct PlatformTotals<'a> {
        platform: &'a str,
        #[serde(flatten)]
        totals: Totals,
    }
}

/// Whom a preflight is about.
struct Subject {
    record: Record,
    /// The candidate of a setup preview it is; none for a game of the library.
    candidate_id: Option<String>,
}

impl Subject {
    fn result(&self, verdict: Verdict) -> Preflight {
        let game_id = || self.record.text("game_id").to_owned();
        Preflight {
            candidate_id: self.candidate_id.clone(),
            game_id: self.candidate_id.is_none().then(game_id),
            status: verdict.status(),
            checks: verdict.checks,
            resolved: verdict.resolved,
        }
    }
}

/// The game or candidate of an identity; the inner error is that of a candidate without a preview.
fn identify(
    writer: &Writer<'_>,
    state: &State,
    item: &Map<String, Value>,
) -> Result<Result<Subject, ApiError>, ApiError> {
    let given = |key: &str| item.get(key).filter(|value| !value.is_null());
    match (given("game_id"), given("candidate")) {
        (Some(id), None) => {
            let id = id.as_str().unwrap_or("").trim();
            let found = state.games.find(id).ok_or(ApiError::of(Code::GameNotFound))?;
            Ok(Ok(Subject { record: found.1.record(), candidate_id: None }))
        }
        (None, Some(candidate)) => {
            let candidate = candidate.as_object();
            let candidate =
                candidate.ok_or_else(|| ApiError::bad("Candidate must be an object."))?;
            let missing: Vec<_> =
                CANDIDATE.into_iter().filter(|key| !candidate.contains_key(*key)).collect();
            if !missing.is_empty() {
                let missing = missing.join(", ");
                let text = format!("Candidate is missing required fields: {missing}.");
                return Err(ApiError::bad(text));
            }
            let id = candidate["candidate_id"].as_str().unwrap_or_default().to_owned();
            let shared = writer.shared;
            let record = shared.setup.candidate_record(&shared.jobs, candidate, &Moment::now());
            let subject = |record| Subject { record, candidate_id: Some(id) };
            Ok(record.map(subject).map_err(ApiError::from))
        }
        _ => Err(ApiError::bad("Provide exactly one of game_id or candidate.")),
    }
}

/// A candidate whose preview is gone or over. The status is that of a request that cannot be carried
/// out, not that of a missing page.
fn no_preview(call: &Call<'_>, refusal: &ApiError) -> Answer {
    if ![Code::PreviewNotFound, Code::PreviewExpired].contains(&refusal.code) {
        return Err(refusal.clone());
    }
    let body = json!({
        "error": refusal.message,
        "code": refusal.code.row().name,
        "request_id": call.request.id.to_string(),
    });
    Ok(Reply::json_bytes(400, body.to_string().into_bytes()))
}

/// The result as it is, or as the refusal the client asked for.
fn preflight_reply(call: &Call<'_>, result: &impl Serialize, refuse: bool) -> Answer {
    if !refuse {
        return ok(result);
    }
    let row = Code::LaunchPreflightBlocked.row();
    let mut body = json!(result);
    body["error"] = row.message.into();
    body["code"] = row.name.into();
    body["request_id"] = call.request.id.to_string().into();
    Ok(Reply::json_bytes(row.status, body.to_string().into_bytes()))
}

impl<'a> PreflightBatch<'a> {
    fn of(subjects: &'a [Subject], verdicts: Vec<Verdict>) -> Self {
        let mut totals = Totals::default();
        let mut platforms: BTreeMap<&str, Totals> = BTreeMap::new();
        let mut results = Vec::with_capacity(subjects.len());
        for (subject, verdict) in subjects.iter().zip(verdicts) {
            let platform = subject.record.text("platform");
            for totals in [&mut totals, platforms.entry(platform).or_default()] {
                match verdict.status() {
                    "blocked" => totals.blocked += 1,
                    "warning" => totals.warning += 1,
                    _ => totals.ready += 1,
                }
            }
            results.push(subject.result(verdict));
        }
        let row = |(platform, totals)| PlatformTotals { platform, totals };
        Self { by_platform: platforms.into_iter().map(row).collect(), results, totals }
    }
}

schema! {
    /// `GET /api/v2/launch/audit`.
    struct LaunchAudit<'a> {
        /// The last job, when there is one.
        job: Option<LatestJob>,
        /// The games of the group that was asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        members: Option<MemberPage>,
        #[serde(flatten)]
        report: Option<ShownReport<'a>>,
        /// Whether there is a report.
        scanned: bool,
    }
}

fn show_audit(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let (offset, limit) = (call.count("offset")?, call.count("limit")?);
    let report = reader.shared.doctor.report();
    let report = report.as_deref();
    let group = call.query_text("group");
    let page = |(report, group): (&Report, _)| report.page(&reader.state, group, offset, limit);
    ok(&LaunchAudit {
        job: job::latest(&reader.shared.jobs),
        members: report.zip(group).map(page),
        report: report.map(|report| report.shown(&reader.state)),
        scanned: report.is_some(),
    })
}

schema! {
    /// The core of a game was chosen.
    struct CoreChosen<'a> {
        core: &'a str,
        game_id: String,
        /// The name of the game.
        name: String,
        ok: bool,
    }

    /// An audit was accepted.
    struct AuditQueued {
        state: &'static str,
        job_id: String,
        /// Whether archives are opened and firmware is hashed.
        deep: bool,
    }

    /// `GET /api/v2/launch/audit/status`.
    struct AuditStatuses {
        /// `blocked` or `warning` by stable id.
        statuses: BTreeMap<String, &'static str>,
    }

    /// The games of one root cause were examined again.
    struct AuditRefreshed<'a> {
        ok: bool,
        /// How many games.
        rechecked: usize,
        totals: Totals,
        /// When, UTC.
        computed_at: &'a str,
    }

    /// `POST /api/v2/launch/reveal`.
    struct Revealed {
        /// The folder that is shown.
        folder: String,
    }

    /// `GET /api/v2/launch/cores`.
    struct CoreList {
        cores: Vec<cores::Installed>,
    }
}

fn scan_audit(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let deep = call.flag("deep")?;
    let job = job::submit_audit(&writer.shared.jobs, deep)?;
    accepted(&AuditQueued { state: "queued", job_id: job.job_id, deep })
}

fn show_statuses(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let report = reader.shared.doctor.report().filter(|report| !report.is_stale(&reader.state));
    let statuses = report.map_or_else(BTreeMap::new, |report| report.statuses());
    ok(&AuditStatuses { statuses })
}

fn refresh_audit(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let group = call.required("group")?;
    let (rechecked, report) = writer.shared.doctor.refresh(group)?;
    let (totals, computed_at) = (report.totals(), report.computed_at.as_str());
    ok(&AuditRefreshed { ok: true, rechecked, totals, computed_at })
}

fn grant_folder(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.doctor.grant(call.text("app_id"), call.text("folder"), false)?)
}

fn undo_grant(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.doctor.grant(call.text("app_id"), call.text("folder"), true)?)
}

fn reveal_place(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let folder = reveal::folder_of(Path::new(call.text("path")))?;
    let spec = reveal::opener(&folder)?;
    let process = spawn::spawn(&spec).map_err(RevealError::from)?;
    writer.shared.sessions.let_go(process);
    ok(&Revealed { folder: folder.to_string_lossy().into_owned() })
}

fn list_cores(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&CoreList { cores: reader.shared.doctor.cores() })
}

fn choose_adapter(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let ids = call.required_texts("game_ids")?;
    let wanted = call.text("adapter_id");
    let catalog = writer.shared.sessions.detector().catalog();
    let updated = choices::choose_definition(writer.store, &catalog, &ids, wanted)?;
    ok(&GamesUpdated { updated })
}

fn choose_core(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (game_id, core) = (call.required("game_id")?, call.text("core"));
    if call.key("core").is_some_and(|core| !core.is_string() && !core.is_null()) {
        return Err(ApiError::bad("core must be the file name of a core."));
    }
    let (game_id, name) = cores::choose_core(writer.store, game_id, core)?;
    ok(&CoreChosen { core, game_id, name, ok: true })
}
