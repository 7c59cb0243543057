//! Opening a list of another program: the lists of each kind, and what is read before their rows.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    error::MigrationError,
    launchbox::{self, Extras, Playlist},
    launchers,
    list_layout::{self, ListLayout},
    merge::Policy,
    options::Options,
    other_lists, paths,
    pictures::PictureCopier,
};
use crate::{
    base::ids,
    files::Files,
    formats::{
        sheet_text,
        xml_rows::{self, Row, Shape},
    },
    imports::Incoming,
    model::Record,
    probe::media_roots::MediaRoots,
    store::Store,
};

/// What a playlist begins with that RetroArch compressed.
const COMPRESSED: &[u8] = b"#RZIPv";
/// Bytes of the lists of a tree.
const MOST_OF_TREE: u64 = 128 << 20;

/// A kind of list.
#[derive(Clone, Copy)]
pub struct ListKind {
    /// The source of its rows.
    pub source: &'static str,
    /// Which lists are read.
    pub shape: Shape,
    /// Bytes of a list.
    pub most_bytes: u64,
    /// The lists at a path, which may be a folder.
    pub lists: fn(&Path) -> Vec<PathBuf>,
    /// Where the games and media of a list below a home are.
    pub layout: fn(&Path, &Path) -> ListLayout,
    /// Whether lists of other kinds are read too.
    pub takes_others: bool,
    /// How its games are merged.
    pub policy: Policy,
    /// Reads a row.
    pub read: Reader,
}

/// Reads a row.
pub type Reader = fn(&Row, &RowContext<'_>) -> Result<Read, &'static str>;

/// What a row is read with.
pub struct RowContext<'a> {
    /// The options of the request.
    pub options: &'a Options,
    /// Where the games and media of the list are.
    pub layout: &'a ListLayout,
    /// What stands around the games.
    pub extras: &'a Extras,
    /// The regions that the user prefers, the best first.
    pub regions: &'a [String],
    /// Makes a path of the list one of this machine.
    pub resolve: &'a dyn Fn(&str) -> String,
}

/// A row that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// The game.
    pub incoming: Incoming,
    /// Elements that mean nothing here.
    pub strange: Vec<String>,
    /// The emulator of the other program.
    pub emulator: String,
}

/// The target of the import of a list.
pub struct Target<'a> {
    /// Disk access.
    pub files: &'a Files,
    /// The home.
    pub home: &'a Path,
    /// The library.
    pub store: &'a Store,
    /// Folders that pictures may lie in.
    pub roots: &'a MediaRoots,
    /// The folder that pictures are copied into.
    pub pictures: PathBuf,
}

impl Target<'_> {
    pub(super) fn copier(&self) -> PictureCopier<'_> {
        let folder = self.pictures.clone();
        PictureCopier { files: self.files, roots: self.roots, folder, home: self.home }
    }
}

/// A list, or the lists of a tree, read.
pub struct List {
    pub(super) kind: ListKind,
    pub(super) label: String,
    pub(super) bytes: u64,
    pub(super) digest: String,
    pub(super) options: Options,
    pub(super) parts: Vec<Part>,
    /// Why lists of a tree were left out, each with the name of its list.
    pub(super) left_out: Vec<String>,
    /// Playlists of the launcher, and collections of the front end, whose games are known by their paths.
    pub(super) playlists: Vec<Playlist>,
    pub(super) home: PathBuf,
}

/// One list.
pub(super) struct Part {
    pub(super) text: String,
    /// Its games, when it is a list of another kind.
    pub(super) others: Option<Vec<Record>>,
    pub(super) extras: Extras,
    pub(super) layout: ListLayout,
    /// What its errors begin with; blank where it is the only one.
    pub(super) label: String,
}

impl List {
    /// The identities of games that one of several lists marks as favourites, for the others.
    pub(super) fn favorites(&self) -> HashSet<String> {
        let mut favorites = HashSet::new();
        for part in self.parts.iter().filter(|_| self.parts.len() > 1) {
            let resolve =
                |path: &str| paths::resolve(path, &self.options, &part.layout, &self.home);
            let games = part.others.iter().flatten().filter(|game| game.flag("favorite"));
            let read = games.filter_map(|game| other_lists::read(game, &resolve).ok());
            favorites.extend(read.map(|game| game.text("source_identity").to_owned()));
        }
        favorites
    }

    /// Reads the list a body names.
    ///
    /// # Errors
    /// [`MigrationError`].
    pub fn open(
        kind: ListKind,
        body: &Map<String, Value>,
        target: &Target<'_>,
    ) -> Result<Self, MigrationError> {
        let text = |key: &str| body.get(key).and_then(Value::as_str).map_or("", str::trim);
        let named = [text("xml_path"), text("gamelist")].into_iter().find(|name| !name.is_empty());
        let path = PathBuf::from(named.ok_or(MigrationError::NoPath)?);
        let given = body.get("options").or_else(|| body.get("plan")?.get("options"));
        let options = Options::read(given)?;
        if !path.is_absolute() || path.as_os_str().len() > 4_096 {
            return Err(MigrationError::Source("xml_path must be an absolute path."));
        }
        let mut list = Self {
            kind,
            label: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            bytes: 0,
            digest: String::new(),
            options,
            parts: Vec::new(),
            left_out: Vec::new(),
            playlists: Vec::new(),
            home: target.home.to_owned(),
        };
        let paths = (kind.lists)(&path);
        if paths.is_empty() {
            return Err(MigrationError::Source("The list must be a file."));
        }
        let is_tree = paths != [path];
        let first = paths[0].clone();
        let mut source = Sha256::new();
        if !kind.takes_others {
            let (playlists, bytes) = launchbox::playlists(&paths[0]);
            source.update(&bytes);
            list.playlists = playlists;
        }
        let mut refused = None;
        for path in paths {
            match list.open_part(&path, is_tree, target, &mut source) {
                Ok(part) => list.parts.push(part),
                Err(error @ MigrationError::TooMuch) => return Err(error),
                Err(error) => {
                    // One of many lists that is damaged does not prevent reading the others.
                    list.left_out.push(format!("{}: {error}", list_layout::name_of_list(&path)));
                    refused.get_or_insert(error);
                }
            }
        }
        if kind.takes_others
            && let Some(part) = list.parts.first()
        {
            let layout = &part.layout;
            let resolve = |line: &String| {
                format!("path:{}", paths::resolve(line, &list.options, layout, &list.home))
            };
            for (name, lines) in list_layout::collections(&first) {
                source.update(json!([name, lines]).to_string());
                let games: Vec<String> = lines.iter().map(resolve).collect();
                list.playlists.push(Playlist { name, games, notes: String::new() });
            }
        }
        list.digest = ids::hex(&source.finalize());
        match refused {
            Some(error) if list.parts.is_empty() => Err(error),
            _ => Ok(list),
        }
    }

    /// Reads one list, whose bytes are added to those that the digest is made of.
    fn open_part(
        &mut self,
        path: &Path,
        is_tree: bool,
        target: &Target<'_>,
        source: &mut Sha256,
    ) -> Result<Part, MigrationError> {
        let kind = self.kind;
        let bytes = paths::read_list(path, kind.most_bytes, target.files)?;
        self.bytes += bytes.len() as u64;
        if self.bytes > MOST_OF_TREE {
            return Err(MigrationError::TooMuch);
        }
        source.update(&bytes);
        if bytes.starts_with(COMPRESSED) {
            return Err(MigrationError::Source(
                "The playlist is compressed. Save it without compression in RetroArch first.",
            ));
        }
        let mut layout = (kind.layout)(path, target.home);
        if !self.options.relative_root.is_empty() {
            let root = Path::new(&self.options.relative_root);
            layout.root = if is_tree { root.join(&layout.system) } else { root.to_owned() };
        }
        let label =
            if is_tree { format!("{}: ", list_layout::name_of_list(path)) } else { String::new() };
        // A database is not text; as one it would only take memory.
        let is_database = launchers::is_database(&bytes);
        let text = if is_database { String::new() } else { sheet_text::decode(&bytes) };
        let others = kind.takes_others.then(|| other_lists::games(path, &bytes, &text)).flatten();
        if is_database && others.is_none() {
            return Err(MigrationError::Source("The database holds no games that are known here."));
        }
        if kind.takes_others && others.is_none() && is_json(&text) {
            let is_yaml =
                path.extension().is_some_and(|ending| ending == "yml" || ending == "yaml");
            return Err(MigrationError::Source(if is_yaml {
                "The YAML file holds no games that are known here."
            } else {
                "The JSON file holds no games that are known here."
            }));
        }
        let extras =
            if kind.takes_others { Extras::default() } else { launchbox::extras(&text, path)? };
        if is_tree && others.is_none() {
            // Read to its end before a row of it is taken: of a damaged list none is.
            xml_rows::each(&text, kind.shape, &mut |_| ())?;
        }
        Ok(Part { text, others, extras, layout, label })
    }
}

/// Whether a text is a value of JSON.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}
