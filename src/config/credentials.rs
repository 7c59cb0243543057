//! The credentials that the environment may provide.
//!
//! Each is accepted under its own name and with the `SERVICE_` prefix; the first of the two that is
//! not empty wins. Values are read here and go to the provider that needs them: they are never
//! written to a log, an answer or the environment of a child.

use crate::base::named::named;

use super::environment::Environment;

named! {
    /// One credential variable.
    pub enum Credential {
        /// User name for achievement matching.
        AchUsername = "ACH_USERNAME",
        /// Web API key for achievement matching.
        AchApiKey = "ACH_API_KEY",
        /// User name of the media service.
        MediasvcUsername = "MEDIASVC_USERNAME",
        /// Password of the media service.
        MediasvcPassword = "MEDIASVC_PASSWORD",
        /// Token that raises the rate limit of the update check.
        ReleasesToken = "RELEASES_TOKEN",
        /// Client id of the game database; useless without its secret.
        GamedbClientId = "GAMEDB_CLIENT_ID",
        /// Client secret of the game database.
        GamedbClientSecret = "GAMEDB_CLIENT_SECRET",
        /// Key of the artwork provider.
        ArtgridApiKey = "ARTGRID_API_KEY",
        /// User name of the scraper provider.
        ScraperUser = "SCRAPER_USER",
        /// Password of the scraper provider.
        ScraperPassword = "SCRAPER_PASSWORD",
        /// Developer id of the scraper provider, optional.
        ScraperDevId = "SCRAPER_DEV_ID",
        /// Developer password of the scraper provider, optional.
        ScraperDevPassword = "SCRAPER_DEV_PASSWORD",
    }
}

/// The names of all credential variables.
pub fn variables() -> impl Iterator<Item = String> {
    let both = |known: Credential| [known.name().to_owned(), format!("SERVICE_{}", known.name())];
    Credential::ALL.into_iter().flat_map(both)
}

/// What the names of the variables of each provider begin with, such as `ACH_`.
pub fn prefixes() -> impl Iterator<Item = String> {
    let prefix = |known: Credential| known.name().split_once('_').map(|(it, _)| format!("{it}_"));
    Credential::ALL.into_iter().filter_map(prefix)
}

impl Environment {
    /// The trimmed value of a credential, `None` when neither of its names carries one.
    pub fn credential(&self, credential: Credential) -> Option<&str> {
        let name = credential.name();
        self.text(name).or_else(|| self.text(&format!("SERVICE_{name}")))
    }

    /// Every credential that is set: what the log redacts.
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
            let name = credential.name();
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
