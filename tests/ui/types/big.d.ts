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
  }
}
