/**
 * The only place that makes DOM nodes. Text goes in as text nodes, so no value of the library can become markup.
 * Refuses: HTML strings, inline handlers in attributes.
 */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Makes an element. Properties: `class`, `dataset`, `style` (object of CSS properties), `on` (object of listeners),
 * anything else becomes an attribute; `null`, `undefined` and `false` leave it out, `true` makes it empty.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {App.Props | null} [props]
 * @param {...App.Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  if (props) setProps(element, props);
  append(element, children);
  return element;
}

/**
 * Sets properties as `h` does on an element that exists already.
 *
 * @param {HTMLElement | SVGElement} element
 * @param {App.Props} props
 */
export function setProps(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name === 'on') {
      for (const [type, listener] of Object.entries(props.on ?? {}))
        if (listener) listen(element, type, listener, props.signal);
    } else if (name === 'signal') {
      continue;
    } else if (name === 'dataset') {
      for (const [key, item] of Object.entries(props.dataset ?? {})) element.dataset[key] = String(item);
    } else if (name === 'style') {
      for (const [key, item] of Object.entries(props.style ?? {})) element.style.setProperty(key, String(item));
    } else {
      setAttribute(element, name, /** @type {App.Attribute} */ (value));
    }
  }
}

/**
 * Listeners that were given as properties, by element and type. One function hears them all, so that `patch` can give
 * those of a new element to the one that stays.
 *
 * @type {WeakMap<Element, Map<string, {run: (event: Event) => void, signal: AbortSignal | undefined}>>}
 */
const listeners = new WeakMap();

/** @param {Event} event */
function dispatch(event) {
  const element = /** @type {Element} */ (event.currentTarget);
  const listener = listeners.get(element)?.get(event.type);
  if (listener && !listener.signal?.aborted) listener.run.call(element, event);
}

/**
 * @param {Element} element
 * @param {string} type
 * @param {(event: Event) => void} run
 * @param {AbortSignal | undefined} signal
 */
function listen(element, type, run, signal) {
  const known = listeners.get(element) ?? new Map();
  listeners.set(element, known);
  if (!known.has(type)) element.addEventListener(type, dispatch);
  known.set(type, { run, signal });
}

/**
 * Writes an attribute, or takes it away for `null`, `undefined` and `false`.
 *
 * @param {Element} element
 * @param {string} name
 * @param {App.Attribute} value
 */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : String(value));
}

/**
 * Appends children; strings and numbers become text, empty values are skipped, lists are flattened.
 *
 * @param {Element | DocumentFragment} parent
 * @param {readonly App.Child[]} children
 */
export function append(parent, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(parent, child);
    else parent.append(/** @type {Node | string} */ (typeof child === 'number' ? String(child) : child));
  }
}

/**
 * Replaces everything inside an element.
 *
 * @param {Element} element
 * @param {...App.Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * What elements were filled with the last time.
 *
 * @type {WeakMap<Element, Element>}
 */
const filled = new WeakMap();

/**
 * As `fill`, but leaves everything as it is where the same was there before: a press counts only on the element it
 * began on, and so it must not be drawn away while it lasts. Only for children that do the same whenever they look the
 * same, attributes included.
 *
 * @param {Element} element
 * @param {...App.Child} children
 */
export function refill(element, ...children) {
  const fresh = document.createElement('div');
  append(fresh, children);
  if (filled.get(element)?.isEqualNode(fresh)) return;
  filled.set(element, /** @type {Element} */ (fresh.cloneNode(true)));
  element.replaceChildren(...fresh.childNodes);
}

/**
 * Attributes of an element as it was last described. What a view does to an element besides, such as a class for a
 * picture that is loaded, stays when the description says the same again.
 *
 * @type {WeakMap<Element, Map<string, string>>}
 */
const described = new WeakMap();

/**
 * Makes an element contain what is described, as `fill` does, and keeps every element that is in both: with its focus,
 * selection, scroll position, opened `<details>` and a press that has begun. Elements meet by `data-key`, `data-focus`
 * or `id`, others by tag and position. A kept element gets the attributes, listeners (`on`) and children of the new
 * one; text in the field that has the focus stays. Listeners must be given as `on`, and must not refer to the new
 * element itself (`event.currentTarget` is the one on the page).
 *
 * @param {Element} root
 * @param {...App.Child} children
 */
export function patch(root, ...children) {
  const fresh = document.createDocumentFragment();
  append(fresh, children);
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  patchChildren(root, fresh);
  // An element that changed its place has lost the focus.
  if (focused && focused !== document.activeElement && root.contains(focused)) focused.focus({ preventScroll: true });
}

/**
 * @param {Node} node
 * @returns {string} the empty string for a node without a name of its own
 */
function keyOf(node) {
  return node instanceof Element
    ? (node.getAttribute('data-key') ?? node.getAttribute('data-focus') ?? node.id)
    : '';
}

/**
 * @param {Node} old
 * @param {Node} fresh
 */
function isSame(old, fresh) {
  return old.nodeName === fresh.nodeName && keyOf(old) === keyOf(fresh) &&
    (!(old instanceof HTMLInputElement) || old.type === /** @type {HTMLInputElement} */ (fresh).type);
}

/**
 * @param {Element} root
 * @param {Node} fresh
 */
function patchChildren(root, fresh) {
  const rest = [...root.childNodes];
  const kept = [...fresh.childNodes].map((child) => {
    const at = rest.findIndex((old) => isSame(old, child));
    const [old] = at < 0 ? [] : rest.splice(at, 1);
    if (old) patchNode(old, child);
    else describe(child);
    return old ?? child;
  });
  for (const old of rest) old.remove();
  let next = root.firstChild;
  for (const child of kept) {
    if (child === next) next = next.nextSibling;
    else root.insertBefore(child, next);
  }
}

/**
 * @param {Node} old
 * @param {Node} fresh
 */
function patchNode(old, fresh) {
  if (!(old instanceof Element) || !(fresh instanceof Element)) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  const before = described.get(old) ?? attributesOf(old);
  const after = attributesOf(fresh);
  for (const [name, value] of after) if (before.get(name) !== value) old.setAttribute(name, value);
  for (const name of before.keys()) if (!after.has(name)) old.removeAttribute(name);
  described.set(old, after);
  for (const type of listeners.get(old)?.keys() ?? []) if (!listeners.get(fresh)?.has(type)) silence(old, type);
  for (const [type, { run, signal }] of listeners.get(fresh) ?? []) listen(old, type, run, signal);
  patchChildren(old, fresh);
  patchValue(old, fresh);
}

/**
 * The state of a control that is no attribute.
 *
 * @param {Element} old
 * @param {Element} fresh
 */
function patchValue(old, fresh) {
  if (old instanceof HTMLInputElement) {
    const { checked, value } = /** @type {HTMLInputElement} */ (fresh);
    old.checked = checked;
    if (old !== document.activeElement && old.type !== 'file' && old.value !== value) old.value = value;
  } else if (old instanceof HTMLTextAreaElement || old instanceof HTMLSelectElement) {
    const { value } = /** @type {HTMLTextAreaElement | HTMLSelectElement} */ (fresh);
    if (old !== document.activeElement && old.value !== value) old.value = value;
  }
}

/**
 * @param {Element} element
 * @param {string} type
 */
function silence(element, type) {
  element.removeEventListener(type, dispatch);
  listeners.get(element)?.delete(type);
}

/** @param {Element} element */
function attributesOf(element) {
  return new Map([...element.attributes].map(({ name, value }) => [name, value]));
}

/** @param {Node} node */
function describe(node) {
  if (!(node instanceof Element)) return;
  described.set(node, attributesOf(node));
  for (const child of node.children) describe(child);
}

/**
 * Makes an element of a drawing.
 *
 * @param {string} tag
 * @param {Record<string, App.Attribute>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children);
  return element;
}

/**
 * An icon of the sprite in `index.html`. Icons are decoration: the name belongs on the control around them.
 *
 * @param {string} name symbol id without the `i-` prefix
 * @param {string} [className]
 * @returns {SVGSVGElement}
 */
export function icon(name, className = '') {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', className ? `icon ${className}` : 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `#i-${name}`);
  svg.append(use);
  return svg;
}

/**
 * Points an icon at another symbol.
 *
 * @param {Element | null} svg
 * @param {string} name
 */
export function setIcon(svg, name) {
  svg?.firstElementChild?.setAttribute('href', `#i-${name}`);
}

/**
 * The element with this id of the fixed shell in `index.html`.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the shell has no element #${id}`);
  return element;
}
