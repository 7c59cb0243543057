//! The executable: arguments in, exit code out.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use service_launcher::app::{
    archive_command,
    arguments::{self, Request},
    command::{self, Ended},
    link_command, run,
};

fn main() -> ExitCode {
    let failed = |error: &dyn std::error::Error| Ended::failed(1, error);
    let outcome = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(Request::Help) => print(&command::help()),
        Ok(Request::Version) => {
            print(concat!("service-launcher ", env!("CARGO_PKG_VERSION"), "\n"))
        }
        Ok(Request::Serve(options)) => run::serve(&options).map_err(|error| failed(&error)),
        Ok(Request::Archive(options)) => match archive_command::run(&options) {
            Ok(line) => print(&format!("{line}\n")),
            Err(error) => Err(failed(&error)),
        },
        Ok(Request::Link(options)) => {
            link_command::follow(&options).map_err(|error| failed(&error))
        }
        Ok(Request::Launcher(options)) => {
            link_command::choose(&options).map_err(|error| failed(&error))
        }
        Ok(Request::Act(asked)) => command::run(&asked),
        Ok(Request::InstallUser) => command::install_user(),
        Ok(Request::UninstallUser) => command::uninstall_user(),
        Err(error) => Err(Ended::failed(2, &error)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Ended { code, message }) => {
            if !message.is_empty() {
                // The error cannot be reported when stderr is closed.
                drop(writeln!(io::stderr(), "service-launcher: {message}"));
            }
            ExitCode::from(code)
        }
    }
}

fn print(text: &str) -> Result<(), Ended> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Ended::failed(1, &error)),
        _ => Ok(()),
    }
}
