import { ChatCache } from './parley-cache.js';
import { Conversation, changed } from './parley-conversation.js';
import { tell } from './parley-error.js';
import { LatestOnly } from './parley-latest.js';
import { Outbox } from './parley-outbox.js';

// The newest of each conversation come at once; older ones when the page asks for them.
const newest = 25;
const mostPositions = 1_000;
const marksAtMost = 256;

/** @typedef {import('./parley-cache.js').Entry} Entry */

/**
 * Conversations: what was said, what is unread, and what waits to be sent. Shows what the browser keeps at once, and the
 * server's news as soon as there is a line.
 *
 * Events: `list` when conversations came, went, or look different; `entry` with an `Entry` that happened just now;
 * `changed` with a message that became another (edited, recalled, reacted to); `gap` with a conversation's id whose
 * entries have to be read anew; `receipt` and `typing` with a conversation's id; `unsent` with a message on its way;
 * `passing` with something that is kept nowhere: `{ conversation?, from, kind, body, time }`.
 */
export class Chat extends EventTarget {
  /** @type {Map<string, Conversation>} */
  #conversations = new Map();
  #user;
  #link;
  #files;
  #key;
  #cache;
  #outbox;
  /** What came while we ask for what was before it. @type {any[]|undefined} */
  #early;
  /** What came in conversations that we ask for. @type {Map<string, any[]>} */
  #discovered = new Map();
  #loaded;
  #opened;
  #next;

  /**
   * Made by `Parley`.
   * @param {{user: string, link: import('./parley-tabs.js').TabLink, files: import('./parley-files.js').Files, key: string}} parts
   */
  constructor({ user, link, files, key }) {
    super();
    this.#user = user;
    this.#link = link;
    this.#files = files;
    this.#key = `${key} ${user}`;
    this.#cache = new ChatCache(this.#key);
    this.#outbox = new Outbox(this.#cache, link, files, `${this.#key} outbox`);
    this.#outbox.addEventListener('changed', ({ detail }) => tell(this, 'unsent', detail));
    this.#outbox.addEventListener('refused', ({ detail }) => this.#refused(detail));
    this.#outbox.addEventListener('sent', ({ detail }) => tell(this, 'unsent', detail.message));
  }

  get files() { return this.#files; }

  /** The latest first. @returns {Conversation[]} */
  get conversations() { return [...this.#conversations.values()].sort((one, other) => other.time - one.time); }

  /** Whose conversations these are. */
  get user() { return this.#user; }

  /** @returns {Conversation|undefined} */
  conversation(id) { return this.#conversations.get(id); }

  /** The conversation with one other, if there is one. @returns {Conversation|undefined} */
  direct(user) { return this.conversations.find(({ kind, peer }) => kind === 'direct' && peer?.user === user); }

  /** What is unread in all conversations that are neither muted nor archived. */
  get badge() { return this.conversations.reduce((sum, { unread, isMuted, isArchived }) => sum + (isMuted || isArchived ? 0 : unread), 0); }

  /** Whether there are older conversations than those we know. */
  get hasMore() { return this.#next !== undefined; }

  // MARK: Coming and going

  /** Takes up what the browser kept, for which no network is needed. */
  load() { return this.#loaded ??= this.#load(); }

  /** Asks for what is new, and stays up to date from then on. */
  open() { return this.#opened ??= this.#open(); }

  async #load() {
    const views = await this.#cache.conversations();
    for (const view of views) this.#conversations.set(view.conversation, new Conversation(view));
    await this.#outbox.open();
    tell(this, 'list');
    this.#cache.trim(views);
  }

  async #open() {
    await this.load();
    if (this.#link.state === 'connected') await this.#sync();
  }

  /** Nothing of it stays in this browser. */
  erase() {
    this.#outbox.close();
    return this.#cache.erase();
  }

  /** @param {boolean} recovered with everything that was missed */
  lineMended(recovered) {
    if (!this.#opened) return;
    if (!recovered) {
      this.#early ??= [];
      this.#opened.then(() => this.#sync()).catch(() => {});
    }
    this.#outbox.flush();
  }

  // The session may hear already what comes behind our answer, since another tab asked before.
  async #sync() {
    this.#early ??= [];
    try {
      await this.#askForAll();
    } finally {
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const happen of early) happen();
    }
  }

  async #askForAll() {
    const [first] = await Promise.all([this.#request('chat.conversations', { limit: 100 }), this.#missed()]);
    this.#next = first.next;
    for (const view of first.conversations) this.#see(view);
    tell(this, 'list');
  }

  async #missed() {
    let answer;
    do {
      answer = await this.#request('chat.sync', { positions: this.#positions(), newest });
      for (const view of answer.conversations) this.#synced(view);
    } while (answer.more && answer.conversations.length > 0);
  }

  #positions() {
    return Object.fromEntries(this.conversations.slice(0, mostPositions).map(({ id, last }) => [id, last]));
  }

  // At once: what happens next comes as the next event, and has to find what it follows.
  #synced({ entries, remaining, ...view }) {
    const known = this.#conversations.get(view.conversation);
    const before = known?.last;
    const isGap = known !== undefined && entries.length > 0 && entries[0].number > before + 1;
    const conversation = this.#see(view, { hasEntries: true });
    for (const entry of entries) conversation.note(entry);
    this.#keep(entries, isGap, before);
    if (isGap) tell(this, 'gap', conversation.id);
    else if (known) for (const entry of entries) if (entry.number > before) tell(this, 'entry', entry);
    if (conversation.last > 0) this.#delivered(conversation);
    if (known) tell(this, 'receipt', conversation.id);
  }

  /** Older conversations than those we know. */
  async more() {
    if (this.#next === undefined) return;
    const { conversations, next } = await this.#request('chat.conversations', { before: this.#next, limit: 100 });
    this.#next = next;
    for (const view of conversations) this.#see(view);
    tell(this, 'list');
  }

  // A view that was read before the latest event came is older than what we know. A newer one leaves to the events that are
  // still on their way what they bring: with its `last` they would be dropped as known.
  #see(view, { hasEntries = false } = {}) {
    // What one writes to oneself is with no other user.
    if (view.kind === 'direct') view.peer ??= { user: this.#user };
    let conversation = this.#conversations.get(view.conversation);
    if (conversation && view.last < conversation.last) return conversation;
    if (conversation) conversation.update(hasEntries ? view : withoutNews(view, conversation));
    else this.#conversations.set(view.conversation, (conversation = new Conversation(view)));
    this.#cache.putConversation(conversation.view);
    return conversation;
  }

  // Entries come as they are now; only what was kept before them may have to change.
  async #keep(entries, isGap, known = 0) {
    if (entries.length === 0) return;
    if (isGap) await this.#cache.forgetEntries(entries[0].conversation);
    this.#cache.putEntries(entries);
    for (const entry of entries) if (entry.target !== undefined && entry.target <= known) await this.#change(entry);
  }

  async #change(entry) {
    const message = await this.#cache.entry(entry.conversation, entry.target);
    if (!message) return;
    const now = changed(message, entry);
    this.#cache.putEntries([now]);
    tell(this, 'changed', now);
  }

  // MARK: What the server says

  received(event, argument) {
    if (!this.#opened) return;
    switch (event) {
      case 'chat.entry': return void this.#happened(argument);
      case 'chat.receipt': return this.#marked(argument);
      case 'chat.typing': return this.#typed(argument);
      case 'chat.arranged': return this.#arranged(argument);
      case 'chat.settings': return this.#configured(argument);
      case 'chat.passing': return void tell(this, 'passing', argument);
      case 'profile': return this.#renamed(argument);
    }
  }

  async #happened(entry) {
    if (this.#early) return void this.#early.push(() => this.#happened(entry));
    const conversation = this.#conversations.get(entry.conversation);
    if (!conversation || this.#discovered.has(entry.conversation)) return this.#discover(entry);
    if (entry.number <= conversation.last) return;
    conversation.append(entry, this.#user);
    tell(this, 'list');
    this.#cache.putConversation(conversation.view);
    await this.#told(entry);
    if (entry.from !== this.#user) this.#delivered(conversation);
  }

  // What happens in a conversation that is not known yet waits until it is, so that all of it is told in order.
  async #discover(entry) {
    const waiting = this.#discovered.get(entry.conversation);
    if (waiting) return void waiting.push(entry);
    const entries = [entry];
    this.#discovered.set(entry.conversation, entries);
    const view = await this.#request('chat.conversation', { conversation: entry.conversation }).catch(() => undefined);
    this.#discovered.delete(entry.conversation);
    if (view) this.#meet(this.#see(view), entries);
  }

  #meet(conversation, entries) {
    const known = conversation.last;
    tell(this, 'list');
    for (const entry of entries) {
      if (entry.number > known) this.#happened(entry);
      else this.#told(entry);
    }
    this.#delivered(conversation);
  }

  async #told(entry) {
    tell(this, 'entry', entry);
    this.#cache.putEntries([entry]);
    if (entry.target !== undefined) await this.#change(entry);
  }

  #marked({ conversation: id, user, delivered, read, unread }) {
    const conversation = this.#conversations.get(id);
    if (!conversation) return;
    conversation.mark(user, { delivered, read });
    if (unread !== undefined) Object.assign(conversation, { unread, read: Math.max(conversation.read, read ?? 0) });
    tell(this, 'receipt', id);
    if (unread !== undefined) tell(this, 'list');
    this.#cache.putConversation(conversation.view);
  }

  #typed({ conversation: id, user, on }) {
    const conversation = this.#conversations.get(id);
    if (!conversation || user === this.#user) return;
    if (on) conversation.typing.add(user);
    else conversation.typing.delete(user);
    tell(this, 'typing', id);
  }

  /**
   * Said here, or on another device of the same user.
   * @param {{conversation: string, muted?: boolean, archived?: boolean}} arrangement
   */
  #arranged({ conversation: id, muted, archived }) {
    // The list that is on its way may have been read before.
    this.#early?.push(() => this.#arranged({ conversation: id, muted, archived }));
    const conversation = this.#conversations.get(id);
    if (!conversation) return;
    if (muted !== undefined) conversation.isMuted = muted;
    if (archived !== undefined) conversation.isArchived = archived;
    this.#cache.putConversation(conversation.view);
    tell(this, 'list');
  }

  /**
   * Set by an owner, an admin or a moderator for all members.
   * @param {{conversation: string, slowSeconds?: number}} settings
   */
  #configured({ conversation: id, slowSeconds }) {
    // As above.
    this.#early?.push(() => this.#configured({ conversation: id, slowSeconds }));
    const conversation = this.#conversations.get(id);
    if (!conversation || slowSeconds === undefined) return;
    conversation.slowSeconds = slowSeconds || undefined;
    this.#cache.putConversation(conversation.view);
    tell(this, 'list');
  }

  #renamed({ user, name, avatar }) {
    for (const conversation of this.#conversations.values()) {
      if (conversation.peer?.user !== user) continue;
      conversation.peer = { ...conversation.peer, name, avatar };
      tell(this, 'list');
    }
  }

  // It was too soon, by a rule of which we may not know yet.
  #refused({ message, error }) {
    const conversation = this.#conversations.get(message.conversation);
    if (error.code !== 'slow_mode' || !conversation) return;
    conversation.mayWriteAt = Date.now() + (error.retryAfter ?? 0);
    this.refresh(conversation.id).catch(() => {});
  }

  /** What may have been set while we were away. */
  async refresh(id) {
    this.#see(await this.#request('chat.conversation', { conversation: id }));
    tell(this, 'list');
  }

  // MARK: History

  /**
   * Up to `limit` entries before a number, or after one; the latest without. From the browser where it kept them all.
   * @param {string} id
   * @param {{before?: number, after?: number, limit?: number}} place
   * @returns {Promise<{entries: Entry[], more: boolean}>}
   */
  async history(id, { before, after, limit = 50 } = {}) {
    const conversation = this.#conversations.get(id);
    const kept = conversation && await this.#kept(conversation, { before, after, limit });
    if (kept) return kept;
    const answer = await this.#request('chat.history', { conversation: id, before, after, limit });
    this.#cache.putEntries(answer.entries);
    return answer;
  }

  async #kept({ id, since, last }, { before = last + 1, after, limit }) {
    const isForward = after !== undefined;
    const start = isForward ? after + 1 : Math.max(since + 1, before - limit);
    const end = isForward ? Math.min(last, after + limit) : before - 1;
    if (end < start) return { entries: [], more: false };
    const entries = await this.#cache.entries(id, start, end);
    return entries && { entries, more: isForward ? end < last : start > since + 1 };
  }

  /** @returns {Promise<Entry|undefined>} */
  async message(id, number) {
    const kept = await this.#cache.entry(id, number);
    if (kept) return kept;
    const { entries } = await this.#request('chat.history', { conversation: id, after: number - 1, limit: 1 });
    return entries[0]?.number === number ? entries[0] : undefined;
  }

  /** How far the others got, from now on. */
  async watchMarks(id) {
    const conversation = this.#conversations.get(id);
    if (!conversation || conversation.kind === 'direct' || conversation.members > marksAtMost) return;
    const { members } = await this.members(id);
    for (const { user, delivered, read } of members) conversation.mark(user, { delivered, read });
    for (const user of conversation.marks.keys()) if (!members.some((member) => member.user === user)) conversation.marks.delete(user);
    tell(this, 'receipt', id);
  }

  // MARK: What one does

  /**
   * Says something. It is kept at once, and leaves when there is a line.
   * @param {{conversation: string}|{user: string}} target
   * @param {{kind?: string, body?: any, reply?: number, mentions?: string[], forward?: object, file?: Blob}} content
   */
  send(target, content) { return this.#outbox.add({ ...target, ...content }); }

  /** What is on its way to a conversation. */
  unsent(id) {
    const user = this.#conversations.get(id)?.peer?.user;
    return this.#outbox.messages.filter((message) => message.conversation === id || (user !== undefined && message.user === user));
  }

  unsentTo(user) { return this.#outbox.messages.filter((message) => message.user === user); }
  retry(message) { this.#outbox.retry(message.id); }
  drop(message) { this.#outbox.drop(message.id); }

  edit(id, number, body) { return this.#do('chat.edit', { conversation: id, number, body }); }
  recall(id, number) { return this.#do('chat.recall', { conversation: id, number }); }
  react(id, number, reaction, on = true) { return this.#do('chat.react', { conversation: id, number, reaction, on }); }
  pin(id, number, on = true) { return this.#do('chat.pin', { conversation: id, number, on }); }
  pins(id) { return this.#request('chat.pins', { conversation: id }); }

  /** @returns {Promise<string>} the conversation's id */
  async create(title, users) {
    const { conversation } = await this.#do('chat.create', { kind: 'group', title, users });
    if (!this.#conversations.has(conversation)) this.#see(await this.#request('chat.conversation', { conversation }));
    tell(this, 'list');
    return conversation;
  }

  invite(id, users) { return this.#do('chat.invite', { conversation: id, users }); }
  remove(id, user) { return this.#do('chat.remove', { conversation: id, user }); }
  rename(id, title) { return this.#do('chat.rename', { conversation: id, title }); }
  role(id, user, role) { return this.#do('chat.role', { conversation: id, user, role }); }

  async leave(id) {
    await this.#do('chat.leave', { conversation: id });
    await this.#drop(id);
  }

  /** Takes what was said out of one's own sight. */
  async clear(id) {
    await this.#request('chat.clear', { conversation: id });
    await this.#drop(id);
  }

  async #drop(id) {
    this.#conversations.delete(id);
    await this.#cache.forget(id);
    tell(this, 'list');
  }

  async mute(id, on = true) {
    await this.#request('chat.mute', { conversation: id, on });
    this.#arranged({ conversation: id, muted: on });
  }

  /** Out of the way on all devices of this user. The next message brings it back. */
  async archive(id, on = true) {
    await this.#request('chat.archive', { conversation: id, on });
    this.#arranged({ conversation: id, archived: on });
  }

  /** We have seen everything up to this number. */
  async read(id, number) {
    const conversation = this.#conversations.get(id);
    if (!conversation || (number <= conversation.read && conversation.unread === 0)) return;
    await this.#reads.ask(id, number);
  }

  #reads = new LatestOnly(async (id, number) => {
    const { unread } = await this.#request('chat.read', { conversation: id, number });
    const conversation = this.#conversations.get(id);
    if (!conversation) return;
    Object.assign(conversation, { unread, read: Math.max(number, conversation.read) });
    this.#cache.putConversation(conversation.view);
    tell(this, 'list');
  });

  /** How far we have read, and each of our devices. @returns {Promise<{delivered: number, read: number,
   *  devices: {device: string, delivered: number, read: number, time: number}[]}>} */
  marks(id) { return this.#request('chat.marks', { conversation: id }); }

  #delivered({ id, last }) { this.#deliveries.ask(id, last).catch(() => {}); }

  #deliveries = new LatestOnly((id, number) => this.#request('chat.delivered', { conversation: id, number }));

  typing(id, on) { this.#request('chat.typing', { conversation: id, on }).catch(() => {}); }
  members(id, after) { return this.#request('chat.members', { conversation: id, after, limit: 200 }); }
  search(text, id) { return this.#request('chat.search', { text, conversation: id, limit: 50 }); }
  block(user, on = true) { return this.#request('chat.block', { user, on }); }
  async blocked() { return (await this.#request('chat.blocked')).users; }

  #request(event, argument) { return this.#link.request(event, argument); }
  #do(event, argument) { return this.#request(event, { ...argument, id: crypto.randomUUID?.() }); }
}

function withoutNews(view, conversation) {
  const { members, last, read, unread, latest } = conversation;
  return view.last > last ? { ...view, members, last, read, unread, latest } : view;
}
