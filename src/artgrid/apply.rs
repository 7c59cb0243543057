//! Applies name, year and pictures of a game of the provider to one game (`POST /api/v2/artgrid/apply`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    answers::Hit,
    artwork::{self, Artwork, NoPicture, Write},
    error::ArtworkError,
};
use crate::{
    game::{
        GameRef,
        edit::EditError,
        origins::{self, Mode},
    },
    jobs::{
        Accepted, Context, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::{Failure, object},
    },
    model::{Cause, Record, origins::Right},
};

/// The name of the job. Jobs for different games run in parallel.
const NAME: &str = "artgrid-apply";
const TYPE: &str = "artgrid.apply";
const SPEC: Spec = Spec { resumes: true, ..Spec::new(TYPE, &[(NAME, Title::Spelled)]) };
/// The texts that can be applied.
const TEXTS: [&str; 2] = ["name", "year"];
/// Failures that a refusal names.
const NAMED: usize = 3;

/// An apply that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Request<'a> {
    /// The game.
    pub game: GameRef,
    /// The number of the game at the provider; that of the first hit when it is missing.
    pub artgrid_id: Option<u32>,
    /// Texts; all of them when it is missing.
    pub fields: Option<&'a Value>,
    /// Kinds of pictures; all of them when it is missing.
    pub media: Option<&'a Value>,
    /// Whether values and pictures that are there are replaced.
    pub replaces: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct ApplyInput {
    game_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    artgrid_id: Option<u32>,
    fields: Vec<String>,
    media: Vec<String>,
    replace_existing: bool,
}

/// The texts of a list, each known, each once; all that are known when it is missing.
pub(super) fn chosen(
    value: Option<&Value>,
    known: &[&'static str],
    refusal: &'static str,
) -> Result<Vec<&'static str>, ArtworkError> {
    let list = match value {
        None | Some(Value::Null) => return Ok(known.to_vec()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(ArtworkError::Malformed(refusal)),
    };
    let mut found = Vec::new();
    for each in list {
        let known = known.iter().find(|known| Some(**known) == each.as_str());
        let known = *known.ok_or(ArtworkError::Malformed(refusal))?;
        if !found.contains(&known) {
            found.push(known);
        }
    }
    Ok(found)
}

/// The kinds of pictures of a list; all of them when it is missing.
pub(super) fn chosen_media(value: Option<&Value>) -> Result<Vec<&'static str>, ArtworkError> {
    let kinds: Vec<&'static str> = artwork::kinds().collect();
    chosen(value, &kinds, "Invalid media selection.")
}

/// The kind of work that applies a game of the provider.
pub(super) fn kind(artwork: &Arc<Artwork>) -> Kind {
    Kind::new(SPEC, artwork, run)
}

/// Starts a job that applies a game of the provider.
///
/// # Errors
/// [`ArtworkError`]: when the provider cannot be asked, the game is not there or a list names what is not
/// known.
pub fn submit(
    artwork: &Artwork,
    jobs: &Jobs,
    request: &Request<'_>,
) -> Result<Accepted, ArtworkError> {
    let fields = chosen(request.fields, &TEXTS, "Invalid field selection.")?;
    let media = chosen_media(request.media)?;
    let state = artwork.store.snapshot()?;
    let found = request.game.find(&state.games).map(|(_, game)| game.id().to_owned());
    let game_id = found.ok_or(EditError::UnknownGame)?;
    artwork.usable()?;
    let texts = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
    let input = ApplyInput {
        game_id,
        artgrid_id: request.artgrid_id,
        fields: texts(fields),
        media: texts(media),
        replace_existing: request.replaces,
    };
    let (name, input) = (NAME.to_owned(), object(json!(input)));
    Ok(jobs.submit(Submission { name, input, same_name: SameName::Separate })?)
}

fn run(artwork: &Artwork, context: &Context<'_>) -> Outcome {
    let input = ApplyInput::deserialize(context.input());
    let input = input.map_err(|error| Failure::new(error.to_string()))?;
    artwork.apply(context, &input).map_err(|error| match error {
        Ended::Artwork(error) => artwork::failure(&error, context),
        Ended::Failure(failure) => failure,
    })
}

/// Why an apply had no effect.
enum Ended {
    Artwork(ArtworkError),
    Failure(Failure),
}

impl<E: Into<ArtworkError>> From<E> for Ended {
    fn from(error: E) -> Self {
        Self::Artwork(error.into())
    }
}

impl Artwork {
    fn apply(
        &self,
        context: &Context<'_>,
        input: &ApplyInput,
    ) -> Result<serde_json::Map<String, Value>, Ended> {
        self.usable()?;
        let cancel = || context.check().is_err();
        let record = self.record(&input.game_id)?;
        let name = record.text("name").to_owned();
        let hit = match input.artgrid_id {
            Some(id) => Some(self.artgrid.game(id, &cancel)?),
            None => self.first(&record, &cancel)?,
        };
        let Some(hit) = hit else {
            return Ok(object(json!({"applied": false, "game": name, "error": "no_match"})));
        };
        let is_wanted = |field: &&String| {
            !artwork::is_held(&record, field, Right::Request)
                && (input.replace_existing || !artwork::has_picture(&record, field))
        };
        let wanted: Vec<&String> = input.media.iter().filter(is_wanted).collect();
        let total = wanted.len() as u64;
        context.expect(total, "pictures");
        let (mut pictures, mut failures) = (Vec::new(), Vec::new());
        for (at, field) in wanted.into_iter().enumerate() {
            context.progress(at as u64, field);
            match self.load(hit.id, field, &cancel) {
                Ok(Ok(picture)) => pictures.push((field.as_str(), picture)),
                Ok(Err(NoPicture::Missing)) => {}
                Ok(Err(error)) => failures.push(format!("{field}: {error}")),
                Err(error) if error.ends_game() => return Err(error.into()),
                // The other kinds and the texts count all the same.
                Err(error) => failures.push(error.note(field)),
            }
        }
        context.progress(total, "");
        context.check().map_err(Ended::Failure)?;
        let mut paths = Vec::new();
        for (field, picture) in &pictures {
            let path = self.keep(&record, field, picture);
            let path = path.map_err(|error| Ended::Failure(artwork::disk_failure(&error)))?;
            paths.push((*field, Value::from(path.to_string_lossy().into_owned())));
        }
        if !paths.is_empty() {
            let written = paths.iter().filter_map(|(_, path)| path.as_str().map(str::to_owned));
            self.store.report(Cause::MediaChanged(written.collect()));
        }
        let texts = texts_of(&hit, &input.fields);
        let keys = self.write_apply(context, input, &hit, &texts, &paths);
        let keys = keys.map_err(Ended::Failure)?;
        let is_nothing = keys.iter().all(|key| key == artwork::ID) && paths.is_empty();
        if is_nothing && !failures.is_empty() {
            failures.truncate(NAMED);
            return Err(ArtworkError::NoPictures(failures.join(", ")).into());
        }
        let media: Vec<&str> = paths.iter().map(|(field, _)| *field).collect();
        Ok(object(json!({"applied": true, "game": name, "game_id": input.game_id,
            "artgrid_id": hit.id, "updated": keys, "media": media, "errors": failures,
            "pass_id": context.root_job_id()})))
    }

    fn write_apply(
        &self,
        context: &Context<'_>,
        input: &ApplyInput,
        hit: &Hit,
        texts: &[(&str, Value)],
        paths: &[(&str, Value)],
    ) -> Result<Vec<String>, Failure> {
        let mode = if input.replace_existing { Mode::Replace } else { Mode::Fill };
        let right = if input.replace_existing { Right::Request } else { Right::Pass };
        let pass = context.root_job_id();
        let written = self.store.change(|draft| {
            let id = input.game_id.as_str();
            let part =
                Write { game_id: id, id: hit.id, pass, right, texts: (mode, texts), pictures: &[] };
            let mut keys = artwork::write(draft, &part);
            // Pictures were named one by one, so only an express lock holds them.
            let part = Write { right: Right::Request, texts: (mode, &[]), pictures: paths, ..part };
            keys.extend(artwork::write(draft, &part));
            let fields =
                keys.iter().filter(|key| **key != artwork::ID && **key != artwork::PROVIDER);
            origins::note_pass(draft, pass, TYPE, usize::from(fields.count() > 0));
            draft.set_cause(Cause::Updated(id.to_owned()));
            keys
        });
        written.map_err(artwork::not_saved)
    }

    /// The record of a game.
    ///
    /// # Errors
    /// [`EditError::UnknownGame`].
    pub(super) fn record(&self, game_id: &str) -> Result<Record, ArtworkError> {
        let state = self.store.snapshot()?;
        let (_, game) = state.games.find(game_id).ok_or(EditError::UnknownGame)?;
        Ok(game.record())
    }
}

/// The texts of a game of the provider that are asked for.
fn texts_of(hit: &Hit, wanted: &[String]) -> Vec<(&'static str, Value)> {
    let name = Value::from(hit.name.clone());
    let year = hit.year.map(|year| Value::from(year.to_string()));
    let all = [("name", Some(name)), ("year", year)];
    let known = all.into_iter().filter_map(|(key, value)| Some((key, value?)));
    known.filter(|(key, _)| wanted.iter().any(|field| field == key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_what_is_known_each_once() {
        let kinds = |value: Value| chosen_media(Some(&value)).map_err(|error| error.to_string());
        let all = ["cover", "background", "clear_logo", "icon", "banner"];
        assert_eq!(chosen_media(None).expect("all"), all);
        assert_eq!(kinds(Value::Null), Ok(all.to_vec()));
        assert_eq!(kinds(json!(["icon", "cover", "icon"])), Ok(vec!["icon", "cover"]));
        assert_eq!(kinds(json!([])), Ok(vec![]));
        for value in [json!("cover"), json!(["fanart"]), json!([1]), json!({})] {
            assert_eq!(kinds(value), Err("Invalid media selection.".to_owned()));
        }
    }

    #[test]
    fn only_texts_that_are_known_and_asked_for_are_taken() {
        let hit = |year| Hit {
            id: 7,
            name: "Comet".to_owned(),
            year,
            types: Vec::new(),
            verified: true,
            provider: String::new(),
        };
        let both = TEXTS.map(str::to_owned);
        let (name, year) = (("name", json!("Comet")), ("year", json!("1994")));
        assert_eq!(texts_of(&hit(Some(1994)), &both), [name.clone(), year.clone()]);
        assert_eq!(texts_of(&hit(None), &both), [name]);
        assert_eq!(texts_of(&hit(Some(1994)), &both[1..]), [year]);
    }
}
