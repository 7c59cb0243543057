//! Tests of the pace, by a clock whose waits take no time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use super::{
    error::{Cancel, ProviderError},
    pace::{Clock, Pacer},
    table::Pace,
};

/// A clock whose waits take no time.
#[derive(Default)]
pub(super) struct Virtual(AtomicU64);

impl Virtual {
    pub(super) fn millis(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

impl Clock for Virtual {
    fn now(&self) -> Duration {
        Duration::from_millis(self.millis())
    }

    fn wait(&self, time: Duration, cancel: Cancel<'_>) -> Result<(), ProviderError> {
        if cancel() {
            return Err(ProviderError::Stopped);
        }
        let millis = u64::try_from(time.as_millis()).expect("short");
        self.0.fetch_add(millis, Ordering::SeqCst);
        Ok(())
    }
}

const PACE: Pace = Pace { at_once: 2, every: Duration::from_millis(250) };

#[test]
fn requests_start_one_after_the_other() {
    let clock = Arc::new(Virtual::default());
    let pacer = Pacer::new(Arc::<Virtual>::clone(&clock));
    let mut starts = Vec::new();
    for _ in 0..4 {
        drop(pacer.take("a", PACE, &|| false).expect("leave"));
        starts.push(clock.millis());
    }
    assert_eq!(starts, [0, 250, 500, 750]);
    drop(pacer.take("b", PACE, &|| false).expect("leave"));
    assert_eq!(clock.millis(), 750, "another host has its own pace");
    pacer.hold_off("b", Duration::from_secs(5));
    drop(pacer.take("b", PACE, &|| false).expect("leave"));
    assert_eq!(clock.millis(), 5_750);
}

#[test]
fn only_so_many_are_under_way_and_waiting_can_be_called_off() {
    let pacer = Pacer::new(Arc::new(Virtual::default()));
    let one = pacer.take("a", PACE, &|| false).expect("leave");
    let two = pacer.take("a", PACE, &|| false).expect("leave");
    assert!(pacer.take("a", PACE, &|| true).is_err());
    drop(one);
    let three = pacer.take("a", PACE, &|| false).expect("leave");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| pacer.take("a", PACE, &|| false).is_ok());
        drop((two, three));
        assert!(waiting.join().expect("no panic"));
    });
    assert!(pacer.take("a", PACE, &|| true).is_err(), "cancelled before its turn");
    drop(pacer.take("a", PACE, &|| false).expect("the place was released"));
}
