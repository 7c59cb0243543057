//! The stores inside the second store, whose games it starts with a runner for each of them.

/// An inner store.
#[derive(Debug, PartialEq, Eq)]
pub struct InnerStore {
    /// Its name, as rows have it in `store_b_source`.
    pub name: &'static str,
    /// The runner, as addresses that start a game name it.
    pub runner: &'static str,
}

pub const EPIC: InnerStore = InnerStore { name: "Epic", runner: "legendary" };
pub const GOG: InnerStore = InnerStore { name: "GOG", runner: "gog" };
pub const AMAZON: InnerStore = InnerStore { name: "Amazon", runner: "nile" };
pub const XBOX: InnerStore = InnerStore { name: "Xbox", runner: "xbox" };
/// Programs that the user added to the second store.
pub const OWN: InnerStore = InnerStore { name: "Heroic", runner: "sideload" };

/// The inner store that a runner belongs to.
pub fn of_runner(runner: &str) -> Option<&'static InnerStore> {
    [&EPIC, &GOG, &AMAZON, &XBOX, &OWN].into_iter().find(|store| store.runner == runner)
}
