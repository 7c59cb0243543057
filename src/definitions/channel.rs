//! The definition channel: looking for a pack, installing it, undoing it.
//!
//! Everything is loaded, verified and read whole before the first byte is written; one change runs
//! at a time. The index is an unsigned hint, so its version says what to try and is never trusted.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    bundled,
    change::Site,
    gather::{Gathered, ShownProblem},
    ledger::Ledger,
    loader::Definitions,
    pack::{self, PackError},
    plan::{self, Folder, Lying, Plan, PlanError},
};
use crate::{
    base::{Hold as _, Moment, schema::schema, text},
    config::release::{ReleaseKeyError, Releases},
    files::{DiskError, Files},
    formats::signature::{KeyError, SignatureError},
    net::fetch::{self, FetchError, Limits},
    notices::{
        list,
        notice::{Level, Notice},
    },
    store::Store,
};

/// Where the files of the channel are, below the address of releases.
const FOLDER: &str = "emulator-defs/";
const INDEX: &str = "index.json";
const ARCHIVE: &str = "community-defs.tar.gz";
const SIGNATURE: &str = "community-defs.tar.gz.sig";
/// What each file may weigh and take.
const LIMITS: Limits = Limits { bytes: 8 << 20, timeout: Duration::from_secs(20) };
/// Characters of the notes of a pack.
const NOTES: usize = 500;
/// Characters of the longest version.
const VERSION: usize = 100;
/// How long a good answer for the index is kept, and a bad one.
const BELIEF: [Duration; 2] = [Duration::from_mins(10), Duration::from_mins(1)];

/// Why the channel did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    #[error("This build knows no release address.")]
    NoAddress,
    #[error("The definition pack cannot be verified: {0}.")]
    Key(#[from] ReleaseKeyError),
    #[error("Could not download {name}: {error}.")]
    Fetch {
        /// The file.
        name: &'static str,
        /// Why.
        error: FetchError,
    },
    #[error("The index of the definition packs is not valid.")]
    Index,
    /// The archive is not what the publisher signed; `None` when there is no signature.
    #[error("signature_verification_failed")]
    Signature(#[source] Option<SignatureError>),
    #[error("The definition pack is not valid: {0}.")]
    Pack(#[from] PackError),
    /// The pack is not to be installed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error("The definitions could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

schema! {
    /// Which definition pack is installed and whether there is a newer one.
    pub struct DefinitionStatus {
        bundled_definitions: usize,
        /// The folder of the definitions.
        dir: String,
        /// Files of the pack.
        installed: Vec<String>,
        /// Files of the pack that the user's own files replace.
        kept_local: Vec<String>,
        local_definitions: usize,
        /// Files of the pack that were edited.
        locally_modified: Vec<String>,
        ok: bool,
        problems: Vec<ShownProblem>,
        update: Offer,
        /// Version of the pack.
        version: Option<String>,
    }

    "DefinitionOffer"
    /// What the publisher offers.
    pub struct Offer {
        /// Why that is not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        installed_version: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        notes: Option<String>,
        ok: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        update_available: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    }

    /// A definition pack was installed.
    pub struct PackInstalled {
        /// The folder of the definitions.
        dir: String,
        /// New files.
        installed: Vec<String>,
        /// Files that stay because the user wrote or edited them.
        kept_local: Vec<String>,
        ok: bool,
        removed: Vec<String>,
        updated: Vec<String>,
        version: String,
    }

    /// A definition pack was removed.
    pub struct PackRemoved {
        /// The folder of the definitions.
        dir: String,
        ok: bool,
        removed: Vec<String>,
    }
}

/// The content of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Index {
    version: String,
    notes: String,
}

/// The definition channel.
pub struct Channel {
    store: Store,
    files: Files,
    definitions: Arc<Definitions>,
    releases: Releases,
    now: fn() -> Moment,
    /// One change at a time.
    work: Mutex<()>,
    /// The last answer for the index, or the error.
    seen: Mutex<Option<(Instant, Result<Index, String>)>>,
}

impl Channel {
    /// The channel of these definitions.
    pub fn new(
        store: Store,
        files: Files,
        definitions: Arc<Definitions>,
        releases: Releases,
    ) -> Self {
        let (work, seen) = (Mutex::default(), Mutex::default());
        Self { store, files, definitions, releases, now: Moment::now, work, seen }
    }

    /// What is installed and whether there is something newer (`GET
    /// /api/v2/emulators/defs/status`). Asks the publisher when the last look is old.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn status(&self, gathered: &Gathered) -> Result<DefinitionStatus, ChannelError> {
        let ledger = self.definitions.ledger()?;
        let known = ledger.clone().unwrap_or_default();
        let lying = self.folder(known.installed.keys().collect())?;
        let modified = lying.iter().filter(|(name, lying)| match lying {
            Lying::File(content) => !known.owns(name, content),
            Lying::Other => true,
        });
        let locally_modified = modified.map(|(name, _)| name.clone()).collect();
        let version = ledger.map(|ledger| ledger.version);
        Ok(DefinitionStatus {
            bundled_definitions: bundled::definitions().len(),
            dir: self.dir(),
            installed: known.installed.into_keys().collect(),
            kept_local: known.kept_local,
            local_definitions: gathered.own_files,
            locally_modified,
            ok: true,
            problems: gathered.shown_problems(),
            update: Offer::of(self.remembered(), version.clone()),
            version,
        })
    }

    /// What the publisher offers (`GET /api/v2/emulators/defs/update`). Writes nothing.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn check(&self) -> Result<Offer, ChannelError> {
        let ledger = self.definitions.ledger()?;
        Ok(Offer::of(self.look(), ledger.map(|ledger| ledger.version)))
    }

    /// Loads, verifies and installs the published pack (`POST /api/v2/emulators/defs/update`).
    ///
    /// # Errors
    /// [`ChannelError`]; nothing changed then.
    pub fn update(&self) -> Result<PackInstalled, ChannelError> {
        let _work = self.work.hold();
        // Nothing is signed with a key that was never made: what is published is refused as forged.
        let key = match &self.releases.key {
            Ok(key) => Some(key),
            Err(ReleaseKeyError::Key(KeyError::Placeholder)) => None,
            Err(error) => return Err(ChannelError::Key(*error)),
        };
        let index = self.index()?;
        let archive = self.load(ARCHIVE)?;
        let signature = match self.load(SIGNATURE) {
            Err(ChannelError::Fetch { error: FetchError::Status(404 | 410), .. }) => None,
            other => Some(other?),
        };
        let verified = match (&signature, key) {
            (None, _) => Err(None),
            (_, None) => Err(Some(SignatureError::Forged)),
            (Some(signature), Some(key)) => key.verify(signature, ARCHIVE, &archive).map_err(Some),
        };
        verified.map_err(|error| {
            self.warn(&index.version);
            ChannelError::Signature(error)
        })?;
        let pack = pack::read(&archive)?;
        Site::new(&self.files, self.definitions.folder()).recover()?;
        let old = self.definitions.ledger()?;
        let owned = old.iter().flat_map(|old| old.installed.keys());
        let lying = self.folder(pack.files.keys().chain(owned).collect())?;
        let plan = plan::install(&pack, &index.version, &lying, old.as_ref())?;
        self.carry_out(&plan, old.as_ref())?;
        // Report what was kept as it was carried out: a file may have been edited meanwhile.
        let ledger = self.definitions.ledger()?.unwrap_or_default();
        let is_kept = |name: &String| ledger.kept_local.contains(name);
        let written = |is_new: bool| -> Vec<String> {
            let written = plan.write.iter().filter(|(_, (_, old))| old.is_none() == is_new);
            written.map(|(name, _)| name).filter(|name| !is_kept(name)).cloned().collect()
        };
        *self.seen.hold() = Some((Instant::now(), Ok(index.clone())));
        Ok(PackInstalled {
            dir: self.dir(),
            installed: written(true),
            updated: written(false),
            kept_local: ledger.kept_local,
            ok: true,
            removed: plan.remove.into_keys().collect(),
            version: index.version,
        })
    }

    /// Removes what the channel installed (`POST /api/v2/emulators/defs/rollback`). Files that were
    /// edited stay.
    ///
    /// # Errors
    /// When the disk refuses; nothing changed then.
    pub fn roll_back(&self) -> Result<PackRemoved, ChannelError> {
        let _work = self.work.hold();
        Site::new(&self.files, self.definitions.folder()).recover()?;
        let mut removed = Vec::new();
        if let Some(old) = self.definitions.ledger()? {
            let plan = plan::roll_back(&self.folder(old.installed.keys().collect())?, &old);
            self.carry_out(&plan, Some(&old))?;
            removed = plan.remove.into_keys().collect();
        }
        Ok(PackRemoved { dir: self.dir(), ok: true, removed })
    }

    fn dir(&self) -> String {
        self.definitions.folder().to_string_lossy().into_owned()
    }

    fn carry_out(&self, plan: &Plan, old: Option<&Ledger>) -> Result<(), DiskError> {
        let site = Site::new(&self.files, self.definitions.folder());
        self.definitions.hold(|| site.carry_out(plan, old))
    }

    /// What lies in the folder under these names.
    fn folder(&self, names: BTreeSet<&String>) -> Result<Folder, DiskError> {
        let site = Site::new(&self.files, self.definitions.folder());
        let mut folder = Folder::new();
        for name in names {
            if let Some(lying) = site.lying(name)? {
                folder.insert(name.clone(), lying);
            }
        }
        Ok(folder)
    }

    /// The last answer for the index while it is fresh, else a new one.
    fn remembered(&self) -> Result<Index, String> {
        let seen = self.seen.hold().clone().filter(|(at, outcome)| {
            let [good, bad] = BELIEF;
            at.elapsed() < if outcome.is_ok() { good } else { bad }
        });
        seen.map_or_else(|| self.look(), |(_, outcome)| outcome)
    }

    fn look(&self) -> Result<Index, String> {
        let outcome = self.index().map_err(|error| {
            log::info!("{error}");
            error.to_string()
        });
        *self.seen.hold() = Some((Instant::now(), outcome.clone()));
        outcome
    }

    fn index(&self) -> Result<Index, ChannelError> {
        let read: Value =
            serde_json::from_slice(&self.load(INDEX)?).map_err(|_| ChannelError::Index)?;
        let version = match &read["version"] {
            Value::String(version) => version.trim().to_owned(),
            Value::Number(version) => version.to_string(),
            _ => return Err(ChannelError::Index),
        };
        let is_version = !version.is_empty()
            && version.chars().count() <= VERSION
            && !version.chars().any(char::is_control);
        if !is_version {
            return Err(ChannelError::Index);
        }
        let notes = text::cut(read["notes"].as_str().unwrap_or_default(), NOTES).to_owned();
        Ok(Index { version, notes })
    }

    fn load(&self, name: &'static str) -> Result<Vec<u8>, ChannelError> {
        let address = self.releases.address.as_deref().ok_or(ChannelError::NoAddress)?;
        fetch::load(&format!("{address}{FOLDER}{name}"), &LIMITS)
            .map_err(|error| ChannelError::Fetch { name, error })
    }

    /// Warns the user that an unsigned pack was published.
    fn warn(&self, version: &str) {
        let now = (self.now)();
        let body = format!(
            "The definition pack {version} is not signed with the release key. Nothing was changed."
        );
        let title = "Emulator definitions were refused";
        let notice =
            Notice::new("security", Level::Error, title, &body, &now).source("emulator-defs");
        let saved = self.store.change(|draft| list::add(draft, notice, &now));
        if let Err(error) = saved {
            log::error!("a refused definition pack could not be reported: {error}");
        }
    }
}

impl Offer {
    fn of(seen: Result<Index, String>, installed_version: Option<String>) -> Self {
        match seen {
            Ok(index) => Self {
                error: None,
                notes: Some(index.notes),
                ok: true,
                update_available: Some(
                    installed_version
                        .as_ref()
                        .is_none_or(|known| plan::is_newer(&index.version, known)),
                ),
                installed_version,
                version: Some(index.version),
            },
            Err(error) => Self {
                error: Some(error),
                installed_version,
                notes: None,
                ok: false,
                update_available: None,
                version: None,
            },
        }
    }
}
