import { make, notice } from './page-elements.js';
import { TreeItem } from './page-tree-item.js';
import { readRoute, treeLink } from './page-route.js';
import { errorText, texts } from './page-texts.js';
import { isWithin } from './parley-tree.js';

/** @type {{go: (path: string) => void, closed: Promise<void>}|undefined} */
let open;

/**
 * The realtime tree as it changes, from a place on: what lies deeper is asked for when it is opened.
 * @param {import('./parley.js').Parley} parley
 * @param {string} path
 * @returns {Promise<void>} when it was closed
 */
export async function openTree(parley, path) {
  if (!open) {
    const dialog = new TreeDialog(parley, await parley.viewTree());
    open = { go: (next) => dialog.go(next), closed: dialog.closed.then(() => { open = undefined; }) };
    await styled();
    dialog.show();
  }
  open.go(tidy(path));
  return open.closed;
}

function tidy(path) { return path.split('/').filter((key) => key !== '').join('/'); }

/** Only who looks at the tree needs it. */
async function styled() {
  if (document.querySelector('link[href="page-tree.css"]')) return;
  const link = make('link', { rel: 'stylesheet', href: 'page-tree.css' });
  const loaded = new Promise((resolve) => { link.onload = link.onerror = resolve; });
  document.head.append(link);
  await loaded;
}

class TreeDialog {
  /** @type {Promise<void>} */
  closed;
  #parley;
  #view;
  #dialog;
  #input = make('input', { name: 'path', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', maxlength: '2000' });
  #status = make('p', { class: 'hint', role: 'status' });
  #tree = make('ul', { class: 'tree', role: 'tree', 'aria-label': texts.tree });
  #path = '';
  /** @type {Map<string, TreeItem>} */
  #items = new Map();

  /** @param {import('./parley.js').Parley} parley @param {import('./parley-tree.js').TreeView} view */
  constructor(parley, view) {
    this.#parley = parley;
    this.#view = view;
    const close = make('button', { type: 'button' }, texts.close);
    const form = make('form', { class: 'tree-path' }, make('label', { class: 'field' }, texts.treePath, this.#input), make('button', { class: 'primary' }, texts.treeShow));
    this.#dialog = make('dialog', { class: 'sheet tree-sheet', 'aria-labelledby': 'tree-title' }, make('h2', { id: 'tree-title' }, texts.tree), form, this.#status, this.#tree, close);
    close.onclick = () => this.#dialog.close();
    form.onsubmit = (event) => {
      event.preventDefault();
      this.go(tidy(this.#input.value));
    };
    this.#follow();
  }

  #follow() {
    const end = new AbortController();
    this.closed = new Promise((resolve) => {
      this.#dialog.onclose = () => {
        end.abort();
        this.#view.end();
        this.#dialog.remove();
        resolve();
      };
    });
    const close = () => this.#dialog.close();
    this.#parley.addEventListener('signedOut', close, { signal: end.signal });
    addEventListener('popstate', () => { if (readRoute()?.tree === undefined) close(); }, { signal: end.signal });
    this.#view.addEventListener('state', () => this.#paintState());
    this.#view.addEventListener('change', ({ detail }) => this.#changed(detail));
    this.#view.addEventListener('full', ({ detail }) => {
      notice(texts.treeFull);
      this.#items.get(detail)?.fold();
    });
    this.#view.addEventListener('refused', ({ detail }) => {
      this.#tree.replaceChildren();
      this.#status.textContent = detail.code === 'forbidden' ? texts.treeForbidden : errorText(detail);
    });
    this.#tree.onkeydown = (event) => this.#press(event);
  }

  show() {
    document.body.append(this.#dialog);
    this.#paintState();
    this.#dialog.showModal();
  }

  #paintState() { if (this.#view.state !== 'closed') this.#status.textContent = texts.treeStates[this.#view.state]; }

  /** Looks at another place. @param {string} path */
  go(path) {
    this.#view.close(this.#path);
    this.#path = path;
    this.#input.value = path;
    if (location.hash !== treeLink(path)) history.replaceState(null, '', treeLink(path));
    this.#items.clear();
    this.#tree.replaceChildren();
    if (this.#view.state === 'closed') return;
    const root = this.#item(path, `/${path}`, 1);
    root.element.tabIndex = 0;
    this.#tree.append(root.element);
    root.unfold();
  }

  #item(path, name, level) {
    const item = new TreeItem({ path, name, level }, {
      open: (rows) => this.#view.open(path, rows),
      close: () => this.#close(path),
      chosen: (element) => this.#focus(element),
    });
    this.#items.set(path, item);
    return item;
  }

  #close(path) {
    this.#view.close(path);
    for (const below of [...this.#items.keys()]) if (below !== path && isWithin(path, below)) this.#items.delete(below);
  }

  // MARK: What changes

  /** @param {import('./parley-tree.js').TreeChange} change */
  #changed(change) {
    const place = this.#items.get(change.path);
    if (!place) return;
    // The focus stays near to where it was.
    const focused = this.#tree.contains(document.activeElement) ? document.activeElement : undefined;
    const kept = change.whole ? new Set(change.rows.map(({ key }) => key)) : undefined;
    const gone = kept ? place.keys.filter((key) => !kept.has(key)) : change.gone;
    place.show(change);
    for (const key of gone) this.#remove(place, key);
    for (const row of change.rows) this.#put(place, row, !change.whole);
    place.finish();
    if (focused && !focused.isConnected) this.#focus(place.element);
    else if (!this.#tree.querySelector('[tabindex="0"]')) place.element.tabIndex = 0;
  }

  #remove(place, key) {
    const path = below(place.path, key);
    const item = this.#items.get(path);
    if (item?.isOpen) this.#close(path);
    this.#items.delete(path);
    place.remove(key);
  }

  #put(place, row, isNews) {
    const path = below(place.path, row.key);
    const known = this.#items.get(path);
    const item = known ?? this.#item(path, row.key, place.level + 1);
    if (!known) place.insert(row.key, item, row.at);
    item.show(row);
    if (isNews) item.flash();
  }

  // MARK: Keys, as trees have them

  #focus(element) {
    for (const other of this.#tree.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    element.tabIndex = 0;
    element.focus();
  }

  #press(event) {
    const items = [...this.#tree.querySelectorAll('[role="treeitem"]')];
    const place = items.indexOf(document.activeElement);
    if (place < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const item = [...this.#items.values()].find(({ element }) => element === items[place]);
    const next = this.#goal(event.key, items, place, item);
    if (next) this.#focus(next);
    else if (!this.#acts(event.key, items[place], item)) return;
    event.preventDefault();
  }

  #goal(key, items, place, item) {
    switch (key) {
      case 'ArrowDown': return items[Math.min(place + 1, items.length - 1)];
      case 'ArrowUp': return items[Math.max(place - 1, 0)];
      case 'Home': return items[0];
      case 'End': return items.at(-1);
      case 'ArrowRight': return item?.isOpen ? item.first : undefined;
      case 'ArrowLeft': return item?.isOpen ? undefined : items[place].parentElement.closest('[role="treeitem"]') ?? undefined;
      default: return undefined;
    }
  }

  #acts(key, element, item) {
    if (key === 'Enter' || key === ' ') element.firstElementChild.click();
    else if (key === 'ArrowRight' && item) item.unfold();
    else if (key === 'ArrowLeft' && item) item.fold();
    else return false;
    return true;
  }
}

function below(path, key) { return path === '' ? key : `${path}/${key}`; }
