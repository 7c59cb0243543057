//! What every type of operation may do, and how the names of jobs map to types.
//!
//! Two tables of data. A type that is not listed may be retried and has no resume.

/// Whether an operation can be retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// From the start, with the stored input.
    Whole,
    /// With the games that failed, when the checkpoint names any.
    FailedOnly,
}

/// What an operation of some type may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Its type, dotted.
    pub kind: &'static str,
    /// Whether an interrupted one goes on from its checkpoint.
    pub resumes: bool,
    /// How it is retried.
    pub retry: Retry,
    /// Whether it ends with a short step that must not be cut off.
    pub promotes: bool,
}

const fn policy(kind: &'static str, resumes: bool, retry: Retry, promotes: bool) -> Policy {
    Policy { kind, resumes, retry, promotes }
}

const POLICIES: &[Policy] = &[
    policy("setup.scan", true, Retry::Whole, false),
    policy("setup.revalidate", true, Retry::Whole, false),
    policy("setup.commit", false, Retry::Whole, true),
    policy("metadata.db_sync", false, Retry::Whole, true),
    policy("metadata.match_preview", true, Retry::Whole, false),
    policy("metadata.apply", true, Retry::Whole, true),
    policy("media.bulk_download", true, Retry::FailedOnly, false),
    policy("media.cleanup", true, Retry::Whole, false),
    policy("emulator.install", false, Retry::Whole, true),
    policy("emulator.update", false, Retry::Whole, true),
    policy("libserver.install", false, Retry::Whole, true),
    policy("saves.scan", true, Retry::Whole, false),
    policy("saves.backup", false, Retry::Whole, true),
    policy("saves.restore", false, Retry::Whole, true),
    policy("library.backup", false, Retry::Whole, true),
    policy("library.restore", false, Retry::Whole, true),
    policy("library.export", true, Retry::Whole, false),
    policy("cloud.sync", false, Retry::Whole, true),
    policy("updater.install", false, Retry::Whole, true),
];

/// The policy of a type.
#[must_use]
pub fn policy_of(kind: &str) -> Policy {
    let listed = POLICIES.iter().find(|policy| policy.kind == kind);
    listed.copied().unwrap_or(policy("", false, Retry::Whole, false))
}

/// How a family of names is titled.
#[derive(Clone, Copy)]
enum Title {
    /// As it stands.
    Fixed(&'static str),
    /// Followed by what stands behind the colon.
    With(&'static str),
    /// Made from the name.
    Spelled,
}

/// Names of jobs: the part before a colon, whether something follows it, type and title.
const NAMES: &[(&str, bool, &str, Title)] = &[
    ("metadata", false, "metadata.db_sync", Title::Fixed("Metadata database sync")),
    ("metadata-match", false, "metadata.apply", Title::Fixed("Metadata auto-match")),
    ("metadata-match", true, "metadata.match_auto", Title::Spelled),
    ("metadata-media", true, "metadata.media_auto", Title::Spelled),
    ("metadata-match-preview", true, "metadata.match_preview", Title::Spelled),
    ("metadata-match-apply", true, "metadata.apply", Title::Spelled),
    ("media-bulk", false, "media.bulk_download", Title::Fixed("Bulk media download")),
    ("memories-import", false, "media.memories_import", Title::Fixed("Memory roots import")),
    ("media-cleanup", false, "media.cleanup", Title::Spelled),
    ("emulator-install-all", false, "emulator.install", Title::Fixed("Install all emulators")),
    ("emulator-install", true, "emulator.install", Title::With("Install emulator")),
    ("emulator-update-all", false, "emulator.update", Title::Fixed("Update all emulators")),
    ("update", true, "emulator.update", Title::With("Update emulator")),
    ("libserver", true, "libserver.install", Title::With("Install library-server game")),
    ("saves-scan", false, "saves.scan", Title::Fixed("Save path scan")),
    ("saves-backup", false, "saves.backup", Title::Fixed("Save backup")),
    ("saves-backup", true, "saves.backup", Title::Fixed("Save backup")),
    ("saves-restore", false, "saves.restore", Title::Fixed("Save restore")),
    ("saves-restore", true, "saves.restore", Title::Fixed("Save restore")),
    ("saves-prune", true, "saves.prune", Title::Fixed("Save backup pruning")),
    ("library-backup", false, "library.backup", Title::Fixed("Library backup")),
    ("library-drill", false, "library.drill", Title::Fixed("Restore drill")),
    ("library-restore", false, "library.restore", Title::Fixed("Library restore")),
    ("cloud-sync", false, "cloud.sync", Title::Fixed("Cloud sync")),
    ("updater-install", false, "updater.install", Title::Fixed("Install update")),
    ("setup-scan", true, "setup.scan", Title::Spelled),
    ("setup-revalidate", true, "setup.revalidate", Title::Spelled),
    ("setup-commit", true, "setup.commit", Title::Spelled),
    ("library-export", false, "library.export", Title::Spelled),
    ("library-export", true, "library.export", Title::Fixed("Library Export")),
    ("scraper-match", false, "scraper.match", Title::Spelled),
    ("scraper-apply", false, "scraper.apply", Title::Spelled),
    ("artgrid-match", false, "artgrid.match", Title::Spelled),
    ("artgrid-apply", false, "artgrid.apply", Title::Spelled),
    ("auto-import", false, "storefront.auto_import", Title::Spelled),
    ("clip-reel", false, "clips.reel", Title::Spelled),
    ("launch-audit", false, "launch.audit", Title::Spelled),
];

/// The type of jobs nobody listed.
pub const GENERIC: &str = "job.generic";

/// Type and title of a job by its name, such as `emulator-install:dolphin`.
#[must_use]
pub fn describe_name(name: &str) -> (&'static str, String) {
    let (family, rest) = match name.split_once(':') {
        Some((family, rest)) => (family, Some(rest)),
        None => (name, None),
    };
    let row = NAMES.iter().find(|row| row.0 == family && row.1 == rest.is_some());
    let Some((_, _, kind, title)) = row else { return (GENERIC, spell(name)) };
    let title = match title {
        Title::Fixed(text) => (*text).to_owned(),
        Title::With(text) => format!("{text} {}", rest.unwrap_or_default()),
        Title::Spelled => spell(name),
    };
    (kind, title)
}

/// The name of a job of this type when nothing else is known of it.
#[must_use]
pub fn name_of(kind: &str) -> String {
    let row = NAMES.iter().find(|row| row.2 == kind);
    row.map_or_else(|| kind.replace('.', "-"), |row| row.0.to_owned())
}

/// A name in title case, with blanks for dashes and colons.
fn spell(name: &str) -> String {
    let words = name.split(['-', ':']).filter(|word| !word.is_empty()).map(|word| {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters.flat_map(char::to_lowercase)).collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, kind: &str, title: &str) {
        assert_eq!(describe_name(name), (kind, title.to_owned()));
    }

    #[test]
    fn names_have_types_and_titles() {
        check("metadata", "metadata.db_sync", "Metadata database sync");
        check("metadata-match", "metadata.apply", "Metadata auto-match");
        check("metadata-match:ab12", "metadata.match_auto", "Metadata Match Ab12");
        check("metadata-match-preview:7f", "metadata.match_preview", "Metadata Match Preview 7f");
        check("emulator-install:dolphin", "emulator.install", "Install emulator dolphin");
        check("emulator-install-all", "emulator.install", "Install all emulators");
        check("update:mame", "emulator.update", "Update emulator mame");
        check("libserver:12", "libserver.install", "Install library-server game 12");
        check("saves-backup:game-1", "saves.backup", "Save backup");
        check("setup-scan:ab", "setup.scan", "Setup Scan Ab");
        check("library-export", "library.export", "Library Export");
        check("auto-import", "storefront.auto_import", "Auto Import");
        check("something-else", GENERIC, "Something Else");
        check("", GENERIC, "");
    }

    #[test]
    fn each_row_stands_once_and_names_a_dotted_type() {
        for (at, row) in NAMES.iter().enumerate() {
            assert!(row.2.contains('.'));
            let again = NAMES[at + 1..].iter().any(|other| (other.0, other.1) == (row.0, row.1));
            assert!(!again, "{} stands twice", row.0);
        }
        for (at, row) in POLICIES.iter().enumerate() {
            assert!(POLICIES[at + 1..].iter().all(|other| other.kind != row.kind));
        }
    }

    #[test]
    fn unknown_types_are_retried_whole_and_never_resumed() {
        let unknown = policy_of("clips.reel");
        assert!(!unknown.resumes && !unknown.promotes && unknown.retry == Retry::Whole);
        assert!(policy_of("metadata.apply").promotes && policy_of("metadata.apply").resumes);
    }
}
