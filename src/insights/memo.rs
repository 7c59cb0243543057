//! The last answer, for as long as the library is unchanged.

use std::sync::{Arc, Mutex};

use crate::base::Hold as _;

/// The last answer with its question and the revision of the library it is about. Questions about the same
/// revision with the same answer are worked out once, also when several come at a time.
#[derive(Debug)]
pub(super) struct Memo<Q, A>(Mutex<Option<(u64, Q, Arc<A>)>>);

impl<Q, A> Default for Memo<Q, A> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<Q: PartialEq, A> Memo<Q, A> {
    /// The answer to a question about a revision: the last one if it was to this, else the one that `work`
    /// finds.
    ///
    /// # Errors
    /// Those of `work`, which are not kept.
    pub(super) fn answer<E>(
        &self,
        revision: u64,
        question: Q,
        work: impl FnOnce() -> Result<A, E>,
    ) -> Result<Arc<A>, E> {
        let mut kept = self.0.hold();
        if let Some((about, asked, answer)) = kept.as_ref()
            && (*about, asked) == (revision, &question)
        {
            return Ok(Arc::clone(answer));
        }
        let answer = Arc::new(work()?);
        *kept = Some((revision, question, Arc::clone(&answer)));
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_stands_until_the_library_or_the_question_changes() {
        let memo = Memo::default();
        let asked = |revision, question, answer| {
            memo.answer(revision, question, || answer).map(|kept| *kept)
        };
        assert_eq!(asked(1, "a", Ok(10)), Ok(10));
        assert_eq!(asked(1, "a", Err("not asked")), Ok(10));
        assert_eq!(asked(1, "b", Err("failed")), Err("failed"));
        assert_eq!(asked(1, "a", Err("not asked")), Ok(10), "a failure is not kept");
        assert_eq!(asked(1, "b", Ok(20)), Ok(20));
        assert_eq!(asked(2, "b", Ok(30)), Ok(30));
    }
}
