/**
 * The only place that makes DOM nodes. Text goes in as text nodes, so no value of the library can become markup.
 * Refuses: HTML strings, inline handlers in attributes.
 */

import { holdFocus } from './focus.js';

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
 * What the field an event comes from holds.
 *
 * @param {Event} event
 * @returns {string}
 */
export function valueOf(event) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (event.currentTarget).value;
}

/**
 * Whether the box an event comes from is ticked.
 *
 * @param {Event} event
 * @returns {boolean}
 */
export function isTicked(event) {
  return /** @type {HTMLInputElement} */ (event.currentTarget).checked;
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
 * Strings and numbers as text nodes, without empty values, lists flattened.
 *
 * @param {readonly App.Child[]} children
 * @returns {Node[]}
 */
function nodesOf(children) {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    if (Array.isArray(child)) return nodesOf(child);
    return [child instanceof Node ? child : document.createTextNode(String(child))];
  });
}

/**
 * Appends children; strings and numbers become text, empty values are skipped, lists are flattened.
 *
 * @param {Element | DocumentFragment} parent
 * @param {readonly App.Child[]} children
 */
export function append(parent, children) {
  parent.append(...nodesOf(children));
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
 * Attributes of an element as it was last described. What a view does to an element besides, such as a class for a
 * picture that is loaded, stays when the description says the same again.
 *
 * @type {WeakMap<Element, Map<string, string>>}
 */
const described = new WeakMap();

/** What an element was given after it was described. @type {WeakSet<Node>} */
const added = new WeakSet();

/**
 * Puts something first into an element that `patch` leaves there although nothing describes it.
 *
 * @param {Element} root
 * @param {ChildNode} node
 */
export function addFirst(root, node) {
  added.add(node);
  root.prepend(node);
}

/**
 * @param {ChildNode | null} node
 * @returns {ChildNode | null} it or the first one after it that is described
 */
function passAdded(node) {
  let at = node;
  while (at && added.has(at)) at = at.nextSibling;
  return at;
}

/**
 * Makes an element contain what is described, as `fill` does, and keeps every element that is in both: with its focus,
 * selection, scroll position, opened `<details>` and a press that has begun. Elements meet by `data-key`, `data-focus`
 * or `id`, rows of a list also by their first control, others by tag and position. A kept element gets the attributes,
 * listeners (`on`) and children of the new one; text in the field that has the focus stays. Listeners must be given as
 * `on`, and must not refer to the new element itself (`event.currentTarget` is the one on the page). An element that a
 * view keeps needs a key, so that it never becomes another one. Where the focused element is gone, the focus goes to
 * what stands near its place.
 *
 * @param {Element} root
 * @param {...App.Child} children
 */
export function patch(root, ...children) {
  const giveBack = holdFocus(root);
  patchChildren(root, nodesOf(children));
  giveBack();
}

/**
 * What two nodes have in common that are the same one for `patch`.
 *
 * @param {Node} node
 * @returns {string}
 */
function nameOf(node) {
  if (!(node instanceof Element)) return node.nodeName;
  const control = node.matches('li') ? node.querySelector('[data-focus]') : null;
  const key = node.getAttribute('data-key') ?? node.getAttribute('data-focus') ??
    (node.id || (control?.getAttribute('data-focus') ?? ''));
  return `${node.nodeName} ${node.getAttribute('type')} ${key}`;
}

/**
 * @param {Element} root
 * @param {readonly Node[]} fresh
 */
function patchChildren(root, fresh) {
  /** @type {Map<string, ChildNode[]>} */
  const rest = new Map();
  for (const old of root.childNodes) {
    if (fresh.includes(old) || added.has(old)) continue;
    const name = nameOf(old);
    rest.set(name, [...(rest.get(name) ?? []), old]);
  }
  const kept = fresh.map((child) => {
    if (child.parentNode === root) return child;
    const old = rest.get(nameOf(child))?.shift();
    if (old) patchNode(old, child);
    else describe(child);
    return old ?? child;
  });
  for (const old of [...rest.values()].flat()) old.remove();
  let next = passAdded(root.firstChild);
  for (const child of kept) {
    if (child === next) next = passAdded(next.nextSibling);
    else root.insertBefore(child, next);
  }
}

/**
 * Makes one element what another one describes, as `patch` does with those it keeps.
 *
 * @param {Node} old
 * @param {Node} fresh
 */
export function patchNode(old, fresh) {
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
  patchChildren(old, [...fresh.childNodes]);
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
  } else if (old instanceof HTMLTextAreaElement) {
    const { value } = /** @type {HTMLTextAreaElement} */ (fresh);
    if (old !== document.activeElement && old.value !== value) old.value = value;
  } else if (old instanceof HTMLSelectElement) {
    const { value } = /** @type {HTMLSelectElement} */ (fresh);
    if (old.value !== value) old.value = value;
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
  if (!described.has(node)) described.set(node, attributesOf(node));
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
 * The size of text that the page is laid out for, in pixels: `1rem` of the styles.
 *
 * @returns {number}
 */
export function textSize() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** The size of text that browsers have when nobody chose another, in pixels. */
const USUAL_TEXT = 16;

/** How much larger than usual the text of the page is, at least 1. */
export function textScale() {
  return Math.max(1, textSize() / USUAL_TEXT);
}

/**
 * The height or width of a box that holds text: larger text makes it larger.
 *
 * @param {number} length with text of the usual size, in pixels
 * @returns {number}
 */
export function atTextSize(length) {
  return Math.round(length * textScale());
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
