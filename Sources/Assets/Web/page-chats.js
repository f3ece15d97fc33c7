import { digest } from './page-digest.js';
import { ask, field, peopleChoice } from './page-dialogs.js';
import { byID, make, notice, paintFace, putInOrder } from './page-elements.js';
import { errorText, texts } from './page-texts.js';
import { listTime } from './page-time.js';
import { titleUnread } from './page-title.js';

const searchPause = 250;

/** The list of conversations, the latest first, and the search over all of them. */
export class ChatList {
  #parley;
  #names;
  #people;
  #open;
  /** @type {Map<string, {row: HTMLElement, parts: Record<string, HTMLElement>}>} */
  #rows = new Map();
  #openID;
  #timer;

  /** @param {{parley: import('./parley.js').Parley, names: any, people: any, open: (target: {conversation: string, number?: number}) => void}} parts */
  constructor({ parley, names, people, open }) {
    this.#parley = parley;
    this.#names = names;
    this.#people = people;
    this.#open = open;
    byID('new-group').onclick = () => this.#newGroup();
    byID('search').oninput = () => this.#searchSoon();
    byID('chats').onscroll = ({ target }) => { if (target.scrollHeight - target.scrollTop - target.clientHeight < 400) this.#parley.chat.more().catch(() => {}); };
    names.addEventListener('known', () => this.paint());
  }

  /** @param {import('./parley-chat.js').Chat} chat */
  follow(chat) {
    for (const event of ['list', 'typing', 'unsent']) chat.addEventListener(event, () => this.paint());
    this.paint();
  }

  clear() {
    for (const { row } of this.#rows.values()) row.remove();
    this.#rows.clear();
    byID('search').value = '';
    this.#showFound([]);
    titleUnread(0);
  }

  /** @param {string|undefined} id the one that is open */
  mark(id) {
    this.#openID = id;
    for (const [other, { row }] of this.#rows) row.firstElementChild.setAttribute('aria-current', `${other === id}`);
  }

  // MARK: The list

  paint() {
    const { chat } = this.#parley;
    if (!chat) return;
    const list = byID('chat-list');
    const shown = chat.conversations;
    const ids = new Set(shown.map(({ id }) => id));
    for (const [id, { row }] of this.#rows) if (!ids.has(id)) this.#rows.delete(id) && row.remove();
    putInOrder(list, shown.map((conversation) => this.#paintRow(conversation).row));
    byID('no-chats').hidden = shown.length > 0;
    titleUnread(chat.badge);
    byID('chats-badge').textContent = unreadText(chat.badge);
  }

  #paintRow(conversation) {
    const { id, unread, isMuted, time } = conversation;
    const known = this.#rows.get(id) ?? this.#makeRow(id);
    const { face, name, words, clock, count } = known.parts;
    const person = this.#person(conversation);
    paintFace(face, person);
    put(name, person.name);
    put(words, this.#words(conversation));
    put(clock, time > 0 ? listTime(time) : '');
    put(count, unreadText(unread));
    count.setAttribute('aria-label', unread > 0 ? texts.unread(unread) : '');
    known.row.classList.toggle('muted', isMuted);
    known.row.classList.toggle('online', conversation.peer !== undefined && this.#people.isOnline(conversation.peer.user));
    return known;
  }

  #person({ id, kind, title, peer }) {
    if (kind !== 'direct') return { user: id, name: title ?? texts.unnamed };
    if (peer?.user === this.#parley.user) return { user: peer.user, name: texts.mySelf };
    const { name, avatar } = { ...this.#names.person(peer.user), ...peer };
    return { user: peer.user, name: name ?? texts.unnamed, avatar };
  }

  #words({ id, kind, latest, typing }) {
    const name = (user) => this.#names.name(user);
    if (typing.size > 0) return texts.writing([...typing].map(name));
    const draft = id !== this.#openID && localStorage.getItem(`parley draft ${this.#parley.user} ${id}`);
    if (draft) return texts.draft(draft);
    if (!latest) return '';
    const text = digest(latest, { name, me: this.#parley.user });
    const hasSender = latest.type === 'message' && !latest.recalled && (kind !== 'direct' || latest.from === this.#parley.user) && latest.kind !== 'call';
    return hasSender ? `${name(latest.from)}: ${text}` : text;
  }

  #makeRow(id) {
    const parts = {
      face: make('span', { class: 'face', 'aria-hidden': 'true' }),
      name: make('span', { class: 'name', dir: 'auto' }),
      words: make('small', { dir: 'auto' }),
      clock: make('time', {}),
      count: make('span', { class: 'count' }),
    };
    const button = make('button', { type: 'button', class: 'plain row', 'aria-current': 'false' },
      parts.face, make('span', { class: 'who' }, parts.name, parts.words), make('span', { class: 'side' }, parts.clock, parts.count));
    button.onclick = () => this.#open({ conversation: id });
    const known = { row: make('li', { 'data-conversation': id }, button), parts };
    this.#rows.set(id, known);
    return known;
  }

  // MARK: New groups

  async #newGroup() {
    const name = field(texts.groupName, { name: 'title', maxlength: '64', required: '', autocomplete: 'off' });
    const form = await ask(texts.newGroup, [name, make('p', { class: 'hint' }, texts.groupMembers), peopleChoice(this.#people.all)], { confirm: texts.create });
    if (!form) return;
    try {
      this.#open({ conversation: await this.#parley.chat.create(String(form.get('title')), form.getAll('user').map(String)) });
    } catch (error) {
      notice(errorText(error));
    }
  }

  // MARK: Searching

  #searchSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#search(), searchPause);
  }

  async #search() {
    const text = byID('search').value.trim();
    if (!text) return this.#showFound([]);
    try {
      const { entries } = await this.#parley.chat.search(text);
      if (text === byID('search').value.trim()) this.#showFound(this.#chatsCalled(text), entries, true);
    } catch (error) {
      notice(errorText(error));
    }
  }

  #chatsCalled(text) {
    const wanted = text.toLocaleLowerCase();
    return this.#parley.chat.conversations.filter((conversation) => this.#person(conversation).name.toLocaleLowerCase().includes(wanted));
  }

  #showFound(chats, entries = [], isSearch = false) {
    byID('chat-list').hidden = isSearch;
    byID('found').hidden = !isSearch;
    const rows = [
      ...chats.map((conversation) => this.#foundRow(this.#person(conversation).name, '', conversation.time, { conversation: conversation.id })),
      ...entries.map((entry) => this.#foundRow(this.#titleOf(entry), digest(entry, { name: (user) => this.#names.name(user), me: this.#parley.user }), entry.time, entry)),
    ];
    byID('found').replaceChildren(...(isSearch && rows.length === 0 ? [make('li', { class: 'hint' }, texts.searchNone)] : rows));
  }

  #titleOf({ conversation: id, from }) {
    const conversation = this.#parley.chat.conversation(id);
    return conversation ? this.#person(conversation).name : this.#names.name(from);
  }

  #foundRow(name, words, time, { conversation, number }) {
    const button = make('button', { type: 'button', class: 'plain row' },
      make('span', { class: 'who' }, make('span', { class: 'name', dir: 'auto' }, name), make('small', { dir: 'auto' }, words)),
      make('span', { class: 'side' }, make('time', {}, time ? listTime(time) : '')));
    button.onclick = () => this.#open({ conversation, number });
    return make('li', {}, button);
  }
}

function unreadText(number) { return number > 99 ? '99+' : number > 0 ? `${number}` : ''; }

// A text that stays as it is need not be drawn anew.
function put(element, text) { if (element.textContent !== text) element.textContent = text; }
