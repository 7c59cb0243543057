//! `GET /metrics`: figures of this process in the text format of Prometheus.
//!
//! It is there only with `SERVICE_METRICS=1`, and nothing is counted without it. It is not a row of the route
//! table, because it is not part of the API: its text is for a collector, and its names are not frozen.

use std::{collections::BTreeMap, fmt::Write as _, sync::Mutex, time::Duration};

use super::{route::Route, services::Services};
use crate::{
    base::{Hold as _, Moment},
    http::reply::{Body, Reply},
    jobs::runner::Filter,
    process::proc_files,
};

/// Its path.
pub const PATH: &str = "/metrics";
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Jobs that are counted by state, the newest first.
const JOBS: usize = 1_000;

/// Method, path of the row, status.
type Kind = (&'static str, &'static str, u16);

/// How many requests of a kind there were, and how long they took.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    requests: u64,
    time: Duration,
}

/// What is counted: at most one row for each route and status.
pub struct Metrics {
    requests: Mutex<BTreeMap<Kind, Count>>,
    start: i64,
}

impl Metrics {
    /// Counts from now on.
    pub fn start() -> Self {
        Self { requests: Mutex::default(), start: Moment::now().unix_seconds() }
    }

    /// Counts an answer. Whatever is not a row of the table counts as one kind.
    pub fn count(&self, route: Option<&Route>, status: u16, time: Duration) {
        let kind = route.map_or(("", "other"), |route| (route.verb.name(), route.path));
        let mut requests = self.requests.hold();
        let count = requests.entry((kind.0, kind.1, status)).or_default();
        count.requests += 1;
        count.time += time;
    }

    /// The figures.
    pub fn reply(&self, services: &Services) -> Reply {
        let text = self.text(&Gauges::of(services));
        Reply::new(200, CONTENT_TYPE, Body::Bytes(text.into_bytes())).compressible()
    }

    fn text(&self, gauges: &Gauges) -> String {
        let mut text = Text(String::new());
        text.head("service_launcher_info", "gauge", "The version of the program.");
        text.row("service_launcher_info", &[("version", env!("CARGO_PKG_VERSION"))], "1");
        let requests = self.requests.hold().clone();
        text.head("service_launcher_http_requests_total", "counter", "Answered requests.");
        for ((method, route, status), count) in &requests {
            let status = status.to_string();
            let labels = [("method", *method), ("route", *route), ("status", status.as_str())];
            text.row("service_launcher_http_requests_total", &labels, &count.requests.to_string());
        }
        let seconds = "service_launcher_http_request_seconds_total";
        text.head(seconds, "counter", "Time from the body of a request to its answer.");
        let mut times: BTreeMap<(&str, &str), Duration> = BTreeMap::new();
        for (kind, count) in &requests {
            *times.entry((kind.0, kind.1)).or_default() += count.time;
        }
        for ((method, route), time) in times {
            let labels = [("method", method), ("route", route)];
            text.row(seconds, &labels, &time.as_secs_f64().to_string());
        }
        text.head("service_launcher_jobs", "gauge", "Listed jobs by state.");
        for (state, count) in &gauges.jobs {
            text.row("service_launcher_jobs", &[("state", state)], &count.to_string());
        }
        let mut gauge = |name: &str, about: &str, value: Option<u64>| {
            if let Some(value) = value {
                text.head(name, "gauge", about);
                text.row(name, &[], &value.to_string());
            }
        };
        gauge("service_launcher_sessions", "Running games.", Some(gauges.sessions));
        gauge("service_launcher_library_games", "Games of the library.", gauges.games);
        gauge("service_launcher_library_bytes", "Size of the library file.", gauges.bytes);
        gauge("process_resident_memory_bytes", "Memory of the process.", gauges.memory);
        gauge(
            "process_start_time_seconds",
            "When the process started, in seconds since 1970.",
            u64::try_from(self.start).ok(),
        );
        text.0
    }
}

/// Values that are read at a request.
struct Gauges {
    jobs: BTreeMap<String, usize>,
    sessions: u64,
    /// `None` while the library cannot be read.
    games: Option<u64>,
    bytes: Option<u64>,
    memory: Option<u64>,
}

impl Gauges {
    fn of(services: &Services) -> Self {
        let shared = &services.shared;
        let mut jobs = BTreeMap::new();
        let filter = Filter { limit: JOBS, ..Filter::default() };
        for job in shared.jobs.list(&filter).jobs {
            *jobs.entry(job.state.name().to_owned()).or_default() += 1;
        }
        let file = services.files.stat(&shared.data_dir.library()).ok().flatten();
        Self {
            jobs,
            sessions: shared.sessions.count() as u64,
            games: services.store.snapshot().ok().map(|state| state.games.len() as u64),
            bytes: file.map(|file| file.len()),
            memory: proc_files::resident_bytes(),
        }
    }
}

/// A text of Prometheus.
struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, about: &str) {
        // OK because writing to a String never fails.
        let _ = write!(self.0, "# HELP {name} {about}\n# TYPE {name} {kind}\n");
    }

    fn row(&mut self, name: &str, labels: &[(&str, &str)], value: &str) {
        self.0.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            let begin = if at == 0 { '{' } else { ',' };
            let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            // OK because writing to a String never fails.
            let _ = write!(self.0, "{begin}{label}=\"{text}\"");
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        // OK because writing to a String never fails.
        let _ = writeln!(self.0, " {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rows_of_names_labels_and_values() {
        let metrics = Metrics { requests: Mutex::default(), start: 7 };
        metrics.count(None, 404, Duration::from_millis(500));
        metrics.count(None, 404, Duration::from_millis(250));
        let jobs = BTreeMap::from([("done".to_owned(), 2)]);
        let gauges = Gauges { jobs, sessions: 1, games: None, bytes: Some(9), memory: None };
        let text = metrics.text(&gauges);
        for row in [
            "service_launcher_http_requests_total{method=\"\",route=\"other\",status=\"404\"} 2",
            "service_launcher_http_request_seconds_total{method=\"\",route=\"other\"} 0.75",
            "service_launcher_jobs{state=\"done\"} 2",
            "service_launcher_sessions 1",
            "service_launcher_library_bytes 9",
            "process_start_time_seconds 7",
        ] {
            assert!(text.lines().any(|line| line == row), "{row}: {text}");
        }
        assert!(!text.contains("library_games") && !text.contains("resident"), "{text}");
        let mut odd = Text(String::new());
        odd.row("a", &[("b", "\"\\\n")], "1");
        assert_eq!(odd.0, "a{b=\"\\\"\\\\\\n\"} 1\n");
    }
}
