//! Running a command.

use super::{
    completions, doctor,
    error::CliError,
    games, help,
    invocation::Invocation,
    man,
    output::Output,
    service::Service,
    table::{self, Flag},
    work,
};

/// Does what a command asks for and prints the outcome on standard output.
///
/// # Errors
/// [`CliError`], with the exit code of the program.
pub fn run(asked: &Invocation) -> Result<(), CliError> {
    let mut output = Output::standard();
    let outcome = act(asked, &mut output);
    let printed = output.finish().map_err(CliError::from);
    match outcome.and(printed) {
        Err(error) if error.is_broken_pipe() => Ok(()),
        outcome => outcome,
    }
}

fn act(asked: &Invocation, output: &mut Output) -> Result<(), CliError> {
    if asked.has(Flag::Help) {
        return Ok(output.text(&help::command(asked.command))?);
    }
    let name = asked.command.name;
    match name {
        "man" => return Ok(output.text(&man::page())?),
        "completions" => {
            let shell = games::words(asked)?.first().copied().unwrap_or_default();
            let text = completions::of(shell).ok_or_else(|| {
                let known = completions::SHELLS.join(", ");
                CliError::Usage(format!("{shell:?} is not a shell with completions: {known}"))
            })?;
            return Ok(output.text(&text)?);
        }
        "help" => {
            let Some(word) = games::words(asked)?.first().copied() else {
                return Ok(output.text(&help::program())?);
            };
            let command = table::command(word);
            let command = command.ok_or_else(|| CliError::Usage(format!("no command {word:?}")))?;
            return Ok(output.text(&help::command(command))?);
        }
        "doctor" => return doctor::run(asked, output),
        _ => {}
    }
    let service = Service::find(asked.data_dir.as_deref())?;
    match name {
        "list" => games::list(&service, asked, output),
        "search" => games::search(&service, asked, output),
        "show" => games::show(&service, asked, output),
        "play" => games::play(&service, asked, output),
        "stop" => games::stop(&service, asked, output),
        "import" => work::import(&service, asked, output),
        "jobs" => work::jobs(&service, asked, output),
        "backup" => work::backup(&service, asked, output),
        other => Err(CliError::Usage(format!("no command {other:?}"))),
    }
}
