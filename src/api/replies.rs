//! Replies that several families of routes share.

use serde::Serialize;

use crate::base::schema::schema;

schema! {
    /// It was done.
    #[derive(Serialize)]
    pub struct Done {
        /// Always true.
        pub ok: bool,
    }
}

schema! {
    /// A job was accepted.
    #[derive(Serialize)]
    pub struct Queued {
        /// Where it stands: `queued`.
        pub state: &'static str,
        /// Its id.
        pub job_id: String,
    }
}

impl Queued {
    /// A job with this id, not yet begun.
    #[must_use]
    pub fn of(job_id: String) -> Self {
        Self { state: "queued", job_id }
    }
}

schema! {
    /// Something was saved under a name.
    #[derive(Serialize)]
    pub struct Saved {
        /// The name.
        pub saved: String,
    }
}

schema! {
    /// Several things were saved.
    #[derive(Serialize)]
    pub struct SavedCount {
        /// How many.
        pub saved: usize,
    }
}

schema! {
    /// Something was deleted.
    #[derive(Serialize)]
    pub struct Deleted<'a> {
        /// Its name.
        pub deleted: &'a str,
    }
}

schema! {
    /// A path.
    #[derive(Serialize)]
    pub struct FilePath<'a> {
        /// Absolute.
        pub path: &'a str,
    }
}
