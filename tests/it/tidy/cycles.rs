//! The inside of a module: no import cycle between its files, and a bounded size.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Findings, Source, assert_found, assert_tidy,
    lex::{code_only, without_tests},
    paths::{module_of, named_paths},
    repository,
};

/// The most code lines and files of a module; tests, comments and blank lines do not count.
const MOST: Size = Size { lines: 5_000, files: 25 };

/// Larger modules, with their own bound and the reason. This list only shrinks.
const LARGER: &[(&str, Size, &str)] = &[
    ("api", Size { lines: 12_500, files: 85 }, "one file for each family of routes"),
    (
        "launch",
        Size { lines: 5_000, files: 28 },
        "archives and the doctor are folders of their own",
    ),
];

/// Code lines and files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    lines: usize,
    files: usize,
}

impl Size {
    fn exceeds(self, most: Self) -> bool {
        self.lines > most.lines || self.files > most.files
    }
}

/// A source file of the program, without its unit tests.
struct File<'a> {
    /// Its module, such as `store::commit`.
    name: String,
    text: &'a str,
}

impl<'a> File<'a> {
    fn of(source: &'a Source) -> Option<Self> {
        let is_test = source.path.ends_with("tests.rs") || source.path.contains("/tests/");
        let name = module_of(&source.path).filter(|name| !name.is_empty() && !is_test)?;
        Some(Self { name, text: without_tests(&source.text) })
    }

    fn module(&self) -> &str {
        self.name.split("::").next().unwrap_or(&self.name)
    }
}

fn files_of(sources: &[Source]) -> Vec<File<'_>> {
    sources.iter().filter_map(File::of).collect()
}

/// What each file imports from the other files of its module.
fn imports<'a>(files: &'a [File<'_>]) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let names: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let inner = |file: &'a File<'_>| {
        let is_child = |word: &str| names.contains(format!("{}::{word}", file.name).as_str());
        let paths = named_paths(&file.name, file.text, is_child);
        let found = paths.iter().filter_map(|path| owner(path, &names));
        let module = |name: &str| name.split("::").next() == Some(file.module());
        found.filter(|name| *name != file.name && module(name)).collect()
    };
    files.iter().map(|file| (file.name.as_str(), inner(file))).collect()
}

/// The file that a path leads to: its longest beginning that is one.
fn owner<'a>(path: &str, names: &BTreeSet<&'a str>) -> Option<&'a str> {
    let mut path = path;
    loop {
        if let Some(name) = names.get(path) {
            return Some(name);
        }
        path = path.rsplit_once("::")?.0;
    }
}

/// One cycle of each module that has any.
fn cycles(sources: &[Source]) -> Findings {
    let files = files_of(sources);
    let mut left = imports(&files);
    // A file that imports none of those left is part of no cycle.
    loop {
        let leaf = left.iter().find(|(_, to)| !to.iter().any(|name| left.contains_key(name)));
        let Some(leaf) = leaf.map(|(name, _)| *name) else { break };
        left.remove(leaf);
    }
    let mut findings = BTreeMap::new();
    for start in left.keys() {
        let mut walk = vec![*start];
        let end = loop {
            let next = left[walk[walk.len() - 1]].iter().find(|name| left.contains_key(*name));
            // OK because a file without a next one was removed.
            let next = *next.unwrap();
            if let Some(at) = walk.iter().position(|name| *name == next) {
                break at;
            }
            walk.push(next);
        };
        let module = start.split("::").next().unwrap_or(start);
        let cycle = [&walk[end..], &walk[end..=end]].concat().join(" -> ");
        findings.entry(module).or_insert_with(|| format!("{module}: import cycle {cycle}"));
    }
    findings.into_values().collect()
}

/// Modules beyond [`MOST`], and exceptions that do not fit any more.
fn large_modules(sources: &[Source], larger: &[(&str, Size, &str)]) -> Findings {
    let files = files_of(sources);
    let mut sizes: BTreeMap<&str, Size> = BTreeMap::new();
    for file in &files {
        let size = sizes.entry(file.module()).or_default();
        size.lines += code_only(file.text).lines().filter(|line| !line.trim().is_empty()).count();
        size.files += 1;
    }
    let mut findings = Findings::new();
    for (module, size) in &sizes {
        let exception = larger.iter().find(|(name, ..)| name == module);
        let most = exception.map_or(MOST, |(_, most, _)| *most);
        if size.exceeds(most) {
            findings.push(format!("src/{module}: {size:?}, at most {most:?}"));
        }
    }
    for (module, ..) in larger {
        if !sizes.get(module).is_some_and(|size| size.exceeds(MOST)) {
            findings.push(format!("the exception for {module} is not needed any more"));
        }
    }
    findings
}

#[test]
fn files_of_a_module_import_each_other_in_one_direction() {
    assert_tidy(cycles(&repository()));
}

#[test]
fn no_module_outgrows_a_reader() {
    assert_tidy(large_modules(&repository(), LARGER));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cycles of a module of two files and a folder with these texts.
    fn found(module: &str, a: &str, b: &str, inner: &str) -> Findings {
        cycles(&[
            Source::new("src/store/mod.rs", module),
            Source::new("src/store/a.rs", a),
            Source::new("src/store/b.rs", b),
            Source::new("src/store/c/mod.rs", "mod inner;"),
            Source::new("src/store/c/inner.rs", inner),
            Source::new("src/journal/b.rs", "use crate::store::a::X;"),
        ])
    }

    #[test]
    fn a_cycle_is_found_however_it_is_written() {
        for (a, b) in [
            ("use super::b::X;", "use super::a::Y;"),
            ("use crate::store::b;", "fn f() { super::a::g() }"),
            ("use crate::{base::ids, store::{b::{self, X}, c}};", "use super::a;"),
            ("use super::{b as other};", "use crate::store::{a::Y};"),
        ] {
            assert_found(found("mod a;", a, b, ""), &["store", "store::a -> store::b -> store::a"]);
        }
        let parts = ["store -> store::a -> store"];
        assert_found(found("use a::X;", "use super::Y;", "", ""), &parts);
        assert_found(found("use self::a::X;", "use super::Y;", "", ""), &parts);
        let parts = ["store::a -> store::c::inner -> store::a"];
        assert_found(found("", "use super::c::inner::X;", "", "use super::super::a::Y;"), &parts);
    }

    #[test]
    fn imports_in_one_direction_and_of_other_modules_pass() {
        assert_tidy(found("pub use a::X;", "use super::b::Y;", "use super::c::inner;", ""));
        assert_tidy(found("", "use crate::journal::b::X;", "use super::a::Y;", ""));
        let tests = "\n#[cfg(test)]\nmod tests {\n    use super::super::a;\n}\n";
        assert_tidy(found("", "use super::b::Y;", tests, ""));
        assert_tidy(found("", "use super::b::Y;", "// use super::a::X;", ""));
        assert_tidy(found("", "use super::b::Y;", "use crate::{journal::{a, b}, base::c};", ""));
    }

    #[test]
    fn a_large_module_fails_unless_an_exception_with_a_reason_holds_it() {
        let module = |files: usize, lines: usize| {
            let text = format!("{}\n\n// no code\n", "x;\n".repeat(lines));
            let path = |at: usize| format!("src/store/f{at}.rs");
            (0..files).map(|at| Source::new(&path(at), &text)).collect::<Vec<_>>()
        };
        let larger = |files: usize| [("store", Size { lines: 5_000, files }, "a reason")];
        assert_tidy(large_modules(&module(25, 200), &[]));
        assert_found(large_modules(&module(25, 201), &[]), &["store", "5025"]);
        assert_found(large_modules(&module(26, 1), &[]), &["store", "26"]);
        assert_tidy(large_modules(&module(26, 1), &larger(26)));
        assert_found(large_modules(&module(27, 1), &larger(26)), &["store", "27", "26"]);
        assert_found(large_modules(&module(25, 1), &larger(26)), &["store", "not needed"]);
    }
}
