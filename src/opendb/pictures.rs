//! The pictures of the database: boxes, scenes and titles, by the name of the game.
//!
//! A folder of the server is listed once and kept for a week, so that pictures which are not there are not
//! asked for. Without the list they are asked for by their name, and for an hour the list is not asked for
//! again.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use percent_encoding::percent_decode_str;

use super::database::{Row, rank};
use crate::{
    base::Hold as _,
    feature::Deps,
    metadb::normal::normalise,
    net::location::percent_encoded,
    providers::{
        OPENDB, OPENDB_IMAGES, ProviderError, Providers, Request, cache::Cache, client::Picture,
        error::Cancel,
    },
};

/// How long a list is good.
const LIFE: Duration = Duration::from_hours(7 * 24);
/// How long a list that is not there is not asked for again.
const ABSENCE: Duration = Duration::from_hours(1);
/// Bytes of the largest list.
const LIST_BYTES: u64 = 32 << 20;
/// From the connection to the last byte of a list.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Pictures of one list.
const NAMES: usize = 100_000;
/// Pictures of a game that are offered for one kind.
const OFFERED: usize = 12;

/// A kind of picture: the field of the game, and the folder that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The media field.
    pub field: &'static str,
    /// Its name at the provider.
    pub folder: &'static str,
}

/// Every kind that there is.
pub const KINDS: [Kind; 3] = [
    Kind { field: "cover", folder: "Named_Boxarts" },
    Kind { field: "screenshots", folder: "Named_Snaps" },
    Kind { field: "title_screen", folder: "Named_Titles" },
];

/// The kind of a field.
pub fn kind_of(field: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.field == field)
}

/// Loads the pictures of the database.
pub struct Pictures {
    providers: Arc<Providers>,
    lists: Cache,
    /// Addresses of lists that were not there, since when, and why.
    absent: Mutex<HashMap<String, (Instant, ProviderError)>>,
}

impl Pictures {
    pub(super) fn new(providers: Arc<Providers>, deps: &Deps) -> Self {
        let lists = Cache::lasting(deps.files.clone(), deps.data_dir.opendb_cache(), LIFE);
        Self { providers, lists, absent: Mutex::default() }
    }

    /// The names of the pictures of a game, the best first: its own, then those of other regions, then
    /// those of other revisions. Those that are not on the server are left out, as far as that is known.
    ///
    /// # Errors
    /// [`ProviderError::Stopped`] alone.
    pub fn names(
        &self,
        row: &Row,
        kind: &Kind,
        regions: &[String],
        cancel: Cancel<'_>,
    ) -> Result<Vec<String>, ProviderError> {
        let own = file_name(&row.name);
        match self.list(&row.set, kind, cancel) {
            Ok(list) => Ok(of_game(&list, &own, regions)),
            Err(ProviderError::Stopped) => Err(ProviderError::Stopped),
            Err(error) => {
                log::info!("{}: without a list of pictures: {error}", OPENDB.id);
                Ok(vec![own])
            }
        }
    }

    /// The address of a picture; it is also the name for clients.
    pub fn address(&self, set: &str, kind: &Kind, name: &str) -> String {
        self.providers.address(OPENDB_IMAGES, &path(set, kind, &format!("{name}.png")))
    }

    /// Loads a picture by its name.
    ///
    /// # Errors
    /// [`ProviderError`].
    pub fn load(
        &self,
        set: &str,
        kind: &Kind,
        name: &str,
        cancel: Cancel<'_>,
    ) -> Result<Picture, ProviderError> {
        let path = path(set, kind, &format!("{name}.png"));
        self.providers.picture(&OPENDB, OPENDB_IMAGES, &path, cancel)
    }

    /// The names of all pictures of a kind.
    fn list(
        &self,
        set: &str,
        kind: &Kind,
        cancel: Cancel<'_>,
    ) -> Result<Vec<String>, ProviderError> {
        let question = [("set", set), ("folder", kind.folder)];
        if let Some(list) = self.lists.get(&question) {
            return Ok(list);
        }
        let path = path(set, kind, "");
        let known = self.absent.hold().get(&path).cloned();
        if let Some((_, error)) = known.filter(|(since, _)| since.elapsed() < ABSENCE) {
            return Err(error);
        }
        let list = self.ask_list(&path, cancel).inspect_err(|error| {
            // What may pass is asked for again.
            if !error.is_passing() && *error != ProviderError::Stopped {
                self.absent.hold().insert(path.clone(), (Instant::now(), error.clone()));
            }
        })?;
        self.lists.put(&question, &list);
        Ok(list)
    }

    fn ask_list(&self, path: &str, cancel: Cancel<'_>) -> Result<Vec<String>, ProviderError> {
        let request = Request {
            provider: &OPENDB,
            base_url: OPENDB_IMAGES,
            path,
            headers: Vec::new(),
            timeout: TIMEOUT,
        };
        let stream = self.providers.open(&request, cancel)?;
        let head = stream.head().clone();
        if head.status != 200 {
            return Err(ProviderError::Status { status: head.status, reason: head.reason });
        }
        let bytes = stream.read_all(LIST_BYTES, cancel)?;
        let list = links(&String::from_utf8_lossy(&bytes));
        if list.is_empty() {
            return Err(ProviderError::Nonsense);
        }
        Ok(list)
    }
}

/// Where a picture lies.
fn path(set: &str, kind: &Kind, file: &str) -> String {
    format!("/{}/{}/{}", percent_encoded(set), kind.folder, percent_encoded(file))
}

/// The name of a picture: that of the game, with `_` for characters that file names may not have.
pub fn file_name(name: &str) -> String {
    let is_barred = |letter: char| "&*/:`<>?\\|\"".contains(letter) || letter.is_control();
    name.chars().map(|letter| if is_barred(letter) { '_' } else { letter }).collect()
}

/// The pictures that a page lists, without their extension.
fn links(page: &str) -> Vec<String> {
    let mut names = Vec::new();
    for part in page.split("href=\"").skip(1).take(NAMES) {
        let Some((link, _)) = part.split_once('"') else { continue };
        let name = decoded(link);
        let Some(name) = name.as_deref().and_then(|name| name.strip_suffix(".png")) else {
            continue;
        };
        let name = name.trim_start_matches("./");
        // A link that leads elsewhere is not a picture of this folder.
        if !name.is_empty() && !name.contains(['/', '\\']) {
            names.push(name.to_owned());
        }
    }
    names
}

/// A link without percent signs and without entities; `None` for what is not text.
fn decoded(link: &str) -> Option<String> {
    let link = link.replace("&amp;", "&").replace("&#39;", "'");
    percent_decode_str(&link).decode_utf8().ok().map(Cow::into_owned)
}

/// The pictures of a list that show a game, the best first.
fn of_game(list: &[String], own: &str, regions: &[String]) -> Vec<String> {
    let title = normalise(own);
    let is_own = |name: &&String| name.as_str() == own;
    let mut same: Vec<&String> = list
        .iter()
        .filter(|name| is_own(name) || (!title.is_empty() && normalise(name) == title))
        .collect();
    same.sort_by_cached_key(|name| (!is_own(name), rank(name, regions), (*name).clone()));
    same.into_iter().take(OFFERED).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_games_become_names_of_files() {
        let name = "Tom & Jerry: A \"Tail\" * <1>/2? `x` \\ | (USA)";
        assert_eq!(file_name(name), "Tom _ Jerry_ A _Tail_ _ _1__2_ _x_ _ _ (USA)");
        let path = path("Sega - 32X", &KINDS[0], "A _ B.png");
        assert_eq!(path, "/Sega%20-%2032X/Named_Boxarts/A%20_%20B.png");
    }

    #[test]
    fn a_page_lists_pictures_of_its_folder_only() {
        let page = "<a href=\"../\">..</a><a href=\"Comet%20%28USA%29.png\">x</a>\
            <a href=\"Q%26A.png\"></a><a href=\"Tom &amp; Co.png\"><a href=\"/x/Other.png\">\
            <a href=\"https://elsewhere/y.png\"><a href=\"%ff.png\"><a href=\"read.txt\"><a href=\"";
        assert_eq!(links(page), ["Comet (USA)", "Q&A", "Tom & Co"]);
    }

    #[test]
    fn other_regions_stand_in_and_then_other_revisions() {
        let list = [
            "Comet (Europe) (Rev 1)",
            "Comet (Europe)",
            "Comet (Japan)",
            "Comet (Beta)",
            "Comet 2 (USA)",
        ]
        .map(str::to_owned);
        let regions = ["Japan", "Europe"].map(str::to_owned);
        // A beta is another title.
        let expected = ["Comet (Japan)", "Comet (Europe)", "Comet (Europe) (Rev 1)"];
        assert_eq!(of_game(&list, "Comet (USA)", &regions), expected);
        let own = of_game(&list, "Comet (Europe) (Rev 1)", &regions);
        assert_eq!(own[0], "Comet (Europe) (Rev 1)");
        assert!(of_game(&list, "Nothing", &regions).is_empty());
    }
}
