//! Requests to the host of releases.

use std::{io::Read as _, sync::Mutex, time::Duration};

use crossbeam_channel::{RecvTimeoutError, bounded};

use super::{error::UpdateError, release::Release};
use crate::{
    base::{Hold as _, thread_named},
    config::{credentials::Credential, environment::Environment, release::Releases},
    net::{
        download::{self, Wanted},
        exchange::Received,
        fetch::FetchError,
    },
};

/// The route of the newest release.
const LATEST: &str = "/releases/latest";
/// How long the host may take to describe it.
const CHECK_TIME: Duration = Duration::from_secs(30);
/// Bytes of that answer.
const ANSWER_BYTES: usize = 8 << 20;
/// Bytes of a signature or a checksum.
const SMALL_BYTES: usize = 64 << 10;
/// How long a download may take.
const DOWNLOAD_TIME: Duration = Duration::from_hours(2);
/// The longest silence in a download.
const SILENCE: Duration = Duration::from_mins(1);
/// How often a download checks for a cancellation.
const SLICE: Duration = Duration::from_millis(200);
/// Bytes moved at once, and pieces that wait.
const PIECE: usize = 1 << 17;
const WAITING: usize = 8;
/// Where GitHub hands files out.
const DOMAINS: [&str; 1] = ["githubusercontent.com"];

/// The host of releases.
pub struct Publisher {
    environment: Environment,
    api: Option<String>,
    /// The last answer and its entity tag: an unchanged one does not count against the limit of requests.
    seen: Mutex<Option<(String, Release)>>,
}

impl Publisher {
    pub fn new(environment: &Environment, releases: &Releases) -> Self {
        let (environment, api) = (environment.clone(), releases.api.clone());
        Self { environment, api, seen: Mutex::default() }
    }

    /// The newest release.
    ///
    /// # Errors
    /// [`UpdateError`].
    pub fn latest(&self) -> Result<Release, UpdateError> {
        let api = self.api.as_ref().ok_or(UpdateError::NoAddress)?;
        let seen = self.seen.hold().clone();
        let token = self.environment.credential(Credential::ReleasesToken);
        let token = token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![("Accept", "application/vnd.github+json")];
        headers.extend(token.as_deref().map(|token| ("Authorization", token)));
        headers.extend(seen.as_ref().map(|(tag, _)| ("If-None-Match", tag.as_str())));
        let address = format!("{}{LATEST}", api.trim_end_matches('/'));
        let wanted =
            Wanted { address: &address, headers: &headers, domains: &[], timeout: CHECK_TIME };
        let answer = download::open(&wanted).map_err(|error| unreachable(&error))?;
        if let (304, Some((_, release))) = (answer.status, seen) {
            return Ok(release);
        }
        let is_used_up = answer.header("X-RateLimit-Remaining").is_some_and(|left| left == "0");
        match answer.status {
            200 => {}
            status @ (403 | 429) if is_used_up => return Err(UpdateError::Limited(status)),
            status => return Err(UpdateError::Status(status)),
        }
        let tag = answer.header("ETag").map(str::to_owned);
        let text = answer.read_all(ANSWER_BYTES).map_err(|error| {
            log::warn!("the answer of the host of releases broke off: {error}");
            UpdateError::Answer
        })?;
        let release = serde_json::from_slice(&text).ok().and_then(|read| Release::read(&read));
        let release = release.ok_or(UpdateError::Answer)?;
        *self.seen.hold() = tag.map(|tag| (tag, release.clone()));
        Ok(release)
    }
}

/// A small file of a release.
///
/// # Errors
/// [`FetchError`], also when it is too large.
pub fn small(address: &str) -> Result<Vec<u8>, FetchError> {
    let answer = file(address, CHECK_TIME)?;
    if answer.status != 200 {
        return Err(FetchError::Status(answer.status));
    }
    answer.read_all(SMALL_BYTES).map_err(|error| FetchError::Broken(error.kind()))
}

/// A file of a release, handed over piece by piece.
///
/// # Errors
/// [`UpdateError`], also that of `take`.
pub fn download(
    address: &str,
    limit: u64,
    goes_on: &dyn Fn() -> bool,
    take: &mut dyn FnMut(&[u8]) -> Result<(), UpdateError>,
) -> Result<(), UpdateError> {
    let failed = |error: &FetchError| UpdateError::Download(error.to_string());
    let answer = file(address, DOWNLOAD_TIME).map_err(|error| failed(&error))?;
    if answer.status != 200 {
        return Err(failed(&FetchError::Status(answer.status)));
    }
    let length = answer.header("Content-Length").and_then(|text| text.trim().parse().ok());
    if length.is_some_and(|length: u64| length > limit) {
        return Err(UpdateError::TooLarge(limit));
    }
    let (give, pieces) = bounded(WAITING);
    let mut body = answer.into_body();
    // A server that falls silent holds this thread only, until the time of the download is over.
    let read = move || {
        loop {
            let mut piece = vec![0; PIECE];
            let piece = body.read(&mut piece).map(|length| {
                piece.truncate(length);
                piece
            });
            let goes_on = piece.as_ref().is_ok_and(|piece| !piece.is_empty());
            if give.send(piece).is_err() || !goes_on {
                return;
            }
        }
    };
    // OK because the thread is known by its channel.
    let spawned = thread_named("update").spawn(read).map(drop);
    spawned.map_err(|error| UpdateError::Download(error.to_string()))?;
    let mut count = 0_u64;
    let mut silence = Duration::ZERO;
    loop {
        if !goes_on() {
            return Err(UpdateError::Stopped);
        }
        match pieces.recv_timeout(SLICE) {
            Err(RecvTimeoutError::Timeout) if silence < SILENCE => silence += SLICE,
            Ok(Ok(piece)) if piece.is_empty() => break,
            Ok(Ok(piece)) => {
                silence = Duration::ZERO;
                count += piece.len() as u64;
                if count > limit {
                    return Err(UpdateError::TooLarge(limit));
                }
                take(&piece)?;
            }
            Ok(Err(error)) => return Err(failed(&FetchError::Broken(error.kind()))),
            Err(_) => return Err(failed(&FetchError::Broken(std::io::ErrorKind::TimedOut))),
        }
    }
    match length {
        Some(length) if length != count => {
            Err(failed(&FetchError::Broken(std::io::ErrorKind::UnexpectedEof)))
        }
        _ => Ok(()),
    }
}

fn file(address: &str, timeout: Duration) -> Result<Received, FetchError> {
    download::open(&Wanted {
        address,
        headers: &[("Accept-Encoding", "identity")],
        domains: &DOMAINS,
        timeout,
    })
}

fn unreachable(error: &FetchError) -> UpdateError {
    let text = error.to_string();
    UpdateError::Unreachable(text.trim_end_matches('.').to_owned())
}
