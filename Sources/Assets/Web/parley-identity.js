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
    this.#keep(await this.#post('login', { userName, password }));
  }

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
      this.#keep(await this.#post('refresh', { refreshToken: this.#grant.refreshToken }));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#forget();
      throw new ParleyError('signed_out', error.message);
    }
  }

  #keep(grant) {
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

  async #post(action, body) {
    let answer;
    try {
      answer = await fetch(new URL(`v1/auth/${action}`, this.#url), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        keepalive: true,
        signal: AbortSignal.timeout(15_000),
      });
    } catch (error) {
      throw new ParleyError('unreachable', `the server cannot be reached: ${error.message}`);
    }
    const json = await answer.json().catch(() => ({}));
    if (answer.ok) return json;
    throw ParleyError.from(json.error);
  }
}

function isRefusal(error) {
  return ['unauthorized', 'token_expired', 'forbidden', 'not_found', 'banned', 'bad_request'].includes(error.code);
}

// Tabs of one browser share a storage. Where there are no locks (no HTTPS), `#renew` finds out what another tab did.
function alone(name, work) {
  return navigator.locks ? navigator.locks.request(name, work) : work();
}
