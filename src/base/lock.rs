//! Locks that stay usable after a panic, because their holders leave nothing half done.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

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

/// Takes a lock with readers, poisoned or not.
pub trait HoldShared<T: ?Sized> {
    /// Waits until nobody writes.
    fn hold_read(&self) -> RwLockReadGuard<'_, T>;

    /// Waits for the lock alone.
    fn hold_write(&self) -> RwLockWriteGuard<'_, T>;
}

impl<T: ?Sized> HoldShared<T> for RwLock<T> {
    fn hold_read(&self) -> RwLockReadGuard<'_, T> {
        self.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn hold_write(&self) -> RwLockWriteGuard<'_, T> {
        self.write().unwrap_or_else(PoisonError::into_inner)
    }
}
