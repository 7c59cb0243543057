//! Every number that bounds an input.

use std::time::Duration;

/// Largest request body in bytes.
pub const BODY_BYTES: usize = 65_536;
/// Arrays and objects inside one another in a request body. Below what a reader of JSON takes, so that a value can be
/// read back from the document it was stored in.
pub const BODY_DEPTH: usize = 64;
/// Largest request head (request line and headers) in bytes.
pub const HEAD_BYTES: usize = 65_536;
/// How long a connection may make no progress while a request is incomplete.
pub const SOCKET_TIMEOUT: Duration = Duration::from_secs(30);
/// Connections served at once; the oldest idle one is closed beyond this.
pub const CONNECTIONS: usize = 512;
/// Failed token checks from one address before 429.
pub const AUTH_FAILURES: usize = 10;
/// The window in which [`AUTH_FAILURES`] are counted.
pub const AUTH_WINDOW: Duration = Duration::from_mins(1);
/// Smallest JSON answer that is compressed.
pub const GZIP_BYTES: usize = 1_024;
/// Ids in one delta request.
pub const DELTA_IDS: usize = 1_000;
/// History rows that the library file keeps; older ones are archived.
pub const HISTORY_ROWS: usize = 500;
/// Session events kept in memory.
pub const SESSION_EVENTS: usize = 100;
/// Members of one playlist.
pub const PLAYLIST_MEMBERS: usize = 100_000;
/// Text of one note, in characters.
pub const NOTE_CHARS: usize = 2_000;
/// Seconds of one entry of manual playtime.
pub const MANUAL_SECONDS: u64 = 86_400;
/// Note of one entry of manual playtime, in characters.
pub const MANUAL_NOTE_CHARS: usize = 200;
/// Save paths of one game.
pub const SAVE_PATHS: usize = 50;
/// Screenshots of one game.
pub const SCREENSHOTS: usize = 100;
/// Alternate names of one game.
pub const ALTERNATE_NAMES: usize = 20;
/// Applications, versions or documents of one game.
pub const EXTRAS: usize = 100;
/// Tags of one game.
pub const TAGS: usize = 50;
/// Characters of one tag.
pub const TAG_CHARS: usize = 64;
/// Entries of one discovery list.
pub const DISCOVERY_ENTRIES: usize = 12;
/// Values of one facet answer.
pub const FACET_VALUES: usize = 40;
/// Smart collections.
pub const COLLECTIONS: usize = 50;
/// Characters of the name of a smart collection.
pub const COLLECTION_NAME_CHARS: usize = 80;
/// Characters of the phrase of a smart collection.
pub const COLLECTION_QUERY_CHARS: usize = 500;
/// Characters of a phrase that is only read.
pub const PHRASE_CHARS: usize = 2_000;
/// Ids of games in the answer to a phrase.
pub const PHRASE_IDS: usize = 20_000;
/// Results of one search.
pub const SEARCH_RESULTS: i64 = 200;
/// Entries of the play queue.
pub const QUEUE_ENTRIES: usize = 500;
/// Notifications kept.
pub const NOTIFICATIONS: usize = 200;
/// Webhook configurations.
pub const WEBHOOKS: usize = 32;
/// Characters of the URL of a webhook.
pub const WEBHOOK_URL_CHARS: usize = 2_048;
/// Characters of the secret of a webhook, at least.
pub const WEBHOOK_SECRET_CHARS: usize = 8;
/// Attempts of one webhook delivery.
pub const WEBHOOK_ATTEMPTS: u32 = 5;
/// Seconds one attempt of a webhook delivery may take.
pub const WEBHOOK_TIMEOUT: f64 = 15.0;
/// Webhook deliveries that wait.
pub const WEBHOOK_QUEUE: usize = 128;
/// Webhook deliveries under way at once.
pub const WEBHOOK_WORKERS: usize = 4;
/// Body of one webhook delivery.
pub const WEBHOOK_BYTES: usize = 65_536;
/// The longest wait before a webhook delivery is tried again.
pub const WEBHOOK_WAIT: Duration = Duration::from_secs(30);
/// How long a stop waits for webhook deliveries.
pub const WEBHOOK_STOP: Duration = Duration::from_secs(2);
/// Extra approved media roots.
pub const MEDIA_ROOTS: usize = 32;
/// Subscribers of the live stream.
pub const STREAM_SUBSCRIBERS: usize = 16;
/// Events that wait for one subscriber of the live stream; one more drops it.
pub const STREAM_QUEUE: usize = 128;
/// Payload of one event of the live stream.
pub const EVENT_BYTES: usize = 65_536;
/// Silence on a live stream before a comment is sent.
pub const STREAM_HEARTBEAT: Duration = Duration::from_secs(15);
/// Finished jobs kept.
pub const JOBS: usize = 100;
/// Days for which a finished job is kept.
pub const JOB_DAYS: i64 = 30;
/// Jobs that run at once.
pub const JOB_WORKERS: usize = 4;
/// Jobs that wait or run.
pub const JOBS_IN_FLIGHT: usize = 128;
/// Characters of the name of a job.
pub const JOB_NAME_CHARS: usize = 128;
/// Characters of the error of a job.
pub const JOB_ERROR_CHARS: usize = 800;
/// Result of a job.
pub const JOB_RESULT_BYTES: usize = 65_536;
/// Failed or skipped items kept for one job.
pub const JOB_ITEMS: usize = 10_000;
/// Attempts of one job.
pub const JOB_ATTEMPTS: u32 = 5;
/// Candidates of one setup preview.
pub const PREVIEW_ENTRIES: u64 = 100_000;
/// Export files kept.
pub const EXPORTS: usize = 10;
/// Bytes of the log returned by `GET /api/log`.
pub const LOG_BYTES: usize = 250 * 1024;
/// Members of a library archive.
pub const BACKUP_MEMBERS: usize = 50_000;
/// Bytes of one member of a library archive.
pub const BACKUP_MEMBER_BYTES: u64 = 4 << 30;
/// Bytes of all members of a library archive.
pub const BACKUP_BYTES: u64 = 32 << 30;
/// Files and folders of a game archive that is extracted for a launch.
pub const ARCHIVE_MEMBERS: usize = 25_000;
/// Bytes of one member of a game archive.
pub const ARCHIVE_MEMBER_BYTES: u64 = 2 << 30;
/// Bytes of all members of a game archive.
pub const ARCHIVE_BYTES: u64 = 8 << 30;
/// Rows of each list in a comparison of an archive with the library.
pub const BACKUP_DIFF_ROWS: usize = 200;
