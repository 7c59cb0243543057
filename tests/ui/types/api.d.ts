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
    /** Notes and, of older libraries, texts. */
    notes?: string | unknown[];
    save_paths?: string[];
    screenshots?: string[];
    available_screenshots?: number[];
    launch_env?: Record<string, unknown> | string;
    [key: string]: unknown;
  }

  interface Playlist {
    name: string;
    /** `filter` or `manual`. */
    type: string;
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
    /** The phrase in words that mean the same, a part for each thing. */
    canonical?: string;
    /** The game that others are like, where the phrase asks for such. */
    anchor?: { game_id: string; name: string } | null;
    match_count: number;
    matched_game_ids: string[];
  }
  type Discovery = Reply.Discovery;

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

  type Fault = Reply.JobFault;
  type Job = Reply.JobDocument;
  type JobPage = Reply.JobPage;
  type JobItems = Reply.JobItems;
  type ExportFile = Reply.ExportFile;

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

  type NoticeList = Reply.NoticeList;

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

  type QueueAnswer = Reply.Queue;

  type Webhook = Reply.Webhook;

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

  type DiffRows = Reply.DiffRows;
  type BackupDiff = Reply.BackupDiff;
  type WebhookTest = Reply.WebhookTested;
  type WebhookList = Reply.WebhookList;
  type ImportResult = Reply.FolderImported;
  type RunningEntry = Reply.RunningGame;

  interface Abandoned {
    launch_id: string;
    game_id?: string;
    game?: string;
    name?: string;
  }

  type SessionEvent = Reply.SessionEvent;

  type Running = Reply.RunningGames;

  interface HistoryRow {
    game: string;
    game_id?: string;
    started: string;
    seconds: number;
    exit_code?: number;
  }

  type History = Reply.History;

  interface TimelineEntry {
    game_id: string;
    name: string;
    started: string;
    seconds: number;
    exit_code: number;
    has_cover?: boolean;
  }

  interface TimelineGroup {
    date: string;
    entries: TimelineEntry[];
  }

  type Timeline = Reply.Timeline;
  interface Profiles {
    profiles: Record<string, string>;
    detected: Record<string, string>;
  }

  interface OpenApi {
    /** What is answered, by path. */
    paths: Record<string, unknown>;
    'x-settings': App.SettingRow[];
  }

  type RecoveryReport = Reply.Recovered;
}
