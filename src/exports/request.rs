//! The request for an export: format, scope, and whether media paths are included.

use crate::base::named::named;

use serde_json::{Map, Value, json};

named! {
    /// The format of the file.
    pub enum Format {
        /// One JSON object with a list of games.
        Json = "json",
        /// A header line and one line for each game.
        Csv = "csv",
        /// A list for front ends.
        Gamelist = "gamelist",
        /// Metadata for Pegasus.
        Pegasus = "pegasus",
        /// A playlist for RetroArch.
        Playlist = "lpl",
    }
}

impl Format {
    /// The extension of its files, without dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Gamelist => "xml",
            Self::Pegasus => "pegasus",
            Self::Playlist => "lpl",
        }
    }

    /// The format whose files have this extension.
    pub fn of_ending(ending: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.ending() == ending)
    }

    /// Whether other programs start games from it, so that only games with a file stand in it.
    pub fn is_of_front_end(self) -> bool {
        matches!(self, Self::Gamelist | Self::Pegasus | Self::Playlist)
    }

    /// The content type of the file.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Json | Self::Playlist => "application/json",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Gamelist => "application/xml",
            Self::Pegasus => "text/plain; charset=utf-8",
        }
    }
}

/// Which games are exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    All,
    /// Those of one platform, whatever the case of its name.
    Platform(String),
    /// The stored members of one playlist, in its order.
    Playlist(String),
}

/// An export that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRequest {
    /// The format.
    pub format: Format,
    /// Which games.
    pub scope: Scope,
    /// Whether the paths of media files are exported too.
    pub include_media_paths: bool,
}

/// Why a request for an export was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    #[error("Export format must be json or csv.")]
    Format,
    #[error("List format must be gamelist, pegasus or lpl.")]
    ListFormat,
    #[error("Export scope must be all, platform, or playlist.")]
    Scope,
    /// The scope needs the name of a platform or playlist.
    #[error("Export scope {0} requires a name.")]
    NoName(&'static str),
    #[error("include_media_paths must be true or false.")]
    MediaPaths,
    #[error("Export platform is required.")]
    NoPlatform,
}

impl RequestError {
    /// The sentence for a job whose stored input is not a valid request.
    pub fn job_text(self) -> String {
        match self {
            Self::Format => "Unknown export format.".to_owned(),
            Self::Scope => "Unknown export scope.".to_owned(),
            Self::NoName(_) | Self::MediaPaths | Self::NoPlatform | Self::ListFormat => {
                self.to_string()
            }
        }
    }
}

impl ExportRequest {
    /// Reads a request body, or the input of a job.
    ///
    /// # Errors
    /// The first thing that is wrong, in the order format, scope, name, media paths.
    pub fn read(body: &Map<String, Value>) -> Result<Self, RequestError> {
        let named = body.get("format").and_then(Value::as_str);
        let named = named.map(str::trim).and_then(Format::named);
        if named.is_some_and(Format::is_of_front_end) {
            return Err(RequestError::Format);
        }
        Self::from_input(body)
    }

    /// Reads the body of a request for a list of front ends: `platform`, `format`,
    /// `include_media_paths`.
    ///
    /// # Errors
    /// [`RequestError::NoPlatform`], [`RequestError::ListFormat`], [`RequestError::MediaPaths`].
    pub fn read_gamelist(body: &Map<String, Value>) -> Result<Self, RequestError> {
        let platform = body.get("platform").and_then(Value::as_str).map_or("", str::trim);
        if platform.is_empty() {
            return Err(RequestError::NoPlatform);
        }
        let format = match body.get("format") {
            None | Some(Value::Null) => Some(Format::Gamelist),
            Some(format) => format.as_str().and_then(|name| Format::named(name.trim())),
        };
        let format = format.filter(|format| format.is_of_front_end());
        Ok(Self {
            format: format.ok_or(RequestError::ListFormat)?,
            scope: Scope::Platform(platform.to_owned()),
            include_media_paths: wants_media_paths(body)?,
        })
    }

    /// Reads what [`ExportRequest::to_input`] wrote.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn from_input(body: &Map<String, Value>) -> Result<Self, RequestError> {
        let text = |key: &str| body.get(key).and_then(Value::as_str).map_or("", str::trim);
        let format = Format::named(text("format")).ok_or(RequestError::Format)?;
        let name = text("scope_name").to_owned();
        let named = |scope: &'static str, name: String| {
            if name.is_empty() { Err(RequestError::NoName(scope)) } else { Ok(name) }
        };
        let scope = match text("scope") {
            "all" => Scope::All,
            "platform" => Scope::Platform(named("platform", name)?),
            "playlist" => Scope::Playlist(named("playlist", name)?),
            _ => return Err(RequestError::Scope),
        };
        let include_media_paths = wants_media_paths(body)?;
        Ok(Self { format, scope, include_media_paths })
    }

    /// The input of the job that makes the export; reads back as the same request.
    pub fn to_input(&self) -> Map<String, Value> {
        let (scope, name) = match &self.scope {
            Scope::All => ("all", ""),
            Scope::Platform(name) => ("platform", name.as_str()),
            Scope::Playlist(name) => ("playlist", name.as_str()),
        };
        Map::from_iter([
            ("format".to_owned(), json!(self.format.name())),
            ("scope".to_owned(), json!(scope)),
            ("scope_name".to_owned(), json!(name)),
            ("include_media_paths".to_owned(), json!(self.include_media_paths)),
        ])
    }
}

fn wants_media_paths(body: &Map<String, Value>) -> Result<bool, RequestError> {
    match body.get("include_media_paths") {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(wanted)) => Ok(*wanted),
        Some(_) => Err(RequestError::MediaPaths),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: Value) -> Result<ExportRequest, String> {
        let body = body.as_object().cloned().unwrap_or_default();
        ExportRequest::read(&body).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn refused(body: Value, expected: &str) {
        assert_eq!(read(body), Err(expected.to_owned()));
    }

    #[test]
    fn the_first_mistake_is_told() {
        let format = "Export format must be json or csv.";
        let scope = "Export scope must be all, platform, or playlist.";
        refused(json!({}), format);
        refused(json!({"format": "xml", "scope": "nothing"}), format);
        refused(json!({"format": 1, "scope": "all"}), format);
        refused(json!({"format": "gamelist", "scope": "all"}), format);
        refused(json!({"format": "json"}), scope);
        refused(json!({"format": "csv", "scope": "game"}), scope);
        for name in ["platform", "playlist"] {
            let expected = format!("Export scope {name} requires a name.");
            refused(json!({"format": "csv", "scope": name}), &expected);
            refused(json!({"format": "csv", "scope": name, "scope_name": "  "}), &expected);
            refused(json!({"format": "csv", "scope": name, "scope_name": 3}), &expected);
        }
        let media = json!({"format": "csv", "scope": "all", "include_media_paths": "yes"});
        refused(media, "include_media_paths must be true or false.");
    }

    #[test]
    fn an_input_reads_back_as_the_request() {
        for scope in [Scope::All, Scope::Platform("NES".into()), Scope::Playlist("Ünter".into())] {
            for format in Format::ALL {
                let request =
                    ExportRequest { format, scope: scope.clone(), include_media_paths: true };
                assert_eq!(ExportRequest::from_input(&request.to_input()), Ok(request));
            }
        }
    }

    #[test]
    fn a_list_of_front_ends_is_of_one_platform() {
        let read = |body: Value| {
            let body = body.as_object().cloned().unwrap_or_default();
            ExportRequest::read_gamelist(&body).map_err(|error| error.to_string())
        };
        let scope = Scope::Platform("NES".to_owned());
        let expected = ExportRequest { format: Format::Gamelist, scope, include_media_paths: true };
        assert_eq!(read(json!({"platform": " NES ", "include_media_paths": true})), Ok(expected));
        for body in [json!({}), json!({"platform": " "}), json!({"platform": 3})] {
            assert_eq!(read(body), Err("Export platform is required.".to_owned()));
        }
        let media = json!({"platform": "NES", "include_media_paths": 1});
        assert_eq!(read(media), Err("include_media_paths must be true or false.".to_owned()));
    }

    #[test]
    fn jobs_have_words_of_their_own() {
        assert_eq!(RequestError::Format.job_text(), "Unknown export format.");
        assert_eq!(RequestError::Scope.job_text(), "Unknown export scope.");
    }
}
