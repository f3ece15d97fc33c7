import { Composer, emoji } from './page-composer.js';
import { peopleChoice, ask } from './page-dialogs.js';
import { byID, make, nameButton, notice, paintFace } from './page-elements.js';
import { inFrame } from './page-frame.js';
import { History } from './page-history.js';
import { later } from './page-later.js';
import { openMenu } from './page-menu.js';
import { entryRow } from './page-message.js';
import { errorText, texts } from './page-texts.js';

// Of more that come between two frames the rest is drawn in the next.
const mostAtOnce = 20;
// Where everybody on the site meets without a name, nobody has a face.
const anonymousRoom = 'everybody';

/** The conversation one looks at: its head, what was said, and where one writes. */
export class ChatView {
  #parley;
  #names;
  #people;
  #call;
  #composer;
  /** @type {History|undefined} */
  #history;
  /** @type {{conversation?: string, user?: string}|undefined} */
  #target;
  #members = [];
  /** Of an order. @type {import('./page-order.js').OrderDetails|undefined} */
  #order;
  #sent = new Set();
  /** What happened since the page was drawn last. */
  #news = [];
  #unsent = make('ol', { class: 'messages unsent' });

  /** What the page should show now. @param {string} id */
  onOpened = (id) => {};
  /** What is open has become a conversation, wherever the user is by now. @param {string} id */
  onBegun = (id) => {};
  onClosed = () => {};
  onPinned = () => {};

  /** @param {{parley: import('./parley.js').Parley, names: any, people: any, call: (person: any, kind: string) => void}} parts */
  constructor({ parley, names, people, call }) {
    this.#parley = parley;
    this.#names = names;
    this.#people = people;
    this.#call = call;
    this.#composer = new Composer({ chat: () => parley.chat, names: this.#around, people: () => this.#members });
    this.#composer.onFailed = (error) => notice(errorText(error));
    this.#composer.onEditLast = () => this.#editLast();
    byID('chat-back').onclick = () => this.close();
    byID('chat-title').onclick = () => this.#openDetails();
    byID('to-end').onclick = () => this.#history?.toEnd();
    for (const kind of ['audio', 'video']) byID(`chat-${kind}`).onclick = () => this.#ring(kind);
    names.addEventListener('known', inFrame(() => this.#repaint()));
    for (const event of ['visibilitychange', 'focus']) addEventListener(event, () => this.#read());
  }

  get id() { return this.#target?.conversation; }
  get #chat() { return this.#parley.chat; }
  get #conversation() { return this.id && this.#chat?.conversation(this.id); }

  // MARK: Opening

  /** @param {{conversation: string}|{user: string}} target */
  async open(target) {
    const known = target.user !== undefined ? this.#chat.direct(target.user)?.id : target.conversation;
    this.#target = known ? { conversation: known } : target;
    this.#members = [];
    this.#order = undefined;
    this.#history?.close();
    this.#history = new History(byID('history'), this.#chat, this.#around, this.#unsent);
    this.#history.onMoved = () => this.#moved();
    this.#composer.open(this.#target);
    byID('conversation').hidden = false;
    this.#paintHead();
    this.#paintUnsent();
    this.onOpened(this.id);
    if (!this.id) return;
    await this.#load(this.#history);
  }

  async #load(history) {
    try {
      await history.open(this.id);
      this.#read();
      await this.#meetMembers();
      await this.#meetOrder();
    } catch (error) {
      if (this.#history === history && error.code !== 'closed') notice(errorText(error));
    }
  }

  async #meetOrder() {
    const conversation = this.#conversation;
    if (!conversation || conversation.kind !== 'order') return;
    const loaded = await later(() => import('./page-order.js'));
    if (!loaded || this.id !== conversation.id) return;
    this.#order = new loaded.OrderDetails(this.#chat, conversation);
    this.#order.onLoaded = () => this.#paintStatus();
    await this.#order.load();
  }

  async #meetMembers() {
    const { id } = this;
    if (this.#conversation?.kind === 'direct') return;
    const { members } = await this.#chat.members(id);
    if (id !== this.id) return;
    this.#members = members;
    await this.#chat.refresh(id);
    for (const member of members) this.#names.know(member);
    await this.#chat.watchMarks(id);
    this.#repaint();
  }

  close() {
    this.#composer.close();
    this.#history?.close();
    this.#target = this.#history = undefined;
    byID('conversation').hidden = true;
    this.onClosed();
  }

  async jump(number) { await this.#history?.jump(number); }

  // MARK: What happens

  /** @param {import('./parley-chat.js').Chat} chat */
  follow(chat) {
    chat.addEventListener('entry', ({ detail }) => this.#happened(detail));
    chat.addEventListener('changed', ({ detail }) => { if (detail.conversation === this.id) this.#changed(detail); });
    chat.addEventListener('gap', ({ detail }) => { if (detail === this.id) this.open({ conversation: detail }); });
    chat.addEventListener('receipt', ({ detail }) => { if (detail === this.id) this.#marked(); });
    chat.addEventListener('typing', ({ detail }) => { if (detail === this.id) this.#paintStatus(); });
    chat.addEventListener('unsent', () => this.#paintSoon());
    chat.addEventListener('list', () => this.#listed());
  }

  #happened(entry) {
    if (!this.id && this.#target && this.#chat.direct(this.#target.user)?.id === entry.conversation) this.#begin(entry.conversation);
    if (entry.conversation !== this.id) return;
    if (entry.client && entry.from === this.#parley.user) this.#sent.add(entry.client);
    this.#news.push(entry);
    this.#paintSoon();
  }

  // Many messages that come at once are drawn at once.
  #paintSoon = inFrame(() => {
    const news = this.#news.splice(0, mostAtOnce).filter(({ conversation }) => conversation === this.id);
    if (!this.#target) return;
    if (this.#news.length > 0) this.#paintSoon();
    this.#paintUnsent();
    this.#paintHead();
    if (news.length === 0) return;
    this.#history.append(news);
    // The shop said something of the order: it was rated, perhaps.
    if (news.some(({ body }) => body?.oc)) this.#order?.load().catch(() => {});
    this.#read();
  });

  // The first message has made it a conversation.
  #begin(conversation) {
    this.#target = { conversation };
    this.#composer.becomes(conversation);
    this.onBegun(conversation);
    this.#load(this.#history);
  }

  #listed() {
    if (!this.#target) return;
    if (!this.id && this.#chat.direct(this.#target.user)) this.#begin(this.#chat.direct(this.#target.user).id);
    this.#paintSoon();
  }

  // What quotes it says it differently, too.
  #changed(message) {
    this.#history.change(message);
    this.#history.repaint(({ reply }) => reply === message.number);
  }

  #marked = inFrame(() => this.#history?.repaintFates());

  #repaint() {
    this.#history?.repaint();
    if (this.#target) this.#paintHead();
  }

  #moved() {
    byID('to-end').hidden = this.#history.isAtEnd || this.#history.isEmpty;
    this.#read();
  }

  // What is in view of a user who looks is read.
  #read() {
    if (!this.id || document.visibilityState !== 'visible' || !this.#history?.isAtEnd) return;
    this.#chat.read(this.id, this.#history.last).catch(() => {});
  }

  // MARK: The head

  get #person() {
    const user = this.#conversation?.peer?.user ?? this.#target?.user;
    return user === undefined ? undefined : { ...this.#names.person(user), ...this.#conversation?.peer, user };
  }

  get #title() {
    const person = this.#person;
    const { kind, title, subject = '' } = this.#conversation || {};
    if (kind === 'order') return texts.order(subject);
    if (!person) return title ?? texts.unnamed;
    return person.user === this.#parley.user ? texts.mySelf : person.name ?? texts.unnamed;
  }

  #paintHead() {
    paintFace(byID('chat-face'), this.#person ?? { user: this.id, name: this.#title });
    byID('chat-name').textContent = this.#title;
    const person = this.#person;
    const isOther = person !== undefined && person.user !== this.#parley.user;
    for (const [kind, text] of [['audio', texts.ringAudio], ['video', texts.ringVideo]]) {
      byID(`chat-${kind}`).hidden = !isOther;
      nameButton(byID(`chat-${kind}`), text(this.#title));
    }
    byID('compose').hidden = this.#conversation?.isDissolved === true;
    this.#composer.obey(this.#conversation || undefined);
    this.#paintStatus();
  }

  #paintStatus() {
    const typing = [...(this.#conversation?.typing ?? [])].map((user) => this.#names.name(user));
    const person = this.#person;
    const isOnline = person && this.#people.isOnline(person.user);
    const still = this.#order?.status ?? (person ? (isOnline ? texts.online : '') : texts.members(this.#conversation?.members ?? 0));
    byID('chat-status').textContent = typing.length > 0 ? texts.writing(typing) : still;
  }

  #ring(kind) { this.#call(this.#person, kind); }

  async #openDetails() {
    if (this.#order) return this.#order.open(this.#around, []);
    const loaded = await later(() => import('./page-details.js'));
    if (!loaded || !this.#conversation) return;
    loaded.openDetails({ chat: this.#chat, conversation: this.#conversation, names: this.#names, people: this.#people, me: this.#parley.user, closed: () => this.close(), pinned: () => this.onPinned() });
  }

  // MARK: Messages

  #around = this.#surroundings();

  #surroundings() {
    const view = this;
    return {
      get files() { return view.#parley.files; },
      get me() { return view.#parley.user; },
      get isGroup() { return view.#conversation !== undefined && view.#conversation.kind !== 'direct'; },
      get hasFaces() { return this.isGroup && view.id !== anonymousRoom; },
      name: (user) => view.#names.name(user),
      person: (user) => view.#names.person(user),
      fate: (message) => message.state ?? view.#conversation?.fate(message.number, view.#parley.user) ?? 'sent',
      quote: (number) => view.#chat.message(view.id, number),
      jump: (number) => view.jump(number),
      openPicture: (message) => view.#openPicture(message),
      openMenu: (message, event) => view.#openMenu(message, event),
      react: (message, reaction, on) => view.#do(view.#chat.react(view.id, message.number, reaction, on)),
      callBack: (id, kind) => view.#ring(kind),
      // Without a line the dot comes back: it was not said.
      heard: (message, reaction) => view.#chat.react(view.id, message.number, reaction, true).catch(() => {}),
    };
  }

  #paintUnsent() {
    if (!this.#target) return;
    const messages = this.id ? this.#chat.unsent(this.id) : this.#chat.unsentTo(this.#target.user);
    const follows = this.#history?.isAtEnd;
    this.#unsent.replaceChildren(...messages.filter(({ id }) => !this.#sent.has(id)).map((message) => this.#unsentRow(message)));
    if (follows) byID('history').scrollTop = byID('history').scrollHeight;
  }

  #unsentRow(message) {
    const isWaiting = message.state === 'sending' && this.#parley.state !== 'connected';
    const shown = { ...message, number: undefined, type: 'message', from: this.#parley.user, state: isWaiting ? 'waiting' : message.state };
    // A file that is not on the server yet has no picture there.
    if (message.file) Object.assign(shown, { kind: 'text', body: { text: `${message.body?.name ?? texts.kinds[message.kind]} ${Math.round((message.progress ?? 0) * 100)} %` } });
    const row = entryRow(shown, this.#around);
    row.dataset.state = shown.state;
    if (message.state === 'failed') row.append(this.#failure(message));
    return row;
  }

  #failure(message) {
    const button = (text, action) => {
      const element = make('button', { type: 'button' }, text);
      element.onclick = action;
      return element;
    };
    return make('div', { class: 'failure', role: 'alert' }, make('span', {}, errorText(message.code)),
      button(texts.retry, () => this.#chat.retry(message)), button(texts.discard, () => this.#chat.drop(message)));
  }

  async #openPicture(message) {
    const loaded = await later(() => import('./page-viewer.js'));
    loaded?.openViewer(message, { chat: this.#chat, files: this.#parley.files });
  }

  #openMenu(message, { clientX, clientY, currentTarget }) {
    const box = currentTarget?.getBoundingClientRect?.() ?? { left: clientX, bottom: clientY };
    const place = clientX > 0 ? { x: clientX, y: clientY } : { x: box.left, y: box.bottom };
    const reactions = make('div', { class: 'emoji-row' }, ...emoji.slice(0, 6).map((sign) => {
      const button = make('button', { type: 'button', class: 'plain', role: 'menuitem' }, sign);
      nameButton(button, `${texts.react} ${sign}`);
      button.onclick = () => this.#around.react(message, sign, true);
      return button;
    }));
    openMenu(place, this.#actions(message), [reactions]);
  }

  #actions(message) {
    const { id } = this;
    const isMine = message.from === this.#parley.user;
    const isAdmin = ['owner', 'admin'].includes(this.#conversation?.role ?? '');
    const mayPin = isAdmin || !this.#around.isGroup;
    const isText = message.kind === 'text';
    const items = [{ text: texts.reply, action: () => this.#composer.reply(message) }];
    if (isText) items.push({ text: texts.copy, action: () => navigator.clipboard?.writeText(message.body?.text ?? '') });
    items.push({ text: texts.forward, action: () => this.#forward(message) });
    if (isMine && isText) items.push({ text: texts.edit, action: () => this.#composer.edit(message) });
    if (mayPin) items.push({ text: message.pinned ? texts.unpin : texts.pin, action: () => this.#do(this.#chat.pin(id, message.number, !message.pinned)) });
    if (isMine || isAdmin) items.push({ text: texts.recall, isDanger: true, action: () => this.#do(this.#chat.recall(id, message.number)) });
    return items;
  }

  async #forward(message) {
    const chats = this.#chat.conversations.filter(({ kind, isDissolved }) => kind !== 'order' && !isDissolved);
    const people = chats.map(({ id, title, peer }) => ({ user: id, name: title ?? peer?.name, avatar: peer?.avatar }));
    const form = await ask(texts.forwardTo, [peopleChoice(people)], { confirm: texts.forward });
    for (const conversation of form?.getAll('user') ?? []) {
      this.#chat.send({ conversation: String(conversation) }, { forward: { conversation: message.conversation, number: message.number } });
    }
  }

  async #editLast() {
    const { entries } = await this.#chat.history(this.id, { limit: 50 });
    const last = entries.findLast(({ type, from, kind, recalled }) => type === 'message' && from === this.#parley.user && kind === 'text' && !recalled);
    if (last) this.#composer.edit(last);
  }

  async #do(request) {
    try {
      await request;
    } catch (error) {
      notice(errorText(error));
    }
  }
}
