//! A version of a game's saves in the mounted folder: who made it, when, which versions it follows, and
//! which archive holds it. It never changes, and its id is the hash of everything else in it.

use serde_json::{Map, Value, json};

use crate::{
    base::text,
    mounted::{
        canonical::{self, ID},
        graph::Node,
    },
};

/// The key that all versions of one folder share.
const KEY: &str = "saves";
/// Versions that one version follows.
const PARENTS: usize = 64;
/// Characters of a name or a time.
const CHARS: usize = 200;

/// One version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// The hash of everything else.
    pub id: String,
    /// The id of the device that made it.
    pub device: String,
    /// The name of that device.
    pub device_name: String,
    /// When, ISO 8601 in UTC.
    pub at: String,
    /// Seconds that the game had been played there.
    pub playtime: u64,
    /// The versions it follows, sorted.
    pub parents: Vec<String>,
    /// The hash over the names and bytes of its files.
    pub content: String,
    /// The SHA-256 of its archive.
    pub archive: String,
    /// Bytes of its archive.
    pub size: u64,
    /// Files in it.
    pub files: u64,
    /// The member of its archive that is a picture of the game; empty without one.
    pub picture: String,
}

impl Node for Version {
    fn key(&self) -> &str {
        KEY
    }

    fn parents(&self) -> &[String] {
        &self.parents
    }

    fn sequence(&self) -> u64 {
        self.playtime
    }
}

impl Version {
    /// The version with its id.
    pub(super) fn sealed(mut self) -> Self {
        self.parents.sort();
        self.parents.dedup();
        self.device_name = text::cut(&self.device_name, CHARS).to_owned();
        self.id = canonical::id_of(&self.fields());
        self
    }

    /// As the bytes of its file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut fields = self.fields();
        fields.insert(ID.to_owned(), json!(self.id));
        canonical::text(&fields)
    }

    fn fields(&self) -> Map<String, Value> {
        let picture = Some(&self.picture).filter(|name| !name.is_empty());
        let picture = picture.map(|name| ("picture".to_owned(), json!(name)));
        let fields = [
            ("device_id".to_owned(), json!(self.device)),
            ("device_name".to_owned(), json!(self.device_name)),
            ("at".to_owned(), json!(self.at)),
            ("playtime_seconds".to_owned(), json!(self.playtime)),
            ("parents".to_owned(), json!(self.parents)),
            ("content".to_owned(), json!(self.content)),
            ("archive".to_owned(), json!(self.archive)),
            ("size".to_owned(), json!(self.size)),
            ("files".to_owned(), json!(self.files)),
        ];
        fields.into_iter().chain(picture).collect()
    }

    /// Reads a file of this id; `None` when it does not belong to this version of the program, or has not
    /// arrived completely. Keys that are not known belong to the hash and are skipped.
    pub(super) fn read(id: &str, bytes: &[u8]) -> Option<Self> {
        let fields: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
        let text = |key: &str| {
            let text = fields.get(key)?.as_str()?;
            (text.len() <= CHARS * 4).then(|| text.to_owned())
        };
        let hash = |key: &str| text(key).filter(|hash| canonical::is_id(hash));
        let number = |key: &str| fields.get(key)?.as_u64();
        let parents = fields.get("parents")?.as_array()?;
        let parents: Option<Vec<String>> = parents
            .iter()
            .map(|parent| parent.as_str().filter(|id| canonical::is_id(id)).map(str::to_owned))
            .collect();
        let is_whole = hash(ID)? == id && canonical::id_of(&fields) == id;
        let version = Self {
            id: id.to_owned(),
            device: text("device_id")?,
            device_name: text("device_name")?,
            at: text("at")?,
            playtime: number("playtime_seconds")?,
            parents: parents.filter(|parents| parents.len() <= PARENTS)?,
            content: hash("content")?,
            archive: hash("archive")?,
            size: number("size")?,
            files: number("files")?,
            picture: text("picture").unwrap_or_default(),
        };
        is_whole.then_some(version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version() -> Version {
        let hash = |letter: char| letter.to_string().repeat(64);
        Version {
            device: "d".into(),
            device_name: "Deck".into(),
            at: "2026-01-01T00:00:00Z".into(),
            playtime: 60,
            parents: vec![hash('b'), hash('a'), hash('b')],
            content: hash('c'),
            archive: hash('d'),
            size: 9,
            files: 1,
            picture: "roots/0/thumb.png".into(),
            ..Version::default()
        }
        .sealed()
    }

    #[test]
    fn a_version_comes_back_whole_or_not_at_all() {
        let version = version();
        let bytes = version.to_bytes();
        assert_eq!(version.parents.len(), 2);
        assert_eq!(Version::read(&version.id, &bytes), Some(version.clone()));
        for cut in 0..bytes.len() {
            assert_eq!(Version::read(&version.id, &bytes[..cut]), None, "cut at {cut}");
        }
        let changed = String::from_utf8(bytes).expect("text").replace("Deck", "Desk");
        assert_eq!(Version::read(&version.id, changed.as_bytes()), None);
        assert_eq!(Version::read(&"0".repeat(64), &version.to_bytes()), None);
    }

    #[test]
    fn the_id_depends_on_everything() {
        let one = version();
        let other = Version { playtime: 61, ..one.clone() }.sealed();
        assert_ne!(one.id, other.id);
    }
}
