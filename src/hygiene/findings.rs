//! Problems of the pictures of games: missing pictures and files, small ones, wrong proportions, duplicate covers.
//!
//! Sizes come from the first bytes of the files. No server is asked.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs::File,
    io::Read as _,
};

use sha1::{Digest as _, Sha1};

use super::picture_size;
use crate::{
    artgrid::artwork,
    base::{ids, named::named, schema::schema},
    model::{Record, State, origins::Right},
    probe::media_roots::{MediaPathError, MediaRoots},
};

/// The fields that are examined.
pub const FIELDS: [&str; 6] = ["cover", "hero", "background", "clear_logo", "icon", "banner"];
/// What a computed proportion may be off by.
const ROUNDING: f64 = 1e-9;
/// Pixels of the shorter side below which a picture is small.
pub const LOW_RES: u32 = 200;

named! {
    /// A kind of finding.
    pub enum Issue {
        /// A game without a cover.
        MissingCover = "missing_cover",
        /// A picture whose file is gone.
        MissingFile = "missing_file",
        /// A picture with few pixels.
        LowRes = "low_res",
        /// A picture whose proportions are those of something else.
        WrongAspect = "wrong_aspect",
        /// A cover that another game has too.
        Duplicate = "duplicate",
    }
}

impl Issue {
    fn label(self) -> &'static str {
        match self {
            Self::MissingCover => "Missing cover",
            Self::MissingFile => "Missing file",
            Self::LowRes => "Low resolution",
            Self::WrongAspect => "Wrong aspect ratio",
            Self::Duplicate => "Duplicate cover",
        }
    }

    fn action(self) -> &'static str {
        match self {
            Self::MissingCover | Self::LowRes | Self::WrongAspect => "replace",
            Self::MissingFile => "clear",
            Self::Duplicate => "review",
        }
    }
}

schema! {
    "ArtworkIssue"
    /// Something that is wrong with a picture.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Finding {
        pub issue: Issue,
        /// The same for people, in English.
        pub label: &'static str,
        /// What should be done: `replace`, `clear` or `review`.
        pub action: &'static str,
        pub game_id: String,
        pub name: String,
        /// The media field.
        pub field: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub path: Option<String>,
        /// Pixels.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub width: Option<u32>,
        /// Pixels.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub height: Option<u32>,
        /// Width by height, three decimal places.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub aspect: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub expected_aspect: Option<f64>,
        /// SHA-1 of the file.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub digest: Option<String>,
        /// Whether the field is locked, so that a fix leaves it alone.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub locked: bool,
    }

    "ArtworkIssueCounts"
    /// How many findings of each kind there are.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Counts {
        pub missing_cover: usize,
        pub missing_file: usize,
        pub low_res: usize,
        pub wrong_aspect: usize,
        pub duplicate: usize,
    }

    "SharedCover"
    /// A cover that several games have.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Shared {
        /// SHA-1 of the file.
        pub digest: String,
        /// In the order of the library.
        pub games: Vec<SharedBy>,
        pub count: usize,
    }

    /// A game with a shared cover.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SharedBy {
        pub game_id: String,
        pub name: String,
        pub path: String,
    }
}

/// Everything that was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Games that were examined.
    pub scanned: usize,
    /// In the order of the library, then of the fields; shared covers last.
    pub issues: Vec<Finding>,
    /// The most games first.
    pub duplicates: Vec<Shared>,
}

impl Findings {
    /// How many there are of each kind.
    pub fn counts(&self) -> Counts {
        let of = |issue| self.issues.iter().filter(|found| found.issue == issue).count();
        Counts {
            missing_cover: of(Issue::MissingCover),
            missing_file: of(Issue::MissingFile),
            low_res: of(Issue::LowRes),
            wrong_aspect: of(Issue::WrongAspect),
            duplicate: of(Issue::Duplicate),
        }
    }
}

/// Examines the pictures of games: of the first `limit` ones, or only of those that are `wanted`.
pub fn examine(
    state: &State,
    roots: &MediaRoots,
    limit: usize,
    wanted: Option<&HashSet<String>>,
) -> Findings {
    let mut found = Findings::default();
    let mut covers: Vec<(u64, SharedBy)> = Vec::new();
    for game in state.games.iter().take(limit) {
        // Covers of other games count too: what is there twice has two games.
        let is_wanted = wanted.is_none_or(|wanted| wanted.contains(game.id()));
        let record = game.record();
        if is_wanted {
            found.scanned += 1;
        }
        for field in FIELDS {
            if !is_wanted && field != "cover" {
                continue;
            }
            let seen = look(&record, field, roots);
            if let FileState::Picture { bytes, .. } = seen
                && field == "cover"
            {
                let path = record.text(field).to_owned();
                let (game_id, name) = (game.id().to_owned(), game.name().to_owned());
                covers.push((bytes, SharedBy { game_id, name, path }));
            }
            if is_wanted {
                found.issues.extend(judge(&record, field, &seen).into_iter().map(|issue| {
                    let locked = artwork::is_held(&record, field, Right::Pass);
                    Finding { locked, ..issue }
                }));
            }
        }
    }
    found.duplicates = shared(covers, roots);
    for group in &found.duplicates {
        for game in &group.games {
            if wanted.is_none_or(|wanted| wanted.contains(&game.game_id)) {
                let of = (game.game_id.clone(), game.name.clone());
                let digest = Some(group.digest.clone());
                let path = Some(game.path.clone());
                let finding = finding(Issue::Duplicate, of, "cover");
                let record = state.games.find(&game.game_id).map(|(_, game)| game.record());
                let locked = record.is_some_and(|it| artwork::is_held(&it, "cover", Right::Pass));
                found.issues.push(Finding { path, digest, locked, ..finding });
            }
        }
    }
    if let Some(wanted) = wanted {
        found.duplicates.retain(|group| group.games.iter().any(|it| wanted.contains(&it.game_id)));
    }
    found
}

/// What a field of a game leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileState {
    /// Nothing is set.
    Unset,
    /// The file is gone.
    Gone,
    /// It lies in a folder that is not searched.
    Unknown,
    /// A file, with its pixels when it is a picture.
    Picture { bytes: u64, size: Option<(u32, u32)> },
}

fn look(record: &Record, field: &str, roots: &MediaRoots) -> FileState {
    let path = record.text(field);
    if path.is_empty() {
        return FileState::Unset;
    }
    let file = match roots.open(path) {
        Ok(file) => file,
        Err(MediaPathError::Missing) => return FileState::Gone,
        Err(_) => return FileState::Unknown,
    };
    let bytes = file.metadata().map_or(0, |found| found.len());
    let mut head = Vec::new();
    let mut reader = file.take(picture_size::LONG_HEAD as u64);
    let mut size = None;
    for length in [picture_size::HEAD, picture_size::LONG_HEAD] {
        let more = length - head.len();
        if reader.by_ref().take(more as u64).read_to_end(&mut head).is_err() {
            return FileState::Unknown;
        }
        size = picture_size::of(&head);
        // Only a JPEG may have its size further behind.
        if size.is_some() || head.len() < length || !head.starts_with(&[0xff, 0xd8]) {
            break;
        }
    }
    FileState::Picture { bytes, size }
}

/// The proportions that a field should have, and by how much they may differ.
fn expected(field: &str) -> Option<(f64, f64)> {
    match field {
        "cover" => Some((0.75, 0.16)),
        "hero" | "background" => Some((1.778, 0.35)),
        "banner" => Some((2.140, 0.35)),
        _ => None,
    }
}

fn finding(issue: Issue, (game_id, name): (String, String), field: &'static str) -> Finding {
    Finding {
        issue,
        label: issue.label(),
        action: issue.action(),
        game_id,
        name,
        field,
        path: None,
        width: None,
        height: None,
        aspect: None,
        expected_aspect: None,
        digest: None,
        locked: false,
    }
}

/// What is wrong with what a field leads to.
fn judge(record: &Record, field: &'static str, seen: &FileState) -> Vec<Finding> {
    let of = || (record.text("game_id").to_owned(), record.text("name").to_owned());
    let path = || Some(record.text(field).to_owned());
    let mut found = Vec::new();
    match *seen {
        FileState::Unset if field == "cover" => {
            found.push(finding(Issue::MissingCover, of(), field));
        }
        FileState::Gone => {
            found.push(Finding { path: path(), ..finding(Issue::MissingFile, of(), field) });
        }
        FileState::Picture { size: Some((width, height)), .. } => {
            let sized = |issue| Finding {
                path: path(),
                width: Some(width),
                height: Some(height),
                ..finding(issue, of(), field)
            };
            if width.min(height) < LOW_RES {
                found.push(sized(Issue::LowRes));
            }
            let aspect = f64::from(width) / f64::from(height);
            if let Some((wanted, tolerance)) = expected(field)
                && (aspect - wanted).abs() > tolerance + ROUNDING
            {
                let aspect = Some((aspect * 1_000.0).round() / 1_000.0);
                let expected_aspect = Some(wanted);
                found.push(Finding { aspect, expected_aspect, ..sized(Issue::WrongAspect) });
            }
        }
        FileState::Unset | FileState::Unknown | FileState::Picture { size: None, .. } => {}
    }
    found
}

/// Covers with the same bytes. Only files of the same length are read.
fn shared(covers: Vec<(u64, SharedBy)>, roots: &MediaRoots) -> Vec<Shared> {
    let mut lengths: HashMap<u64, usize> = HashMap::new();
    for (bytes, _) in &covers {
        *lengths.entry(*bytes).or_default() += 1;
    }
    let mut digests: HashMap<String, Option<String>> = HashMap::new();
    let mut groups: BTreeMap<String, Vec<SharedBy>> = BTreeMap::new();
    for (bytes, game) in covers {
        if bytes == 0 || lengths[&bytes] < 2 {
            continue;
        }
        let digest = digests.entry(game.path.clone());
        let digest = digest.or_insert_with(|| digest_of(&game.path, roots)).clone();
        if let Some(digest) = digest {
            groups.entry(digest).or_default().push(game);
        }
    }
    let several = groups.into_iter().filter(|(_, games)| games.len() > 1);
    let mut shared: Vec<Shared> =
        several.map(|(digest, games)| Shared { digest, count: games.len(), games }).collect();
    shared.sort_by_key(|group| std::cmp::Reverse(group.count));
    shared
}

fn digest_of(path: &str, roots: &MediaRoots) -> Option<String> {
    let mut file: File = roots.open(path).ok()?;
    let mut hasher = Sha1::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece).ok()? {
            0 => return Some(ids::hex(&hasher.finalize())),
            count => hasher.update(&piece[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(field: &'static str, width: u32, height: u32, expected: &[Issue]) {
        let record: Record =
            serde_json::from_value(json!({"game_id": "g", "name": "N", field: "/p"}))
                .expect("a record");
        let seen = FileState::Picture { bytes: 1, size: Some((width, height)) };
        let issues: Vec<Issue> =
            judge(&record, field, &seen).into_iter().map(|found| found.issue).collect();
        assert_eq!(issues, expected, "{field} {width} {height}");
    }

    #[test]
    fn pictures_are_judged_by_pixels_and_proportions() {
        check("cover", 600, 900, &[]);
        check("cover", 200, 200, &[Issue::WrongAspect]);
        check("cover", 199, 300, &[Issue::LowRes]);
        check("cover", 91, 100, &[Issue::LowRes]);
        check("cover", 920, 1_000, &[Issue::WrongAspect]);
        check("cover", 590, 1_000, &[]);
        check("cover", 580, 1_000, &[Issue::WrongAspect]);
        check("background", 1_920, 1_080, &[]);
        check("background", 2_200, 1_000, &[Issue::WrongAspect]);
        check("hero", 1_000, 1_000, &[Issue::WrongAspect]);
        check("banner", 460, 215, &[]);
        check("banner", 600, 900, &[Issue::WrongAspect]);
        check("icon", 900, 300, &[]);
        check("clear_logo", 900, 150, &[Issue::LowRes]);
    }

    #[test]
    fn only_a_cover_is_missed() {
        let record: Record = serde_json::from_value(json!({"game_id": "g"})).expect("a record");
        for field in FIELDS {
            let missed = judge(&record, field, &FileState::Unset);
            assert_eq!(missed.len(), usize::from(field == "cover"));
            assert_eq!(judge(&record, field, &FileState::Gone)[0].issue, Issue::MissingFile);
            assert_eq!(judge(&record, field, &FileState::Unknown), []);
            assert_eq!(judge(&record, field, &FileState::Picture { bytes: 3, size: None }), []);
        }
    }
}
