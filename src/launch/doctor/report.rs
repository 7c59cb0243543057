//! The report of an audit: what was found in a whole library, grouped by root cause.
//!
//! Games without a finding are not in it. It stores which game is in which group; names
//! and positions are looked up when it is shown, so it never shows a game that is gone.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::finding::{Check, Fix, Severity, Verdict};
use crate::{
    base::{ids, schema::schema},
    model::State,
};

/// Members of one page: default and maximum.
pub const PAGE: (i64, i64) = (50, 500);
/// Payload keys that distinguish members of one group.
const OWN_KEYS: [&str; 3] = ["path", "template", "name"];

/// One root cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Its key; opaque to clients.
    pub key: String,
    /// The code of its checks.
    pub code: String,
    /// Its subject.
    pub subject: String,
    /// Its severity.
    pub severity: Severity,
    /// The message of the first member.
    pub message: String,
    /// The remedy for every member; `None` when that differs.
    pub fix: Option<Fix>,
    /// Places of its games in [`Report::games`].
    members: Vec<u32>,
}

/// What an audit found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// When it was made, UTC.
    pub computed_at: String,
    /// Games in the library then.
    pub game_count: usize,
    /// The fingerprint of the library at that time.
    pub library: String,
    /// Whether archives were opened and firmware was hashed.
    pub deep: bool,
    /// Root causes: the worst first, then the largest.
    pub groups: Vec<Group>,
    /// Stable ids of the games with findings.
    games: Vec<String>,
}

schema! {
    "AuditTotals"
    /// How many games there are of each status.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Totals {
        /// Nothing was found.
        pub ready: usize,
        /// They start; something is missing.
        pub warning: usize,
        /// They do not start.
        pub blocked: usize,
    }

    "AuditReport"
    /// A report as a client sees it.
    pub struct ShownReport<'a> {
        computed_at: &'a str,
        deep: bool,
        failed: Failed,
        game_count: usize,
        groups: Vec<ShownGroup<'a>>,
        /// Whether games came or went since it was made.
        stale: bool,
        totals: Totals,
    }

    "AuditFailures"
    /// Games that could not be checked.
    struct Failed {
        count: usize,
    }

    "AuditGroup"
    /// A root cause as a client sees it.
    struct ShownGroup<'a> {
        code: &'a str,
        /// How many games have it.
        count: usize,
        fix: Option<&'a Fix>,
        /// `install`, where the program can install what is missing.
        fix_action: Option<&'static str>,
        key: &'a str,
        message: &'a str,
        severity: Severity,
        subject: &'a str,
    }

    "AuditMembers"
    /// One page of the games of a group.
    pub struct MemberPage {
        games: Vec<Member>,
        /// The key of the group.
        key: String,
        limit: usize,
        offset: usize,
        total: usize,
    }

    "AuditMember"
    /// A game of a group.
    struct Member {
        game_id: String,
        /// Its position in the library.
        index: usize,
        name: String,
    }
}

impl Report {
    /// Whether games were added or removed since it was made.
    pub fn is_stale(&self, state: &State) -> bool {
        self.game_count != state.games.len() || self.library != fingerprint(state)
    }

    /// The worst that was found of each game, by stable id; info counts as nothing.
    pub fn severities(&self) -> BTreeMap<&str, Severity> {
        let mut found: BTreeMap<&str, Severity> = BTreeMap::new();
        for group in self.groups.iter().filter(|group| group.severity != Severity::Info) {
            for id in self.members(group) {
                let worst = found.entry(id).or_insert(group.severity);
                *worst = (*worst).min(group.severity);
            }
        }
        found
    }

    /// The totals.
    pub fn totals(&self) -> Totals {
        let severities = self.severities();
        let blocked = severities.values().filter(|worst| **worst == Severity::Error).count();
        let warning = severities.len() - blocked;
        Totals { ready: self.game_count.saturating_sub(blocked + warning), warning, blocked }
    }

    /// `blocked` or `warning` by stable id (`GET /api/v2/launch/audit/status`).
    pub fn statuses(&self) -> BTreeMap<String, &'static str> {
        let word = |worst| if worst == Severity::Error { "blocked" } else { "warning" };
        let severities = self.severities().into_iter();
        severities.map(|(id, worst)| (id.to_owned(), word(worst))).collect()
    }

    /// The stable ids of a group, in library order.
    pub fn members<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'a str> {
        group.members.iter().filter_map(|at| Some(self.games.get(*at as usize)?.as_str()))
    }

    /// The group with a key.
    pub fn group(&self, key: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.key == key)
    }

    /// The report as a client sees it, without the job.
    pub fn shown(&self, state: &State) -> ShownReport<'_> {
        ShownReport {
            computed_at: &self.computed_at,
            deep: self.deep,
            // A check that cannot be made is a finding, so no game is left out.
            failed: Failed { count: 0 },
            game_count: self.game_count,
            groups: self.groups.iter().map(Group::shown).collect(),
            stale: self.is_stale(state),
            totals: self.totals(),
        }
    }

    /// One page of the games of a group; none for a group that is not in the report.
    pub fn page(&self, state: &State, key: String, offset: usize, limit: usize) -> MemberPage {
        let members: Vec<&str> =
            self.group(&key).into_iter().flat_map(|group| self.members(group)).collect();
        let row = |id: &&str| {
            let (index, game) = state.games.find(id)?;
            Some(Member { game_id: (*id).to_owned(), index, name: game.name().to_owned() })
        };
        let games = members.iter().skip(offset).take(limit).filter_map(row).collect();
        MemberPage { games, key, limit, offset, total: members.len() }
    }
}

impl Group {
    fn shown(&self) -> ShownGroup<'_> {
        let installs = self.fix.as_ref().is_some_and(|fix| fix.kind == "flatpak_install");
        ShownGroup {
            code: &self.code,
            count: self.members.len(),
            fix: self.fix.as_ref(),
            fix_action: installs.then_some("install"),
            key: &self.key,
            message: &self.message,
            severity: self.severity,
            subject: &self.subject,
        }
    }
}

/// The fingerprint of the library: equal texts mean the same games in the same order.
pub fn fingerprint(state: &State) -> String {
    let mut digest = Sha256::new();
    for game in state.games.iter() {
        digest.update(game.id().as_bytes());
        digest.update(b"\n");
    }
    ids::hex(&digest.finalize()[..10])
}

/// Collects verdicts.
#[derive(Default)]
pub struct Builder {
    groups: HashMap<String, Group>,
    games: Vec<String>,
}

impl Builder {
    /// Begins with the findings of an earlier report about all games but these.
    pub fn without(report: &Report, gone: &[&str]) -> Self {
        let mut builder = Self::default();
        let mut places: HashMap<&str, u32> = HashMap::new();
        for group in &report.groups {
            let members = report.members(group).filter(|id| !gone.contains(id));
            let members: Vec<u32> =
                members.map(|id| *places.entry(id).or_insert_with(|| builder.place(id))).collect();
            if !members.is_empty() {
                builder.groups.insert(group.key.clone(), Group { members, ..group.clone() });
            }
        }
        builder
    }

    /// Adds the verdict on a game that is not in it yet.
    pub fn add(&mut self, id: &str, verdict: &Verdict) {
        if verdict.checks.is_empty() {
            return;
        }
        let place = self.place(id);
        for check in &verdict.checks {
            let common = check.fix.as_ref().map(common);
            let group =
                self.groups.entry(check.key()).or_insert_with(|| of_check(check, common.as_ref()));
            if group.fix != common {
                group.fix = None;
            }
            if group.members.last() != Some(&place) {
                group.members.push(place);
            }
        }
    }

    /// The groups in their order, and the games they name.
    pub fn finish(self) -> (Vec<Group>, Vec<String>) {
        let mut groups: Vec<_> = self.groups.into_values().collect();
        groups.sort_by(|a, b| {
            let order = |group: &Group| (group.severity, std::cmp::Reverse(group.members.len()));
            order(a).cmp(&order(b)).then_with(|| a.key.cmp(&b.key))
        });
        (groups, self.games)
    }

    fn place(&mut self, id: &str) -> u32 {
        self.games.push(id.to_owned());
        // OK because a library of four thousand million games does not fit the machine.
        u32::try_from(self.games.len() - 1).unwrap_or(u32::MAX)
    }
}

impl Report {
    /// A report with these groups.
    pub fn of(state: &State, computed_at: String, deep: bool, builder: Builder) -> Self {
        let (groups, games) = builder.finish();
        let (game_count, library) = (state.games.len(), fingerprint(state));
        Self { computed_at, game_count, library, deep, groups, games }
    }
}

fn of_check(check: &Check, fix: Option<&Fix>) -> Group {
    Group {
        key: check.key(),
        code: check.code.to_owned(),
        subject: check.subject.clone(),
        severity: check.severity,
        message: check.message.clone(),
        fix: fix.cloned(),
        members: Vec::new(),
    }
}

/// What the fixes of one root cause share.
fn common(fix: &Fix) -> Fix {
    let is_own =
        |key: &str| OWN_KEYS.contains(&key) && !(key == "path" && fix.kind == "flatpak_grant");
    let payload = fix.payload.iter().filter(|(key, _)| !is_own(key));
    Fix {
        payload: payload.map(|(key, value)| (key.clone(), value.clone())).collect(),
        ..fix.clone()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        launch::doctor::finding::{Check, Resolved},
        model::Draft,
    };

    fn state(ids: &[&str]) -> State {
        let mut draft = Draft::new(State::default());
        for id in ids {
            let game =
                json!({"game_id": id, "name": format!("Name of {id}"), "path": format!("/{id}")});
            draft.add_game(serde_json::from_value(game).expect("an object")).expect("added");
        }
        draft.finish().0
    }

    fn verdict(checks: Vec<Check>) -> Verdict {
        Verdict { resolved: Resolved::default(), checks }
    }

    fn install(app: &str) -> Check {
        let payload = json!({"app_id": app, "native_exe": "x"});
        Check::error("NATIVE_EXE_MISSING", "Emulator is not installed.")
            .fix("flatpak_install", "Install", payload)
            .about(app)
    }

    fn missing(path: &str) -> Check {
        Check::error("PATH_MISSING", "Gone.").fix("reveal_bios_path", "Show", json!({"path": path}))
    }

    fn gap() -> Check {
        Check::warning("SAVE_GAP", "No save paths configured.")
    }

    fn sample() -> (State, Report) {
        let state = state(&["game-a", "game-b", "game-c", "game-d"]);
        let mut builder = Builder::default();
        builder.add("game-a", &verdict(vec![install("x.App"), gap()]));
        builder.add("game-b", &verdict(vec![install("x.App"), gap()]));
        builder.add("game-c", &verdict(vec![missing("/c"), gap()]));
        builder.add("game-d", &verdict(Vec::new()));
        let report = Report::of(&state, "now".to_owned(), false, builder);
        (state, report)
    }

    #[test]
    fn causes_are_grouped_and_ordered() {
        let (state, report) = sample();
        let shown = json!(report.shown(&state));
        assert_eq!(shown["totals"], json!({"ready": 1, "warning": 0, "blocked": 3}));
        let groups: Vec<_> = shown["groups"].as_array().expect("a list").iter().collect();
        let told: Vec<_> =
            groups.iter().map(|g| (&g["code"], &g["count"], &g["fix_action"])).collect();
        assert_eq!(
            told,
            [
                (&json!("NATIVE_EXE_MISSING"), &json!(2), &json!("install")),
                (&json!("PATH_MISSING"), &json!(1), &Value::Null),
                (&json!("SAVE_GAP"), &json!(3), &Value::Null),
            ]
        );
        assert_eq!(groups[0]["fix"]["payload"], json!({"app_id": "x.App", "native_exe": "x"}));
        assert_eq!(groups[1]["fix"]["payload"], json!({}), "what is a member's own is left out");
        let page = json!(report.page(&state, "SAVE_GAP||".to_owned(), 1, 1));
        let row = json!({"game_id": "game-b", "index": 1, "name": "Name of game-b"});
        assert_eq!(
            page,
            json!({"key": "SAVE_GAP||", "games": [row], "total": 3, "offset": 1, "limit": 1})
        );
        assert_eq!(report.page(&state, "none".to_owned(), 0, 50).total, 0);
        let all = report.statuses();
        assert_eq!((all.len(), &all["game-c"]), (3, &"blocked"));
    }

    #[test]
    fn games_that_come_or_go_make_it_stale() {
        let (state_then, report) = sample();
        assert!(!report.is_stale(&state_then));
        assert!(report.is_stale(&state(&["game-a", "game-b", "game-c"])));
        assert!(report.is_stale(&state(&["game-a", "game-b", "game-c", "game-x"])));
    }

    #[test]
    fn a_part_is_renewed() {
        let (state, report) = sample();
        let mut builder = Builder::without(&report, &["game-a", "game-b"]);
        builder.add("game-a", &verdict(vec![gap()]));
        builder.add("game-b", &verdict(Vec::new()));
        let renewed = Report::of(&state, "later".to_owned(), false, builder);
        assert_eq!(renewed.totals(), Totals { ready: 2, warning: 1, blocked: 1 });
        let codes: Vec<_> = renewed.groups.iter().map(|group| group.code.as_str()).collect();
        assert_eq!(codes, ["PATH_MISSING", "SAVE_GAP"]);
        let written = serde_json::to_vec(&renewed).expect("json");
        assert_eq!(serde_json::from_slice::<Report>(&written).expect("read"), renewed);
    }
}
