//! The media service: box art of a game, with the credentials of the user (`/api/mediasvc/*`).
//!
//! Sends no request without credentials. Owns these and what is loaded with them.
//!
//! | file | what it does |
//! |---|---|
//! | `credentials` | the user name and the password |
//! | `error` | why there is no file |

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use self::credentials::{CredentialStore, Credentials};
use crate::{
    base::{ids, text},
    config::data_dir::DataDir,
    feature::Deps,
    files::Files,
    game::{
        GameRef,
        edit::EditError,
        origins::{self, Mode},
    },
    media::{media_writer, named_files::NamedFiles},
    model::{
        Cause, Record, State,
        origins::{Origin, Right},
    },
    net::location::percent_encoded,
    providers::{MEDIASVC, MEDIASVC_API, ProviderError, Providers, Request},
    store::{CommitError, Store},
};

pub mod credentials;
pub mod error;

pub use self::error::MediaServiceError;

/// From the connection to the last byte of a file.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The longest time for one request of a client, with everything that is tried again.
const PATIENCE: Duration = Duration::from_secs(30);
/// What is asked for to see whether credentials are accepted.
const PROBE: &str = "/media/box?system=NES&search=Tetris";
/// The kind of media that is a cover.
const BOX: &str = "box";
/// Characters of the longest kind of media.
const KIND_CHARS: usize = 40;
/// Hexadecimal digits that distinguish games of one title.
const DIGITS: usize = 12;

/// The media service.
pub struct MediaService {
    /// The credentials of the user.
    pub credential_store: CredentialStore,
    providers: Arc<Providers>,
    store: Store,
    files: Files,
    data_dir: DataDir,
    named: Arc<NamedFiles>,
}

impl MediaService {
    /// The service with the credentials of this environment and data directory.
    pub fn new(deps: &Deps, providers: &Arc<Providers>, named: &Arc<NamedFiles>) -> Self {
        let path = deps.data_dir.mediasvc();
        let secrets = deps.accounts.kept_out_of_logs().clone();
        Self {
            credential_store: CredentialStore::new(
                &deps.environment,
                deps.files.clone(),
                path,
                secrets,
            ),
            providers: Arc::clone(providers),
            store: deps.store.clone(),
            files: deps.files.clone(),
            data_dir: deps.data_dir.clone(),
            named: Arc::clone(named),
        }
    }

    /// Stores the credentials that a client posts; when they are to be checked, only those that the service
    /// accepts.
    ///
    /// # Errors
    /// [`MediaServiceError`]; then those that are there stay.
    pub fn configure(
        &self,
        username: &str,
        password: &str,
        is_checked: bool,
    ) -> Result<(), MediaServiceError> {
        let credentials = Credentials::posted(username, password)?;
        if is_checked {
            self.check(&credentials)?;
        }
        Ok(self.credential_store.store(&credentials)?)
    }

    /// Asks for a file with credentials. Whether the file is there does not matter: the service checks them first.
    fn check(&self, credentials: &Credentials) -> Result<(), MediaServiceError> {
        let begun = Instant::now();
        let request = request(PROBE, credentials);
        let answer = self.providers.answer(&request, None, &|| begun.elapsed() > PATIENCE);
        let status = match answer {
            Ok(answer) => answer.status,
            // A file is there, but larger than an answer in words.
            Err(ProviderError::TooLarge(_)) => return Ok(()),
            Err(error) => {
                return Err(MediaServiceError::Untried(MediaServiceError::from(error).to_string()));
            }
        };
        match status {
            401 | 403 => Err(MediaServiceError::NotAccepted),
            200 | 404 => Ok(()),
            status => {
                let reason = format!("the server answered {status}");
                Err(MediaServiceError::Untried(MediaServiceError::Failed(reason).to_string()))
            }
        }
    }

    /// Loads media of a kind for a game; where it lies. Box art becomes the cover of a game without one.
    ///
    /// # Errors
    /// [`MediaServiceError`]; then nothing has changed.
    pub fn download(
        &self,
        game: Option<&GameRef>,
        kind: &str,
    ) -> Result<PathBuf, MediaServiceError> {
        let malformed = |sentence| Err(MediaServiceError::Malformed(sentence));
        let credentials = self.credential_store.find().ok_or(MediaServiceError::Unconfigured)?;
        if !is_kind(kind) {
            return malformed("type is not valid.");
        }
        let Some(game) = game else { return malformed("Game id is required.") };
        let state = self.store.snapshot()?;
        let (_, game) = game.find(&state.games).ok_or(EditError::UnknownGame)?;
        let record = game.record();
        let name = record.text("name").trim();
        if name.is_empty() {
            return malformed("The game has no name.");
        }
        let path = format!(
            "/media/{kind}?system={}&search={}",
            percent_encoded(record.text("platform")),
            percent_encoded(name)
        );
        let request = request(&path, &credentials);
        let begun = Instant::now();
        let picture = self.providers.called_picture(&request, &|| begun.elapsed() > PATIENCE)?;
        let folder = self.folder(&state, &record);
        let path = folder.join(format!("{kind}.{}", picture.kind.ending()));
        let (path, _) = media_writer::MediaWriter::new(&self.files, &self.store, &self.named)
            .keep(&path, &picture.bytes)?;
        let shown = path.to_string_lossy().into_owned();
        self.store.report(Cause::MediaChanged(vec![shown.clone()]));
        if kind == BOX {
            self.fill_cover(game.id(), &shown)?;
        }
        Ok(path)
    }

    /// The folder of a game's media: named after its title, with a suffix where another game has the same one.
    fn folder(&self, state: &State, record: &Record) -> PathBuf {
        let id = record.text("game_id");
        let top = self.data_dir.media().join("mediasvc");
        let digest = ids::hex(&Sha256::digest(id));
        let mark = text::cut(&digest, DIGITS);
        let slug = text::slug(record.text("name"));
        if slug.is_empty() {
            return top.join(mark);
        }
        let folder = top.join(&slug);
        let inside = format!("{}/", folder.to_string_lossy());
        let is_taken = state.games.iter().any(|game| {
            let names = || game.record().text("cover").starts_with(&inside);
            game.id() != id && text::slug(game.name()) == slug && names()
        });
        if is_taken { top.join(format!("{slug}-{mark}")) } else { folder }
    }

    fn fill_cover(&self, game_id: &str, path: &str) -> Result<(), MediaServiceError> {
        let written = self.store.change(|draft| {
            let origin = Origin { by: MEDIASVC.id.to_owned(), ..Origin::default() };
            let cover = [("cover", Value::from(path))];
            let keys = origins::fill(draft, game_id, origin, Right::Request, Mode::Fill, &cover);
            if !keys.is_empty() {
                draft.set_cause(Cause::Updated(game_id.to_owned()));
            }
        });
        written.map_err(CommitError::hand_on)
    }
}

/// A request with credentials.
fn request<'a>(path: &'a str, credentials: &Credentials) -> Request<'a> {
    Request {
        provider: &MEDIASVC,
        base_url: MEDIASVC_API,
        path,
        headers: vec![("Authorization", credentials.header())],
        timeout: TIMEOUT,
    }
}

/// Whether a text may be a kind of media: lower-case letters, digits, `-` and `_`.
fn is_kind(text: &str) -> bool {
    let is_inner = |letter: char| {
        letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '-' | '_')
    };
    !text.is_empty() && text.len() <= KIND_CHARS && text.chars().all(is_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_plain_words() {
        for (text, expected) in [
            ("box", true),
            ("box-back_2", true),
            ("", false),
            ("../x", false),
            ("Box", false),
            ("a b", false),
            ("a?b", false),
        ] {
            assert_eq!(is_kind(text), expected, "{text}");
        }
        assert!(is_kind(&"a".repeat(40)) && !is_kind(&"a".repeat(41)));
    }
}
