import { make } from './page-elements.js';
import { fileSize } from './page-files.js';
import { texts } from './page-texts.js';

// Rows are asked for in portions, and the server gives no more than so many of one place.
const portion = 100;
const mostRows = 1_000;
const flashTime = 2_000;

/** A place of the realtime tree in one line, with the lines of its children below it while it is open. */
export class TreeItem {
  path;
  level;
  isOpen = false;
  element;
  #name;
  #orders;
  #value = make('span', { class: 'tree-value', dir: 'auto' });
  #line;
  #group = make('ul', { role: 'group' });
  #more = make('li', { role: 'treeitem', tabindex: '-1', class: 'tree-more' });
  /** @type {Map<string, TreeItem>} */
  #children = new Map();
  #count = 0;
  #rows = portion;
  #timer;

  /**
   * @param {{path: string, name: string, level: number}} place
   * @param {{open: (rows: number) => void, close: () => void, chosen: (element: HTMLElement) => void}} orders
   */
  constructor({ path, name, level }, orders) {
    [this.path, this.level, this.#name, this.#orders] = [path, level, name, orders];
    this.#line = make('div', { class: 'tree-line' }, make('span', { class: 'tree-key', dir: 'auto' }, name), this.#value);
    this.element = make('li', { role: 'treeitem', 'aria-level': `${level}`, tabindex: '-1', 'aria-label': name }, this.#line);
    this.#line.onclick = () => {
      orders.chosen(this.element);
      if (this.isOpen) this.fold();
      else this.unfold();
    };
    this.#more.setAttribute('aria-level', `${level + 1}`);
  }

  get keys() { return [...this.#children.keys()]; }
  /** The first line below this one. */
  get first() { return this.#group.firstElementChild; }

  unfold() {
    if (this.isOpen || (this.level > 1 && this.#count === 0)) return;
    this.isOpen = true;
    this.#rows = portion;
    this.element.append(this.#group);
    this.#paintFold();
    this.#orders.open(this.#rows);
  }

  // The first line stays open: without it nothing would be shown.
  fold() {
    if (!this.isOpen || this.level === 1) return;
    this.isOpen = false;
    this.#children.clear();
    this.#group.replaceChildren();
    this.#group.remove();
    this.#paintFold();
    this.#orders.close();
  }

  /** @param {import('./parley-tree.js').TreeSummary} summary */
  show({ value, bytes, count }) {
    this.#count = count ?? 0;
    const text = count !== undefined ? texts.treeCount(count) : value === null || value === undefined ? texts.treeNothing : JSON.stringify(value);
    this.#value.textContent = bytes === undefined ? text : `${text.slice(0, -1)}${texts.treeCut(fileSize(bytes))}`;
    this.#value.dataset.kind = count !== undefined ? 'children' : value === null ? 'nothing' : typeof value;
    this.element.setAttribute('aria-label', `${this.#name}: ${this.#value.textContent}`);
    if (this.#count === 0) this.fold();
    this.#paintFold();
  }

  #paintFold() {
    if (this.#count > 0) this.element.setAttribute('aria-expanded', `${this.isOpen}`);
    else this.element.removeAttribute('aria-expanded');
  }

  /** Makes visible that it was changed just now. */
  flash() {
    clearTimeout(this.#timer);
    this.#line.classList.remove('changed');
    // Without a look at it the browser would not begin anew.
    void this.#line.offsetWidth;
    this.#line.classList.add('changed');
    this.#timer = setTimeout(() => this.#line.classList.remove('changed'), flashTime);
  }

  // MARK: Children

  /** @param {string} key @param {TreeItem} item @param {number} at */
  insert(key, item, at) {
    this.#children.set(key, item);
    this.#group.insertBefore(item.element, this.#group.children[at] ?? null);
  }

  /** @param {string} key */
  remove(key) {
    this.#children.get(key)?.element.remove();
    this.#children.delete(key);
  }

  /** Says what is there beside the lines that are shown. */
  finish() {
    const left = this.#count - this.#children.size;
    if (!this.isOpen || left <= 0) return this.#more.remove();
    const isMost = this.#rows >= mostRows;
    const line = make('div', { class: 'tree-line' }, isMost ? texts.treeMost(left) : texts.treeMore(left));
    if (!isMost) {
      line.onclick = () => {
        this.#orders.chosen(this.#more);
        this.#rows += portion;
        this.#orders.open(this.#rows);
      };
    }
    this.#more.replaceChildren(line);
    if (this.#group.lastElementChild !== this.#more) this.#group.append(this.#more);
  }
}
