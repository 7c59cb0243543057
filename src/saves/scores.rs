//! Arcade high scores: the files an emulator keeps for a ROM, exported and imported.
//!
//! The bytes of a file are the memory of one arcade board; they are never interpreted. A score file
//! that an import replaces is kept next to the exported ones.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{folder::Saves, places, subject::Subject};
use crate::{
    base::{ids::hex, schema::schema, text::slug},
    files::DiskError,
    platforms,
};
use sha2::{Digest as _, Sha256};

/// The file that says what was exported.
const MANIFEST: &str = "highscores.json";
/// Bytes of a manifest.
const MANIFEST_BYTES: u64 = 1 << 20;
/// Bytes of one score file; real ones have a few hundred.
const SCORE_BYTES: u64 = 16 << 20;
/// Files in one bundle.
const FILES: usize = 1_000;
/// The extension of a score file.
const ENDING: &str = "hi";

schema! {
    /// One score file.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Score {
        /// Its name in the folder of the emulator.
        pub file: String,
        /// Bytes.
        pub size: u64,
        /// Its stem.
        pub label: String,
    }

    "ScoresExported"
    /// Scores that were copied.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Exported {
        /// The copies, absolute.
        pub files: Vec<String>,
        /// The file that lists them, absolute.
        pub manifest: String,
    }
}

/// Why scores were not exported or imported.
#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
    /// The game is not an arcade game, or its ROM is unknown.
    #[error("High scores are available for arcade games only.")]
    NoArcade,
    /// The folder to import is missing or its manifest cannot be used.
    #[error("High score bundle is invalid.")]
    Bundle,
    #[error("No high score files were found in the import bundle.")]
    Nothing,
    #[error("The disk refused: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

/// The ROM whose scores a game has; `None` when it is not an arcade game.
fn rom_of(game: &Subject) -> Option<&str> {
    let rom = if game.rom_name.is_empty() { game.path_stem() } else { game.rom_name.as_str() };
    // The name of an imported file is that of its archive.
    let rom = [".zip", ".7z"].iter().find_map(|end| rom.strip_suffix(end)).unwrap_or(rom);
    let plain = !rom.is_empty() && !rom.contains(['/', '\0']) && !matches!(rom, "." | "..");
    (plain && platforms::has_sets(&game.platform)).then_some(rom)
}

/// Whether a file of this name belongs to a ROM: the ROM itself, or followed by what is not a letter
/// or digit, so that one ROM never takes the scores of another whose name begins alike.
fn belongs(name: &str, rom: &str) -> bool {
    let ending = Path::new(name).extension().is_some_and(|end| end.eq_ignore_ascii_case(ENDING));
    let rest = name.strip_prefix(rom).and_then(|rest| rest.chars().next());
    ending && rest.is_some_and(|letter| !letter.is_alphanumeric())
}

impl Saves {
    /// The score files of a game; none for other games than those of arcades.
    pub fn scores(&self, game: &Subject) -> Vec<Score> {
        let Some(rom) = rom_of(game) else { return Vec::new() };
        let mut found: Vec<Score> = Vec::new();
        for (name, path) in regular_files(&self.score_folder()) {
            if let (true, Ok(stat)) = (belongs(&name, rom), fs::symlink_metadata(&path)) {
                let label = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
                let label = label.to_owned();
                found.push(Score { file: name, size: stat.len(), label });
            }
        }
        found
    }

    /// Copies the score files of a game into the data directory, with a manifest; answers the
    /// copies and the manifest.
    ///
    /// # Errors
    /// [`ScoreError::NoArcade`], or a disk that refuses.
    pub fn export_scores(&self, game: &Subject) -> Result<Exported, ScoreError> {
        let rom = rom_of(game).ok_or(ScoreError::NoArcade)?;
        let files = &self.context.files;
        let folder = self.score_bundle(game, rom);
        files.private_dir(&folder)?;
        let mut copies = Vec::new();
        let mut names = Vec::new();
        for score in self.scores(game) {
            let to = folder.join(&score.file);
            files.copy(&self.score_folder().join(&score.file), &to)?;
            names.push(score.file);
            copies.push(to.to_string_lossy().into_owned());
        }
        let manifest = folder.join(MANIFEST);
        let exported_at = (self.context.now)().utc_iso();
        let text = json!({
            "format": 1, "exported_at": exported_at, "game": game.name, "game_id": game.id,
            "rom": rom, "files": names,
        });
        files.replace(&manifest, format!("{text:#}\n").as_bytes())?;
        Ok(Exported { files: copies, manifest: manifest.to_string_lossy().into_owned() })
    }

    /// Puts the score files of a bundle where the emulator reads them and answers their paths.
    ///
    /// # Errors
    /// [`ScoreError`]; then no file has changed, but for a disk that refuses in the middle, which
    /// leaves each file its old or its new self.
    pub fn import_scores(&self, game: &Subject, bundle: &Path) -> Result<Vec<String>, ScoreError> {
        let rom = rom_of(game).ok_or(ScoreError::NoArcade)?;
        let sources = self.bundled(bundle)?;
        let files = &self.context.files;
        let folder = self.score_folder();
        files.private_dir(&folder)?;
        let stamp = (self.context.now)().local_format("%Y%m%d-%H%M%S-%6f");
        let kept = self.score_bundle(game, rom).join(format!("before-import-{stamp}"));
        let mut restored = Vec::new();
        for (name, from) in sources {
            let name = if name.contains(rom) { name } else { format!("{rom}-{name}") };
            let to = folder.join(&name);
            if let Some(stat) = files.stat(&to)? {
                if !stat.is_file() {
                    return Err(ScoreError::Bundle);
                }
                if files.read(&to)? != files.read(&from)? {
                    files.private_dir(&kept)?;
                    files.copy(&to, &kept.join(&name))?;
                }
            }
            files.copy(&from, &to)?;
            restored.push(to.to_string_lossy().into_owned());
        }
        Ok(restored)
    }

    /// The score files of a bundle: those its manifest names, without one all that are there.
    fn bundled(&self, bundle: &Path) -> Result<Vec<(String, PathBuf)>, ScoreError> {
        let usable = |(name, path): &(String, PathBuf)| {
            let ending =
                Path::new(name).extension().is_some_and(|end| end.eq_ignore_ascii_case(ENDING));
            let stat = fs::symlink_metadata(path);
            ending && stat.is_ok_and(|stat| stat.is_file() && stat.len() <= SCORE_BYTES)
        };
        if !bundle.is_absolute() || !bundle.is_dir() {
            return Err(ScoreError::Bundle);
        }
        let manifest = bundle.join(MANIFEST);
        let mut found: Vec<(String, PathBuf)> = match fs::symlink_metadata(&manifest) {
            Ok(stat) if stat.is_file() && stat.len() <= MANIFEST_BYTES => {
                let text = self.context.files.read(&manifest)?;
                let value: Value = serde_json::from_slice(&text).map_err(|_| ScoreError::Bundle)?;
                let list = value.get("files").and_then(Value::as_array);
                let names = list.ok_or(ScoreError::Bundle)?.iter().map(Value::as_str);
                let names: Option<Vec<&str>> = names.collect();
                let names = names.ok_or(ScoreError::Bundle)?;
                let inside = |name: &&str| {
                    // A manifest may name whole paths; only what lies in the bundle itself counts.
                    let path = bundle.join(name);
                    let below = path.strip_prefix(bundle).ok()?.to_str()?.to_owned();
                    (!below.contains('/') && below != ".." && !below.is_empty())
                        .then_some((below, path))
                };
                names.iter().map(inside).collect::<Option<_>>().ok_or(ScoreError::Bundle)?
            }
            Ok(_) => return Err(ScoreError::Bundle),
            Err(_) => regular_files(bundle),
        };
        found.retain(usable);
        if found.len() > FILES {
            return Err(ScoreError::Bundle);
        }
        if found.is_empty() { Err(ScoreError::Nothing) } else { Ok(found) }
    }

    /// The folder the emulator keeps scores in: the first that exists, else the usual one.
    fn score_folder(&self) -> PathBuf {
        let mut folders = places::score_folders(&self.context.home);
        let at = folders.iter().position(|folder| folder.is_dir()).unwrap_or(0);
        folders.swap_remove(at)
    }

    /// The folder of exported scores of a game. Two games of one title have a folder each.
    fn score_bundle(&self, game: &Subject, rom: &str) -> PathBuf {
        let top = self.context.data_dir.highscores();
        let slug = match slug(&game.name) {
            slug if slug.is_empty() => rom.to_owned(),
            slug => slug,
        };
        let folder = top.join(&slug);
        let owner = fs::read(folder.join(MANIFEST)).ok();
        let owner: Option<Value> = owner.and_then(|text| serde_json::from_slice(&text).ok());
        match owner.as_ref().and_then(|owner| owner.get("game_id")?.as_str()) {
            Some(id) if id != game.id => {
                let mark = hex(&Sha256::digest(game.id.as_bytes()));
                top.join(format!("{slug}-{}", &mark[..8]))
            }
            _ => folder,
        }
    }
}

/// The regular files of a folder, links left out, in the order of their names.
fn regular_files(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let regular = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut files: Vec<_> = regular
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rom_takes_its_own_scores_only() {
        for (name, mine) in [
            ("sf2.hi", true),
            ("sf2-old.hi", true),
            ("sf2.HI", true),
            ("sf2ce.hi", false),
            ("sf2.cfg", false),
            ("xsf2.hi", false),
            ("sf2", false),
        ] {
            assert_eq!(belongs(name, "sf2"), mine, "{name}");
        }
    }

    #[test]
    fn only_arcade_games_have_a_rom() {
        let game = |platform: &str, rom: &str, path: &str| Subject {
            platform: platform.into(),
            rom_name: rom.into(),
            path: path.into(),
            ..Subject::default()
        };
        assert_eq!(rom_of(&game("Arcade", "sf2", "/x/y.zip")), Some("sf2"));
        assert_eq!(rom_of(&game(" mame ", "", "/x/y.zip")), Some("y"));
        assert_eq!(rom_of(&game("NES", "sf2", "/x")), None);
        for bad in ["../x", "/", ".."] {
            assert_eq!(rom_of(&game("Arcade", bad, "")), None, "{bad}");
        }
    }

    #[test]
    fn titles_become_folders() {
        for (name, expected) in
            [("Street Fighter II'", "street-fighter-ii"), ("  Ä!! ", "ä"), ("../..", ""), ("", "")]
        {
            assert_eq!(slug(name), expected, "{name}");
        }
    }
}
