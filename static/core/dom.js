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
      const signal = props.signal;
      for (const [type, listener] of Object.entries(props.on ?? {})) {
        if (listener)
          element.addEventListener(type, /** @type {EventListener} */ (listener), signal ? { signal } : undefined);
      }
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
