/** Shapes of the HTTP API as far as the user interface reads them. */
declare namespace Api {
  interface ErrorEnvelope {
    error?: string;
    code?: string;
    request_id?: string;
  }

  type Settings = Record<string, unknown>;

  interface Note {
    ts: string;
    text: string;
  }

  interface Game {
    id: number;
    game_id: string;
    name: string;
    sort_title?: string;
    alternate_names?: string[];
    platform?: string;
    genre?: string;
    developer?: string;
    publisher?: string;
    year?: string;
    series?: string;
    region?: string;
    description?: string;
    esrb?: string;
    source?: string;
    play_mode?: string;
    controller_support?: string;
    path?: string;
    progress?: string;
    rating?: number | '';
    favorite?: boolean;
    hidden?: boolean;
    broken?: boolean;
    portable?: boolean;
    playable?: boolean;
    manual_entry?: boolean;
    launch_confirm?: boolean;
    path_exists?: boolean;
    store_installed?: boolean;
    has_cover?: boolean;
    has_background?: boolean;
    play_count?: number;
    playtime_seconds?: number;
    total_playtime_seconds?: number;
    last_played?: string;
    added_at?: string;
    tags?: string[];
    notes?: string | (Note | string)[];
    save_paths?: string[];
    screenshots?: string[];
    available_screenshots?: number[];
    launch_env?: Record<string, string> | string;
    [key: string]: unknown;
  }

  interface Playlist {
    name: string;
    type: 'filter' | 'manual';
    rules: Record<string, unknown>;
    members: string[];
    parent: string;
    notes: string;
  }

  interface Preset {
    name: string;
    rules: Record<string, unknown>;
    bigscreen_quick: boolean;
  }

  interface PhraseChip {
    key: string;
    label: string;
    value: unknown;
    display: string;
    i18n: string;
  }

  /** A phrase as the server reads it. */
  interface Phrase {
    text: string;
    chips: PhraseChip[];
    unparsed: string[];
    plain_query?: string;
    match_count: number;
    matched_game_ids: string[];
  }

  /** Lists of positions in the library. */
  interface Discovery {
    recently_added: number[];
    never_played: number[];
    short_sessions: number[];
    highly_rated: number[];
    continue_playing: number[];
    random_picks: number[];
    generated_at: string;
  }

  interface LibraryPage {
    games: Game[];
    playlists?: Playlist[];
    filter_presets?: Preset[];
    smart_collections?: { name: string; query: string }[];
    settings?: Settings;
    media_epoch?: number;
    total_count?: number;
    offset?: number;
    limit?: number;
  }

  /** The payload of `library.changed`; every key is missing when it was too long for the stream. */
  interface LibraryChange {
    revision?: number;
    all?: boolean;
    game_ids?: string[];
    removed?: string[];
    sections?: string[];
  }

  type JobState = 'queued' | 'running' | 'cancelling' | 'done' | 'partial' | 'error' | 'cancelled' | 'interrupted';

  interface Fault {
    code: string;
    message: string;
    request_id: string;
  }

  /** A durable job. */
  interface Job {
    job_id: string;
    type: string;
    name: string;
    title: string;
    state: JobState;
    phase: string | null;
    current: number;
    total: number | null;
    message: string;
    created_at: string;
    started_at: string | null;
    finished_at: string | null;
    resume_of: string | null;
    can_cancel: boolean;
    can_retry: boolean;
    can_resume: boolean;
    input: Record<string, unknown>;
    result: Record<string, unknown> | null;
    error_detail: Fault | null;
  }

  interface JobPage {
    jobs: Job[];
    next_cursor: string | null;
  }

  interface JobItems {
    items: { item_id: string; label: string; state: string; error?: Fault }[];
    next_cursor: string | null;
  }

  interface ExportFile {
    name: string;
    size: number;
    created: string;
  }

  interface Notice {
    id: string;
    kind: string;
    level: 'info' | 'success' | 'warning' | 'error';
    title: string;
    body: string;
    created_at: string;
    read: boolean;
    source?: string;
  }

  interface NoticeList {
    notifications: Notice[];
    unread: number;
  }

  interface QueueEntry {
    game_id: string;
    added_at: string;
    note: string;
    skip: boolean;
    name: string;
    platform: string;
    path_exists: boolean;
    missing: boolean;
  }

  interface QueueAnswer {
    queue: QueueEntry[];
    next?: QueueEntry | null;
  }

  interface Webhook {
    id: string;
    url: string;
    events: string[];
    enabled: boolean;
    attempts: number;
    timeout: number;
    secret_set: boolean;
    last_status: number | null;
    last_error: string;
    last_sent_at: string;
    last_delivery_at: string;
  }

  interface SaveVersion {
    name: string;
    size: number;
    created: string;
    label: string;
  }

  interface SaveCandidate {
    path: string;
    label: string;
    shared: boolean;
  }

  interface Archive {
    name: string;
    path: string;
    size: number;
    created: string;
    items: string[];
    invalid?: boolean;
  }

  interface DiffRows {
    total: number;
    truncated: boolean;
    rows: { game_id: string; name: string; fields?: { field: string; from: unknown; to: unknown }[] }[];
  }

  interface BackupDiff {
    restore: { will_add: DiffRows; will_remove: DiffRows; will_change: DiffRows };
    settings: { would_change: boolean; redacted_secrets: boolean; keys_changed: string[] };
  }

  interface WebhookTest {
    ok: boolean;
    status: number | null;
    error: string;
  }

  interface WebhookList {
    webhooks: Webhook[];
    events: string[];
    attempts?: number;
    timeout?: number;
  }

  interface ImportResult {
    added: number;
    found: number;
    recommendations?: Record<string, { app_id: string; name: string; platform?: string }[]>;
  }

  interface RunningEntry {
    launch_id: string;
    stable_game_id?: string;
    game: string;
    started: string;
    paused?: boolean;
    seconds?: number;
  }

  interface Abandoned {
    launch_id: string;
    game_id?: string;
    game?: string;
    name?: string;
  }

  interface SessionEvent {
    id: number;
    kind: 'started' | 'stopped' | 'paused' | 'resumed';
    launch_id: string;
    game: string;
    time: string;
    game_id?: string;
    stable_game_id?: string;
    exit_code?: number;
    seconds?: number;
    timed_out?: boolean;
  }

  interface Running {
    running: RunningEntry[];
    abandoned?: Abandoned[];
    events?: SessionEvent[];
    last_event?: number;
  }

  interface HistoryRow {
    game: string;
    game_id?: string;
    started: string;
    seconds: number;
    exit_code?: number;
  }

  interface History {
    history: HistoryRow[];
    enabled: boolean;
  }

  interface TimelineEntry {
    game_id: string;
    name: string;
    started: string;
    seconds: number;
    has_cover?: boolean;
  }

  interface TimelineGroup {
    date: string;
    entries: TimelineEntry[];
  }

  interface Timeline {
    groups: TimelineGroup[];
  }

  interface Profiles {
    profiles: Record<string, string>;
    detected: Record<string, string>;
  }

  interface OpenApi {
    /** What is answered, by path. */
    paths: Record<string, unknown>;
    'x-settings': App.SettingRow[];
  }

  interface RecoveryReport {
    dry_run: true;
    backup_available: boolean;
    games: number;
    snapshots?: { name: string; size: number; modified: number | string }[];
  }
}
