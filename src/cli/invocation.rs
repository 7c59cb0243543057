//! The words after a command: its options and operands.

use std::{ffi::OsString, path::PathBuf};

use lexopt::{Arg, Parser, ValueExt as _};

use super::table::{self, CommandRow, Flag};

/// A command with what was given to it.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The command.
    pub command: &'static CommandRow,
    /// Data directory instead of the default one.
    pub data_dir: Option<PathBuf>,
    /// Its options, in their order; a switch has an empty value.
    options: Vec<(Flag, String)>,
    /// Its operands, in their order.
    pub operands: Vec<OsString>,
}

impl PartialEq for Invocation {
    fn eq(&self, other: &Self) -> bool {
        self.command.name == other.command.name
            && (&self.data_dir, &self.options, &self.operands)
                == (&other.data_dir, &other.options, &other.operands)
    }
}

impl Eq for Invocation {}

impl Invocation {
    /// Parses the words after a command. `data_dir` is the one that was named before it.
    ///
    /// # Errors
    /// One sentence.
    pub fn parse(
        command: &'static CommandRow,
        parser: &mut Parser,
        data_dir: Option<PathBuf>,
    ) -> Result<Self, lexopt::Error> {
        let mut parsed = Self { command, data_dir, options: Vec::new(), operands: Vec::new() };
        while let Some(argument) = parser.next()? {
            let option = match &argument {
                Arg::Long(name) => table::by_name(command.all_options(), name),
                Arg::Short(letter) => table::by_letter(command.all_options(), *letter),
                Arg::Value(_) => None,
            };
            let option = match (argument, option) {
                (Arg::Value(word), _) => {
                    parsed.operands.push(word);
                    continue;
                }
                (_, Some(option)) => option,
                (other, None) => return Err(other.unexpected()),
            };
            match option.flag {
                Flag::DataDir => parsed.data_dir = Some(parser.value()?.parse()?),
                flag if option.value.is_some() => {
                    parsed.options.push((flag, parser.value()?.parse()?));
                }
                flag => parsed.options.push((flag, String::new())),
            }
        }
        if !parsed.has(Flag::Help) {
            parsed.check()?;
        }
        Ok(parsed)
    }

    /// Refuses operands that are missing or too many, and options that exclude each other.
    fn check(&self) -> Result<(), lexopt::Error> {
        let CommandRow { name, operands, .. } = self.command;
        let (least, most) = operands.count;
        if self.operands.len() < least {
            return Err(format!("{name} needs {}", operands.shown).into());
        }
        if let Some(word) = self.operands.get(most) {
            let word = word.to_string_lossy();
            return Err(format!("{name} takes no further word: {word:?}").into());
        }
        let is_empty = self.operands.is_empty();
        match *name {
            "stop" if self.has(Flag::All) && !is_empty => {
                Err("stop takes a game or --all, not both".into())
            }
            "import" if self.has(Flag::Watched) != is_empty => {
                Err("import takes folders or --watched".into())
            }
            "jobs" if self.has(Flag::Cancel) && self.has(Flag::Retry) => {
                Err("--cancel and --retry exclude each other".into())
            }
            _ => self.limit().map(drop),
        }
    }

    /// Whether an option was given.
    pub fn has(&self, flag: Flag) -> bool {
        self.options.iter().any(|(given, _)| *given == flag)
    }

    /// The value of an option; the last one counts.
    pub fn value(&self, flag: Flag) -> Option<&str> {
        let mut given = self.options.iter().rev();
        given.find(|(given, _)| *given == flag).map(|(_, value)| value.as_str())
    }

    /// The most rows that are wanted.
    ///
    /// # Errors
    /// One sentence, when it is not a number above zero.
    pub fn limit(&self) -> Result<Option<usize>, lexopt::Error> {
        let number = self.value(Flag::Limit).map(str::parse::<usize>);
        match number {
            None => Ok(None),
            Some(Ok(number)) if number > 0 => Ok(Some(number)),
            Some(_) => Err("--limit is a number above 0".into()),
        }
    }

    /// The operands as one text.
    ///
    /// # Errors
    /// The operand that is no UTF-8: the service speaks JSON, which knows no other text.
    pub fn words(&self) -> Result<Vec<&str>, &OsString> {
        self.operands.iter().map(|word| word.to_str().ok_or(word)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Invocation, String> {
        let command = table::command(words[0]).expect("a command");
        let mut parser = Parser::from_args(&words[1..]);
        Invocation::parse(command, &mut parser, None).map_err(|error| error.to_string())
    }

    #[test]
    fn options_and_operands_come_in_any_order() {
        let play = parse(&["play", "--json", "chrono", "--platform=SNES", "--data-dir", "/d"]);
        let play = play.expect("parsed");
        assert_eq!(play.operands, ["chrono"]);
        assert_eq!(play.value(Flag::Platform), Some("SNES"));
        assert!(play.has(Flag::Json));
        assert_eq!(play.data_dir, Some("/d".into()));
        assert_eq!(parse(&["play", "--", "--odd"]).expect("parsed").operands, ["--odd"]);
        assert!(parse(&["play", "-h"]).expect("parsed").has(Flag::Help));
    }

    #[test]
    fn wrong_lines_are_refused_in_one_sentence() {
        for (words, expected) in [
            (&["play"][..], "play needs GAME"),
            (&["play", "a", "b"], "play takes no further word: \"b\""),
            (&["list", "a"], "list takes no further word: \"a\""),
            (&["stop", "--all", "a"], "stop takes a game or --all, not both"),
            (&["import"], "import takes folders or --watched"),
            (&["import", "a", "--watched"], "import takes folders or --watched"),
            (&["list", "--limit", "0"], "--limit is a number above 0"),
            (&["list", "--limit", "x"], "--limit is a number above 0"),
            (&["jobs", "--cancel", "a", "--retry", "b"], "--cancel and --retry exclude each other"),
            (&["list", "--force"], "invalid option '--force'"),
            (&["man", "--json"], "invalid option '--json'"),
        ] {
            assert_eq!(parse(words).map(drop), Err(expected.to_owned()), "{words:?}");
        }
    }
}
