//! Starting what belongs to a game: its other programs, its other versions, its documents (`POST
//! /api/extra/launch`).
//!
//! Nothing here is a session: the process is started and not followed.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    formats::command_line::{self, MissingPath, Tokens},
    model::game::Game,
    process::{
        search,
        spawn::{SpawnError, Spec},
    },
};

/// Opens a document with whatever the desktop has for it.
const OPENER: &str = "xdg-open";

/// What stands beside a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Programs that belong to it.
    Applications,
    /// Other versions of it.
    Versions,
    /// Documents.
    Documents,
}

/// Why an extra could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ExtraError {
    /// There is no such kind.
    #[error("unknown kind of extra")]
    UnknownKind,
    /// The game has no such entry.
    #[error("no extra with this index")]
    UnknownEntry,
    /// Its file is gone.
    #[error("the file of the extra is gone: {path:?}")]
    FileGone {
        /// Where it should be.
        path: String,
    },
    /// Nothing opens documents on this machine.
    #[error("no opener on the search path")]
    NoOpener,
    /// Its file is no program, and no command is stored for it.
    #[error("the file of the extra is not executable")]
    NotExecutable,
    /// The operating system refused.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

impl ExtraError {
    /// The sentence for the client.
    #[must_use]
    pub fn client_text(&self) -> String {
        match self {
            Self::UnknownKind => "Unknown extra type.".to_owned(),
            Self::UnknownEntry => "Unknown extra entry.".to_owned(),
            Self::FileGone { path } => format!("The configured path no longer exists:\n{path}"),
            Self::NoOpener => format!("{OPENER} is required to open documents."),
            Self::NotExecutable => {
                "The file is not executable. Set a command for it in Edit game.".to_owned()
            }
            Self::Spawn(SpawnError::Refused { program, source })
                if source.kind() == ErrorKind::NotFound =>
            {
                let name = Path::new(program).file_name().unwrap_or_default();
                format!("The program {} was not found.", name.to_string_lossy())
            }
            Self::Spawn(_) => "The program could not be started.".to_owned(),
        }
    }
}

impl Kind {
    /// The kind with a name.
    ///
    /// # Errors
    /// [`ExtraError::UnknownKind`].
    pub fn parse(name: &str) -> Result<Self, ExtraError> {
        match name {
            "applications" => Ok(Self::Applications),
            "versions" => Ok(Self::Versions),
            "documents" => Ok(Self::Documents),
            _ => Err(ExtraError::UnknownKind),
        }
    }

    fn field(self) -> &'static str {
        match self {
            Self::Applications => "applications",
            Self::Versions => "versions",
            Self::Documents => "documents",
        }
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
    data_dir: &Path,
    find: impl Fn(&str) -> Option<PathBuf>,
) -> Result<Spec, ExtraError> {
    let record = game.record();
    let entry = index.and_then(|at| record.list(kind.field()).get(at));
    let entry = entry.ok_or(ExtraError::UnknownEntry)?;
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map_or("", str::trim);
    let (path, command) = (Path::new(text("path")), text("command"));
    if !path.is_absolute() || !path.exists() {
        return Err(ExtraError::FileGone { path: text("path").to_owned() });
    }
    let is_script = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("sh"));
    let argv = if kind == Kind::Documents {
        let opener = find(OPENER).ok_or(ExtraError::NoOpener)?;
        vec![opener.into_os_string(), path.into()]
    } else if !command.is_empty() {
        let tokens = Tokens {
            path,
            name: game.name(),
            platform: game.platform(),
            rom_name: record.text("rom_name"),
            app_id: &record.shown("store_a_app_id"),
            store_b_app_id: &record.shown("store_b_app_id"),
            store_c_id: &record.shown("store_c_id"),
            data_dir,
            emulator_dir: Path::new(""),
            definition: None,
        };
        command_line::build(command, &tokens, MissingPath::Omit)
    } else if is_script {
        vec!["bash".into(), path.into()]
    } else if search::is_executable(path) {
        vec![path.into()]
    } else {
        return Err(ExtraError::NotExecutable);
    };
    Ok(Spec { argv, cwd: path.parent().map(Path::to_owned), env: Vec::new() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(kind: Kind, entry: Value, expected: Result<&[&str], &str>) {
        let record = json!({"name": "A", (kind.field()): [entry]});
        let game = Game::seal(&serde_json::from_value(record).expect("an object"));
        let find = |name: &str| Some(Path::new("/bin").join(name));
        let spec = prepare(&game, kind, Some(0), Path::new("/data"), find);
        let spec = spec.map_err(|error| error.client_text());
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
        let text = "The file is not executable. Set a command for it in Edit game.";
        check(Kind::Versions, entry("/etc/passwd", ""), Err(text));
        let gone = "The configured path no longer exists:\n/no/such";
        check(Kind::Applications, entry("/no/such", "x"), Err(gone));
        check(Kind::Documents, entry("/no/such", ""), Err(gone));
    }
}
