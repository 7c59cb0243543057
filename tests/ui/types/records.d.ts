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

  interface Picture {
    source: string;
    label: string;
  }

  /** What stands under one tab of the game page. It keeps what a person is typing while the game changes. */
  interface GamePanel {
    element: HTMLElement;
    update: (record: Api.Game) => void;
  }
}
