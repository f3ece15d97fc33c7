import { tell } from './parley-error.js';

// A server that is there answers within this time.
const timeout = 20_000;
const longestPause = 30_000;

/**
 * A message on its way.
 * @typedef {object} Unsent
 * @property {number} order of two, the one with the smaller number was written first
 * @property {string} id our own name for it: sent twice, it is one message all the same
 * @property {string} [conversation]
 * @property {string} [user] instead of a conversation that does not exist yet
 * @property {string} [kind]
 * @property {any} [body]
 * @property {number} [reply]
 * @property {string[]} [mentions]
 * @property {{conversation: string, number: number}} [forward]
 * @property {Blob} [file] what is brought to the server first; its name goes into the body
 * @property {string} [upload] where its upload goes on
 * @property {number} time
 * @property {'sending'|'failed'} state
 * @property {string} [code] why it failed
 * @property {number} [progress] of the file, from 0 to 1
 */

/**
 * Messages leave in the order in which they were written, each once: also after a reload, after hours without a network,
 * and from two tabs, which share what waits: one sends at a time, and what a tab that was closed left behind the other sends.
 *
 * Events: `changed` with an `Unsent`; `sent` with `{message, answer}`; `refused` with `{message, error}`.
 */
export class Outbox extends EventTarget {
  /** @type {Map<string, Unsent>} */
  #messages = new Map();
  /** The names of those that the browser keeps, and other tabs see. */
  #kept = new Set();
  /** @type {BroadcastChannel|undefined} */
  #tabs;
  #cache;
  #link;
  #files;
  #key;
  #isFlushing = false;
  #lastOrder = 0;

  /**
   * @param {import('./parley-cache.js').ChatCache} cache
   * @param {import('./parley-tabs.js').TabLink} link
   * @param {import('./parley-files.js').Files} files
   * @param {string} key the same in every tab of this user
   */
  constructor(cache, link, files, key) {
    super();
    this.#cache = cache;
    this.#link = link;
    this.#files = files;
    this.#key = key;
  }

  /** @returns {Unsent[]} */
  get messages() { return [...this.#messages.values()].sort((one, other) => one.order - other.order); }

  /** Takes up what an earlier page could not send. */
  async open() {
    this.#tabs = globalThis.BroadcastChannel && new BroadcastChannel(this.#key);
    if (this.#tabs) this.#tabs.onmessage = () => this.flush();
    await this.#meet();
    this.flush();
  }

  /** The user is gone. */
  close() {
    this.#tabs?.close();
    this.#messages.clear();
  }

  // What other tabs wrote leaves from here too, and what they sent is gone.
  async #meet() {
    const found = await this.#cache.unsent();
    if (!found) return;
    const ids = new Set(found.map(({ id }) => id));
    for (const message of this.messages) if (this.#kept.has(message.id) && !ids.has(message.id)) this.#forget(message);
    for (const message of found) if (!this.#messages.has(message.id)) this.#learn(message);
  }

  #learn(message) {
    this.#kept.add(message.id);
    this.#messages.set(message.id, message);
    tell(this, 'changed', message);
  }

  #forget(message) {
    this.#kept.delete(message.id);
    this.#messages.delete(message.id);
    tell(this, 'changed', message);
  }

  /** @param {Omit<Unsent, 'order'|'id'|'time'|'state'>} content @returns {Unsent} */
  add(content) {
    // Another tab may write in the same millisecond.
    const order = this.#lastOrder = Math.max(Date.now(), Math.floor(this.#lastOrder) + 1) + Math.random();
    /** @type {Unsent} */
    const message = { ...content, order, id: crypto.randomUUID?.() ?? randomID(), time: Date.now(), state: 'sending' };
    this.#messages.set(message.id, message);
    tell(this, 'changed', message);
    this.#cache.putUnsent(message).then(() => {
      this.#kept.add(message.id);
      this.#tabs?.postMessage(null);
      this.flush();
    });
    return message;
  }

  /** Once more: under the same name, so it cannot come twice. */
  retry(id) {
    const message = this.#messages.get(id);
    if (!message) return;
    this.#become(message, 'sending');
    this.flush();
  }

  drop(id) {
    const message = this.#messages.get(id);
    if (!message) return;
    this.#cache.deleteUnsent(message.order);
    this.#forget(message);
  }

  /** Sends what waits, one after the other, for as long as there is a line. */
  async flush() {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    try {
      await alone(this.#key, () => this.#sendAll());
    } finally {
      this.#isFlushing = false;
    }
  }

  async #sendAll() {
    await this.#meet();
    for (let message = this.#next(); message && this.#link.state === 'connected'; message = this.#next()) {
      await this.#send(message);
    }
  }

  #next() { return this.messages.find(({ state }) => state === 'sending'); }

  /** @param {Unsent} message */
  async #send(message) {
    try {
      if (message.file) await this.#bring(message);
      const { conversation, user, kind, body, reply, mentions, forward, id } = message;
      const answer = await this.#link.request('chat.send', { conversation, user, kind, body, reply, mentions, forward, id }, { timeout });
      this.#messages.delete(id);
      this.#kept.delete(id);
      await this.#cache.deleteUnsent(message.order);
      tell(this, 'sent', { message, answer });
    } catch (error) {
      await this.#refused(message, error);
    }
  }

  /** @param {Unsent} message */
  async #bring(message) {
    const file = await this.#files.upload(message.file, {
      location: message.upload,
      located: (location) => {
        message.upload = location;
        return this.#cache.putUnsent(message);
      },
      progressed: (part) => {
        message.progress = part;
        tell(this, 'changed', message);
      },
    });
    message.body = { ...message.body, file };
    delete message.file;
    delete message.upload;
    await this.#cache.putUnsent(message);
  }

  async #refused(message, error) {
    // Without a line nothing is refused: it leaves when the line is back.
    if (this.#link.state !== 'connected') return;
    // Who has to wait by the rule of a conversation says it again when they want to.
    if (error.retryAfter !== undefined && error.code !== 'slow_mode') return pause(Math.min(error.retryAfter, longestPause));
    this.#become(message, 'failed', error.code ?? 'other');
    tell(this, 'refused', { message, error });
  }

  #become(message, state, code) {
    Object.assign(message, { state, code });
    this.#cache.putUnsent(message);
    tell(this, 'changed', message);
  }
}

function pause(milliseconds) { return new Promise((resolve) => setTimeout(resolve, milliseconds)); }

// Pages that came without HTTPS from another machine have no `randomUUID`.
function randomID() { return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join(''); }

// Tabs of one browser share what is unsent. Without locks (no HTTPS) the messages' own names still make them one each.
function alone(name, work) { return navigator.locks ? navigator.locks.request(name, work) : work(); }
