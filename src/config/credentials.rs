//! The credentials that the environment may provide.
//!
//! Each is accepted under its own name and with the `SERVICE_` prefix; the first of the two that is
//! not empty wins. Values are read here and go to the provider that needs them: they are never
//! written to a log, an answer or the environment of a child.

use super::environment::Environment;

/// One credential variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// User name for achievement matching.
    AchUsername,
    /// Web API key for achievement matching.
    AchApiKey,
    /// User name of the media service.
    MediasvcUsername,
    /// Password of the media service.
    MediasvcPassword,
    /// Token that raises the rate limit of the update check.
    ReleasesToken,
    /// Client id of the game database; useless without its secret.
    GamedbClientId,
    /// Client secret of the game database.
    GamedbClientSecret,
    /// Key of the artwork provider.
    ArtgridApiKey,
    /// User name of the scraper provider.
    ScraperUser,
    /// Password of the scraper provider.
    ScraperPassword,
    /// Developer id of the scraper provider, optional.
    ScraperDevId,
    /// Developer password of the scraper provider, optional.
    ScraperDevPassword,
}

impl Credential {
    /// Every credential, in the order in which it is shown.
    pub const ALL: [Self; 12] = [
        Self::AchUsername,
        Self::AchApiKey,
        Self::MediasvcUsername,
        Self::MediasvcPassword,
        Self::ReleasesToken,
        Self::GamedbClientId,
        Self::GamedbClientSecret,
        Self::ArtgridApiKey,
        Self::ScraperUser,
        Self::ScraperPassword,
        Self::ScraperDevId,
        Self::ScraperDevPassword,
    ];

    /// The variable's own name, which messages to the client use.
    #[must_use]
    pub const fn variable(self) -> &'static str {
        match self {
            Self::AchUsername => "ACH_USERNAME",
            Self::AchApiKey => "ACH_API_KEY",
            Self::MediasvcUsername => "MEDIASVC_USERNAME",
            Self::MediasvcPassword => "MEDIASVC_PASSWORD",
            Self::ReleasesToken => "RELEASES_TOKEN",
            Self::GamedbClientId => "GAMEDB_CLIENT_ID",
            Self::GamedbClientSecret => "GAMEDB_CLIENT_SECRET",
            Self::ArtgridApiKey => "ARTGRID_API_KEY",
            Self::ScraperUser => "SCRAPER_USER",
            Self::ScraperPassword => "SCRAPER_PASSWORD",
            Self::ScraperDevId => "SCRAPER_DEV_ID",
            Self::ScraperDevPassword => "SCRAPER_DEV_PASSWORD",
        }
    }
}

impl Environment {
    /// The trimmed value of a credential, `None` when neither of its names carries one.
    #[must_use]
    pub fn credential(&self, credential: Credential) -> Option<&str> {
        let name = credential.variable();
        self.text(name).or_else(|| self.text(&format!("SERVICE_{name}")))
    }

    /// Every credential that is set: what the log blots out.
    pub fn secrets(&self) -> impl Iterator<Item = String> {
        Credential::ALL.into_iter().filter_map(|known| self.credential(known).map(str::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_credential_has_two_names_and_the_first_non_empty_wins() {
        for credential in Credential::ALL {
            let name = credential.variable();
            let prefixed = format!("SERVICE_{name}");
            let read = |variables: &[(&str, &str)]| {
                Environment::from_process(variables.iter().copied())
                    .credential(credential)
                    .map(str::to_owned)
            };
            assert_eq!(read(&[]), None, "{name}");
            assert_eq!(read(&[(name, "a")]).as_deref(), Some("a"));
            assert_eq!(read(&[(&prefixed, "b")]).as_deref(), Some("b"));
            assert_eq!(read(&[(name, "a"), (&prefixed, "b")]).as_deref(), Some("a"));
            assert_eq!(read(&[(name, " "), (&prefixed, "b")]).as_deref(), Some("b"));
        }
    }
}
