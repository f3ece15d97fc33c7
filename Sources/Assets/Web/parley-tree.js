import { ParleyError, tell } from './parley-error.js';

const firstPause = 500;
const longestPause = 15_000;
// What another try does not change.
const final = ['forbidden', 'signed_out'];
// What another token does.
const stale = ['token_expired', 'unauthorized'];

/**
 * A place of the realtime tree in one line: a value, or how many children it has. Of a long text `value` is the beginning and `bytes` its length;
 * what is not there has the value `null`.
 * @typedef {{value?: string|number|boolean|null, bytes?: number, count?: number}} TreeSummary
 */

/**
 * A child of a place, and where it stands among those that are shown.
 * @typedef {TreeSummary & {at: number, key: string}} TreeRow
 */

/**
 * What is new at a place: all its rows, or with `whole` false those that changed and the keys that are `gone`.
 * @typedef {TreeSummary & {path: string, whole: boolean, rows: TreeRow[], gone: string[]}} TreeChange
 */

/**
 * The realtime tree of the server, for users who may look at all of it. It reconnects when the connection breaks.
 *
 * Events: `state` when `state` changes; `change` with a `TreeChange` of a place that is open; `full` with the path of a place that was not
 * opened since too much is; `refused` with a `ParleyError`, after which nothing comes.
 */
export class TreeView extends EventTarget {
  /** @type {'connecting'|'connected'|'dropped'|'closed'} */
  state = 'connecting';
  #url;
  #token;
  /** @type {WebSocket|undefined} */
  #socket;
  #timer;
  #attempt = 0;
  #isStale = false;
  /** How many rows are wanted of each open place. @type {Map<string, number>} */
  #open = new Map();

  /** @param {URL} server @param {(isStale: boolean) => Promise<string>} token which is another when the last one was refused */
  constructor(server, token) {
    super();
    this.#url = new URL('.view', server).href.replace(/^http/, 'ws');
    this.#token = token;
    this.#connect();
  }

  /** Shows the first children of a place. @param {string} path keys with slashes between them @param {number} [rows] of 1,000 at most */
  open(path, rows = 100) {
    this.#open.set(path, rows);
    this.#say({ open: path, limit: rows });
  }

  /** Shows a place and all below it no longer. @param {string} path */
  close(path) {
    for (const open of [...this.#open.keys()]) if (isWithin(path, open)) this.#open.delete(open);
    this.#say({ close: path });
  }

  end() {
    clearTimeout(this.#timer);
    this.#become('closed');
    this.#socket?.close();
  }

  #connect() {
    const socket = this.#socket = new WebSocket(this.#url);
    socket.onopen = () => this.#enter(socket).catch((error) => this.#refused(error));
    socket.onmessage = ({ data }) => this.#received(JSON.parse(data));
    socket.onclose = () => this.#lost();
  }

  // Places are asked for again in their order, from above to below.
  async #enter(socket) {
    socket.send(JSON.stringify({ auth: await this.#token(this.#isStale) }));
    this.#isStale = false;
    this.#become('connected');
    for (const [path, rows] of this.#open) this.#say({ open: path, limit: rows });
  }

  #received(message) {
    if (message.error === 'too_many') {
      this.#open.delete(message.path);
      tell(this, 'full', message.path);
    } else if (message.error) {
      this.#refused(ParleyError.from(message.error));
    } else if (this.#open.has(message.path)) {
      this.#attempt = 0;
      tell(this, 'change', message);
    }
  }

  #refused(error) {
    this.#isStale = stale.includes(error.code);
    if (this.state === 'closed' || !final.includes(error.code)) return this.#socket?.close();
    this.end();
    tell(this, 'refused', error);
  }

  #lost() {
    if (this.state === 'closed') return;
    this.#become('dropped');
    this.#timer = setTimeout(() => this.#connect(), Math.min(longestPause, firstPause * 2 ** this.#attempt));
    this.#attempt += 1;
  }

  #say(message) {
    if (this.state === 'connected' && this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #become(state) {
    if (this.state === state) return;
    this.state = state;
    tell(this, 'state', state);
  }
}

/** Whether a place is another or below it. @param {string} path @param {string} other */
export function isWithin(path, other) { return path === '' || other === path || other.startsWith(`${path}/`); }
