import { texts } from './page-texts.js';

/** @returns {any} */
export const byID = (id) => document.getElementById(id);

/**
 * A new element with its attributes and what is in it.
 * @param {string} name
 * @param {Record<string, string>} [attributes]
 * @param {...(Node|string)} children
 * @returns {any}
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A part of a place, under a title of its own. */
export function card(title, ...content) { return make('section', { class: 'card' }, make('h2', {}, title), ...content); }

export function act(text, action) {
  const button = make('button', { type: 'button' }, text);
  button.onclick = action;
  return button;
}

/** Hands bytes to the user as a file. @param {Blob} bytes @param {string} name */
export function save(bytes, name) {
  const link = make('a', { href: URL.createObjectURL(bytes), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {string} name one of the symbols in `index.html` */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  svg.setAttribute('aria-hidden', 'true');
  use.setAttribute('href', `#icon-${name}`);
  svg.append(use);
  return svg;
}

/** Shows a user by their picture, or by the first letter of their name in a colour that stays theirs. */
export function paintFace(element, { user = '', name, avatar = '' }) {
  const hash = [...user].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) >>> 0, 7);
  const letter = ([...(name ?? '').trim()][0] ?? '·').toUpperCase();
  element.dataset.hue = hash % 8;
  // Only pictures that lie here: others would tell their servers who looks.
  if (!avatar || /^[a-z]+:/i.test(avatar)) return element.replaceChildren(letter);
  if (element.querySelector('img')?.getAttribute('src') === avatar) return;
  const picture = make('img', { src: avatar, alt: '' });
  picture.onerror = () => picture.replaceWith(letter);
  element.replaceChildren(picture);
}

/**
 * Puts rows into their order. Those that stay where they are are not touched, and one that moves keeps the focus.
 * @param {HTMLElement} list
 * @param {HTMLElement[]} rows
 */
export function putInOrder(list, rows) {
  const focused = document.activeElement;
  rows.forEach((row, index) => {
    if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
  });
  if (focused !== document.activeElement && list.contains(focused)) /** @type {HTMLElement} */ (focused).focus();
}

/** Gives a button a name for those who hear it and those who point at it. */
export function nameButton(button, text) {
  button.setAttribute('aria-label', text);
  button.title = text;
}

/** Fills in the page's own texts. */
export function fillTexts() {
  for (const element of document.querySelectorAll('[data-text]')) element.textContent = texts[element.dataset.text];
  for (const element of document.querySelectorAll('[data-placeholder]')) element.placeholder = texts[element.dataset.placeholder];
  for (const element of document.querySelectorAll('[data-label]')) element.setAttribute('aria-label', texts[element.dataset.label]);
  for (const element of document.querySelectorAll('[data-name]')) nameButton(element, texts[element.dataset.name]);
}

/** Says something for a while. */
export function notice(text) {
  const line = make('p', {}, text);
  byID('notices').replaceChildren(line);
  setTimeout(() => line.remove(), 6000);
}

/** @param {'welcome'|'home'|'stage'} view */
export function show(view) { document.body.dataset.view = view; }
