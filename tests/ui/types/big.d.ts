/** Shapes of moving by direction, of controllers and of the big screen. */
declare namespace App {
  type Direction = 'up' | 'down' | 'left' | 'right';

  interface Box {
    left: number;
    top: number;
    right: number;
    bottom: number;
  }

  type PadKind = 'xbox' | 'playstation' | 'nintendo' | 'generic';

  /** What is read of a controller. */
  interface PadSnapshot {
    readonly id: string;
    readonly index: number;
    readonly buttons: readonly { readonly pressed: boolean; readonly value: number }[];
    readonly axes: readonly number[];
  }

  interface PadInput {
    pad: PadSnapshot;
    button: number;
    isRepeat: boolean;
  }
}

declare namespace App {
  interface BigSettings {
    layout: 'stage' | 'hybrid' | 'coverflow';
    /** Seconds without input until the screen goes dark, and until games are shown; 0 for never. */
    saver: number;
    attract: number;
    startsHere: boolean;
    /** Paths of files; empty for none. */
    video: string;
    music: string;
    /** Whether music plays on under videos. */
    mixes: boolean;
    mood: boolean;
    /** A line of the person's own among the hints. */
    hint: string;
    /** Loudness of the navigation sounds, from 0 (off) to 1. */
    volume: number;
    rumbles: boolean;
  }
}

declare namespace App {
  /** What a press on the big screen did: moved, found nothing there, chose something, or went back. */
  type Feedback = 'move' | 'edge' | 'choose' | 'back';
}

declare namespace App {
  /** A card of the row of games. */
  interface Card {
    element: HTMLElement;
    art: HTMLElement;
    /** Words for screen readers. */
    words: HTMLElement;
    id: string;
    /** What picture it shows. */
    shown: string;
  }

  /** Games one after the other, one of them active: the row of cards or the grid. */
  interface Shelf {
    element: HTMLElement;
    readonly activeId: string;
    readonly index: number;
    readonly count: number;
    show(order: Uint32Array, keep: string): void;
    /** `false` when the direction leads out of the shelf. */
    move(direction: Direction): boolean;
    /** So many games on or back; stops at the ends. */
    jump(step: number): void;
    goTo(index: number): void;
    focus(): void;
    refresh(): void;
    close(): void;
  }

  interface ShelfEvents {
    onActive: (id: string) => void;
    onPlay: (id: string) => void;
    onMenu: (id: string) => void;
  }

  /** What the big screen shows, as its address says. */
  interface BigQuery {
    view: string;
    platform: string | null;
    playlist: string;
    preset: string;
    text: string;
    sort: string;
    achievements: string;
  }
}
