import { PollingChannel, WebSocketChannel, longestBody } from './parley-channel.js';
import { ParleyError, tell } from './parley-error.js';

const connectTimeout = 15_000;
const requestTimeout = 20_000;
const firstPause = 500;
const longestPause = 4_000;
// A server that promises a sign of life less often is held to this; one that promises none is not believed.
const longestHeartbeat = 600_000;
const shortestHeartbeat = 1_000;

/**
 * A Socket.IO 5 session that comes back by itself: the line between a page and its server.
 *
 *     closed ──open──▶ connecting ──welcomed──▶ connected ──lost──▶ dropped ──pause──▶ connecting …
 *        ▲                                                             │
 *        └──────────────── close, or refused for good ────────────────┘
 *
 * Events: `state` when `state` changes; `connected` with `{recovered}`; `refused` with a `ParleyError` when the server
 * does not let us in; `dismissed` when it sends us away.
 */
export class Link extends EventTarget {
  /** @type {'closed'|'connecting'|'connected'|'dropped'} */
  state = 'closed';
  /** Our name among others while connected. @type {string|undefined} */
  member;

  #url;
  #auth;
  #receive;
  #channel;
  #timer;
  #silence;
  #heartbeat = 45_000;
  #attempts = 0;
  #provenChannel;
  #recovery = {};
  #requests = new Map();
  #lastRequest = 0;

  /**
   * @param {URL} url
   * @param {() => Promise<object>} auth what we show at the door, asked for at each connect
   * @param {(event: string, argument: any) => void} receive
   * @param {{pid?: string, offset?: string}} [recovery] of a session that another tab had
   */
  constructor(url, auth, receive, recovery = {}) {
    super();
    this.#url = url;
    this.#auth = auth;
    this.#receive = receive;
    this.#recovery = { ...recovery };
  }

  /** What goes on with this session elsewhere. */
  get recovery() { return { ...this.#recovery }; }

  open() {
    if (this.state !== 'closed') return;
    addEventListener('online', this.#hurry);
    document.addEventListener('visibilitychange', this.#hurry);
    this.#connect();
  }

  /**
   * Ends the session for good, or without a goodbye leaves it to another tab. Requests that wait for their answer fail.
   * @param {boolean} withGoodbye
   */
  close(withGoodbye = true) {
    removeEventListener('online', this.#hurry);
    document.removeEventListener('visibilitychange', this.#hurry);
    if (withGoodbye) this.#channel?.send('41');
    this.#hangUp();
    this.#recovery = {};
    this.#become('closed');
    for (const request of [...this.#requests.values()]) request.fail(new ParleyError('closed', 'the link was closed'));
  }

  /**
   * Asks the server for something and waits for its answer, also while the line is down.
   * @param {string} event
   * @param {object} [argument]
   * @param {{timeout?: number, onlyThisSession?: boolean}} options `onlyThisSession` for what has no meaning once
   *   the server has forgotten who we were
   * @returns {Promise<any>}
   */
  request(event, argument = {}, { timeout = requestTimeout, onlyThisSession = false } = {}) {
    if (this.state === 'closed') return Promise.reject(new ParleyError('closed', 'the link is closed'));
    return new Promise((resolve, reject) => {
      const id = ++this.#lastRequest;
      const settle = (outcome) => (value) => {
        clearTimeout(timer);
        this.#requests.delete(id);
        outcome(value);
      };
      const fail = settle(reject);
      const timer = setTimeout(() => fail(new ParleyError('timeout', `no answer to ${event}`)), timeout);
      const packet = `42${id}${JSON.stringify([event, argument])}`;
      this.#requests.set(id, { packet, onlyThisSession, succeed: settle(resolve), fail });
      if (this.state === 'connected') this.#channel.send(packet);
    });
  }

  // MARK: The line

  #connect() {
    this.#become('connecting');
    this.#hangUp();
    this.#timer = setTimeout(() => this.#drop(), connectTimeout);
    const channel = new (this.#nextChannel())(this.#url, {
      packet: (packet) => this.#take(packet),
      closed: () => this.#drop(),
    });
    this.#channel = channel;
  }

  // A WebSocket first. Where none has ever come through, every second attempt does without.
  #nextChannel() {
    const channel = this.#provenChannel ?? (this.#attempts % 2 === 0 ? WebSocketChannel : PollingChannel);
    this.#attempts += 1;
    return channel;
  }

  #drop() {
    if (this.state === 'closed') return;
    this.#hangUp();
    this.#become('dropped');
    this.#timer = setTimeout(() => this.#connect(), this.#pause());
  }

  // All clients lose a server at the same moment; they should not come back at the same moment.
  #pause() {
    const longest = Math.min(longestPause, firstPause * 2 ** Math.min(this.#attempts - 1, 10));
    return longest * (0.5 + Math.random() / 2);
  }

  #hurry = () => {
    if (this.state === 'dropped' && document.visibilityState === 'visible') this.#connect();
  };

  #hangUp() {
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#channel?.close();
    this.#channel = undefined;
  }

  #become(state) {
    if (this.state === state) return;
    this.state = state;
    tell(this, 'state', state);
  }

  // MARK: Packets

  #take(packet) {
    this.#listen();
    try {
      if (packet.length > longestBody) throw new RangeError('the packet is too long');
      this.#understand(packet);
    } catch (error) {
      // What cannot be understood belongs into no session; the next one may be better.
      console.warn(`parley: ${error.message}`);
      this.#drop();
    }
  }

  #understand(packet) {
    switch (packet[0]) {
      case '0': return this.#opened(JSON.parse(packet.slice(1)));
      case '1': return this.#drop();
      case '2': return this.#channel?.send('3');
      case '4': return this.#takeMessage(packet.slice(1));
    }
  }

  // A server that says nothing for longer than it promised is gone, even without a goodbye.
  #listen() {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#drop(), this.#heartbeat);
  }

  #opened({ pingInterval, pingTimeout }) {
    const heartbeat = pingInterval + pingTimeout;
    if (!(heartbeat >= shortestHeartbeat)) throw new RangeError('the server promises no sign of life');
    this.#heartbeat = Math.min(heartbeat, longestHeartbeat);
    this.#provenChannel = this.#channel.constructor;
    this.#enter(this.#channel);
  }

  async #enter(channel) {
    try {
      const auth = await this.#auth();
      channel.send(`40${JSON.stringify({ ...auth, ...this.#recovery })}`);
    } catch (error) {
      if (this.#channel !== channel) return;
      if (error.code === 'signed_out') this.#refused(error);
      else this.#drop();
    }
  }

  #takeMessage(message) {
    const { type, id, data } = parse(message);
    switch (type) {
      case '0': return this.#welcomed(data);
      case '1': return this.#dismissed();
      case '2': return this.#takeEvent(data);
      case '3': return this.#takeAnswer(id, data[0]);
      case '4': return this.#refused(new ParleyError(data.message, 'the server did not let us in'));
    }
  }

  #welcomed({ sid, pid }) {
    clearTimeout(this.#timer);
    const recovered = pid !== undefined && pid === this.#recovery.pid;
    if (!recovered) this.#recovery = pid === undefined ? {} : { pid };
    this.member = sid;
    this.#attempts = 0;
    this.#become('connected');
    tell(this, 'connected', { recovered });
    this.#askAgain(recovered);
  }

  // Whether the server got them before the line broke is not known; requests are made so that twice is once.
  #askAgain(recovered) {
    for (const request of [...this.#requests.values()]) {
      if (request.onlyThisSession && !recovered) request.fail(new ParleyError('disconnected', 'the session is over'));
      else this.#channel?.send(request.packet);
    }
  }

  #takeEvent([event, argument, offset]) {
    if (this.#recovery.pid !== undefined && typeof offset === 'string') this.#recovery.offset = offset;
    this.#receive(event, argument);
  }

  #takeAnswer(id, answer) {
    const request = this.#requests.get(id);
    if (answer?.error) request?.fail(ParleyError.from(answer.error));
    else request?.succeed(answer ?? {});
  }

  #refused(error) {
    this.#recovery = {};
    this.#drop();
    tell(this, 'refused', error);
  }

  #dismissed() {
    this.#recovery = {};
    this.#drop();
    tell(this, 'dismissed');
  }
}

/** A Socket.IO packet of the main namespace: type, ack id, JSON. */
function parse(message) {
  const [head, type, id] = /^(\d)(\d*)/.exec(message) ?? ['', '', ''];
  const json = message.slice(head.length);
  return { type, id: Number(id), data: json === '' ? {} : JSON.parse(json) };
}
