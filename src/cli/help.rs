//! The texts of `--help`.

use std::fmt::Write as _;

use super::table::{COMMANDS, CommandRow, EXIT_CODES, OPTIONS, Opt};

/// Where the second column begins, and where a line ends.
const INDENT: usize = 26;
const WIDTH: usize = 100;

/// The help of the program.
pub fn program() -> String {
    let mut text = String::from(
        "Service Launcher: your games, one library, no account.\n\n\
         Usage: service-launcher [OPTIONS] [service:LINK]\n\
         \u{20}      service-launcher COMMAND [OPTIONS]\n\
         \u{20}      service-launcher --launcher [--data-dir DIR]\n\
         \u{20}      service-launcher --backup [--items LIST] [--keep N] [--data-dir DIR]\n\
         \u{20}      service-launcher --restore-backup FILE [--items LIST] [--force] [--data-dir DIR]\n\n\
         Commands, for the service that runs (service-launcher help COMMAND tells more):\n",
    );
    for command in COMMANDS {
        row(&mut text, &title(command), command.about);
    }
    text.push_str("\nOptions:\n");
    options(&mut text, OPTIONS.iter());
    codes(&mut text);
    text
}

/// The help of a command.
pub fn command(command: &CommandRow) -> String {
    let mut text = format!("{}.\n\nUsage: service-launcher {}", command.about, command.name);
    text.push_str(" [OPTIONS]");
    if !command.operands.shown.is_empty() {
        // OK because writing to a String never fails.
        let _ = write!(text, " {}", command.operands.shown);
    }
    text.push_str("\n\n");
    if !command.details.is_empty() {
        for line in wrapped(command.details, WIDTH) {
            text.push_str(&line);
            text.push('\n');
        }
        text.push('\n');
    }
    text.push_str("Options:\n");
    options(&mut text, command.all_options());
    codes(&mut text);
    text
}

/// A command with its operands.
pub fn title(command: &CommandRow) -> String {
    format!("{} {}", command.name, command.operands.shown).trim_end().to_owned()
}

/// An option with its names and its value.
pub fn names(option: &Opt) -> String {
    let letter = option.letter.map(|letter| format!("-{letter}, ")).unwrap_or_default();
    let value = option.value.map(|value| format!(" {value}")).unwrap_or_default();
    format!("{letter}--{}{value}", option.names[0])
}

/// What an option does, with its other names.
pub fn about(option: &Opt) -> String {
    let others: Vec<String> = option.names[1..].iter().map(|name| format!("--{name}")).collect();
    if others.is_empty() {
        return option.about.to_owned();
    }
    format!("{}; also {}", option.about, others.join(", "))
}

fn options(text: &mut String, options: impl Iterator<Item = &'static Opt>) {
    for option in options {
        row(text, &names(option), &about(option));
    }
}

fn codes(text: &mut String) {
    text.push_str("\nExit codes:\n");
    for (code, meaning) in EXIT_CODES {
        row(text, &code.to_string(), meaning);
    }
}

/// A row of two columns; a first one that is too long has a line of its own.
fn row(text: &mut String, first: &str, second: &str) {
    let mut lines = wrapped(second, WIDTH - INDENT).into_iter();
    let first = format!("  {first}");
    if first.chars().count() + 2 > INDENT {
        text.push_str(&first);
        text.push('\n');
    } else {
        // OK because writing to a String never fails.
        let _ = writeln!(text, "{first:INDENT$}{}", lines.next().unwrap_or_default());
    }
    for line in lines {
        // OK because writing to a String never fails.
        let _ = writeln!(text, "{:INDENT$}{line}", "");
    }
}

/// A text in lines of at most `width` characters, broken at blanks.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().filter(|line| {
            line.is_empty() || line.chars().count() + 1 + word.chars().count() <= width
        });
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_and_command_is_in_the_help_and_no_line_is_too_long() {
        let text = program();
        let texts = COMMANDS.iter().map(command).chain([text.clone()]);
        for text in texts {
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        }
        for name in OPTIONS.iter().flat_map(|option| option.names) {
            assert!(text.contains(&format!("--{name}")), "{name}");
        }
        for one in COMMANDS {
            assert!(text.contains(&format!("\n  {}", one.name)), "{}", one.name);
            for option in one.all_options() {
                assert!(command(one).contains(&names(option)), "{option:?}");
            }
        }
    }

    #[test]
    fn lines_are_broken_at_blanks() {
        assert_eq!(wrapped("a bc d", 4), ["a bc", "d"]);
        assert_eq!(wrapped("abcdef g", 3), ["abcdef", "g"]);
        assert_eq!(wrapped("", 3), [""]);
    }
}
