//! Sets of an arcade emulator: archives of a folder, named and sorted by a catalog.
//!
//! The catalog is a DAT file, or what the installed emulator prints about the sets of the folder, read
//! while it is printed: its whole list has hundreds of megabytes. Every set whose archive, or whose parent's archive, lies in
//! the folder is a game. Serves `/api/import/arcade`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, BufReader, Read as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use zip::ZipArchive;

use crate::{
    base::text,
    files::{DiskError, Files},
    formats::{
        arcade_list::{self, NotAList, Pieces, Set},
        sheet_text,
    },
    model::Record,
    names::arcade::ArcadeSet,
    process::{CaptureError, Captured, Limits, Spec, capture, search},
    scan::{tree::Tree, walk},
};

use super::{
    incoming::{Incoming, Key, SetType},
    installed::quoted,
    loose::{self, stem},
    rows,
};

/// Bytes of a catalog: of a file, or what is kept of what the emulator prints.
const CATALOG_BYTES: usize = 256 * 1024 * 1024;
/// How long the emulator may print its lists.
const LIST_TIME: Duration = Duration::from_mins(5);
/// Sets it is asked for at once.
const BATCH: usize = 256;
/// Bytes of its list of variants.
const CLONES_BYTES: usize = 32 * 1024 * 1024;
/// Its output for a name that is not one of its sets.
const UNKNOWN_SET: &str = "No matching";
/// The platform and collection of every row.
const ARCADE: &str = "Arcade";

/// Which emulator the sets are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// The value of `source`, also the source of the rows.
    pub name: &'static str,
    /// Its programs, the first one found counts.
    programs: &'static [&'static str],
    /// The arguments that make it print its list; none when it cannot.
    list: &'static [&'static str],
    /// The arguments that make it print which sets are variants of which, one pair a line; none when
    /// it prints only the list of all sets.
    clones: &'static [&'static str],
}

const PRIMARY: Family =
    Family { name: "MAME", programs: &["mame"], list: &["-listxml"], clones: &["-listclones"] };
const SECONDARY: Family = Family {
    name: "FinalBurn Neo",
    programs: &["fbneo", "fbneo-sdl"],
    list: &["-listxml"],
    clones: &[],
};

impl Family {
    /// The family a request names: the secondary one by its name, anything else is the primary.
    pub fn named(source: &str) -> Self {
        let plain: String = source.chars().filter(char::is_ascii_alphanumeric).collect();
        match plain.to_ascii_lowercase().as_str() {
            "finalburnneo" | "fbneo" | "fbn" | "secondary" => SECONDARY,
            _ => PRIMARY,
        }
    }

    fn program(self) -> Option<PathBuf> {
        self.programs.iter().find_map(|program| search::on_path(program))
    }
}

/// Why there is no catalog or no way to start its games.
#[derive(Debug, thiserror::Error)]
pub enum ArcadeError {
    /// The DAT file is missing or no regular file.
    #[error("The arcade DAT/XML file does not exist.")]
    NoCatalog(PathBuf),
    #[error("The arcade DAT/XML file cannot be read.")]
    Unreadable(#[from] DiskError),
    #[error("The arcade DAT/XML file is too large.")]
    TooLarge,
    #[error("{}", no_catalog(.0))]
    NotAList(#[from] NotAList),
    #[error(
        "{} is not installed. Install it, or choose a DAT/XML file and a launch command.",
        .0.name
    )]
    NotInstalled(Family),
    /// The emulator did not print its list.
    #[error("{}", no_list(family.name, source))]
    NoList {
        /// The emulator.
        family: Family,
        /// What happened.
        source: CaptureError,
    },
    /// The emulator ended with an error.
    #[error("{}", format!("{} failed with code {code}. {said}", family.name).trim_end())]
    Ended {
        /// The emulator.
        family: Family,
        /// Its exit code.
        code: i32,
        /// The last line of its output.
        said: String,
    },
    #[error("The arcade launch command is empty.")]
    BlankCommand,
}

fn no_catalog(error: &NotAList) -> &'static str {
    match error {
        NotAList::NotXml(_) | NotAList::Unfinished => "The arcade DAT/XML file is not valid XML.",
        NotAList::NoSets => "The arcade DAT/XML file lists no arcade sets.",
    }
}

fn no_list(name: &str, error: &CaptureError) -> String {
    match error {
        CaptureError::TimedOut(time) => {
            format!("{name} did not print its list within {} seconds.", time.as_secs())
        }
        CaptureError::TooMuchOutput(_) => format!("The list that {name} printed is too large."),
        CaptureError::Spawn(_) | CaptureError::Output(_) | CaptureError::Stopped => {
            format!("{name} could not be started.")
        }
    }
}

/// The catalog of a request: its DAT file, else the list of the emulator for the sets in the folder.
///
/// # Errors
/// [`ArcadeError`] when there is none.
pub fn catalog(
    files: &Files,
    tree: &dyn Tree,
    family: Family,
    dat: Option<&Path>,
    folder: &str,
) -> Result<Vec<Set>, ArcadeError> {
    let Some(path) = dat else { return printed_sets(tree, family, folder) };
    let text = text_of(read_dat(files, path)?);
    Ok(arcade_list::parse(&text)?)
}

fn text_of(bytes: Vec<u8>) -> String {
    let is_marked = bytes.starts_with(b"\xef\xbb\xbf");
    match String::from_utf8(bytes) {
        Ok(text) if !is_marked => text,
        Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
        Err(bad) => sheet_text::decode(bad.as_bytes()),
    }
}

/// The sets of the archives in a folder, and those inside the archives of their parents, as the
/// emulator prints them.
fn printed_sets(tree: &dyn Tree, family: Family, folder: &str) -> Result<Vec<Set>, ArcadeError> {
    let ends_at = Instant::now() + LIST_TIME;
    if family.clones.is_empty() {
        let (printed, found) = print_list(family, family.list, ends_at)?;
        ended(printed, family)?;
        return Ok(found?);
    }
    let archives = archives(tree, folder);
    let mut names: BTreeSet<String> = archives.into_keys().filter(|name| is_set(name)).collect();
    let clones = print(family, family.clones, CLONES_BYTES, ends_at)?;
    if names.is_empty() {
        // Without a name it would print everything; whether it works is known by now.
        return ended(clones, family).map(|_| Vec::new());
    }
    if clones.code == 0 {
        let text = String::from_utf8_lossy(&clones.stdout);
        let pairs = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let inside = pairs.filter_map(|pair| match pair[..] {
            [name, parent] if names.contains(parent) && is_set(name) => Some(name.to_owned()),
            _ => None,
        });
        let inside: Vec<String> = inside.collect();
        names.extend(inside);
    }
    let sets = named_sets(family, &names, ends_at);
    if !matches!(sets, Err(ArcadeError::Ended { .. })) {
        return sets;
    }
    // An emulator that prints everything or nothing.
    match print_list(family, family.list, ends_at) {
        Ok((printed, Ok(all))) if printed.code == 0 => Ok(all),
        _ => sets,
    }
}

/// The sets of these names, as the emulator prints them when it is asked for them by name.
fn named_sets(
    family: Family,
    names: &BTreeSet<String>,
    ends_at: Instant,
) -> Result<Vec<Set>, ArcadeError> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut sets: Vec<Set> = Vec::new();
    let mut seen = BTreeSet::new();
    for batch in names.chunks(BATCH) {
        let (printed, found) = print_list(family, &[family.list, batch].concat(), ends_at)?;
        let is_partial = String::from_utf8_lossy(&printed.stderr).contains(UNKNOWN_SET);
        if !is_partial {
            ended(printed, family)?;
        }
        match found {
            Ok(found) => sets.extend(found.into_iter().filter(|set| seen.insert(set.name.clone()))),
            Err(NotAList::NoSets) if is_partial => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(sets)
}

/// Whether a name can be that of a set; others would be options or patterns to the emulator.
fn is_set(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name.bytes().all(is_letter)
}

/// Refuses a DAT file that is not there.
///
/// # Errors
/// [`ArcadeError::NoCatalog`].
pub fn check_dat(path: &Path) -> Result<(), ArcadeError> {
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    if is_file { Ok(()) } else { Err(ArcadeError::NoCatalog(path.to_owned())) }
}

fn read_dat(files: &Files, path: &Path) -> Result<Vec<u8>, ArcadeError> {
    check_dat(path)?;
    let source = files.open(path)?;
    let mut bytes = Vec::new();
    let limit = CATALOG_BYTES as u64 + 1;
    source
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|source| DiskError::at("read", path)(source))?;
    if bytes.len() > CATALOG_BYTES { Err(ArcadeError::TooLarge) } else { Ok(bytes) }
}

fn print(
    family: Family,
    arguments: &[&str],
    most: usize,
    ends_at: Instant,
) -> Result<Captured, ArcadeError> {
    let (spec, limits) = question(family, arguments, most, ends_at)?;
    capture::run(&spec, &limits).map_err(|source| no_answer(family, source))
}

/// Makes the emulator print a list of sets and reads it meanwhile.
fn print_list(
    family: Family,
    arguments: &[&str],
    ends_at: Instant,
) -> Result<(Captured, Result<Vec<Set>, NotAList>), ArcadeError> {
    let (spec, limits) = question(family, arguments, CATALOG_BYTES, ends_at)?;
    let mut pieces = Pieces::default();
    let mut sink = |bytes: &[u8]| {
        pieces.push(bytes);
        pieces.kept() <= CATALOG_BYTES
    };
    let printed = capture::run_into(&spec, &limits, &mut sink);
    let printed = printed.map_err(|source| no_answer(family, source))?;
    Ok((printed, pieces.finish()))
}

fn question(
    family: Family,
    arguments: &[&str],
    most: usize,
    ends_at: Instant,
) -> Result<(Spec, Limits), ArcadeError> {
    let program = family.program().ok_or(ArcadeError::NotInstalled(family))?;
    let mut argv = vec![program.into_os_string()];
    argv.extend(arguments.iter().map(Into::into));
    let timeout = ends_at.saturating_duration_since(Instant::now());
    Ok((Spec::new(argv), Limits { timeout, output_bytes: most }))
}

fn no_answer(family: Family, source: CaptureError) -> ArcadeError {
    // The time is that of all its lists together.
    let source = match source {
        CaptureError::TimedOut(_) => CaptureError::TimedOut(LIST_TIME),
        other => other,
    };
    ArcadeError::NoList { family, source }
}

/// What the emulator printed, unless it failed.
fn ended(printed: Captured, family: Family) -> Result<Vec<u8>, ArcadeError> {
    if printed.code == 0 {
        return Ok(printed.stdout);
    }
    let said = String::from_utf8_lossy(&printed.stderr);
    let said = said.lines().last().unwrap_or_default().trim().to_owned();
    Err(ArcadeError::Ended { family, code: printed.code, said })
}

/// The command that starts a set: that of the request, else that of the installed emulator.
///
/// # Errors
/// [`ArcadeError::BlankCommand`] and [`ArcadeError::NotInstalled`].
pub fn command(family: Family, wanted: Option<&str>, folder: &str) -> Result<String, ArcadeError> {
    match wanted {
        Some(command) if command.trim().is_empty() => Err(ArcadeError::BlankCommand),
        Some(command) => Ok(command.trim().to_owned()),
        None => {
            let program = family.program().ok_or(ArcadeError::NotInstalled(family))?;
            let program = quoted(&program.to_string_lossy());
            Ok(if family == SECONDARY {
                format!("{program} {{path}}")
            } else {
                format!("{program} -rompath {} {{rom_name}}", quoted(folder))
            })
        }
    }
}

/// The games of a folder with what their sets are made of, in the order of the catalog.
pub fn games(
    tree: &dyn Tree,
    folder: &str,
    sets: &[Set],
    family: Family,
    command: &str,
) -> Vec<(Incoming, SetType)> {
    let archives: BTreeMap<String, String> = archives(tree, folder);
    let mut found = Vec::new();
    for set in sets {
        let own = archives.get(&text::fold(&set.name));
        let placed = match (set.clone_of.is_empty(), own) {
            (true, Some(path)) => Some((path, SetType::Parent)),
            (false, Some(path)) if lacks(path, &set.merged) => Some((path, SetType::Split)),
            (false, Some(path)) => Some((path, SetType::NonMerged)),
            (false, None) => {
                archives.get(&text::fold(&set.clone_of)).map(|path| (path, SetType::Merged))
            }
            (true, None) => None,
        };
        found.extend(placed.map(|(path, kind)| (row(set, path, kind, family, command), kind)));
    }
    found
}

/// The archives directly in a folder by the folded name of their set.
fn archives(tree: &dyn Tree, folder: &str) -> BTreeMap<String, String> {
    let is_archive = |name: &str| {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        ending == "zip" || ending == "7z"
    };
    let files = loose::files(tree, folder, 0, is_archive).into_iter();
    files.map(|(folder, name)| (text::fold(stem(&name)), walk::join(&folder, &name))).collect()
}

/// Whether an archive lacks one of these files. An archive that cannot be listed counts as empty.
fn lacks(path: &str, wanted: &BTreeSet<String>) -> bool {
    if wanted.is_empty() {
        return false;
    }
    let members = members(Path::new(path)).unwrap_or_default();
    wanted.iter().any(|name| !members.contains(&text::fold(name)))
}

fn members(path: &Path) -> io::Result<BTreeSet<String>> {
    if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip")) {
        return Ok(BTreeSet::new());
    }
    let archive = ZipArchive::new(BufReader::new(fs::File::open(path)?))?;
    let base = |name: &str| text::fold(name.rsplit(['/', '\\']).next().unwrap_or_default());
    Ok(archive.file_names().flatten().map(|name| base(&name)).collect())
}

fn row(set: &Set, path: &str, kind: SetType, family: Family, command: &str) -> Incoming {
    let mut record = Record::default();
    record.set("name", set.title.trim());
    record.set("platform", ARCADE);
    record.set("source", family.name);
    record.set("collection", family.name);
    record.set("path", path);
    rows::set_command(&mut record, command, ARCADE);
    record.set("rom_name", set.name.as_str());
    record.set("clone_of", set.clone_of.as_str());
    record.set("set_type", kind.name());
    rows::set_makers(&mut record, Some(ArcadeSet::new(&set.title, &set.year, &set.maker)));
    // A row that came without a command gets the first one there is.
    let gone = vec![String::new()];
    let label = family.name.to_owned();
    Incoming { record, label, key: Key::RomName, gone, ..Incoming::default() }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::scan::tree::Disk;

    fn put_zip(folder: &Path, name: &str, members: &[&str]) {
        let file = fs::File::create(folder.join(name)).expect("created");
        let mut archive = zip::ZipWriter::new(file);
        for member in members {
            archive.start_file(*member, zip::write::SimpleFileOptions::default()).expect("started");
            archive.write_all(b"x").expect("written");
        }
        archive.finish().expect("finished");
    }

    fn set(name: &str, clone_of: &str, merged: &[&str]) -> Set {
        Set {
            name: name.to_owned(),
            title: name.to_uppercase(),
            clone_of: clone_of.to_owned(),
            year: "1999?".to_owned(),
            maker: "Taito".to_owned(),
            merged: merged.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn sets_are_told_apart_by_what_their_archives_hold() {
        let folder = tempfile::tempdir().expect("a folder");
        put_zip(folder.path(), "Pac.zip", &["a.bin"]);
        put_zip(folder.path(), "split.zip", &["b.bin"]);
        put_zip(folder.path(), "whole.zip", &["dir/A.BIN", "b.bin"]);
        fs::write(folder.path().join("broken.zip"), b"PK").expect("written");
        fs::write(folder.path().join("seven.7z"), b"7z").expect("written");
        let sets = [
            set("pac", "", &[]),
            set("inside", "pac", &["a.bin"]),
            set("split", "pac", &["a.bin"]),
            set("whole", "pac", &["a.bin"]),
            set("broken", "pac", &["a.bin"]),
            set("seven", "pac", &["a.bin"]),
            set("alone", "pac", &[]),
            set("gone", "", &[]),
            set("lost", "gone", &[]),
        ];
        let root = folder.path().to_str().expect("text");
        let found = games(&Disk, root, &sets, PRIMARY, "mame {rom_name}");
        let shown: Vec<_> =
            found.iter().map(|(game, kind)| (game.record.text("rom_name"), kind.name())).collect();
        assert_eq!(
            shown,
            [
                ("pac", "parent"),
                ("inside", "merged"),
                ("split", "split"),
                ("whole", "non-merged"),
                ("broken", "split"),
                ("seven", "split"),
                ("alone", "merged"),
            ]
        );
        assert!(found[1].0.record.text("path").ends_with("/Pac.zip"));
        assert_eq!(found[0].0.record.text("source"), "MAME");
    }

    #[test]
    fn the_secondary_family_goes_by_its_names() {
        for (source, expected) in [
            ("FinalBurn Neo", SECONDARY),
            ("fbneo", SECONDARY),
            ("", PRIMARY),
            ("MAME", PRIMARY),
            ("anything", PRIMARY),
        ] {
            assert_eq!(Family::named(source), expected, "{source}");
        }
    }

    #[test]
    fn only_names_of_sets_are_asked_for() {
        for (name, expected) in [
            ("pac", true),
            ("1942_b", true),
            ("", false),
            ("-x", false),
            ("a*", false),
            ("a b", false),
        ] {
            assert_eq!(is_set(name), expected, "{name}");
        }
    }

    #[test]
    fn a_blank_command_is_refused() {
        let command = |wanted| command(PRIMARY, Some(wanted), "/r");
        assert!(matches!(command(" "), Err(ArcadeError::BlankCommand)));
        assert_eq!(command(" x {path} ").expect("given"), "x {path}");
    }
}
