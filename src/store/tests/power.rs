//! Power cuts: what was not synced may be gone, contents and names alike.
//!
//! A kill keeps everything the program wrote; only a disk that forgets shows a missing sync. The disk
//! here remembers what has been made durable. After every call that changes something three cuts are
//! kept, all with durable contents: one with the durable names, one with the names of the moment, and one
//! with only the last call's names written early, before those of the calls that preceded it. From each,
//! everything answered so far must load.

use std::{
    collections::{BTreeMap, HashMap},
    ffi::OsString,
    fs::{File, Metadata},
    io,
    os::unix::fs::{FileExt as _, MetadataExt as _},
    path::PathBuf,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::*;
use crate::{
    base::Hold as _,
    files::disk::{Disk, SystemDisk},
    store::recovery::Source,
};

/// The files of a folder and those below it, by path.
type Tree = BTreeMap<PathBuf, Arc<[u8]>>;

/// Names with their inodes, by folder.
type Names = BTreeMap<PathBuf, BTreeMap<OsString, u64>>;

/// What a power cut would leave, and what had been answered by then.
struct Cut {
    answered: usize,
    call: &'static str,
    trees: [Tree; 3],
}

#[derive(Default)]
struct Memory {
    /// Durable contents by inode. A file that was never synced is empty.
    contents: HashMap<u64, Arc<[u8]>>,
    /// Durable names by folder.
    names: Names,
    /// Every file ever made, so that no inode is used twice.
    kept: Vec<File>,
    cuts: Vec<Cut>,
}

struct ForgetfulDisk {
    folder: PathBuf,
    answered: AtomicUsize,
    memory: Mutex<Memory>,
}

impl ForgetfulDisk {
    /// A disk on which all that stands in the folder now is durable.
    fn new(folder: &Path) -> Self {
        let mut memory = Memory::default();
        for folder in folders(folder) {
            for (name, inode) in listed(&folder) {
                let path = folder.join(&name);
                if path.is_file() {
                    let content = std::fs::read(&path).expect("read").into();
                    memory.contents.insert(inode, content);
                    memory.kept.push(File::open(&path).expect("opened"));
                }
                memory.names.entry(folder.clone()).or_default().insert(name, inode);
            }
        }
        Self {
            folder: folder.to_owned(),
            answered: AtomicUsize::new(0),
            memory: Mutex::new(memory),
        }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.hold()
    }

    /// Notes what a power cut right after this call would leave; `touched` are the names it changed.
    fn cut(&self, call: &'static str, touched: &[&Path]) {
        let mut memory = self.memory();
        let now: Names =
            folders(&self.folder).into_iter().map(|path| (path.clone(), listed(&path))).collect();
        let mut early = memory.names.clone();
        for path in touched {
            let (folder, name) = (path.parent().expect("a folder"), path.file_name());
            let name = name.expect("a name").to_owned();
            let inode = now.get(folder).and_then(|names| names.get(&name));
            let names = early.entry(folder.to_owned()).or_default();
            match inode {
                Some(inode) => drop(names.insert(name, *inode)),
                None => drop(names.remove(&name)),
            }
        }
        let trees = [&memory.names, &now, &early].map(|names| memory.tree(&self.folder, names));
        let answered = self.answered.load(Ordering::SeqCst);
        memory.cuts.push(Cut { answered, call, trees });
    }

    fn keep(&self, file: &File) -> io::Result<()> {
        let mut content = vec![0; usize::try_from(file.metadata()?.len()).expect("a small file")];
        file.read_exact_at(&mut content, 0)?;
        self.memory().contents.insert(file.metadata()?.ino(), content.into());
        Ok(())
    }
}

impl Memory {
    fn tree(&self, root: &Path, names: &Names) -> Tree {
        let mut tree = Tree::new();
        let mut open = vec![root.to_owned()];
        while let Some(folder) = open.pop() {
            for (name, inode) in names.get(&folder).into_iter().flatten() {
                let path = folder.join(name);
                if path.is_dir() {
                    open.push(path);
                } else {
                    let content = self.contents.get(inode).cloned().unwrap_or_default();
                    tree.insert(path.strip_prefix(root).expect("below").to_owned(), content);
                }
            }
        }
        tree
    }
}

fn listed(folder: &Path) -> BTreeMap<OsString, u64> {
    let entries = std::fs::read_dir(folder).expect("listed").map(|entry| entry.expect("an entry"));
    entries.map(|entry| (entry.file_name(), entry.metadata().expect("there").ino())).collect()
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let below = listed(root).into_keys().map(|name| root.join(name)).filter(|path| path.is_dir());
    let below: Vec<PathBuf> = below.flat_map(|path| folders(&path)).collect();
    [vec![root.to_owned()], below].concat()
}

macro_rules! pass_on {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)+) => {
        $(fn $name(&self, $($argument: $kind),*) -> io::Result<$result> {
            SystemDisk.$name($($argument),*)
        })+
    };
}

macro_rules! cut_after {
    ($($name:ident($($path:ident),+);)+) => {
        $(fn $name(&self, $($path: &Path),+) -> io::Result<()> {
            SystemDisk.$name($($path),+)?;
            self.cut(stringify!($name), &[$($path),+]);
            Ok(())
        })+
    };
}

impl Disk for ForgetfulDisk {
    pass_on! {
        open_append(path: &Path) -> File;
        open_or_create(path: &Path) -> File;
        open_read(path: &Path) -> File;
        read(file: &File, buffer: &mut [u8]) -> usize;
        read_at(file: &File, buffer: &mut [u8], offset: u64) -> usize;
        write(file: &File, bytes: &[u8]) -> usize;
        truncate(file: &File, len: u64) -> ();
        stat_file(file: &File) -> Metadata;
        stat(path: &Path) -> Metadata;
        list(path: &Path) -> Vec<OsString>;
        set_mode(path: &Path, mode: u32) -> ();
        lock(file: &File) -> ();
    }

    cut_after! {
        rename(from, to);
        rename_new(from, to);
        link(from, to);
        exchange(one, other);
        remove(path);
        remove_dir(path);
        create_dir(path);
    }

    fn create_new(&self, path: &Path) -> io::Result<File> {
        let file = SystemDisk.create_new(path)?;
        self.memory().kept.push(file.try_clone()?);
        self.cut("create_new", &[path]);
        Ok(file)
    }

    fn sync_data(&self, file: &File) -> io::Result<()> {
        self.keep(file)?;
        self.cut("sync_data", &[]);
        Ok(())
    }

    fn sync_all(&self, file: &File) -> io::Result<()> {
        self.keep(file)?;
        self.cut("sync_all", &[]);
        Ok(())
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let names = listed(path);
        self.memory().names.insert(path.to_owned(), names);
        self.cut("sync_dir", &[]);
        Ok(())
    }
}

/// A life of commits, folds and a recovery; each commit adds the game with the next number.
fn live(store: &Store, disk: &ForgetfulDisk) {
    let mut next = 0;
    let mut commit = || {
        add(store, &format!("{next}"));
        next += 1;
        disk.answered.store(next, Ordering::SeqCst);
    };
    commit();
    commit();
    store.fold_now().expect("folded");
    commit();
    store.fold_now().expect("folded");
    commit();
    commit();
    put_durably(disk, "library.json", "damaged");
    store.recover(&Source::Backup).expect("recovered");
    commit();
    store.fold_now().expect("folded");
    commit();
    store.close();
}

/// Another program writes a file, and waits until it is durable.
fn put_durably(disk: &ForgetfulDisk, name: &str, content: &str) {
    let path = disk.folder.join(name);
    put(&path, content);
    disk.keep(&File::open(path).expect("opened")).expect("durable");
}

/// Opens what a cut left; with `damage`, as if the library file had been damaged as well.
#[track_caller]
fn check(cut: &Cut, tree: &Tree, damage: bool) {
    let folder = folder();
    for (name, content) in tree {
        let path = folder.path().join(name);
        Files::system().private_dir(path.parent().expect("a folder")).expect("made");
        put(&path, content);
    }
    if damage {
        put(&folder.path().join("library.json"), "damaged");
    }
    let point = format!("after {} with {} answered, damage {damage}", cut.call, cut.answered);
    let store = open(folder.path());
    if store.snapshot().is_err() {
        store.recover(&Source::Backup).unwrap_or_else(|error| panic!("{point}: {error}"));
    }
    let expected: Vec<String> = (0..names(&store).len()).map(|number| number.to_string()).collect();
    assert_eq!(names(&store), expected, "{point}");
    let found = expected.len();
    assert!(found == cut.answered || found == cut.answered + 1, "{point}: {found} were found");
}

#[test]
fn nothing_answered_is_lost_when_the_disk_forgets_what_was_not_synced() {
    let folder = folder();
    drop(open(folder.path()));
    let disk = Arc::new(ForgetfulDisk::new(folder.path()));
    let options = Options {
        files: Files::over(Arc::<ForgetfulDisk>::clone(&disk)),
        ..options(folder.path())
    };
    let store = Store::open(options).expect("open");
    live(&store, &disk);
    let cuts = std::mem::take(&mut disk.memory().cuts);
    assert!(cuts.len() >= 60, "{} cuts", cuts.len());
    for cut in &cuts {
        for tree in &cut.trees {
            check(cut, tree, false);
            if tree.contains_key(Path::new("library.json.bak")) {
                check(cut, tree, true);
            }
        }
    }
}
