/** Shapes around one game, the history and the health of the library. */
declare namespace Api {
  interface ManualSession {
    date: string;
    seconds: number;
    note?: string;
  }

  /** An application, a version or a document of a game, or a document of a platform. */
  interface Extra {
    name: string;
    path: string;
    command?: string;
  }

  interface RelatedGame {
    /** Position in the library. */
    id: number;
    score: number;
    reasons: string[];
  }

  interface TagCount {
    tag: string;
    count: number;
  }

  interface TrashEntry {
    trash_id: string;
    trashed_at: string;
    game_id: string;
    name: string;
    platform: string;
    playlists?: string[];
  }

  interface HealthIssue {
    /** Position in the library. */
    id: number;
    game: string;
    type: string;
    detail: string;
  }

  interface Health {
    games: number;
    missing: number;
    duplicates: number;
    unconfigured: number;
    missing_media: number;
    issues: HealthIssue[];
  }

  /** A game among others that look like it. */
  interface TwinRow {
    id: number;
    game_id: string;
    name: string;
    platform: string;
    path: string;
    playtime_seconds: number;
  }

  interface TwinGroup {
    kind: 'identity' | 'path' | 'title';
    key: string;
    title: string;
    platform: string;
    games: TwinRow[];
  }

  interface Twins {
    groups: TwinGroup[];
    count: number;
    truncated: boolean;
  }

  interface MergePlan {
    primary: TwinRow;
    absorbed: TwinRow[];
    changes: Record<string, {value: unknown}>;
    changed_fields: string[];
    base_token: string;
  }

  interface MediaCleanup {
    groups: number;
    paths: string[];
    applied: boolean;
  }

  /** A missing path and the file that stands for it. */
  interface RepairMatch {
    id: number;
    field: string;
    name: string;
    from: string;
    relative: string;
  }

  interface RepairPlan {
    matches: RepairMatch[];
    ambiguous: {name: string, choices: {relative: string}[]}[];
    counts: {matched: number, ambiguous: number, unmatched: number};
    base_token: string;
  }
}

declare namespace App {
  interface TabItem {
    key: string;
    label: string;
  }

  interface Tabs {
    list: HTMLElement;
    panel: HTMLElement;
    show: (key: string) => void;
    /** Shows a number behind a label; 0 shows none. */
    count: (key: string, number: number, text: string) => void;
  }

  /** What the fields of the edit dialog suggest. */
  interface EditChoices {
    /** Known values by field. */
    lists: Record<string, string[]>;
    tags: string[];
    custom: { name: string; options: string[] }[];
    compositors: { value: string; label: string }[];
  }

  /** How the picture of a game is shown. */
  interface ArtOptions {
    /** How wide, in CSS pixels; a row's width without it. */
    readonly width?: number | undefined;
    /** Hears the hue of the picture once it is there. */
    readonly onHue?: ((hue: number | null) => void) | undefined;
    /** Whether the box takes the shape of its picture. */
    readonly follows?: boolean;
    /** Which picture, empty for the title tile; the cover without it. */
    readonly kind?: string | undefined;
  }

  interface Picture {
    /** A smaller copy, for the place it is opened from. */
    readonly small?: string;
    source: string;
    label: string;
  }

  /** One mark of a chart: a bar, a point of lines, or a day. */
  interface ChartMark {
    /** What it is for, as it is spoken. */
    readonly label: string;
    /** The same below the chart. */
    readonly short: string;
    /** Its value in words. */
    readonly text: string;
    /** One value for each series. */
    readonly values: readonly number[];
    /** The values as the table shows them, where there are several. */
    readonly cells?: readonly string[];
  }

  /** What a chart shows. */
  interface ChartFigures {
    readonly key: string;
    readonly title: string;
    readonly marks: readonly ChartMark[];
    /** The lines behind the marks, the last one at the top. */
    readonly scale: readonly { readonly value: number; readonly text: string }[];
    /** Names of the series, where there are several. */
    readonly series?: readonly string[];
    /** Every how many marks have a label. */
    readonly every?: number;
    /** How many marks an arrow across goes on: those of a column. */
    readonly jump?: number;
    /** The mark that is chosen first. */
    readonly start?: number;
  }

  /** The tabs of a screen by their name in the address, the first one first. */
  type TabList = Readonly<
    Record<string, { readonly label: string; readonly make: (ctx: Context, signal: AbortSignal) => HistoryPanel }>
  >;

  /** What stands under one tab of the history screen. */
  interface HistoryPanel {
    element: HTMLElement;
    /** Follows the address; called each time the tab is shown. */
    show: (route: Route) => void;
  }

  /** What stands under one tab of the game page. It keeps what a person is typing while the game changes. */
  interface GamePanel {
    element: HTMLElement;
    update: (record: Api.Game) => void;
  }
}

declare namespace Api {
  interface FieldChange {
    from: unknown;
    to: unknown;
  }

  interface JournalEvent {
    event_id: string;
    created_at: string;
    sequence: number;
    sync_key: string;
    kind: string;
    game_id: string;
    name: string;
    tombstone: boolean;
    changes: Record<string, FieldChange>;
    diff_base_missing?: boolean;
    revert?: unknown;
  }

  interface JournalEvents {
    events: JournalEvent[];
    total: number;
    offset: number;
    limit: number;
    has_more: boolean;
    journal_enabled: boolean;
    earliest_at: string | null;
    latest_at: string | null;
    horizon: string | null;
    gap: boolean;
    corrupt: unknown[];
  }

  interface JournalGame {
    sync_key: string;
    game_id: string;
    name: string;
    platform?: string;
    year?: string;
    genre?: string;
  }

  interface JournalState {
    as_of: string;
    games: JournalGame[];
    count: number;
    before_first_event: boolean;
    earliest_at: string | null;
    horizon: string | null;
    truncated: boolean;
    corrupt: unknown[];
  }

  interface JournalDifference {
    added: JournalGame[];
    removed: JournalGame[];
    changed: (JournalGame & { changes: Record<string, FieldChange> })[];
    summary: { added: number; removed: number; changed: number };
    truncated: { added: boolean; removed: boolean; changed: boolean; limit: number };
    horizon: string | null;
    before_horizon?: boolean;
    corrupt: unknown[];
  }

  interface RevertPlan {
    game_id: string;
    event_id: string;
    undo: boolean;
    changes: { field: string; action: string; from: unknown; to: unknown }[];
    target_catalog: Record<string, unknown> | null;
    base_token: string;
    noop: boolean;
  }
}
