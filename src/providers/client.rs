//! Requests to a provider: address, pace, retries, and checks of the answer.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::Value;

use super::{
    error::{Cancel, ProviderError},
    pace::{Clock, Pacer, SystemClock},
    stream::{Sent, Stream, Wanted},
    table::{BaseUrl, Provider},
};
use crate::formats::thumbnail::Kind;
use crate::{
    base::{Hold as _, Moment, away::Away, redact},
    config::environment::Environment,
    net::{exchange::OWN_NAME, location::Location},
};

/// Bytes of the largest picture.
pub const PICTURE_BYTES: u64 = 32 << 20;
/// How long a picture may take.
const PICTURE_TIME: Duration = Duration::from_secs(30);
/// Bytes of the largest answer in JSON.
const JSON_BYTES: u64 = 8 << 20;
/// Bytes of the longest address that an answer may name.
const ADDRESS_BYTES: usize = 2_000;

/// Characters of the longest message that is passed on.
const MESSAGE: usize = 200;

/// What some servers put in front of a text.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// A request to a provider.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Who is asked.
    pub provider: &'static Provider,
    /// Which of its addresses.
    pub base_url: BaseUrl,
    /// What lies below that, with a slash in front, percent-encoded.
    pub path: &'a str,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// From the connection to the last byte.
    pub timeout: Duration,
}

/// An answer with its body, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// HTTP status; none of a redirect, and none that may pass.
    pub status: u16,
    /// What the status means.
    pub reason: &'static str,
    /// The body.
    pub bytes: Vec<u8>,
}

impl Answered {
    /// The provider's own message of an error, in JSON, on one line, without addresses and these
    /// secrets; `None` when there is none.
    pub fn message(&self, secrets: &[String]) -> Option<String> {
        let said: Value = serde_json::from_slice(&self.bytes).ok()?;
        let text = |value: &Value| {
            let text = redact::said(value.as_str()?, secrets, MESSAGE);
            Some(text).filter(|text| !text.is_empty())
        };
        let first = match &said["errors"] {
            Value::Object(fields) => fields.values().next().map(|list| &list[0]),
            errors => errors.get(0).map(|first| first.get("title").unwrap_or(first)),
        };
        let named = ["message", "Error", "error"].iter().find_map(|key| text(&said[*key]));
        named.or_else(|| text(first?))
    }
}

/// A request and what else it is sent with.
struct Asked<'a> {
    request: &'a Request<'a>,
    /// The whole address, instead of the path.
    address: Option<&'a str>,
    body: Option<&'a [u8]>,
    /// Whether an answer with an error is an answer.
    takes_errors: bool,
}

impl<'a> Asked<'a> {
    fn of(request: &'a Request<'a>) -> Self {
        Self { request, address: None, body: None, takes_errors: false }
    }
}

/// A picture that can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its format, by its first bytes.
    pub kind: Kind,
}

/// Why the last request to a provider failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Local time.
    pub at: String,
    /// Why, without anything that was sent.
    pub reason: String,
}

/// The client of all providers.
pub struct Providers {
    troubles: Mutex<BTreeMap<&'static str, Trouble>>,
    /// Until when a provider rests, by the clock.
    rests: Mutex<BTreeMap<&'static str, Duration>>,
    environment: Environment,
    pacer: Arc<Pacer>,
    clock: Arc<dyn Clock>,
}

impl Providers {
    /// A client in this environment.
    pub fn new(environment: &Environment) -> Self {
        Self::by_clock(environment, Arc::new(SystemClock::new()))
    }

    pub(super) fn by_clock(environment: &Environment, clock: Arc<dyn Clock>) -> Self {
        let environment = environment.clone();
        let (pacer, troubles, rests) =
            (Pacer::new(Arc::clone(&clock)), Mutex::default(), Mutex::default());
        Self { troubles, rests, environment, pacer, clock }
    }

    /// The address of a file or route of a provider; `path` begins with a slash and is encoded.
    pub fn address(&self, base_url: BaseUrl, path: &str) -> String {
        format!("{}{path}", self.base(base_url).trim_end_matches('/'))
    }

    fn base(&self, base_url: BaseUrl) -> &str {
        self.environment.process_text(base_url.variable).unwrap_or(base_url.default)
    }

    /// Sends a request until an answer comes whose status is not an error, and returns that answer with
    /// its body still to come. Statuses below 400 are the caller's to understand.
    ///
    /// # Errors
    /// [`ProviderError`].
    pub fn open(&self, request: &Request<'_>, cancel: Cancel<'_>) -> Result<Stream, ProviderError> {
        let asked = Asked::of(request);
        self.again(request.provider, cancel, |host| self.open_once(&asked, host, cancel))
    }

    /// Sends a request and has `take` take its answer, until that succeeds or fails permanently: an answer
    /// that breaks off is asked for again. With an address that an answer names ([`Providers::named`]) the
    /// path of the request is not used. With `takes_errors` an answer with an error is one.
    ///
    /// # Errors
    /// [`ProviderError`]; [`ProviderError::NotAllowed`] for an address elsewhere.
    pub(super) fn taken<T>(
        &self,
        request: &Request<'_>,
        (address, takes_errors): (Option<&str>, bool),
        take: impl Fn(Stream) -> Result<T, ProviderError>,
        cancel: Cancel<'_>,
    ) -> Result<T, ProviderError> {
        let asked = Asked { address, takes_errors, ..Asked::of(request) };
        self.again(request.provider, cancel, |host| {
            Ok(take(self.open_once(&asked, host, cancel)?)?)
        })
    }

    /// Asks with a body, or without one, and returns what came whatever its status and form: for
    /// providers that say in the body what is wrong. What may pass is tried again all the same.
    ///
    /// # Errors
    /// [`ProviderError`]; a status only when it may pass and did not.
    pub fn answer(
        &self,
        request: &Request<'_>,
        body: Option<&[u8]>,
        cancel: Cancel<'_>,
    ) -> Result<Answered, ProviderError> {
        let asked = Asked { body, takes_errors: true, ..Asked::of(request) };
        self.again(request.provider, cancel, |host| {
            Ok(answered(self.open_once(&asked, host, cancel)?, JSON_BYTES, cancel)?)
        })
    }

    /// As [`Providers::answer`] for a picture whose whole address an answer names ([`Providers::named`]):
    /// for providers that say in its place what is wrong.
    ///
    /// # Errors
    /// [`ProviderError`]; [`ProviderError::NotAllowed`] for an address elsewhere.
    pub fn answer_named(
        &self,
        provider: &'static Provider,
        base_url: BaseUrl,
        address: &str,
        cancel: Cancel<'_>,
    ) -> Result<Answered, ProviderError> {
        let (path, headers) = ("", Vec::new());
        let request = Request { provider, base_url, path, headers, timeout: PICTURE_TIME };
        let take = |stream| answered(stream, PICTURE_BYTES, cancel);
        self.taken(&request, (Some(address), true), take, cancel)
    }

    /// Loads a picture, whatever its name is and the server calls it.
    ///
    /// # Errors
    /// [`ProviderError`].
    pub fn picture(
        &self,
        provider: &'static Provider,
        base_url: BaseUrl,
        path: &str,
        cancel: Cancel<'_>,
    ) -> Result<Picture, ProviderError> {
        let request =
            Request { provider, base_url, path, headers: Vec::new(), timeout: PICTURE_TIME };
        self.picture_of(&Asked::of(&request), cancel)
    }

    /// As [`Providers::picture`] with headers of the request, where the server also has to call what
    /// it sends a picture.
    ///
    /// # Errors
    /// [`ProviderError`]; [`ProviderError::NoPicture`] for another content type.
    pub fn called_picture(
        &self,
        request: &Request<'_>,
        cancel: Cancel<'_>,
    ) -> Result<Picture, ProviderError> {
        self.again(request.provider, cancel, |host| {
            let stream = self.open_once(&Asked::of(request), host, cancel)?;
            let head = stream.head();
            let kind = head.header("Content-Type").unwrap_or_default().to_ascii_lowercase();
            if head.status == 200 && !head.is_page() && !kind.starts_with("image/") {
                return Err(ProviderError::NoPicture.into());
            }
            Ok(picture_of(stream, cancel)?)
        })
    }

    /// As [`Providers::picture`] for one whose whole address an answer names ([`Providers::named`]).
    ///
    /// # Errors
    /// [`ProviderError`]; [`ProviderError::NotAllowed`] for an address elsewhere.
    pub fn picture_named(
        &self,
        provider: &'static Provider,
        base_url: BaseUrl,
        address: &str,
        cancel: Cancel<'_>,
    ) -> Result<Picture, ProviderError> {
        let (path, headers) = ("", Vec::new());
        let request = Request { provider, base_url, path, headers, timeout: PICTURE_TIME };
        self.picture_of(&Asked { address: Some(address), ..Asked::of(&request) }, cancel)
    }

    fn picture_of(&self, asked: &Asked<'_>, cancel: Cancel<'_>) -> Result<Picture, ProviderError> {
        self.again(asked.request.provider, cancel, |host| {
            Ok(picture_of(self.open_once(asked, host, cancel)?, cancel)?)
        })
    }

    /// Asks for JSON; any value is an answer, whatever its content type.
    ///
    /// # Errors
    /// [`ProviderError`]; [`ProviderError::Nonsense`] for text that is no JSON.
    pub fn json(&self, request: &Request<'_>, cancel: Cancel<'_>) -> Result<Value, ProviderError> {
        self.again(request.provider, cancel, |host| {
            let asked = Asked::of(request);
            let bytes = whole(self.open_once(&asked, host, cancel)?, JSON_BYTES, cancel)?;
            let text = bytes.strip_prefix(BOM).unwrap_or(&bytes);
            serde_json::from_slice(text).map_err(|_| ProviderError::Nonsense.into())
        })
    }

    /// An address that an answer of this provider names, when it lies with the provider: by https on
    /// one of its hosts, or, with replaced addresses, on the server of one of them. An address without
    /// a scheme gets that of the base URL.
    pub fn named(&self, provider: &Provider, base_url: BaseUrl, text: &str) -> Option<String> {
        let base = Location::parse(self.base(base_url)).ok()?;
        let text = match text.strip_prefix("//") {
            Some(rest) if base.is_secure() => format!("https://{rest}"),
            Some(rest) => format!("http://{rest}"),
            None => text.to_owned(),
        };
        let named = Location::parse(&text).ok().filter(|_| text.len() <= ADDRESS_BYTES)?;
        let is_below = |host: &&str| {
            let front = named.host().strip_suffix(host);
            front.is_some_and(|front| front.is_empty() || front.ends_with('.'))
        };
        let is_own = self.is_replacement(provider, base_url, &named)
            || (named.is_secure() && named.port() == 443 && provider.hosts.iter().any(is_below));
        is_own.then_some(text)
    }

    /// Whether something lies on the server of a replaced address of a provider.
    fn is_replacement(&self, provider: &Provider, base_url: BaseUrl, location: &Location) -> bool {
        provider.base_urls.iter().chain([&base_url]).any(|base_url| {
            let base = self.environment.process_text(base_url.variable).map(Location::parse);
            base.is_some_and(|base| base.is_ok_and(|base| base.is_same_server(location)))
        })
    }

    /// Pauses a provider for `time`: callers of [`Providers::is_resting`] send nothing to it meanwhile.
    pub fn rest(&self, provider: &Provider, time: Duration) {
        self.rests.hold().insert(provider.id, self.clock.now() + time);
    }

    /// Whether a provider still rests.
    pub fn is_resting(&self, provider: &Provider) -> bool {
        let rests = self.rests.hold();
        rests.get(provider.id).is_some_and(|until| self.clock.now() < *until)
    }

    /// Lets no request start at the host of a base URL for `time`.
    pub fn hold_off(&self, base_url: BaseUrl, time: Duration) {
        if let Ok(base) = Location::parse(self.base(base_url)) {
            self.pacer.hold_off(&lane_of(&base), time);
        }
    }

    /// Why the last request to a provider failed; `None` when it did not.
    pub fn trouble(&self, provider: &Provider) -> Option<Trouble> {
        self.troubles.hold().get(provider.id).cloned()
    }

    /// Records a failure, also one reported by an answer with an error, unless something is merely missing or was
    /// cancelled.
    pub fn note(&self, provider: &Provider, error: &ProviderError) {
        if matches!(error, ProviderError::Stopped | ProviderError::Status { status: 404, .. }) {
            return;
        }
        let trouble = Trouble { at: Moment::now().local_iso(), reason: error.to_string() };
        self.troubles.hold().insert(provider.id, trouble);
    }

    /// Repeats the work until it succeeds or fails permanently.
    fn again<T>(
        &self,
        provider: &Provider,
        cancel: Cancel<'_>,
        once: impl Fn(&mut String) -> Result<T, Failed>,
    ) -> Result<T, ProviderError> {
        let _away = Away::begin();
        let mut attempt = 1;
        loop {
            let mut host = String::new();
            let failed = match once(&mut host) {
                Ok(done) => {
                    self.troubles.hold().remove(provider.id);
                    return Ok(done);
                }
                Err(failed) => failed,
            };
            log::info!("{}: attempt {attempt}: {}", provider.id, failed.error);
            let tries = provider.tries;
            let pause = failed.asked.unwrap_or_default().max(tries.pause(attempt));
            let is_asked_too_often =
                matches!(failed.error, ProviderError::Status { status: 429, .. });
            let is_final = !failed.error.is_passing() || (is_asked_too_often && !tries.insists);
            if attempt == tries.most || is_final || pause > tries.longest {
                self.note(provider, &failed.error);
                return Err(failed.error);
            }
            if failed.asked.is_some() || is_asked_too_often {
                self.pacer.hold_off(&host, pause);
            }
            self.clock.wait(pause, cancel)?;
            attempt += 1;
        }
    }

    fn open_once(
        &self,
        asked: &Asked<'_>,
        host: &mut String,
        cancel: Cancel<'_>,
    ) -> Result<Stream, Failed> {
        let request = asked.request;
        let (location, wanted) = match asked.address {
            Some(address) => self.locate_named(request, address)?,
            None => self.locate(request)?,
        };
        *host = lane_of(&location);
        let permit = self.pacer.take(host, request.provider.pace, cancel)?;
        let headers = own_headers(&request.headers);
        let body = asked.body.map(<[u8]>::to_vec);
        let sent = Sent { location, wanted, headers, body, timeout: request.timeout };
        let takes_errors = asked.takes_errors;
        let stream = Stream::begin(sent, permit, cancel)?;
        let head = stream.head();
        if matches!(head.status, 401 | 403) && head.is_page() && !takes_errors {
            return Err(Failed::of(page(head.status)));
        }
        if head.status >= 400 {
            let asked = head.header("Retry-After").and_then(asked_pause);
            let error = ProviderError::Status { status: head.status, reason: head.reason };
            if !takes_errors || error.is_passing() {
                return Err(Failed { error, asked });
            }
        }
        Ok(stream)
    }

    /// Where a file lies whose address an answer names.
    fn locate_named(
        &self,
        request: &Request<'_>,
        address: &str,
    ) -> Result<(Location, Wanted), ProviderError> {
        let not_allowed = |_| ProviderError::NotAllowed;
        let named = self.named(request.provider, request.base_url, address);
        let named = named.ok_or(ProviderError::NotAllowed)?;
        let location = Location::parse(&named).map_err(not_allowed)?;
        if !self.is_replacement(request.provider, request.base_url, &location) {
            return Ok((location, Wanted::Public));
        }
        match (location.is_loopback(), location.is_secure()) {
            (true, _) => Ok((location, Wanted::Loopback)),
            (false, true) => Ok((location, Wanted::Any)),
            (false, false) => Err(ProviderError::NotAllowed),
        }
    }

    /// The target of a request, and the rule for it.
    pub(super) fn locate(
        &self,
        request: &Request<'_>,
    ) -> Result<(Location, Wanted), ProviderError> {
        let address = self.address(request.base_url, request.path);
        let not_allowed = |_| ProviderError::NotAllowed;
        let location = Location::parse(&address).map_err(not_allowed)?;
        let base = Location::parse(self.base(request.base_url)).map_err(not_allowed)?;
        if !base.is_same_server(&location) {
            return Err(ProviderError::NotAllowed);
        }
        let is_replaced = self.environment.process_text(request.base_url.variable).is_some();
        match (is_replaced, location.is_loopback(), location.is_secure()) {
            (true, true, _) => Ok((location, Wanted::Loopback)),
            (true, false, true) => Ok((location, Wanted::Any)),
            (false, _, true) => Ok((location, Wanted::Public)),
            (_, _, false) => Err(ProviderError::NotAllowed),
        }
    }
}

/// What the requests to one host have in common.
fn lane_of(location: &Location) -> String {
    format!("{}:{}", location.host(), location.port())
}

/// The headers of every request, and its own.
fn own_headers(more: &[(&'static str, String)]) -> Vec<(&'static str, String)> {
    let own = [("User-Agent", OWN_NAME.to_owned()), ("Accept-Encoding", "identity".to_owned())];
    own.into_iter().chain(more.iter().cloned()).collect()
}

/// What a page with this status means. With that of refused credentials it comes from what stands before
/// the provider: the credentials were not checked.
fn page(status: u16) -> ProviderError {
    if matches!(status, 401 | 403) { ProviderError::Barred } else { ProviderError::Page }
}

/// The answer, whatever its status and form.
pub(super) fn answered(
    stream: Stream,
    limit: u64,
    cancel: Cancel<'_>,
) -> Result<Answered, ProviderError> {
    let head = stream.head().clone();
    if (300..400).contains(&head.status) {
        return Err(ProviderError::Status { status: head.status, reason: head.reason });
    }
    let mut bytes = stream.read_all(limit, cancel)?;
    if bytes.starts_with(BOM) {
        bytes.drain(..BOM.len());
    }
    // Some servers call everything a page that they do not call otherwise.
    let is_marked_up = bytes.trim_ascii_start().first().is_none_or(|first| *first == b'<');
    if head.is_page() && is_marked_up {
        return Err(page(head.status));
    }
    Ok(Answered { status: head.status, reason: head.reason, bytes })
}

/// The picture that an answer is.
fn picture_of(stream: Stream, cancel: Cancel<'_>) -> Result<Picture, ProviderError> {
    let bytes = whole(stream, PICTURE_BYTES, cancel)?;
    let kind = Kind::of(&bytes).ok_or(ProviderError::NoPicture)?;
    Ok(Picture { bytes, kind })
}

/// The whole body of a good answer that is not a web page.
fn whole(stream: Stream, limit: u64, cancel: Cancel<'_>) -> Result<Vec<u8>, ProviderError> {
    let head = stream.head();
    if head.status != 200 {
        return Err(ProviderError::Status { status: head.status, reason: head.reason });
    }
    if head.is_page() {
        return Err(ProviderError::Page);
    }
    if head.length().is_some_and(|length| length > limit) {
        return Err(ProviderError::TooLarge(limit));
    }
    stream.read_all(limit, cancel)
}

/// A request that failed.
struct Failed {
    error: ProviderError,
    /// How long the host wants not to be asked.
    asked: Option<Duration>,
}

impl Failed {
    fn of(error: ProviderError) -> Self {
        Self { error, asked: None }
    }
}

impl From<ProviderError> for Failed {
    fn from(error: ProviderError) -> Self {
        Self::of(error)
    }
}

/// The pause that a `Retry-After` asks for: seconds or a date.
fn asked_pause(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = Moment::from_system(httpdate::parse_http_date(text).ok()?);
    let left = until.unix_micros() - Moment::now().unix_micros();
    Some(Duration::from_micros(u64::try_from(left).unwrap_or(0)))
}
