//! Where game data come from (`/api/v2/sources`, `/api/v2/opendb/*`, `/api/v2/metadata/fill`, `/api/v2/metadata/source-order`).

use serde_json::Value;

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    replies::Queued,
    route::{GAME_REF, Handler, Holds, Route, optional, required},
    services::{Reader, Shared, Writer},
};
use crate::{
    artgrid::artwork,
    base::schema::schema,
    game::GameRef,
    jobs::runner::Filter,
    mediasvc::MediaServiceError,
    metadata::{
        fill,
        order::{self, ShownOrder, SourceOrder},
    },
    opendb::sync,
    providers::{
        ACH, ARTGRID, GAMEDB, MEDIASVC, METADB, OPENDB, SCRAPER, STORE_A, STORE_D,
        accounts::{self, Field, Origin},
        table::Provider,
    },
};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/sources", Handler::Read(list_sources))
        .about("metadata", "The sources of game data, and whether each can be used.")
        .returns::<Sources>()
        .slow(),
    Route::post("/api/v2/sources/account", Handler::Write(enter_account))
        .about("metadata", "Tries an account of a source and keeps it when it is accepted.")
        .body(&[
            required("source", Holds::Text, "The source."),
            required("values", Holds::Object, "The parts of the account, as texts by their keys."),
        ])
        .returns::<SourceAccount>()
        .codes(&[Code::Conflict])
        .slow(),
    Route::post("/api/v2/sources/account/remove", Handler::Write(remove_account))
        .about("metadata", "Removes the account of a source that was entered in the page.")
        .body(&[required("source", Holds::Text, "The source.")])
        .returns::<SourceAccount>()
        .codes(&[Code::Conflict]),
    Route::get("/api/v2/opendb/status", Handler::Read(show_status))
        .about("metadata", "Whether the database of libretro is there, and the job that loads it.")
        .returns::<OpendbStatus>()
        .slow(),
    Route::post("/api/v2/opendb/sync", Handler::Write(synchronise))
        .about("metadata", "Downloads or updates the database of libretro.")
        .returns::<Queued>()
        .accepts(),
    Route::post("/api/v2/metadata/fill", Handler::Write(fill_games))
        .about("metadata", "Fills in what games lack from every source that is on.")
        .body(&[
            GAME_REF[0],
            GAME_REF[1],
            optional("ids", Holds::List, "Games, at most 10,000; all of them when none is named."),
            optional("platform", Holds::Text, "Only this platform; all of them without it."),
            optional(
                "media_types",
                Holds::List,
                "Kinds of media; those of the settings when it is missing.",
            ),
            optional(
                "renew",
                Holds::Flag,
                "Whether values that sources wrote before are replaced.",
            ),
        ])
        .returns::<Queued>()
        .accepts()
        .codes(&[Code::Conflict])
        .slow(),
    Route::get("/api/v2/metadata/source-order", Handler::Read(show_order))
        .about(
            "metadata",
            "Which sources are asked for a field or kind of media, and in which order.",
        )
        .returns::<ShownOrder>(),
    Route::post("/api/v2/metadata/source-order", Handler::Write(save_order))
        .about("metadata", "Sets which sources are asked, and in which order.")
        .body(&[
            optional("fields", Holds::Object, "Sources by field; null for the default."),
            optional("media", Holds::Object, "Sources by kind of media; null for the default."),
        ])
        .returns::<ShownOrder>(),
];

schema! {
    /// `GET /api/v2/sources`.
    struct Sources {
        sources: Vec<SourceRow>,
    }

    /// A source of game data.
    struct SourceRow {
        /// Its name in the API.
        id: &'static str,
        name: &'static str,
        /// Its own page.
        page: &'static str,
        /// The attribution to show with its data.
        credit: &'static str,
        /// What it gives: `facts`, `pictures`, `videos`, `achievements`.
        gives: &'static [&'static str],
        /// What it needs: `download`, `account`, or nothing.
        needs: &'static str,
        /// Whether it has what it needs.
        ready: bool,
        /// Whether the settings let it be asked.
        enabled: bool,
        /// The setting that has it asked after imports; empty where there is none.
        after_import: &'static str,
        /// Variables of the environment or of `.env` that hold its credentials.
        variables: &'static [&'static str],
        /// Where its account is: `environment`, `stored`, `missing`, or empty for a source without one.
        account: &'static str,
        /// The parts of an account that is entered with `POST /api/v2/sources/account`.
        fields: &'static [Field],
        /// Games of it that are on this machine; none for sources that are asked.
        games: Option<u64>,
        /// Why its last request failed; empty when it did not.
        last_error: String,
        /// Local time of that; empty without one.
        last_error_at: String,
    }

    /// The account of a source after a change.
    struct SourceAccount {
        /// The source.
        source: &'static str,
        /// Where the account is: `environment`, `stored` or `missing`.
        account: &'static str,
    }

    /// `GET /api/v2/opendb/status`.
    struct OpendbStatus {
        /// Whether the database is there.
        ready: bool,
        /// Games of it.
        games: Option<u64>,
        /// `idle` before there was any, `downloading`, `done` or `error`.
        state: &'static str,
        /// The last job that loads it.
        job_id: Option<String>,
        /// The step: `downloading`, `importing`.
        phase: Option<String>,
        /// Bytes so far.
        current: u64,
        /// Bytes in all; 0 while they are not known.
        total: u64,
        /// Why the last job failed.
        error: Option<String>,
        name: &'static str,
        /// The attribution to show with its data.
        credit: &'static str,
        /// Its own page.
        page: &'static str,
    }
}

/// What is known of a source before its state is.
struct Kind {
    provider: &'static Provider,
    gives: &'static [&'static str],
    needs: &'static str,
    after_import: &'static str,
    variables: &'static [&'static str],
}

const FACTS: &[&str] = &["facts", "pictures"];
const KINDS: [Kind; 9] = [
    Kind { provider: &OPENDB, gives: FACTS, needs: "download", after_import: "", variables: &[] },
    Kind { provider: &METADB, gives: FACTS, needs: "download", after_import: "", variables: &[] },
    Kind {
        provider: &SCRAPER,
        gives: &["facts", "pictures", "videos"],
        needs: "account",
        after_import: "scrape_scraper_enabled",
        variables: &["SCRAPER_USER", "SCRAPER_PASSWORD"],
    },
    Kind {
        provider: &GAMEDB,
        gives: &["facts"],
        needs: "account",
        after_import: "scrape_gamedb_enabled",
        variables: &["GAMEDB_CLIENT_ID", "GAMEDB_CLIENT_SECRET"],
    },
    Kind {
        provider: &ARTGRID,
        gives: &["pictures"],
        needs: "account",
        after_import: "scrape_artgrid_enabled",
        variables: &["ARTGRID_API_KEY"],
    },
    Kind {
        provider: &MEDIASVC,
        gives: &["pictures", "videos"],
        needs: "account",
        after_import: "",
        variables: &[],
    },
    Kind {
        provider: &ACH,
        gives: &["achievements"],
        needs: "account",
        after_import: "",
        variables: &[],
    },
    Kind {
        provider: &STORE_A,
        gives: &["facts", "pictures", "videos"],
        needs: "",
        after_import: "",
        variables: &[],
    },
    Kind { provider: &STORE_D, gives: &["pictures"], needs: "", after_import: "", variables: &[] },
];

/// Where the account of a source is.
fn account_of(shared: &Shared, kind: &Kind) -> &'static str {
    if kind.needs != "account" {
        return "";
    }
    let (credential_store, achievements) =
        (&shared.media_service.credential_store, &shared.achievements);
    let (is_there, is_fixed) = match accounts::of_provider(kind.provider.id) {
        Some(account) => {
            let origin = shared.lookup.accounts.origin(account);
            (origin.is_some(), origin == Some(Origin::Environment))
        }
        None if kind.provider.id == MEDIASVC.id => {
            (credential_store.find().is_some(), credential_store.is_fixed())
        }
        None => (achievements.is_configured(), achievements.is_fixed()),
    };
    match (is_there, is_fixed) {
        (false, _) => "missing",
        (true, true) => "environment",
        (true, false) => "stored",
    }
}

fn enter_account(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let values = call.given("values").and_then(Value::as_object);
    let text = |key: &str| values.and_then(|values| values.get(key)?.as_str()).unwrap_or_default();
    writer.shared.lookup.enter_account(call.text("source"), |key| text(key).to_owned())?;
    show_account(writer.shared, call.text("source"))
}

fn remove_account(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (shared, source) = (writer.shared, call.text("source"));
    match source {
        "mediasvc" => {
            shared.media_service.credential_store.remove().map_err(MediaServiceError::from)?;
        }
        "ach" => shared.achievements.remove()?,
        source => shared.lookup.remove_account(source)?,
    }
    show_account(shared, source)
}

fn show_account(shared: &Shared, source: &str) -> Answer {
    let kind = KINDS.iter().find(|kind| kind.provider.id == source);
    let kind = kind.ok_or_else(|| ApiError::bad("Unknown source."))?;
    ok(&SourceAccount { source: kind.provider.id, account: account_of(shared, kind) })
}

fn list_sources(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let (shared, state) = (reader.shared, &reader.state);
    let metadata = &shared.metadata;
    let row = |kind: &Kind| {
        let provider = kind.provider;
        let ready = match provider.id {
            "opendb" => metadata.opendb.handle.is_there(),
            "metadb" => shared.metadb.is_there(),
            "scraper" => shared.lookup.scraper.is_configured(),
            "gamedb" => shared.lookup.gamedb.is_configured(),
            "artgrid" => shared.artwork.artgrid.is_configured(),
            "mediasvc" => shared.media_service.credential_store.find().is_some(),
            "ach" => shared.achievements.is_configured(),
            _ => true,
        };
        let enabled = provider.id != ARTGRID.id || artwork::is_enabled(state);
        let trouble = shared.providers.trouble(provider);
        let games = match provider.id {
            "opendb" => metadata.opendb.handle.count("games"),
            "metadb" => shared.metadb.count("games"),
            _ => None,
        };
        SourceRow {
            id: provider.id,
            name: provider.name,
            page: provider.page,
            credit: provider.credit,
            gives: kind.gives,
            needs: kind.needs,
            ready,
            enabled,
            after_import: kind.after_import,
            variables: kind.variables,
            account: account_of(shared, kind),
            fields: accounts::of_provider(provider.id).map_or(&[], |account| account.fields),
            games,
            last_error: trouble.as_ref().map(|it| it.reason.clone()).unwrap_or_default(),
            last_error_at: trouble.map(|it| it.at).unwrap_or_default(),
        }
    };
    ok(&Sources { sources: KINDS.iter().map(row).collect() })
}

fn show_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let shared = reader.shared;
    let kind = Some(sync::TYPE.to_owned());
    let page = shared.jobs.list(&Filter { limit: 1, kind, ..Filter::default() });
    let job = page.jobs.into_iter().next();
    let shown = serde_json::json!(job);
    let text = |key: &str| shown[key].as_str().map(str::to_owned);
    let state = match job.as_ref().map(|job| job.state.name()) {
        None => "idle",
        Some("queued" | "running" | "cancelling") => "downloading",
        Some("done" | "partial") => "done",
        Some(_) => "error",
    };
    let handle = &shared.metadata.opendb.handle;
    ok(&OpendbStatus {
        ready: handle.is_there(),
        games: handle.count("games"),
        state,
        job_id: text("job_id"),
        phase: text("phase").filter(|_| state == "downloading"),
        current: shown["current"].as_u64().unwrap_or(0),
        total: shown["total"].as_u64().unwrap_or(0),
        error: text("error"),
        name: OPENDB.name,
        credit: OPENDB.credit,
        page: OPENDB.page,
    })
}

fn synchronise(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let job = sync::submit(&writer.shared.jobs)?;
    accepted(&Queued::of(job.job_id))
}

fn fill_games(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let listed = call.texts("ids")?;
    let games: Option<Vec<GameRef>> = match (listed, call.game()) {
        (Some(ids), _) => Some(ids.into_iter().map(|id| GameRef::Id(id.to_owned())).collect()),
        (None, Some(game)) => Some(vec![game]),
        (None, None) => None,
    };
    if games.as_ref().is_some_and(Vec::is_empty) {
        return Err(ApiError::bad("ids must name at least one game."));
    }
    let renews = call.flag("renew")?;
    let (metadata, jobs) = (&writer.shared.metadata, &writer.shared.jobs);
    let request = fill::Request {
        games: games.as_deref(),
        platform: call.optional_text("platform")?,
        media: call.given("media_types"),
        renews,
    };
    let job = fill::submit(metadata, jobs, &request)?;
    accepted(&Queued::of(job.job_id))
}

fn show_order(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&SourceOrder::of(reader.state.settings()).shown())
}

fn save_order(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&order::save(writer.store, &call.body)?)
}
