//! Replies that several families of routes share.

use crate::base::schema::schema;

schema! {
    /// It was done.
    pub struct Done {
        /// Always true.
        pub ok: bool,
    }

    /// A job was accepted.
    pub struct Queued {
        /// Where it stands: `queued`.
        pub state: &'static str,
        /// Its id.
        pub job_id: String,
    }
}

impl Queued {
    /// A job with this id, not yet begun.
    pub fn of(job_id: String) -> Self {
        Self { state: "queued", job_id }
    }
}

schema! {
    /// Something was saved under a name.
    pub struct Saved {
        /// The name.
        pub saved: String,
    }

    /// Several things were saved.
    pub struct SavedCount {
        /// How many.
        pub saved: usize,
    }

    /// Something was deleted.
    pub struct Deleted<'a> {
        /// Its name.
        pub deleted: &'a str,
    }

    /// A path.
    pub struct FilePath<'a> {
        /// Absolute.
        pub path: &'a str,
    }
}
