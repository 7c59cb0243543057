//! What clients see of the records: the converged records, challenges with their progress, and the
//! leaderboard of shared statistics.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    book::Book,
    record::{Kind, Record, member_key},
};
use crate::{
    base::{Day, Moment, named::named, schema::schema},
    config::settings::read,
    model::State,
    mounted::graph::Heads,
};

/// Rows of a leaderboard.
const ROWS: usize = 50;

named! {
    /// A span of time that ends now. Its days are those of UTC.
    pub enum Period {
        /// Since midnight.
        Daily = "daily",
        /// Since Monday.
        Weekly = "weekly",
        /// Since the first of the month.
        Monthly = "monthly",
        /// Without a beginning.
        AllTime = "all_time",
    }
}

impl Period {
    /// The period of a text; case does not matter, and `-` stands for `_`.
    pub fn read(text: &str) -> Option<Self> {
        Self::named(&text.trim().replace('-', "_").to_lowercase())
    }

    /// Where it begins, in Unix seconds.
    pub fn start(self, now: &Moment) -> Option<i64> {
        let today = Day::utc(now);
        let back = |days: usize| today.plus(-i32::try_from(days).unwrap_or(0));
        let day = match self {
            Self::Daily => today,
            Self::Weekly => back(today.weekday()),
            Self::Monthly => {
                let text = today.text();
                let day: usize = text.rsplit('-').next().and_then(|day| day.parse().ok())?;
                back(day.saturating_sub(1))
            }
            Self::AllTime => return None,
        };
        Some(i64::from(day.0) * 86_400)
    }
}

schema! {
    /// The answer of every household route; some add keys.
    #[derive(Clone, Debug, Default)]
    pub struct HouseholdView {
        /// The version of records.
        pub format: u64,
        /// The record that counts for each thing, also those that take one away.
        pub records: Vec<Map<String, Value>>,
        /// Challenges with their progress.
        pub challenges: Vec<ChallengeView>,
        /// Shared statistics.
        pub leaderboard: Leaderboard,
        /// Whether statistics are shared.
        pub stats_sharing: bool,
        /// Records that are not in the folder yet.
        pub outbox_count: usize,
        /// The id of this device; `null` before it wrote a record.
        pub device_id: Option<String>,
        /// Settings of the household.
        pub settings: HouseholdSettings,
        /// Whether records can be exchanged.
        pub household_sync: HouseholdSync,
        /// Hash over what is known here.
        pub state_token: String,
        /// Set where only the leaderboard was asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub leaderboard_only: Option<bool>,
        /// The record that was written.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub record: Option<Map<String, Value>>,
        /// Set where statistics were shared.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub shared: Option<bool>,
        /// What a merge did.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub merge: Option<HouseholdMerge>,
        /// What an exchange did.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub sync: Option<HouseholdExchange>,
    }

    /// Settings of the household.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct HouseholdSettings {
        /// Whether statistics are shared.
        pub household_stats_sharing: bool,
    }

    /// Whether records can be exchanged.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct HouseholdSync {
        /// Whether a folder is configured.
        pub configured: bool,
        /// The version of records.
        pub format: u64,
    }

    /// What a merge did.
    #[derive(Clone, Debug, Default)]
    pub struct HouseholdMerge {
        /// Records that are known now.
        pub records: usize,
        /// Records that were not known before.
        pub applied: usize,
        /// Whether there were any.
        pub changed: bool,
        /// Ids of the records that no other one follows, by subject.
        pub heads: Heads,
    }

    /// What an exchange with the folder did.
    #[derive(Clone, Debug, Default)]
    pub struct HouseholdExchange {
        /// Files that were added to the folder.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub published: Option<usize>,
        /// Records that left the outbox.
        pub acknowledged: usize,
        /// Records that are still in the outbox.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub pending: Option<usize>,
        /// Records that are kept back because statistics are not shared.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub stats_skipped: Option<usize>,
        /// Ids of the files that were added.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub published_ids: Option<Vec<String>>,
        /// Records that were read from the folder.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub pulled: Option<usize>,
        /// What the merge of those did.
        #[serde(flatten)]
        pub merge: Option<HouseholdMerge>,
    }

    "HouseholdChallenge"
    /// A challenge with its progress.
    #[derive(Clone, Debug)]
    pub struct ChallengeView {
        /// Its id.
        pub challenge_id: String,
        /// Always `null`: it is about all members.
        pub member_id: Option<String>,
        /// Its title.
        pub title: String,
        /// What is counted.
        pub metric: String,
        /// The best value, at most the target.
        pub current: u64,
        /// The value to reach.
        pub target: u64,
        /// Whether a member reached it.
        pub completed: bool,
        /// The same.
        pub complete: bool,
        /// Whether its time is over and no member reached it.
        pub expired: bool,
        /// `complete`, `expired`, or what is stored.
        pub status: String,
        /// Share of the target, 0 to 1.
        pub progress: f64,
        /// The same in percent, with two decimals.
        pub percent: f64,
        /// Members with a result that counts, the best first.
        pub members: Vec<ChallengeMember>,
        /// Who reached it first.
        pub winner: Option<ChallengeWinner>,
        /// Id of the record.
        pub record_id: String,
    }

    "HouseholdChallengeMember"
    /// What a member reached in a challenge.
    #[derive(Clone, Debug)]
    pub struct ChallengeMember {
        /// Which member.
        pub member_id: String,
        /// The value, at most the target.
        pub current: u64,
        /// The value to reach.
        pub target: u64,
        /// Whether it is reached.
        pub completed: bool,
        /// The result as it was recorded.
        pub result: Map<String, Value>,
        /// Id of the record.
        pub record_id: String,
    }

    "HouseholdChallengeWinner"
    /// Who reached the target of a challenge first.
    #[derive(Clone, Debug)]
    pub struct ChallengeWinner {
        /// Which member.
        pub member_id: String,
        /// The result as it was recorded.
        pub result: Map<String, Value>,
    }

    "HouseholdLeaderboard"
    /// Shared statistics.
    #[derive(Clone, Debug, Default)]
    pub struct Leaderboard {
        /// Whether statistics are shared.
        pub available: bool,
        /// Why not.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reason: Option<&'static str>,
        /// The best first, at most 50.
        pub entries: Vec<LeaderboardEntry>,
        /// Which shares; `null` for the newest of each member.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub period: Option<Value>,
    }

    "HouseholdLeaderboardEntry"
    /// What a member shared.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct LeaderboardEntry {
        /// Which member.
        pub member_id: String,
        /// What the member is called.
        pub display_name: String,
        /// The colour of the member.
        pub avatar_color: String,
        /// Seconds of play.
        pub playtime_seconds: u64,
        /// Games that were finished.
        pub completions: u64,
        /// Achievements.
        pub ach_count: u64,
        /// Games that were played.
        pub games_played: u64,
        /// Sessions.
        pub sessions: u64,
        /// Games that were won.
        pub wins: u64,
        /// Place, from 1.
        pub rank: usize,
    }
}

/// The colour of a member who chose none.
pub const USUAL_COLOR: &str = "blue";

/// Whether statistics are shared.
pub fn is_sharing(state: &State) -> bool {
    read::flag(state.settings(), "household_stats_sharing")
}

/// The household of a state.
pub fn view(state: &State, book: &Book, period: Option<Period>, now: &Moment) -> HouseholdView {
    let sharing = is_sharing(state);
    let winners = book.winners();
    let folder = read::text(state.settings(), "cloud_folder");
    HouseholdView {
        format: super::record::FORMAT,
        records: winners.values().map(|record| record.value().clone()).collect(),
        challenges: challenges(&winners, now),
        leaderboard: leaderboard(&winners, sharing, period, now),
        stats_sharing: sharing,
        outbox_count: book.outbox.len(),
        device_id: Some(book.device.clone()).filter(|id| !id.is_empty()),
        settings: HouseholdSettings { household_stats_sharing: sharing },
        household_sync: HouseholdSync {
            configured: !folder.trim().is_empty(),
            format: super::record::FORMAT,
        },
        state_token: book.token(sharing),
        ..HouseholdView::default()
    }
}

type Winners<'a> = BTreeMap<String, &'a Record>;

fn live<'a>(winners: &'a Winners<'_>, kind: Kind) -> impl Iterator<Item = &'a Record> {
    let records = winners.values().copied();
    records.filter(move |record| record.kind == kind && record.payload().is_some())
}

/// Why a result is not valid for a challenge.
pub fn ineligible(
    challenge: &Record,
    member: &str,
    game: &str,
    at: &Moment,
) -> Option<&'static str> {
    let is_in = |value: &Value| super::record::id_of(value).is_some_and(|id| id == member);
    let participants =
        challenge.payload().and_then(|payload| payload.get("participant_ids")?.as_array());
    if participants.is_some_and(|list| !list.is_empty() && !list.iter().any(is_in)) {
        return Some("The challenge is not for this member.");
    }
    let wanted = challenge.id_text("game_id");
    if !wanted.is_empty() && wanted != game {
        return Some("The challenge is about another game.");
    }
    let deadline = challenge.time("deadline").map(|deadline| deadline.unix_micros());
    if deadline.is_some_and(|deadline| at.unix_micros() >= deadline) {
        return Some("The time of the challenge is over.");
    }
    None
}

/// When a result was reached.
fn reached_at(result: &Record) -> Moment {
    result.time("completed_at").unwrap_or_else(|| Moment::from_unix_micros(result.at))
}

fn challenges(winners: &Winners<'_>, now: &Moment) -> Vec<ChallengeView> {
    let mut results: BTreeMap<String, Vec<&Record>> = BTreeMap::new();
    for result in live(winners, Kind::Result) {
        results.entry(result.id_text("challenge_id")).or_default().push(result);
    }
    let of = |challenge| {
        let id = challenge_id(challenge);
        challenge_view(challenge, results.get(&id).map_or(&[], Vec::as_slice), now)
    };
    live(winners, Kind::Challenge).map(of).collect()
}

fn challenge_id(challenge: &Record) -> String {
    challenge.id_text("challenge_id")
}

fn challenge_view(challenge: &Record, results: &[&Record], now: &Moment) -> ChallengeView {
    let target = challenge.number("target").max(1);
    let is_eligible = |result: &&&Record| {
        let (member, game) = (result.id_text("member_id"), result.id_text("game_id"));
        ineligible(challenge, &member, &game, &reached_at(result)).is_none()
    };
    let eligible: Vec<&Record> = results.iter().filter(is_eligible).copied().collect();
    let is_done = |result: &Record| result.flag("completed") || result.number("value") >= target;
    let payload = |result: &Record| result.payload().cloned().unwrap_or_default();
    let mut members: Vec<ChallengeMember> = eligible
        .iter()
        .map(|result| ChallengeMember {
            member_id: result.id_text("member_id"),
            current: result.number("value").min(target),
            target,
            completed: is_done(result),
            result: payload(result),
            record_id: result.id.clone(),
        })
        .collect();
    members.sort_by(|a, b| b.current.cmp(&a.current).then_with(|| a.member_id.cmp(&b.member_id)));
    let done = eligible.iter().filter(|result| is_done(result));
    let first =
        done.min_by_key(|result| (reached_at(result).unix_micros(), result.id_text("member_id")));
    let winner = first.map(|result| ChallengeWinner {
        member_id: result.id_text("member_id"),
        result: payload(result),
    });
    let current = members.iter().map(|member| member.current).max().unwrap_or(0);
    let completed = winner.is_some();
    let deadline = challenge.time("deadline").map(|deadline| deadline.unix_micros());
    let expired = !completed && deadline.is_some_and(|deadline| deadline <= now.unix_micros());
    let stored = Some(challenge.text("status")).filter(|status| !status.is_empty());
    let status = match (completed, expired) {
        (true, _) => "complete",
        (false, true) => "expired",
        (false, false) => stored.unwrap_or("open"),
    };
    #[expect(clippy::cast_precision_loss, reason = "at most two billion")]
    let share = current as f64 / target as f64;
    let progress = if completed { 1.0 } else { share };
    ChallengeView {
        challenge_id: challenge_id(challenge),
        member_id: None,
        title: challenge.text("title").to_owned(),
        metric: challenge.text("metric").to_owned(),
        current,
        target,
        completed,
        complete: completed,
        expired,
        status: status.to_owned(),
        progress,
        percent: (progress * 10_000.0).round() / 100.0,
        members,
        winner,
        record_id: challenge.id.clone(),
    }
}

fn leaderboard(
    winners: &Winners<'_>,
    sharing: bool,
    period: Option<Period>,
    now: &Moment,
) -> Leaderboard {
    if !sharing {
        let reason = Some("stats_sharing_disabled");
        return Leaderboard { reason, ..Leaderboard::default() };
    }
    let is_wanted = |share: &&Record| {
        let Some(period) = period else { return true };
        let start = share.time("window_start").map(|start| start.unix_seconds());
        share.text("period") == period.name() && (start.is_none() || start == period.start(now))
    };
    let mut newest: BTreeMap<String, &Record> = BTreeMap::new();
    for share in live(winners, Kind::Share).filter(is_wanted) {
        let kept = newest.entry(share.id_text("member_id")).or_insert(share);
        if share.rank() > kept.rank() {
            *kept = share;
        }
    }
    let mut entries: Vec<LeaderboardEntry> =
        newest.into_iter().map(|(member, share)| entry(winners, member, share)).collect();
    entries.sort_by(|a, b| {
        let best =
            |entry: &LeaderboardEntry| (entry.completions, entry.playtime_seconds, entry.ach_count);
        best(b).cmp(&best(a)).then_with(|| a.member_id.cmp(&b.member_id))
    });
    entries.truncate(ROWS);
    for (place, entry) in entries.iter_mut().enumerate() {
        entry.rank = place + 1;
    }
    Leaderboard { available: true, reason: None, entries, period: Some(json!(period)) }
}

fn entry(winners: &Winners<'_>, member_id: String, share: &Record) -> LeaderboardEntry {
    let member = winners.get(&member_key(&member_id)).filter(|member| member.payload().is_some());
    let text = |name: &str, usual: &str| match member.map_or("", |member| member.text(name)) {
        "" => usual.to_owned(),
        text => text.to_owned(),
    };
    let stats = share.payload().and_then(|payload| payload.get("stats")?.as_object());
    let number = |name: &str| stats.and_then(|stats| stats.get(name)?.as_u64()).unwrap_or(0);
    LeaderboardEntry {
        display_name: text("display_name", &member_id),
        avatar_color: text("avatar_color", USUAL_COLOR),
        playtime_seconds: number("playtime_seconds"),
        completions: number("completions"),
        ach_count: number("ach_count"),
        games_played: number("games_played"),
        sessions: number("sessions"),
        wins: number("wins"),
        member_id,
        rank: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_begin_at_midnight_of_utc() {
        // A Wednesday.
        let now = Moment::parse_utc("2026-02-18T15:30:00").expect("a time");
        let start = |period: Period| {
            period.start(&now).map(|start| Moment::from_unix(start).utc_iso()[..10].to_owned())
        };
        assert_eq!(start(Period::Daily).as_deref(), Some("2026-02-18"));
        assert_eq!(start(Period::Weekly).as_deref(), Some("2026-02-16"));
        assert_eq!(start(Period::Monthly).as_deref(), Some("2026-02-01"));
        assert_eq!(start(Period::AllTime), None);
        assert_eq!(Period::read(" All-Time "), Some(Period::AllTime));
        assert_eq!(Period::read("yearly"), None);
    }
}
