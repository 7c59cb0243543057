//! The stored configurations: read tolerantly, posted strictly, shown without their secrets.
//!
//! They are stored in the settings under `webhooks`, next to `webhook_attempts` and
//! `webhook_timeout`. The policy decides which addresses are allowed; it is passed in as a
//! function, so everything here is pure.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{occurrence::Subject, policy::Refused};
use crate::{
    base::{
        ids, limits,
        schema::{Schema, Type, schema},
    },
    model::Draft,
    net::location::Location,
};

/// The key of the list in the settings.
pub const SETTING: &str = "webhooks";
const ATTEMPTS: &str = "webhook_attempts";
const TIMEOUT: &str = "webhook_timeout";

/// Characters of an id that a client brings.
const ID_CHARS: usize = 64;

/// A secret; its text never appears in debug output.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text, for signing and storing only.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether there is one.
    pub fn is_set(&self) -> bool {
        !self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.is_set() { "[set]" } else { "[none]" })
    }
}

/// How often and how long a delivery is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patience {
    /// 1 to 5.
    pub attempts: u32,
    /// Seconds, 1 to 15.
    pub timeout: f64,
}

impl Default for Patience {
    fn default() -> Self {
        Self { attempts: 3, timeout: 5.0 }
    }
}

/// One configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Webhook {
    /// `wh-` and 16 hex digits, or what a client brought.
    pub id: String,
    /// Where deliveries go.
    pub url: String,
    /// Names of the events it wants.
    pub events: Vec<String>,
    /// Whether it is delivered to.
    pub enabled: bool,
    /// How often and how long.
    pub patience: Patience,
    /// Signs deliveries when it is set.
    pub secret: Secret,
    /// The outcome of the last delivery.
    pub last: Last,
}

/// The outcome of the last delivery of a configuration; empty before the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Last {
    /// The status; none when there was no answer.
    pub status: Option<u16>,
    /// Empty after a success.
    pub error: String,
    /// UTC time of the last attempt that was sent.
    pub sent_at: String,
    /// UTC time of the last delivery that was done with, one way or the other.
    pub delivery_at: String,
}

schema! {
    "Webhook"
    /// A configuration as it is shown, without its secret, or stored.
    #[derive(Debug, PartialEq)]
    pub struct ShownWebhook {
        attempts: u32,
        enabled: bool,
        events: Vec<String>,
        id: String,
        last_delivery_at: String,
        last_error: String,
        last_sent_at: String,
        last_status: Option<u16>,
        /// Only where it is stored.
        #[serde(skip_serializing_if = "Option::is_none")]
        secret: Option<String>,
        /// Only where it is shown.
        #[serde(skip_serializing_if = "Option::is_none")]
        secret_set: Option<bool>,
        timeout: Seconds,
        url: String,
    }
}

impl Webhook {
    /// The form a client sees: everything but the secret, and whether there is one.
    pub fn public(&self) -> ShownWebhook {
        ShownWebhook {
            attempts: self.patience.attempts,
            enabled: self.enabled,
            events: self.events.clone(),
            id: self.id.clone(),
            last_delivery_at: self.last.delivery_at.clone(),
            last_error: self.last.error.clone(),
            last_sent_at: self.last.sent_at.clone(),
            last_status: self.last.status,
            secret: None,
            secret_set: Some(self.secret.is_set()),
            timeout: Seconds(self.patience.timeout),
            url: self.url.clone(),
        }
    }

    /// The host deliveries go to; `None` when the address is not valid.
    pub fn host(&self) -> Option<String> {
        Location::parse(&self.url).ok().map(|location| location.host().to_owned())
    }

    fn stored(&self) -> Value {
        let secret = Some(self.secret.0.clone());
        json!(ShownWebhook { secret, secret_set: None, ..self.public() })
    }

    /// Reads what is stored, also by other programs; nothing is refused, bounds hold.
    fn read(stored: &Value, globals: Patience) -> Self {
        let text = |key: &str| stored[key].as_str().unwrap_or("").to_owned();
        let events = stored["events"].as_array().map_or(&[][..], Vec::as_slice);
        Self {
            id: text("id"),
            url: text("url"),
            events: events.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            enabled: stored["enabled"].as_bool().unwrap_or(true),
            patience: patience(&stored["attempts"], &stored["timeout"], globals).unwrap_or(globals),
            secret: Secret(text("secret")),
            last: Last {
                status: stored["last_status"].as_u64().and_then(|status| status.try_into().ok()),
                error: text("last_error"),
                sent_at: text("last_sent_at"),
                delivery_at: text("last_delivery_at"),
            },
        }
    }
}

/// Every stored configuration.
pub fn list(settings: &Map<String, Value>) -> Vec<Webhook> {
    let globals = globals(settings);
    rows(settings).iter().map(|row| Webhook::read(row, globals)).collect()
}

/// The stored configuration of this id.
pub fn find(settings: &Map<String, Value>, id: &str) -> Option<Webhook> {
    let row = rows(settings).iter().find(|row| row["id"] == id)?;
    Some(Webhook::read(row, globals(settings)))
}

/// The ids of the enabled configurations that want a subject. Reads nothing else of them, because it
/// is asked with every event.
pub fn subscribed(settings: &Map<String, Value>, subject: Subject) -> Vec<String> {
    let wants = |row: &&Value| {
        let events = row["events"].as_array().map_or(&[][..], Vec::as_slice);
        row["enabled"] != false && events.iter().any(|event| event == subject.name())
    };
    let ids = rows(settings).iter().filter(wants).filter_map(|row| row["id"].as_str());
    ids.filter(|id| !id.is_empty()).map(str::to_owned).collect()
}

/// The patience of configurations that name none.
pub fn globals(settings: &Map<String, Value>) -> Patience {
    let value = |key: &str| settings.get(key).cloned().unwrap_or_default();
    patience(&value(ATTEMPTS), &value(TIMEOUT), Patience::default()).unwrap_or_default()
}

fn rows(settings: &Map<String, Value>) -> &[Value] {
    settings.get(SETTING).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Writes the outcome of a delivery into its configuration, if that still exists.
pub fn record(draft: &mut Draft, id: &str, last: &Last) {
    let mut hooks = list(draft.state().settings());
    if let Some(hook) = hooks.iter_mut().find(|hook| hook.id == id) {
        let sent_at = std::mem::take(&mut hook.last.sent_at);
        hook.last = last.clone();
        if hook.last.sent_at.is_empty() {
            hook.last.sent_at = sent_at;
        }
        write(draft, &hooks, None);
    }
}

fn write(draft: &mut Draft, hooks: &[Webhook], globals: Option<Patience>) {
    let mut changes = Map::new();
    changes.insert(SETTING.to_owned(), hooks.iter().map(Webhook::stored).collect());
    if let Some(globals) = globals {
        changes.insert(ATTEMPTS.to_owned(), globals.attempts.into());
        changes.insert(TIMEOUT.to_owned(), json!(Seconds(globals.timeout)));
    }
    draft.merge_section("settings", changes, &[]);
}

/// Why a post is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// No list, or a list that is too long.
    #[error("Webhooks must be a list of at most 32 entries.")]
    NoList,
    #[error("Webhook configuration must be an object.")]
    NoObject,
    #[error("Select at least one webhook event.")]
    NoEvent,
    #[error("Unknown webhook event: {0}")]
    UnknownEvent(String),
    /// The address is refused.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Attempts or timeout are not numbers.
    #[error("Webhook attempts and timeout must be numbers.")]
    NoNumber,
    #[error("Webhook secret must be at least 8 characters.")]
    ShortSecret,
}

/// The instruction of a post about the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SecretChange {
    /// The one stored under the same id stays.
    Keep,
    /// It is this one from now on; none when it is empty.
    Set(Secret),
}

/// One posted configuration that passed every check.
#[derive(Clone, Debug, PartialEq)]
pub struct Posted {
    hook: Webhook,
    secret: SecretChange,
}

impl Posted {
    /// Checks a posted configuration; `admit` says whether an address may be delivered to.
    ///
    /// # Errors
    /// The first [`ConfigError`].
    pub fn read(
        posted: &Value,
        globals: Patience,
        admit: &dyn Fn(&str) -> Result<(), Refused>,
    ) -> Result<Self, ConfigError> {
        let posted = posted.as_object().ok_or(ConfigError::NoObject)?;
        let value = |key: &str| posted.get(key).unwrap_or(&Value::Null);
        let url = value("url").as_str().unwrap_or("").trim().to_owned();
        // A faulty address comes first, and what the network says about one last.
        let admitted = admit(&url);
        if let Err(refused) = admitted
            && refused.is_of_text()
        {
            return Err(refused.into());
        }
        let events = read_events(value("events"))?;
        admitted?;
        let patience = patience(value("attempts"), value("timeout"), globals)?;
        let secret = match value("secret") {
            Value::Null => "",
            Value::String(secret) => secret.as_str(),
            _ => return Err(ConfigError::ShortSecret),
        };
        if !secret.is_empty() && secret.chars().count() < limits::WEBHOOK_SECRET_CHARS {
            return Err(ConfigError::ShortSecret);
        }
        let keep = secret.is_empty() && *value("secret_set") == true;
        let id = value("id").as_str().unwrap_or("").trim();
        let brought = !id.is_empty() && id.chars().count() <= ID_CHARS;
        let hook = Webhook {
            id: if brought { id.to_owned() } else { new_id() },
            url,
            events,
            enabled: *value("enabled") != false,
            patience,
            secret: Secret::default(),
            last: Last::default(),
        };
        let secret =
            if keep { SecretChange::Keep } else { SecretChange::Set(Secret(secret.to_owned())) };
        Ok(Self { hook, secret })
    }

    /// The configuration with what is kept of the stored one of the same id.
    pub fn over(mut self, settings: &Map<String, Value>) -> Webhook {
        let stored = find(settings, &self.hook.id);
        self.hook.secret = match self.secret {
            SecretChange::Set(secret) => secret,
            SecretChange::Keep => {
                stored.as_ref().map(|hook| hook.secret.clone()).unwrap_or_default()
            }
        };
        self.hook.last = stored.map(|hook| hook.last).unwrap_or_default();
        self.hook
    }
}

/// A post of `POST /api/webhooks` that passed every check.
#[derive(Clone, Debug, PartialEq)]
pub enum Save {
    /// The whole list, and the patience of those that name none.
    All(Vec<Posted>, Patience),
    /// One configuration: replaces the one of its id, or comes after the others.
    One(Posted),
}

impl Save {
    /// Checks a post: `webhooks` (or `configs`) with the whole list, or one configuration, flat or
    /// as `webhook`.
    ///
    /// # Errors
    /// The first [`ConfigError`].
    pub fn read(
        body: &Map<String, Value>,
        stored: &Map<String, Value>,
        admit: &dyn Fn(&str) -> Result<(), Refused>,
    ) -> Result<Self, ConfigError> {
        let list = body.get("webhooks").or_else(|| body.get("configs"));
        if list.is_none() && (body.contains_key("webhook") || body.contains_key("url")) {
            return Posted::read(&single(body), globals(stored), admit).map(Self::One);
        }
        let list = list.and_then(Value::as_array).ok_or(ConfigError::NoList)?;
        if list.len() > limits::WEBHOOKS {
            return Err(ConfigError::NoList);
        }
        let value = |key: &str| body.get(key).unwrap_or(&Value::Null);
        let globals = patience(value("attempts"), value("timeout"), Patience::default());
        // The list is judged first; its entries fall back on the globals that are posted with it.
        let fallback = globals.clone().unwrap_or_default();
        let mut hooks: Vec<Posted> = Vec::with_capacity(list.len());
        for entry in list {
            let mut posted = Posted::read(entry, fallback, admit)?;
            if hooks.iter().any(|other| other.hook.id == posted.hook.id) {
                posted.hook.id = new_id();
            }
            hooks.push(posted);
        }
        Ok(Self::All(hooks, globals?))
    }

    /// Lays the post over what is stored and returns the list as it is then.
    ///
    /// # Errors
    /// [`ConfigError::NoList`] when there is no room for one more.
    pub fn apply(self, draft: &mut Draft) -> Result<Vec<Webhook>, ConfigError> {
        let stored = draft.state().settings();
        let (hooks, globals) = match self {
            Self::All(posted, globals) => {
                let hooks = posted.into_iter().map(|posted| posted.over(stored)).collect();
                (hooks, Some(globals))
            }
            Self::One(posted) => {
                let mut hooks = list(stored);
                let hook = posted.over(stored);
                match hooks.iter().position(|known| known.id == hook.id) {
                    Some(at) => hooks[at] = hook,
                    None if hooks.len() < limits::WEBHOOKS => hooks.push(hook),
                    None => return Err(ConfigError::NoList),
                }
                (hooks, None)
            }
        };
        write(draft, &hooks, globals);
        Ok(hooks)
    }
}

/// The one configuration of a body: below `webhook`, or the body itself.
pub fn single(body: &Map<String, Value>) -> Value {
    body.get("webhook").cloned().unwrap_or_else(|| Value::Object(body.clone()))
}

fn new_id() -> String {
    format!("wh-{}", ids::random_hex(8))
}

fn read_events(posted: &Value) -> Result<Vec<String>, ConfigError> {
    let posted = posted.as_array().filter(|list| !list.is_empty()).ok_or(ConfigError::NoEvent)?;
    let mut events: Vec<String> = Vec::new();
    for event in posted {
        let name = event.as_str().map_or_else(|| event.to_string(), |name| name.trim().to_owned());
        if Subject::find(&name).is_none() {
            return Err(ConfigError::UnknownEvent(name));
        }
        if !events.contains(&name) {
            events.push(name);
        }
    }
    Ok(events)
}

/// Attempts and timeout within their bounds; what is missing, empty, false or zero is the default.
fn patience(attempts: &Value, timeout: &Value, default: Patience) -> Result<Patience, ConfigError> {
    let attempts = number(attempts)?.map_or(default.attempts, |number| {
        let bounded = number.clamp(1.0, f64::from(limits::WEBHOOK_ATTEMPTS));
        // OK because the number lies between 1 and 5.
        (1..=limits::WEBHOOK_ATTEMPTS).rev().find(|n| f64::from(*n) <= bounded).unwrap_or(1)
    });
    let timeout =
        number(timeout)?.map_or(default.timeout, |it| it.clamp(1.0, limits::WEBHOOK_TIMEOUT));
    Ok(Patience { attempts, timeout })
}

/// A number, also one in text; `None` for anything else.
fn number(value: &Value) -> Result<Option<f64>, ConfigError> {
    let number = match value {
        Value::Null | Value::Bool(false) => return Ok(None),
        Value::String(text) if text.trim().is_empty() => return Ok(None),
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => number.as_f64(),
        Value::Bool(true) | Value::Array(_) | Value::Object(_) => None,
    };
    let number = number.filter(|number: &f64| number.is_finite()).ok_or(ConfigError::NoNumber)?;
    Ok((number != 0.0).then_some(number))
}

/// Seconds as they are shown and stored: whole ones without a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds(pub f64);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_same = |whole: &u32| (f64::from(*whole) - self.0).abs() < f64::EPSILON;
        match (1..=15_u32).find(is_same) {
            Some(whole) => whole.serialize(serializer),
            None => self.0.serialize(serializer),
        }
    }
}

impl Schema for Seconds {
    const SCHEMA: &'static Type = &Type::Number;
}
