//! Launch commands: a line split like a shell splits it, with tokens filled in per argument.
//!
//! No shell is ever involved. The line is split first and each argument is filled in once, so a file
//! name with blanks, quotes or `{path}` in it stays one argument and is never read again. Arguments
//! are `OsString`: a path that is not UTF-8 reaches the game byte for byte.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The names of the tokens that any command may hold: those that [`Tokens::value`] always knows.
pub const TOKENS: [&str; 20] = [
    "path",
    "Path",
    "ImagePath",
    "dir",
    "Dir",
    "file",
    "File",
    "stem",
    "FileNameWithoutExtension",
    "name",
    "Name",
    "Title",
    "platform",
    "Platform",
    "rom_name",
    "app_id",
    "store_b_app_id",
    "store_c_id",
    "DataDir",
    "EmulatorDir",
];

/// What the tokens of a command stand for. An empty value fills in nothing.
#[derive(Clone, Copy, Debug)]
pub struct Tokens<'a> {
    /// `{path}` `{Path}` `{ImagePath}`, and its parts `{dir}` `{Dir}`, `{file}` `{File}`, `{stem}`
    /// `{FileNameWithoutExtension}`.
    pub path: &'a Path,
    /// `{name}` `{Name}` `{Title}`.
    pub name: &'a str,
    /// `{platform}` `{Platform}`.
    pub platform: &'a str,
    /// `{rom_name}`.
    pub rom_name: &'a str,
    /// `{app_id}`: the game's id in the first storefront.
    pub app_id: &'a str,
    /// `{store_b_app_id}`.
    pub store_b_app_id: &'a str,
    /// `{store_c_id}`.
    pub store_c_id: &'a str,
    /// `{DataDir}`.
    pub data_dir: &'a Path,
    /// `{EmulatorDir}`: the folder of the emulator's executable.
    pub emulator_dir: &'a Path,
    /// The tokens that only emulator definitions have; elsewhere they are plain text.
    pub definition: Option<DefinitionTokens<'a>>,
}

/// Tokens of emulator definitions.
#[derive(Clone, Copy, Debug)]
pub struct DefinitionTokens<'a> {
    /// `{state_path}`: the file a captured state is in.
    pub state_path: &'a Path,
    /// `{state_dir}`: its folder.
    pub state_dir: &'a Path,
    /// `{state_config}`: the file with settings that make the emulator use it.
    pub state_config: &'a Path,
    /// `{state_name}`: its name without the folder.
    pub state_name: &'a str,
    /// `{retroarch_core}`: the core's file.
    pub retroarch_core: &'a Path,
}

/// Whether the game's path is appended to a command that does not name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingPath {
    /// Commands of platform profiles.
    Append,
    /// Commands of one game: they may not need the path at all.
    Omit,
}

impl<'a> Tokens<'a> {
    /// The value of the token written `{token}`; `None` when there is no such token.
    pub fn value(&self, token: &str) -> Option<&'a OsStr> {
        let part = |part: Option<&'a OsStr>| Some(part.unwrap_or_default());
        match token {
            "path" | "Path" | "ImagePath" => Some(self.path.as_os_str()),
            "dir" | "Dir" => part(self.path.parent().map(Path::as_os_str)),
            "file" | "File" => part(self.path.file_name()),
            "stem" | "FileNameWithoutExtension" => part(self.path.file_stem()),
            "name" | "Name" | "Title" => Some(self.name.as_ref()),
            "platform" | "Platform" => Some(self.platform.as_ref()),
            "rom_name" => Some(self.rom_name.as_ref()),
            "app_id" => Some(self.app_id.as_ref()),
            "store_b_app_id" => Some(self.store_b_app_id.as_ref()),
            "store_c_id" => Some(self.store_c_id.as_ref()),
            "DataDir" => Some(self.data_dir.as_os_str()),
            "EmulatorDir" => Some(self.emulator_dir.as_os_str()),
            _ => self.definition.and_then(|definition| definition.value(token)),
        }
    }
}

impl<'a> DefinitionTokens<'a> {
    fn value(self, token: &str) -> Option<&'a OsStr> {
        match token {
            "state_path" => Some(self.state_path.as_os_str()),
            "state_dir" => Some(self.state_dir.as_os_str()),
            "state_config" => Some(self.state_config.as_os_str()),
            "state_name" => Some(self.state_name.as_ref()),
            "retroarch_core" => Some(self.retroarch_core.as_os_str()),
            _ => None,
        }
    }
}

/// The words of a command line by the rules of a POSIX shell, without any expansion. A line whose
/// quotes do not match is split at blanks instead. A word that begins with `#` starts a comment.
pub fn split(command: &str) -> Vec<String> {
    shlex::split(command).unwrap_or_else(|| command.split_whitespace().map(str::to_owned).collect())
}

/// The arguments of `command`, program first; empty when the command is blank.
///
/// Every token that [`Tokens::value`] knows is replaced, once; anything else in braces stays as it
/// is written.
pub fn build(command: &str, tokens: &Tokens<'_>, missing: MissingPath) -> Vec<OsString> {
    fill(&split(command), tokens, missing)
}

/// Like [`build`], for a command that is stored as a list of arguments.
pub fn fill(words: &[String], tokens: &Tokens<'_>, missing: MissingPath) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = words.iter().map(|word| substitute(word, tokens)).collect();
    let named = words.iter().any(|word| names_path(word));
    if missing == MissingPath::Append && !named && !arguments.is_empty() {
        arguments.push(tokens.path.as_os_str().to_owned());
    }
    arguments
}

/// A program as a command names it: `~/` at its beginning means the home folder.
pub fn at_home(program: &OsStr, home: &Path) -> OsString {
    let Some(below) = program.as_bytes().strip_prefix(b"~/") else { return program.to_owned() };
    // A second slash would make it a path from the root on.
    let slashes = below.iter().take_while(|byte| **byte == b'/').count();
    home.join(OsStr::from_bytes(&below[slashes..])).into_os_string()
}

/// Whether `command` names the place of the game's path.
pub fn names_path(command: &str) -> bool {
    ["{path}", "{Path}", "{ImagePath}"].iter().any(|token| command.contains(token))
}

/// One argument with its tokens filled in, left to right, values untouched.
fn substitute(word: &str, tokens: &Tokens<'_>) -> OsString {
    let mut filled = OsString::with_capacity(word.len());
    let mut rest = word;
    while let Some(open) = rest.find('{') {
        let (before, braced) = rest.split_at(open);
        filled.push(before);
        let inner = &braced[1..];
        let found = inner
            .find(['{', '}'])
            .filter(|close| inner.as_bytes()[*close] == b'}')
            .and_then(|close| Some((close, tokens.value(&inner[..close])?)));
        if let Some((close, value)) = found {
            filled.push(value);
            rest = &inner[close + 1..];
        } else {
            filled.push("{");
            rest = inner;
        }
    }
    filled.push(rest);
    filled
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use proptest::prelude::*;

    use super::*;

    fn tokens(path: &OsStr) -> Tokens<'_> {
        Tokens {
            path: Path::new(path),
            name: "Name {path}",
            platform: "NES",
            rom_name: "rom",
            app_id: "10",
            store_b_app_id: "",
            store_c_id: "c",
            data_dir: Path::new("/data"),
            emulator_dir: Path::new("/emulators"),
            definition: None,
        }
    }

    #[track_caller]
    fn check(command: &str, expected: &[&str]) {
        let path = OsStr::new("/roms/A game's \"{name}\".v1.nes");
        let built = build(command, &tokens(path), MissingPath::Omit);
        assert_eq!(built, expected, "{command}");
    }

    #[test]
    fn splits_like_a_shell_and_falls_back_to_blanks() {
        for (command, expected) in [
            ("a 'b c' \"d e\" f\\ g", vec!["a", "b c", "d e", "f g"]),
            ("a\tb\nc", vec!["a", "b", "c"]),
            ("it's a {path}", vec!["it's", "a", "{path}"]),
            ("a \"b", vec!["a", "\"b"]),
            ("a '' \"\"", vec!["a", "", ""]),
            ("$HOME `x` *.nes ~/a;b|c", vec!["$HOME", "`x`", "*.nes", "~/a;b|c"]),
            ("", vec![]),
            (" \t ", vec![]),
        ] {
            assert_eq!(split(command), expected, "{command}");
        }
    }

    #[test]
    fn a_program_may_be_below_the_home_folder() {
        for (program, expected) in [
            ("~/bin/emu", "/home/me/bin/emu"),
            ("~//bin/emu", "/home/me/bin/emu"),
            ("~", "~"),
            ("~you/emu", "~you/emu"),
            ("/a/~/emu", "/a/~/emu"),
            ("emu", "emu"),
        ] {
            assert_eq!(at_home(program.as_ref(), Path::new("/home/me")), expected, "{program}");
        }
    }

    #[test]
    fn fills_each_token_once() {
        let path = "/roms/A game's \"{name}\".v1.nes";
        for token in ["{path}", "{Path}", "{ImagePath}"] {
            check(&format!("run {token}"), &["run", path]);
        }
        check("{dir} {Dir}", &["/roms", "/roms"]);
        check("{file} {File}", &["A game's \"{name}\".v1.nes", "A game's \"{name}\".v1.nes"]);
        check("{stem} {FileNameWithoutExtension}", &["A game's \"{name}\".v1"; 2]);
        check("{name} {Name} {Title}", &["Name {path}"; 3]);
        check("{platform} {Platform} {rom_name}", &["NES", "NES", "rom"]);
        check("{app_id} {store_b_app_id} {store_c_id}", &["10", "", "c"]);
        check("{DataDir}/x --dir={EmulatorDir}", &["/data/x", "--dir=/emulators"]);
        check("a{app_id}b{app_id}", &["a10b10"]);
    }

    #[test]
    fn every_named_token_has_a_value() {
        let tokens = tokens(OsStr::new("/a"));
        for token in TOKENS {
            assert!(tokens.value(token).is_some(), "{token}");
        }
    }

    #[test]
    fn unknown_tokens_and_loose_braces_stay() {
        for word in ["{other}", "{}", "{", "}", "{{", "{path", "path}", "{PATH}", "{state_path}"] {
            check(word, &[word]);
        }
        check("{{app_id}}", &["{10}"]);
        check("{x{app_id}", &["{x10"]);
        check("{app_id", &["{app_id"]);
    }

    #[test]
    fn definitions_have_their_own_tokens() {
        let definition = DefinitionTokens {
            state_path: Path::new("/s/one.state"),
            state_dir: Path::new("/s"),
            state_config: Path::new("/s/c.cfg"),
            state_name: "one",
            retroarch_core: Path::new("/cores/x.so"),
        };
        let path = OsStr::new("/g");
        let tokens = Tokens { definition: Some(definition), ..tokens(path) };
        let command =
            "{state_path} {state_dir} {state_config} {state_name} {retroarch_core} {path}";
        let built = build(command, &tokens, MissingPath::Omit);
        assert_eq!(built, ["/s/one.state", "/s", "/s/c.cfg", "one", "/cores/x.so", "/g"]);
    }

    #[test]
    fn only_a_profile_gets_the_path_appended() {
        let path = OsStr::new("/g");
        let built = |command, missing| build(command, &tokens(path), missing);
        assert_eq!(built("run -x", MissingPath::Append), ["run", "-x", "/g"]);
        assert_eq!(built("run -x", MissingPath::Omit), ["run", "-x"]);
        assert_eq!(built("run --rom={path} -x", MissingPath::Append), ["run", "--rom=/g", "-x"]);
        assert_eq!(built("run {ImagePath}", MissingPath::Append), ["run", "/g"]);
        assert_eq!(built("run {stem}", MissingPath::Append), ["run", "g", "/g"]);
        assert!(built(" ", MissingPath::Append).is_empty());
    }

    #[test]
    fn a_path_that_is_not_utf8_arrives_byte_for_byte() {
        let path = OsString::from_vec(b"/roms/\xff\xfe {path}\n'.nes".to_vec());
        let built = build("run --rom={path} {stem}", &tokens(&path), MissingPath::Append);
        assert_eq!(built[1].as_bytes(), b"--rom=/roms/\xff\xfe {path}\n'.nes");
        assert_eq!(built[2].as_bytes(), b"\xff\xfe {path}\n'");
        assert_eq!(built.len(), 3);
    }

    proptest! {
        #[test]
        fn a_hostile_path_is_always_exactly_one_argument(
            bytes in proptest::collection::vec(1_u8..=255, 1..60),
            words in proptest::collection::vec("[a-z-]{1,6}", 1..5),
        ) {
            let path = OsString::from_vec(bytes);
            let command = format!("{} {{path}}", words.join(" "));
            let mut expected: Vec<OsString> = words.iter().map(OsString::from).collect();
            expected.push(path.clone());
            prop_assert_eq!(build(&command, &tokens(&path), MissingPath::Append), expected);
        }

        #[test]
        fn values_are_never_read_again(path in "[{}a-z'\" \n/]{1,40}") {
            let path = OsString::from(path);
            let built = build("x {path} {name}", &tokens(&path), MissingPath::Omit);
            prop_assert_eq!(built, [OsStr::new("x"), &path, OsStr::new("Name {path}")]);
        }

        #[test]
        fn any_command_builds_and_a_quoted_word_survives(command in "(?s).{0,80}", word in "[^\0]{1,30}") {
            let path = OsStr::new("/g");
            let built = build(&command, &tokens(path), MissingPath::Append);
            prop_assert_eq!(built.is_empty(), split(&command).is_empty());
            let quoted = shlex::try_quote(&word).expect("no NUL in the word");
            prop_assert_eq!(split(&quoted), [word.clone()]);
        }
    }
}
