import { digest } from './page-digest.js';
import { ask, field, peopleChoice } from './page-dialogs.js';
import { byID, make, notice, paintFace, putInOrder } from './page-elements.js';
import { inFrame } from './page-frame.js';
import { PinnedChats } from './page-pinned.js';
import { errorText, texts } from './page-texts.js';
import { listTime } from './page-time.js';
import { titleUnread } from './page-title.js';

const searchPause = 250;
const mostPeople = 20;

/** The list of conversations, the latest first, and the search over all of them. */
export class ChatList {
  #parley;
  #names;
  #people;
  #open;
  /** @type {Map<string, {row: HTMLElement, parts: Record<string, HTMLElement>, drawn: any[]}>} */
  #rows = new Map();
  /** Whose conversations are shown, as long as their user is signed in. @type {import('./parley-chat.js').Chat|undefined} */
  #chat;
  #openID;
  #timer;
  /** Whether it shows what was put away. */
  #isArchive = false;

  /** @param {{parley: import('./parley.js').Parley, names: any, people: any, open: (target: {conversation?: string, number?: number, user?: string}) => void}} parts */
  constructor({ parley, names, people, open }) {
    this.#parley = parley;
    this.#names = names;
    this.#people = people;
    this.#open = open;
    byID('new-group').onclick = () => this.#newGroup();
    byID('archive').onclick = () => this.#turn(!this.#isArchive);
    byID('search').oninput = () => this.#searchSoon();
    byID('chats').onscroll = ({ target }) => { if (target.scrollHeight - target.scrollTop - target.clientHeight < 400) this.#parley.chat.more().catch(() => {}); };
    names.addEventListener('known', () => {
      for (const known of this.#rows.values()) known.drawn = [];
      this.paint();
    });
  }

  /** @param {import('./parley-chat.js').Chat} chat */
  follow(chat) {
    this.#chat = chat;
    for (const event of ['list', 'typing', 'unsent']) chat.addEventListener(event, () => this.paint());
    this.paint();
  }

  clear() {
    this.#chat = undefined;
    for (const { row } of this.#rows.values()) row.remove();
    this.#rows.clear();
    byID('search').value = '';
    this.#isArchive = false;
    this.#showFound([]);
    titleUnread(0);
  }

  /** @param {string|undefined} id the one that is open */
  mark(id) {
    this.#openID = id;
    for (const [other, { row }] of this.#rows) row.firstElementChild.setAttribute('aria-current', `${other === id}`);
    // What one began to write in the one before shows now.
    this.paint();
  }

  // MARK: The list

  paint = inFrame(() => this.#paint());

  #paint() {
    const chat = this.#chat;
    if (!chat) return;
    const drafts = this.#drafts();
    const today = new Date().toDateString();
    const list = byID('chat-list');
    const pinned = new PinnedChats(this.#parley.user).all;
    const shown = this.#shown(chat.conversations).sort((one, other) => Number(pinned.has(other.id)) - Number(pinned.has(one.id)));
    const ids = new Set(shown.map(({ id }) => id));
    for (const [id, { row }] of this.#rows) if (!ids.has(id)) this.#rows.delete(id) && row.remove();
    putInOrder(list, shown.map((conversation) => this.#paintRow(conversation, { written: drafts.get(conversation.id), isPinned: pinned.has(conversation.id), today }).row));
    byID('no-chats').hidden = chat.conversations.length > 0;
    const { badge } = chat;
    titleUnread(badge);
    put(byID('chats-badge'), unreadText(badge));
  }

  // Those in the list or those in the archive; an archive that became empty is left.
  #shown(conversations) {
    const archived = conversations.filter(({ isArchived }) => isArchived);
    if (archived.length === 0) this.#isArchive = false;
    const button = byID('archive');
    button.hidden = archived.length === 0;
    put(button, this.#isArchive ? texts.backToChats : texts.archive(archived.length));
    put(byID('chats-title'), this.#isArchive ? texts.archived : texts.chats);
    return this.#isArchive ? archived : conversations.filter(({ isArchived }) => !isArchived);
  }

  #turn(isArchive) {
    this.#isArchive = isArchive;
    this.paint();
  }

  // All at once: there may be a thousand conversations.
  #drafts() {
    const start = `parley draft ${this.#parley.user} `;
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(start));
    return new Map(keys.map((key) => [key.slice(start.length), localStorage.getItem(key)]));
  }

  #paintRow(conversation, { written, isPinned, today }) {
    const { id, kind, title, peer, latest, typing, unread, isMuted, hasAccountNews, time } = conversation;
    const known = this.#rows.get(id) ?? this.#makeRow(id);
    const draft = id === this.#openID ? undefined : written;
    const isOnline = peer !== undefined && this.#people.isOnline(peer.user);
    const drawn = [kind, title, peer?.name, peer?.avatar, latest, [...typing].join(), unread, isMuted, isPinned, hasAccountNews, isOnline, draft, today];
    if (drawn.every((part, index) => part === known.drawn[index])) return known;
    known.drawn = drawn;
    const { face, name, words, clock, count, dot, marks } = known.parts;
    dot.hidden = !hasAccountNews;
    put(marks, [isPinned && '📌', isMuted && '🔕'].filter(Boolean).join(' '));
    marks.setAttribute('aria-label', [isPinned && texts.pinnedChat, isMuted && texts.mutedChat].filter(Boolean).join(', '));
    marks.hidden = !isPinned && !isMuted;
    const person = this.#person(conversation);
    paintFace(face, person);
    put(name, person.name);
    put(words, this.#words(conversation, draft));
    put(clock, time > 0 ? listTime(time) : '');
    put(count, unreadText(unread));
    count.setAttribute('aria-label', unread > 0 ? texts.unread(unread) : '');
    known.row.classList.toggle('muted', isMuted);
    known.row.classList.toggle('online', isOnline);
    return known;
  }

  #person({ id, kind, title, subject, peer }) {
    if (kind === 'order') return { user: id, name: texts.order(subject ?? '') };
    if (kind !== 'direct') return { user: id, name: title ?? texts.unnamed };
    if (peer?.user === this.#parley.user) return { user: peer.user, name: texts.mySelf };
    const { name, avatar } = { ...this.#names.person(peer.user), ...peer };
    return { user: peer.user, name: name ?? texts.unnamed, avatar };
  }

  #words({ kind, latest, typing }, draft) {
    const name = (user) => this.#names.name(user);
    if (typing.size > 0) return texts.writing([...typing].map(name));
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
      marks: make('span', { class: 'marks', role: 'img' }),
      clock: make('time', {}),
      count: make('span', { class: 'count' }),
      dot: make('span', { class: 'account-dot', role: 'img', 'aria-label': texts.accountNews, hidden: '' }),
    };
    const button = make('button', { type: 'button', class: 'plain row', 'aria-current': `${id === this.#openID}` },
      parts.face, make('span', { class: 'who' }, parts.name, parts.words), make('span', { class: 'side' }, parts.clock, parts.count, parts.dot, parts.marks));
    button.onclick = () => this.#open({ conversation: id });
    const known = { row: make('li', { 'data-conversation': id }, button), parts, drawn: [] };
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
      const [{ entries }, found] = await Promise.all([this.#parley.chat.search(text), this.#parley.find(text)]);
      if (text === byID('search').value.trim()) this.#showFound([...this.#peopleCalled(text, found), ...this.#chatsCalled(text)], entries, true);
    } catch (error) {
      notice(errorText(error));
    }
  }

  // Who is here, and who registered with just this name; without those one has a conversation with.
  #peopleCalled(text, found) {
    const wanted = text.toLocaleLowerCase();
    const seen = this.#people.all.filter(({ name }) => name.toLocaleLowerCase().includes(wanted)).slice(0, mostPeople);
    const all = found && !found.deleted && !seen.some(({ user }) => user === found.user) ? [found, ...seen] : seen;
    const known = new Set(this.#parley.chat.conversations.map(({ peer }) => peer?.user));
    return all.filter(({ user }) => user !== this.#parley.user && !known.has(user))
      .map(({ user, name }) => ({ name: name ?? texts.unnamed, words: texts.person, target: { user } }));
  }

  #chatsCalled(text) {
    const wanted = text.toLocaleLowerCase();
    return this.#parley.chat.conversations.filter((conversation) => this.#person(conversation).name.toLocaleLowerCase().includes(wanted))
      .map((conversation) => ({ name: this.#person(conversation).name, time: conversation.time, target: { conversation: conversation.id } }));
  }

  /**
   * @param {{name: string, words?: string, time?: number, target: any}[]} places people and conversations
   * @param {any[]} [entries] messages
   */
  #showFound(places, entries = [], isSearch = false) {
    byID('chat-list').hidden = isSearch;
    byID('found').hidden = !isSearch;
    const rows = [
      ...places.map(({ name, words = '', time, target }) => this.#foundRow(name, words, time, target)),
      ...entries.map((entry) => this.#foundRow(this.#titleOf(entry), digest(entry, { name: (user) => this.#names.name(user), me: this.#parley.user }), entry.time, entry)),
    ];
    byID('found').replaceChildren(...(isSearch && rows.length === 0 ? [make('li', { class: 'hint' }, texts.searchNone)] : rows));
  }

  #titleOf({ conversation: id, from }) {
    const conversation = this.#parley.chat.conversation(id);
    return conversation ? this.#person(conversation).name : this.#names.name(from);
  }

  #foundRow(name, words, time, { user, conversation, number }) {
    const button = make('button', { type: 'button', class: 'plain row' },
      make('span', { class: 'who' }, make('span', { class: 'name', dir: 'auto' }, name), make('small', { dir: 'auto' }, words)),
      make('span', { class: 'side' }, make('time', {}, time ? listTime(time) : '')));
    button.onclick = () => this.#open(user ? { user } : { conversation, number });
    return make('li', {}, button);
  }
}

function unreadText(number) { return number > 99 ? '99+' : number > 0 ? `${number}` : ''; }

// A text that stays as it is need not be drawn anew.
function put(element, text) { if (element.textContent !== text) element.textContent = text; }
