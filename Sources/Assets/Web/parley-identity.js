import { textOf } from './parley-channel.js';
import { ParleyError } from './parley-error.js';

// A token is renewed so long before its end.
const margin = 60_000;

/**
 * @typedef {object} Grant
 * @property {string} user
 * @property {string} name
 * @property {string} accessToken
 * @property {string} refreshToken
 * @property {number} expires when the access token ends, in milliseconds since 1970
 * @property {string} [userName] of an account with a password
 */

/** Who we are, kept in the browser's storage so that the same user comes back. */
export class Identity {
  #url;
  #storage;
  #key;
  /** @type {Grant|undefined} */
  #grant;
  #isStale = false;

  /** @param {URL} url @param {Storage} storage */
  constructor(url, storage) {
    this.#url = url;
    this.#storage = storage;
    this.#key = `parley ${url.href}`;
    this.#grant = this.#stored();
  }

  get user() { return this.#grant?.user; }
  get name() { return this.#grant?.name; }
  /** Nothing for whoever came without a password. */
  get userName() { return this.#grant?.userName; }

  /** Comes back as who we were, or becomes somebody new: nobody can change their name. */
  async signIn(name) {
    if (this.#grant && (name === undefined || name === this.#grant.name)) {
      try {
        return void (await this.token());
      } catch (error) {
        if (error.code !== 'signed_out') throw error;
      }
    }
    this.#keep(await this.#post('anonymous', name === undefined ? {} : { name }));
  }

  /** Becomes the user of an account. The password goes to the server and is kept nowhere. */
  async logIn(userName, password) {
    this.#keep({ ...await this.#post('login', { userName, password }), userName });
  }

  /** Makes an account, and becomes its user. */
  async register(userName, password, name) {
    this.#keep({ ...await this.#post('register', { userName, password, name }), userName });
  }

  /** The new password holds from now on; every other device is signed out. */
  async changePassword(password, newPassword) {
    const { userName } = this;
    this.#keep({ ...await this.#ask('POST', 'password', { password, newPassword }), userName });
  }

  /** Where we are signed in. @returns {Promise<{device: string, lastUsed: number, expires: number, current: boolean}[]>} */
  async devices() { return (await this.#ask('GET', 'devices')).devices; }

  /** @param {string} [device] without it, all are signed out, this one too */
  signOutDevice(device) { return this.#ask('DELETE', device === undefined ? 'devices' : `devices/${device}`); }

  /** Forgets who we were, and asks the server to do so too. */
  signOut() {
    const refreshToken = this.#grant?.refreshToken;
    this.#forget();
    // Out of reach, the server forgets by itself, later.
    if (refreshToken) this.#post('logout', { refreshToken }).catch(() => {});
  }

  #forget() {
    this.#grant = undefined;
    this.#storage.removeItem(this.#key);
  }

  /** The server does not take our token any more, whatever our clock says. */
  markStale() { this.#isStale = true; }

  /** Milliseconds until the token should be renewed. */
  get freshFor() { return (this.#grant?.expires ?? 0) - margin - Date.now(); }

  /** A token that is good for a while. */
  async token() {
    if (!this.#isStale && this.freshFor > 0) return this.#grant.accessToken;
    return alone(this.#key, async () => {
      await this.#renew();
      return this.#grant.accessToken;
    });
  }

  // A refresh token works once, and another tab may have used ours.
  async #renew() {
    const stored = this.#stored();
    if (stored && stored.refreshToken !== this.#grant?.refreshToken && stored.user === this.#grant?.user) {
      this.#keep(stored);
      if (this.freshFor > 0) return;
    }
    if (!this.#grant) throw new ParleyError('signed_out', 'nobody is signed in');
    try {
      const { refreshToken, userName } = this.#grant;
      this.#keep({ ...await this.#post('refresh', { refreshToken }), userName });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#forget();
      throw new ParleyError('signed_out', error.message);
    }
  }

  #keep(grant) {
    const isGood = ['user', 'accessToken', 'refreshToken'].every((name) => typeof grant[name] === 'string')
      && Number.isFinite(grant.expires);
    if (!isGood) throw new ParleyError('unreachable', 'what answers there signs nobody in');
    this.#grant = grant;
    this.#isStale = false;
    this.#storage.setItem(this.#key, JSON.stringify(grant));
  }

  #stored() {
    try {
      return JSON.parse(this.#storage.getItem(this.#key)) ?? undefined;
    } catch {
      return undefined; // Not ours, or damaged: as good as nothing.
    }
  }

  async #ask(method, action, body) { return this.#send(method, action, body, { Authorization: `Bearer ${await this.token()}` }); }

  #post(action, body) { return this.#send('POST', action, body, {}); }

  async #send(method, action, body, fields) {
    let answer;
    try {
      answer = await fetch(new URL(`v1/auth/${action}`, this.#url), {
        method,
        headers: { ...fields, ...(body && { 'Content-Type': 'application/json' }) },
        body: body && JSON.stringify(body),
        keepalive: true,
        // What is sent here is for this server alone.
        redirect: 'error',
        signal: AbortSignal.timeout(15_000),
      });
    } catch (error) {
      throw new ParleyError('unreachable', `the server cannot be reached: ${error.message}`);
    }
    const json = await textOf(answer).then((text) => JSON.parse(text) ?? {}).catch(() => ({}));
    if (answer.ok) return json;
    throw ParleyError.from(json.error ?? json);
  }
}

function isRefusal(error) {
  return ['unauthorized', 'token_expired', 'forbidden', 'not_found', 'banned', 'bad_request'].includes(error.code);
}

// Tabs of one browser share a storage. Where there are no locks (no HTTPS), `#renew` finds out what another tab did.
function alone(name, work) {
  return navigator.locks ? navigator.locks.request(name, work) : work();
}
