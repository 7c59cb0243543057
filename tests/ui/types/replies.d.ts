/** Replies of the API. Generated from tests/golden/openapi.json by support/api-types.js. */
declare namespace Reply {
  interface AuditQueued {
    deep: boolean;
    job_id: string;
    state: string;
  }

  interface AuditRefreshed {
    computed_at: string;
    ok: boolean;
    rechecked: number;
    totals: AuditTotals;
  }

  interface AuditStatuses {
    statuses: { [key: string]: string; };
  }

  interface AuditTotals {
    blocked: number;
    ready: number;
    warning: number;
  }

  interface BackupArchive {
    created: string;
    invalid?: boolean;
    items: Array<string>;
    name: string;
    path: string;
    size: number;
  }

  interface BackupItems {
    items: Array<string>;
  }

  interface BackupList {
    backups: Array<BackupArchive>;
  }

  interface CategoryList {
    categories: { [key: string]: unknown; };
  }

  interface Checkup {
    duplicates: number;
    games: number;
    issues: Array<CheckupIssue>;
    missing: number;
    missing_media: number;
    unconfigured: number;
  }

  interface CheckupIssue {
    detail: string;
    game: string;
    id: number;
    type: string;
  }

  interface CloudSync {
    games: number;
    merged: number;
    path: string;
    synced_at: string;
  }

  interface CollectionDeleted {
    deleted: string;
    ok: boolean;
  }

  interface CollectionList {
    items: Array<SmartCollection>;
  }

  interface CollectionSaved {
    ok: boolean;
    saved: string;
  }

  interface Controlled {
    action: string;
    ok: boolean;
  }

  interface Core {
    core: string;
    name: string;
    path: string;
  }

  interface CoreList {
    cores: Array<Core>;
  }

  interface CorruptEvent {
    event_id: string;
    sync_key: string;
  }

  interface Decided {
    accepted: number;
    preview_id: string;
  }

  interface Deleted {
    deleted: string;
  }

  interface DiagnosticReport {
    report: string;
  }

  interface DifferenceSummary {
    added: number;
    changed: number;
    removed: number;
  }

  interface DifferenceTruncated {
    added: boolean;
    changed: boolean;
    limit: number;
    removed: boolean;
  }

  interface Discovery {
    continue_playing: Array<number>;
    generated_at: string;
    highly_rated: Array<number>;
    never_played: Array<number>;
    random_picks: Array<number>;
    recently_added: Array<number>;
    short_sessions: Array<number>;
  }

  interface DocumentsSaved {
    count: number;
    saved: string;
  }

  interface Done {
    ok: boolean;
  }

  interface Error {
    code?: string;
    error: string;
    request_id?: string;
  }

  interface ExportFile {
    created: string;
    name: string;
    size: number;
  }

  interface ExportList {
    exports: Array<ExportFile>;
  }

  interface Facet {
    count: number;
    value: string;
  }

  interface FacetList {
    facets: Array<Facet>;
    field: string;
  }

  interface FilePath {
    path: string;
  }

  interface FilterPreset {
    bigscreen_quick: boolean;
    name: string;
    rules: { [key: string]: unknown; };
    [key: string]: unknown;
  }

  interface FolderList {
    folders: Array<string>;
  }

  interface Game {
    ach_achievements_earned: number;
    ach_achievements_earned_hardcore: number;
    ach_achievements_total: number;
    ach_game_id: string;
    ach_hash: string;
    ach_mastered: boolean;
    ach_progress_pct: number;
    active_video_field: string;
    added_at: string;
    advertisement: string;
    alternate_names: Array<string>;
    applications: Array<unknown>;
    archive_member: string;
    available_screenshots: Array<number>;
    background: string;
    banner: string;
    box_3d: string;
    box_back: string;
    box_spine: string;
    broken: boolean;
    cart_back: string;
    cart_front: string;
    clear_logo: string;
    clips: Array<unknown>;
    clone_of: string;
    collection: string;
    compositor_preset: string;
    controller_support: string;
    cover: string;
    custom_fields: { [key: string]: unknown; };
    description: string;
    developer: string;
    disc: string;
    disc_count: number | "";
    discs: Array<unknown>;
    documents: Array<unknown>;
    entry_type: string;
    esrb: string;
    extract_archive: boolean;
    fanart: string;
    favorite: boolean;
    game_id: string;
    gamedb_id: string;
    genre: string;
    has_achievements: boolean;
    has_advertisement: boolean;
    has_background: boolean;
    has_banner: boolean;
    has_box_3d: boolean;
    has_box_back: boolean;
    has_box_spine: boolean;
    has_cart_back: boolean;
    has_cart_front: boolean;
    has_clear_logo: boolean;
    has_clips: boolean;
    has_cover: boolean;
    has_disc: boolean;
    has_documents: boolean;
    has_fanart: boolean;
    has_highscores: boolean;
    has_icon: boolean;
    has_manual: boolean;
    has_memories: boolean;
    has_missing_media: boolean;
    has_moments: boolean;
    has_music: boolean;
    has_saves: boolean;
    has_title_screen: boolean;
    has_versions: boolean;
    has_video: boolean;
    hidden: boolean;
    hide_in_bigscreen: boolean;
    icon: string;
    id: number;
    import_batch_id: string;
    install_dir: string;
    installable: boolean;
    last_played: string;
    launch: string;
    launch_confirm: boolean;
    launch_env: { [key: string]: unknown; };
    launch_profile: string;
    legacy_game_ids: Array<string>;
    libserver_id: string;
    libserver_provider: string;
    manual: string;
    manual_entry: boolean;
    manual_playtime_seconds: number;
    manual_sessions: Array<unknown>;
    max_players: string;
    memories: Array<unknown>;
    metadb_id: string;
    moments_count: number;
    music: string;
    name: string;
    notes: Array<unknown>;
    overlay: string;
    owned: boolean;
    path: string;
    path_exists: boolean;
    platform: string;
    platform_category: string;
    play_count: number;
    play_mode: string;
    playable: boolean;
    playtime_seconds: number;
    plugin_source: string;
    plugin_source_name: string;
    portable: boolean;
    progress: string;
    publisher: string;
    rating: number | "";
    recommended_emulator: string;
    region: string;
    release_date: string;
    rom_name: string;
    save_paths: Array<string>;
    scraper_id: string;
    screenshots: Array<string>;
    series: string;
    set_type: string;
    sort_title: string;
    source: string;
    status: string;
    store_a_app_id: string;
    store_b_app_id: string;
    store_b_source: string;
    store_c_id: string;
    store_catalog: boolean;
    store_installed: boolean;
    tags: Array<string>;
    time_to_beat_hours: number | null;
    title_screen: string;
    total_playtime_seconds: number;
    tracking_delay: string;
    tracking_frequency: string;
    tracking_mode: string;
    tracking_process_name: string;
    user_rating: number;
    version_candidates: Array<unknown>;
    versions: Array<unknown>;
    video: string;
    video_recording: string;
    video_snap: string;
    video_theme: string;
    video_trailer: string;
    video_url: string;
    wikipedia_url: string;
    year: string;
  }

  interface GamePrefix {
    available: boolean;
    prefix: string;
  }

  interface History {
    enabled: boolean;
    history: Array<HistoryRow>;
  }

  interface HistoryRow {
    exit_code: number;
    game: string;
    game_id: string;
    seconds: number;
    started: string;
    [key: string]: unknown;
  }

  interface ImportCounts {
    added: number;
    found: number;
  }

  interface JobCancelled {
    job_id: string;
    message: string;
    state: string;
  }

  interface JobResumed {
    job_id: string;
    message: string;
    resume_of: string;
    root_job_id: string;
    state: string;
  }

  interface JobRetried {
    job_id: string;
    retry_of: string;
    root_job_id: string;
    state: string;
  }

  interface JournalDifference {
    added: Array<unknown>;
    after: string;
    before: string | null;
    before_horizon: boolean;
    changed: Array<unknown>;
    corrupt: Array<CorruptEvent>;
    horizon: string | null;
    removed: Array<unknown>;
    summary: DifferenceSummary;
    truncated: DifferenceTruncated;
  }

  interface JournalEvents {
    corrupt: Array<CorruptEvent>;
    earliest_at: string | null;
    events: Array<unknown>;
    gap: boolean;
    has_more: boolean;
    horizon: string | null;
    journal_enabled: boolean;
    latest_at: string | null;
    limit: number;
    offset: number;
    total: number;
  }

  interface JournalState {
    as_of: string;
    before_first_event: boolean;
    corrupt: Array<CorruptEvent>;
    count: number;
    earliest_at: string | null;
    games: Array<{ [key: string]: unknown; }>;
    horizon: string | null;
    latest_at: string | null;
    requested: string;
    truncated: boolean;
    unknown_keys: Array<string>;
  }

  interface LibraryPage {
    ach_configured: boolean;
    discovery?: Discovery;
    filter_presets: Array<FilterPreset>;
    games: Array<Game>;
    limit?: number;
    media_epoch: number;
    offset?: number;
    playlists: Array<Playlist>;
    settings: Settings;
    smart_collections: Array<SavedCollection>;
    total_count?: number;
  }

  interface LogText {
    log: string;
  }

  interface ModeChanged {
    entering: boolean;
    ok: boolean;
  }

  interface Notice {
    body: string;
    correlation_id?: string;
    created_at: string;
    dedupe_key?: string;
    id: string;
    kind: string;
    level: "info" | "success" | "warning" | "error";
    read: boolean;
    source?: string;
    title: string;
    [key: string]: unknown;
  }

  interface NoticeList {
    notifications: Array<Notice>;
    unread: number;
  }

  interface PackApplied {
    pack: unknown;
    settings: Settings;
  }

  interface PackList {
    packs: Array<unknown>;
  }

  interface PerformanceList {
    perf_profiles: { [key: string]: unknown; };
  }

  interface Playlist {
    members: Array<string>;
    name: string;
    notes: string;
    parent: string;
    rules: { [key: string]: unknown; };
    type: string;
    [key: string]: unknown;
  }

  interface PrefixList {
    available: boolean;
    prefixes: Array<PrefixView>;
  }

  interface PrefixView {
    has_drive_c: boolean;
    name: string;
    path: string;
  }

  interface PresetList {
    bigscreen_quick: Array<FilterPreset>;
    presets: Array<FilterPreset>;
  }

  interface PreviewBegun {
    expires_at: string;
    job_id: string;
    preview_id: string;
    revision: number;
    state: string;
  }

  interface ProfileList {
    detected: { [key: string]: string; };
    profiles: { [key: string]: unknown; };
  }

  interface Purged {
    ok: boolean;
    purged: number;
  }

  interface Queue {
    next?: QueueRow | null;
    queue: Array<QueueEntry>;
  }

  interface QueueEntry {
    added_at: string;
    cover: string;
    game_id: string;
    missing: boolean;
    name: string;
    note: string;
    path_exists: boolean;
    platform: string;
    skip: boolean;
    [key: string]: unknown;
  }

  interface QueueRow {
    added_at: string;
    game_id: string;
    note: string;
    skip: boolean;
    [key: string]: unknown;
  }

  interface Queued {
    job_id: string;
    state: string;
  }

  interface Recovered {
    backup_available?: boolean;
    dry_run?: boolean;
    games: number;
    ok?: boolean;
    snapshot?: string;
    snapshots?: Array<Snapshot>;
  }

  interface RelatedGame {
    id: number;
    reasons: Array<string>;
    score: number;
  }

  interface RelatedGames {
    items: Array<RelatedGame>;
  }

  interface RelatedIds {
    ids: Array<number>;
  }

  interface Revalidated {
    job_id: string;
    preview_id: string;
    revision: number;
    state: string;
  }

  interface Revealed {
    folder: string;
  }

  interface Runtime {
    name: string;
    path: string;
    source: string;
  }

  interface RuntimeList {
    available: boolean;
    runtimes: Array<Runtime>;
  }

  interface SaveArchive {
    name: string;
    size: number;
  }

  interface SaveArchives {
    backups: Array<SaveArchive>;
  }

  interface SaveCandidate {
    label: string;
    path: string;
    shared: boolean;
  }

  interface SaveCandidates {
    candidates: Array<SaveCandidate>;
  }

  interface SaveHistory {
    game_id: string;
    keep: number;
    versions: Array<SaveVersion>;
  }

  interface SaveProof {
    backup: string;
    bytes: number;
    files: number;
    ok: boolean;
  }

  interface SaveScan {
    count: number;
    games: { [key: string]: Array<string>; };
  }

  interface SaveTools {
    primary: boolean;
    secondary: boolean;
  }

  interface SaveVersion {
    created: string;
    label: string;
    name: string;
    size: number;
  }

  interface Saved {
    saved: string;
  }

  interface SavedCollection {
    name: string;
    query: string;
    [key: string]: unknown;
  }

  interface SavedCount {
    saved: number;
  }

  interface SavesApplied {
    games: number;
    updated: number;
  }

  interface SavesArchived {
    backup: string;
    trimmed: number;
  }

  interface SavesRestored {
    restored: string;
  }

  interface Score {
    file: string;
    label: string;
    size: number;
  }

  interface ScoreList {
    scores: Array<Score>;
  }

  interface ScoresExported {
    files: Array<string>;
    manifest: string;
  }

  interface ScoresRestored {
    restored: Array<string>;
  }

  interface SearchAnswer {
    count: number;
    results: Array<unknown>;
    source: "sqlite" | "json";
  }

  interface Settings {
    active_media_packs?: Array<unknown>;
    apply_perf?: "off" | "auto" | "always";
    artgrid_enabled?: boolean;
    artgrid_key_configured?: boolean;
    attract_mode_seconds?: number;
    auto_close_store_clients?: boolean;
    auto_import_media_types?: Array<"cover" | "background" | "screenshots" | "clear_logo" | "fanart" | "banner" | "icon" | "box_back" | "box_spine" | "box_3d" | "title_screen" | "cart_front" | "cart_back" | "disc" | "advertisement" | "manual" | "video" | "music">;
    available_locales?: Array<unknown>;
    backlog_progress_suggest?: boolean;
    backup_auto_enabled?: boolean;
    backup_auto_keep?: number;
    backup_on_close?: boolean;
    badge_visibility?: Array<"favorite" | "installed" | "missing_media" | "saves" | "documents" | "versions" | "storefront" | "achievements" | "highscores" | "progress" | "rating" | "broken" | "portable" | "controller">;
    bigscreen_mode?: "stage" | "hybrid" | "coverflow";
    bigscreen_quick?: Array<unknown>;
    bigscreen_shutdown_commands?: Array<string>;
    bigscreen_start_at_launch?: boolean;
    bigscreen_startup_video?: string;
    bundle?: boolean;
    cloud_folder?: string;
    compositor_custom_presets?: Array<Record<string, unknown>>;
    compositor_guest?: boolean;
    compositor_preset?: string;
    compositor_presets?: Array<unknown>;
    controller_map?: { back?: number; favorite?: number; menu?: number; page_left?: number; page_right?: number; pause?: number; play?: number; random?: number; };
    controller_prompt_hint?: string | boolean;
    controller_prompt_pack?: string;
    cover_grouping?: "shape" | "none";
    custom_field_defs?: Array<Record<string, unknown>>;
    dynamic_play_button?: boolean;
    emulator_scan_configs?: Array<unknown>;
    filter_presets?: Array<unknown>;
    health_rescan?: "daily" | "weekly" | "on_startup" | "off";
    hidden_sidebar_sections?: Array<string>;
    household_stats_sharing?: boolean;
    image_group?: "cover" | "background" | "screenshot" | "clear_logo" | "fanart" | "banner" | "icon" | "box_back" | "box_spine" | "box_3d" | "title_screen" | "cart_front" | "cart_back" | "disc" | "advertisement" | "manual";
    image_group_by_platform?: Record<string, unknown>;
    image_group_by_playlist?: Record<string, unknown>;
    import_exclusions?: Array<unknown>;
    last_auto_backup?: string;
    last_cloud_sync?: string;
    last_restore_drill?: string;
    last_update_check?: string;
    library_journal_enabled?: boolean;
    library_music?: string;
    library_sync_enabled?: boolean;
    library_view?: "grid" | "list" | "details";
    libserver_install_dir?: string;
    libserver_password_set?: boolean;
    libserver_provider?: string;
    libserver_url?: string;
    libserver_username?: string;
    list_columns?: Array<string> | { [key: string]: Array<string>; };
    list_sort?: string;
    list_sort_dir?: "" | "reversed";
    locale?: "en" | "es" | "de" | "fr" | "pt";
    media_download_limit?: number;
    media_packs?: Array<unknown>;
    mediasvc_configured?: boolean;
    memories_import_enabled?: boolean;
    memories_import_roots?: Array<string>;
    minimize_to_tray?: boolean;
    moments_autocapture?: boolean;
    mood_match_bigscreen?: boolean;
    mood_match_enabled?: boolean;
    museum_kiosk_enabled?: boolean;
    museum_kiosk_pin_set?: boolean;
    overlay_available?: boolean;
    overlay_enabled?: boolean;
    party_index?: number;
    party_players?: number;
    party_queue?: Array<string>;
    platform_categories?: { [key: string]: string; };
    platform_documents?: Record<string, unknown>;
    premium_features_free?: boolean;
    progress_automation_enabled?: boolean;
    progress_automation_idle_days?: number;
    progress_automation_play_minutes?: number;
    progress_on_first_play?: "" | "Playing" | "Paused" | "Beaten" | "Completed" | "Mastered" | "Abandoned";
    quick_resume_enabled?: boolean;
    recorder_auto_attach?: boolean;
    recorder_recording_path?: string;
    recorder_replay_enabled?: boolean;
    recorder_ws_password_set?: boolean;
    recorder_ws_timeout?: number;
    recorder_ws_url?: string;
    region_priority?: Array<string>;
    restore_drill_enabled?: boolean;
    safe_mode?: boolean;
    save_backup_limit?: number;
    save_primary_backup_path?: string;
    save_tools?: Record<string, unknown>;
    scrape_after_import?: boolean;
    scrape_artgrid_enabled?: boolean;
    scrape_gamedb_enabled?: boolean;
    scrape_scraper_enabled?: boolean;
    screensaver_seconds?: number;
    session_recap_enabled?: boolean;
    show_insights?: boolean;
    show_launch_badges?: boolean;
    show_playlist_actions?: boolean;
    shutdown_commands?: Array<string>;
    sidebar_sections?: Array<string>;
    startup_commands?: Array<string>;
    state_retention?: number;
    storefront_auto_import?: { libserver?: boolean; store_a?: boolean; store_b?: boolean; store_c?: boolean; };
    strings?: Record<string, unknown>;
    theme?: string;
    theme_by_platform?: Record<string, unknown>;
    track_session_history?: boolean;
    tracking_delay?: number;
    tracking_frequency?: number;
    tracking_mode?: "default" | "process" | "original_process" | "folder" | "process_name";
    tracking_process_name?: string;
    tray_enabled?: boolean;
    ui_column_widths?: Array<string>;
    ui_details_open?: boolean;
    ui_filters_open?: boolean;
    ui_group?: "" | "letter" | "platform" | "genre" | "progress" | "year" | "developer" | "series" | "user_rating" | "installed";
    ui_scheme?: "dark" | "light" | "contrast" | "auto";
    ui_tile_width?: number;
    version?: string;
    video_bgm_mix?: boolean;
    video_priority?: Array<"video_snap" | "video_theme" | "video_trailer" | "video_recording" | "video">;
    watch_folders?: Array<string>;
    webhook_attempts?: number;
    webhook_timeout?: number;
    welcome_completed?: boolean;
  }

  interface SetupCommitted {
    import_batch_id: string;
    job_id: string;
    preview_id: string;
    revision: number;
  }

  interface ShutDown {
    forced: boolean;
    stopped: number;
  }

  interface SmartCollection {
    count: number;
    name: string;
    query: string;
  }

  interface Snapshot {
    modified: number;
    name: string;
    size: number;
  }

  interface SomeGames {
    games: Array<Game>;
    media_epoch: number;
  }

  interface StoreImported {
    added: number;
    errors: Array<string>;
    found: number;
  }

  interface Strings {
    locale: string;
    strings: { [key: string]: unknown; };
  }

  interface Timeline {
    days: number;
    enabled: boolean;
    groups: Array<TimelineDay>;
    total: number;
  }

  interface TimelineDay {
    date: string;
    entries: Array<TimelineEntry>;
  }

  interface TimelineEntry {
    game_id: string;
    has_cover: boolean;
    name: string;
    recording: string;
    seconds: number;
    started: string;
  }

  interface TrashItem {
    game_id: string;
    name: string;
    platform: string;
    playlists: Array<string>;
    trash_id: string;
    trashed_at: string;
  }

  interface TrashList {
    count: number;
    items: Array<TrashItem>;
  }

  interface TwinGroup {
    games: Array<TwinRow>;
    key: string;
    kind: string;
    platform: string;
    title: string;
  }

  interface TwinRow {
    achievements: number;
    favorite: boolean;
    game_id: string;
    id: number;
    media: number;
    name: string;
    path: string;
    platform: string;
    playtime_seconds: number;
    progress: string;
    sessions: number;
  }

  interface Twins {
    count: number;
    groups: Array<TwinGroup>;
    truncated: boolean;
  }

  interface WrapperGame {
    config_path: string;
    name: string;
    path: string;
    prefix: string;
    runner: string;
    source: string;
    source_identity: string;
    wrapper_id: string;
  }

  interface WrapperImported {
    added: number;
    count: number;
    found: number;
    imported: Array<string>;
  }

  interface WrapperScan {
    count: number;
    games: Array<WrapperGame>;
  }

  interface WrapperStatus {
    data_dirs: Array<string>;
    installed: boolean;
  }

  /** What `GET` of a path answers. */
  interface Get {
    '/api/backup/manifest': BackupItems;
    '/api/backups': BackupList;
    '/api/compat/prefix-for-game': GamePrefix;
    '/api/compat/prefixes': PrefixList;
    '/api/compat/runtimes': RuntimeList;
    '/api/diagnostic': DiagnosticReport;
    '/api/discovery': Discovery;
    '/api/explorer/facets': FacetList;
    '/api/filter-presets': PresetList;
    '/api/highscores': ScoreList;
    '/api/history': History;
    '/api/import/folders': FolderList;
    '/api/library': LibraryPage;
    '/api/library/delta': SomeGames;
    '/api/log': LogText;
    '/api/notifications': NoticeList;
    '/api/perf_profiles': PerformanceList;
    '/api/premium/media-packs': PackList;
    '/api/premium/platform-categories': CategoryList;
    '/api/premium/strings': Strings;
    '/api/profiles': ProfileList;
    '/api/queue': Queue;
    '/api/related': RelatedIds;
    '/api/related/rich': RelatedGames;
    '/api/save-tools/status': SaveTools;
    '/api/saves': SaveArchives;
    '/api/saves/discover': SaveCandidates;
    '/api/saves/scan': SaveScan;
    '/api/settings': Settings;
    '/api/v1/backups': BackupList;
    '/api/v1/diagnostic': DiagnosticReport;
    '/api/v1/filter-presets': PresetList;
    '/api/v1/history': History;
    '/api/v1/library': LibraryPage;
    '/api/v1/log': LogText;
    '/api/v1/notifications': NoticeList;
    '/api/v1/premium/media-packs': PackList;
    '/api/v1/profiles': ProfileList;
    '/api/v1/queue': Queue;
    '/api/v1/saves': SaveArchives;
    '/api/v1/settings': Settings;
    '/api/v2/collections': CollectionList;
    '/api/v2/history/timeline': Timeline;
    '/api/v2/launch/audit/status': AuditStatuses;
    '/api/v2/launch/cores': CoreList;
    '/api/v2/library/duplicates': Twins;
    '/api/v2/library/export/exports': ExportList;
    '/api/v2/library/journal/as-of': JournalState;
    '/api/v2/library/journal/compare': JournalDifference;
    '/api/v2/library/journal/events': JournalEvents;
    '/api/v2/library/search': SearchAnswer;
    '/api/v2/library/trash': TrashList;
    '/api/v2/saves/history': SaveHistory;
    '/api/wrapper/scan': WrapperScan;
    '/api/wrapper/status': WrapperStatus;
  }

  /** What `POST` to a path answers. */
  interface Post {
    '/api/backup/create': Queued;
    '/api/backup/restore': Queued;
    '/api/bigscreen/mode': ModeChanged;
    '/api/cloud/sync': CloudSync;
    '/api/extra/launch': Done;
    '/api/filter-presets': Saved;
    '/api/filter-presets/delete': Deleted;
    '/api/health': Checkup;
    '/api/highscores/export': ScoresExported;
    '/api/highscores/import': ScoresRestored;
    '/api/image-group': Settings;
    '/api/import/console-x': ImportCounts;
    '/api/import/emu-library-1': ImportCounts;
    '/api/import/emu-library-2': ImportCounts;
    '/api/import/engine-library': ImportCounts;
    '/api/import/loose-arcade': ImportCounts;
    '/api/import/store-a': StoreImported;
    '/api/import/store-b': ImportCounts;
    '/api/import/store-c': ImportCounts;
    '/api/notifications': NoticeList;
    '/api/perf_profiles': SavedCount;
    '/api/platform/documents': DocumentsSaved;
    '/api/playlists': Saved;
    '/api/playlists/delete': Deleted;
    '/api/premium/media-packs/apply': PackApplied;
    '/api/profiles': SavedCount;
    '/api/queue': Queue;
    '/api/saves/add': FilePath;
    '/api/saves/backup': SavesArchived;
    '/api/saves/restore': SavesRestored;
    '/api/saves/scan': SaveScan;
    '/api/saves/scan/apply': SavesApplied;
    '/api/session/cleanup': Done;
    '/api/session/control': Controlled;
    '/api/settings': Settings;
    '/api/shutdown': ShutDown;
    '/api/state/recover': Recovered;
    '/api/v1/backup/create': Queued;
    '/api/v1/backup/restore': Queued;
    '/api/v1/bigscreen/mode': ModeChanged;
    '/api/v1/extra/launch': Done;
    '/api/v1/filter-presets': Saved;
    '/api/v1/health': Checkup;
    '/api/v1/import/emu-library-1': ImportCounts;
    '/api/v1/import/emu-library-2': ImportCounts;
    '/api/v1/import/engine-library': ImportCounts;
    '/api/v1/import/store-a': StoreImported;
    '/api/v1/import/store-b': ImportCounts;
    '/api/v1/import/store-c': ImportCounts;
    '/api/v1/notifications': NoticeList;
    '/api/v1/playlists': Saved;
    '/api/v1/premium/media-packs/apply': PackApplied;
    '/api/v1/profiles': SavedCount;
    '/api/v1/queue': Queue;
    '/api/v1/saves/scan/apply': SavesApplied;
    '/api/v1/session/control': Controlled;
    '/api/v1/settings': Settings;
    '/api/v1/shutdown': ShutDown;
    '/api/v1/state/recover': Recovered;
    '/api/v2/collections': CollectionSaved;
    '/api/v2/collections/delete': CollectionDeleted;
    '/api/v2/jobs/cancel': JobCancelled;
    '/api/v2/jobs/resume': JobResumed;
    '/api/v2/jobs/retry': JobRetried;
    '/api/v2/launch/audit/refresh': AuditRefreshed;
    '/api/v2/launch/audit/scan': AuditQueued;
    '/api/v2/launch/reveal': Revealed;
    '/api/v2/library/export': Queued;
    '/api/v2/library/export/gamelist': Queued;
    '/api/v2/library/trash/purge': Purged;
    '/api/v2/saves/history/prune': Queued;
    '/api/v2/saves/history/restore': Queued;
    '/api/v2/saves/history/test-restore': SaveProof;
    '/api/v2/saves/history/verify': SaveProof;
    '/api/v2/setup/commit': SetupCommitted;
    '/api/v2/setup/preview': PreviewBegun;
    '/api/v2/setup/preview/decisions': Decided;
    '/api/v2/setup/preview/revalidate': Revalidated;
    '/api/wrapper/import': WrapperImported;
  }
}
