//! Generated names, manifests and archives.

use std::path::{Component, Path};

use proptest::{prelude::*, strategy::ValueTree as _};

use super::{
    archive::{Archive, Manifest},
    items::Item,
    members,
    tests::House,
};
use crate::{base::Moment, files::Files};

/// Names as an attacker or an odd file system makes them.
fn name() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-zA-Z0-9 ._-]{0,6}",
        2 => Just("..".to_owned()),
        1 => Just(".".to_owned()),
        1 => "\\PC{0,4}",
        1 => Just("C:".to_owned()),
        1 => Just("a\0b".to_owned()),
        1 => Just("a\\b".to_owned()),
    ];
    let slash = prop_oneof![4 => Just("/"), 1 => Just("//"), 1 => Just("\\")];
    (prop::collection::vec((part, slash), 0..5), any::<bool>()).prop_map(|(parts, folder)| {
        let mut name: String = parts.iter().flat_map(|(part, slash)| [part, *slash]).collect();
        if !folder {
            name.pop();
        }
        name
    })
}

proptest! {
    #[test]
    fn a_safe_name_stays_below_its_folder(name in name()) {
        let plain = Path::new(name.trim_end_matches('/'))
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if members::is_safe(&name) {
            prop_assert!(plain && !name.starts_with('/') && !name.contains(['\0', '\\']));
            let joined = Path::new("/root").join(&name);
            prop_assert!(joined.starts_with("/root") && joined != Path::new("/root"));
            prop_assert!(!name.split('/').any(|part| part == ".." || part == "."));
        } else {
            // Whatever is refused has a reason that can be named.
            let reasons = !plain || name.is_empty() || name.starts_with('/') || name.contains("//")
                || name.contains(['\0', '\\']) || name.as_bytes().get(1) == Some(&b':')
                || name.split('/').any(|part| part == ".");
            prop_assert!(reasons, "{name:?}");
        }
    }

    #[test]
    fn any_bytes_are_a_manifest_or_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Manifest::parse(&bytes).is_none());
    }

    #[test]
    fn a_manifest_reads_back(
        items in prop::sample::subsequence(Item::ALL.to_vec(), 1..=Item::ALL.len()),
        seconds in 0..4_000_000_000_i64,
        case_sensitive: bool,
    ) {
        let manifest = Manifest::new(&items, &Moment::from_unix(seconds), case_sensitive);
        prop_assert_eq!(Manifest::parse(&manifest.to_bytes()), Some(manifest));
    }

    #[test]
    fn any_bytes_are_an_archive_or_none(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.zip");
        Files::system().replace(&path, &bytes).expect("written");
        prop_assert!(Archive::open(&Files::system(), &path).is_err());
    }
}

#[test]
fn a_damaged_archive_is_refused_or_restored_whole() {
    let house = House::new();
    house.put("media/one", b"archived, and long enough to be packed packed packed packed");
    let whole = std::fs::read(house.archive(&[Item::Library, Item::Media])).expect("made");
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4);
    let mut refused = 0;
    for _ in 0..400 {
        let changes = damage.new_tree(&mut runner).expect("a value").current();
        let mut bytes = whole.clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        house.put("backups/damaged.zip", &bytes);
        house.put("media/one", b"mine");
        let outcome = house.restore("damaged.zip", true);
        let found = std::fs::read(house.path("media/one")).expect("there");
        match outcome {
            Err(_) => {
                assert_eq!(found, b"mine", "nothing is written");
                refused += 1;
            }
            Ok(items) if items.contains(&Item::Media) => assert_ne!(found, b"mine"),
            Ok(_) => assert_eq!(found, b"mine"),
        }
        let games = house.store.snapshot().expect("a state").games.len();
        assert_eq!(games, 2, "the library is the old one or the archived one");
    }
    assert!(refused > 200, "{refused} of 400 were refused");
}
