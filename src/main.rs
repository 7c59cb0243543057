//! The executable: arguments in, exit code out.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use service_launcher::app::{
    archive_command,
    arguments::{self, HELP, Request},
    link_command, run,
};

fn main() -> ExitCode {
    let outcome = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(Request::Help) => print(HELP),
        Ok(Request::Version) => {
            print(concat!("service-launcher ", env!("CARGO_PKG_VERSION"), "\n"))
        }
        Ok(Request::Serve(options)) => run::serve(&options).map_err(|error| (1, error.to_string())),
        Ok(Request::Archive(options)) => match archive_command::run(&options) {
            Ok(line) => print(&format!("{line}\n")),
            Err(error) => Err((1, error.to_string())),
        },
        Ok(Request::Link(options)) => {
            link_command::follow(&options).map_err(|error| (1, error.to_string()))
        }
        Ok(Request::Launcher(options)) => {
            link_command::choose(&options).map_err(|error| (1, error.to_string()))
        }
        Err(error) => Err((2, error.to_string())),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, message)) => {
            // There is nobody left to tell when stderr is closed.
            drop(writeln!(io::stderr(), "service-launcher: {message}"));
            ExitCode::from(code)
        }
    }
}

fn print(text: &str) -> Result<(), (u8, String)> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err((1, error.to_string())),
        _ => Ok(()),
    }
}
