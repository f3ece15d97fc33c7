import { make } from './page-elements.js';
import { entryRow, fateMark, isShown, joinRows } from './page-message.js';

const page = 50;
// Few at a time, so that no turn of the browser is long.
const step = 20;
// More rows than this do not stay in the page, however long the conversation is.
const mostRows = 300;
const nearEdge = 800;
const atBottom = 80;
// Of more that come at once, none slides in.
const mostMoving = 5;

/**
 * A part of one conversation's entries as rows, as long as one looks at it. Loads older and newer ones at its edges and
 * lets go of those far away; what is in view stays where it is.
 */
export class History {
  #scroller;
  #list = make('ol', { class: 'messages' });
  #chat;
  #around;
  #id;
  /** The entries that have rows, in order. @type {any[]} */
  #entries = [];
  /** @type {Map<number, HTMLElement>} */
  #rows = new Map();
  /** The numbers between which everything is here, shown or not. */
  #first = 0;
  #last = 0;
  #hasOlder = false;
  #hasNewer = false;
  #loading = false;
  /** What happens while the newest part is on its way. @type {any[]|undefined} */
  #late;
  #sizes;
  #sticks = true;
  /** The scroller's height when it was last resized. */
  #height = 0;

  /** Whether the newest came into view, or went out of it. */
  onMoved = () => {};

  /**
   * @param {HTMLElement} scroller
   * @param {import('./parley-chat.js').Chat} chat
   * @param {any} around what rows need
   * @param {HTMLElement} after what comes behind the newest
   */
  constructor(scroller, chat, around, after) {
    this.#scroller = scroller;
    this.#chat = chat;
    this.#around = around;
    scroller.replaceChildren(this.#list, after);
    this.#list.addEventListener('heard', ({ target }) => this.#playNext(target));
    scroller.onscroll = () => this.#scrolled();
    // Pictures come, the input grows, a keyboard opens: who looked at the newest goes on doing so.
    this.#sizes = new ResizeObserver(() => {
      this.#height = scroller.clientHeight;
      if (this.#sticks) this.#scrollToEnd();
    });
    for (const element of [scroller, this.#list, after]) this.#sizes.observe(element);
  }

  // What was listened to leads on to the next one of the others.
  #playNext(player) {
    const players = [...this.#list.querySelectorAll('.theirs .voice')];
    const next = players[players.indexOf(player) + 1];
    if (players.includes(player)) next?.querySelector('button').click();
  }

  /** Another conversation takes the place. */
  close() { this.#sizes.disconnect(); }

  /** Whether the newest is in view. */
  get isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    return !this.#hasNewer && scrollHeight - scrollTop - clientHeight < atBottom;
  }

  get isEmpty() { return this.#entries.length === 0; }
  get last() { return this.#last; }

  /** @param {string} id */
  async open(id) {
    this.#id = id;
    await this.toEnd();
  }

  /** The newest part. */
  async toEnd() {
    if (!this.#hasNewer && this.#entries.length > 0) return this.#scrollToEnd();
    if (this.#late) return;
    const late = this.#late = [];
    try {
      const { entries, more } = await this.#chat.history(this.#id, { limit: page });
      this.#replace(entries, { hasOlder: more, hasNewer: false });
      this.#scrollToEnd();
    } finally {
      this.#late = undefined;
      this.append(late);
    }
  }

  /** The part around a message, which is pointed at. */
  async jump(number) {
    if (!this.#rows.has(number)) await this.#openAt(number);
    const row = this.#rows.get(number);
    if (!row) return;
    this.#sticks = false;
    row.scrollIntoView({ block: 'center' });
    row.classList.remove('pointed-at');
    requestAnimationFrame(() => row.classList.add('pointed-at'));
  }

  async #openAt(number) {
    const { entries, more } = await this.#chat.history(this.#id, { before: number + page / 2, limit: page });
    const end = entries.at(-1)?.number ?? 0;
    this.#replace(entries, { hasOlder: more, hasNewer: end < (this.#chat.conversation(this.#id)?.last ?? 0) });
  }

  /** What happened just now. @param {any[]} entries */
  append(entries) {
    if (this.#late) return void this.#late.push(...entries);
    const news = entries.filter(({ number }) => number > this.#last);
    if (this.#hasNewer || news.length === 0) return;
    const follows = this.isAtEnd || news.some(({ from }) => from === this.#around.me);
    this.#last = news.at(-1).number;
    this.#first ||= news[0].number;
    this.#add(news, { isNew: news.length <= mostMoving });
    if (follows) this.#scrollToEnd();
    else this.onMoved();
    this.#trimTop();
  }

  /** A message is another now. */
  change(message) {
    const index = this.#entries.findIndex(({ number }) => number === message.number);
    if (index < 0) return;
    this.#entries[index] = message;
    this.#repaint(index);
  }

  /** Names or marks are known better now. */
  repaint(isConcerned = () => true) {
    this.#keepPlace(() => this.#entries.forEach((entry, index) => { if (isConcerned(entry)) this.#repaint(index); }));
  }

  /** The others got further: what is drawn as read already stays so, and so does all before it. */
  repaintFates() {
    for (const entry of this.#entries.toReversed()) {
      const mark = entry.from === this.#around.me && this.#rows.get(entry.number)?.querySelector('.fate');
      if (!mark) continue;
      if (mark.classList.contains('read')) return;
      const fate = this.#around.fate(entry);
      if (!mark.classList.contains(fate)) mark.replaceWith(fateMark(fate));
    }
  }

  // MARK: Rows

  #replace(entries, { hasOlder, hasNewer }) {
    const focused = [...this.#rows.keys()].find((number) => this.#rows.get(number).contains(document.activeElement));
    this.#entries = [];
    this.#rows.clear();
    this.#list.replaceChildren();
    this.#first = entries[0]?.number ?? 0;
    this.#last = entries.at(-1)?.number ?? 0;
    this.#hasOlder = hasOlder;
    this.#hasNewer = hasNewer;
    this.#add(entries);
    this.#rows.get(focused)?.querySelector('button')?.focus();
  }

  #add(entries, { isNew = false } = {}) {
    for (const entry of entries.filter((entry) => isShown(entry, this.#around))) {
      const row = this.#row(entry);
      row.classList.toggle('new', isNew);
      joinRows(row, entry, this.#entries.at(-1));
      this.#entries.push(entry);
      this.#list.append(row);
    }
  }

  #prepend(entries) {
    const shown = entries.filter((entry) => isShown(entry, this.#around));
    const rows = shown.map((entry, index) => {
      const row = this.#row(entry);
      joinRows(row, entry, shown[index - 1]);
      return row;
    });
    const next = this.#entries[0];
    if (next && shown.length > 0) joinRows(this.#rows.get(next.number), next, shown.at(-1));
    this.#entries.unshift(...shown);
    this.#list.prepend(...rows);
  }

  #row(entry) {
    const row = entryRow(entry, this.#around);
    this.#rows.set(entry.number, row);
    return row;
  }

  #repaint(index) {
    const entry = this.#entries[index];
    const old = this.#rows.get(entry.number);
    // What is being listened to goes on.
    if (old.querySelector('.voice.playing')) return;
    const row = this.#row(entry);
    joinRows(row, entry, this.#entries[index - 1]);
    const hadFocus = old.contains(document.activeElement);
    old.replaceWith(row);
    if (hadFocus) row.querySelector('button')?.focus();
  }

  // MARK: The edges

  #scrolled() {
    // A scroll event that comes with a new size was caused by the page, not by the user.
    if (this.#scroller.clientHeight === this.#height) this.#sticks = this.isAtEnd;
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    if (scrollTop < nearEdge && this.#hasOlder) this.#load(() => this.#older());
    else if (scrollHeight - scrollTop - clientHeight < nearEdge && this.#hasNewer) this.#load(() => this.#newer());
    this.onMoved();
  }

  async #load(work) {
    if (this.#loading) return;
    this.#loading = true;
    const id = this.#id;
    try {
      const apply = await work();
      if (id === this.#id) this.#keepPlace(apply);
    } catch {
      // Without a line the edge stays where it is; scrolling tries again.
    } finally {
      this.#loading = false;
    }
  }

  async #older() {
    const { entries, more } = await this.#chat.history(this.#id, { before: this.#first, limit: step });
    return () => {
      this.#hasOlder = more;
      this.#first = entries[0]?.number ?? this.#first;
      this.#prepend(entries);
      this.#trimBottom();
    };
  }

  async #newer() {
    const { entries, more } = await this.#chat.history(this.#id, { after: this.#last, limit: step });
    return () => {
      this.#hasNewer = more;
      this.#last = entries.at(-1)?.number ?? this.#last;
      this.#add(entries);
      this.#trimTop();
    };
  }

  #trimBottom() {
    while (this.#entries.length > mostRows) {
      this.#forget(this.#entries.pop());
      this.#last = this.#entries.at(-1).number;
      this.#hasNewer = true;
    }
  }

  // Only what is out of view goes.
  #trimTop() {
    if (this.#entries.length <= mostRows || this.#scroller.scrollTop < nearEdge * 2) return;
    this.#keepPlace(() => {
      // Some more than it must be: not each message moves the others.
      while (this.#entries.length > mostRows - page) this.#forget(this.#entries.shift());
      this.#first = this.#entries[0].number;
      this.#hasOlder = true;
    });
  }

  #forget({ number }) {
    this.#rows.get(number)?.remove();
    this.#rows.delete(number);
  }

  /** What one looks at stays where it is, whatever comes or goes above it. */
  #keepPlace(change) {
    const top = this.#scroller.getBoundingClientRect().top;
    const anchor = [...this.#list.children].find((row) => row.getBoundingClientRect().bottom > top);
    const number = Number(anchor?.dataset.number);
    const before = anchor?.getBoundingClientRect().top;
    change();
    const after = this.#rows.get(number)?.getBoundingClientRect().top;
    if (after !== undefined) this.#scroller.scrollTop += after - before;
  }

  #scrollToEnd() {
    this.#sticks = true;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.onMoved();
  }
}
