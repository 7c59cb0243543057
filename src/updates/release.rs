//! The content of a release, and whether it may be installed.

use serde_json::Value;

use super::{
    error::UpdateError,
    version::{numbers, shown},
};
use crate::{
    base::{schema::schema, text},
    config::release::Releases,
    net::location::Location,
};

/// Characters of the notes that are shown.
const NOTES: usize = 4_000;
/// The most assets of a release that are read.
const ASSETS: usize = 1_000;
/// Digits of a SHA-256.
const DIGITS: usize = 64;

schema! {
    /// `GET /api/update`.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct UpdateStatus {
        /// The version that runs.
        pub current: &'static str,
        /// The newest version that is known; blank while none is.
        pub latest: String,
        /// Whether `latest` is newer and finished.
        pub available: bool,
        /// When releases were asked for last; blank when they never were.
        pub last_checked: String,
        /// What is new.
        pub notes: String,
        /// Where the program for this machine is; blank when the release has none.
        pub bundle: String,
        /// Its SHA-256, as named by the release.
        pub checksum: String,
        /// Where the file with its SHA-256 is.
        pub checksum_url: String,
        /// Whether the release has a trusted signature.
        pub sig: bool,
        /// Where that is.
        pub sig_url: String,
        /// The page of the release.
        pub page: String,
        /// Whether the program knows where releases are published.
        pub configured: bool,
    }
}

/// A release as its host describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    tag: String,
    notes: String,
    page: String,
    is_unfinished: bool,
    assets: Vec<Asset>,
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asset {
    name: String,
    address: String,
    /// Its SHA-256 in lower case; blank when the host sends none.
    digest: String,
}

/// The file that is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The name of its asset.
    pub asset: &'a str,
    /// Its name in texts.
    pub kind: &'static str,
}

impl Release {
    /// Reads the answer of the host; `None` when it is not a release.
    pub fn read(answer: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().trim().to_owned();
        let tag = text(&answer["tag_name"]);
        if tag.is_empty() || tag.len() > 200 || tag.chars().any(char::is_control) {
            return None;
        }
        let assets = answer["assets"].as_array().into_iter().flatten().take(ASSETS);
        let assets = assets.map(|asset| Asset {
            name: text(&asset["name"]),
            address: text(&asset["browser_download_url"]),
            digest: text(&asset["digest"])
                .strip_prefix("sha256:")
                .and_then(checksum)
                .unwrap_or_default(),
        });
        let page = text(&answer["html_url"]);
        let is_page =
            Location::parse(&page).is_ok_and(|page| page.is_secure() || page.is_loopback());
        Some(Self {
            tag,
            notes: text::cut(answer["body"].as_str().unwrap_or_default(), NOTES).to_owned(),
            page: if is_page { page } else { String::new() },
            is_unfinished: answer["prerelease"] == true || answer["draft"] == true,
            assets: assets.collect(),
        })
    }

    /// What it offers to a program of this version.
    ///
    /// # Errors
    /// When it is newer and lacks a part that an installation needs.
    pub fn offer(
        &self,
        current: &'static str,
        wanted: Wanted<'_>,
        releases: &Releases,
    ) -> Result<UpdateStatus, UpdateError> {
        let newest = numbers(&self.tag).filter(|_| !self.is_unfinished);
        let available =
            newest.is_some_and(|newest| numbers(current).is_some_and(|own| own < newest));
        let find = |ending: &str| {
            let named = |asset: &&Asset| asset.name == format!("{}{ending}", wanted.asset);
            self.assets.iter().find(named)
        };
        let is_trusted = |asset: &&Asset| self.is_trusted(&asset.address, releases);
        let artifact = find("").filter(is_trusted);
        let sums = find(".sha256").filter(is_trusted);
        let signature = find(".sig");
        let trusted_signature = signature.filter(is_trusted);
        if available {
            let artifact = artifact.ok_or(UpdateError::NoAssets)?;
            if artifact.digest.is_empty() && sums.is_none() {
                return Err(UpdateError::NoChecksum(wanted.kind));
            }
            if signature.is_none() {
                return Err(UpdateError::NoSignature(wanted.kind));
            }
            if trusted_signature.is_none() {
                return Err(UpdateError::SignatureAddress);
            }
        }
        let address = |asset: Option<&Asset>| asset.map_or_else(String::new, |a| a.address.clone());
        Ok(UpdateStatus {
            current,
            latest: shown(&self.tag).to_owned(),
            available,
            last_checked: String::new(),
            notes: self.notes.clone(),
            bundle: address(artifact),
            checksum: artifact.map_or_else(String::new, |artifact| artifact.digest.clone()),
            checksum_url: address(sums),
            sig: trusted_signature.is_some(),
            sig_url: address(trusted_signature),
            page: self.page.clone(),
            configured: true,
        })
    }

    /// Whether an address lies below the address of releases and, where it names a version, below this one:
    /// a signature stays valid forever, so an older file must not come under a newer version.
    fn is_trusted(&self, address: &str, releases: &Releases) -> bool {
        let Ok(location) = Location::parse(address) else { return false };
        let is_plain = !address.contains(['\\', '?', '%', ' ']) && !address.contains("/.");
        let is_below = match &releases.address {
            Some(prefix) => address.len() > prefix.len() && address.starts_with(prefix.as_str()),
            None => releases.api.as_ref().is_some_and(|api| {
                let api = Location::parse(api).ok().filter(Location::is_loopback);
                api.is_some_and(|api| api.is_same_server(&location))
            }),
        };
        let folder = address.rsplit('/').nth(1).and_then(numbers);
        is_plain && is_below && folder.is_none_or(|folder| numbers(&self.tag) == Some(folder))
    }
}

/// A SHA-256 in lower case, when the text is one.
pub fn checksum(text: &str) -> Option<String> {
    let is_one = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::environment::Environment;

    const PREFIX: &str = "https://github.com/o/r/releases/download";
    const NAME: &str = "Service-x86_64.AppImage";
    const WANTED: Wanted<'_> = Wanted { asset: NAME, kind: "AppImage" };

    fn releases(pairs: &[(&str, &str)]) -> Releases {
        Releases::of(&Environment::from_process(pairs.iter().copied()))
    }

    fn usual() -> Releases {
        releases(&[("SERVICE_RELEASE_BASE", PREFIX)])
    }

    fn asset(name: &str, address: &str) -> Value {
        json!({"name": name, "browser_download_url": address, "digest": format!("sha256:{}", "AB".repeat(32))})
    }

    fn answer(tag: &str) -> Value {
        let assets = ["", ".sha256", ".sig"].map(|ending| {
            asset(&format!("{NAME}{ending}"), &format!("{PREFIX}/{tag}/{NAME}{ending}"))
        });
        json!({"tag_name": tag, "body": "n".repeat(5_000), "html_url": "https://github.com/o/r/releases/x",
            "assets": assets})
    }

    fn offered(answer: &Value, releases: &Releases) -> Result<UpdateStatus, String> {
        let release = Release::read(answer).ok_or("no release")?;
        release.offer("1.2.3", WANTED, releases).map_err(|error| error.to_string())
    }

    #[test]
    fn only_a_newer_finished_version_is_offered() {
        for (tag, expected) in [
            ("v1.2.4", true),
            ("1.10.0", true),
            ("v1.2.3", false),
            ("v1.2.2", false),
            ("v0.9.9", false),
            ("v1.2.4-rc1", false),
            ("v1.2.4+7", false),
            ("nightly", false),
        ] {
            let status = offered(&answer(tag), &usual()).expect(tag);
            assert_eq!((status.available, status.latest.as_str()), (expected, shown(tag)), "{tag}");
            assert_eq!((status.sig, status.notes.len()), (true, 4_000));
            assert_eq!(status.checksum, "ab".repeat(32));
        }
        for key in ["prerelease", "draft"] {
            let mut unfinished = answer("v2.0.0");
            unfinished[key] = true.into();
            assert!(!offered(&unfinished, &usual()).expect("read").available, "{key}");
        }
        for bad in [json!([]), json!({}), json!({"tag_name": 7}), json!({"tag_name": " "})] {
            assert!(Release::read(&bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn what_a_newer_release_lacks_is_named() {
        let refused = |change: &dyn Fn(&mut Value)| {
            let mut answer = answer("v2.0.0");
            change(&mut answer["assets"]);
            offered(&answer, &usual()).expect_err("refused")
        };
        let at = |index: usize, address: &'static str| {
            move |assets: &mut Value| assets[index]["browser_download_url"] = address.into()
        };
        let missing = "The release is missing verified Service update assets.";
        assert_eq!(refused(&|assets| *assets = json!([])), missing);
        for address in [
            "https://example.org/Service-x86_64.AppImage",
            "http://github.com/o/r/releases/download/v2.0.0/x",
            "https://github.com/o/r/releases/downloads/v2.0.0/x",
            "https://github.com/o/r/releases/download/../../../evil/x",
            "https://github.com/o/r/releases/download/%2e%2e/x",
            "https://github.com/o/r/releases/download/v1.9.9/Service-x86_64.AppImage",
            "https://github.com/o/r/releases/download/",
            "https://github.com@example.org/o/r/releases/download/v2.0.0/x",
            "",
        ] {
            assert_eq!(refused(&at(0, address)), missing, "{address}");
        }
        let no_sum = |assets: &mut Value| {
            assets[0]["digest"] = "sha256:xyz".into();
            assets[1]["name"] = "other".into();
        };
        assert_eq!(refused(&no_sum), "The release is missing a SHA-256 checksum for the AppImage.");
        assert_eq!(
            refused(&|assets| assets[2]["name"] = "other".into()),
            "The release is missing an Ed25519 signature for the AppImage."
        );
        assert_eq!(
            refused(&at(2, "https://example.org/x.sig")),
            "The release signature URL is not a trusted Service release asset."
        );
    }

    #[test]
    fn a_release_that_is_not_newer_may_lack_everything() {
        let mut old = answer("v1.0.0");
        old["assets"] = json!([asset(NAME, "https://example.org/x")]);
        let status = offered(&old, &usual()).expect("read");
        assert_eq!((status.bundle.as_str(), status.sig, status.available), ("", false, false));
    }

    #[test]
    fn without_a_prefix_only_a_stand_in_on_this_machine_is_trusted() {
        let local = |base: &str| {
            let mut answer = answer("v2.0.0");
            for asset in answer["assets"].as_array_mut().expect("a list") {
                asset["browser_download_url"] = format!("{base}/x").into();
            }
            answer
        };
        let api = releases(&[("SERVICE_RELEASES_API_BASE", "http://127.0.0.1:9/api")]);
        assert!(offered(&local("http://127.0.0.1:9"), &api).is_ok());
        assert!(offered(&local("http://127.0.0.1:10"), &api).is_err());
        assert!(offered(&local("https://example.org"), &api).is_err());
        let far = releases(&[("SERVICE_RELEASES_API_BASE", "https://example.org/api")]);
        assert!(offered(&local("https://example.org"), &far).is_err());
    }
}
