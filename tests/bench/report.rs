//! The table, the file of figures and the comparison with an earlier one.

use std::{collections::BTreeMap, fmt::Write as _, fs, io::Write as _, path::Path};

use serde_json::{Value, json};

use crate::{options::Options, stats::Samples};

/// Prints one line.
pub(crate) fn say(line: &str) {
    // OK because a closed stdout has no reader.
    drop(writeln!(std::io::stdout().lock(), "{line}"));
}

/// One line of the table.
struct Row {
    name: String,
    unit: &'static str,
    median: f64,
    p95: f64,
    samples: usize,
    target: Option<Target>,
    /// The medians of the runs before, and whether they kept the targets they had.
    before: Vec<(f64, bool)>,
}

impl Row {
    fn is_met(&self) -> bool {
        self.target.as_ref().is_none_or(|target| target.is_met(self.median))
    }
}

/// A bound on the median, in the unit of its row.
pub(crate) struct Target {
    rule: String,
    limit: f64,
    at_most: bool,
}

impl Target {
    /// The median may not exceed this.
    pub(crate) fn at_most(limit: f64, rule: impl Into<String>) -> Self {
        Self { rule: rule.into(), limit, at_most: true }
    }

    /// The median may not stay below this.
    pub(crate) fn at_least(limit: f64, rule: impl Into<String>) -> Self {
        Self { rule: rule.into(), limit, at_most: false }
    }

    fn is_met(&self, median: f64) -> bool {
        if self.at_most { median <= self.limit } else { median >= self.limit }
    }
}

/// All rows so far.
pub(crate) struct Report {
    rows: Vec<Row>,
    old: BTreeMap<String, f64>,
}

impl Report {
    /// An empty report; the heading is printed at once.
    pub(crate) fn new(options: &Options) -> Self {
        let old = options.compare.as_deref().map(read_medians).unwrap_or_default();
        let ratio = if old.is_empty() { "" } else { "   ratio" };
        say(&format!("{:<52} {:>11} {:>11} {:<8}{ratio}  target", "", "median", "p95", "unit"));
        Self { rows: Vec::new(), old }
    }

    /// Adds a row and prints it.
    pub(crate) fn add(
        &mut self,
        name: impl Into<String>,
        unit: &'static str,
        samples: &Samples,
        target: Option<Target>,
    ) {
        let mut row = Row {
            name: name.into(),
            unit,
            median: samples.median(),
            p95: samples.percentile(95),
            samples: samples.len(),
            target,
            before: Vec::new(),
        };
        let mut line = format!(
            "{:<52} {:>11} {:>11} {:<8}",
            row.name,
            shown(row.median),
            shown(row.p95),
            row.unit
        );
        if let Some(old) = self.old.get(&row.name).filter(|old| **old > 0.0) {
            // OK because writing to a String never fails.
            let _ = write!(line, " {:>6.2}x", row.median / old);
        }
        if let Some(target) = &row.target {
            let verdict = if target.is_met(row.median) { "met" } else { "MISSED" };
            let sign = if target.at_most { "<=" } else { ">=" };
            let _ = write!(line, "  {verdict}: {sign} {} ({})", shown(target.limit), target.rule);
        }
        say(&line);
        match self.rows.iter_mut().find(|known| known.name == row.name) {
            Some(known) => {
                row.before = std::mem::take(&mut known.before);
                row.before.push((known.median, known.is_met()));
                *known = row;
            }
            None => self.rows.push(row),
        }
    }

    /// Prints the verdict and writes the file, when one was asked for.
    pub(crate) fn finish(&self, options: &Options) -> Result<(), String> {
        if options.table {
            self.rows.iter().for_each(|row| say(&table_line(row)));
        }
        let aimed = self.rows.iter().filter_map(|row| Some((row, row.target.as_ref()?)));
        let (met, missed): (Vec<_>, Vec<_>) =
            aimed.partition(|(row, target)| target.is_met(row.median));
        say(&format!("{} targets met, {} missed", met.len(), missed.len()));
        let Some(path) = &options.json else { return Ok(()) };
        let rows: Vec<Value> = self.rows.iter().map(row_json).collect();
        let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
        let figures = json!({"quick": options.quick, "cores": cores, "rows": rows});
        fs::write(path, format!("{figures:#}\n"))
            .map_err(|error| format!("failed to write {}: {error}", path.display()))
    }
}

/// The row as a line of a Markdown table: name, unit, median of each run, verdict.
fn table_line(row: &Row) -> String {
    let runs = row.before.iter().map(|(median, _)| *median).chain([row.median]);
    let medians: Vec<String> = runs.map(shown).collect();
    let verdict = row.target.as_ref().map_or_else(String::new, |target| {
        let met = row.is_met() && row.before.iter().all(|(_, met)| *met);
        let sign = if target.at_most { "at most" } else { "at least" };
        let verdict = if met { "met" } else { "**missed**" };
        format!("{sign} {} ({}): {verdict}", shown(target.limit), target.rule)
    });
    format!("| {} | {} | {} | {verdict} |", row.name.trim(), row.unit, medians.join(" | "))
}

fn row_json(row: &Row) -> Value {
    let target = row.target.as_ref().map(|target| {
        json!({
            "rule": target.rule,
            "limit": target.limit,
            "at_most": target.at_most,
            "met": target.is_met(row.median),
        })
    });
    json!({
        "name": row.name,
        "unit": row.unit,
        "median": row.median,
        "p95": row.p95,
        "samples": row.samples,
        "target": target,
    })
}

/// The medians of an earlier run by row name; empty when the file is none.
fn read_medians(path: &Path) -> BTreeMap<String, f64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let figures: Value = serde_json::from_str(&text).unwrap_or_default();
    let rows = figures["rows"].as_array().cloned().unwrap_or_default();
    if rows.is_empty() {
        say(&format!("no figures in {}", path.display()));
    }
    rows.iter()
        .filter_map(|row| Some((row["name"].as_str()?.to_owned(), row["median"].as_f64()?)))
        .collect()
}

/// Three significant digits or whole numbers with thousands set apart.
fn shown(value: f64) -> String {
    if value.abs() < 100.0 {
        return format!("{value:.2}");
    }
    let mut digits = format!("{value:.0}");
    let mut at = digits.len();
    while at > 3 {
        at -= 3;
        digits.insert(at, ',');
    }
    digits
}
