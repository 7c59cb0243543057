//! The manual that lies in the archive of a game.

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use crate::files::{DiskError, Files};

/// Bytes of a manual.
const BYTES: u64 = 64 << 20;
/// Members of an archive that are looked at.
const MEMBERS: usize = 10_000;
/// The names that are taken first.
const NAMES: [&str; 2] = ["manual.pdf", "manual.txt"];

/// Why there is no manual.
#[derive(Debug, thiserror::Error)]
pub enum NoManual {
    #[error("no manual in this archive")]
    None,
    #[error("only ZIP archives are read")]
    OtherKind,
    #[error("the archive cannot be read")]
    Unreadable,
    #[error("the manual is too large")]
    TooLarge,
    #[error("it cannot be saved: {}", .0.reason())]
    Disk(#[from] DiskError),
}

/// Copies the manual of a game's archive into a folder, which is there; where it lies then.
///
/// # Errors
/// [`NoManual`].
pub fn copy(files: &Files, archive: &str, folder: &Path) -> Result<PathBuf, NoManual> {
    let is_zip =
        |path: &str| Path::new(path).extension().is_some_and(|it| it.eq_ignore_ascii_case("zip"));
    if !is_zip(archive) {
        return Err(NoManual::OtherKind);
    }
    let unreadable = |_| NoManual::Unreadable;
    let file = File::open(archive).map_err(|_| NoManual::Unreadable)?;
    let mut zip = zip::ZipArchive::new(file).map_err(unreadable)?;
    let names = zip.file_names().take(MEMBERS).filter_map(Result::ok);
    let names: Vec<String> = names.map(std::borrow::Cow::into_owned).collect();
    let name = choose(&names).ok_or(NoManual::None)?;
    let member = zip.by_name(name).map_err(unreadable)?;
    if member.size() > BYTES {
        return Err(NoManual::TooLarge);
    }
    let mut bytes = Vec::new();
    // One more byte tells of a member that is larger than it says.
    member.take(BYTES + 1).read_to_end(&mut bytes).map_err(|_| NoManual::Unreadable)?;
    if bytes.len() as u64 > BYTES {
        return Err(NoManual::TooLarge);
    }
    let path = folder.join(format!("manual.{}", ending(name)));
    files.replace(&path, &bytes)?;
    Ok(path)
}

/// The member that is the manual: the one that is called so, else the document with the shortest name.
fn choose(names: &[String]) -> Option<&str> {
    let documents = || names.iter().filter(|name| ["pdf", "txt"].contains(&ending(name).as_str()));
    let base = |name: &str| name.rsplit('/').next().unwrap_or_default().to_lowercase();
    let called = NAMES.iter().find_map(|wanted| documents().find(|name| base(name) == *wanted));
    called.or_else(|| documents().min_by_key(|name| (name.len(), *name))).map(String::as_str)
}

fn ending(name: &str) -> String {
    name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_is_the_one_that_is_called_so_else_the_shortest_document() {
        let chosen = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            choose(&names).map(str::to_owned)
        };
        let text = |name: &str| Some(name.to_owned());
        assert_eq!(chosen(&["a.txt", "docs/Manual.TXT", "x.pdf"]), text("docs/Manual.TXT"));
        assert_eq!(chosen(&["manual.txt", "manual.pdf"]), text("manual.pdf"));
        assert_eq!(chosen(&["long name.pdf", "b.txt", "a.txt", "c.nes"]), text("a.txt"));
        assert_eq!(chosen(&["game.nes", "manual"]), None);
    }
}
