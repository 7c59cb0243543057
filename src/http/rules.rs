//! The decisions of the guard about a connection: pure rules, no sockets.

use std::{
    cmp::Reverse,
    time::{Duration, Instant},
};

use super::{
    connections::{Progress, Stage},
    intake::Position,
};
use crate::base::limits;

/// Bytes that may arrive without becoming a request: one head and one small body.
const FLOOD_BYTES: u64 = (limits::HEAD_BYTES + limits::BODY_BYTES) as u64;
/// Time between two looks while there are connections.
const TICK: Duration = Duration::from_millis(250);
/// The same once nothing has happened on any of them for [`STILL_LOOKS`] looks: a page that only
/// listens to its stream costs one look in two seconds.
const CALM_TICK: Duration = Duration::from_secs(2);
/// Looks in a row that find nothing new on a connection before it counts as still.
const STILL_LOOKS: u32 = 4;

/// How long a head or a body may be incomplete before it counts as slow.
const SLOW: Duration = Duration::from_secs(1);
/// How long a client may have connected without a request before it counts as idle: on a busy machine
/// it may not get a turn to ask.
const FRESH: Duration = Duration::from_secs(5);

/// The time limits of the guard.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Silence that ends a connection.
    pub(super) timeout: Duration,
    /// Connections served at once.
    pub(super) cap: usize,
}

impl Rules {
    /// The longest a head or a body may take altogether.
    pub(super) fn budget(&self) -> Duration {
        self.timeout * 2
    }

    /// Connections that may be in the middle of a head or a body at once: a quarter. Of few
    /// connections all may, because a busy machine makes ordinary clients slow too.
    pub(super) fn slow_cap(&self) -> usize {
        (self.cap / 4).max(32)
    }

    /// Time between two looks while there are connections.
    pub(super) fn tick(&self) -> Duration {
        TICK.min(self.timeout / 4)
    }

    /// Time between two looks while every connection is still.
    pub(super) fn calm_tick(&self) -> Duration {
        CALM_TICK.min(self.timeout / 4)
    }
}

/// What one look shows of one connection.
pub(super) struct ConnectionSample {
    /// Bytes received since it began; none where the kernel does not count.
    pub(super) received: Option<u64>,
    /// Bytes of these that were not read yet.
    pub(super) unread: u64,
    /// How far its requests were received.
    pub(super) position: Position,
    /// What its requests are doing; none before the first one.
    pub(super) progress: Option<Progress>,
}

/// What the guard remembers of one connection between two looks.
#[derive(Debug)]
pub(super) struct Watched {
    since: Instant,
    /// When it last made progress.
    moved: Instant,
    received: u64,
    steps: u64,
    /// Bytes received when it last had no unparsed ones.
    baseline: u64,
    /// When a part of a request was first seen, without its rest.
    partial: Option<Instant>,
    /// When its body was first seen to be read.
    reading: Option<Instant>,
    stage: Stage,
    /// What the client has sent waits for this program: unread bytes, or a complete request.
    is_owed: bool,
    /// Looks in a row that found the same bytes unread, or the connection still there after its end.
    pub(super) starved_looks: u32,
    /// Looks in a row that found it as it was.
    still_looks: u32,
    closed: bool,
}

/// What happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing is wrong with it.
    Leave,
    /// It has been silent between two requests.
    CloseIdle,
    /// It is stuck in the middle of a request.
    AnswerIncomplete,
    /// Its body does not move, or takes too long.
    StopReading,
    /// It does harm.
    Sever,
}

/// The order in which connections are closed when there are too many: the lowest rank first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// The one that has been in the middle of a head or a body for longest, beyond a second.
    Slow(Instant),
    /// The one that has been idle longest, beyond a second.
    Idle(Instant),
    /// In the middle of a head or a body for less than a second, or what it has sent waits for this
    /// program: it is not given up.
    Begun(Instant),
    /// Idle, but just connected or answered less than a second ago: its client is about to ask.
    Fresh(Instant),
    /// A request is worked on: the newest.
    Working(Reverse<Instant>),
}

impl Watched {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            since: now,
            moved: now,
            received: 0,
            steps: 0,
            baseline: 0,
            partial: None,
            reading: None,
            stage: Stage::Idle,
            is_owed: false,
            starved_looks: 0,
            still_looks: 0,
            closed: false,
        }
    }

    /// Takes in what was seen and decides. Pure: the same sightings lead to the same verdicts.
    pub(super) fn judge(
        &mut self,
        now: Instant,
        sample: &ConnectionSample,
        rules: &Rules,
    ) -> Verdict {
        let verdict = self.weigh(now, sample, rules);
        self.closed |= !matches!(verdict, Verdict::Leave | Verdict::StopReading);
        verdict
    }

    fn weigh(&mut self, now: Instant, sample: &ConnectionSample, rules: &Rules) -> Verdict {
        // Where the kernel does not count bytes, only complete requests are progress.
        let received = sample.received.unwrap_or(self.received);
        let nothing = Progress { arrivals: 0, steps: 0, stage: Stage::Idle, overdue: false };
        let Progress { arrivals, steps, stage, overdue } = sample.progress.unwrap_or(nothing);
        let Position { requests, is_within } = sample.position;
        // Between two requests tiny_http reads at once whatever comes. Bytes that stay where they are have no reader,
        // which is not the client's fault.
        let has_unread = sample.unread > 0 && stage == Stage::Idle;
        let arrived = received != self.received;
        self.starved_looks = if (has_unread && !arrived) || self.closed {
            self.starved_looks + 1
        } else {
            u32::from(has_unread)
        };
        let was_reading = matches!(self.stage, Stage::Reading(_));
        let is_reading = matches!(stage, Stage::Reading(_));
        self.reading = if is_reading { self.reading.or(Some(now)) } else { None };
        if steps != self.steps || was_reading || is_reading {
            self.baseline = received;
            self.partial = None;
        }
        let unparsed = received.saturating_sub(self.baseline);
        // Nor is it when a worker has to read them, or to take or to finish what is complete.
        let is_complete = requests > arrivals || (is_reading && !is_within);
        self.is_owed = stage != Stage::Working && (sample.unread > 0 || is_complete);
        if !is_within {
            self.partial = None;
        }
        let has_moved = arrived || self.is_owed || steps != self.steps;
        let has_changed = has_moved || stage != self.stage;
        self.still_looks = if has_changed { 0 } else { self.still_looks.saturating_add(1) };
        if has_moved || was_reading != is_reading || stage == Stage::Working {
            self.moved = now;
        }
        self.received = received;
        self.steps = steps;
        self.stage = stage;
        let silent = now.duration_since(self.moved) >= rules.timeout;
        if overdue {
            return Verdict::Sever;
        }
        match stage {
            Stage::Reading(deadline) if silent || now >= deadline => Verdict::StopReading,
            // What is unread may be a body whose reader has not begun.
            Stage::Idle | Stage::Working if unparsed > FLOOD_BYTES + sample.unread => {
                Verdict::Sever
            }
            Stage::Idle if is_within => {
                let began = *self.partial.get_or_insert(now);
                let is_late = silent || now.duration_since(began) >= rules.budget();
                if is_late && !self.is_owed { Verdict::AnswerIncomplete } else { Verdict::Leave }
            }
            Stage::Idle if silent => Verdict::CloseIdle,
            Stage::Idle | Stage::Working | Stage::Reading(_) => Verdict::Leave,
        }
    }

    /// Whether nothing has happened on it for a while and nothing is asked of its client: what it
    /// can still do is to be silent for too long.
    pub(super) fn is_still(&self) -> bool {
        let reads = matches!(self.stage, Stage::Reading(_));
        self.still_looks >= STILL_LOOKS && !reads && self.partial.is_none() && !self.closed
    }

    pub(super) fn rank(&self, now: Instant) -> Rank {
        match self.stage {
            Stage::Working => Rank::Working(Reverse(self.since)),
            Stage::Idle | Stage::Reading(_) => match self.reading.or(self.partial) {
                begun if self.is_owed => Rank::Begun(begun.unwrap_or(self.since)),
                Some(since) if now.duration_since(since) < SLOW => Rank::Begun(since),
                Some(since) => Rank::Slow(since),
                None if self.steps == 0 && now.duration_since(self.since) < FRESH => {
                    Rank::Fresh(self.since)
                }
                None if self.steps > 0 && now.duration_since(self.moved) < SLOW => {
                    Rank::Fresh(self.moved)
                }
                None => Rank::Idle(self.moved),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules { timeout: Duration::from_secs(30), cap: 512 };

    /// A connection as the guard sees it. What it has received since its steps last changed is a part of
    /// a request.
    struct Seen {
        start: Instant,
        watched: Watched,
        steps: u64,
        complete: u64,
    }

    impl Seen {
        fn new() -> Self {
            let start = Instant::now();
            Self { start, watched: Watched::new(start), steps: 0, complete: 0 }
        }

        fn at(&self, second: u64) -> Instant {
            self.start + Duration::from_secs(second)
        }

        fn judge(&mut self, second: u64, received: u64, steps: u64, stage: Stage) -> Verdict {
            if steps != self.steps {
                (self.steps, self.complete) = (steps, received);
            }
            let position = Position { requests: steps, is_within: received > self.complete };
            let progress = Progress { arrivals: steps, steps, stage, overdue: false };
            let progress = (steps > 0).then_some(progress);
            let sample =
                ConnectionSample { received: Some(received), unread: 0, position, progress };
            self.watched.judge(self.at(second), &sample, &RULES)
        }
    }

    const WITHIN: Position = Position { requests: 0, is_within: true };

    /// Feeds sightings `(second, bytes received, steps, stage)` and returns the verdicts.
    #[track_caller]
    fn check(sightings: &[(u64, u64, u64, Stage)], expected: &[Verdict]) {
        let mut seen = Seen::new();
        let verdicts: Vec<_> = sightings
            .iter()
            .map(|&(second, received, steps, stage)| seen.judge(second, received, steps, stage))
            .collect();
        assert_eq!(verdicts, expected);
    }

    use Stage::{Idle, Working};
    use Verdict::{AnswerIncomplete, CloseIdle, Leave, Sever, StopReading};

    #[test]
    fn a_silent_connection_is_closed() {
        check(&[(0, 0, 0, Idle), (29, 0, 0, Idle), (30, 0, 0, Idle)], &[Leave, Leave, CloseIdle]);
    }

    #[test]
    fn keep_alive_starts_over_after_each_answer() {
        check(
            &[(0, 80, 1, Idle), (29, 160, 2, Idle), (58, 160, 2, Idle), (59, 160, 2, Idle)],
            &[Leave, Leave, Leave, CloseIdle],
        );
    }

    #[test]
    fn a_long_request_leaves_time_for_the_next() {
        check(
            &[(0, 80, 1, Working), (500, 80, 1, Working), (520, 80, 1, Idle), (530, 80, 1, Idle)],
            &[Leave, Leave, Leave, CloseIdle],
        );
    }

    #[test]
    fn a_stalled_head_is_answered() {
        check(&[(0, 20, 0, Idle), (30, 20, 0, Idle)], &[Leave, AnswerIncomplete]);
        check(
            &[(0, 80, 1, Idle), (10, 90, 1, Idle), (40, 90, 1, Idle)],
            &[Leave, Leave, AnswerIncomplete],
        );
    }

    #[test]
    fn a_dripping_head_has_a_budget() {
        let drips: Vec<_> = (0..=3).map(|step| (step * 20, 10 + step, 0, Idle)).collect();
        check(&drips, &[Leave, Leave, Leave, AnswerIncomplete]);
    }

    #[test]
    fn a_flood_is_severed_idle_or_not() {
        check(&[(0, 10, 0, Idle), (1, FLOOD_BYTES, 0, Idle)], &[Leave, Leave]);
        check(&[(0, 10, 0, Idle), (1, FLOOD_BYTES + 1, 0, Idle)], &[Leave, Sever]);
        let busy = [
            (0, 10, 1, Working),
            (1, FLOOD_BYTES + 10, 1, Working),
            (2, FLOOD_BYTES + 11, 1, Working),
        ];
        check(&busy, &[Leave, Leave, Sever]);
    }

    #[test]
    fn a_body_nobody_reads_yet_is_no_flood() {
        let start = Instant::now();
        let progress = |steps, stage| Some(Progress { arrivals: 1, steps, stage, overdue: false });
        let mut watched = Watched::new(start);
        let mut look = |received, unread, progress| {
            let sample =
                ConnectionSample { received: Some(received), unread, position: WITHIN, progress };
            watched.judge(start, &sample, &RULES)
        };
        assert_eq!(look(200_000, 199_000, None), Leave);
        assert_eq!(look(900_000, 700_000, progress(1, Working)), Leave);
        assert_eq!(look(60_000_000, 0, progress(3, Working)), Leave, "read between two looks");
        assert_eq!(look(60_200_000, 0, progress(3, Working)), Sever);
    }

    #[test]
    fn a_body_has_a_pace_and_a_deadline() {
        let start = Instant::now();
        let reading = |deadline: u64| Stage::Reading(start + Duration::from_secs(deadline));
        check(
            &[
                (0, 80, 1, reading(90)),
                (29, 90, 1, reading(90)),
                (58, 90, 1, reading(90)),
                (59, 90, 1, reading(90)),
            ],
            &[Leave, Leave, Leave, StopReading],
        );
        check(
            &[
                (0, 80, 1, reading(5)),
                (4, 9_000_000, 1, reading(5)),
                (6, 99_000_000, 1, reading(5)),
            ],
            &[Leave, Leave, StopReading],
        );
    }

    #[test]
    fn a_body_does_not_count_as_a_flood_afterwards() {
        let start = Instant::now();
        let reading = Stage::Reading(start + Duration::from_secs(90));
        check(
            &[(0, 80, 1, reading), (1, 60_000_000, 1, Working), (2, 60_000_000, 1, Idle)],
            &[Leave, Leave, Leave],
        );
    }

    #[test]
    fn a_connection_is_still_once_nothing_happens_on_it() {
        let mut seen = Seen::new();
        let reading = Stage::Reading(seen.at(90));
        let mut is_still = |received, steps, stage| {
            seen.judge(0, received, steps, stage);
            seen.watched.is_still()
        };
        assert_eq!(
            [0; 6].map(|_: u8| is_still(80, 1, Working)),
            [false, false, false, false, true, true]
        );
        assert!(!is_still(80, 1, Idle), "it has its answer");
        assert_eq!([0; 4].map(|_: u8| is_still(80, 1, Idle)), [false, false, false, true]);
        assert_eq!([0; 6].map(|_: u8| is_still(90, 1, Idle)), [false; 6], "half a head");
        assert_eq!([0; 6].map(|_: u8| is_still(90, 2, reading)), [false; 6]);
    }

    #[test]
    fn without_byte_counts_only_silence_counts() {
        let start = Instant::now();
        let mut watched = Watched::new(start);
        let mut judge = |second| {
            let now = start + Duration::from_secs(second);
            let position = Position::default();
            let sample = ConnectionSample { received: None, unread: 0, position, progress: None };
            watched.judge(now, &sample, &RULES)
        };
        assert_eq!([judge(29), judge(30)], [Leave, CloseIdle]);
    }

    #[test]
    fn unread_bytes_are_not_held_against_the_client() {
        let start = Instant::now();
        let mut watched = Watched::new(start);
        let mut look = |second, unread| {
            let now = start + Duration::from_secs(second);
            let sample =
                ConnectionSample { received: Some(50), unread, position: WITHIN, progress: None };
            let verdict = watched.judge(now, &sample, &RULES);
            (verdict, watched.starved_looks)
        };
        assert_eq!(look(0, 50), (Leave, 1), "perhaps its thread is just waking up");
        assert_eq!(look(40, 50), (Leave, 2));
        assert_eq!(look(50, 0), (Leave, 0));
        assert_eq!(look(70, 0), (AnswerIncomplete, 0));
        assert_eq!(look(71, 0).1, 1, "nobody has noticed its end");
    }

    #[test]
    fn a_request_without_a_worker_is_not_a_stalled_head() {
        let start = Instant::now();
        let mut watched = Watched::new(start);
        let mut look = |second, requests, is_within| {
            let now = start + Duration::from_secs(second);
            let position = Position { requests, is_within };
            let sample =
                ConnectionSample { received: Some(50), unread: 0, position, progress: None };
            watched.judge(now, &sample, &RULES)
        };
        assert_eq!([look(0, 1, false), look(40, 1, false), look(80, 1, true)], [Leave; 3]);
        assert_eq!([look(100, 0, true), look(110, 0, true)], [Leave, AnswerIncomplete]);
    }

    #[test]
    fn an_answered_connection_does_not_wait_for_a_worker() {
        let mut seen = Seen::new();
        // It was answered between the count of its bytes and the question what its request is doing.
        assert_eq!(seen.judge(0, 0, 1, Idle), Leave);
        seen.complete = 80;
        assert_eq!([seen.judge(1, 80, 1, Idle), seen.judge(31, 80, 1, Idle)], [Leave, CloseIdle]);
    }

    #[test]
    fn what_waits_for_this_program_is_not_slow() {
        let start = Instant::now();
        let at = |second| start + Duration::from_secs(second);
        let reading = Stage::Reading(at(900));
        let mut watched = Watched::new(start);
        let mut rank = |second, unread, position, steps, stage| {
            let progress = Progress { arrivals: steps, steps, stage, overdue: false };
            let progress = (steps > 0).then_some(progress);
            let sample = ConnectionSample { received: Some(50), unread, position, progress };
            assert_eq!(watched.judge(at(second), &sample, &RULES), Leave);
            watched.rank(at(second))
        };
        let complete = |requests| Position { requests, is_within: false };
        let begun = |second| Rank::Begun(at(second));
        assert_eq!(rank(9, 50, complete(0), 0, Idle), begun(0), "nobody has read it");
        assert_eq!(rank(100, 20, WITHIN, 0, Idle), begun(100), "nor the rest of it");
        assert_eq!(rank(110, 20, WITHIN, 0, Idle), begun(100));
        assert_eq!(rank(111, 0, WITHIN, 0, Idle), Rank::Slow(at(100)), "now the client is to send");
        assert_eq!(rank(300, 0, complete(1), 0, Idle), begun(0), "no worker has it");
        let body = Position { requests: 1, is_within: true };
        assert_eq!(rank(400, 20, body, 1, reading), begun(400));
        assert_eq!(rank(500, 20, body, 1, reading), begun(400), "a body nobody reads");
        assert_eq!(rank(600, 0, complete(1), 1, reading), begun(400), "one that is complete");
        assert_eq!(rank(601, 0, body, 1, reading), Rank::Slow(at(400)));
    }

    #[test]
    fn what_is_incomplete_is_slow_however_often_it_moves() {
        let mut seen = Seen::new();
        let start = seen.start;
        let at = |second| start + Duration::from_secs(second);
        let mut rank = |second, received, steps, stage| {
            seen.judge(second, received, steps, stage);
            seen.watched.rank(at(second))
        };
        assert_eq!(rank(0, 0, 0, Idle), Rank::Fresh(start), "it has just come");
        assert_eq!(rank(6, 0, 0, Idle), Rank::Idle(start));
        assert_eq!(rank(7, 9, 0, Idle), Rank::Begun(at(7)), "a head");
        assert_eq!(rank(8, 10, 0, Idle), Rank::Slow(at(7)));
        assert_eq!(rank(9, 80, 1, Stage::Reading(at(90))), Rank::Begun(at(9)), "a body");
        assert_eq!(rank(11, 90, 1, Stage::Reading(at(90))), Rank::Slow(at(9)));
        assert_eq!(rank(12, 99, 2, Idle), Rank::Fresh(at(12)), "it was just answered");
        assert_eq!(rank(12, 99, 2, Working), Rank::Working(Reverse(start)));
        assert_eq!(rank(13, 99, 2, Idle), Rank::Idle(at(12)));
    }

    #[test]
    fn the_slowest_goes_first_and_work_goes_last() {
        let start = Instant::now();
        let at = |second| start + Duration::from_secs(second);
        let mut ranks = [
            Rank::Working(Reverse(at(1))),
            Rank::Idle(at(9)),
            Rank::Working(Reverse(at(5))),
            Rank::Begun(at(4)),
            Rank::Fresh(at(2)),
            Rank::Slow(at(6)),
            Rank::Idle(at(3)),
        ];
        ranks.sort_unstable();
        assert_eq!(
            ranks,
            [
                Rank::Slow(at(6)),
                Rank::Idle(at(3)),
                Rank::Idle(at(9)),
                Rank::Begun(at(4)),
                Rank::Fresh(at(2)),
                Rank::Working(Reverse(at(5))),
                Rank::Working(Reverse(at(1))),
            ]
        );
    }
}
