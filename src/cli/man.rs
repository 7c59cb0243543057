//! The manual page, generated from the table.

use std::fmt::Write as _;

use super::{
    help,
    table::{COMMANDS, EXIT_CODES, OPTIONS, Opt},
};

/// The page `service-launcher(1)`, as roff.
pub fn page() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut page = format!(
        ".TH SERVICE\\-LAUNCHER 1 \"\" \"Service Launcher {version}\" \"User Commands\"\n\
         .SH NAME\nservice\\-launcher \\- game library launcher\n\
         .SH SYNOPSIS\n.B service\\-launcher\n[\\fIOPTIONS\\fR] [\\fIservice:LINK\\fR]\n.br\n\
         .B service\\-launcher\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n\
         .SH DESCRIPTION\n\
         Service Launcher keeps one library of your games. Without a command it serves its page on \
         127.0.0.1 and opens it. A command asks the service that runs for the same data directory.\n\
         .SH OPTIONS\n"
    );
    for option in OPTIONS {
        row(&mut page, option);
    }
    page.push_str(".SH COMMANDS\n");
    for command in COMMANDS {
        let (title, about) = (escaped(&help::title(command)), escaped(command.about));
        // OK because writing to a String never fails.
        let _ = write!(page, ".SS \"{title}\"\n{about}.\n");
        if !command.details.is_empty() {
            let _ = write!(page, ".PP\n{}\n", escaped(command.details));
        }
        for option in command.all_options() {
            row(&mut page, option);
        }
    }
    page.push_str(".SH EXIT STATUS\n");
    for (code, meaning) in EXIT_CODES {
        // OK because writing to a String never fails.
        let _ = write!(page, ".TP\n.B {code}\n{}.\n", escaped(meaning));
    }
    page.push_str(
        ".SH ENVIRONMENT\n.TP\n.B SERVICE_DATA_DIR\nThe data directory, when \\fB\\-\\-data\\-dir\\fR \
         names none.\n.TP\n.B NO_COLOR\nNo colours on a terminal.\n.TP\n.B COLUMNS\nThe width of \
         tables.\n.SH FILES\n.TP\n.I ~/.local/share/service\\-launcher\nThe data directory.\n",
    );
    page
}

fn row(page: &mut String, option: &Opt) {
    let (names, about) = (escaped(&help::names(option)), escaped(&help::about(option)));
    // OK because writing to a String never fails.
    let _ = write!(page, ".TP\n\\fB{names}\\fR\n{about}.\n");
}

/// A text without a meaning for roff.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('"', "\\(dq");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::{super::table::CommandRow, *};

    #[test]
    fn the_page_has_every_option_and_command_and_no_stray_request() {
        let page = page();
        for option in COMMANDS.iter().flat_map(CommandRow::all_options).chain(OPTIONS) {
            assert!(page.contains(&escaped(&help::names(option))), "{option:?}");
        }
        let requests = [".TH", ".SH", ".SS", ".TP", ".B", ".PP", ".I", ".br"];
        for line in page.lines().filter(|line| line.starts_with('.')) {
            let request = line.split(' ').next().unwrap_or_default();
            assert!(requests.contains(&request), "{line}");
        }
        assert_eq!(escaped("-a \"b\" \\"), "\\-a \\(dqb\\(dq \\e");
    }
}
