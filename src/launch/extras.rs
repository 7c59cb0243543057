//! Starting the extras of a game: its other programs, its other versions, its documents (`POST
//! /api/extra/launch`).
//!
//! Nothing here is a session: the process is started and not followed.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::invocation::Choice;
use crate::{
    base::named::named,
    model::Game,
    process::{SpawnError, Spec, search},
};

/// Opens a document with the program that the desktop has for it.
const OPENER: &str = "xdg-open";

named! {
    /// What belongs to a game.
    pub enum Kind {
        /// Programs that belong to it.
        Applications = "applications",
        /// Other versions of it.
        Versions = "versions",
        /// Documents.
        Documents = "documents",
    }
}

/// Why an extra could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ExtraError {
    #[error("Unknown extra type.")]
    UnknownKind,
    #[error("Unknown extra entry.")]
    UnknownEntry,
    #[error("The configured path no longer exists:\n{path}")]
    FileGone {
        /// Where it should be.
        path: String,
    },
    #[error("{OPENER} is required to open documents.")]
    NoOpener,
    /// Its file is not a program, and no command is stored for it.
    #[error("The file is not executable. Set a command for it in Edit game.")]
    NotExecutable,
    /// The operating system refused.
    #[error("{}", not_started(.0))]
    Spawn(#[from] SpawnError),
}

fn not_started(error: &SpawnError) -> String {
    match error {
        SpawnError::Refused { program, source } if source.kind() == ErrorKind::NotFound => {
            let name = Path::new(program).file_name().unwrap_or_default();
            format!("The program {} was not found.", name.to_string_lossy())
        }
        _ => "The program could not be started.".to_owned(),
    }
}

/// What starts the extra at `index`: the opener for a document, the stored command with `{path}`
/// filled in, `bash` for a shell script, or the file itself. It runs in the folder of the file.
///
/// # Errors
/// [`ExtraError`].
pub fn prepare(
    game: &Game,
    kind: Kind,
    index: Option<usize>,
    home: &Path,
    data_dir: &Path,
    find: impl Fn(&str) -> Option<PathBuf>,
) -> Result<Spec, ExtraError> {
    let record = game.record();
    let entry = index.and_then(|at| record.list(kind.name()).get(at));
    let entry = entry.ok_or(ExtraError::UnknownEntry)?;
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map_or("", str::trim);
    let (path, command) = (Path::new(text("path")), text("command"));
    if !path.is_absolute() || !path.exists() {
        return Err(ExtraError::FileGone { path: text("path").to_owned() });
    }
    let choice = match command {
        "" => Choice::of_file(path),
        command => Choice::Own(command.to_owned()),
    };
    let argv = if kind == Kind::Documents {
        let opener = find(OPENER).ok_or(ExtraError::NoOpener)?;
        vec![opener.into_os_string(), path.into()]
    } else if choice == Choice::File && !search::starts_itself(path) {
        return Err(ExtraError::NotExecutable);
    } else {
        choice.argv(&record, path, home, data_dir, Path::new(""))
    };
    Ok(Spec { argv, cwd: path.parent().map(Path::to_owned), env: Vec::new() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(kind: Kind, entry: Value, expected: Result<&[&str], &str>) {
        let record = json!({"name": "A", (kind.name()): [entry]});
        let game = Game::seal(&serde_json::from_value(record).expect("an object"));
        let find = |name: &str| Some(Path::new("/bin").join(name));
        let (home, data_dir) = (Path::new("/home/me"), Path::new("/data"));
        let spec = prepare(&game, kind, Some(0), home, data_dir, find);
        let spec = spec.map_err(|error| error.to_string());
        let argv = spec.map(|spec| {
            spec.argv.into_iter().map(|word| word.into_string().expect("text")).collect::<Vec<_>>()
        });
        let expected = expected.map(|words| words.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(argv, expected.map_err(str::to_owned));
    }

    #[test]
    fn each_kind_has_its_way_to_start() {
        let entry = |path: &str, command: &str| json!({"path": path, "command": command});
        check(Kind::Documents, entry("/etc/passwd", "x"), Ok(&["/bin/xdg-open", "/etc/passwd"]));
        check(Kind::Applications, entry("/bin/sh", ""), Ok(&["/bin/sh"]));
        check(
            Kind::Versions,
            entry("/etc/passwd", "run '{path} {path}' {name}"),
            Ok(&["run", "/etc/passwd /etc/passwd", "A"]),
        );
        check(Kind::Versions, entry("/etc/passwd", "~/run x"), Ok(&["/home/me/run", "x"]));
        let text = "The file is not executable. Set a command for it in Edit game.";
        check(Kind::Versions, entry("/etc/passwd", ""), Err(text));
        let gone = "The configured path no longer exists:\n/no/such";
        check(Kind::Applications, entry("/no/such", "x"), Err(gone));
        check(Kind::Documents, entry("/no/such", ""), Err(gone));
    }
}
