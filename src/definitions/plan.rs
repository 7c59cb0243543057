//! What installing or removing a pack changes in the folder: a rule on the present files.
//!
//! A file belongs to the channel while it is as the channel wrote it. Every other file is the
//! user's: it is neither written nor removed.

use std::collections::BTreeMap;

use super::{ledger::Ledger, pack::Pack};

/// Archives that were replaced and are remembered.
const REPLACED: usize = 50;

/// What lies under a name of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lying {
    /// A file with this content.
    File(Vec<u8>),
    /// Something else, or a file that cannot be read.
    Other,
}

/// The folder as far as a plan asks: the names of the pack and of the ledger.
pub type Folder = BTreeMap<String, Lying>;

/// A change of the folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Files to write, with their present content; `None` for no file.
    pub write: BTreeMap<String, (Vec<u8>, Option<Vec<u8>>)>,
    /// Files to remove, with their present content.
    pub remove: BTreeMap<String, Vec<u8>>,
    /// The ledger afterwards; `None` for no ledger.
    pub ledger: Option<Ledger>,
}

/// Why a pack is not installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// It was replaced by a newer one before, or its version is lower than the installed one.
    #[error("The published pack is older than the installed one.")]
    Older,
}

/// The change that installs a pack.
///
/// # Errors
/// [`PlanError`].
pub fn install(
    pack: &Pack,
    version: &str,
    folder: &Folder,
    old: Option<&Ledger>,
) -> Result<Plan, PlanError> {
    if old.is_some_and(|old| old.replaced.contains(&pack.digest) || is_newer(&old.version, version))
    {
        return Err(PlanError::Older);
    }
    let owns = |name: &str, content: &[u8]| old.is_some_and(|old| old.owns(name, content));
    let mut plan = Plan::default();
    let mut ledger = Ledger { version: version.to_owned(), ..Ledger::default() };
    for (name, content) in &pack.files {
        match folder.get(name) {
            None => {
                plan.write.insert(name.clone(), (content.clone(), None));
            }
            Some(Lying::File(lying)) if owns(name, lying) => {
                if lying != content {
                    plan.write.insert(name.clone(), (content.clone(), Some(lying.clone())));
                }
            }
            Some(_) => {
                ledger.kept_local.push(name.clone());
                continue;
            }
        }
        ledger.installed.insert(name.clone(), super::ledger::digest(content));
    }
    plan.remove = owned(folder, old, |name| !pack.files.contains_key(name));
    ledger.digest.clone_from(&pack.digest);
    if let Some(old) = old {
        ledger.replaced.clone_from(&old.replaced);
        ledger.previous_version = if old.version == version {
            old.previous_version.clone()
        } else {
            Some(old.version.clone())
        };
        if old.digest != pack.digest && !old.digest.is_empty() {
            ledger.replaced.push(old.digest.clone());
        }
        let forgotten = ledger.replaced.len().saturating_sub(REPLACED);
        ledger.replaced.drain(..forgotten);
    }
    plan.ledger = Some(ledger);
    Ok(plan)
}

/// The change that removes what the channel installed.
pub fn roll_back(folder: &Folder, old: &Ledger) -> Plan {
    Plan { remove: owned(folder, Some(old), |_| true), ..Plan::default() }
}

/// The files of the channel that are as it wrote them.
fn owned(
    folder: &Folder,
    ledger: Option<&Ledger>,
    is_wanted: impl Fn(&str) -> bool,
) -> BTreeMap<String, Vec<u8>> {
    let names = ledger.into_iter().flat_map(|ledger| ledger.installed.keys());
    let lying = names.filter(|name| is_wanted(name)).filter_map(|name| match folder.get(name) {
        Some(Lying::File(content)) => Some((name.clone(), content.clone())),
        Some(Lying::Other) | None => None,
    });
    lying
        .filter(|(name, content)| ledger.is_some_and(|ledger| ledger.owns(name, content)))
        .collect()
}

/// Whether a version is later than another one, number by number; versions without numbers are
/// never later.
pub fn is_newer(version: &str, than: &str) -> bool {
    let numbers = |text: &str| -> Vec<u64> {
        let digits = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
        let mut numbers: Vec<u64> =
            digits.map(|digits| digits.parse().unwrap_or(u64::MAX)).collect();
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        numbers
    };
    numbers(version) > numbers(than)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pack(files: &[(&str, &str)]) -> Pack {
        let files: BTreeMap<_, _> = files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
            .collect();
        let digest = super::super::ledger::digest(format!("{files:?}").as_bytes());
        Pack { digest, files }
    }

    fn folder(files: &[(&str, &str)]) -> Folder {
        let lying = |text: &str| Lying::File(text.as_bytes().to_vec());
        files.iter().map(|(name, text)| ((*name).to_owned(), lying(text))).collect()
    }

    /// The folder after a plan.
    fn after(folder: &Folder, plan: &Plan) -> Folder {
        let mut after = folder.clone();
        for (name, (content, _)) in &plan.write {
            after.insert(name.clone(), Lying::File(content.clone()));
        }
        after.retain(|name, _| !plan.remove.contains_key(name));
        after
    }

    #[test]
    fn owned_files_are_refreshed_and_others_stay() {
        let first = pack(&[("a.yaml", "1"), ("b.yaml", "1"), ("c.yaml", "1"), ("own.yaml", "1")]);
        let empty = folder(&[("own.yaml", "mine")]);
        let plan = install(&first, "1", &empty, None).expect("new");
        let ledger = plan.ledger.clone().expect("a ledger");
        assert_eq!(ledger.kept_local, ["own.yaml"]);
        assert_eq!(plan.write.keys().collect::<Vec<_>>(), ["a.yaml", "b.yaml", "c.yaml"]);
        let mut lying = after(&empty, &plan);
        // One is edited; the next pack changes one, retracts one and the edited one.
        lying.insert("b.yaml".to_owned(), Lying::File(b"edited".to_vec()));
        let second = pack(&[("a.yaml", "2"), ("d.yaml", "2"), ("own.yaml", "2")]);
        let plan = install(&second, "2", &lying, Some(&ledger)).expect("newer");
        assert_eq!(plan.write.keys().collect::<Vec<_>>(), ["a.yaml", "d.yaml"]);
        assert_eq!(plan.write["a.yaml"].1.as_deref(), Some(&b"1"[..]));
        assert_eq!(plan.remove.keys().collect::<Vec<_>>(), ["c.yaml"], "retracted");
        let next = plan.ledger.clone().expect("a ledger");
        assert_eq!(next.previous_version.as_deref(), Some("1"));
        assert_eq!(next.replaced, std::slice::from_ref(&first.digest));
        let lying = after(&lying, &plan);
        let back = roll_back(&lying, &next);
        assert_eq!(back.remove.keys().collect::<Vec<_>>(), ["a.yaml", "d.yaml"]);
        let expected = folder(&[("b.yaml", "edited"), ("own.yaml", "mine")]);
        assert_eq!(after(&lying, &back), expected);
        assert_eq!(back.ledger, None);
    }

    #[test]
    fn an_older_pack_does_not_come_back() {
        let (first, second) = (pack(&[("a.yaml", "1")]), pack(&[("a.yaml", "2")]));
        let start = Folder::new();
        let one = install(&first, "1", &start, None).expect("new").ledger.expect("a ledger");
        let two =
            install(&second, "2", &start, Some(&one)).expect("newer").ledger.expect("a ledger");
        // The same archive under a higher number, or another one under a lower number.
        assert_eq!(install(&first, "3", &start, Some(&two)), Err(PlanError::Older));
        assert_eq!(
            install(&pack(&[("b.yaml", "x")]), "1.9", &start, Some(&two)),
            Err(PlanError::Older)
        );
        let again = install(&second, "2", &start, Some(&two)).expect("the same").ledger;
        assert_eq!(again, Some(two.clone()));
        let mut ledger = two;
        for number in 3..100 {
            let next = pack(&[("a.yaml", &number.to_string())]);
            let plan = install(&next, &number.to_string(), &start, Some(&ledger)).expect("newer");
            ledger = plan.ledger.expect("a ledger");
        }
        assert_eq!(ledger.replaced.len(), REPLACED);
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, than, newer) in [
            ("2", "1", true),
            ("1.10", "1.9", true),
            ("2026.11.22", "2026.9.30", true),
            ("1", "1.0", false),
            ("1.0", "1", false),
            ("v2", "1", true),
            ("1", "2", false),
            ("next", "1", false),
            ("99999999999999999999999", "5", true),
        ] {
            assert_eq!(is_newer(version, than), newer, "{version} {than}");
        }
    }

    proptest! {
        #[test]
        fn files_of_a_person_are_never_touched(
            own in prop::collection::btree_map("[a-d].yaml", "[xy]", 0..4),
            packs in prop::collection::vec(prop::collection::btree_map("[a-f].yaml", "[12]", 1..5), 1..5),
            edits in prop::collection::vec(("[a-f].yaml", "[xy]"), 0..4),
        ) {
            let bytes = |text: &String| Lying::File(text.as_bytes().to_vec());
            let mut persons: Folder = own.iter().map(|(name, text)| (name.clone(), bytes(text))).collect();
            let mut lying = persons.clone();
            let mut ledger: Option<Ledger> = None;
            let mut edits = edits.into_iter();
            for (at, files) in packs.iter().enumerate() {
                let files: Vec<(&str, &str)> =
                    files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
                let version = (at + 1).to_string();
                let Ok(plan) = install(&pack(&files), &version, &lying, ledger.as_ref()) else { continue };
                lying = after(&lying, &plan);
                ledger = plan.ledger;
                if let Some((name, text)) = edits.next() {
                    lying.insert(name.clone(), bytes(&text));
                    persons.insert(name, bytes(&text));
                }
                for (name, content) in &persons {
                    prop_assert_eq!(lying.get(name), Some(content));
                }
            }
            if let Some(ledger) = ledger {
                let plan = roll_back(&lying, &ledger);
                prop_assert_eq!(after(&lying, &plan), persons);
            }
        }
    }
}
