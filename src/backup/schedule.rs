//! When the automatic backup and the restore drill are due, each once a week.
//!
//! Decides from the settings and a time; two keys of the settings record the last runs. The caller
//! asks once an hour.

use serde_json::{Map, Value};

use super::{
    create::Created,
    drill::Drilled,
    error::BackupError,
    folder::Backups,
    items::{CreateRequest, Item},
};
use crate::{
    base::Moment,
    config::settings::read,
    notices::{
        list,
        notice::{Level, Notice},
    },
};

/// Seconds between two automatic backups, and between two drills.
const PERIOD: i64 = 7 * 24 * 60 * 60;
/// A note this many seconds in the future was written by a clock that was wrong.
const AHEAD: i64 = 24 * 60 * 60;
/// When the last automatic backup was made.
const LAST_BACKUP: &str = "last_auto_backup";
/// When the last drill was held.
const LAST_DRILL: &str = "last_restore_drill";

/// What is noted in the settings of what was done.
pub(super) const NOTES: [&str; 2] = [LAST_BACKUP, LAST_DRILL];

/// What is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    /// An automatic backup.
    Backup(CreateRequest),
    /// A drill.
    Drill,
}

/// What is due by these settings. The backup comes first, so that a drill tries the newest one.
pub fn due(settings: &Map<String, Value>, now: &Moment) -> Option<Due> {
    let missed = |key| is_over(&read::text(settings, key), now);
    if read::flag(settings, "backup_auto_enabled") && missed(LAST_BACKUP) {
        let keep = usize::try_from(read::integer(settings, "backup_auto_keep")).unwrap_or(1);
        let items = Item::DEFAULT.to_vec();
        return Some(Due::Backup(CreateRequest {
            items,
            keep: keep.max(1),
            automatic: true,
            is_recovery: false,
        }));
    }
    (read::flag(settings, "restore_drill_enabled") && missed(LAST_DRILL)).then_some(Due::Drill)
}

/// Whether a period has passed since `last`; also when it is not usable.
fn is_over(last: &str, now: &Moment) -> bool {
    let Some(last) = Moment::parse(last) else { return true };
    let age = now.unix_seconds() - last.unix_seconds();
    !(-AHEAD..PERIOD).contains(&age)
}

/// Which note is written.
#[derive(Clone, Copy, Debug)]
enum Note {
    /// An automatic backup was made.
    Backup,
    /// A drill was held.
    Drill,
}

impl Backups {
    /// What is due now; nothing while games run or the library cannot be read.
    pub fn due(&self) -> Option<Due> {
        if (self.context.running)() > 0 {
            return None;
        }
        let state = self.context.store.snapshot().ok()?;
        due(state.settings(), &(self.context.now)())
    }

    /// Records an automatic backup that was made, or reports one that failed.
    pub(super) fn report(&self, created: &Result<Created, BackupError>) {
        match created {
            Ok(_) => self.note(Note::Backup),
            Err(BackupError::Stopped | BackupError::Running { .. }) => {}
            Err(error) => {
                let day = (self.context.now)().local_date();
                let body = error.to_string();
                let key = format!("auto-backup:{day}");
                self.tell(Level::Error, "Automatic backup failed", &body, &key);
            }
        }
    }

    /// Records a drill and reports its outcome.
    pub(super) fn report_drill(&self, name: &str, drilled: &Result<Drilled, BackupError>) {
        let (level, title, body) = match drilled {
            Ok(Drilled { games, files }) => {
                let body = format!("{name}: {games} games and {files} files came back whole.");
                (Level::Success, "Restore drill passed", body)
            }
            Err(BackupError::Stopped | BackupError::Running { .. }) => return,
            Err(error @ BackupError::NoRoom(_)) => {
                (Level::Warning, "Restore drill left out", format!("{name}: {error}"))
            }
            Err(error) => (Level::Error, "Restore drill failed", format!("{name}: {error}")),
        };
        self.note(Note::Drill);
        self.tell(level, title, &body, &format!("restore-drill:{name}:{level:?}"));
    }

    /// Notes that something was done now.
    fn note(&self, note: Note) {
        let key = match note {
            Note::Backup => LAST_BACKUP,
            Note::Drill => LAST_DRILL,
        };
        let now = (self.context.now)().utc_iso();
        let noted = self.context.store.change(|draft| {
            let mut settings = draft.state().settings().clone();
            settings.insert(key.to_owned(), now.into());
            draft.set_section("settings", Value::Object(settings));
        });
        if let Err(error) = noted {
            log::warn!("{key} was not noted: {error}");
        }
    }

    /// Leaves a notice for the user; `once` keeps a second one with the same key out.
    fn tell(&self, level: Level, title: &str, body: &str, once: &str) {
        let now = (self.context.now)();
        let notice = Notice::new("system", level, title, body, &now).source("backup").once(once);
        let told = self.context.store.change(|draft| list::add(draft, notice, &now));
        if let Err(error) = told {
            log::warn!("a notice was not kept: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    #[track_caller]
    fn check(settings: Value, expected: Option<&str>) {
        let map = settings.as_object().cloned().expect("an object");
        let found = due(&map, &Moment::from_unix(NOW)).map(|due| match due {
            Due::Backup(request) => format!("backup {}", request.keep),
            Due::Drill => "drill".to_owned(),
        });
        assert_eq!(found.as_deref(), expected, "{settings}");
    }

    fn at(seconds: i64) -> String {
        Moment::from_unix(seconds).utc_iso()
    }

    #[test]
    fn a_backup_is_due_once_a_week() {
        check(json!({}), None);
        check(json!({"backup_auto_enabled": true}), Some("backup 4"));
        for (last, expected) in [
            ("never".to_owned(), Some("backup 52")),
            (at(NOW), None),
            (at(NOW - PERIOD + 1), None),
            (at(NOW - PERIOD), Some("backup 52")),
            // A clock that runs a little fast is not a reason; one that was a year ahead is.
            (at(NOW + AHEAD), None),
            (at(NOW + AHEAD + 1), Some("backup 52")),
        ] {
            let settings = json!({"backup_auto_enabled": true, "backup_auto_keep": 52,
                "last_auto_backup": last});
            check(settings, expected);
        }
        check(json!({"backup_auto_enabled": true, "backup_auto_keep": 0}), Some("backup 4"));
    }

    #[test]
    fn a_drill_waits_for_the_backup() {
        check(json!({"restore_drill_enabled": true}), Some("drill"));
        let both = json!({"backup_auto_enabled": true, "restore_drill_enabled": true});
        check(both, Some("backup 4"));
        let fresh = json!({"backup_auto_enabled": true, "last_auto_backup": at(NOW),
            "restore_drill_enabled": true});
        check(fresh, Some("drill"));
        let held = json!({"restore_drill_enabled": true, "last_restore_drill": at(NOW - 5)});
        check(held, None);
    }
}
