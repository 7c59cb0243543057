//! The public projection of the settings: `GET /api/settings` and `settings` in the library answer.
//!
//! Stored settings come from the table; the rest is derived, row by row, from what the caller knows
//! in [`Derived`]. A secret appears as a boolean, never as itself.

use serde_json::{Map, Value, json};

use super::setting::Access;
use super::table::{LOCALES, SETTINGS};
use super::{categories, compositor, read};
use crate::config::{credentials::Credential, environment::Environment};

/// The parts of the projection that are not stored in the settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derived {
    /// `SERVICE_SAFE_MODE` is set.
    pub safe_mode: bool,
    /// The version of this executable.
    pub version: String,
    /// This process runs from a single-file bundle.
    pub bundle: bool,
    /// This session runs inside the game compositor, or was started in game mode.
    pub compositor_guest: bool,
    /// The performance overlay is installed.
    pub overlay_available: bool,
    /// The first save tool is installed.
    pub save_tool_primary: bool,
    /// The second save tool is installed.
    pub save_tool_secondary: bool,
    /// Credentials of the media service are known.
    pub mediasvc_configured: bool,
    /// The key of the artwork provider is known.
    pub artgrid_key_configured: bool,
    /// The eight interface words of the chosen locale.
    pub strings: Map<String, Value>,
    /// The bundled media packs, each with its `active` flag.
    pub media_packs: Vec<Value>,
    /// Saved filter presets.
    pub filter_presets: Vec<Value>,
    /// The filter presets that bigscreen offers.
    pub bigscreen_quick: Vec<Value>,
}

/// Keys of the projection that are not settings, with the JSON type of each.
pub const DERIVED_KEYS: &[(&str, &str)] = &[
    ("artgrid_key_configured", "boolean"),
    ("available_locales", "array"),
    ("bigscreen_quick", "array"),
    ("bundle", "boolean"),
    ("compositor_guest", "boolean"),
    ("compositor_presets", "array"),
    ("filter_presets", "array"),
    ("media_packs", "array"),
    ("mediasvc_configured", "boolean"),
    ("overlay_available", "boolean"),
    ("premium_features_free", "boolean"),
    ("safe_mode", "boolean"),
    ("save_tools", "object"),
    ("strings", "object"),
    ("version", "string"),
];

impl Derived {
    /// Facts from the environment and the installed programs. `has` walks the search path, so keep
    /// the result rather than asking for it in every answer.
    pub fn from_environment(environment: &Environment, has: impl Fn(&str) -> bool) -> Self {
        let media_service = [Credential::MediasvcUsername, Credential::MediasvcPassword];
        let known = |credential: Credential| environment.credential(credential).is_some();
        Self {
            safe_mode: environment.safe_mode(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            bundle: environment.bundle().is_some(),
            compositor_guest: environment.is_compositor_guest(),
            overlay_available: has("mangohud"),
            save_tool_primary: has("ludusavi"),
            save_tool_secondary: has("hoard"),
            mediasvc_configured: media_service.into_iter().all(known),
            artgrid_key_configured: known(Credential::ArtgridApiKey),
            ..Self::default()
        }
    }
}

/// Everything a client may know about the settings.
pub fn project(stored: &Map<String, Value>, derived: &Derived) -> Map<String, Value> {
    let mut public = Map::new();
    for setting in SETTINGS {
        let value = read::value_of(stored, setting);
        match setting.access {
            Access::Public => public.insert(setting.key.to_owned(), value),
            Access::Secret { flag } => {
                let is_set = value.as_str().is_some_and(|secret| !secret.is_empty());
                public.insert(flag.to_owned(), Value::Bool(is_set))
            }
            Access::Hidden => None,
        };
    }
    if public.get("mood_match_enabled") != Some(&Value::Bool(true)) {
        public.insert("mood_match_bigscreen".to_owned(), Value::Bool(false));
    }
    let merged = Value::Object(categories::merged(stored));
    public.insert("platform_categories".to_owned(), merged);
    public.extend(derive(stored, derived));
    public
}

fn derive(stored: &Map<String, Value>, derived: &Derived) -> Map<String, Value> {
    let customs = read::value(stored, "compositor_custom_presets");
    let values = json!({
        "artgrid_key_configured": derived.artgrid_key_configured,
        "available_locales": LOCALES,
        "bigscreen_quick": derived.bigscreen_quick,
        "bundle": derived.bundle,
        "compositor_guest": derived.compositor_guest,
        "compositor_presets": compositor::choices(&customs),
        "filter_presets": derived.filter_presets,
        "media_packs": derived.media_packs,
        "mediasvc_configured": derived.mediasvc_configured,
        "overlay_available": derived.overlay_available,
        "premium_features_free": true,
        "safe_mode": derived.safe_mode,
        "save_tools": {
            "primary": derived.save_tool_primary,
            "secondary": derived.save_tool_secondary,
        },
        "strings": derived.strings,
        "version": derived.version,
    });
    match values {
        Value::Object(values) => values,
        // OK because the literal above is an object.
        _ => Map::new(),
    }
}
