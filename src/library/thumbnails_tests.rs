//! Copies of pictures: made once, replaced, damaged, bounded.

use std::fs;

use super::*;

const LONG: Duration = Duration::from_mins(1);

struct House {
    folder: tempfile::TempDir,
    thumbnails: Thumbnails,
}

impl Drop for House {
    fn drop(&mut self) {
        self.thumbnails.stop();
    }
}

fn house(most_bytes: u64) -> House {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("cache");
    House { thumbnails: Thumbnails::bounded(Files::system(), cache, most_bytes), folder }
}

/// A JPEG of noise, different for each seed.
fn picture(width: u16, height: u16, seed: u32) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let pixels: Vec<u8> = (0..u32::from(width) * u32::from(height) * 3).map(|_| next()).collect();
    let mut bytes = Vec::new();
    let encoder = jpeg_encoder::Encoder::new(&mut bytes, 90);
    encoder.encode(&pixels, width, height, jpeg_encoder::ColorType::Rgb).expect("a picture");
    bytes
}

impl House {
    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        path
    }

    fn find(&self, path: &Path, width: u32) -> Found {
        let file = File::open(path).expect("a picture");
        let media = MediaFile::of(file, path.to_str().expect("text")).expect("a file");
        self.thumbnails.find(&media, width, LONG)
    }

    #[track_caller]
    fn copy(&self, path: &Path, width: u32) -> (String, Vec<u8>) {
        match self.find(path, width) {
            Found::Copy(copy) => {
                let mut bytes = vec![0; usize::try_from(copy.size).expect("small")];
                copy.file.read_exact_at(&mut bytes, 0).expect("bytes");
                (copy.etag, bytes)
            }
            other => panic!("no copy: {other:?}"),
        }
    }

    fn kept(&self) -> Vec<PathBuf> {
        let mut copies = self.thumbnails.0.copies();
        copies.sort_unstable();
        copies.into_iter().map(|copy| copy.2).collect()
    }
}

#[test]
fn wishes_take_the_next_larger_width() {
    for (wish, expected) in [
        (1, Some(160)),
        (160, Some(160)),
        (161, Some(320)),
        (320, Some(320)),
        (640, Some(640)),
        (641, None),
        (u32::MAX, None),
    ] {
        assert_eq!(width_for(wish), expected, "{wish}");
    }
}

#[test]
fn a_copy_is_made_once_and_kept() {
    let house = house(KEPT_BYTES);
    let path = house.put("a.jpg", &picture(500, 300, 1));
    let (etag, bytes) = house.copy(&path, 160);
    let [made] = &house.kept()[..] else { panic!("one copy") };
    let before = fs::metadata(made).expect("a copy").modified().expect("a time");
    assert_eq!(house.copy(&path, 160), (etag.clone(), bytes));
    assert_eq!(fs::metadata(made).expect("a copy").modified().expect("a time"), before);
    assert_ne!(house.copy(&path, 320).0, etag);
    assert_eq!(house.kept().len(), 2);
}

#[test]
fn everybody_who_asks_at_once_gets_the_same_copy_made_once() {
    let house = house(KEPT_BYTES);
    let path = house.put("a.jpg", &picture(900, 900, 1));
    let etags: HashSet<String> = thread::scope(|scope| {
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(|| house.copy(&path, 320).0)).collect();
        asked.into_iter().map(|asked| asked.join().expect("an answer")).collect()
    });
    assert_eq!((etags.len(), house.kept().len()), (1, 1));
}

#[test]
fn a_replaced_picture_has_another_copy_also_with_size_and_time_of_the_old_one() {
    let house = house(KEPT_BYTES);
    let bytes = picture(500, 300, 1);
    let path = house.put("a.jpg", &bytes);
    let old = house.copy(&path, 160);
    let time = fs::metadata(&path).expect("a file").modified().expect("a time");
    let mut other = picture(500, 300, 2);
    other.resize(bytes.len(), 0);
    // The clock of the file system stands still for some milliseconds after each look.
    let changed = |path: &Path| Identity::of(&fs::metadata(path).expect("a file")).changed;
    let before = changed(&path);
    while changed(&path) == before {
        fs::write(&path, &other).expect("a file");
        let file = File::options().write(true).open(&path).expect("a file");
        file.set_modified(time).expect("a time");
    }
    let new = house.copy(&path, 160);
    assert_ne!(old.0, new.0);
    assert_ne!(old.1, new.1);
}

#[test]
fn the_copies_may_be_deleted_or_damaged_at_any_time() {
    let house = house(KEPT_BYTES);
    let path = house.put("a.jpg", &picture(500, 300, 1));
    let (_, bytes) = house.copy(&path, 160);
    fs::remove_dir_all(house.folder.path().join("cache")).expect("removed");
    assert_eq!(house.copy(&path, 160).1, bytes);
    let copy = house.kept().remove(0);
    for damage in [&b""[..], b"x", &bytes[..bytes.len() / 2], &vec![0; bytes.len()]] {
        fs::write(&copy, damage).expect("damaged");
        assert_eq!(house.copy(&path, 160).1, bytes);
    }
}

#[test]
fn what_has_no_copy_is_told_and_not_tried_again() {
    let house = house(KEPT_BYTES);
    let mut cut = picture(500, 300, 1);
    cut.truncate(700);
    for (name, bytes) in [
        ("small.jpg", picture(160, 100, 1)),
        ("cut.jpg", cut),
        ("text.jpg", b"no picture".to_vec()),
        ("empty.jpg", Vec::new()),
    ] {
        let path = house.put(name, &bytes);
        for _ in 0..2 {
            assert!(matches!(house.find(&path, 160), Found::Original), "{name}");
        }
    }
    assert!(house.kept().is_empty());
    assert_eq!(house.thumbnails.0.desk().unfit.len(), 4);
}

#[test]
fn the_copies_unused_for_longest_go_first() {
    let one = thumbnail::make(&picture(500, 300, 1), 160).expect("a copy").len() as u64;
    let house = house(one * 8);
    let paths: Vec<PathBuf> =
        (0..8).map(|seed| house.put(&format!("{seed}.jpg"), &picture(500, 300, seed))).collect();
    let year = Duration::from_hours(365 * 24);
    for (age, path) in paths.iter().take(7).enumerate() {
        let etag = house.copy(path, 160).0;
        let copy = house.thumbnails.0.path_of(etag.trim_matches('"'));
        let old = File::options().write(true).open(copy).expect("a copy");
        let time = old.metadata().expect("a copy").modified().expect("a time") - year;
        old.set_modified(time + Duration::from_secs(age as u64)).expect("a time");
    }
    let first = house.kept().remove(0);
    // The first of them is used again; a half-written file of a crash lies about.
    house.copy(&paths[0], 160);
    let folder = first.parent().expect("a folder");
    fs::write(folder.join(".left.tmp"), b"x").expect("a file");
    let before = house.kept();
    house.thumbnails.0.desk().kept = None;
    house.copy(&paths[7], 160);
    house.copy(&house.put("9.jpg", &picture(500, 300, 9)), 160);
    let after = house.kept();
    assert!(after.contains(&first), "the one that was used stays");
    assert!(!after.contains(&before[0]), "the oldest goes");
    let bytes: u64 = after.iter().map(|path| fs::metadata(path).expect("a copy").len()).sum();
    assert!(bytes <= one * 8, "{bytes}");
    assert!(!folder.join(".left.tmp").exists());
}

#[test]
fn nobody_waits_for_a_worker_that_ended() {
    let house = house(KEPT_BYTES);
    house.thumbnails.stop();
    let path = house.put("a.jpg", &picture(500, 300, 1));
    assert!(matches!(house.find(&path, 160), Found::Later));
}

#[test]
fn a_folder_that_cannot_be_written_leaves_the_picture_itself() {
    let house = house(KEPT_BYTES);
    fs::write(house.folder.path().join("cache"), b"in the way").expect("a file");
    let path = house.put("a.jpg", &picture(500, 300, 1));
    assert!(matches!(house.find(&path, 160), Found::Later));
    fs::remove_file(house.folder.path().join("cache")).expect("removed");
    assert!(matches!(house.find(&path, 160), Found::Copy(_)));
}
