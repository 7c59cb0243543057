//! Closing the client of a storefront after a game of it, where the user wants that.

use crate::{
    base::text,
    process::{Spec, search},
};

/// A storefront's client.
#[derive(Debug, PartialEq, Eq)]
pub struct Client {
    /// Names under which games know it as their source, folded.
    sources: &'static [&'static str],
    /// Its program, which ends the running one when it is called with `-shutdown`.
    program: &'static str,
    /// Its sandboxed package.
    package: &'static str,
}

const CLIENTS: [Client; 3] = [
    Client { sources: &["store_a", "steam"], program: "steam", package: "com.valvesoftware.Steam" },
    Client {
        sources: &["store_b", "heroic", "epic", "gog", "amazon"],
        program: "heroic",
        package: "com.heroicgameslauncher.hgl",
    },
    Client { sources: &["store_c", "lutris"], program: "lutris", package: "net.lutris.Lutris" },
];

/// Whether the client of the first storefront starts games with this source; it marks their windows
/// itself.
pub fn is_of_store_a(source: &str) -> bool {
    Client::of(source) == CLIENTS.first()
}

impl Client {
    /// The client of a game with this source.
    pub fn of(source: &str) -> Option<&'static Self> {
        let source = text::fold(source.trim());
        CLIENTS.iter().find(|client| client.sources.contains(&source.as_str()))
    }

    /// What ends it: itself where it is installed natively, else the package tool. `None` when
    /// neither is there.
    pub fn closing(&self) -> Option<Spec> {
        if let Some(program) = search::on_path(self.program) {
            return Some(Spec::new([program.into_os_string(), "-shutdown".into()]));
        }
        let tool = search::on_path("flatpak")?;
        Some(Spec::new([tool.into_os_string(), "kill".into(), self.package.into()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_their_client() {
        for (source, program) in [
            (" Steam ", Some("steam")),
            ("store_a", Some("steam")),
            ("GOG", Some("heroic")),
            ("store_c", Some("lutris")),
            ("libserver", None),
            ("", None),
        ] {
            assert_eq!(Client::of(source).map(|client| client.program), program, "{source}");
        }
    }
}
