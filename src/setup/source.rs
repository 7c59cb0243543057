//! The sources that a request for a preview may name.
//!
//! Pure: values in, values out. What a source holds is found out by `reading`.

use serde_json::{Map, Value};

use crate::{
    base::schema::schema,
    imports::{arcade::Family, incoming::SetType},
    model::Record,
    storefronts::catalog,
};

/// One source of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name in items: `{type, id, label, path}`.
    pub name: SourceName,
    /// What is to be read.
    pub kind: Kind,
}

schema! {
    /// How a source is shown.
    #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
    pub struct SourceName {
        /// The type the request gave.
        #[serde(rename = "type")]
        pub kind: String,
        /// The id from the request, else a generated one.
        pub id: String,
        /// Its label.
        pub label: String,
        /// Its folder, for sources that have one.
        pub path: Option<String>,
    }
}

/// The kind of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A folder of games.
    Folder(String),
    /// A folder of executables of one console.
    Console(String),
    /// Single files.
    Files(Vec<String>),
    /// A store on this machine, or the library server; with or without what is not installed.
    Store(catalog::Source, bool),
    /// The wrapper launcher.
    Wrapper,
    /// The list of another launcher, by its path.
    Launcher(String),
    /// The adventure engine.
    Engine,
    /// The first console emulator.
    DiscTitles,
    /// The second console emulator.
    AppTitles,
    /// Sets of an arcade emulator.
    Arcade(Sets),
    /// A folder that emulators read.
    Emulator {
        /// The folder.
        path: String,
        /// The package id or definition; blank for any.
        emulator: String,
    },
}

/// A folder of arcade sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sets {
    /// The folder.
    pub path: String,
    /// A file that lists the sets; blank to ask the emulator.
    pub list: String,
    /// Which emulator the sets are for.
    pub family: Family,
    /// Whether variants without an archive of their own are left out.
    pub own_archives_only: bool,
}

/// Why a source cannot be read at all: the job that was to read it fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSource {
    #[error("Unsupported source type: {0}")]
    Unsupported(String),
    #[error("path is required for {0} sources.")]
    NoPath(String),
    #[error("paths are required for files sources.")]
    NoPaths,
}

/// How a source of a request is shown, whatever it holds. `position` distinguishes nameless ones.
pub fn name_of(value: &Value, position: usize) -> SourceName {
    let record = Record::from(value.as_object().cloned().unwrap_or_default());
    let kind = record.text("type").trim().to_owned();
    let path = Some(record.text("path").trim()).filter(|path| !path.is_empty());
    let given = |key: &str| Some(record.shown(key).trim().to_owned()).filter(|id| !id.is_empty());
    let folder = path.and_then(|path| path.trim_end_matches('/').rsplit('/').next());
    let own = match (path, kind.as_str()) {
        (Some(path), _) => path.to_owned(),
        (None, "files") => format!("files-{}", position + 1),
        (None, kind) => kind.to_owned(),
    };
    let label = given("label").or_else(|| folder.map(str::to_owned));
    SourceName {
        id: given("id").unwrap_or(own),
        label: label.filter(|label| !label.is_empty()).unwrap_or_else(|| kind.clone()),
        path: path.map(str::to_owned),
        kind,
    }
}

/// Reads one source of a request.
///
/// # Errors
/// [`BadSource`].
pub fn read(
    value: &Value,
    position: usize,
    options: &Map<String, Value>,
) -> Result<Source, BadSource> {
    let name = name_of(value, position);
    let record = Record::from(value.as_object().cloned().unwrap_or_default());
    let path = || name.path.clone().ok_or_else(|| BadSource::NoPath(name.kind.clone()));
    let uninstalled = record.flag("include_uninstalled");
    let kind = match name.kind.as_str() {
        "folder" => Kind::Folder(path()?),
        "console-x" => Kind::Console(path()?),
        "files" => Kind::Files(read_paths(&record)?),
        "wrapper" => Kind::Wrapper,
        "launcher" => Kind::Launcher(path()?),
        "engine-library" => Kind::Engine,
        "emu-library-1" => Kind::DiscTitles,
        "emu-library-2" => Kind::AppTitles,
        "libserver" => {
            let all = options.get("include_owned_uninstalled") == Some(&Value::Bool(true));
            Kind::Store(catalog::Source::LibraryServer, uninstalled || all)
        }
        "arcade" => Kind::Arcade(read_sets(&record, path()?)),
        "emulator-scan" => {
            Kind::Emulator { path: path()?, emulator: record.text("emulator_id").trim().to_owned() }
        }
        other => match catalog::Source::read(other) {
            Some(store) => Kind::Store(store, uninstalled),
            None => return Err(BadSource::Unsupported(other.to_owned())),
        },
    };
    Ok(Source { name, kind })
}

fn read_paths(record: &Record) -> Result<Vec<String>, BadSource> {
    let paths: Vec<String> =
        record.texts("paths").filter(|path| !path.trim().is_empty()).map(str::to_owned).collect();
    if paths.is_empty() { Err(BadSource::NoPaths) } else { Ok(paths) }
}

fn read_sets(record: &Record, path: String) -> Sets {
    let named = ["adapter_id", "emulator_id"].map(|key| record.text(key).trim().to_lowercase());
    let is_secondary = named.iter().any(|id| id.contains("fbneo") || id.contains("finalburn"));
    let own = [SetType::Split, SetType::NonMerged].map(SetType::name);
    Sets {
        path,
        list: record.text("dat_path").trim().to_owned(),
        family: Family::named(if is_secondary { "fbneo" } else { "" }),
        own_archives_only: own.contains(&record.text("set_type").trim()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(value: Value, expected: Result<Kind, &str>) {
        let read = read(&value, 0, &Map::new());
        let read = read.map(|source| source.kind).map_err(|error| error.to_string());
        assert_eq!(read, expected.map_err(str::to_owned), "{value}");
    }

    #[test]
    fn every_type_wants_what_it_needs() {
        check(json!({"type": "folder", "path": " /r "}), Ok(Kind::Folder("/r".to_owned())));
        check(json!({"type": "console-x", "path": "/r"}), Ok(Kind::Console("/r".to_owned())));
        check(json!({"type": "launcher", "path": "/l"}), Ok(Kind::Launcher("/l".to_owned())));
        for kind in ["folder", "console-x", "arcade", "emulator-scan", "launcher"] {
            let text = format!("path is required for {kind} sources.");
            for path in [json!(null), json!(""), json!("  "), json!(3)] {
                check(json!({"type": kind, "path": path}), Err(&text));
            }
        }
        check(
            json!({"type": "files", "paths": ["/a", " ", 3]}),
            Ok(Kind::Files(vec!["/a".to_owned()])),
        );
        for paths in [json!(null), json!([]), json!("/a"), json!([3])] {
            let text = "paths are required for files sources.";
            check(json!({"type": "files", "paths": paths}), Err(text));
        }
        for (kind, read) in [
            ("wrapper", Kind::Wrapper),
            ("engine-library", Kind::Engine),
            ("emu-library-1", Kind::DiscTitles),
            ("emu-library-2", Kind::AppTitles),
            ("store_a", Kind::Store(catalog::Source::StoreA, false)),
            ("store_b", Kind::Store(catalog::Source::StoreB, false)),
            ("store_c", Kind::Store(catalog::Source::StoreC, false)),
            ("libserver", Kind::Store(catalog::Source::LibraryServer, false)),
        ] {
            check(json!({"type": kind}), Ok(read));
        }
        check(json!({"type": "tape"}), Err("Unsupported source type: tape"));
        check(json!({}), Err("Unsupported source type: "));
        check(json!("folder"), Err("Unsupported source type: "));
    }

    #[test]
    fn what_is_not_installed_comes_along_when_asked_for() {
        let all = Kind::Store(catalog::Source::LibraryServer, true);
        check(json!({"type": "libserver", "include_uninstalled": true}), Ok(all.clone()));
        let options = Map::from_iter([("include_owned_uninstalled".to_owned(), true.into())]);
        let read_with = |kind: &str| read(&json!({"type": kind}), 0, &options).expect("read").kind;
        assert_eq!(read_with("libserver"), all);
        assert_eq!(read_with("store_a"), Kind::Store(catalog::Source::StoreA, false));
    }

    #[test]
    fn arcade_sets_go_by_family_and_type() {
        let sets = |value| match read(&value, 0, &Map::new()).expect("read").kind {
            Kind::Arcade(sets) => sets,
            other => panic!("{other:?}"),
        };
        let plain = sets(json!({"type": "arcade", "path": "/r"}));
        assert_eq!((plain.family.name, plain.own_archives_only), ("MAME", false));
        let other = json!({"type": "arcade", "path": "/r", "dat_path": "/d", "set_type": "split",
            "adapter_id": "fbneo-arcade"});
        let other = sets(other);
        assert_eq!((other.family.name, other.own_archives_only), ("FinalBurn Neo", true));
        assert_eq!(other.list, "/d");
    }

    #[test]
    fn a_source_is_called_after_what_tells_it_apart() {
        let shown = |value: Value| {
            let name = name_of(&value, 2);
            (name.id, name.label, name.path)
        };
        let own = |id: &str, label: &str, path: Option<&str>| {
            (id.to_owned(), label.to_owned(), path.map(str::to_owned))
        };
        let folder = json!({"type": "folder", "path": "/r/My Roms/"});
        assert_eq!(shown(folder), own("/r/My Roms/", "My Roms", Some("/r/My Roms/")));
        assert_eq!(shown(json!({"type": "store_a"})), own("store_a", "store_a", None));
        assert_eq!(shown(json!({"type": "files"})), own("files-3", "files", None));
        let named = json!({"type": "store_a", "id": 7, "label": " Mine "});
        assert_eq!(shown(named), own("7", "Mine", None));
    }
}
