//! The environment variables that switch behaviour, each read in one place with its default.
//!
//! A value that cannot be understood counts as the default: a typing error in a variable must not lock the user out of
//! the library.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::environment::Environment;
use crate::base::limits;

/// The longest debounce that is honoured; a larger value is cut to it.
const LONGEST_DEBOUNCE: Duration = Duration::from_hours(1);

/// Variables whose presence, or whose mention of the compositor, shows that this session already runs inside it.
const GUEST_MARKS: [&str; 2] = ["GAMESCOPE_WAYLAND_DISPLAY", "STEAM_GAMESCOPE_RESTRICTED"];
const GUEST_DESKTOPS: [&str; 3] = ["XDG_CURRENT_DESKTOP", "XDG_SESSION_DESKTOP", "DESKTOP_SESSION"];

/// Whether the indexed read model answers searches (`SERVICE_ENABLE_SQLITE_READ`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadModel {
    /// Always.
    On,
    /// Never, however large the library grows.
    Off,
    /// From 5,000 games on.
    Automatic,
}

impl Environment {
    /// `SERVICE_SAFE_MODE`: any non-empty value turns plugins and webhooks off.
    pub fn safe_mode(&self) -> bool {
        self.raw("SERVICE_SAFE_MODE").is_some_and(|value| !value.is_empty())
    }

    /// `SERVICE_ALLOW_HTTP_WEBHOOKS=1`: webhooks may use plain http.
    pub fn allows_http_webhooks(&self) -> bool {
        self.is_one("SERVICE_ALLOW_HTTP_WEBHOOKS")
    }

    /// `SERVICE_ALLOW_HTTP_LIBSERVER=1`: the library server may use plain http.
    pub fn allows_http_libserver(&self) -> bool {
        self.is_one("SERVICE_ALLOW_HTTP_LIBSERVER")
    }

    /// `SERVICE_SNAPSHOT_DEBOUNCE`: how long a fold waits after the last change. Zero when unset,
    /// not a number, negative or infinite; at most one hour.
    pub fn snapshot_debounce(&self) -> Duration {
        self.text("SERVICE_SNAPSHOT_DEBOUNCE")
            .and_then(|text| text.parse::<f64>().ok())
            .filter(|seconds| seconds.is_finite() && *seconds > 0.0)
            .map_or(Duration::ZERO, |seconds| {
                Duration::try_from_secs_f64(seconds)
                    .map_or(LONGEST_DEBOUNCE, |wait| wait.min(LONGEST_DEBOUNCE))
            })
    }

    /// `SERVICE_ENABLE_SQLITE_READ`: `1` switches on; `0`, `false` and `no` switch off permanently.
    pub fn read_model(&self) -> ReadModel {
        let value = self.text("SERVICE_ENABLE_SQLITE_READ").map(str::to_ascii_lowercase);
        match value.as_deref() {
            Some("1" | "true" | "yes") => ReadModel::On,
            Some("0" | "false" | "no") => ReadModel::Off,
            _ => ReadModel::Automatic,
        }
    }

    /// `SERVICE_MEDIA_ROOTS`: the extra approved directories, at most 32, in their order.
    ///
    /// A relative path, `/`, a path with `..` and one that leads through a symlink are left out. A
    /// directory that does not exist now stays in: it may be a disk that is mounted later. The disk is read on every
    /// call.
    pub fn media_roots(&self) -> Vec<PathBuf> {
        let Some(value) = self.raw("SERVICE_MEDIA_ROOTS") else { return Vec::new() };
        let mut roots: Vec<PathBuf> = Vec::new();
        for entry in value.as_bytes().split(|byte| *byte == b':') {
            let named = Path::new(std::ffi::OsStr::from_bytes(entry));
            if roots.len() == limits::MEDIA_ROOTS {
                break;
            }
            if let Some(root) = approved_root(named)
                && !roots.contains(&root)
            {
                roots.push(root);
            }
        }
        roots
    }

    /// `SERVICE_EXECUTABLE`: the program that the shortcut bridge records, when set.
    pub fn recorded_executable(&self) -> Option<PathBuf> {
        self.path("SERVICE_EXECUTABLE")
    }

    /// The single-file bundle this process runs from, when it does.
    pub fn bundle(&self) -> Option<PathBuf> {
        self.path("APPIMAGE")
    }

    /// `SERVICE_NATIVE_HOST`, of the process only: a desktop host with a window of its own started this
    /// process.
    pub fn has_native_host(&self) -> bool {
        self.process_text("SERVICE_NATIVE_HOST").is_some_and(|value| value != "0")
    }

    /// Whether this session already runs inside the game compositor, so that a game must not be
    /// wrapped in it again.
    pub fn is_compositor_guest(&self) -> bool {
        let marked = GUEST_MARKS.iter().any(|name| self.text(name).is_some());
        let named = |name: &str| {
            self.text(name).is_some_and(|text| text.to_ascii_lowercase().contains("gamescope"))
        };
        self.is_game_mode() || marked || GUEST_DESKTOPS.iter().any(|name| named(name))
    }

    /// `SERVICE_ALLOW_UNSANDBOXED_PLUGINS=1`, of the process only: plugins run without a sandbox.
    pub fn allows_unsandboxed_plugins(&self) -> bool {
        self.is_one("SERVICE_ALLOW_UNSANDBOXED_PLUGINS")
    }

    /// `SERVICE_METRICS=1`: `/metrics` is served.
    pub fn serves_metrics(&self) -> bool {
        self.is_one("SERVICE_METRICS")
    }

    fn is_one(&self, name: &str) -> bool {
        self.text(name) == Some("1")
    }
}

/// `named` without superfluous slashes and dots, when it may be an approved root.
fn approved_root(named: &Path) -> Option<PathBuf> {
    let mut root = PathBuf::new();
    for part in named.components() {
        match part {
            Component::RootDir | Component::Normal(_) => root.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::Prefix(_) => return None,
        }
        if root.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            return None;
        }
    }
    (root.is_absolute() && root.parent().is_some()).then_some(root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::dotenv::tests::make_folder;

    fn with(name: &str, value: &str) -> Environment {
        Environment::from_process([(name, value)])
    }

    #[test]
    fn safe_mode_is_any_non_empty_value() {
        for (value, expected) in [("1", true), ("0", true), (" ", true), ("", false)] {
            assert_eq!(with("SERVICE_SAFE_MODE", value).safe_mode(), expected, "{value:?}");
        }
        assert!(!Environment::default().safe_mode());
    }

    #[test]
    fn permissions_need_exactly_one() {
        type Switch = fn(&Environment) -> bool;
        let switches: [(&str, Switch); 2] = [
            ("SERVICE_ALLOW_HTTP_WEBHOOKS", Environment::allows_http_webhooks),
            ("SERVICE_ALLOW_HTTP_LIBSERVER", Environment::allows_http_libserver),
        ];
        for (name, switch) in switches {
            for (value, expected) in [("1", true), ("", false), ("0", false), ("true", false)] {
                assert_eq!(switch(&with(name, value)), expected, "{name}={value}");
            }
        }
    }

    #[test]
    fn debounce_is_a_sane_duration() {
        for (value, expected) in [
            ("0.25", 0.25),
            ("2", 2.0),
            ("0", 0.0),
            ("-1", 0.0),
            ("soon", 0.0),
            ("nan", 0.0),
            ("inf", 0.0),
            ("1e300", 3600.0),
            ("7200", 3600.0),
        ] {
            let found = with("SERVICE_SNAPSHOT_DEBOUNCE", value).snapshot_debounce();
            assert_eq!(found, Duration::from_secs_f64(expected), "{value}");
        }
        assert_eq!(Environment::default().snapshot_debounce(), Duration::ZERO);
    }

    #[test]
    fn the_read_model_has_three_states() {
        for (value, expected) in [
            ("1", ReadModel::On),
            ("0", ReadModel::Off),
            ("False", ReadModel::Off),
            ("NO", ReadModel::Off),
            ("", ReadModel::Automatic),
            ("maybe", ReadModel::Automatic),
        ] {
            assert_eq!(with("SERVICE_ENABLE_SQLITE_READ", value).read_model(), expected);
        }
    }

    #[test]
    fn media_roots_refuse_root_relative_dotted_and_linked_paths() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let base = folder.path().canonicalize().expect("real path");
        make_folder(&base.join("real/inner"));
        std::os::unix::fs::symlink(base.join("real"), base.join("link")).expect("symlink");
        let base = base.display();
        let value = format!(
            "{base}/real/:/:relative::{base}/link/inner:{base}/real/../x:{base}/absent:{base}//real"
        );
        let found = with("SERVICE_MEDIA_ROOTS", &value).media_roots();
        assert_eq!(found, [format!("{base}/real"), format!("{base}/absent")].map(PathBuf::from));
    }

    #[test]
    fn media_roots_stop_at_thirty_two() {
        let list: Vec<String> = (0..33).map(|n| format!("/no-such-root-{n}")).collect();
        let found = with("SERVICE_MEDIA_ROOTS", &list.join(":")).media_roots();
        assert_eq!(found.len(), 32);
        assert_eq!(found[31], Path::new("/no-such-root-31"));
        assert!(with("SERVICE_MEDIA_ROOTS", "").media_roots().is_empty());
    }

    #[test]
    fn a_compositor_session_is_recognised() {
        assert!(with("GAMESCOPE_WAYLAND_DISPLAY", "gamescope-0").is_compositor_guest());
        assert!(with("STEAM_GAMESCOPE_RESTRICTED", "1").is_compositor_guest());
        assert!(with("XDG_SESSION_DESKTOP", "Gamescope-session").is_compositor_guest());
        assert!(!with("XDG_CURRENT_DESKTOP", "GNOME").is_compositor_guest());
    }
}
