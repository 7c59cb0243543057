//! One game of a store, installed or only owned, and its forms: a row of the library and
//! an entry of the catalog.

use std::collections::BTreeMap;

use serde_json::json;

use crate::{
    base::{Moment, schema::schema},
    imports::{Incoming, brought, incoming::not_installed},
    model::Record,
};

/// A game as its store knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Title {
    /// Its id in the store.
    pub id: String,
    /// The field of a row that holds the id.
    pub id_key: &'static str,
    /// Its name.
    pub name: String,
    /// The name the store gives to a game without one; blank when it has all names.
    pub stand_in: String,
    /// The source of its row.
    pub source: String,
    /// The name of the store.
    pub label: String,
    /// The inner store, for a store of stores.
    pub inner: Option<String>,
    /// Its platform.
    pub platform: String,
    /// Whether it is on this machine.
    pub is_installed: bool,
    /// What installs it when opened.
    pub install_uri: String,
    /// The program that starts it.
    pub path: String,
    /// The command that starts it, or offers to install it.
    pub launch: String,
    /// Its folder; blank when unknown.
    pub install_dir: String,
    /// A cover the store keeps; blank without one.
    pub cover: String,
    /// More fields of its row and entry: key and text, none blank.
    pub more: Vec<(&'static str, String)>,
    /// Seconds it was played, as the store counts; zero when unknown.
    pub played_seconds: u64,
    /// Local time of the last play; blank when unknown.
    pub last_played: String,
    /// Commands of programs that could start it and are not installed now.
    pub gone: Vec<String>,
}

impl Title {
    /// The row that an import of installed games makes.
    pub fn installed(&self) -> Incoming {
        let mut incoming = self.incoming();
        incoming.record.set("store_installed", true);
        incoming
    }

    /// The row that an import from the catalog makes. One that is not installed says so in a note.
    pub fn owned(&self, now: &Moment) -> Incoming {
        let mut incoming = self.incoming();
        let row = &mut incoming.record;
        row.set("store_catalog", true);
        row.set("owned", true);
        row.set("store_installed", self.is_installed);
        if !self.is_installed {
            let text = not_installed(&self.label);
            row.set("notes", json!([{"ts": now.local_iso(), "text": text}]));
        }
        incoming
    }

    fn incoming(&self) -> Incoming {
        let mut record = Record::default();
        for (key, value) in [
            ("name", &self.name),
            ("platform", &self.platform),
            ("source", &self.source),
            ("collection", &self.source),
            ("path", &self.path),
            ("launch", &self.launch),
            (self.id_key, &self.id),
        ] {
            record.set(key, value.as_str());
        }
        for (key, value) in [("install_dir", &self.install_dir), ("cover", &self.cover)] {
            if !value.is_empty() {
                record.set(key, value.as_str());
            }
        }
        if let Some(inner) = &self.inner {
            record.set("store_b_source", inner.as_str());
        }
        for (key, value) in &self.more {
            record.set(key, value.as_str());
        }
        brought::note(&mut record, &self.label, self.played_seconds, &self.last_played);
        let (label, stand_in) = (self.label.clone(), self.stand_in.clone());
        Incoming { record, label, stand_in, gone: self.gone.clone(), ..Incoming::default() }
    }

    /// The entry of the catalog; `game_id` is that of the game of the library it is, empty for
    /// none, and `excluded` says whether imports leave it out.
    pub fn into_entry(self, game_id: String, excluded: bool) -> CatalogEntry {
        let mut more: BTreeMap<String, String> =
            self.more.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        more.insert(self.id_key.to_owned(), self.id.clone());
        more.extend(self.inner.map(|inner| ("store_b_source".to_owned(), inner)));
        CatalogEntry {
            excluded,
            game_id,
            id: self.id,
            install_dir: self.install_dir,
            install_uri: self.install_uri,
            installed: self.is_installed,
            launch: self.launch,
            more,
            name: self.name,
            path: self.path,
            platform: self.platform,
            source: self.source,
        }
    }
}

schema! {
    /// A title in the catalog of its store.
    pub struct CatalogEntry {
        excluded: bool,
        game_id: String,
        id: String,
        install_dir: String,
        install_uri: String,
        installed: bool,
        launch: String,
        /// More fields of its record.
        #[serde(flatten)]
        more: BTreeMap<String, String>,
        name: String,
        path: String,
        platform: String,
        source: String,
    }
}
