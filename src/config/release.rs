//! Where releases are published and which key signs them.
//!
//! The address is `SERVICE_RELEASE_BASE`, and what describes the newest release is asked at
//! `SERVICE_RELEASES_API_BASE`: of the process and of no `.env` file, else the ones the program was built with. The key is embedded. A packager replaces `keys/release.pub`, 32 raw bytes; as long as that
//! holds zeros nothing can be verified. Another key counts only when the user who starts the process
//! names its file in `SERVICE_RELEASE_KEY_FILE`: no `.env` file, setting or request can.

use std::{fs::File, io::Read as _};

use super::environment::{Environment, RELEASE_KEY_FILE};
use crate::formats::signature::{KEY_BYTES, KeyError, PublicKey};

static EMBEDDED_KEY: &[u8] = include_bytes!("../../keys/release.pub");
const EMBEDDED_ADDRESS: Option<&str> = option_env!("SERVICE_RELEASE_BASE");
const EMBEDDED_API: Option<&str> = option_env!("SERVICE_RELEASES_API_BASE");

/// Why nothing can be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseKeyError {
    #[error("the file of the key cannot be read")]
    Unreadable,
    /// The file does not hold a valid key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// The place of releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Releases {
    /// The address all published files begin with, with a slash at its end; `None` when none is
    /// known.
    pub address: Option<String>,
    /// The address that describes the newest one, without a slash at its end; `None` when none is known.
    pub api: Option<String>,
    /// The key that signs them.
    pub key: Result<PublicKey, ReleaseKeyError>,
}

impl Releases {
    /// What this program knows in this environment.
    pub fn of(environment: &Environment) -> Self {
        let address = environment.process_text("SERVICE_RELEASE_BASE").or(EMBEDDED_ADDRESS);
        let address = address.map(|address| format!("{}/", address.trim_end_matches('/')));
        let key = match environment.path(RELEASE_KEY_FILE) {
            None => PublicKey::read(EMBEDDED_KEY).map_err(ReleaseKeyError::Key),
            Some(path) => {
                let mut bytes = Vec::new();
                // One byte more than a key, so that a longer file is recognised as invalid.
                let read = File::open(path)
                    .and_then(|file| file.take(KEY_BYTES as u64 + 1).read_to_end(&mut bytes));
                match read {
                    Ok(_) => PublicKey::read(&bytes).map_err(ReleaseKeyError::Key),
                    Err(_) => Err(ReleaseKeyError::Unreadable),
                }
            }
        };
        let api = environment.process_text("SERVICE_RELEASES_API_BASE").or(EMBEDDED_API);
        let api = api.map(|api| api.trim_end_matches('/').to_owned());
        Self { address, api, key }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_named_by_the_process_only() {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join("key");
        std::fs::write(&file, [5; 32]).expect("written");
        let of = |pairs: &[(&str, &str)]| Releases::of(&Environment::from_process(pairs.to_vec()));
        let path = file.to_str().expect("text");
        assert_eq!(
            of(&[(RELEASE_KEY_FILE, path)]).key,
            PublicKey::read(&[5; 32]).map_err(Into::into)
        );
        assert_eq!(of(&[(RELEASE_KEY_FILE, "/no/such")]).key, Err(ReleaseKeyError::Unreadable));
        std::fs::write(&file, [5; 33]).expect("written");
        assert_eq!(of(&[(RELEASE_KEY_FILE, path)]).key, Err(KeyError::Length.into()));
        // The embedded key of this repository is a placeholder until a packager replaces it.
        assert_eq!(of(&[]).key, PublicKey::read(EMBEDDED_KEY).map_err(Into::into));
        let env = home.path().join(".env");
        std::fs::write(
            &env,
            format!("{RELEASE_KEY_FILE}={path}\nSERVICE_RELEASE_BASE=http://127.0.0.1:1/x\n"),
        )
        .expect("written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&env, mode).expect("set");
        let environment = Environment::from_process([("A", "b")]).with_env_files(home.path());
        let releases = Releases::of(&environment);
        assert_eq!(releases.key, of(&[]).key, "an .env file cannot name a key");
        assert_eq!(releases.address, of(&[]).address, "nor an address");
        let named = of(&[("SERVICE_RELEASE_BASE", "http://127.0.0.1:1/x")]);
        assert_eq!(named.address.as_deref(), Some("http://127.0.0.1:1/x/"));
    }
}
