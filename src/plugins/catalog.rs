//! The catalog of plugins: the form of an entry, the source of the list, and downloads.

use std::{collections::HashSet, io, time::Duration};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    error::PluginError,
    installing::{Site, Workspace},
    manifest,
};
use crate::{
    base::{
        embedded::{DATA, File},
        ids::hex,
    },
    config::environment::Environment,
    net::{
        fetch::{self, Limits},
        location::Location,
    },
};

/// The folder of the list that this build pins, and the SHA-256 of the list. Empty: the embedded list
/// is the only one.
const PINNED: (&str, &str) = ("", "");
/// The variables of the process that replace them.
const BASE: &str = "SERVICE_PLUGIN_CATALOG_BASE";
const BASE_SHA256: &str = "SERVICE_PLUGIN_CATALOG_SHA256";
/// The name of the list, on the server and in the executable.
const LIST: &str = "/catalog.json";
const EMBEDDED: &str = "plugin-catalog.json";

const LIST_LIMITS: Limits = Limits { bytes: 4 << 20, timeout: Duration::from_secs(20) };
const PACKAGE_LIMITS: Limits = Limits { bytes: 128 << 20, timeout: Duration::from_mins(2) };

/// An entry of the catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub id: String,
    pub version: String,
    url: String,
    sha256: String,
    is_local: bool,
    /// The entry as clients see it.
    pub shown: Map<String, Value>,
}

/// Where the list comes from.
struct Origin<'a> {
    base: &'a str,
    /// The SHA-256 of the list, when it is known.
    sha256: Option<&'a str>,
}

/// The catalog: the list of the server, else the embedded one.
pub(super) fn entries(environment: &Environment) -> Vec<Entry> {
    let origin = match environment.process_text(BASE) {
        Some(base) => Origin { base, sha256: environment.process_text(BASE_SHA256) },
        None => Origin { base: PINNED.0, sha256: Some(PINNED.1) },
    };
    if !origin.base.is_empty() {
        match load(&origin) {
            Ok(entries) => return entries,
            Err(reason) => log::warn!("the plugin catalog was not loaded: {reason}"),
        }
    }
    let embedded = File::find(&DATA, EMBEDDED).map_or(&b""[..], File::bytes);
    parse(embedded, "").unwrap_or_default()
}

fn load(origin: &Origin<'_>) -> Result<Vec<Entry>, String> {
    let address = format!("{}{LIST}", origin.base.trim_end_matches('/'));
    let bytes = fetch::load(&address, &LIST_LIMITS).map_err(|error| error.to_string())?;
    let is_pinned = |wanted: &str| wanted.eq_ignore_ascii_case(&hex(&Sha256::digest(&bytes)));
    if origin.sha256.is_some_and(|wanted| !is_pinned(wanted)) {
        return Err("it does not have the checksum that is known".to_owned());
    }
    parse(&bytes, origin.base).ok_or_else(|| "an entry is not valid".to_owned())
}

/// The entries of a list; `None` when one of them breaks a rule. Packages on this machine are allowed
/// on the server of `base` only.
fn parse(bytes: &[u8], base: &str) -> Option<Vec<Entry>> {
    let Value::Array(rows) = serde_json::from_slice(bytes).ok()? else { return None };
    let entries: Vec<Entry> = rows.iter().map(|row| entry(row, base)).collect::<Option<_>>()?;
    let ids: HashSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    (ids.len() == entries.len()).then_some(entries)
}

fn entry(row: &Value, base: &str) -> Option<Entry> {
    let row = row.as_object()?;
    let text = |key: &str| match row.get(key) {
        None => Some(String::new()),
        Some(value) => value.as_str().map(str::to_owned),
    };
    let (id, name, version) = (text("id")?, text("name")?, text("version")?);
    let (description, url, sha256) = (text("description")?, text("url")?, text("sha256")?);
    let is_local = match row.get("local_only") {
        None => false,
        Some(value) => value.as_bool()?,
    };
    let api_version = match row.get("api_version") {
        None => manifest::API_VERSION,
        Some(value) => value.as_u64().filter(|it| *it > 0)?,
    };
    let hooks = manifest::hooks(row.get("hooks")).ok()?;
    let commands = manifest::commands(row.get("commands"), &id).ok()?;
    let is_hash = |text: &str| text.len() == 64 && text.bytes().all(|it| it.is_ascii_hexdigit());
    let is_named = manifest::is_id(&id) && !name.trim().is_empty() && !version.trim().is_empty();
    let is_found = if url.is_empty() { is_local } else { may_load(&url, base) && is_hash(&sha256) };
    if !is_named || !is_found || !(sha256.is_empty() || is_hash(&sha256)) {
        return None;
    }
    let known = json!({
        "id": id, "name": name, "version": version, "description": description, "url": url,
        "hooks": hooks, "sha256": sha256, "local_only": is_local, "api_version": api_version,
        "commands": commands,
    });
    let shown = known.as_object().cloned().unwrap_or_default();
    Some(Entry { id, version, url, sha256: sha256.to_ascii_lowercase(), is_local, shown })
}

/// Whether a package may lie at this address.
fn may_load(url: &str, base: &str) -> bool {
    let Ok(location) = Location::parse(url) else { return false };
    let is_own = || {
        let base = Location::parse(base);
        base.is_ok_and(|base| base.is_loopback() && base.is_same_server(&location))
    };
    location.is_secure() || is_own()
}

/// Downloads the package of an entry into a folder to work in; its name there is `<id>.zip`.
///
/// # Errors
/// When the entry has no package, it does not come, or it is another one.
pub(super) fn download<'a>(
    site: &'a Site<'_>,
    entry: &Entry,
) -> Result<(Workspace<'a>, std::path::PathBuf), PluginError> {
    if entry.is_local || entry.url.is_empty() {
        return Err(PluginError::LocalOnly);
    }
    let workspace = site.workspace()?;
    let path = workspace.path.join(format!("{}.zip", entry.id));
    let mut failed = None;
    let mut digest = Sha256::new();
    let written = site.files.replace_with(&path, |file| {
        let mut sink = Hashing { file, digest: &mut digest };
        fetch::load_into(&entry.url, &PACKAGE_LIMITS, &mut sink).map_err(|error| {
            failed = Some(error);
            io::Error::other("the download failed")
        })
    });
    if let Some(error) = failed {
        return Err(PluginError::Download(error));
    }
    written?;
    if !entry.sha256.is_empty() && hex(&digest.finalize()) != entry.sha256 {
        return Err(PluginError::Checksum);
    }
    Ok((workspace, path))
}

/// Writes a file and takes its checksum on the way.
struct Hashing<'a> {
    file: &'a mut dyn io::Write,
    digest: &'a mut Sha256,
}

impl io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.digest.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(more: Value) -> Option<Vec<Entry>> {
        let mut row = json!({"id": "a.b", "name": "A", "version": "1", "hooks": ["events"],
            "url": "https://example.org/a.zip", "sha256": "0".repeat(64)});
        let keys = more.as_object().expect("an object").clone();
        row.as_object_mut().expect("an object").extend(keys);
        parse(json!([row]).to_string().as_bytes(), "http://127.0.0.1:8000/x")
    }

    #[test]
    fn the_embedded_list_is_valid_and_needs_nobody() {
        let entries = entries(&Environment::default());
        let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["service.hello-palette", "service.library-stats"]);
        assert!(entries.iter().all(|entry| entry.is_local && entry.url.is_empty()));
    }

    #[test]
    fn one_bad_entry_rejects_the_list() {
        assert!(list(json!({})).is_some());
        assert!(list(json!({"url": "", "sha256": "", "local_only": true})).is_some());
        assert!(list(json!({"url": "http://127.0.0.1:8000/p/a.zip"})).is_some());
        for bad in [
            json!({"id": "A"}),
            json!({"name": ""}),
            json!({"version": 1}),
            json!({"hooks": ["x"]}),
            json!({"url": ""}),
            json!({"url": "http://example.org/a.zip"}),
            json!({"url": "http://127.0.0.1:8001/a.zip"}),
            json!({"url": "https://u:p@example.org/a.zip"}),
            json!({"url": "https://example.org/a.zip#x"}),
            json!({"sha256": ""}),
            json!({"sha256": "0".repeat(63)}),
            json!({"sha256": "x".repeat(64)}),
            json!({"local_only": "yes"}),
            json!({"api_version": 0}),
            json!({"commands": [{}]}),
        ] {
            assert!(list(bad.clone()).is_none(), "{bad}");
        }
        for bad in ["{}", "[1]", "x", "[{\"id\":\"a.b\"}]"] {
            assert!(parse(bad.as_bytes(), "").is_none(), "{bad}");
        }
    }
}
