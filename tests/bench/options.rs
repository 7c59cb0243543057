//! The command line of the benchmarks.

use std::path::PathBuf;

const USAGE: &str = "cargo bench -- [--quick] [--table] [--weak | --hour | --counts] [--filter GROUP,...] \
                     [--json FILE] [--compare FILE]";

/// Passes over everything that make the table.
const TABLE_RUNS: usize = 2;

/// Which groups there are to choose from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Scope {
    /// Times on this machine.
    #[default]
    Usual,
    /// Times on a weak machine.
    Weak,
    /// An hour of mixed use on a weak machine.
    Hour,
    /// Counts instead of times.
    Counts,
}

/// What to run and where to put the figures.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// Small libraries and few repetitions.
    pub(crate) quick: bool,
    /// Run what has a target twice, with fewer repetitions, and print a table to keep.
    pub(crate) table: bool,
    /// What is measured.
    pub(crate) scope: Scope,
    /// Run only groups whose name contains one of these, between commas.
    pub(crate) filter: Option<String>,
    /// Write the figures here.
    pub(crate) json: Option<PathBuf>,
    /// Compare with the figures written by an earlier run.
    pub(crate) compare: Option<PathBuf>,
    /// Be the bare server that answers this many bytes, instead of measuring.
    pub(crate) bare_server: Option<usize>,
    /// Be the loop that shows how slow a machine is, instead of measuring.
    pub(crate) plain_loop: bool,
    /// Be the bare socket that answers this many bytes, instead of measuring.
    pub(crate) bare_socket: Option<usize>,
}

impl Options {
    /// Reads the arguments; `--bench`, which cargo adds, means nothing.
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} needs a value\n{USAGE}"));
            match arg.as_str() {
                "--bench" => {}
                "--quick" => options.quick = true,
                "--weak" => options.scope = Scope::Weak,
                "--hour" => options.scope = Scope::Hour,
                crate::weak_machine::LOOP_ARGUMENT => options.plain_loop = true,
                "--counts" => options.scope = Scope::Counts,
                "--table" => options.table = true,
                "--filter" => options.filter = Some(value()?),
                "--json" => options.json = Some(value()?.into()),
                "--compare" => options.compare = Some(value()?.into()),
                super::bare::ARGUMENT => {
                    let size = value()?;
                    options.bare_server = Some(size.parse().map_err(|_| size)?);
                }
                super::bare::SOCKET_ARGUMENT => {
                    let size = value()?;
                    options.bare_socket = Some(size.parse().map_err(|_| size)?);
                }
                _ => return Err(format!("unknown argument {arg}\n{USAGE}")),
            }
        }
        Ok(options)
    }

    /// Whether a group is measured.
    pub(crate) fn wants(&self, group: &str) -> bool {
        let wanted = |filter: &String| filter.split(',').any(|part| group.contains(part));
        self.filter.as_ref().is_none_or(wanted)
    }

    /// Sizes of libraries to measure at.
    pub(crate) fn sizes(&self) -> &'static [usize] {
        if self.quick { &[1_000, 10_000] } else { &[1_000, 10_000, 50_000, 100_000] }
    }

    /// The largest of [`Options::sizes`].
    pub(crate) fn largest(&self) -> usize {
        self.sizes()[self.sizes().len() - 1]
    }

    /// How often everything is measured.
    pub(crate) fn runs(&self) -> usize {
        if self.table { TABLE_RUNS } else { 1 }
    }

    /// `full` repetitions; fewer of them, but three at least, for the table and when quick.
    pub(crate) fn times(&self, full: usize) -> usize {
        match (self.quick, self.table) {
            (true, _) => (full / 10).max(3),
            (false, true) => (full / 3).max(3),
            (false, false) => full,
        }
    }
}
