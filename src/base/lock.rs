//! Locks that stay usable after a panic, because their holders leave nothing half done.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock, poisoned or not.
pub trait Hold<T: ?Sized> {
    /// Waits for the lock.
    fn hold(&self) -> MutexGuard<'_, T>;
}

impl<T: ?Sized> Hold<T> for Mutex<T> {
    fn hold(&self) -> MutexGuard<'_, T> {
        self.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
