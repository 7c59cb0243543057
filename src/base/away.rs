//! Whether a thread waits for another machine, so that another one can take its place meanwhile.

use std::cell::RefCell;

/// Called with true when the thread begins to wait and with false when it goes on.
type Watch = Box<dyn Fn(bool)>;

#[derive(Default)]
struct Thread {
    watch: Option<Watch>,
    depth: usize,
}

thread_local! {
    static THREAD: RefCell<Thread> = RefCell::default();
}

/// Notifies `watch` of the waits of the calling thread while `work` runs.
pub fn watched<T>(watch: impl Fn(bool) + 'static, work: impl FnOnce() -> T) -> T {
    /// Also ends the notifications after a panic.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            THREAD.with_borrow_mut(|thread| thread.watch = None);
        }
    }
    THREAD.with_borrow_mut(|thread| thread.watch = Some(Box::new(watch)));
    let _end = End;
    work()
}

/// The calling thread waits for as long as this lives. A wait within a wait is one.
pub struct Away(());

impl Away {
    /// Begins to wait.
    pub fn begin() -> Self {
        change(true);
        Self(())
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        change(false);
    }
}

fn change(begins: bool) {
    let is_outermost = THREAD.with_borrow_mut(|thread| {
        thread.depth = if begins { thread.depth + 1 } else { thread.depth.saturating_sub(1) };
        thread.depth == usize::from(begins)
    });
    if is_outermost {
        THREAD.with_borrow(|thread| thread.watch.iter().for_each(|watch| watch(begins)));
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, rc::Rc};

    use super::*;

    #[test]
    fn a_wait_counts_once_and_only_while_it_lasts() {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let notes = Rc::clone(&seen);
        watched(
            move |begins| notes.borrow_mut().push(begins),
            || {
                let outer = Away::begin();
                drop(Away::begin());
                drop(outer);
                drop(Away::begin());
            },
        );
        drop(Away::begin());
        assert_eq!(*seen.borrow(), [true, false, true, false]);
    }

    #[test]
    fn a_panic_ends_a_wait() {
        let count = Rc::new(Cell::new(0_i32));
        let counted = Rc::clone(&count);
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            watched(
                move |begins| counted.set(counted.get() + if begins { 1 } else { -1 }),
                || {
                    let _away = Away::begin();
                    std::panic::resume_unwind(Box::new("over"));
                },
            );
        }));
        assert!(ended.is_err());
        assert_eq!(count.get(), 0);
    }
}
