//! Giving memory back to the system.
//!
//! The allocator keeps what was freed for the next time. After work that touches the whole library
//! that is a multiple of the library, next to a game that could use it.

/// Returns the free pages of the allocator to the system. Takes a few milliseconds for each hundred
/// megabytes that are free: for the end of long work, not for a request.
#[expect(unsafe_code, reason = "the C library has the one call that does this")]
pub fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it takes a number and may be called from any thread at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}
