/** @typedef {import('./parley-cache.js').Entry} Entry */

/**
 * How far a member got.
 * @typedef {{delivered: number, read: number}} Mark
 */

// What concerns the account of the user and not the course of the order: a coupon, say.
const accountClass = 3;

/** One conversation as we know it; `Chat` keeps it true. */
export class Conversation {
  /** @type {string} */
  id;
  /** @type {'direct'|'group'|'room'|'order'} */
  kind;
  /** @type {'owner'|'admin'|'member'|undefined} our own */
  role;
  /** @type {string|undefined} */
  title;
  /** What it is tied to: the name of an order. @type {string|undefined} */
  subject;
  /** Whom it is with, when it is with one. @type {{user: string, name?: string, avatar?: string}|undefined} */
  peer;
  members = 0;
  /** The number of its latest entry. */
  last = 0;
  /** Nothing before this one is there for us. */
  since = 0;
  read = 0;
  unread = 0;
  isMuted = false;
  /** Out of the way, until somebody says something. */
  isArchived = false;
  isDissolved = false;
  /** The number of the latest message to the user's account, in the conversation of an order. */
  account = 0;
  /** How long members wait between two messages. @type {number|undefined} */
  slowSeconds;
  /** When this member last said something, by this machine's clock. */
  spokeAt = 0;
  /** When this member may say something again, as the server said. */
  mayWriteAt = 0;
  /** @type {Entry|undefined} */
  latest;
  /** How far others got, as far as they were asked for. @type {Map<string, Mark>} */
  marks = new Map();
  /** Who types just now. @type {Set<string>} */
  typing = new Set();

  /** @param {any} view as the server tells it */
  constructor(view) {
    this.id = view.conversation;
    this.update(view);
  }

  update({ kind, role, title, subject, peer, members, last, since, read, unread, muted, archived, dissolved, slowSeconds, spokeAt, mayWriteAt, account, latest }) {
    Object.assign(this, { kind, role, title, subject, peer, members, last, since: since ?? 0, read: read ?? 0, unread: unread ?? 0, slowSeconds, latest });
    if (spokeAt !== undefined) this.spokeAt = spokeAt;
    if (mayWriteAt !== undefined) this.mayWriteAt = mayWriteAt;
    this.account = Math.max(this.account, account ?? 0);
    this.note(latest);
    this.isMuted = muted === true;
    this.isArchived = archived === true;
    this.isDissolved = dissolved === true;
    if (peer) this.marks.set(peer.user, { delivered: peer.delivered ?? 0, read: peer.read ?? 0 });
  }

  /** As the server would tell it: what a browser keeps. */
  get view() {
    const { id: conversation, kind, role, title, subject, peer, members, last, since, read, unread, slowSeconds, spokeAt, mayWriteAt, account, latest } = this;
    const mark = peer && this.marks.get(peer.user);
    return {
      conversation, kind, role, title, subject, members, last, since, read, unread, slowSeconds, spokeAt, mayWriteAt, account, latest,
      muted: this.isMuted, archived: this.isArchived, dissolved: this.isDissolved, ...(peer && { peer: { ...peer, ...mark } }),
    };
  }

  /** Milliseconds until the rule of the conversation lets us say something. Who leads it need not wait. */
  get wait() {
    const { role, slowSeconds = 0, spokeAt, mayWriteAt } = this;
    if (['owner', 'admin'].includes(role ?? '')) return 0;
    // The rule may have become known after the message.
    const interval = slowSeconds * 1_000;
    return Math.max(0, Math.min(Math.max(mayWriteAt, spokeAt + interval) - Date.now(), interval));
  }

  /** Whether a message to the user's account was not opened yet. */
  get hasAccountNews() { return this.account > this.read; }

  /** @param {any} entry that came */
  note(entry) {
    if (entry?.body?.oc?.msgClass === accountClass) this.account = Math.max(this.account, entry.number);
  }

  /** When something last happened here. */
  get time() { return this.latest?.time ?? 0; }

  /** What happened. What is said by others is unread until it is marked as read. */
  append(entry, me) {
    this.last = entry.number;
    this.note(entry);
    if (['message', 'created', 'joined', 'left', 'removed', 'renamed', 'dissolved'].includes(entry.type)) this.latest = entry;
    if (entry.type === 'message') {
      this.typing.delete(entry.from);
      this.isArchived = false;
    }
    if (entry.type === 'message' && entry.from !== me) this.unread += 1;
    if (entry.type === 'message' && entry.from === me) {
      Object.assign(this, { unread: 0, read: entry.number, spokeAt: Date.now() });
    }
    if (this.latest && entry.target === this.latest.number) this.latest = changed(this.latest, entry);
    this.#shape(entry, me);
  }

  #shape({ type, body, from }, me) {
    switch (type) {
      case 'renamed': this.title = body.title; break;
      case 'dissolved': this.isDissolved = true; break;
      case 'joined': this.members += body?.users?.length ?? 0; break;
      case 'left': case 'removed': this.members -= 1; break;
      case 'role': if (body.user === me) this.role = body.role; break;
    }
    if (type === 'left' && body?.role && body.user === me && from !== me) this.role = body.role;
  }

  /** A member got so far. @returns {boolean} whether that is news */
  mark(user, { delivered = 0, read = 0 }) {
    const known = this.marks.get(user) ?? { delivered: 0, read: 0 };
    if (delivered <= known.delivered && read <= known.read) return false;
    this.marks.set(user, { delivered: Math.max(delivered, known.delivered), read: Math.max(read, known.read) });
    return true;
  }

  /** How a message of ours fares with the others. @returns {'sent'|'delivered'|'read'} */
  fate(number, me) {
    const others = [...this.marks].filter(([user]) => user !== me).map(([, mark]) => mark);
    if (others.length === 0) return 'sent';
    if (others.every(({ read }) => read >= number)) return 'read';
    return others.every(({ delivered }) => delivered >= number) ? 'delivered' : 'sent';
  }
}

/** A message as it is after something happened to it. @param {any} message @param {any} entry @returns {any} */
export function changed(message, { type, from, body, time }) {
  switch (type) {
    case 'edited': return message.recalled ? message : { ...message, body, edited: time };
    case 'recalled': return { ...message, body: undefined, reactions: undefined, recalled: time };
    case 'reacted': return { ...message, reactions: reacted(message.reactions ?? [], from, body) };
    case 'pinned': case 'unpinned': return { ...message, pinned: type === 'pinned' };
    default: return message;
  }
}

function reacted(reactions, user, { reaction, on }) {
  const others = (known) => known.users.filter((other) => other !== user);
  const known = reactions.find((one) => one.reaction === reaction) ?? { reaction, users: [] };
  const users = on === false ? others(known) : [...others(known), user];
  const rest = reactions.filter((one) => one.reaction !== reaction);
  if (users.length === 0) return rest;
  const index = reactions.indexOf(known);
  return index < 0 ? [...rest, { reaction, users }] : reactions.with(index, { reaction, users });
}
