/** Shapes of stores, emulators, the launch audit and the setup flow. */
declare namespace Api {
  /** What this machine has of one store. */
  interface Store {
    source: string;
    name: string;
    found: boolean;
    /** The program that is its client; the empty string without one. */
    client: string;
    places: string[];
  }

  /** A game of a store's catalog. */
  interface Title {
    id: string;
    name: string;
    source: string;
    platform: string;
    installed: boolean;
    install_uri: string;
    install_dir?: string;
    store_b_source?: string;
    /** The game of the library it is; the empty string for one that is not there. */
    game_id: string;
    /** Whether it is never imported. */
    excluded: boolean;
  }

  interface Exclusion {
    source: string;
    external_id: string;
    /** `['store_b', inner store, id]`. */
    store_b?: string[];
  }

  interface ImportCounts {
    added: number;
    found: number;
    errors?: string[];
  }

  interface WrapperScan {
    count: number;
    games: { wrapper_id: string; name: string; path: string; prefix: string; runner: string }[];
  }

  /** A prefix or a runtime of a compatibility layer. */
  interface Runtime {
    name: string;
    path: string;
    source?: string;
  }

  interface Provider {
    key: string;
    name: string;
    priority: number;
  }

  interface EmulatorJob {
    state?: string;
    error?: string;
    errors?: string[];
  }

  interface Emulator {
    app_id: string;
    name: string;
    platforms: string[];
    installed: boolean;
    /** `native`, `flatpak` or the empty string. */
    mode: string;
    profiles: Record<string, string>;
    can_install: boolean;
    recommendations: Record<string, [string, string][]>;
    job: EmulatorJob;
  }

  interface EmulatorList {
    emulators: Emulator[];
    install_all: EmulatorJob;
    update_all: EmulatorJob;
  }

  interface Definition {
    id: string;
    name: string;
    extensions: string[];
    platforms: string[];
    emulator_id: string;
  }

  /** A place where something an emulator needs is looked for. */
  interface Dependency {
    name: string;
    path: string;
    found: boolean;
  }

  interface ScanConfig {
    folder: string;
    emulator_id: string;
    auto_update: boolean;
  }

  type Severity = 'error' | 'warning' | 'info';

  interface Fix {
    kind: string;
    label: string;
    payload: Record<string, unknown>;
  }

  interface Check {
    code: string;
    severity: Severity;
    message: string;
    fix_action?: Fix;
  }

  interface Preflight {
    status: 'ready' | 'warning' | 'blocked';
    game_id: string | null;
    resolved: { emulator_id: string | null; adapter_id: string | null; argv_preview: string[]; cwd: string | null };
    checks: Check[];
  }

  interface AuditGroup {
    key: string;
    code: string;
    subject: string;
    severity: Severity;
    message: string;
    count: number;
    fix: Fix | null;
  }

  interface AuditTotals {
    ready: number;
    warning: number;
    blocked: number;
  }

  interface AuditMembers {
    key: string;
    games: { game_id: string; name: string }[];
    total: number;
    offset: number;
    limit: number;
  }

  interface Audit {
    scanned: boolean;
    computed_at?: string;
    game_count?: number;
    stale?: boolean;
    deep?: boolean;
    totals?: AuditTotals;
    groups?: AuditGroup[];
    members?: AuditMembers;
  }

  interface Core {
    core: string;
    name: string;
    path: string;
  }

  interface SetupSource {
    type: string;
    id?: string;
    label?: string;
    path?: string;
    /** Why nothing came from it. */
    error?: string;
  }

  interface SetupPreview {
    preview_id: string;
    revision: number;
    state: string;
    counts: Record<string, number>;
    job_id: string;
    sources: SetupSource[];
    message: string;
    /** The batch, once the preview is a part of the library. */
    import_batch_id?: string | null;
  }

  interface SetupItem {
    candidate_id: string;
    group: string;
    intended_action: string;
    source: { type: string; label: string; path: string };
    detected_title: string;
    detected_platform: string | null;
    existing_game_target: { game_id: string; title: string; platform: string } | null;
    emulator_choices: { adapter_id: string; emulator_id: string; label: string; recommended: boolean }[];
    selected_adapter_id: string | null;
    merge_diff: { field: string; current: unknown; proposed: unknown; effect: 'fill' | 'replace' }[] | null;
    decision: { action: string; platform?: string } | null;
    platform_choices?: string[];
  }

  interface SetupItems {
    items: SetupItem[];
    next_cursor: string | null;
  }

  interface SetupDecision {
    candidate_id: string;
    action: 'import' | 'merge' | 'skip' | 'exclude';
    merge_target?: string;
    emulator_id?: string;
    adapter_id?: string;
    launch_setup?: string;
    platform?: string;
  }

  interface DefsUpdate {
    ok: boolean;
    version?: string;
    update_available?: boolean;
    notes?: string;
    error?: string;
  }

  interface DefsStatus {
    /** `null` without a pack. */
    version: string | null;
    installed: string[];
    local_definitions: number;
    bundled_definitions: number;
    locally_modified: string[];
    problems: { file: string; error: string }[];
    update?: DefsUpdate;
  }

  interface DefsChange {
    installed?: string[];
    updated?: string[];
    removed?: string[];
    kept_local?: string[];
  }

  /** How one way to play stands on this machine. */
  interface AdapterHealth {
    emulator_id: string;
    bios_sha1: string;
    bios_ok: boolean;
    codes: string[];
  }
}
