//! Reels: the keepsakes of a game as one film, or as a page where no film can be made.
//!
//! The list of its parts, the manifest, follows from the library and the disk alone, so two runs
//! write the same bytes.

use std::{
    fmt::Write as _,
    fs,
    path::{Component, Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    base::{Moment, calendar::Day, schema::schema, text},
    game::GameRef,
    jobs::JobError,
    model::{Game, State},
};

/// The format of the manifest.
const FORMAT: &str = "service-reel-v1";
/// The name of the program in the title of a year.
const PRODUCT: &str = "Service Launcher";
/// The kinds of entries in their order.
const KINDS: [&str; 3] = ["cover", "clip", "moment"];
/// Entries of the longest reel.
const INPUTS: usize = 64;
/// Seconds that a picture is shown.
const PICTURE_SECONDS: f64 = 3.0;
/// Seconds that any entry is shown at most.
pub(super) const LONGEST_SECONDS: f64 = 60.0;
/// Bytes of the longest manifest.
const MANIFEST_BYTES: usize = 2 << 20;
/// Characters of the name of a reel.
const NAME_CHARS: usize = 80;
/// Years that a reel can be of.
pub const YEARS: (i64, i64) = (1970, 2100);
/// Extensions of pictures.
const PICTURES: [&str; 6] = ["png", "jpg", "jpeg", "webp", "bmp", "gif"];
/// Extensions of films.
const FILMS: [&str; 9] = ["avi", "flv", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "webm"];

/// Why there is no reel.
#[derive(Debug, thiserror::Error)]
pub enum ReelError {
    #[error("Game not found")]
    UnknownGame,
    #[error("year must be a whole number from 1970 to 2100.")]
    Year,
    #[error(transparent)]
    Job(#[from] JobError),
}

schema! {
    /// One entry of a reel.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReelInput {
        #[serde(skip_serializing_if = "Option::is_none")]
        created_at: Option<String>,
        /// Seconds; only of pictures.
        #[serde(skip_serializing_if = "Option::is_none")]
        duration: Option<f64>,
        /// `cover`, `clip` or `moment`.
        kind: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        path: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    }

    "ReelManifest"
    /// What a reel shows, in its order. The same library and the same files give the same manifest.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Manifest {
        format: &'static str,
        inputs: Vec<ReelInput>,
        /// The year, else the id of the game.
        subject: String,
        title: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        year: Option<i64>,
    }
}

impl ReelInput {
    /// The file.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The text shown with it.
    pub(super) fn caption(&self) -> &str {
        self.title.as_deref().unwrap_or_default()
    }

    /// Seconds that a picture is shown; `None` for a film.
    pub(super) fn duration(&self) -> Option<f64> {
        self.duration
    }

    /// An entry, when its file is a picture or a film that is really there.
    fn of(kind: &'static str, path: &str, more: &Value) -> Option<Self> {
        let end = Path::new(path).extension()?.to_string_lossy().to_lowercase();
        let is_picture = PICTURES.contains(&end.as_str());
        let is_video = FILMS.contains(&end.as_str());
        // Neither an address nor a link.
        let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
        if !Path::new(path).is_absolute() || !is_file || !(is_picture || is_video) {
            return None;
        }
        let text =
            |key: &str| more[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let given = more["duration"].as_f64().filter(|seconds| *seconds > 0.0);
        let seconds = given.unwrap_or(PICTURE_SECONDS).min(LONGEST_SECONDS);
        Some(Self {
            created_at: text("created_at"),
            duration: is_picture.then_some(seconds),
            kind,
            note: text("note"),
            path: path.to_owned(),
            title: text("title"),
        })
    }

    fn is_of(&self, year: i64) -> bool {
        let at = self.created_at.as_deref().and_then(Moment::parse);
        // A cover has no time.
        self.kind == "cover" || at.is_some_and(|at| i64::from(Day::utc(&at).year()) == year)
    }
}

impl Manifest {
    /// The manifest of a game; of one year of it when one is given. Asks the disk about every file.
    pub fn of(game: &Game, year: Option<i64>) -> Self {
        let record = game.record();
        let none = json!({});
        let cover = ReelInput::of("cover", record.text("cover"), &none);
        let clips = record
            .list("clips")
            .iter()
            .filter_map(|clip| ReelInput::of("clip", clip["path"].as_str()?, clip));
        let moments = record
            .list("moments")
            .iter()
            .filter_map(|moment| ReelInput::of("moment", moment["screenshot"].as_str()?, moment));
        let mut inputs: Vec<ReelInput> = cover.into_iter().chain(clips).chain(moments).collect();
        if let Some(year) = year {
            inputs.retain(|input| input.is_of(year));
        }
        inputs.sort_by(|one, other| {
            let key = |input: &ReelInput| {
                let at = KINDS.iter().position(|kind| *kind == input.kind);
                (at, input.created_at.clone().unwrap_or_default(), input.path.clone())
            };
            key(one).cmp(&key(other))
        });
        let mut seen = std::collections::HashSet::new();
        inputs.retain(|input| seen.insert((input.kind, input.path.clone())));
        inputs.truncate(INPUTS);
        Self {
            format: FORMAT,
            inputs,
            subject: year.map_or_else(|| game.id().to_owned(), |year| year.to_string()),
            title: match year {
                Some(year) => format!("{PRODUCT} {year}"),
                None => game.name().to_owned(),
            },
            year,
        }
    }

    /// What is shown.
    pub(super) fn inputs(&self) -> &[ReelInput] {
        &self.inputs
    }

    /// The name of the files of the reel, without an extension.
    pub(super) fn file_name(&self) -> String {
        let words = self.subject.split(|letter: char| !letter.is_ascii_alphanumeric());
        let words: Vec<String> =
            words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
        match text::cut(&words.join("-"), NAME_CHARS) {
            "" => "reel".to_owned(),
            name => name.to_owned(),
        }
    }

    /// The manifest as a file: keys in order, two spaces. `None` beyond its bound.
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        // A JSON object of the program keeps its keys in order.
        let value: Value = serde_json::to_value(self).ok()?;
        let mut bytes = serde_json::to_vec_pretty(&value).ok()?;
        bytes.push(b'\n');
        (bytes.len() <= MANIFEST_BYTES).then_some(bytes)
    }

    /// A page that shows the entries, for browsers; `folder` is where it lies.
    pub(super) fn page(&self, folder: &Path) -> String {
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n\
             <style>\nbody {{ background: #111; color: #eee; font-family: sans-serif; margin: 2rem; }}\n\
             figure {{ display: inline-block; margin: 0.5rem; max-width: 30rem; }}\n\
             img, video {{ max-width: 100%; }}\n</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
            escaped(&self.title)
        );
        for input in &self.inputs {
            let link = escaped(&link(folder, Path::new(&input.path)));
            let shown = match input.duration {
                Some(_) => format!("<img src=\"{link}\" alt=\"\">"),
                None => format!("<video src=\"{link}\" controls></video>"),
            };
            let caption = escaped(input.caption());
            let note = escaped(input.note.as_deref().unwrap_or_default());
            // OK because writing to a text never fails.
            let _ = writeln!(
                page,
                "<figure>{shown}<figcaption>{caption}<br>{note}</figcaption></figure>"
            );
        }
        page.push_str("</body>\n</html>\n");
        page
    }
}

/// What a reel of a game would show now.
///
/// # Errors
/// [`ReelError::UnknownGame`].
pub fn manifest(state: &State, game: &GameRef) -> Result<Manifest, ReelError> {
    let (_, game) = game.find(&state.games).ok_or(ReelError::UnknownGame)?;
    Ok(Manifest::of(game, None))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// A link from a file in `folder` to another one, without the name of the machine.
fn link(folder: &Path, path: &Path) -> String {
    let parts = |path: &Path| -> Vec<String> {
        let normal = path.components().filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
            _ => None,
        });
        normal.collect()
    };
    let (from, to) = (parts(folder), parts(path));
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - common);
    let down = to[common..].iter().map(|part| crate::net::location::percent_encoded(part));
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// The folder of reels, and the files of one.
pub(super) struct ReelFiles {
    pub(super) folder: PathBuf,
    pub(super) manifest: PathBuf,
    pub(super) film: PathBuf,
    pub(super) page: PathBuf,
}

impl ReelFiles {
    pub(super) fn of(folder: PathBuf, name: &str) -> Self {
        let file = |end: &str| folder.join(format!("{name}.{end}"));
        Self { manifest: file("manifest.json"), film: file("mp4"), page: file("html"), folder }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;

    fn game(value: Value) -> Game {
        Game::from_json(&value.to_string()).expect("a game")
    }

    #[test]
    fn a_manifest_is_sorted_unique_and_the_same_each_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, name).expect("written");
            path.to_string_lossy().into_owned()
        };
        let (a, b, c) = (file("a.png"), file("b.mp4"), file("c.png"));
        let link = folder.path().join("link.png");
        std::os::unix::fs::symlink(&a, &link).expect("linked");
        let game = game(json!({"game_id": "game-1", "name": "One", "cover": a,
            "clips": [
                {"path": c, "created_at": "2026-02-01T00:00:00Z", "duration": 90},
                {"path": b, "created_at": "2025-01-01T00:00:00Z", "title": "Win", "duration": 5},
                {"path": b, "created_at": "2025-01-01T00:00:00Z"},
                {"path": link}, {"path": "https://example.org/x.mp4"}, {"path": "/gone.mp4"}],
            "moments": [{"screenshot": a, "created_at": "2026-01-01T00:00:00Z", "note": "n"}]}));
        let manifest = Manifest::of(&game, None);
        let kinds: Vec<_> = manifest.inputs.iter().map(|each| (each.kind, &*each.path)).collect();
        assert_eq!(kinds, [("cover", &*a), ("clip", &*b), ("clip", &*c), ("moment", &*a)]);
        assert_eq!(manifest.inputs[2].duration, Some(60.0));
        assert_eq!(manifest.inputs[1].duration, None);
        assert_eq!(manifest.bytes(), Manifest::of(&game, None).bytes());
        let year = Manifest::of(&game, Some(2026));
        assert_eq!((year.subject.as_str(), year.inputs.len()), ("2026", 3));
        assert_eq!(year.title, "Service Launcher 2026");
    }

    #[test]
    fn a_page_links_to_its_neighbours() {
        assert_eq!(
            link(Path::new("/d/reels"), Path::new("/d/media/a b.png")),
            "../media/a%20b.png"
        );
        assert_eq!(link(Path::new("/d/reels"), Path::new("/x/y.png")), "../../x/y.png");
        assert_eq!(escaped("<a&\"b\">"), "&lt;a&amp;&quot;b&quot;&gt;");
    }
}
