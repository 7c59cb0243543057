//! The hook `before_launch`: what a plugin may change about a launch.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use super::{core::Core, manifest::Hook};
use crate::{
    launch::error::LaunchError,
    model::{Game, State},
};

/// The sentence of a plugin that cancels without one of its own, and characters of its own.
const CANCELED: &str = "Launch canceled by a plugin.";
const SENTENCE: usize = 500;

/// What a plugin wants.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    /// This command in this folder.
    Start(Vec<String>, PathBuf),
    /// Nothing is started.
    Cancel(String),
}

/// Lets the plugins change a command and its folder, one after the other.
///
/// # Errors
/// [`LaunchError::Canceled`].
pub(super) fn rewrite(
    core: &Core,
    state: &State,
    game: &Game,
    argv: Vec<OsString>,
    cwd: PathBuf,
) -> Result<(Vec<OsString>, PathBuf), LaunchError> {
    if !core.uses(Hook::BeforeLaunch) {
        return Ok((argv, cwd));
    }
    let (mut argv, mut cwd) = (argv, cwd);
    let shown = state.games.position(game.id()).map(|at| core.answers.shown(state, at));
    let folders = folders(core, game);
    for plugin in core.active(Hook::BeforeLaunch) {
        let (Some(words), Some(folder)) = (texts(&argv), cwd.to_str()) else {
            log::warn!("a command that is not text is kept from plugins");
            break;
        };
        let payload = json!({"game": shown, "args": words, "cwd": folder});
        let payload = payload.as_object().cloned().unwrap_or_default();
        let Some(output) = core.run_quietly(&plugin, Hook::BeforeLaunch, &payload) else {
            continue;
        };
        match read(&output, &words, &cwd, &folders) {
            Ok(Wanted::Start(words, folder)) => {
                argv = words.into_iter().map(OsString::from).collect();
                cwd = folder;
            }
            Ok(Wanted::Cancel(sentence)) => return Err(LaunchError::Canceled(sentence)),
            Err(reason) => log::warn!("plugin {}: {reason}", plugin.manifest.id),
        }
    }
    Ok((argv, cwd))
}

fn texts(argv: &[OsString]) -> Option<Vec<String>> {
    argv.iter().map(|word| word.to_str().map(str::to_owned)).collect()
}

/// The folders that a plugin may choose: those of the game and of the program.
fn folders(core: &Core, game: &Game) -> Vec<PathBuf> {
    let path = Path::new(game.path().trim());
    let own = path.parent().filter(|folder| folder.is_absolute() && folder.parent().is_some());
    let data_dir = core.data_dir.root();
    let all = own.into_iter().chain([data_dir]);
    all.filter_map(|folder| folder.canonicalize().ok()).collect()
}

/// The content of an output, or why it is not followed.
fn read(
    output: &Map<String, Value>,
    before: &[String],
    cwd: &Path,
    folders: &[PathBuf],
) -> Result<Wanted, &'static str> {
    if output.get("cancel") == Some(&Value::Bool(true)) {
        let sentence = output.get("error").and_then(Value::as_str).unwrap_or_default().trim();
        let sentence: String = sentence.chars().take(SENTENCE).collect();
        return Ok(Wanted::Cancel(if sentence.is_empty() {
            CANCELED.to_owned()
        } else {
            sentence
        }));
    }
    let command = "A plugin returned an invalid launch command.";
    let args = match output.get("args") {
        None => before.to_vec(),
        Some(args) => {
            let words = args.as_array().ok_or(command)?.iter().map(Value::as_str);
            let words: Vec<&str> = words.collect::<Option<_>>().ok_or(command)?;
            let is_word = |word: &&str| !word.is_empty() && !word.contains('\0');
            // A word that was empty before may stay.
            let is_kept = |word: &&str| word.is_empty() && before.iter().any(|it| it == word);
            if !words.iter().all(|word| is_word(word) || is_kept(word)) {
                return Err(command);
            }
            words.into_iter().map(str::to_owned).collect()
        }
    };
    if args.is_empty() || args.first() != before.first() {
        return Err(command);
    }
    let folder = match output.get("cwd") {
        None => cwd.to_owned(),
        Some(folder) => {
            let folder =
                folder.as_str().ok_or("A plugin returned an invalid working directory.")?;
            PathBuf::from(folder)
        }
    };
    if folder != cwd {
        let real = folder.canonicalize().ok().filter(|real| folder.is_absolute() && real.is_dir());
        let is_inside = real.is_some_and(|real| folders.iter().any(|root| real.starts_with(root)));
        if !is_inside {
            return Err("A plugin returned an invalid working directory.");
        }
    }
    Ok(Wanted::Start(args, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_changes_arguments_and_folder_within_bounds() {
        let scratch = tempfile::tempdir().expect("a folder");
        let root = scratch.path().canonicalize().expect("real");
        std::os::unix::fs::symlink("/etc", root.join("link")).expect("linked");
        let before = ["/bin/game".to_owned(), "-a".to_owned()];
        let cwd = Path::new("/somewhere");
        let wanted = |output: Value| {
            let output = output.as_object().expect("an object");
            read(output, &before, cwd, std::slice::from_ref(&root))
        };
        let command = |args: &[&str], cwd: &Path| {
            Ok(Wanted::Start(args.iter().map(|&it| it.to_owned()).collect(), cwd.to_owned()))
        };
        assert_eq!(wanted(json!({})), command(&["/bin/game", "-a"], cwd));
        let new = json!({"args": ["/bin/game", "-b", "c d"], "cwd": root});
        assert_eq!(wanted(new), command(&["/bin/game", "-b", "c d"], &root));
        for args in [
            json!([]),
            json!(["/bin/other"]),
            json!(["/bin/game", ""]),
            json!("x"),
            json!(["/bin/game", 1]),
            json!(["/bin/game", "a\0"]),
            json!(null),
        ] {
            let refused = wanted(json!({"args": args}));
            assert_eq!(refused, Err("A plugin returned an invalid launch command."), "{args}");
        }
        let link = root.join("link");
        for cwd in [json!("/etc"), json!("relative"), json!(1), json!(link), json!(root.join("no"))]
        {
            let refused = wanted(json!({"cwd": cwd}));
            assert_eq!(refused, Err("A plugin returned an invalid working directory."), "{cwd}");
        }
        let cancel = |sentence: &str| Ok(Wanted::Cancel(sentence.to_owned()));
        assert_eq!(wanted(json!({"cancel": true, "error": " Not now. "})), cancel("Not now."));
        assert_eq!(wanted(json!({"cancel": true})), cancel(CANCELED));
        assert_eq!(wanted(json!({"cancel": 1})), command(&["/bin/game", "-a"], cwd));
    }
}
