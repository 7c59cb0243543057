/** Shapes inside the user interface. */
declare namespace App {
  type Timer = ReturnType<typeof setTimeout> | undefined;
  type Attribute = string | number | boolean | null | undefined;
  type Child = Node | string | number | null | undefined | false | readonly Child[];

  interface Props {
    on?: Record<string, ((event: Event) => void) | undefined>;
    signal?: AbortSignal;
    dataset?: Record<string, string | number>;
    style?: Record<string, string | number>;
    [attribute: string]: unknown;
  }

  /** A game as lists know it. */
  interface Row {
    readonly id: string;
    readonly name: string;
    /** The name to sort by. */
    readonly sort: string;
    readonly platform: string;
    readonly year: string;
    readonly genre: string;
    readonly developer: string;
    readonly publisher: string;
    readonly series: string;
    readonly region: string;
    readonly esrb: string;
    readonly source: string;
    /** The category of the platform. */
    readonly category: string;
    readonly tags: readonly string[];
    readonly progress: string;
    readonly rating: number;
    /** Personal stars, 0 for none. */
    readonly stars: number;
    /** Bits of `FLAG`. */
    readonly flags: number;
    readonly plays: number;
    /** Seconds played altogether. */
    readonly seconds: number;
    readonly last: string;
    readonly added: string;
  }

  /** A game that became different. */
  interface RowChange {
    readonly before: Row;
    readonly after: Row;
  }

  /** A member of a row whose values many games share. */
  type SharedMember = Exclude<keyof Row, 'id' | 'name' | 'sort'>;

  type Columns = {
    [Member in SharedMember]: import('../../../static/data/shared-column.js').SharedColumn<Row[Member]>;
  };

  /** A test of games by one of their values. */
  interface SlotTest {
    /** The code of each slot. */
    readonly codes: Uint8Array | Uint16Array | Uint32Array;
    /** Whether a value passes by its code, 0 or 1. */
    readonly passes: Uint8Array;
  }

  /** Rows as they are sent from one table to another. */
  interface PackedRows {
    slots: Uint32Array;
    ids: string[];
    names: PackedTexts;
    /** Names to sort by that are not the name, and which of the rows has them. */
    sorts: [number, string][];
    /** One for each shared member. */
    columns: PackedColumn[];
  }

  /** Texts one behind the other. */
  interface PackedTexts {
    /** UTF-8. */
    bytes: Uint8Array;
    /** Bytes of each. */
    lengths: Uint32Array;
  }

  /** Values of some rows. */
  interface PackedColumn {
    /** The different ones. */
    values: unknown[];
    /** Which of them each row has. */
    codes: Uint16Array;
  }

  /** What only searches know of a game, folded and without line ends. */
  interface SearchDoc {
    /** All its names, a tab between them; the first is the one that is shown. */
    readonly title: string;
    readonly initials: string;
    readonly notes: string;
    readonly play: string;
    readonly status: string;
    readonly controller: string;
    readonly rating: string;
  }

  interface Term {
    /** A known key, or the empty string for a bare word. */
    readonly key: string;
    readonly value: string;
    readonly negated: boolean;
  }

  interface Facets {
    total: number;
    views: Record<string, number>;
    platforms: [string, number][];
    /** Genres and tags that games have, in alphabetical order. */
    genres: string[];
    tags: string[];
    /** Games of each playlist. */
    playlists: Record<string, number>;
  }

  /** Chosen values by filter; the empty string is "without one". */
  type Filters = Record<string, string[]>;

  interface FilterTest {
    key: string;
    passes: (row: Row) => boolean;
  }

  interface CompiledRules {
    view: string;
    /** Folded; empty for none. */
    phrase: string;
    tests: FilterTest[];
  }

  /** A smart collection. */
  interface Collection {
    readonly name: string;
    readonly query: string;
    /** Its games; `null` until the server has counted them. */
    readonly count: number | null;
  }

  interface CollectionGames {
    name: string;
    /** As many as the server names. */
    ids: readonly string[];
    total: number;
    /** `null` when there is no such collection. */
    phrase: Api.Phrase | null;
  }

  /** A heading of the library and the games below it. */
  interface Group {
    key: string;
    count: number;
  }

  /** Where a letter begins. */
  interface Letter {
    letter: string;
    index: number;
  }

  interface LibraryQuery {
    text: string;
    view: string;
    filters: Filters;
    /** The empty string for none. */
    playlist: string;
    /** The empty string for none. */
    collection: string;
    sort: string;
    reversed: boolean;
    group: string;
  }

  interface CatalogQuery extends LibraryQuery {
    /** Whether the counts beside the filters are wanted. */
    counts: boolean;
    /** Whether games that people keep off the big screen are left out. */
    isBig?: boolean;
    /** The language whose alphabet names are sorted by; English without one. */
    locale?: string;
    seq: number;
  }

  type ToWorker =
    | { type: 'load'; headers: Record<string, string>; first: Api.LibraryPage }
    | { type: 'extend'; headers: Record<string, string> }
    | { type: 'resync'; headers: Record<string, string> }
    | { type: 'lists'; playlists: Api.Playlist[] }
    | { type: 'collection'; name: string; ids: string[] }
    | { type: 'find'; seq: number; text: string; limit: number }
    | { type: 'query'; query: CatalogQuery }
    | { type: 'put'; games: readonly Api.Game[] }
    | { type: 'drop'; ids: string[] };

  type FromWorker =
    | { type: 'rows'; rows: PackedRows }
    | { type: 'progress'; loaded: number; total: number }
    | { type: 'facets'; facets: Facets }
    | { type: 'order'; seq: number; order: Uint32Array; groups: Group[]; letters: Letter[]; isWhole: boolean }
    | { type: 'counts'; seq: number; counts: Record<string, [string, number][]> }
    | { type: 'found'; seq: number; slots: number[] }
    | { type: 'ready'; total: number }
    | { type: 'gone'; ids: string[] }
    | { type: 'failed'; error: { message: string; code: string; status: number; requestId: string; path: string } };

  interface WorkerScope {
    onmessage: ((event: { data: ToWorker }) => void) | null;
    postMessage(message: FromWorker, transfer?: Transferable[]): void;
  }

  interface CatalogWorker {
    onmessage: ((event: { data: FromWorker }) => void) | null;
    postMessage(message: ToWorker): void;
  }

  /** How the rows of a list stand in its place. */
  interface SideFrame {
    /** How wide the rows are. */
    width: number;
    /** How far they were moved, as the browser counts it. */
    left: number;
    /** Whether they are wider than their place. */
    isWide: boolean;
    /** Whether anything of them is out of sight before the place, and behind it. */
    hasBefore: boolean;
    hasMore: boolean;
  }

  interface GridShape {
    columns: number;
    tileWidth: number;
    artHeight: number;
    rowHeight: number;
    columnStep: number;
  }

  /** Where tiles and headings stand. */
  interface Layout {
    shape: GridShape;
    count: number;
    /** Height of a heading, 0 without groups. */
    heading: number;
    /** First tile of each section, and one past the last tile. */
    firsts: Uint32Array;
    /** Upper edge of each section, and the height of everything. */
    tops: Float64Array;
    height: number;
  }

  /** Values for games that had them, to take a change back. */
  interface Change {
    ids: string[];
    change: Record<string, unknown>;
  }

  /** Which pictures stand for a list of games. */
  interface Pictures {
    /** What they depend on, to know when they are others. */
    readonly key: string;
    /** Height / width of the tiles. */
    readonly ratio: number;
    /** The kind of the picture of a game; empty for none. */
    readonly of: (row: Row) => string;
  }

  /** What a grid tells. */
  interface GridEvents {
    readonly onOpen: (id: string) => void;
    readonly onSelect: (id: string) => void;
    readonly onLaunch: (id: string) => void;
    readonly onMenu: (id: string, at: { x: number; y: number }) => void;
    /** The chosen games changed. */
    readonly onChosen: () => void;
    /** Pictures were dropped on a game. */
    readonly onPictures: (id: string, files: File[]) => void;
  }

  interface Tile {
    element: HTMLElement;
    art: HTMLElement;
    marks: HTMLElement;
    name: HTMLElement;
    sub: HTMLElement;
    /** Words for screen readers. */
    spoken: HTMLElement;
    /** What a row of the list shows beside the name. */
    cells: Map<string, HTMLElement>;
    id: string;
    /** What picture the tile shows. */
    shown: string;
  }

  interface Route {
    name: string;
    arg: string;
    query: Record<string, string | undefined>;
    hash: string;
    /** Whether it took the place of the address before it, so that "back" does not lead there. */
    replaced?: boolean;
  }

  interface View {
    update?(route: Route): void;
    unmount(): void;
  }

  interface Session {
    launchId: string;
    gameId: string;
    name: string;
    paused: boolean;
    /** Played until `measuredAt`. */
    seconds: number;
    measuredAt: number;
  }

  /** Whether a game can go on from where it was left. `stale` is a state of another emulator or version of it. */
  interface Resume {
    state: 'none' | 'ready' | 'stale';
    /** When it was kept, UTC; empty when nobody knows. */
    at: string;
  }

  interface Shortcut {
    key: string;
    group: string;
    /** Locale key. */
    label: string;
    /** `false` when there is nothing to do now, so that another meaning of the key may act. Absent for keys a control handles itself. */
    run?: (event: KeyboardEvent) => boolean | void;
    /** What a button of a controller stands for that does the same, as in `core/pad-map.js`. */
    action?: string;
    /** The dialog it belongs to; absent for the page. */
    layer?: Element;
  }

  interface NoticeAction {
    label: string;
    run: () => void;
    /** Leaves the notice open. */
    keep?: boolean;
  }

  interface Notice {
    kind?: 'plain' | 'good' | 'error';
    text: string;
    facts?: string;
    /** What is drawn below the text. */
    card?: Node;
    actions?: NoticeAction[];
    /** Of notices with one key, one is shown at a time. */
    key?: string;
  }

  /** A line of the palette. */
  interface Entry {
    /** `games`, `places`, `actions` or `settings`. */
    group: string;
    label: string;
    note: string;
    glyph: Node;
    run: () => void;
  }

  /** The system whose games alone a preview shows: its source by position, and its platform, blank while it is open. */
  interface SetupOnly {
    source: number;
    platform: string;
  }

  /** A source the setup flow offers. */
  interface SetupChoice {
    source: Api.SetupSource;
    symbol: string;
    name: string;
    note: string;
    isChosen: boolean;
    /** Whether a person wrote it. */
    isOwn?: boolean;
  }

  interface MenuItem {
    icon: string;
    label: string;
    /** Stands at the end of the line: a count, a key. */
    note?: string;
    danger?: boolean;
    run: () => void;
  }

  interface DialogHandle {
    element: HTMLDialogElement;
    form: HTMLFormElement;
    close: (value: string) => void;
    closed: Promise<string>;
    signal: AbortSignal;
  }

  type FieldValue = string | number | boolean | string[];

  interface FieldSpec {
    key: string;
    kind: 'text' | 'area' | 'lines' | 'select' | 'bool' | 'number' | 'tags';
    value: FieldValue;
    label: string;
    hint?: string;
    wide?: boolean;
    mono?: boolean;
    /** Whether it is the path of a file or folder, which may be pasted as other programs write it. */
    isPath?: boolean;
    required?: boolean;
    rows?: number;
    list?: string;
    min?: number;
    max?: number;
    step?: number;
    options?: { value: string; label: string }[];
  }

  interface Field {
    spec: FieldSpec;
    element: HTMLElement;
    control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
    read: () => FieldValue;
    write: (value: FieldValue) => void;
    fail: (message: string) => void;
  }

  interface EditTab {
    name: string;
    fields: Field[];
    panel: HTMLElement;
    button: HTMLButtonElement;
    /** Runs each time the tab is opened. */
    onShow?: () => void;
  }

  interface SettingRow {
    key: string;
    group: string;
    control: string;
    default?: unknown;
    min?: number;
    max?: number;
    /** A value outside the bounds that switches the thing off. */
    off?: number;
    choices?: string[];
    /** What choices are called that only this library has. */
    labels?: Record<string, string>;
    max_items?: number;
    max_length?: number;
    /** For a secret: the setting that tells whether one is stored. */
    set_flag?: string;
    /** A route of the feature the setting belongs to; always shown without one. */
    feature?: string;
    /** The setting whose control edits this one too. */
    edited_with?: string;
  }

  /** One event of the live stream. */
  interface StreamEvent {
    name: string;
    data: Record<string, unknown>;
  }

  /** `full`: every place on the stream is taken; `lost`: the server does not answer. */
  type LiveState = 'starting' | 'live' | 'full' | 'lost';

  /** What tabs say to each other about the stream. */
  type LiveMessage =
    | { type: 'hello' }
    | { type: 'retry' }
    | { type: 'state'; state: LiveState }
    | { type: 'event'; event: StreamEvent }
    | { type: 'behind'; missed: boolean };

  interface Messages {
    live: { state: LiveState };
    'live:event': StreamEvent;
    /** Ask the server again. `missed`: there was a time in which nobody listened. */
    'live:behind': { missed: boolean };
    /** The server has not answered for so long that another start of it has another address. */
    'live:gone': Record<string, never>;
    /** The server answers again: what failed meanwhile may be asked for once more. */
    answered: Record<string, never>;
    /** Sections of the library file that changed on the server. */
    sections: { names: string[] };
    jobs: readonly Api.Job[];
    /** A job that was seen at work has ended. */
    'job:ended': Api.Job;
    notices: readonly Api.Notice[];
    'notice:new': Api.Notice;
    queue: readonly Api.QueueEntry[];
    /** Whether this page may only view and play from now on. */
    kiosk: { isLocked: boolean };
    'catalog:rows': { ids: string[] };
    /** A game whose row shows what is on its way to the server. */
    'catalog:expected': { id: string };
    /** Games that became different, one by one; not those of a whole library that was read again. */
    'catalog:changes': { changes: RowChange[] };
    /** Games that the library does not have any more. */
    'catalog:gone': { ids: readonly string[] };
    'catalog:progress': { loaded: number; total: number };
    'catalog:facets': Facets;
    'catalog:order': { order: Uint32Array; groups: Group[]; letters: Letter[]; isWhole: boolean };
    'catalog:counts': Record<string, [string, number][]>;
    /** A page of the library, which carries playlists and presets too. */
    'catalog:page': Api.LibraryPage;
    lists: Record<string, never>;
    /** The collections or their counts are other ones. */
    collections: Record<string, never>;
    /** What the shown collection holds. */
    collection: CollectionGames;
    /** Games that are being dragged; none at the end. */
    drag: { ids: readonly string[] };
    /** How much of a piece of work on many games is done. */
    bulk: { part: number | null };
    'catalog:ready': { total: number };
    sessions: Session[];
    'session:event': Api.SessionEvent;
    /** A moment of a game was kept or changed on this page. */
    moment: { gameId: string };
    /** What is known about going on with a game is something else. */
    resume: { id: string };
    settings: Api.Settings;
    locale: { locale: string };
    route: Route;
    game: { ids: string[] };
    removed: { id: string };
    dialog: { open: boolean };
    /** Another kind of controller is in use, or its buttons changed. */
    pad: { kind: PadKind };
    /** A button of a controller was pressed, whatever it does. */
    steer: { action: string };
    sidebar: { open: boolean };
    /** The sidebar was opened or closed. */
    menu: Record<string, never>;
    failure: unknown;
    'focus-library': Record<string, never>;
  }

  interface Context {
    client: import('../../../static/core/client.js').Client;
    bus: import('../../../static/core/bus.js').Bus;
    router: import('../../../static/core/router.js').Router;
    i18n: import('../../../static/core/i18n.js').I18n;
    preferences: import('../../../static/data/preferences.js').Preferences;
    catalog: import('../../../static/data/catalog.js').Catalog;
    lists: import('../../../static/data/lists.js').Lists;
    collections: import('../../../static/data/collections.js').Collections;
    bulk: import('../../../static/parts/library/bulk.js').Bulk;
    sessions: import('../../../static/data/sessions.js').Sessions;
    resumes: import('../../../static/data/resumes.js').Resumes;
    live: import('../../../static/core/live.js').Live;
    jobs: import('../../../static/data/jobs.js').Jobs;
    notices: import('../../../static/data/notices.js').Notices;
    queue: import('../../../static/data/queue.js').Queue;
    kiosk: import('../../../static/data/kiosk.js').Kiosk;
    keys: import('../../../static/core/keys.js').Keys;
    pads: import('../../../static/core/gamepad.js').Gamepads;
    toasts: import('../../../static/parts/shell/toast.js').Toasts;
    actions: import('../../../static/parts/actions.js').Actions;
    format: import('../../../static/core/format.js').Format;
    t: (key: string, values?: Record<string, string | number>) => string;
    tn: (key: string, count: number, values?: Record<string, string | number>) => string;
    /** Speaks a short text through the polite live region. */
    announce: (text: string) => void;
    /** Shows an error, with actions that may help. */
    fail: (error: unknown, actions?: NoticeAction[]) => void;
    hasHistory: () => boolean;
  }
}
