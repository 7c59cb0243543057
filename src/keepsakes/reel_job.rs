//! Making a reel, as a durable job: a film where the encoder is installed, else a page.

use std::{ffi::OsString, fmt::Write as _, path::Path, sync::Arc, time::Duration};

use serde_json::{Map, Value, json};

use super::{
    reels::{LONGEST_SECONDS, Manifest, ReelError, ReelFiles, ReelInput, YEARS},
    service::Keepsakes,
};
use crate::{
    files::{Files, temp},
    game::GameRef,
    jobs::{
        Accepted, Context, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::{Failure, object},
    },
    model::State,
    process::{Limits, Spec as Program, capture, search},
};

const SPEC: Spec = Spec::new("clips.reel", &[("clip-reel", Title::Fixed("Reel"))]);
/// The encoder.
const ENCODER: &str = "ffmpeg";
/// How long it may take.
const PATIENCE: Duration = Duration::from_mins(5);
/// How long it may take to read one picture.
const PICTURE_PATIENCE: Duration = Duration::from_secs(10);
/// Characters of the encoder's output that are shown.
const COMPLAINT: usize = 300;

/// Why a film was not made.
enum NoFilm {
    Stopped,
    Failed(String),
}

/// Starts a reel; of one year of the game when one is given.
///
/// # Errors
/// [`ReelError`].
pub fn submit(
    jobs: &Jobs,
    state: &State,
    game: &GameRef,
    year: Option<&Value>,
) -> Result<(Accepted, String), ReelError> {
    let (_, game) = game.find(&state.games).ok_or(ReelError::UnknownGame)?;
    let mut input = Map::new();
    input.insert("game_id".to_owned(), game.id().into());
    if let Some(year) = year.filter(|year| !year.is_null()) {
        let year = year.as_i64().filter(|year| (YEARS.0..=YEARS.1).contains(year));
        input.insert("year".to_owned(), year.ok_or(ReelError::Year)?.into());
    }
    let name = "clip-reel".to_owned();
    let submission = Submission { name, input, same_name: SameName::Separate };
    Ok((jobs.submit(submission)?, game.id().to_owned()))
}

/// The kind of job.
pub(super) fn kind(keepsakes: &Arc<Keepsakes>) -> Kind {
    Kind::new(SPEC, keepsakes, run)
}

fn run(keepsakes: &Keepsakes, context: &Context<'_>) -> Outcome {
    let state = keepsakes.store.snapshot().map_err(|error| Failure::refused(&error))?;
    let game_id = context.text("game_id");
    let found =
        GameRef::Id(game_id.to_owned()).find(&state.games).map(|(_, game)| Arc::clone(game));
    let game = found.ok_or_else(|| Failure::refused(&ReelError::UnknownGame))?;
    let year = context.input().get("year").and_then(Value::as_i64);
    let manifest = Manifest::of(&game, year);
    let reel_files = ReelFiles::of(keepsakes.data_dir.reels(), &manifest.file_name());
    let files = &keepsakes.files;
    files.private_dir(&reel_files.folder).map_err(|error| Failure::refused(&error))?;
    let bytes = manifest.bytes().ok_or_else(|| Failure::new("The reel is too long."))?;
    files.replace(&reel_files.manifest, &bytes).map_err(|error| Failure::refused(&error))?;
    context.phase("encode");
    let encoder = search::on_path(ENCODER);
    let made = match &encoder {
        None => Err(NoFilm::Failed(String::new())),
        Some(_) if manifest.inputs().is_empty() => {
            Err(NoFilm::Failed("There is nothing to show.".to_owned()))
        }
        Some(encoder) => film(keepsakes, context, encoder, &manifest, &reel_files),
    };
    let mut result = json!({
        "game_id": game.id(),
        "ffmpeg": encoder.is_some(),
        "manifest": reel_files.manifest,
        "inputs": manifest.inputs().len(),
        "format": "mp4",
        "fallback": false,
        "path": reel_files.film,
        "output": reel_files.film,
    });
    match made {
        Ok(()) => {}
        Err(NoFilm::Stopped) => return Err(Failure::Stopped),
        Err(NoFilm::Failed(error)) => {
            let page = manifest.page(&reel_files.folder);
            let written = files.replace(&reel_files.page, page.as_bytes());
            written.map_err(|error| Failure::refused(&error))?;
            for key in ["path", "output"] {
                result[key] = json!(reel_files.page);
            }
            result["format"] = "html".into();
            result["fallback"] = true.into();
            if !error.is_empty() {
                result["error"] = error.into();
            }
        }
    }
    Ok(object(result))
}

/// Makes the film with the encoder. A picture that it cannot read ends it; the film is then made of the others.
fn film(
    keepsakes: &Keepsakes,
    context: &Context<'_>,
    encoder: &Path,
    manifest: &Manifest,
    reel_files: &ReelFiles,
) -> Result<(), NoFilm> {
    let goes_on = || context.check().is_ok();
    let all: Vec<&ReelInput> = manifest.inputs().iter().collect();
    let encode = |inputs: &[&ReelInput], is_strict: bool| {
        let command = |to: &Path| words(encoder, inputs, to, is_strict);
        write_film(&keepsakes.files, &goes_on, &command, reel_files)
    };
    let first = encode(&all, true);
    if !matches!(first, Err(NoFilm::Failed(_))) {
        return first;
    }
    let playable = playable(encoder, &all, &goes_on);
    if playable.is_empty() { first } else { encode(&playable, false) }
}

/// Runs a command that writes the film under a temporary name, then renames it.
fn write_film(
    files: &Files,
    goes_on: &dyn Fn() -> bool,
    command: &dyn Fn(&Path) -> Vec<OsString>,
    reel_files: &ReelFiles,
) -> Result<(), NoFilm> {
    let name = temp::temporary_name(reel_files.film.file_name().unwrap_or_default());
    let unfinished = reel_files.folder.join(name);
    let limits = Limits { timeout: PATIENCE, ..Limits::default() };
    let outcome = capture::run_watched(&Program::new(command(&unfinished)), &limits, goes_on);
    let is_there = || files.stat(&unfinished).ok().flatten().is_some_and(|found| found.len() > 0);
    let failed = match outcome {
        Ok(done) if done.code == 0 && is_there() => {
            let placed = files
                .set_mode(&unfinished, 0o600)
                .and_then(|()| files.rename(&unfinished, &reel_files.film));
            match placed {
                Ok(()) => return Ok(()),
                Err(error) => {
                    NoFilm::Failed(format!("The film was not saved: {}.", error.reason()))
                }
            }
        }
        Ok(done) => {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let last: String = last.chars().take(COMPLAINT).collect();
            NoFilm::Failed(format!("ffmpeg ended with code {}. {last}", done.code))
        }
        Err(capture::CaptureError::Stopped) => NoFilm::Stopped,
        Err(error) => NoFilm::Failed(format!("ffmpeg made no film: {error}.")),
    };
    if let Err(error) = files.remove(&unfinished) {
        log::warn!("an unfinished film stays: {error}");
    }
    Err(failed)
}

/// The entries without the pictures that the encoder cannot read.
fn playable<'a>(
    encoder: &Path,
    inputs: &[&'a ReelInput],
    goes_on: &dyn Fn() -> bool,
) -> Vec<&'a ReelInput> {
    let limits = Limits { timeout: PICTURE_PATIENCE, ..Limits::default() };
    let is_playable = |input: &&&ReelInput| {
        if input.duration().is_none() {
            return true;
        }
        let mut words: Vec<OsString> = vec![encoder.into()];
        words.extend(["-hide_banner", "-loglevel", "error", "-nostdin", "-xerror"].map(Into::into));
        if !is_animation(input) {
            words.extend(["-f", "image2", "-pattern_type", "none"].map(Into::into));
        }
        words.extend(["-i", input.path(), "-frames:v", "1", "-f", "null", "-"].map(Into::into));
        let done = capture::run_watched(&Program::new(words), &limits, goes_on);
        let is_read = done.is_ok_and(|done| done.code == 0);
        if !is_read {
            log::info!("a picture is left out of a reel: {:?} cannot be read", input.path());
        }
        is_read
    };
    inputs.iter().filter(is_playable).copied().collect()
}

fn is_animation(input: &ReelInput) -> bool {
    input.path().to_lowercase().ends_with(".gif")
}

/// The command of the encoder: every entry in one size and pace, one after the other, without sound. A picture of another shape stands on
/// itself, small, blurred and darker, instead of between black bars. A strict one ends at the first
/// frame that cannot be read: a still picture is read again and again for as long as it is shown, which has
/// no end where none of its frames counts.
fn words(encoder: &Path, inputs: &[&ReelInput], to: &Path, is_strict: bool) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![encoder.into()];
    let mut put = |more: &[&str]| words.extend(more.iter().map(OsString::from));
    put(&["-hide_banner", "-loglevel", "error", "-nostdin", "-y"]);
    if is_strict {
        put(&["-xerror"]);
    }
    let mut filters = String::new();
    for (at, input) in inputs.iter().enumerate() {
        let seconds = input.duration().unwrap_or(LONGEST_SECONDS).to_string();
        // A name with a percent sign is not a pattern.
        match input.duration() {
            Some(_) if is_animation(input) => put(&["-ignore_loop", "0"]),
            Some(_) => {
                put(&["-f", "image2", "-pattern_type", "none", "-loop", "1", "-framerate", "30"]);
            }
            None => {}
        }
        put(&["-t", &seconds, "-i", input.path()]);
        // OK because writing to a text never fails.
        let _ = write!(
            filters,
            "[{at}:v:0]split[front{at}][back{at}];\
             [back{at}]scale=64:36:force_original_aspect_ratio=increase,crop=64:36,boxblur=2,\
             colorchannelmixer=rr=0.45:gg=0.45:bb=0.45,scale=1280:720:flags=bicubic,setsar=1[behind{at}];\
             [front{at}]scale=1280:720:force_original_aspect_ratio=decrease,setsar=1[whole{at}];\
             [behind{at}][whole{at}]overlay=(W-w)/2:(H-h)/2,setsar=1,fps=30,format=yuv420p[v{at}];"
        );
    }
    let count = inputs.len();
    for at in 0..count {
        let _ = write!(filters, "[v{at}]");
    }
    let _ = write!(filters, "concat=n={count}:v=1:a=0[out]");
    put(&["-filter_complex", &filters, "-map", "[out]", "-an", "-c:v", "libx264"]);
    put(&["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]);
    words.push(to.into());
    words
}
