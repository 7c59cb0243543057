//! The household (`/api/v2/household/...`).

use serde_json::{Map, Value};

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::Moment,
    household::{
        self, Write,
        views::{HouseholdView, Period},
    },
};

const PERIOD: [Param; 1] =
    [optional("period", Holds::Text, "`daily`, `weekly`, `monthly` or `all_time`.")];
const MEMBER: [Param; 4] = [
    required("member_id", Holds::Text, "Id of the member, at most 256 characters."),
    required("display_name", Holds::Text, "Name, at most 80 characters."),
    optional("avatar_color", Holds::Text, "Colour, at most 48 characters; `blue` when missing."),
    optional("stats_shared", Holds::Flag, "Whether the member shares statistics."),
];
const TARGETS: Holds = Holds::Integer { min: 1, max: 2_000_000_000 };
const VALUES: Holds = Holds::Integer { min: 0, max: 2_000_000_000 };
const CHALLENGE: [Param; 10] = [
    required("title", Holds::Text, "Title, at most 160 characters."),
    optional("challenge_id", Holds::Text, "Id; a random one when missing."),
    optional("metric", Holds::Text, "What is counted; `completions` when missing."),
    optional("target", TARGETS, "The value to reach; 1 when missing."),
    optional("created_by", Holds::Text, "Who made it; this device when missing."),
    optional("description", Holds::Text, "Description, at most 2000 characters."),
    optional("game_id", Holds::Text, "The game it is about."),
    optional("deadline", Holds::Text, "When it ends, ISO 8601 with a zone."),
    optional("participant_ids", Holds::List, "Members that it is for; all when empty.")
        .sized(0, 128),
    optional("status", Holds::Text, "`open`, `active`, `closed`, `cancelled` or `completed`."),
];
const RESULT: [Param; 6] = [
    required("challenge_id", Holds::Text, "Id of the challenge."),
    required("member_id", Holds::Text, "Id of the member."),
    optional("value", VALUES, "What was reached; 0 when missing."),
    optional("completed", Holds::Flag, "Whether the target is reached whatever the value."),
    optional("game_id", Holds::Text, "The game it was reached in."),
    optional("note", Holds::Text, "Note, at most 500 characters."),
];
const SHARE: [Param; 3] = [
    required("member_id", Holds::Text, "Id of the member."),
    optional("period", Holds::Text, "`all_time` when missing."),
    optional("stats", Holds::Object, "Numbers to share; those of this library when missing."),
];
const RECORD: [Param; 1] = [required("record", Holds::Object, "A record of another device.")];
const RECORDS: [Param; 1] = [required("records", Holds::List, "Records of other devices.")];
const PROTOCOL: [Param; 1] = [optional("protocol", Holds::Text, "`v1` when missing.")];

const WRITE_CODES: [Code; 2] = [Code::HouseholdInvalidField, Code::HouseholdInvalidRecord];
const MERGE_CODES: [Code; 2] = [Code::HouseholdInvalidRequest, Code::HouseholdInvalidRecord];
const SYNC_CODES: [Code; 4] = [
    Code::HouseholdSyncProtocol,
    Code::HouseholdSyncFolderRequired,
    Code::HouseholdSyncInvalid,
    Code::HouseholdSyncStale,
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/household", Handler::Read(show_household))
        .about("household", "Members, challenges with their progress, shares and the leaderboard.")
        .since("1.11.0")
        .query(&PERIOD)
        .returns::<HouseholdView>()
        .codes(&[Code::HouseholdInvalidField])
        .slow(),
    Route::get("/api/v2/household/leaderboard", Handler::Read(show_leaderboard))
        .about("household", "The leaderboard of a period.")
        .since("1.11.0")
        .query(&PERIOD)
        .returns::<HouseholdView>()
        .codes(&[Code::HouseholdInvalidField])
        .slow(),
    Route::post("/api/v2/household/member", Handler::Write(write_member))
        .about("household", "Adds or updates a member.")
        .since("1.11.0")
        .body(&MEMBER)
        .returns::<HouseholdView>()
        .codes(&WRITE_CODES)
        .slow(),
    Route::post("/api/v2/household/challenge", Handler::Write(write_challenge))
        .about("household", "Adds or updates a challenge.")
        .since("1.11.0")
        .body(&CHALLENGE)
        .returns::<HouseholdView>()
        .codes(&WRITE_CODES)
        .slow(),
    Route::post("/api/v2/household/challenge/result", Handler::Write(write_result))
        .about("household", "Records what a member reached in a challenge.")
        .since("1.11.0")
        .body(&RESULT)
        .returns::<HouseholdView>()
        .codes(&WRITE_CODES)
        .slow(),
    Route::post("/api/v2/household/share", Handler::Write(share_stats))
        .about("household", "Shares statistics of a member with the household.")
        .since("1.11.0")
        .body(&SHARE)
        .returns::<HouseholdView>()
        .codes(&[Code::HouseholdInvalidField, Code::HouseholdStatsDisabled])
        .slow(),
    Route::post("/api/v2/household/record", Handler::Write(add_record))
        .about("household", "Adds one record of another device.")
        .since("1.11.0")
        .body(&RECORD)
        .returns::<HouseholdView>()
        .codes(&MERGE_CODES)
        .slow(),
    Route::post("/api/v2/household/merge", Handler::Write(merge_records))
        .about("household", "Adds records of other devices, all of them or none.")
        .since("1.11.0")
        .body(&RECORDS)
        .returns::<HouseholdView>()
        .codes(&MERGE_CODES)
        .slow(),
    Route::post("/api/v2/household/sync/publish", Handler::Write(publish_records))
        .about("household", "Adds the records that were written here to the mounted folder.")
        .since("1.11.0")
        .body(&PROTOCOL)
        .returns::<HouseholdView>()
        .codes(&SYNC_CODES)
        .slow(),
    Route::post("/api/v2/household/sync/pull", Handler::Write(pull_records))
        .about("household", "Adds the records that are in the mounted folder.")
        .since("1.11.0")
        .body(&PROTOCOL)
        .returns::<HouseholdView>()
        .codes(&SYNC_CODES)
        .slow(),
];

fn queried_period(call: &Call<'_>) -> Result<Option<Period>, ApiError> {
    let text = call.query_text("period").map(Value::String);
    Ok(household::period_of(text.as_ref())?)
}

fn show_household(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let period = queried_period(call)?;
    ok(&household::show(&reader.state, period, &Moment::now()))
}

fn show_leaderboard(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let period = queried_period(call)?.unwrap_or(Period::AllTime);
    let view = household::show(&reader.state, Some(period), &Moment::now());
    ok(&HouseholdView { leaderboard_only: Some(true), ..view })
}

fn write_member(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&household::write(writer.store, Write::Member, &call.body)?)
}

fn write_challenge(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&household::write(writer.store, Write::Challenge, &call.body)?)
}

fn write_result(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&household::write(writer.store, Write::Result, &call.body)?)
}

fn share_stats(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let insights = &writer.shared.insights;
    let view = household::share(writer.store, &call.body, |state, start, now| {
        Ok::<Map<String, Value>, ApiError>(insights.shared_stats(state, start, now)?)
    })?;
    ok(&view)
}

fn add_record(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&household::add_record(writer.store, call.key("record"))?)
}

fn merge_records(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&household::merge(writer.store, call.key("records"))?)
}

fn publish_records(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.household.publish(writer.store, call.key("protocol"))?)
}

fn pull_records(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.household.pull(writer.store, call.key("protocol"))?)
}
