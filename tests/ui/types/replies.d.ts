/** Replies of the API. Generated from tests/golden/openapi.json by support/api-types.js. */
declare namespace Reply {
  type Achievement = {
    badge: string;
    description: string;
    earned: boolean;
    hardcore: boolean;
    points: number;
    title: string;
  };

  type AchievementSettings = {
    configured: boolean;
    motto?: string;
    points?: number;
    username?: string;
  };

  type AchievementsInjected = {
    skipped: Array<string>;
    updated: Array<string>;
  };

  type Adapter = {
    adapter_id: string;
    adapter_type: string;
    bios_ok?: boolean;
    bios_path?: string;
    bios_sha1?: string;
    codes?: Array<string>;
    core_ok?: boolean;
    core_path?: string;
    emulator_id: string;
    extensions: Array<string>;
    firmware_ok?: boolean;
    firmware_path?: string;
    firmware_sha1?: string;
    flatpak_app_id: string;
    installed: boolean;
    label: string;
    mode: string;
    native_exe: string;
    origin: string;
    platform: string;
    priority: number;
    recommended: boolean;
    startup_args: Array<string>;
    state: ShownState;
  };

  type AmbiguousPath = {
    choices: Array<FoundFile>;
    field: string;
    game_id: string;
    id: number;
    kind: "game" | "media";
    name: string;
    path: string;
    platform: string;
  };

  type ArcadeCounts = {
    added: number;
    found: number;
    sets: { [key: string]: number; };
  };

  type ArtgridGame = {
    id: number;
    media: Array<ArtgridPicture>;
    name: string;
    types: Array<string>;
    verified: boolean;
    year: number | null;
  };

  type ArtgridHit = {
    id: number;
    name: string;
    provider: string;
    types: Array<string>;
    verified: boolean;
    year: number | null;
  };

  type ArtgridHits = {
    provider: string;
    results: Array<ArtgridHit>;
  };

  type ArtgridPicture = {
    author: string;
    height: number;
    kind: string;
    score: number;
    style: string;
    thumb: string;
    url: string;
    width: number;
  };

  type ArtgridStatus = {
    cache_entries: number;
    configured: boolean;
    credit: string;
    disabled: boolean;
    enabled: boolean;
    name: string;
    page: string;
    provider: string;
  };

  type ArtgridTested = {
    ok: boolean;
    probe_results: number;
  };

  type ArtworkBatch = {
    batch_id: string;
    count: number;
    created_at: string;
    provider: string;
  };

  type ArtworkFixQueued = {
    job_id: string;
    provider: string;
    state: string;
  };

  type ArtworkIssue = {
    action: string;
    aspect?: number;
    digest?: string;
    expected_aspect?: number;
    field: string;
    game_id: string;
    height?: number;
    issue: "missing_cover" | "missing_file" | "low_res" | "wrong_aspect" | "duplicate";
    label: string;
    name: string;
    path?: string;
    width?: number;
  };

  type ArtworkIssueCounts = {
    duplicate: number;
    low_res: number;
    missing_cover: number;
    missing_file: number;
    wrong_aspect: number;
  };

  type ArtworkReport = {
    batches: Array<ArtworkBatch>;
    counts: ArtworkIssueCounts;
    duplicates: Array<SharedCover>;
    generated_at: string;
    issues: Array<ArtworkIssue>;
    provider_attribution: string;
    providers: Array<string>;
    scanned: number;
    thresholds: ArtworkThresholds;
  };

  type ArtworkRestored = {
    action: string;
    field: string;
    game_id: string;
  };

  type ArtworkThresholds = {
    low_res_min: number;
  };

  type ArtworkUndone = {
    batch_id: string;
    counts: ArtworkUndoneCounts;
    restored: Array<ArtworkRestored>;
  };

  type ArtworkUndoneCounts = {
    removed: number;
    restored: number;
  };

  type AuditFailures = {
    count: number;
  };

  type AuditGroup = {
    code: string;
    count: number;
    fix: Fix | null;
    fix_action: string | null;
    key: string;
    message: string;
    severity: "error" | "warning" | "info";
    subject: string;
  };

  type AuditJob = {
    current: number;
    error: string | null;
    job_id: string;
    state: "queued" | "running" | "cancelling" | "done" | "partial" | "error" | "cancelled" | "interrupted";
    total: number | null;
  };

  type AuditMember = {
    game_id: string;
    index: number;
    name: string;
  };

  type AuditMembers = {
    games: Array<AuditMember>;
    key: string;
    limit: number;
    offset: number;
    total: number;
  };

  type AuditQueued = {
    deep: boolean;
    job_id: string;
    state: string;
  };

  type AuditRefreshed = {
    computed_at: string;
    ok: boolean;
    rechecked: number;
    totals: AuditTotals;
  };

  type AuditStatuses = {
    statuses: { [key: string]: string; };
  };

  type AuditTotals = {
    blocked: number;
    ready: number;
    warning: number;
  };

  type AutoScrape = {
    import_batch_id?: string;
    match_job_id?: string;
    media_job_id?: string;
    preview_id: string | null;
    queued: boolean;
    reason?: string;
  };

  type BackupArchive = {
    created: string;
    invalid?: boolean;
    items: Array<string>;
    name: string;
    path: string;
    size: number;
  };

  type BackupDiff = {
    added: Array<string>;
    changed: Array<string>;
    removed: Array<string>;
    restore: RestoreEffect;
    settings: SettingsDiff;
    settings_changed: boolean;
    summary: DiffSummary;
    truncated: DiffTruncation;
  };

  type BackupItems = {
    items: Array<string>;
  };

  type BackupList = {
    backups: Array<BackupArchive>;
  };

  type BatchList = {
    imports: Array<ImportBatch>;
  };

  type BridgeStatus = {
    available: boolean;
    corrupt?: boolean;
    count?: number;
    error?: string;
    exists: boolean;
    foreign_count?: number;
    own_count?: number;
    path: string;
  };

  type BusiestMonth = {
    month: number;
    seconds: number;
  };

  type BusiestWeekday = {
    seconds: number;
    weekday: string;
  };

  type CapturedClip = {
    clip: Clip;
    fallback: boolean;
    game_id: string;
    recorder: boolean;
  };

  type CatalogEntry = {
    excluded: boolean;
    game_id: string;
    id: string;
    install_dir: string;
    install_uri: string;
    installed: boolean;
    launch: string;
    name: string;
    path: string;
    platform: string;
    source: string;
    [key: string]: unknown;
  };

  type CatalogImported = {
    added: number;
    found: number;
    imported: number;
  };

  type CatalogList = {
    catalog: Array<CatalogEntry>;
  };

  type CategoryList = {
    categories: { [key: string]: unknown; };
  };

  type ChangedQueue = {
    next: QueueRow | null;
    queue: Array<QueueEntry>;
  };

  type Checkup = {
    duplicates: number;
    games: number;
    issues: Array<CheckupIssue>;
    missing: number;
    missing_media: number;
    unconfigured: number;
  };

  type CheckupIssue = {
    detail: string;
    game: string;
    id: number;
    type: "Duplicate" | "Missing game" | "Missing box front" | "Missing extra" | "Missing save path" | "No emulator";
  };

  type Chip = {
    display: string;
    i18n: string;
    key: string;
    label: string;
    value: unknown;
  };

  type Chosen = {
    cancelled?: boolean;
    path: string | null;
    reason?: string;
  };

  type Clip = {
    clip_id: string;
    created_at: string;
    fallback: boolean;
    launch_id: string;
    path: string;
    source: string;
    title: string;
  };

  type ClipList = {
    clips: Array<Clip>;
    game_id: string;
    total: number;
  };

  type CloudSync = {
    games: number;
    merged: number;
    path: string;
    synced_at: string;
  };

  type CollectionDeleted = {
    deleted: string;
    ok: boolean;
  };

  type CollectionList = {
    items: Array<SmartCollection>;
  };

  type CollectionSaved = {
    ok: boolean;
    saved: string;
  };

  type Constellation = {
    depth: number | null;
    edges: Array<Line>;
    empty: boolean;
    focus: string | null;
    kinds: Array<string>;
    nodes: Array<Star>;
    truncated: boolean;
  };

  type Controlled = {
    action: string;
    ok: boolean;
  };

  type Core = {
    core: string;
    name: string;
    path: string;
  };

  type CoreChosen = {
    core: string;
    game_id: string;
    name: string;
    ok: boolean;
  };

  type CoreList = {
    cores: Array<Core>;
  };

  type CorruptEvent = {
    event_id: string;
    sync_key: string;
  };

  type Decided = {
    accepted: number;
    preview_id: string;
  };

  type DefinitionList = {
    definitions: Array<ShownDefinition>;
    problems: Array<DefinitionProblem>;
  };

  type DefinitionOffer = {
    error?: string;
    installed_version: string | null;
    notes?: string;
    ok: boolean;
    update_available?: boolean;
    version?: string;
  };

  type DefinitionProblem = {
    error: string;
    file: string;
  };

  type DefinitionStatus = {
    bundled_definitions: number;
    dir: string;
    installed: Array<string>;
    kept_local: Array<string>;
    local_definitions: number;
    locally_modified: Array<string>;
    ok: boolean;
    problems: Array<DefinitionProblem>;
    update: DefinitionOffer;
    version: string | null;
  };

  type Deleted = {
    deleted: string;
  };

  type DeletedMoment = {
    deleted: boolean;
    moment_id: string;
    ok: boolean;
  };

  type Dependencies = {
    missing: Array<DependencyPlace>;
    required: Array<DependencyPlace>;
  };

  type DependencyPlace = {
    found: boolean;
    name: string;
    path: string;
  };

  type DiagnosticReport = {
    report: string;
  };

  type DiffRow = {
    fields?: Array<FieldDiff>;
    game_id: string;
    name: string;
  };

  type DiffRows = {
    rows: Array<DiffRow>;
    total: number;
    truncated: boolean;
  };

  type DiffSummary = {
    added: number;
    changed: number;
    removed: number;
    total: number;
  };

  type DiffTruncation = {
    added: boolean;
    changed: boolean;
    limit: number;
    removed: boolean;
  };

  type DifferenceSummary = {
    added: number;
    changed: number;
    removed: number;
  };

  type DifferenceTruncated = {
    added: boolean;
    changed: boolean;
    limit: number;
    removed: boolean;
  };

  type Discovery = {
    continue_playing: Array<number>;
    generated_at: string;
    highly_rated: Array<number>;
    never_played: Array<number>;
    random_picks: Array<number>;
    recently_added: Array<number>;
    short_sessions: Array<number>;
  };

  type DnaAnchor = {
    game_id: string;
    name: string;
  };

  type DnaAnswer = {
    anchor: DnaAnchor | null;
    branch: string;
    building?: boolean;
    degraded: boolean;
    parse: DnaParse;
    results: Array<DnaResult>;
  };

  type DnaParse = {
    chips?: Array<Chip>;
    clauses?: Array<{ [key: string]: unknown; }>;
    complete?: boolean;
    hint?: string;
    parsed: boolean;
    plain_query?: string;
    rules?: { [key: string]: unknown; };
    text?: string;
    unparsed?: Array<string>;
  };

  type DnaResult = {
    game_id: string;
    name: string;
    score: number;
    why: Array<string>;
  };

  type DnaStatus = {
    build_ms: number;
    coverage_pct: number;
    index_version: number;
    indexed: number;
    lexicon_version: number;
    state: string;
    total: number;
  };

  type DocumentLists = {
    documents: unknown;
  };

  type DocumentsSaved = {
    count: number;
    saved: string;
  };

  type Done = {
    ok: boolean;
  };

  type DuplicateMedia = {
    groups: Array<MediaGroup>;
  };

  type DuplicatesRemoved = {
    removed: Array<string>;
  };

  type EmulatorChoice = {
    adapter_id: string;
    emulator_id: string;
    flatpak_app_id?: string;
    installed: boolean;
    label: string;
    recommended: boolean;
  };

  type EmulatorEntry = {
    app_id: string;
    can_install: boolean;
    installed: boolean;
    job: EmulatorJob;
    mode: string;
    name: string;
    pack?: string;
    platforms: Array<string>;
    profiles: { [key: string]: string; };
    recommendations: { [key: string]: Array<[string, string]>; };
  };

  type EmulatorJob = {
    error?: unknown;
    errors?: unknown;
    installed?: unknown;
    profiles?: unknown;
    state?: string;
    updated?: unknown;
  };

  type EmulatorJobBegun = {
    job_id: string;
    state: string;
  };

  type EmulatorList = {
    emulators: Array<EmulatorEntry>;
    install_all: EmulatorJob;
    update_all: EmulatorJob;
  };

  type EmulatorOpened = {
    command: string;
    mode: string;
  };

  type EmulatorRegistry = {
    adapters: Array<Adapter>;
    platforms: { [key: string]: PlatformCounts; };
    problems: Array<DefinitionProblem>;
    schema_version: number;
  };

  type EntryConverted = {
    game_id: string;
    ok: boolean;
    playable: boolean;
  };

  type EntryCreated = {
    game_id: string;
    name: string;
    ok: boolean;
  };

  type EntryInstalled = {
    desktop: string;
  };

  type EntryUpdated = {
    game_id: string;
    manual_entry: boolean;
    ok: boolean;
  };

  type Error = {
    code?: string;
    error: string;
    request_id?: string;
  };

  type Evaluated = {
    earned: number;
    newly_awarded: Array<TrophyAward>;
    total: number;
  };

  type Exclusion = {
    external_id: string;
    source: string;
    store_b?: Array<string>;
  };

  type ExclusionAdded = {
    exclusion: Exclusion;
  };

  type ExclusionList = {
    exclusions: Array<Exclusion>;
  };

  type ExclusionRemoved = {
    count: number;
    removed: boolean;
  };

  type ExportFile = {
    created: string;
    name: string;
    size: number;
  };

  type ExportList = {
    exports: Array<ExportFile>;
  };

  type Facet = {
    count: number;
    value: string;
  };

  type FacetList = {
    facets: Array<Facet>;
    field: string;
  };

  type Favorite = {
    favorite: boolean;
  };

  type FieldDiff = {
    field: string;
    from: unknown;
    to: unknown;
  };

  type FieldOrigin = {
    at: string;
    by: string;
    can_revert: boolean;
    field: string;
    held: boolean;
    locked: boolean;
    pass_id: string;
    previous: unknown;
    reference: string;
  };

  type FilePath = {
    path: string;
  };

  type FileTitles = {
    count: number;
    titles: Array<TitleChange>;
    truncated: boolean;
  };

  type FilterPreset = {
    bigscreen_quick: boolean;
    name: string;
    rules: { [key: string]: unknown; };
    [key: string]: unknown;
  };

  type FirstPlay = {
    date: string;
    game_id: string;
    name: string;
  };

  type Fix = {
    kind: string;
    label: string;
    payload: { [key: string]: unknown; };
  };

  type FixReply = {
    action?: string;
    base_token?: string;
    detail?: string;
    dimension: string;
    dry_run: boolean;
    executed?: boolean;
    fix_id?: string;
    issue_count?: number;
    plan?: unknown;
    summary?: unknown;
    undo?: FixUndo;
  };

  type FixUndo = {
    fix_id: string;
    kind: string;
  };

  type FolderImported = {
    added: number;
    found: number;
    import_batch_id: string;
    installed?: Array<string>;
    parts: number;
    recommendations: { [key: string]: Array<Recommended>; };
    skipped: number;
    skipped_types: { [key: string]: number; };
  };

  type FolderList = {
    folders: Array<string>;
    launchers: Array<LauncherList>;
  };

  type FolderScanned = {
    added: number;
    found: number;
  };

  type Forgotten = {
    removed: boolean;
  };

  type FoundFile = {
    path: string;
    relative: string;
    size: number;
  };

  type FrontendApplied = {
    added: number;
    found: number;
    merged: number;
  };

  type FrontendCounts = {
    added: number;
    found: number;
    merged: number;
    skipped_malformed: number;
    total_in_xml: number;
  };

  type FrontendPreview = {
    base_digest: string;
    counts: FrontendCounts;
    errors: Array<string>;
    media_outside: number;
    message?: string;
    normalized_games: Array<StoredRecord>;
    operations: Array<MigrationOperation>;
    options: unknown;
    options_digest: string;
    preview_token: string;
    schema_version: number;
    source: ListSource;
    source_digest: string;
    source_games_digest: string;
  };

  type Game = {
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
    artgrid_id: string;
    artwork_provider: string;
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
    dump_status: string;
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
    languages: Array<string>;
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
    notes: Array<unknown> | string;
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
    release_status: string;
    release_year: string;
    revision: string;
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
  };

  type GameAchievements = {
    achievements: Array<Achievement>;
    beaten: number;
    commitment_label: string;
    completion: string;
    earned: number;
    earned_hardcore: number;
    game_id: number;
    mastered: number;
    motivation: string;
    points_earned: number;
    points_total: number;
    rich_presence: string;
    title: string;
    total: number;
  };

  type GameChanged = {
    game_id: string;
    ok: boolean;
  };

  type GameDeleted = {
    deleted_media: Array<string>;
    removed: string;
    shared_media: Array<string>;
  };

  type GameOrigins = {
    fields: Array<FieldOrigin>;
    game_id: string;
  };

  type GamePrefix = {
    available: boolean;
    prefix: string;
  };

  type GameSaved = {
    game_id: string;
    id: number;
    ok: boolean;
  };

  type GameStory = {
    events: Array<StoryEvent>;
    game_id: string;
    name: string;
    platform: string;
    totals: StoryTotals;
  };

  type GameTrashed = {
    deleted_media: Array<string>;
    game_id: string;
    name: string;
    ok: boolean;
    shared_media: Array<string>;
    trash_id: string;
  };

  type GamedbApplied = {
    applied: boolean;
    game: string;
  };

  type GamedbHit = {
    critic_score: number | null;
    genres: Array<string>;
    id: number;
    name: string;
    platforms: Array<string>;
    rating: number | null;
    summary: string;
    year: number | null;
  };

  type GamedbHits = {
    results: Array<GamedbHit>;
  };

  type GamesMerged = {
    changed_fields: Array<string>;
    merged: number;
    ok: boolean;
    primary: TwinRow;
    trash_ids: Array<string>;
    trashed: Array<string>;
    undo: string;
  };

  type GamesRemoved = {
    removed: number;
  };

  type GamesTrashed = {
    ok: boolean;
    trash_ids: Array<string>;
    trashed: number;
  };

  type GamesUpdated = {
    updated: number;
  };

  type Granted = {
    app_id: string;
    applied: boolean;
    command: string;
    path: string;
    undone: boolean;
  };

  type HealthDeduction = {
    code: string;
    detail: string;
    dimension: string;
    game_id: string;
    game_ids: Array<string>;
    index: number;
    name: string;
    points: number;
    reason: string;
  };

  type HealthDimension = {
    issues: number;
    score: number;
    weight: number;
  };

  type HealthIssue = {
    code: string;
    detail: string;
    dimension: "file_integrity" | "duplicates" | "artwork" | "metadata" | "launch_readiness";
    game_id: string;
    index: number;
    name: string;
    points: number;
    reason: string;
  };

  type HealthIssues = {
    dimension: string;
    issues: Array<HealthIssue>;
    limit: number;
    offset: number;
    scanned: boolean;
    total: number;
  };

  type HealthReport = {
    computed_at: string;
    deductions: Array<HealthDeduction>;
    dimensions: { [key: string]: HealthDimension; };
    dirty: boolean;
    full: boolean;
    game_count: number;
    recomputed: boolean;
    scanned: boolean;
    score: number | null;
  };

  type Heatmap = {
    days: number;
    heatmap: Array<HeatmapCell>;
  };

  type HeatmapCell = {
    count: number;
    date: string;
    level: number;
    seconds: number;
  };

  type History = {
    enabled: boolean;
    history: Array<HistoryRow>;
    total: number;
    total_seconds: number;
  };

  type HistoryRow = {
    exit_code: number;
    game: string;
    game_id: string;
    seconds: number;
    started: string;
    [key: string]: unknown;
  };

  type HouseholdChallenge = {
    challenge_id: string;
    complete: boolean;
    completed: boolean;
    current: number;
    expired: boolean;
    member_id: string | null;
    members: Array<HouseholdChallengeMember>;
    metric: string;
    percent: number;
    progress: number;
    record_id: string;
    status: string;
    target: number;
    title: string;
    winner: HouseholdChallengeWinner | null;
  };

  type HouseholdChallengeMember = {
    completed: boolean;
    current: number;
    member_id: string;
    record_id: string;
    result: { [key: string]: unknown; };
    target: number;
  };

  type HouseholdChallengeWinner = {
    member_id: string;
    result: { [key: string]: unknown; };
  };

  type HouseholdExchange = {
    acknowledged: number;
    applied?: number;
    changed?: boolean;
    heads?: { [key: string]: Array<string>; };
    pending?: number;
    published?: number;
    published_ids?: Array<string>;
    pulled?: number;
    records?: number;
    stats_skipped?: number;
  };

  type HouseholdLeaderboard = {
    available: boolean;
    entries: Array<HouseholdLeaderboardEntry>;
    period?: unknown;
    reason?: string;
  };

  type HouseholdLeaderboardEntry = {
    ach_count: number;
    avatar_color: string;
    completions: number;
    display_name: string;
    games_played: number;
    member_id: string;
    playtime_seconds: number;
    rank: number;
    sessions: number;
    wins: number;
  };

  type HouseholdMerge = {
    applied: number;
    changed: boolean;
    heads: { [key: string]: Array<string>; };
    records: number;
  };

  type HouseholdSettings = {
    household_stats_sharing: boolean;
  };

  type HouseholdSync = {
    configured: boolean;
    format: number;
  };

  type HouseholdView = {
    challenges: Array<HouseholdChallenge>;
    device_id: string | null;
    format: number;
    household_sync: HouseholdSync;
    leaderboard: HouseholdLeaderboard;
    leaderboard_only?: boolean;
    merge?: HouseholdMerge;
    outbox_count: number;
    record?: { [key: string]: unknown; };
    records: Array<{ [key: string]: unknown; }>;
    settings: HouseholdSettings;
    shared?: boolean;
    state_token: string;
    stats_sharing: boolean;
    sync?: HouseholdExchange;
  };

  type ImportBatch = {
    added: number;
    changed: number;
    import_batch_id: string;
    imported_at: string;
    source: string;
    whole: boolean;
  };

  type ImportCounts = {
    added: number;
    found: number;
  };

  type ImportSummary = {
    added: number;
    errors: Array<string>;
    found: number;
  };

  type ImportUndone = {
    edited: number;
    kept: number;
    removed: number;
    restored: number;
    whole: boolean;
  };

  type InsightReason = {
    key: string;
    params: { [key: string]: unknown; };
  };

  type InsightSummary = {
    days: number;
    heatmap: Array<HeatmapCell>;
    last_30_days: Array<HeatmapCell>;
    momentum: Momentum;
    streak: Streak;
    top_games: Array<TopGame>;
    top_genres: Array<TopGenre>;
    top_platforms: Array<TopPlatform>;
    totals: SummaryTotals;
  };

  type InstallBegun = {
    job_id: string;
    libserver_id: string;
    state: string;
  };

  type JobCancelled = {
    job_id: string;
    message: string;
    state: string;
  };

  type JobDocument = {
    attempt: number;
    can_cancel: boolean;
    can_resume: boolean;
    can_retry: boolean;
    checkpoint: unknown | null;
    created_at: string;
    current: number;
    error: string | null;
    error_detail: JobFault | null;
    finished_at: string | null;
    input: { [key: string]: unknown; };
    job_id: string;
    max_attempts: number;
    message: string | null;
    metadata: { [key: string]: unknown; };
    name: string;
    operation_id: string;
    output: { [key: string]: unknown; } | null;
    phase: string | null;
    progress: JobProgress;
    result: { [key: string]: unknown; } | null;
    resume_of: string | null;
    retry_of: string | null;
    root_job_id: string;
    started_at: string | null;
    state: "queued" | "running" | "cancelling" | "done" | "partial" | "error" | "cancelled" | "interrupted";
    title: string;
    total: number | null;
    type: string;
    updated_at: string;
  };

  type JobFault = {
    code: string;
    message: string;
    request_id: string;
  };

  type JobItem = {
    error?: JobFault;
    item_id: string;
    label: string;
    state: string;
  };

  type JobItems = {
    cursor: string | null;
    items: Array<JobItem>;
    job_id: string;
    next_cursor: string | null;
  };

  type JobOverview = {
    history: Array<JobRow>;
    jobs: { [key: string]: JobRow; };
  };

  type JobPage = {
    cursor: string | null;
    grouped_by_root?: { [key: string]: Array<JobDocument>; };
    jobs: Array<JobDocument>;
    next_cursor: string | null;
  };

  type JobProgress = {
    current: number;
    message: string | null;
    total: number | null;
    unit: string;
  };

  type JobResumed = {
    job_id: string;
    message: string;
    resume_of: string;
    root_job_id: string;
    state: string;
  };

  type JobRetried = {
    job_id: string;
    retry_of: string;
    root_job_id: string;
    state: string;
  };

  type JobRow = {
    attempt: number;
    can_cancel: boolean;
    can_resume: boolean;
    can_retry: boolean;
    created_at: string;
    duration_seconds: number;
    error: string | JobFault;
    finished_at: string | null;
    job_id: string;
    max_attempts: number;
    name: string;
    started_at: string | null;
    state: "queued" | "running" | "cancelling" | "done" | "partial" | "error" | "cancelled" | "interrupted";
    type: string;
    [key: string]: unknown;
  };

  type JournalDifference = {
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
  };

  type JournalEvents = {
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
  };

  type JournalState = {
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
  };

  type KeptMoment = {
    item: MomentItem;
  };

  type KioskStatus = {
    enabled: boolean;
    pin_set: boolean;
  };

  type KioskVerified = {
    ok: boolean;
  };

  type LaunchAudit = {
    computed_at?: string;
    deep?: boolean;
    failed?: AuditFailures;
    game_count?: number;
    groups?: Array<AuditGroup>;
    job: AuditJob | null;
    members?: AuditMembers;
    scanned: boolean;
    stale?: boolean;
    totals?: AuditTotals;
  };

  type LaunchCheck = {
    code: string;
    fix_action?: Fix;
    message: string;
    remediations: Array<Remediation>;
    severity: "error" | "warning" | "info";
  };

  type Launched = {
    effective_profile: string;
    game: string;
    game_id: number | null;
    game_path: string;
    launch_id: string;
    libserver_id: string;
    ok: boolean;
    paused: boolean;
    pid: number;
    replay_buffer_armed: boolean;
    replay_buffer_owned: boolean;
    restart: boolean;
    resumed_from_state: boolean;
    seconds: number;
    stable_game_id: string;
    started: string;
    store_a_app_id: string;
    store_b_app_id: string;
    store_c_id: string;
  };

  type LauncherEntry = {
    id: string;
    label: string;
  };

  type LauncherList = {
    name: string;
    path: string;
  };

  type LauncherMenu = {
    items: Array<LauncherEntry>;
  };

  type LegacyApplied = {
    added: number;
    excluded: number;
    found: number;
    merged: number;
    skipped: number;
  };

  type LegacyPreview = {
    added: number;
    base_digest: string;
    duplicates: number;
    emulator_ids: Array<string>;
    emulator_names: { [key: string]: string; };
    errors: Array<string>;
    excluded: number;
    found: number;
    media_outside: number;
    merged: number;
    options_digest: string;
    plan: PlanWithOptions;
    playlists: number;
    preview_games: Array<MigrationOperation>;
    preview_token: string;
    skipped: number;
    skipped_malformed: number;
    source_digest: string;
    total_in_xml: number;
    unsupported_fields: { [key: string]: number; };
    would_change: number;
    would_import: number;
  };

  type LibraryPage = {
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
  };

  type LibraryPass = {
    at: string;
    games: number;
    kind: string;
    pass_id: string;
  };

  type LibserverInstallStatus = {
    error?: unknown;
    game?: StoredRecord;
    libserver_id: string;
    state: string;
  };

  type Line = {
    kind: string;
    s: number;
    t: number;
    w: number;
  };

  type ListSource = {
    bytes: number;
    digest: string;
    label: string;
  };

  type LogText = {
    log: string;
  };

  type Mastery = {
    decades: { [key: string]: MasteryBucket; };
    overall: MasteryBucket;
    platforms: { [key: string]: MasteryBucket; };
  };

  type MasteryBucket = {
    ach_avg_progress: number;
    ach_mastered: number;
    ach_tracked: number;
    beaten: number;
    completed: number;
    mastered: number;
    never: number;
    played: number;
    total: number;
  };

  type MatchAlternative = {
    database_id: number;
    platform: string;
    score: MatchScore;
    title: string;
  };

  type MatchCounts = {
    auto_applied: number;
    exact_review: number;
    likely: number;
    possible: number;
    unmatched: number;
  };

  type MatchDecisions = {
    accepted: number;
    chosen: number;
    never: number;
    preview_id: string;
    revision: number;
    skipped: number;
  };

  type MatchItem = {
    alternatives: Array<MatchAlternative>;
    chosen?: number;
    class: "auto_applied" | "exact_review" | "likely" | "possible" | "unmatched";
    current: MatchSide;
    decision?: "accept" | "choose" | "skip" | "never";
    game_id: string;
    proposed: MatchSide | null;
    score: MatchScore;
  };

  type MatchPage = {
    cursor: string | null;
    items: Array<MatchItem>;
    next_cursor: string | null;
    preview_id: string;
    revision: number;
  };

  type MatchPreview = {
    counts: MatchCounts;
    job_id: string;
    preview_id: string;
    revision: number;
    state: string;
  };

  type MatchScore = {
    platform_exact: boolean;
    reasons: Array<string>;
    title_similarity: number;
    token_overlap: number;
  };

  type MatchSide = {
    database_id?: number;
    description: string;
    developer: string;
    esrb: string;
    genre: string;
    media_categories: Array<string>;
    platform: string;
    publisher: string;
    title: string;
    year: string;
  };

  type MatchesBegun = {
    job_id: string;
    preview_id: string;
    revision: number;
    state: string;
  };

  type MediaAudit = {
    games: number;
    matched: number;
    [key: string]: unknown;
  };

  type MediaBulkJob = {
    current: number;
    error?: string;
    errors: Array<string>;
    job_id?: string;
    manual_missing: number;
    state: string;
    total: number;
    updated: number;
  };

  type MediaBulkStatus = {
    job: MediaBulkJob;
    state: string;
  };

  type MediaCandidate = {
    kind: string;
    region: string;
    type: string;
    url: string;
  };

  type MediaCandidates = {
    candidates: Array<MediaCandidate>;
    database_id: number;
  };

  type MediaCleaned = {
    applied: boolean;
    groups: number;
    paths: Array<string>;
    platform: string;
  };

  type MediaGroup = {
    duplicates: Array<string>;
    keep: string;
  };

  type MediaKind = {
    content: "picture" | "document" | "video" | "special_video" | "recording" | "music";
    field: string;
    kind: string;
    list: boolean;
    shape: "tall" | "wide" | "square" | null;
    whole: boolean;
  };

  type MediaKinds = {
    kinds: Array<MediaKind>;
  };

  type MediaQueue = {
    queue: Array<unknown>;
  };

  type MediaServiceSettings = {
    configured: boolean;
  };

  type MemoriesQueued = {
    added?: number;
    enabled: boolean;
    job_id?: string;
    state: string;
  };

  type MemoriesStatus = {
    enabled: boolean;
    games_with_memories: number;
    job: JobDocument | null;
    memories: number;
    roots: number;
    unassigned: number;
  };

  type Memory = {
    bytes: number;
    hint: string;
    imported_at: string;
    path: string;
    sha256: string;
    source: string;
    taken_at: string;
  };

  type MemoryAssigned = {
    game_id: string;
    index: number;
    ok: boolean;
    previous_game_id: string;
    sha256: string;
  };

  type MemoryList = {
    memories: Array<Memory>;
  };

  type MergePreview = {
    absorbed: Array<TwinRow>;
    base_token: string;
    changed_fields: Array<string>;
    changes: { [key: string]: TwinChange; };
    primary: TwinRow;
    reason: TwinReason;
  };

  type MetadataApplied = {
    notes: Array<string>;
    updated: Array<string>;
  };

  type MetadataCoverage = {
    games: number;
    matched_games: number;
    matched_ratio: number;
    [key: string]: unknown;
  };

  type MetadataJob = {
    current?: number;
    error?: string;
    errors?: Array<string>;
    games?: number;
    job_id?: string;
    matched?: number;
    phase?: string;
    scanned?: number;
    state: string;
    total?: number;
  };

  type MetadataResult = {
    community_rating: number | null;
    cooperative: string;
    database_id: number;
    developer: string;
    esrb: string;
    genre: string;
    max_players: string;
    name: string;
    overview: string;
    platform: string;
    publisher: string;
    release_date: string;
    release_year: string;
    series: string;
  };

  type MetadataResults = {
    results: Array<MetadataResult>;
  };

  type MetadataSource = {
    credit: string;
    name: string;
    page: string;
  };

  type MetadataStatus = {
    coverage: MetadataCoverage;
    job: MetadataJob;
    ready: boolean;
    source: MetadataSource;
  };

  type MigrationOperation = {
    action: "add" | "merge" | "skip" | "exclude";
    changes: { [key: string]: unknown; };
    game: StoredRecord;
    review_fields?: Array<MigrationReview>;
    target_game_id?: string;
  };

  type MigrationReview = {
    current: unknown;
    field: string;
    incoming: unknown;
  };

  type MissingPath = {
    field: string;
    game_id: string;
    id: number;
    kind: "game" | "media";
    name: string;
    path: string;
    platform: string;
  };

  type MissingPaths = {
    count: number;
    items: Array<MissingPath>;
    truncated: boolean;
  };

  type ModeChanged = {
    entering: boolean;
    ok: boolean;
  };

  type MomentGallery = {
    items: Array<MomentItem>;
    limit: number;
    months: Array<MonthCount>;
    offset: number;
    total: number;
  };

  type MomentItem = {
    capture_error?: string;
    created_at: string;
    game_id: string;
    launch_id: string;
    moment_id: string;
    note: string;
    resume_state: unknown | null;
    screenshot: string;
    screenshot_index: number | null;
    title: string;
    trigger: string;
    updated_at: string;
  };

  type MomentList = {
    game_id: string;
    item?: MomentItem;
    items?: Array<MomentItem>;
    total?: number;
  };

  type Momentum = {
    delta_seconds: number;
    last_30_days_seconds: number;
    previous_30_days_seconds: number;
  };

  type MonthCount = {
    count: number;
    month: string;
  };

  type NativeCapabilities = {
    clipboard: boolean;
    data_dir: string;
    dialogs: boolean;
    fullscreen: boolean;
    gamepad: string;
    platform: string;
    single_instance: boolean;
    tray: boolean;
    version: string;
    webview: boolean;
  };

  type NextAction = {
    id: string;
    label: string;
    step: number;
  };

  type Notice = {
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
  };

  type NoticeList = {
    notifications: Array<Notice>;
    unread: number;
  };

  type OldestPlayed = {
    game_id: string;
    name: string;
    year: number;
  };

  type OpenApi = {
    components: { [key: string]: unknown; };
    info: { [key: string]: unknown; };
    openapi: string;
    paths: { [key: string]: unknown; };
    security: Array<unknown>;
    "x-settings": unknown;
  };

  type OpendbStatus = {
    credit: string;
    current: number;
    error: string | null;
    games: number | null;
    job_id: string | null;
    name: string;
    page: string;
    phase: string | null;
    ready: boolean;
    state: string;
    total: number;
  };

  type Opened = {
    error: string | null;
    ok: boolean;
  };

  type PackApplied = {
    pack: unknown;
    settings: Settings;
  };

  type PackInstalled = {
    dir: string;
    installed: Array<string>;
    kept_local: Array<string>;
    ok: boolean;
    removed: Array<string>;
    updated: Array<string>;
    version: string;
  };

  type PackList = {
    packs: Array<unknown>;
  };

  type PackRemoved = {
    dir: string;
    ok: boolean;
    removed: Array<string>;
  };

  type ParsedPhrase = {
    canonical: string;
    chips: Array<Chip>;
    clauses: Array<{ [key: string]: unknown; }>;
    complete: boolean;
    hint: string;
    match_count: number;
    matched_game_ids: Array<string>;
    ok: boolean;
    parsed: boolean;
    plain_query?: string;
    rules: { [key: string]: unknown; };
    text: string;
    unparsed: Array<string>;
  };

  type PartyBuilt = {
    count: number;
    empty_reason: string | null;
    excluded: PartyExcluded;
    queue: Array<string>;
  };

  type PartyExcluded = {
    hidden: number;
    no_controller_or_platform: number;
    over_budget: number;
    too_few_players: number;
    total: number;
    unusable_path: number;
  };

  type PartyQueue = {
    index: number;
    queue: Array<string>;
  };

  type PartyTurn = {
    game_id: string;
    index: number;
    name: string;
  };

  type PassList = {
    passes: Array<LibraryPass>;
  };

  type PassUndone = {
    fields: number;
    games: number;
  };

  type PerformanceList = {
    perf_profiles: { [key: string]: unknown; };
  };

  type Pick = {
    cover: string;
    cover_kind: string;
    dna_seed?: string;
    game_id: string;
    has_cover: boolean;
    id: number;
    name: string;
    reason_key: string;
    reason_params: { [key: string]: unknown; };
    score: number;
  };

  type Picks = {
    picks: Array<Pick>;
  };

  type PictureChoice = {
    database_id: number;
    provider: string;
    region: string;
    title: string;
    type: string;
    url: string;
  };

  type PictureChoices = {
    choices: Array<PictureChoice>;
    credit: string;
    game_id: string;
    kind: string;
    others: Array<string>;
  };

  type PictureChosen = {
    game_id: string;
    kind: string;
    path: string;
  };

  type PlanWithOptions = {
    base_digest: string;
    options: unknown;
    options_digest: string;
    preview_token: string;
    source_digest: string;
  };

  type Platform = {
    ach: number | null;
    category: string;
    cores: Array<string>;
    folders: Array<string>;
    gamedb: number | null;
    kind: "cartridge" | "disc" | "computer" | "arcade" | "engine" | "other";
    libretro: string;
    like: string;
    maker: string;
    metadb: string;
    name: string;
    own_extensions: Array<string>;
    scraper: number | null;
    shared_extensions: Array<string>;
    takes_playlists: boolean;
    usual_extensions: Array<string>;
    year: number;
  };

  type PlatformCounts = {
    adapters: number;
    installed: number;
  };

  type PlatformList = {
    platforms: Array<Platform>;
  };

  type PlatformTotals = {
    blocked: number;
    platform: string;
    ready: number;
    warning: number;
  };

  type Playlist = {
    members: Array<string>;
    name: string;
    notes: string;
    parent: string;
    rules: { [key: string]: unknown; };
    type: string;
    [key: string]: unknown;
  };

  type PlaytimeEntry = {
    date: string;
    note: string;
    seconds: number;
  };

  type PlaytimeSaved = {
    entry: PlaytimeEntry;
    game_id: string;
    ok: boolean;
  };

  type PluginCatalog = {
    catalog: Array<{ [key: string]: unknown; }>;
  };

  type PluginCatalogStatus = {
    catalog: Array<{ [key: string]: unknown; }>;
    sandbox: "ready" | "unavailable" | "disabled";
  };

  type PluginCommand = {
    description: string;
    id: string;
    label: string;
    plugin_id: string;
    source: string;
  };

  type PluginCommandDone = {
    command: string;
    notification: PluginNotification | null;
    ok: boolean;
    plugin_id: string;
    result: { [key: string]: unknown; } | null;
  };

  type PluginCommands = {
    api_version: number;
    commands: Array<PluginCommand>;
    sandbox: "ready" | "unavailable" | "disabled";
  };

  type PluginInstalled = {
    plugin: { [key: string]: unknown; };
  };

  type PluginList = {
    api_version: number;
    plugins: Array<{ [key: string]: unknown; }>;
    sandbox: "ready" | "unavailable" | "disabled";
  };

  type PluginNotification = {
    level: "info" | "success" | "warning" | "error";
    message: string;
  };

  type PluginPermissions = {
    id: string;
    permissions: Array<string>;
  };

  type PluginRemoved = {
    removed: string;
  };

  type PluginSettings = {
    id: string;
    schema: unknown;
    values: { [key: string]: unknown; };
  };

  type PluginSettingsSaved = {
    id: string;
    values: { [key: string]: unknown; };
  };

  type PluginToggled = {
    enabled: boolean;
  };

  type PluginTrust = {
    checksum: string;
    checksum_matches: boolean;
    granted: boolean;
    granted_at: string;
    id: string;
    match: boolean;
    retrust: boolean;
    trusted: boolean;
  };

  type PluginTrusted = {
    id: string;
    trusted: boolean;
  };

  type PrefixList = {
    available: boolean;
    prefixes: Array<PrefixView>;
  };

  type PrefixView = {
    has_drive_c: boolean;
    name: string;
    path: string;
  };

  type Preflight = {
    candidate_id: string | null;
    checks: Array<LaunchCheck>;
    game_id: string | null;
    resolved: ResolvedLaunch;
    status: string;
  };

  type PreflightBatch = {
    by_platform: Array<PlatformTotals>;
    results: Array<Preflight>;
    totals: AuditTotals;
  };

  type PresetList = {
    bigscreen_quick: Array<FilterPreset>;
    presets: Array<FilterPreset>;
  };

  type PreviewBegun = {
    expires_at: string;
    job_id: string;
    preview_id: string;
    revision: number;
    state: string;
  };

  type PrimaryRan = {
    action: string;
    ok: boolean;
    result: unknown;
    stderr: string;
  };

  type ProfileList = {
    detected: { [key: string]: string; };
    profiles: { [key: string]: unknown; };
  };

  type ProgressSet = {
    game_id: string;
    ok: boolean;
    progress: string;
  };

  type Provider = {
    key: string;
    name: string;
    priority: number;
  };

  type Providers = {
    providers: Array<Provider>;
  };

  type Purged = {
    ok: boolean;
    purged: number;
  };

  type Queue = {
    queue: Array<QueueEntry>;
  };

  type QueueEntry = {
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
  };

  type QueueRow = {
    added_at: string;
    game_id: string;
    note: string;
    skip: boolean;
    [key: string]: unknown;
  };

  type Queued = {
    job_id: string;
    state: string;
  };

  type Radar = {
    enough_history: boolean;
    park: Array<RadarEntry>;
    winnable: Array<RadarEntry>;
  };

  type RadarEntry = {
    days_stalled: number;
    estimated_minutes: number;
    game_id: string;
    has_cover: boolean;
    id: number;
    name: string;
    observed_seconds: number;
    platform: string;
    reasons: Array<InsightReason>;
  };

  type RadarParked = {
    code: string;
    game_id: string;
    name: string;
    parked: boolean;
    progress: string;
  };

  type RadarReply = {
    radar: Radar;
  };

  type Radio = {
    enough_history: boolean;
    fallback: boolean;
    generated_at: string;
    managed: boolean;
    name: string;
    notice_key: string;
    picks: Array<RadioPick>;
    stale: boolean;
  };

  type RadioPick = {
    cover: string;
    estimated_minutes: number;
    game_id: string;
    genre: string;
    has_cover: boolean;
    id: number;
    name: string;
    platform: string;
    reasons: Array<unknown>;
    score: number;
  };

  type RadioReply = {
    playlist: Radio;
  };

  type ReadinessCounts = {
    blocked: number;
    ready: number;
    unknown: number;
    warning: number;
  };

  type RecapAchievements = {
    available: boolean;
    baseline: boolean;
    earned: number;
    earned_delta: number;
    earned_hardcore: number;
    earned_hardcore_delta: number;
    mastered: boolean;
    progress_pct: number;
    total: number;
    tracked: boolean;
  };

  type Recognition = {
    changes: Array<RecognitionChange>;
    unchanged: number;
    unreadable: number;
  };

  type RecognitionApplied = {
    skipped: number;
    updated: number;
  };

  type RecognitionChange = {
    expected: string;
    field: string;
    game_id: string;
    value: string;
  };

  type Recommended = {
    app_id: string;
    name: string;
    platform: string;
  };

  type RecommendedEmulators = {
    recommendations: Array<Recommended>;
  };

  type RecorderStatus = {
    directory: string;
    latest_recording: string | null;
    recording: boolean;
    running: boolean;
  };

  type RecordingAttached = {
    path: string;
    recorder: RecorderStatus;
  };

  type Recovered = {
    backup_available?: boolean;
    dry_run?: boolean;
    games: number;
    ok?: boolean;
    snapshot?: string;
    snapshots?: Array<Snapshot>;
  };

  type ReelInput = {
    created_at?: string;
    duration?: number;
    kind: string;
    note?: string;
    path: string;
    title?: string;
  };

  type ReelManifest = {
    format: string;
    inputs: Array<ReelInput>;
    subject: string;
    title: string;
    year?: number;
  };

  type ReelQueued = {
    game_id: string;
    job_id: string;
    state: string;
  };

  type RelatedGame = {
    id: number;
    reasons: Array<string>;
    score: number;
  };

  type RelatedGames = {
    items: Array<RelatedGame>;
  };

  type RelatedIds = {
    ids: Array<number>;
  };

  type Remediation = {
    id: string;
    label: string;
  };

  type RepairApplied = {
    field: string;
    game_id: string;
    id: number;
    path: string;
  };

  type RepairCounts = {
    ambiguous: number;
    matched: number;
    unmatched: number;
  };

  type RepairMatch = {
    field: string;
    from: string;
    game_id: string;
    id: number;
    kind: "game" | "media";
    name: string;
    path: string;
    platform: string;
    relative: string;
    size: number;
  };

  type RepairPreview = {
    ambiguous: Array<AmbiguousPath>;
    base_token: string;
    candidates: number;
    counts: RepairCounts;
    folder: string;
    matches: Array<RepairMatch>;
    scanned: number;
    unmatched: Array<MissingPath>;
  };

  type RepairSkipped = {
    field: string;
    id: unknown;
    reason: string;
  };

  type Repaired = {
    applied: Array<RepairApplied>;
    skipped: Array<RepairSkipped>;
    updated: number;
  };

  type ResolvedLaunch = {
    adapter_id: string | null;
    argv_preview: Array<string>;
    cwd: string | null;
    emulator_id: string | null;
    precedence: number;
  };

  type RestoreEffect = {
    will_add: DiffRows;
    will_change: DiffRows;
    will_remove: DiffRows;
  };

  type Restored = {
    game_id: string;
    name: string;
    ok: boolean;
    renamed: boolean;
    restored: boolean;
  };

  type ResumeState = {
    adapter_id: string;
    capture_id: string;
    captured_at: string;
    emulator_version: string;
    file: string;
    kind: string;
    launch_id: string;
    size: number;
    thumbnail: string;
  };

  type ResumeStatus = {
    adapter_changed: boolean;
    adapter_id: string;
    available: boolean;
    capable: boolean;
    capture: boolean;
    enabled: boolean;
    game_id: string;
    kind: string;
    precedence: string;
    reason: string;
    stale: boolean;
    state: ResumeState | null;
  };

  type Resumed = {
    launch_id: string;
    ok: boolean;
    resumed_from_state: boolean;
    state_file: string;
  };

  type ResumedMoment = {
    launch_id: string;
    moment_id: string;
    ok: boolean;
    resumed_from_state: boolean;
    state_file: string;
  };

  type Revalidated = {
    job_id: string;
    preview_id: string;
    revision: number;
    state: string;
  };

  type Revealed = {
    folder: string;
  };

  type RevertChange = {
    action: string;
    field: string;
    from: unknown | null;
    to: unknown | null;
  };

  type RevertPlan = {
    base_token: string;
    changes: Array<RevertChange>;
    event_id: string;
    fields: Array<string> | null;
    format: number;
    game_id: string;
    noop: boolean;
    sync_key: string;
    target_catalog: { [key: string]: unknown; } | null;
    undo: boolean;
  };

  type RevertPreview = {
    base_token: string;
    plan: RevertPlan;
    preview: boolean;
  };

  type Reverted = {
    applied: Array<RevertChange>;
    changed: boolean;
    deleted?: boolean;
    event_id?: string | null;
    preview: boolean;
    restored?: boolean;
  };

  type RunningGame = {
    effective_profile: string;
    game: string;
    game_id: number | null;
    game_path: string;
    launch_id: string;
    libserver_id: string;
    paused: boolean;
    pid: number;
    replay_buffer_armed: boolean;
    replay_buffer_owned: boolean;
    restart: boolean;
    resumed_from_state: boolean;
    seconds: number;
    stable_game_id: string;
    started: string;
    store_a_app_id: string;
    store_b_app_id: string;
    store_c_id: string;
  };

  type RunningGames = {
    abandoned: Array<unknown>;
    events: Array<SessionEvent>;
    last_event: number;
    running: Array<RunningGame>;
  };

  type Runtime = {
    name: string;
    path: string;
    source: string;
  };

  type RuntimeList = {
    available: boolean;
    runtimes: Array<Runtime>;
  };

  type SaveArchive = {
    name: string;
    size: number;
  };

  type SaveArchives = {
    backups: Array<SaveArchive>;
  };

  type SaveCandidate = {
    label: string;
    path: string;
    shared: boolean;
  };

  type SaveCandidates = {
    candidates: Array<SaveCandidate>;
  };

  type SaveHistory = {
    game_id: string;
    keep: number;
    versions: Array<SaveVersion>;
  };

  type SaveProof = {
    backup: string;
    bytes: number;
    files: number;
    ok: boolean;
  };

  type SaveScan = {
    count: number;
    games: { [key: string]: Array<string>; };
  };

  type SaveTools = {
    primary: boolean;
    secondary: boolean;
  };

  type SaveVersion = {
    created: string;
    label: string;
    name: string;
    size: number;
  };

  type Saved = {
    saved: string;
  };

  type SavedCollection = {
    name: string;
    query: string;
    [key: string]: unknown;
  };

  type SavedCount = {
    saved: number;
  };

  type SavesApplied = {
    games: number;
    updated: number;
  };

  type SavesArchived = {
    backup: string;
    trimmed: number;
  };

  type SavesRestored = {
    restored: string;
  };

  type ScanConfig = {
    auto_update: boolean;
    emulator_id: string;
    folder: string;
  };

  type ScanConfigSaved = {
    config: ScanConfig;
  };

  type ScanConfigs = {
    configs: Array<ScanConfig>;
  };

  type Score = {
    file: string;
    label: string;
    size: number;
  };

  type ScoreList = {
    scores: Array<Score>;
  };

  type ScoresExported = {
    files: Array<string>;
    manifest: string;
  };

  type ScoresRestored = {
    restored: Array<string>;
  };

  type ScrapeSettings = {
    scrape_after_import: boolean;
    scrape_artgrid_enabled: boolean;
    scrape_gamedb_enabled: boolean;
    scrape_scraper_enabled: boolean;
  };

  type ScraperGame = {
    description: string;
    developer: string;
    genre: string;
    id: string;
    media: Array<ScraperMedia>;
    name: string;
    platform: string;
    players: string;
    publisher: string;
    rating: number | null;
    region: string;
    year: string;
  };

  type ScraperHit = {
    name: string;
    platform: string;
    scraper_id: string;
    system_id: string;
    system_name: string;
    year: string;
  };

  type ScraperHits = {
    results: Array<ScraperHit>;
  };

  type ScraperMedia = {
    kind: string;
    order: number;
    region: string;
    type: string;
    url: string;
  };

  type ScraperStatus = {
    cache_entries: number;
    configured: boolean;
    credit: string;
    name: string;
    page: string;
    provider: string;
  };

  type ScraperTested = {
    ok: boolean;
    user: ScraperUser;
  };

  type ScraperUser = {
    id: string;
    level: number;
    requests_per_day: number | null;
    requests_today: number | null;
  };

  type SearchAnswer = {
    count: number;
    results: Array<unknown>;
    source: "sqlite" | "json";
  };

  type SecondaryRan = {
    action: string;
    ok: boolean;
    output: string;
  };

  type ServerTested = {
    games: number;
    ok: boolean;
    providers: Array<Provider>;
  };

  type SessionCaptures = {
    clip: boolean;
    moment: boolean;
  };

  type SessionEvent = {
    exit_code?: number;
    game: string;
    id: number;
    kind: string;
    launch_id: string;
    seconds?: number;
    stable_game_id: string;
    time: string;
    timed_out: boolean;
  };

  type SessionRecap = {
    ach: RecapAchievements;
    capture: SessionCaptures;
    exit_code: number;
    game_id: string;
    game_missing: boolean;
    launch_id: string;
    name: string;
    partial: boolean;
    platform: string;
    progress: string;
    resume_state_available: boolean;
    screenshots_taken: number;
    seconds: number;
    started_at: string;
    stopped_at: string;
  };

  type Settings = {
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
    folder_platforms?: Record<string, unknown>;
    health_rescan?: "daily" | "weekly" | "on_startup" | "off";
    hidden_sidebar_sections?: Array<string>;
    household_stats_sharing?: boolean;
    image_group?: "cover" | "background" | "screenshot" | "clear_logo" | "fanart" | "banner" | "icon" | "box_back" | "box_spine" | "box_3d" | "title_screen" | "cart_front" | "cart_back" | "disc" | "advertisement" | "manual";
    image_group_by_platform?: Record<string, unknown>;
    image_group_by_playlist?: Record<string, unknown>;
    import_exclusions?: Array<unknown>;
    import_title_style?: "clean" | "file";
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
    start_page?: "library" | "home";
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
  };

  type SettingsDiff = {
    differs: boolean;
    keys_changed: Array<string>;
    present: boolean;
    redacted_secrets: boolean;
    restored: boolean;
    would_change: boolean;
  };

  type SetupCommitted = {
    import_batch_id: string;
    job_id: string;
    preview_id: string;
    revision: number;
  };

  type SetupCounts = {
    additions: number;
    ambiguities: number;
    duplicates: number;
    errors: number;
    exclusions: number;
    merges: number;
    unsupported: number;
  };

  type SetupDecision = {
    action: "import" | "merge" | "skip" | "exclude";
    merge_target: string | null;
    platform: string | null;
  };

  type SetupFieldChange = {
    applied: boolean;
    current: string;
    effect: string;
    field: string;
    proposed: string;
  };

  type SetupFolder = {
    games: number;
    is_chosen: boolean;
    open: number;
    path: string;
    platform: string | null;
    platforms: Array<SetupPlatformCount>;
    skipped: number;
    skipped_types: { [key: string]: number; };
    source: number;
  };

  type SetupFolders = {
    cursor: string | null;
    folders: Array<SetupFolder>;
    next_cursor: string | null;
    preview_id: string;
    revision: number;
  };

  type SetupItem = {
    candidate_id: string;
    decision: SetupDecision | null;
    detected_platform: string | null;
    detected_title: string;
    emulator_choices: Array<EmulatorChoice>;
    existing_game_target: SetupTarget | null;
    group: "additions" | "merges" | "duplicates" | "ambiguities" | "exclusions" | "unsupported";
    intended_action: string;
    launch_setup: "adapter" | "install_flatpak" | "keep_custom" | "incomplete" | null;
    merge_diff: Array<SetupFieldChange> | null;
    path: string;
    platform_choices?: Array<string>;
    same_as: string | null;
    selected_adapter_id: string | null;
    selected_emulator_id: string | null;
    source: SourceName | null;
    version_count: number;
    versions: Array<string>;
    warnings: Array<SetupWarning>;
  };

  type SetupItems = {
    cursor: string | null;
    items: Array<SetupItem>;
    next_cursor: string | null;
    preview_id: string;
    revision: number;
  };

  type SetupPlatformCount = {
    games: number;
    platform: string;
  };

  type SetupPreview = {
    counts: SetupCounts;
    expires_at: string;
    folders: number;
    import_batch_id: string | null;
    job_id: string;
    library_signature: string;
    message: string;
    options: { [key: string]: unknown; };
    platforms: { [key: string]: string; };
    preview_id: string;
    revalidated: boolean;
    revision: number;
    scanned_entries: number;
    sources: Array<SetupSource>;
    state: string;
    systems: Array<SetupSystem>;
  };

  type SetupSource = {
    candidates: number;
    error?: string;
    id: string;
    label: string;
    parts: number;
    path: string | null;
    skipped_types: { [key: string]: number; };
    type: string;
    unknown: number;
    unreadable: number;
  };

  type SetupSummary = {
    active_operations: number;
    duplicate_count: number;
    emulator_readiness: ReadinessCounts;
    library_count: number;
    media_gaps: number;
    metadata_match_percent: number;
    missing_paths: number;
    next_action: NextAction;
    source_coverage: Array<SourceCoverage>;
  };

  type SetupSystem = {
    counts: SetupCounts;
    platform: string;
    source: number;
    versions: number;
  };

  type SetupTarget = {
    game_id: string | null;
    platform: string;
    title: string;
  };

  type SetupWarning = {
    code: string;
    message: string;
  };

  type SharedBy = {
    game_id: string;
    name: string;
    path: string;
  };

  type SharedCover = {
    count: number;
    digest: string;
    games: Array<SharedBy>;
  };

  type ShortcutPlan = {
    added: number;
    additions: Array<ShortcutRecord>;
    applied?: boolean;
    base_exists: boolean;
    base_sha256: string | null;
    changed: boolean;
    current_count: number;
    desired_count: number;
    desired_records: Array<ShortcutRecord>;
    foreign_count: number;
    format: string;
    game_ids: Array<string>;
    games_sha256: string;
    launcher_exe: string;
    operation: string;
    path: string;
    preview: boolean;
    preview_token: string;
    removals: Array<ShortcutRecord>;
    removed: number;
    result_records: Array<ShortcutRecord>;
    targets?: unknown;
    unchanged: number;
    updated: number;
    updates: Array<ShortcutUpdate>;
    version: number;
    written?: boolean;
  };

  type ShortcutRecord = {
    key: string;
    tag: number;
    value: unknown;
  };

  type ShortcutUpdate = {
    after: ShortcutRecord;
    before: ShortcutRecord;
  };

  type ShownDefinition = {
    emulator_def: string;
    emulator_id: string;
    executable_patterns: Array<string>;
    extensions: Array<string>;
    flatpak: string;
    id: string;
    name: string;
    native: string;
    origin: string;
    pack?: string;
    platforms: Array<string>;
    startup: string;
    startup_args: Array<string>;
    state: ShownState;
  };

  type ShownState = {
    capture: Array<string>;
    glob: Array<string>;
    kind: string;
    template: Array<string>;
  };

  type ShutDown = {
    forced: boolean;
    stopped: number;
  };

  type SmartCollection = {
    count: number;
    name: string;
    query: string;
  };

  type Snapshot = {
    modified: number;
    name: string;
    size: number;
  };

  type SomeGames = {
    games: Array<Game>;
    media_epoch: number;
  };

  type SourceCoverage = {
    coverage_percent: number;
    game_count: number;
    label: string;
    source_id: string;
  };

  type SourceName = {
    id: string;
    label: string;
    path: string | null;
    type: string;
  };

  type SourceOrder = {
    fields: Array<SourceOrderRow>;
    media: Array<SourceOrderRow>;
  };

  type SourceOrderRow = {
    is_set: boolean;
    known: Array<string>;
    name: string;
    sources: Array<string>;
  };

  type SourceRow = {
    after_import: string;
    credit: string;
    enabled: boolean;
    games: number | null;
    gives: Array<string>;
    id: string;
    last_error: string;
    last_error_at: string;
    name: string;
    needs: string;
    page: string;
    ready: boolean;
    variables: Array<string>;
  };

  type Sources = {
    sources: Array<SourceRow>;
  };

  type Star = {
    cover: string;
    degree: number;
    game_id: string;
    has_cover: boolean;
    i: number;
    id: number;
    name: string;
    platform: string;
    playtime_seconds: number;
    year: string;
  };

  type StarsSet = {
    game_id: string;
    ok: boolean;
    user_rating: unknown;
  };

  type StateDiscarded = {
    discarded: boolean;
    ok: boolean;
  };

  type StoreImported = {
    added: number;
    errors: Array<string>;
    found: number;
  };

  type StorePictures = {
    background: string;
    cover: string;
  };

  type StoreStatus = {
    client: string;
    found: boolean;
    name: string;
    places: Array<string>;
    source: string;
  };

  type StoredRecord = {
    [key: string]: unknown;
  };

  type Stores = {
    stores: Array<StoreStatus>;
  };

  type StoryEvent = {
    at: string;
    detail: string;
    kind: string;
    title: string;
  };

  type StoryTotals = {
    moments: number;
    playtime_seconds: number;
    progress: string;
    sessions: number;
  };

  type Streak = {
    current: number;
    last_played: string;
    longest: number;
  };

  type Strings = {
    locale: string;
    strings: { [key: string]: unknown; };
  };

  type SummaryTotals = {
    games: number;
    played: number;
    total_playtime_seconds: number;
    total_sessions: number;
  };

  type SyncAlternative = {
    choice: string;
    event_ids: Array<string>;
    present: boolean;
    value: unknown;
  };

  type SyncApplied = {
    applied: number;
    changed: boolean;
    conflicts: Array<SyncConflict>;
    recovery_backup: string;
  };

  type SyncChange = {
    action: string;
    conflicts: Array<SyncConflict>;
    event_id: string;
    event_ids: Array<string>;
    local: { [key: string]: unknown; } | null;
    merged: { [key: string]: unknown; } | null;
    remote: { [key: string]: unknown; } | null;
    sync_key: string;
  };

  type SyncConflict = {
    alternatives: Array<SyncAlternative>;
    conflict_id: string;
    field: string;
    sync_key: string;
  };

  type SyncCounts = {
    additions: number;
    conflicts: number;
    deletions: number;
    updates: number;
  };

  type SyncPlan = {
    changes: Array<SyncChange>;
    conflicts: Array<SyncConflict>;
    counts: SyncCounts;
    event_ids: Array<string>;
    events: Array<{ [key: string]: unknown; }>;
    events_token: string;
    format: number;
    pending_conflicts: { [key: string]: unknown; };
    source_token: string;
  };

  type SyncPublished = {
    acknowledged: number;
    pending: number;
    protocol: string;
    published: number;
  };

  type TagCount = {
    count: number;
    tag: string;
  };

  type TagList = {
    tags: Array<TagCount>;
  };

  type TagsChanged = {
    tags: Array<TagCount>;
    updated: number;
  };

  type ThemeFolder = {
    opened: boolean;
    path: string;
  };

  type ThemeImported = {
    theme: string;
  };

  type ThemeList = {
    global: string;
    mappings: { [key: string]: string; };
    selected: string;
    themes: Array<string>;
  };

  type ThemeSelected = {
    platform: string;
    selected: string;
  };

  type Ticket = {
    address: string;
    expires_in: number;
  };

  type Timeline = {
    days: number;
    enabled: boolean;
    groups: Array<TimelineDay>;
    total: number;
  };

  type TimelineDay = {
    date: string;
    entries: Array<TimelineEntry>;
  };

  type TimelineEntry = {
    exit_code: number;
    game_id: string;
    has_cover: boolean;
    name: string;
    recording: string;
    seconds: number;
    started: string;
  };

  type TitleChange = {
    expected: string;
    game_id: string;
    name: string;
  };

  type TitlesChanged = {
    skipped: number;
    updated: number;
  };

  type TopGame = {
    game_id: string;
    last_played: string;
    name: string;
    platform: string;
    play_count: number;
    playtime_seconds: number;
  };

  type TopGenre = {
    count: number;
    genre: string;
  };

  type TopPlatform = {
    count: number;
    platform: string;
    playtime_seconds: number;
  };

  type TrailerSaved = {
    video_trailer: string;
  };

  type TrashItem = {
    game_id: string;
    name: string;
    platform: string;
    playlists: Array<string>;
    trash_id: string;
    trashed_at: string;
  };

  type TrashList = {
    count: number;
    items: Array<TrashItem>;
  };

  type Trophies = {
    earned: number;
    total: number;
    trophies: Array<Trophy>;
  };

  type Trophy = {
    awarded: boolean;
    awarded_at: string | null;
    id: string;
    progress: TrophyProgress;
  };

  type TrophyAward = {
    awarded_at: string;
    id: string;
  };

  type TrophyProgress = {
    current: number;
    target: number;
  };

  type TwinChange = {
    merged?: boolean;
    source: number;
    value: unknown;
  };

  type TwinGroup = {
    games: Array<TwinRow>;
    key: string;
    kind: string;
    platform: string;
    title: string;
  };

  type TwinReason = {
    achievements: number;
    media: number;
    playtime_seconds: number;
    sessions: number;
  };

  type TwinRow = {
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
  };

  type Twins = {
    count: number;
    groups: Array<TwinGroup>;
    truncated: boolean;
  };

  type UndoReply = {
    action?: string;
    detail?: string;
    fix_id: string;
    restored?: number;
    undone: boolean;
  };

  type Uninstalled = {
    game: StoredRecord;
    removed: Array<string>;
  };

  type UpdateInstalled = {
    backup: string;
    installed: string;
  };

  type UpdateReturned = {
    backup: string;
    restored: string;
  };

  type UpdateStatus = {
    available: boolean;
    bundle: string;
    checksum: string;
    checksum_url: string;
    configured: boolean;
    current: string;
    last_checked: string;
    latest: string;
    notes: string;
    page: string;
    sig: boolean;
    sig_url: string;
  };

  type UploadProgress = {
    path: string | null;
    received: number;
    size: number;
    upload_id: string;
  };

  type Webhook = {
    attempts: number;
    enabled: boolean;
    events: Array<string>;
    id: string;
    last_delivery_at: string;
    last_error: string;
    last_sent_at: string;
    last_status: number | null;
    secret?: string;
    secret_set?: boolean;
    timeout: number;
    url: string;
  };

  type WebhookList = {
    attempts: number;
    events: Array<string>;
    timeout: number;
    webhooks: Array<Webhook>;
  };

  type WebhookTested = {
    error: string;
    ok: boolean;
    status: number | null;
  };

  type WebhooksSaved = {
    events: Array<string>;
    webhooks: Array<Webhook>;
  };

  type WindowChanged = {
    ok: boolean;
  };

  type WizardDone = {
    fields: Array<string>;
    updated: number;
  };

  type Wrapped = {
    busiest_month: BusiestMonth | null;
    busiest_weekday: BusiestWeekday | null;
    co_play_pairs: number;
    first_play: FirstPlay | null;
    oldest_played: OldestPlayed | null;
    per_month: Array<number>;
    progress: WrappedProgress;
    streak: WrappedStreak;
    top: WrappedTop;
    totals: WrappedTotals;
    year: number;
  };

  type WrappedProgress = {
    beaten: number;
    completed: number;
    mastered: number;
  };

  type WrappedStreak = {
    longest: number;
  };

  type WrappedTop = {
    game: TopGame | null;
    genre: TopGenre | null;
    platform: TopPlatform | null;
  };

  type WrappedTotals = {
    games_played: number;
    new_games: number;
    playtime_seconds: number;
    sessions: number;
  };

  type WrapperGame = {
    config_path: string;
    name: string;
    path: string;
    prefix: string;
    runner: string;
    source: string;
    source_identity: string;
    wrapper_id: string;
  };

  type WrapperImported = {
    added: number;
    count: number;
    found: number;
    imported: Array<string>;
  };

  type WrapperScan = {
    count: number;
    games: Array<WrapperGame>;
  };

  type WrapperStatus = {
    data_dirs: Array<string>;
    installed: boolean;
  };

  /** What `GET` of a path answers. */
  interface Get {
    '/api/ach/settings': AchievementSettings;
    '/api/backup/manifest': BackupItems;
    '/api/backups': BackupList;
    '/api/compat/prefix-for-game': GamePrefix;
    '/api/compat/prefixes': PrefixList;
    '/api/compat/runtimes': RuntimeList;
    '/api/diagnostic': DiagnosticReport;
    '/api/discovery': Discovery;
    '/api/emulators': EmulatorList;
    '/api/emulators/definitions': DefinitionList;
    '/api/emulators/dependencies': Dependencies;
    '/api/emulators/recommend': RecommendedEmulators;
    '/api/emulators/scan-configs': ScanConfigs;
    '/api/explorer/facets': FacetList;
    '/api/filter-presets': PresetList;
    '/api/highscores': ScoreList;
    '/api/history': History;
    '/api/import/exclusions': ExclusionList;
    '/api/import/folders': FolderList;
    '/api/jobs': JobOverview;
    '/api/launcher/menu': LauncherMenu;
    '/api/library': LibraryPage;
    '/api/library/delta': SomeGames;
    '/api/libserver/install/status': LibserverInstallStatus;
    '/api/libserver/providers': Providers;
    '/api/log': LogText;
    '/api/media/audit': MediaAudit;
    '/api/media/bulk/status': MediaBulkStatus;
    '/api/media/duplicates': DuplicateMedia;
    '/api/media/kinds': MediaKinds;
    '/api/media/queue': MediaQueue;
    '/api/metadata/gamedb/search': GamedbHits;
    '/api/metadata/search': MetadataResults;
    '/api/metadata/status': MetadataStatus;
    '/api/native/capabilities': NativeCapabilities;
    '/api/notifications': NoticeList;
    '/api/openapi.json': OpenApi;
    '/api/perf_profiles': PerformanceList;
    '/api/platform/documents': DocumentLists;
    '/api/plugins': PluginList;
    '/api/plugins/catalog': PluginCatalog;
    '/api/premium/media-packs': PackList;
    '/api/premium/platform-categories': CategoryList;
    '/api/premium/strings': Strings;
    '/api/profiles': ProfileList;
    '/api/queue': Queue;
    '/api/recorder/status': RecorderStatus;
    '/api/related': RelatedIds;
    '/api/related/rich': RelatedGames;
    '/api/running': RunningGames;
    '/api/save-tools/status': SaveTools;
    '/api/saves': SaveArchives;
    '/api/saves/discover': SaveCandidates;
    '/api/saves/scan': SaveScan;
    '/api/settings': Settings;
    '/api/storefront/catalog': CatalogList;
    '/api/storefront/status': Stores;
    '/api/tags': TagList;
    '/api/themes': ThemeList;
    '/api/update': UpdateStatus;
    '/api/v1/backups': BackupList;
    '/api/v1/diagnostic': DiagnosticReport;
    '/api/v1/emulators': EmulatorList;
    '/api/v1/filter-presets': PresetList;
    '/api/v1/history': History;
    '/api/v1/jobs': JobOverview;
    '/api/v1/library': LibraryPage;
    '/api/v1/log': LogText;
    '/api/v1/media/audit': MediaAudit;
    '/api/v1/metadata/search': MetadataResults;
    '/api/v1/metadata/status': MetadataStatus;
    '/api/v1/notifications': NoticeList;
    '/api/v1/plugins': PluginList;
    '/api/v1/premium/media-packs': PackList;
    '/api/v1/profiles': ProfileList;
    '/api/v1/queue': Queue;
    '/api/v1/running': RunningGames;
    '/api/v1/saves': SaveArchives;
    '/api/v1/settings': Settings;
    '/api/v1/tags': TagList;
    '/api/v1/themes': ThemeList;
    '/api/v1/update': UpdateStatus;
    '/api/v1/webhooks': WebhookList;
    '/api/v2/arcade/kiosk/status': KioskStatus;
    '/api/v2/artgrid/hygiene/report': ArtworkReport;
    '/api/v2/artgrid/search': ArtgridHits;
    '/api/v2/artgrid/status': ArtgridStatus;
    '/api/v2/backup/diff': BackupDiff;
    '/api/v2/clips': ClipList;
    '/api/v2/collections': CollectionList;
    '/api/v2/emulators/defs/status': DefinitionStatus;
    '/api/v2/emulators/defs/update': DefinitionOffer;
    '/api/v2/emulators/registry': EmulatorRegistry;
    '/api/v2/game/origins': GameOrigins;
    '/api/v2/history/timeline': Timeline;
    '/api/v2/household': HouseholdView;
    '/api/v2/household/leaderboard': HouseholdView;
    '/api/v2/import/batches': BatchList;
    '/api/v2/insights/heatmap': Heatmap;
    '/api/v2/insights/mastery': Mastery;
    '/api/v2/insights/radar': RadarReply;
    '/api/v2/insights/radio': RadioReply;
    '/api/v2/insights/summary': InsightSummary;
    '/api/v2/insights/trophies': Trophies;
    '/api/v2/insights/wrapped': Wrapped;
    '/api/v2/jobs': JobPage;
    '/api/v2/jobs/items': JobItems;
    '/api/v2/launch/audit': LaunchAudit;
    '/api/v2/launch/audit/status': AuditStatuses;
    '/api/v2/launch/cores': CoreList;
    '/api/v2/library/constellation': Constellation;
    '/api/v2/library/dna/status': DnaStatus;
    '/api/v2/library/duplicates': Twins;
    '/api/v2/library/export/exports': ExportList;
    '/api/v2/library/health': HealthReport;
    '/api/v2/library/health/issues': HealthIssues;
    '/api/v2/library/journal/as-of': JournalState;
    '/api/v2/library/journal/compare': JournalDifference;
    '/api/v2/library/journal/events': JournalEvents;
    '/api/v2/library/passes': PassList;
    '/api/v2/library/repair': MissingPaths;
    '/api/v2/library/search': SearchAnswer;
    '/api/v2/library/titles': FileTitles;
    '/api/v2/library/trash': TrashList;
    '/api/v2/media/candidates': PictureChoices;
    '/api/v2/memories': MemoryList;
    '/api/v2/memories/status': MemoriesStatus;
    '/api/v2/metadata/matches/items': MatchPage;
    '/api/v2/metadata/matches/preview': MatchPreview;
    '/api/v2/metadata/media-candidates': MediaCandidates;
    '/api/v2/metadata/scrape-settings': ScrapeSettings;
    '/api/v2/metadata/source-order': SourceOrder;
    '/api/v2/moments': MomentList;
    '/api/v2/moments/gallery': MomentGallery;
    '/api/v2/opendb/status': OpendbStatus;
    '/api/v2/party/queue': PartyQueue;
    '/api/v2/platforms': PlatformList;
    '/api/v2/plugins/catalog': PluginCatalogStatus;
    '/api/v2/plugins/commands': PluginCommands;
    '/api/v2/plugins/settings': PluginSettings;
    '/api/v2/plugins/trust': PluginTrust;
    '/api/v2/reels': ReelManifest;
    '/api/v2/resume/status': ResumeStatus;
    '/api/v2/saves/history': SaveHistory;
    '/api/v2/scraper/search': ScraperHits;
    '/api/v2/scraper/status': ScraperStatus;
    '/api/v2/sessions/recap': SessionRecap;
    '/api/v2/setup/preview': SetupPreview;
    '/api/v2/setup/preview/folders': SetupFolders;
    '/api/v2/setup/preview/items': SetupItems;
    '/api/v2/setup/summary': SetupSummary;
    '/api/v2/shortcutbridge/status': BridgeStatus;
    '/api/v2/sources': Sources;
    '/api/v2/story': GameStory;
    '/api/webhooks': WebhookList;
    '/api/wrapper/scan': WrapperScan;
    '/api/wrapper/status': WrapperStatus;
  }

  /** What `POST` to a path answers. */
  interface Post {
    '/api/ach/game': GameAchievements;
    '/api/ach/inject': AchievementsInjected;
    '/api/ach/library': Queued;
    '/api/ach/settings': AchievementSettings;
    '/api/backup/create': Queued;
    '/api/backup/restore': Queued;
    '/api/bezels/download': FilePath;
    '/api/bigscreen/mode': ModeChanged;
    '/api/cloud/sync': CloudSync;
    '/api/desktop/install': EntryInstalled;
    '/api/document/adopt': FilePath;
    '/api/emulators/install': EmulatorJobBegun;
    '/api/emulators/install-all': EmulatorJobBegun;
    '/api/emulators/open': EmulatorOpened;
    '/api/emulators/scan': FolderScanned;
    '/api/emulators/scan-configs': ScanConfigSaved;
    '/api/emulators/scan-configs/delete': Forgotten;
    '/api/emulators/update': EmulatorJobBegun;
    '/api/emulators/update-all': EmulatorJobBegun;
    '/api/extra/launch': Done;
    '/api/favorite': Favorite;
    '/api/filter-presets': Saved;
    '/api/filter-presets/delete': Deleted;
    '/api/game': GameSaved;
    '/api/game/delete': GameDeleted;
    '/api/games/bulk': GamesUpdated;
    '/api/games/bulk-wizard': WizardDone;
    '/api/games/delete-store-a': GamesRemoved;
    '/api/health': Checkup;
    '/api/health/dedupe': DuplicatesRemoved;
    '/api/highscores/export': ScoresExported;
    '/api/highscores/import': ScoresRestored;
    '/api/image-group': Settings;
    '/api/import': FolderImported;
    '/api/import/arcade': ArcadeCounts;
    '/api/import/console-x': ImportCounts;
    '/api/import/emu-library-1': ImportCounts;
    '/api/import/emu-library-2': ImportCounts;
    '/api/import/engine-library': ImportCounts;
    '/api/import/exclusions': ExclusionAdded;
    '/api/import/exclusions/delete': ExclusionRemoved;
    '/api/import/loose-arcade': ImportCounts;
    '/api/import/store-a': StoreImported;
    '/api/import/store-b': ImportCounts;
    '/api/import/store-c': ImportCounts;
    '/api/import/watch': ImportSummary;
    '/api/import/wizard': FolderImported;
    '/api/launch': Launched;
    '/api/libserver/install': InstallBegun;
    '/api/libserver/test': ServerTested;
    '/api/libserver/uninstall': Uninstalled;
    '/api/media/adopt': FilePath;
    '/api/media/bulk': MediaBulkStatus;
    '/api/media/cleanup': MediaCleaned;
    '/api/mediasvc/download': FilePath;
    '/api/mediasvc/settings': MediaServiceSettings;
    '/api/metadata/apply': MetadataApplied;
    '/api/metadata/gamedb/apply': GamedbApplied;
    '/api/metadata/match': MetadataJob;
    '/api/metadata/store-a': Done;
    '/api/metadata/store-d': StorePictures;
    '/api/metadata/sync': MetadataJob;
    '/api/metadata/trailer': TrailerSaved;
    '/api/native/dialog': Chosen;
    '/api/native/open-external': Opened;
    '/api/native/reveal': Opened;
    '/api/native/window': WindowChanged;
    '/api/notifications': NoticeList;
    '/api/perf_profiles': SavedCount;
    '/api/platform/documents': DocumentsSaved;
    '/api/playlists': Saved;
    '/api/playlists/delete': Deleted;
    '/api/plugins/catalog/install': PluginInstalled;
    '/api/plugins/install': PluginInstalled;
    '/api/plugins/remove': PluginRemoved;
    '/api/plugins/toggle': PluginToggled;
    '/api/premium/media-packs/apply': PackApplied;
    '/api/profiles': SavedCount;
    '/api/queue': ChangedQueue;
    '/api/recorder/attach': RecordingAttached;
    '/api/recorder/screenshot': FilePath;
    '/api/save-tools/primary': PrimaryRan;
    '/api/save-tools/secondary': SecondaryRan;
    '/api/saves/add': FilePath;
    '/api/saves/backup': SavesArchived;
    '/api/saves/restore': SavesRestored;
    '/api/saves/scan': SaveScan;
    '/api/saves/scan/apply': SavesApplied;
    '/api/screenshot': FilePath;
    '/api/session/cleanup': Done;
    '/api/session/control': Controlled;
    '/api/settings': Settings;
    '/api/shutdown': ShutDown;
    '/api/state/recover': Recovered;
    '/api/storefront/import': CatalogImported;
    '/api/tags': TagsChanged;
    '/api/themes/import': ThemeImported;
    '/api/themes/open-folder': ThemeFolder;
    '/api/themes/select': ThemeSelected;
    '/api/ticket': Ticket;
    '/api/update/install': UpdateInstalled;
    '/api/v1/ach/inject': AchievementsInjected;
    '/api/v1/backup/create': Queued;
    '/api/v1/backup/restore': Queued;
    '/api/v1/bigscreen/mode': ModeChanged;
    '/api/v1/emulators/install': EmulatorJobBegun;
    '/api/v1/extra/launch': Done;
    '/api/v1/favorite': Favorite;
    '/api/v1/filter-presets': Saved;
    '/api/v1/game': GameSaved;
    '/api/v1/game/delete': GameDeleted;
    '/api/v1/games/bulk': GamesUpdated;
    '/api/v1/games/bulk-wizard': WizardDone;
    '/api/v1/health': Checkup;
    '/api/v1/health/dedupe': DuplicatesRemoved;
    '/api/v1/import': FolderImported;
    '/api/v1/import/arcade': ArcadeCounts;
    '/api/v1/import/emu-library-1': ImportCounts;
    '/api/v1/import/emu-library-2': ImportCounts;
    '/api/v1/import/engine-library': ImportCounts;
    '/api/v1/import/store-a': StoreImported;
    '/api/v1/import/store-b': ImportCounts;
    '/api/v1/import/store-c': ImportCounts;
    '/api/v1/launch': Launched;
    '/api/v1/libserver/test': ServerTested;
    '/api/v1/media/bulk': MediaBulkStatus;
    '/api/v1/media/cleanup': MediaCleaned;
    '/api/v1/metadata/apply': MetadataApplied;
    '/api/v1/metadata/match': MetadataJob;
    '/api/v1/notifications': NoticeList;
    '/api/v1/playlists': Saved;
    '/api/v1/premium/media-packs/apply': PackApplied;
    '/api/v1/profiles': SavedCount;
    '/api/v1/queue': ChangedQueue;
    '/api/v1/saves/scan/apply': SavesApplied;
    '/api/v1/session/control': Controlled;
    '/api/v1/settings': Settings;
    '/api/v1/shutdown': ShutDown;
    '/api/v1/state/recover': Recovered;
    '/api/v1/storefront/import': CatalogImported;
    '/api/v1/tags': TagsChanged;
    '/api/v1/themes/open-folder': ThemeFolder;
    '/api/v1/update/install': UpdateInstalled;
    '/api/v1/webhooks': WebhooksSaved;
    '/api/v2/arcade/kiosk/pin': KioskStatus;
    '/api/v2/arcade/kiosk/verify': KioskVerified;
    '/api/v2/artgrid/apply': Queued;
    '/api/v2/artgrid/hygiene/fix': ArtworkFixQueued;
    '/api/v2/artgrid/hygiene/undo': ArtworkUndone;
    '/api/v2/artgrid/info': ArtgridGame;
    '/api/v2/artgrid/match': Queued;
    '/api/v2/artgrid/test': ArtgridTested;
    '/api/v2/clips/capture': CapturedClip;
    '/api/v2/collections': CollectionSaved;
    '/api/v2/collections/delete': CollectionDeleted;
    '/api/v2/emulators/defs/rollback': PackRemoved;
    '/api/v2/emulators/defs/update': PackInstalled;
    '/api/v2/game/locks': GameOrigins;
    '/api/v2/game/origins/revert': GameOrigins;
    '/api/v2/household/challenge': HouseholdView;
    '/api/v2/household/challenge/result': HouseholdView;
    '/api/v2/household/member': HouseholdView;
    '/api/v2/household/merge': HouseholdView;
    '/api/v2/household/record': HouseholdView;
    '/api/v2/household/share': HouseholdView;
    '/api/v2/household/sync/publish': HouseholdView;
    '/api/v2/household/sync/pull': HouseholdView;
    '/api/v2/import/frontend/apply': FrontendApplied;
    '/api/v2/import/frontend/preview': FrontendPreview;
    '/api/v2/import/legacy/apply': LegacyApplied;
    '/api/v2/import/legacy/preview': LegacyPreview;
    '/api/v2/import/undo': ImportUndone;
    '/api/v2/insights/radar/park': RadarParked;
    '/api/v2/insights/radio/refresh': RadioReply;
    '/api/v2/insights/trophies/evaluate': Evaluated;
    '/api/v2/jobs/cancel': JobCancelled;
    '/api/v2/jobs/resume': JobResumed;
    '/api/v2/jobs/retry': JobRetried;
    '/api/v2/launch/adapter': GamesUpdated;
    '/api/v2/launch/audit/refresh': AuditRefreshed;
    '/api/v2/launch/audit/scan': AuditQueued;
    '/api/v2/launch/core': CoreChosen;
    '/api/v2/launch/grant': Granted;
    '/api/v2/launch/grant/undo': Granted;
    '/api/v2/launch/preflight': Preflight;
    '/api/v2/launch/preflight/batch': PreflightBatch;
    '/api/v2/launch/reveal': Revealed;
    '/api/v2/library/dna/index/rebuild': Queued;
    '/api/v2/library/dna/search': DnaAnswer;
    '/api/v2/library/duplicates/merge': GamesMerged;
    '/api/v2/library/duplicates/preview': MergePreview;
    '/api/v2/library/export': Queued;
    '/api/v2/library/export/gamelist': Queued;
    '/api/v2/library/health/fix': FixReply;
    '/api/v2/library/health/scan': Queued;
    '/api/v2/library/health/undo': UndoReply;
    '/api/v2/library/journal/revert': RevertPreview | Reverted;
    '/api/v2/library/manual-entry': EntryCreated;
    '/api/v2/library/manual-entry/convert': EntryConverted;
    '/api/v2/library/manual-entry/update': EntryUpdated;
    '/api/v2/library/notes/add': GameChanged;
    '/api/v2/library/notes/delete': GameChanged;
    '/api/v2/library/notes/update': GameChanged;
    '/api/v2/library/passes/undo': PassUndone;
    '/api/v2/library/pick': Picks;
    '/api/v2/library/playtime/delete': GameChanged;
    '/api/v2/library/playtime/log': PlaytimeSaved;
    '/api/v2/library/playtime/update': PlaytimeSaved;
    '/api/v2/library/progress/set': ProgressSet;
    '/api/v2/library/query/parse': ParsedPhrase;
    '/api/v2/library/rating/set': StarsSet;
    '/api/v2/library/recognition': RecognitionApplied;
    '/api/v2/library/recognition/preview': Recognition;
    '/api/v2/library/repair/apply': Repaired;
    '/api/v2/library/repair/preview': RepairPreview;
    '/api/v2/library/sync/apply': SyncApplied;
    '/api/v2/library/sync/preview': SyncPlan;
    '/api/v2/library/sync/publish': SyncPublished;
    '/api/v2/library/sync/pull': SyncPlan;
    '/api/v2/library/titles': TitlesChanged;
    '/api/v2/library/trash': GameTrashed | GamesTrashed;
    '/api/v2/library/trash/purge': Purged;
    '/api/v2/library/trash/restore': Restored;
    '/api/v2/media/choose': PictureChosen;
    '/api/v2/media/upload': UploadProgress;
    '/api/v2/memories/assign': MemoryAssigned;
    '/api/v2/memories/import': MemoriesQueued;
    '/api/v2/metadata/auto-scrape': AutoScrape;
    '/api/v2/metadata/fill': Queued;
    '/api/v2/metadata/matches/apply': MatchesBegun;
    '/api/v2/metadata/matches/decisions': MatchDecisions;
    '/api/v2/metadata/matches/preview': MatchesBegun;
    '/api/v2/metadata/scrape-settings': ScrapeSettings;
    '/api/v2/metadata/source-order': SourceOrder;
    '/api/v2/moments': KeptMoment;
    '/api/v2/moments/delete': DeletedMoment;
    '/api/v2/moments/restore': KeptMoment;
    '/api/v2/moments/resume': ResumedMoment;
    '/api/v2/moments/update': KeptMoment;
    '/api/v2/opendb/sync': Queued;
    '/api/v2/party/next': PartyTurn;
    '/api/v2/party/queue': PartyBuilt;
    '/api/v2/plugins/command': PluginCommandDone;
    '/api/v2/plugins/permissions': PluginPermissions;
    '/api/v2/plugins/settings': PluginSettingsSaved;
    '/api/v2/plugins/trust': PluginTrusted;
    '/api/v2/reels/create': ReelQueued;
    '/api/v2/resume': Resumed;
    '/api/v2/resume/discard': StateDiscarded;
    '/api/v2/saves/history/prune': Queued;
    '/api/v2/saves/history/restore': Queued;
    '/api/v2/saves/history/test-restore': SaveProof;
    '/api/v2/saves/history/verify': SaveProof;
    '/api/v2/scraper/apply': Queued;
    '/api/v2/scraper/info': ScraperGame;
    '/api/v2/scraper/match': Queued;
    '/api/v2/scraper/test': ScraperTested;
    '/api/v2/setup/commit': SetupCommitted;
    '/api/v2/setup/preview': PreviewBegun;
    '/api/v2/setup/preview/decisions': Decided;
    '/api/v2/setup/preview/revalidate': Revalidated;
    '/api/v2/shortcutbridge/apply': ShortcutPlan;
    '/api/v2/shortcutbridge/preview': ShortcutPlan;
    '/api/v2/shortcutbridge/remove': ShortcutPlan;
    '/api/v2/shortcutbridge/remove/preview': ShortcutPlan;
    '/api/v2/update/rollback': UpdateReturned;
    '/api/webhooks': WebhooksSaved;
    '/api/webhooks/test': WebhookTested;
    '/api/wrapper/import': WrapperImported;
  }

  /** What `GET` of a path answers, where the path is known. */
  type ToGet<Path> = Path extends keyof Get ? Get[Path] : unknown;

  /** What `POST` to a path answers, where the path is known. */
  type ToPost<Path> = Path extends keyof Post ? Post[Path] : unknown;
}
