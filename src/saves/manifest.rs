//! The manifest of an archive of saves, and the names of its members.
//!
//! A member is called `roots/<number>/<path below the root>`; the one of a root that is a file has
//! the name of the file. A name that other systems could not restore (bytes that are not text, a backslash) is spelled
//! with `%` in the directory, and the manifest keeps its bytes.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use super::subject::Subject;
use crate::{
    backup::members,
    base::ids::{bytes_from_hex, hex},
};

/// The member that says what an archive is.
pub(super) const MANIFEST: &str = "manifest.json";
/// What stands for the folder of a game's kept state, which has another path on every device. No save
/// path is called so, because those are absolute.
pub(super) const STATE: &str = "kept-state";
/// Bytes of a manifest.
pub(super) const MANIFEST_BYTES: u64 = 1 << 20;

/// One save path in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Root {
    /// Where it stood, absolute.
    pub(super) path: String,
    /// Whether it is a single file.
    pub(super) file: bool,
}

/// The content of a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// Title of the game when it was made.
    pub(super) game: String,
    /// Stable id of the game; empty in archives of earlier programs.
    pub(super) game_id: String,
    /// When it was made, ISO 8601; empty in archives of earlier programs.
    pub(super) created: String,
    /// The save paths that were there, in the order in which they were configured.
    pub(super) roots: Vec<Root>,
    /// All save paths that were configured; none in archives of earlier programs.
    pub(super) paths: Option<Vec<String>>,
    /// Whether names that differ only in their case are different files.
    pub(super) case_sensitive: bool,
    /// The bytes of paths below a root that their members do not spell, by member.
    pub(super) names: BTreeMap<String, Vec<u8>>,
}

impl Manifest {
    /// As bytes. Marks that are not needed are left out.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let root = |root: &Root| json!({"path": root.path, "file": root.file});
        let mut map = Map::new();
        map.insert("game".to_owned(), json!(self.game));
        map.insert("roots".to_owned(), self.roots.iter().map(root).collect());
        map.insert("game_id".to_owned(), json!(self.game_id));
        map.insert("created".to_owned(), json!(self.created));
        map.extend(self.paths.as_ref().map(|paths| ("paths".to_owned(), json!(paths))));
        if self.case_sensitive {
            map.insert("case_sensitive".to_owned(), json!(true));
        }
        if !self.names.is_empty() {
            let names = self.names.iter().map(|(name, bytes)| (name.clone(), hex(bytes).into()));
            map.insert("names".to_owned(), Value::Object(names.collect()));
        }
        Value::Object(map).to_string().into_bytes()
    }

    /// Reads one; `None` when it is not usable.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let root = |root: &Value| {
            let (path, file) = (root.get("path")?.as_str()?, root.get("file")?.as_bool()?);
            Some(Root { path: path.to_owned(), file })
        };
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let texts = |list: &Value| -> Option<Vec<String>> {
            list.as_array()?.iter().map(|text| Some(text.as_str()?.to_owned())).collect()
        };
        let names = match value.get("names") {
            None => BTreeMap::new(),
            Some(names) => names
                .as_object()?
                .iter()
                .map(|(name, bytes)| Some((name.clone(), bytes_from_hex(bytes.as_str()?)?)))
                .collect::<Option<_>>()?,
        };
        let paths = match value.get("paths") {
            None => None,
            Some(list) => Some(texts(list)?),
        };
        Some(Self {
            game: text("game"),
            game_id: text("game_id"),
            created: text("created"),
            roots: value.get("roots")?.as_array()?.iter().map(root).collect::<Option<_>>()?,
            paths,
            case_sensitive: value.get("case_sensitive").and_then(Value::as_bool).unwrap_or(false),
            names,
        })
    }

    /// Whether its roots are the save paths of the game: all of them, in their order. An archive that
    /// knows which were configured may lack those that were not there, as long as these are configured.
    pub(super) fn fits(&self, configured: &[String]) -> bool {
        let roots = || self.roots.iter().map(|root| root.path.as_str());
        let may_lack = |paths: &Vec<String>| {
            let mut rest = paths.iter();
            paths == configured && roots().all(|path| rest.any(|one| one == path))
        };
        roots().eq(configured.iter().map(String::as_str))
            || self.paths.as_ref().is_some_and(may_lack)
    }

    /// This manifest with the save paths of another device: as many, in the same order, with the same
    /// last parts; `None` when they differ in more than the folders above. A kept state goes to where
    /// the game has its own.
    pub(super) fn moved_to(mut self, game: &Subject) -> Option<Self> {
        let paths = self.paths.take()?;
        let mut here = game.save_paths.clone();
        let saves = match paths.split_last() {
            Some((last, saves)) if last == STATE => {
                here.push(game.resume.as_ref()?.to_str()?.to_owned());
                saves
            }
            _ => &paths[..],
        };
        let last = |path: &String| Path::new(path).file_name().map(OsStr::to_owned);
        if !saves.iter().map(last).eq(game.save_paths.iter().map(last)) {
            return None;
        }
        for root in &mut self.roots {
            let at = paths.iter().position(|path| *path == root.path)?;
            root.path.clone_from(&here[at]);
        }
        self.paths = Some(here);
        Some(self)
    }

    /// The name of a member with the number of its configured path in place of that of its root, so
    /// that it does not depend on which other paths were there.
    pub(super) fn name_by_path(&self, member: &str) -> Option<String> {
        let (number, below) = member.strip_prefix("roots/")?.split_once('/')?;
        let root = self.roots.get(number.parse::<usize>().ok()?)?;
        let at = self.paths.as_ref()?.iter().position(|path| *path == root.path)?;
        Some(format!("{at}/{below}"))
    }

    /// Adds a file below a root and returns the name of its member.
    pub(super) fn name_member(&mut self, root: usize, below: &Path) -> String {
        let bytes = below.as_os_str().as_bytes();
        if let Some(text) = below.to_str() {
            let name = format!("roots/{root}/{text}");
            // A `%` may stand in a name that is spelled as it is; one that is spelled otherwise
            // must not meet it.
            if members::is_safe(&name) && !text.contains('%') {
                return name;
            }
        }
        let mut spelled = format!("roots/{root}/");
        for byte in bytes {
            match byte {
                b'/' | b'.' | b'-' | b'_' | b' ' => spelled.push(char::from(*byte)),
                byte if byte.is_ascii_alphanumeric() => spelled.push(char::from(*byte)),
                byte => {
                    spelled.push('%');
                    spelled.push_str(&hex(&[*byte]));
                }
            }
        }
        self.names.insert(spelled.clone(), bytes.to_vec());
        spelled
    }

    /// The number of the root and the path below it that a member stands for; `None` for a member
    /// that belongs to no root or leads elsewhere. A folder's path is empty for the root itself.
    pub(super) fn resolve(&self, member: &str) -> Option<(usize, PathBuf)> {
        let rest = member.strip_prefix("roots/")?;
        let (number, below) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = number.bytes().all(|byte| byte.is_ascii_digit());
        let number: usize = number.parse().ok().filter(|_| plain)?;
        self.roots.get(number)?;
        let below = match self.names.get(member) {
            Some(bytes) => {
                let part = |part: &[u8]| !matches!(part, b"" | b"." | b"..");
                let fine = !bytes.contains(&0) && bytes.split(|byte| *byte == b'/').all(part);
                PathBuf::from(OsStr::from_bytes(fine.then_some(bytes)?))
            }
            None => PathBuf::from(below.trim_end_matches('/')),
        };
        Some((number, below))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(paths: &[&str]) -> Manifest {
        let root = |path: &&str| Root { path: (*path).to_owned(), file: false };
        Manifest { roots: paths.iter().map(root).collect(), ..Manifest::default() }
    }

    #[test]
    fn a_manifest_of_an_earlier_program_is_read() {
        let text = r#"{"game": "A", "roots": [{"path": "/a", "file": false}, {"path": "/b", "file": true}]}"#;
        let read = Manifest::parse(text.as_bytes()).expect("usable");
        assert_eq!((read.game.as_str(), read.roots.len(), read.paths), ("A", 2, None));
        for bad in [
            "",
            "[]",
            "{}",
            r#"{"roots": {}}"#,
            r#"{"roots": [{"path": "/a"}]}"#,
            r#"{"roots": [{"path": 1, "file": true}]}"#,
            r#"{"roots": [], "paths": [1]}"#,
            r#"{"roots": [], "names": {"a": "0"}}"#,
            r#"{"roots": [], "names": {"a": "zz"}}"#,
        ] {
            assert_eq!(Manifest::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn roots_fit_in_count_and_order() {
        let configured = ["/a".to_owned(), "/b".to_owned()];
        assert!(of(&["/a", "/b"]).fits(&configured));
        for other in [&["/a"][..], &["/b", "/a"], &["/a", "/b", "/c"], &[]] {
            assert!(!of(other).fits(&configured), "{other:?}");
        }
        let lacking = Manifest { paths: Some(configured.to_vec()), ..of(&["/b"]) };
        assert!(lacking.fits(&configured));
        assert!(lacking.fits(&configured[1..]), "its roots are what is configured by now");
        assert!(!lacking.fits(&configured[..1]));
        let strange = Manifest { paths: Some(configured.to_vec()), ..of(&["/b", "/a"]) };
        assert!(!strange.fits(&configured));
    }

    #[test]
    fn paths_of_another_device_match_by_their_last_parts() {
        let texts =
            |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        let theirs = Manifest { paths: Some(texts(&["/a/saves", "/a/card"])), ..of(&["/a/card"]) };
        let here = texts(&["/home/b/saves", "/mnt/card"]);
        let game = |paths: &[&str], state: Option<&str>| Subject {
            save_paths: texts(paths),
            resume: state.map(PathBuf::from),
            ..Subject::default()
        };
        let own = game(&["/home/b/saves", "/mnt/card"], None);
        let moved = theirs.clone().moved_to(&own).expect("the same paths");
        assert_eq!(moved.roots[0].path, "/mnt/card");
        assert!(moved.fits(&here));
        assert_eq!(theirs.name_by_path("roots/0/x/y"), Some("1/x/y".to_owned()));
        assert_eq!(moved.name_by_path("roots/0/x/y"), Some("1/x/y".to_owned()));
        assert_eq!(moved.name_by_path("roots/1/x"), None);
        for other in [&["/b/saves"][..], &["/b/card", "/b/saves"], &["/b/saves", "/b/other"]] {
            assert_eq!(theirs.clone().moved_to(&game(other, None)), None, "{other:?}");
        }
        let unknown = of(&["/a/saves"]).moved_to(&game(&["/b/saves"], None));
        assert_eq!(unknown, None, "it knows no paths");
        let along = |paths: &[&str]| Manifest { paths: Some(texts(paths)), ..of(&[STATE]) };
        let moved = along(&["/a/saves", STATE]).moved_to(&game(&["/b/saves"], Some("/data/g")));
        assert_eq!(moved.expect("the same paths").roots[0].path, "/data/g");
        for (paths, state) in [(["/a/saves", STATE], None), ([STATE, "/a/saves"], Some("/data/g"))]
        {
            let moved = along(&paths).moved_to(&game(&["/b/saves"], state));
            assert_eq!(moved, None, "{paths:?} {state:?}");
        }
    }

    #[test]
    fn members_that_belong_to_no_root_are_told_apart() {
        let manifest = of(&["/a"]);
        let at = |name: &str| manifest.resolve(name);
        assert_eq!(at("roots/0/x/y"), Some((0, "x/y".into())));
        assert_eq!(at("roots/0/x/"), Some((0, "x".into())));
        assert_eq!(at("roots/0/"), Some((0, PathBuf::new())));
        for name in ["roots/1/x", "roots/+0/x", "roots//x", "other/0/x", "roots"] {
            assert_eq!(at(name), None, "{name}");
        }
        for bad in [&b"../x"[..], b"", b"a//b", b"a/./b", b"/etc", b"a\0b"] {
            let mut manifest = of(&["/a"]);
            manifest.names.insert("roots/0/x".into(), bad.to_vec());
            assert_eq!(manifest.resolve("roots/0/x"), None, "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn every_name_comes_back(parts in prop::collection::vec(
            prop::collection::vec(any::<u8>().prop_filter("a name", |byte| !matches!(byte, 0 | b'/')), 1..12)
                .prop_filter("a name", |name| !matches!(&name[..], b"." | b"..")), 1..4)) {
            let bytes = parts.join(&b'/');
            let path = PathBuf::from(OsStr::from_bytes(&bytes));
            let mut manifest = of(&["/a"]);
            let name = manifest.name_member(0, &path);
            prop_assert!(members::is_safe(&name));
            let again = Manifest::parse(&manifest.to_bytes()).expect("usable");
            prop_assert_eq!(&again, &manifest);
            prop_assert_eq!(again.resolve(&name), Some((0, path)));
        }

        #[test]
        fn reading_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            drop(Manifest::parse(&bytes));
        }
    }
}
