/**
 * A list that is wider than its place: the arrow keys move it sideways, and whoever stands above it hears how far it
 * was moved and whether there is more.
 */

/** How far a press of an arrow key moves the list, in pixels. */
const STEP = 120;

/** Less than this is no way to go: widths are no whole numbers where the page is enlarged. */
const NOTHING = 1;

/** Follows a list and moves it. */
export class SideScroll {
  #list;
  #inner;

  /**
   * @param {HTMLElement} list what scrolls; the one thing in it is as wide as its rows
   * @param {(frame: App.SideFrame) => void} onFrame hears of each change
   * @param {AbortSignal} signal
   */
  constructor(list, onFrame, signal) {
    this.#list = list;
    const inner = /** @type {HTMLElement} */ (list.firstElementChild);
    this.#inner = inner;
    let told = '';
    const tell = () => {
      const frame = this.#frame();
      const now = JSON.stringify(frame);
      if (now === told) return;
      told = now;
      onFrame(frame);
    };
    const observer = new ResizeObserver(tell);
    observer.observe(list);
    observer.observe(inner);
    signal.addEventListener('abort', () => observer.disconnect());
    list.addEventListener('scroll', tell, { signal });
    // Before the list itself, to which the same keys mean the next game.
    list.addEventListener('keydown', (event) => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!way || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey || !this.#frame().isWide) return;
      event.preventDefault();
      event.stopPropagation();
      this.by(way * STEP);
    }, { capture: true, signal });
  }

  /** @param {number} pixels to the right where they are more than none */
  by(pixels) {
    this.#list.scrollBy({ left: pixels, behavior: 'instant' });
  }

  /** @returns {App.SideFrame} */
  #frame() {
    const width = this.#inner.offsetWidth;
    const way = this.#list.scrollWidth - this.#list.clientWidth;
    const gone = Math.abs(this.#list.scrollLeft);
    const isWide = width > 0 && way > NOTHING;
    return { width, left: isWide ? this.#list.scrollLeft : 0, isWide, hasBefore: isWide && gone > NOTHING,
      hasMore: isWide && way - gone > NOTHING };
  }
}
