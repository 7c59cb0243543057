/**
 * Walks of a screen by controller alone: what directions can reach from where the focus is, and the way there and back. The ways are found with the engine of the page
 * itself; the steps are real presses.
 */

import assert from 'node:assert/strict';

/** Presses after which a walk is lost. */
const LOST = 90;

/** Parts of a screen that the user tells from each other. */
const REGIONS =
  '.brand, .search, .places, .foot, header, nav, aside, section, form, footer, [role="listbox"], [role="tablist"], [role="tabpanel"], [role="toolbar"], dialog, main';

/**
 * What the walk keeps in the page.
 *
 * @typedef {{map: (regions: string) => Promise<{lost: string[], stuck: string[], goals: {key: number, region: string, name: string}[], start: number}>, next: (key: number) => Promise<string | null>}} Walker
 */

/**
 * Walks to a control of every region of the screen and back to the start.
 *
 * @param {import('playwright-core').Page} page
 * @param {import('./gamepad.js').Pad} pad
 * @returns {Promise<number>} how many regions there were
 */
export async function walkRegions(page, pad) {
  await prepare(page);
  const { lost, stuck, goals, start } = await page.evaluate(
    (regions) => /** @type {{walker: Walker}} */ (/** @type {unknown} */ (window)).walker.map(regions),
    REGIONS,
  );
  assert.deepEqual(lost, [], 'no way leads to these controls');
  assert.deepEqual(stuck, [], 'no way leads back from these controls');
  for (const { key, region, name } of goals) {
    for (const [goal, what]
      of /** @type {const} */ ([[key, `${region}: ${name}`], [start, `back from ${region}: ${name}`]])) {
      let steps = 0;
      for (;;) {
        const direction = await page.evaluate(
          (to) => /** @type {{walker: Walker}} */ (/** @type {unknown} */ (window)).walker.next(to),
          goal,
        );
        if (direction === '') break;
        assert.ok(direction, `no way to ${what}`);
        steps += 1;
        assert.ok(steps < LOST, `lost on the way to ${what}`);
        await pad.press(/** @type {'up'} */ (direction));
      }
    }
  }
  return goals.length;
}

/** @param {import('playwright-core').Page} page */
function prepare(page) {
  return page.evaluate(() => {
    const DIRECTIONS = /** @type {const} */ (['up', 'down', 'left', 'right']);
    /** @type {Element[]} */
    const known = [];
    /** @type {Map<number, string>} */
    const signs = new Map();
    const nameOf = (/** @type {Element} */ control) =>
      (control.getAttribute('aria-label') ?? control.textContent?.trim().slice(0, 40) ?? '') ||
      control.outerHTML.slice(0, 60);
    const signOf = (/** @type {Element} */ control) =>
      `${control.tagName}|${control.getAttribute('href') ?? ''}|${nameOf(control)}`;
    const engine = () => /** @type {Promise<typeof import('../../../static/core/focus.js')>} */ (import(
      new URL('/core/focus.js', location.href).href
    ));
    /** Directions a control keeps for itself. */
    const keeps = (
      /** @type {Element} */ control,
    ) => (control instanceof HTMLInputElement && control.type === 'range'
      ? ['left', 'right']
      : control.getAttribute('role') === 'combobox'
      ? ['up', 'down']
      : []);
    const scrollState = () =>
      [...document.querySelectorAll('*')].filter((element) => element.scrollTop > 0 || element.scrollLeft > 0).map((
        element,
      ) => ({ element, top: element.scrollTop, left: element.scrollLeft }));
    const graph = async () => {
      const { frontLayer, neighbour, steerables } = await engine();
      const layer = frontLayer();
      const controls = steerables(layer).filter((control) => !control.matches('.skip, .osk-open'));
      const before = scrollState();
      const edges = new Map(controls.map((control) => {
        // Where the focus is has been scrolled to.
        (control.closest('label') ?? control).scrollIntoView({ block: 'nearest', inline: 'nearest' });
        return [control,
          DIRECTIONS.filter((direction) => !keeps(control).includes(direction)).map((direction) => ({ direction,
            to: neighbour(direction, control, layer) })
          ).filter(({ to }) => to !== null)];
      }));
      for (const { element } of scrollState()) [element.scrollTop, element.scrollLeft] = [0, 0];
      for (const { element, top, left } of before) [element.scrollTop, element.scrollLeft] = [top, left];
      return { controls, edges };
    };
    let last = { controls: /** @type {HTMLElement[]} */ ([]),
      edges: /** @type {Map<Element, {direction: string, to: Element | null}[]>} */ (new Map()) };
    const reach = (/** @type {Map<Element, {direction: string, to: Element | null}[]>} */ edges,
      /** @type {Element} */ from) => {
      /** @type {Map<Element, string>} the first step towards each control */
      const ways = new Map([[from, '']]);
      for (const here of ways.keys())
        for (const { direction, to } of edges.get(here) ?? [])
          if (to && !ways.has(to)) ways.set(to, ways.get(here) || direction);
      return ways;
    };
    /** @type {{from: Element, direction: string} | null} */
    let asked = null;
    /** @type {Map<Element, Record<string, Element>>} */
    const learned = new Map();
    let toward = -1;
    /** @type {Map<Element, Set<string>>} directions taken on the way to the goal: where two ways are as long, one step must not take back the other for ever */
    let taken = new Map();
    /** @type {Walker} */
    const walker = {
      async map(regions) {
        last = await graph();
        const { controls, edges } = last;
        const start = /** @type {Element} */ (document.activeElement);
        const there = reach(edges, start);
        /** @type {Map<Element, {direction: string, to: Element | null}[]>} */
        const back = new Map();
        for (const [from, steps] of edges)
          for (const { direction, to } of steps)
            if (to) back.set(to, [...(back.get(to) ?? []), { direction, to: from }]);
        const home = reach(back, start);
        /** @type {Map<Element, Element>} */
        const goals = new Map();
        for (const control of controls) {
          const region = control.closest(regions) ?? document.body;
          if (!goals.has(region) && there.has(control)) goals.set(region, control);
        }
        const keyOf = (/** @type {Element} */ control) => {
          signs.set(known.length, signOf(control));
          return known.push(control) - 1;
        };
        return {
          lost: controls.filter((control) => !there.has(control)).map(nameOf),
          stuck: controls.filter((control) => there.has(control) && !home.has(control)).map(nameOf),
          goals: [...goals].map(([region, control]) => ({ key: keyOf(control),
            region: region.getAttribute('aria-label') ?? (region.className || region.tagName), name: nameOf(control) })
          ),
          start: keyOf(start),
        };
      },
      async next(key) {
        const isOld = !last.edges.has(/** @type {Element} */ (document.activeElement)) ||
          last.controls.some((control) => !control.isConnected);
        if (isOld) last = await graph();
        const { controls, edges } = last;
        // A control that was drawn anew meanwhile is known by its words.
        const goal = known[key]?.isConnected
          ? known[key]
          : controls.find((control) => signOf(control) === signs.get(key));
        const here = /** @type {Element} */ (document.activeElement);
        // Where a press led in truth counts more than where it should have led: lists stand elsewhere by now.
        if (asked) learned.set(asked.from, { ...learned.get(asked.from), [asked.direction]: here });
        for (const [from, outcomes] of learned)
          for (const step of edges.get(from) ?? []) step.to = outcomes[step.direction] ?? step.to;
        if (!goal) return null;
        if (toward !== key) [toward, taken] = [key, new Map()];
        const used = taken.get(here) ?? new Set();
        const fresh = new Map(edges).set(here, (edges.get(here) ?? []).filter((step) => !used.has(step.direction)));
        const direction = reach(fresh, here).get(goal) ?? reach(edges, here).get(goal) ?? null;
        if (direction) taken.set(here, used.add(direction));
        asked = direction ? { from: here, direction } : null;
        return direction;
      },
    };
    Object.assign(window, { walker });
  });
}
