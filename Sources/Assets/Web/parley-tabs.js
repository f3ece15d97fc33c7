import { ParleyError, tell } from './parley-error.js';
import { Link } from './parley-link.js';

const requestTimeout = 20_000;
// A leader that says nothing for so long is frozen by the system, or busy: whoever is looked at leads in its place.
const leaderTimeout = 4_000;
// What only one tab can be in: the others have to know.
const oneTab = new Set(['call.accept', 'room.join']);

/**
 * The line of all tabs in which the same user is signed in. One of them, the leader, holds the session with the server; what
 * the others ask and hear goes through it. When the leader's tab is closed, the one that has waited longest takes its session over, as
 * after a line that broke, and nobody else notices.
 *
 *     tab ──ask──▶ BroadcastChannel ──▶ leader ──▶ Link ──▶ server
 *      ▲                                  │
 *      └──────── events, answers ◀────────┘
 *
 * Who leads is whoever holds a lock (Web Locks), so there is never more than one; a tab that is looked at takes it from a leader that
 * does not answer. A browser without locks (a page that came without HTTPS) has a line for each tab.
 *
 * Events: those of `Link`; `asked` with `{event, argument}` when another tab takes a call or comes into a room; `ended` with a
 * `ParleyError` when another tab ended the session for all.
 */
export class TabLink extends EventTarget {
  /** @type {'closed'|'connecting'|'connected'|'dropped'} */
  state = 'closed';
  /** Our name among others, the same in all tabs. @type {string|undefined} */
  member;

  #url;
  #auth;
  #receive;
  #key;
  /** Of this tab while it leads. @type {Link|undefined} */
  #link;
  #leading = new AbortController();
  /** @type {BroadcastChannel|undefined} */
  #channel;
  #tab = randomName();
  #waiting = new AbortController();
  #letGo = () => {};
  /** Until when the leader has to say something. */
  #patience;
  /** Tabs that have said so. */
  #others = new Set();
  /** Whether this tab may have missed what another leader told: it begins anew with the next greeting. */
  #behind = false;
  /** Where another tab goes on with the session. */
  #recovery = {};
  #welcome;
  #requests = new Map();
  #lastRequest = 0;

  /**
   * @param {URL} url
   * @param {() => Promise<object>} auth
   * @param {(event: string, argument: any) => void} receive
   */
  constructor(url, auth, receive) {
    super();
    this.#url = url;
    this.#auth = auth;
    this.#receive = receive;
  }

  /** Whether there may be other tabs. */
  get hasOthers() { return this.#others.size > 0 || (this.#link === undefined && this.#channel !== undefined); }

  /** @param {string} [key] the same in all tabs that share; without it this one is by itself */
  open(key) {
    if (this.state !== 'closed') return;
    this.#become('connecting');
    if (key === undefined || !navigator.locks || !globalThis.BroadcastChannel) return this.#lead();
    this.#key = key;
    this.#channel = new BroadcastChannel(key);
    this.#channel.onmessage = ({ data }) => this.#told(data);
    document.addEventListener('visibilitychange', this.#lookForLeader);
    addEventListener('pagehide', this.#sayGoodbye);
    this.#queue();
    this.#lookForLeader();
  }

  /** Leaves; other tabs stay. Requests that wait for their answer fail. */
  close() {
    if (this.state === 'closed') return;
    // With a goodbye to the server the session would be over for the tab that goes on with it.
    this.#stopLeading(this.#others.size === 0);
    this.#leaveOthers();
    this.#recovery = {};
    this.#welcome = undefined;
    this.#others.clear();
    this.#become('closed');
    for (const request of [...this.#requests.values()]) request.fail(new ParleyError('closed', 'the link was closed'));
  }

  /** Ends the session in all tabs. @param {ParleyError} error why */
  end(error) {
    this.#post({ what: 'ended', error: plain(error) });
    this.#others.clear();
    this.close();
  }

  /**
   * Leaves the others and goes on with a session of its own: for a call that another tab has, since a session has one seat in it.
   * Settles when it is connected.
   */
  async separate() {
    if (this.#channel === undefined) return;
    this.#stopLeading(this.#others.size === 0);
    this.#leaveOthers();
    this.#others.clear();
    this.#recovery = {};
    this.#become('connecting');
    const connected = new Promise((resolve) => { this.addEventListener('connected', resolve, { once: true }); });
    this.#lead();
    await connected;
  }

  #leaveOthers() {
    document.removeEventListener('visibilitychange', this.#lookForLeader);
    removeEventListener('pagehide', this.#sayGoodbye);
    clearTimeout(this.#patience);
    this.#sayGoodbye();
    this.#channel?.close();
    this.#channel = undefined;
    this.#waiting.abort();
    this.#letGo();
  }

  #sayGoodbye = () => this.#channel?.postMessage({ what: 'goodbye', from: this.#tab });

  /** As `Link.request`. */
  request(event, argument = {}, { timeout = requestTimeout, onlyThisSession = false } = {}) {
    if (this.state === 'closed') return Promise.reject(new ParleyError('closed', 'the link is closed'));
    if (oneTab.has(event)) this.#post({ what: 'asked', event, argument: JSON.parse(JSON.stringify(argument)) });
    return this.#link ? this.#link.request(event, argument, { timeout, onlyThisSession }) : this.#pass(event, argument, timeout, onlyThisSession);
  }

  // MARK: Leading

  // Waits for the lock, however long that takes.
  #queue() {
    const waiting = this.#waiting = new AbortController();
    navigator.locks.request(this.#key, { signal: waiting.signal }, () => this.#hold(waiting)).catch(() => this.#lost(waiting));
  }

  #takeOver() {
    if (this.#link || this.state === 'closed' || document.visibilityState !== 'visible') return;
    this.#waiting.abort();
    const waiting = this.#waiting = new AbortController();
    navigator.locks.request(this.#key, { steal: true }, () => this.#hold(waiting)).catch(() => this.#lost(waiting));
  }

  // The lock is held until the promise settles, or the tab is gone.
  #hold(waiting) {
    if (waiting.signal.aborted) return undefined;
    const held = new Promise((resolve) => { this.#letGo = () => resolve(undefined); });
    this.#lead();
    return held;
  }

  // Another tab leads in our place.
  #lost(waiting) {
    if (waiting.signal.aborted) return;
    this.#stopLeading(false);
    // As long as it thought that it led, it heard no other.
    this.#behind = true;
    this.#queue();
    this.#lookForLeader();
  }

  #stopLeading(withGoodbye) {
    const link = this.#link;
    this.#link = undefined;
    this.#leading.abort();
    link?.close(withGoodbye);
  }

  #lead() {
    clearTimeout(this.#patience);
    const link = this.#link = new Link(this.#url, this.#auth, (event, argument) => this.#heard(event, argument), this.#recovery);
    const { signal } = this.#leading = new AbortController();
    link.addEventListener('state', ({ detail }) => this.#tellAll({ what: 'state', state: detail, member: link.member }), { signal });
    link.addEventListener('connected', ({ detail }) => this.#tellAll({ what: 'connected', ...detail, recovery: link.recovery }), { signal });
    link.addEventListener('refused', ({ detail }) => this.#tellAll({ what: 'refused', error: plain(detail) }), { signal });
    link.addEventListener('dismissed', () => this.#tellAll({ what: 'dismissed' }), { signal });
    this.#behind = false;
    link.open();
    this.#post({ what: 'leads', from: this.#tab });
    for (const [id, { ask, succeed, fail }] of [...this.#requests]) {
      this.#requests.delete(id);
      link.request(ask.event, ask.argument, ask).then(succeed, fail);
    }
  }

  #heard(event, argument) {
    if (event === 'welcome') this.#welcome = argument;
    this.#tellAll({ what: 'event', event, argument, recovery: this.#link?.recovery });
  }

  #tellAll(message) {
    this.#post(message);
    this.#take(message);
  }

  #post(message) {
    if (this.hasOthers || message.what === 'leads') this.#channel?.postMessage(message);
  }

  async #answer({ from, id, event, argument, timeout, onlyThisSession }) {
    try {
      const answer = await this.#link.request(event, argument, { timeout, onlyThisSession });
      this.#post({ what: 'answer', to: from, id, answer });
    } catch (error) {
      this.#post({ what: 'answer', to: from, id, error: plain(error) });
    }
  }

  // MARK: Following

  #lookForLeader = () => {
    if (this.#link || document.visibilityState !== 'visible') return;
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => this.#takeOver(), leaderTimeout);
    this.#post({ what: 'hello', from: this.#tab });
  };

  #pass(event, argument, timeout, onlyThisSession) {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastRequest;
      const settle = (outcome) => (value) => {
        clearTimeout(timer);
        this.#requests.delete(id);
        outcome(value);
      };
      const fail = settle(reject);
      const timer = setTimeout(() => fail(new ParleyError('timeout', `no answer to ${event}`)), timeout);
      // A channel carries no candidates and descriptions, only what they are as JSON.
      const ask = { what: 'ask', from: this.#tab, id, event, argument: JSON.parse(JSON.stringify(argument)), timeout, onlyThisSession };
      this.#requests.set(id, { ask, succeed: settle(resolve), fail });
      this.#channel?.postMessage(ask);
      this.#lookForLeader();
    });
  }

  #told(message) {
    if (message.from !== undefined) this.#others.add(message.from);
    switch (message.what) {
      case 'goodbye': return void this.#others.delete(message.from);
      case 'hello': return this.#greet(message.from);
      case 'leads':
        clearTimeout(this.#patience);
        return this.#askAgain();
      case 'ask': return this.#link && this.#answer(message);
      case 'asked': return tell(this, 'asked', message);
      case 'ended': return this.#ended(ParleyError.from(message.error));
    }
    // What only a leader says.
    clearTimeout(this.#patience);
    if (this.#link || (message.to ?? this.#tab) !== this.#tab) return;
    if (message.what === 'answer') this.#answered(message);
    else if (message.what === 'greeting') this.#greeted(message);
    else this.#take(message);
  }

  #greet(to) {
    if (!this.#link) return;
    this.#post({ what: 'greeting', to, from: this.#tab, state: this.state, member: this.member, welcome: this.#welcome, recovery: this.#link.recovery });
  }

  // What a session begins with, for a tab that comes later.
  #greeted({ state, member, welcome, recovery }) {
    const knowsAll = this.state === 'connected' && !this.#behind;
    this.#take({ what: 'state', state, member });
    if (knowsAll || state !== 'connected' || welcome === undefined) return;
    this.#behind = false;
    this.#take({ what: 'connected', recovered: false, recovery });
    this.#take({ what: 'event', event: 'welcome', argument: welcome, recovery });
  }

  // The new leader does not know what the last one was asked. Requests are made so that twice is once.
  #askAgain() {
    this.#channel?.postMessage({ what: 'hello', from: this.#tab });
    for (const { ask } of this.#requests.values()) this.#channel?.postMessage(ask);
  }

  #answered({ id, answer, error }) {
    const request = this.#requests.get(id);
    if (error) request?.fail(ParleyError.from(error));
    else request?.succeed(answer);
  }

  // MARK: In every tab

  #take(message) {
    this.#recovery = message.recovery ?? this.#recovery;
    switch (message.what) {
      case 'state':
        this.member = message.member;
        return this.#become(message.state);
      case 'connected': return tell(this, 'connected', { recovered: message.recovered });
      case 'event':
        if (message.event === 'welcome') this.#welcome = message.argument;
        return this.#receive(message.event, message.argument);
      case 'refused': return tell(this, 'refused', ParleyError.from(message.error));
      case 'dismissed': return tell(this, 'dismissed');
    }
  }

  #ended(error) {
    this.#others.clear();
    tell(this, 'ended', error);
    this.close();
  }

  #become(state) {
    if (this.state === state) return;
    this.state = state;
    tell(this, 'state', state);
  }
}

// What a channel carries of an error.
function plain({ code, message, retryAfter }) { return { code, message, retryAfter }; }

function randomName() { return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join(''); }
