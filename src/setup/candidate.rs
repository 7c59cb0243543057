//! One game of a source: the row it would become, and its identity.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    base::ids,
    game::{batches::WrittenFile, duplicates::Identities},
    imports::{
        Incoming,
        incoming::{self, Key},
    },
    model::Record,
};

use super::source::SourceName;

/// A candidate as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// 24 hex digits that stay the same when the source is read again.
    pub id: String,
    /// Its source, by position.
    pub source: usize,
    /// The row it would become, without the stamps of an import.
    pub record: Record,
    /// The name of its store.
    pub label: String,
    /// What names it in its source.
    #[serde(default, skip_serializing_if = "Key::is_nothing")]
    pub named_by: Key,
    /// Whether its path is a file of its own.
    pub is_file: bool,
    /// The name its source gives to games without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stand_in: String,
    /// The file name extension, where only that names the platform.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub extension: String,
    /// Whether the extension leaves the platform open.
    #[serde(default)]
    pub is_ambiguous: bool,
    /// Whether the file starts by itself.
    #[serde(default)]
    pub starts_itself: bool,
    /// Whether it comes from a folder or a list of files, whose rows have no progress.
    #[serde(default)]
    pub is_plain: bool,
    /// Commands that its source would write with programs that are not installed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// The playlists that its versions need, written when it is committed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub playlists: Vec<Playlist>,
    /// Playlists that were written for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<WrittenFile>,
}

/// Discs that need a playlist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Playlist {
    /// Which version of the game it is; 0 is the best.
    pub version: usize,
    /// The title of the discs.
    pub title: String,
    /// The absolute paths of the discs in playing order.
    pub discs: Vec<String>,
}

impl Candidate {
    /// The candidate of a game that an importer read.
    pub fn from_incoming(mut incoming: Incoming) -> Self {
        incoming::set_one_line(&mut incoming.record);
        Self {
            named_by: incoming.key,
            record: incoming.record,
            label: incoming.label,
            is_file: incoming.is_file,
            is_plain: incoming.is_plain,
            stand_in: incoming.stand_in,
            gone: incoming.gone,
            ..Self::default()
        }
    }

    /// Gives it its source and its id.
    pub fn in_source(mut self, source: usize, name: &SourceName) -> Self {
        self.source = source;
        let identity = self.identity();
        let path = self.record.text("path");
        let text = format!("{}|{}|{identity}|{path}", name.kind, name.id);
        self.id = ids::hex(&Sha256::digest(text)[..12]);
        self
    }

    /// Its identity: the ids of its store, its ROM set, else its path, else its name.
    pub fn identity(&self) -> String {
        let mut exact = Identities::of(&self.record).exact;
        exact.sort();
        if let Some(named) = exact.into_iter().next() {
            return named;
        }
        let fold = |key: &str| crate::base::text::fold(self.record.text(key).trim());
        format!("name:{}:{}", fold("name"), fold("platform"))
    }

    /// The game as a merge takes it.
    pub fn incoming(&self) -> Incoming {
        Incoming {
            record: self.record.clone(),
            label: self.label.clone(),
            key: self.named_by,
            is_file: self.is_file,
            is_plain: self.is_plain,
            stand_in: self.stand_in.clone(),
            gone: self.gone.clone(),
            written: self.written.clone(),
        }
    }

    /// The files that it is made of: its discs, else its own file; none for what a program starts.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let own = Some(self.record.text("path"));
        let own = own.filter(|path| self.is_file && !path.is_empty());
        let discs: Vec<&str> = self.record.texts("discs").collect();
        let own = own.filter(|_| discs.is_empty());
        discs.into_iter().chain(own)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn candidate(record: serde_json::Value) -> Candidate {
        let record = serde_json::from_value(record).expect("an object");
        Candidate::from_incoming(Incoming { record, is_file: true, ..Incoming::default() })
    }

    #[test]
    fn an_id_stays_and_tells_sources_apart() {
        let name = |id: &str| SourceName {
            kind: "folder".to_owned(),
            id: id.to_owned(),
            ..SourceName::default()
        };
        let game = candidate(json!({"name": "A", "path": "/r/a.nes"}));
        let one = game.clone().in_source(0, &name("x"));
        assert_eq!(one.id.len(), 24);
        assert_eq!(game.clone().in_source(3, &name("x")).id, one.id);
        assert_ne!(game.in_source(0, &name("y")).id, one.id);
    }

    #[test]
    fn identities_go_from_store_to_name() {
        let identity = |record| candidate(record).identity();
        assert_eq!(identity(json!({"store_a_app_id": "4", "path": "/x"})), "store_a:4");
        assert_eq!(identity(json!({"path": "/a/../b.nes"})), "path:/b.nes");
        assert_eq!(identity(json!({"name": "Ö X", "platform": "NES"})), "name:ö x:nes");
    }

    #[test]
    fn a_candidate_survives_its_file() {
        let mut game = candidate(json!({"path": "/r/a.m3u", "discs": ["/r/1", "/r/2"]}));
        game.named_by = Key::RomName;
        game.playlists =
            vec![Playlist { version: 0, title: "a".to_owned(), discs: vec!["/r/1".to_owned()] }];
        let text = serde_json::to_string(&game).expect("written");
        let read: Candidate = serde_json::from_str(&text).expect("read");
        assert_eq!(read, game);
        assert_eq!(read.files().collect::<Vec<_>>(), ["/r/1", "/r/2"]);
        assert_eq!(read.incoming().key, Key::RomName);
    }
}
