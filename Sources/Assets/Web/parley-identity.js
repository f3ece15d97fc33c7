import { textOf } from './parley-channel.js';
import { ParleyError } from './parley-error.js';

// A token is renewed so long before its end.
const margin = 60_000;

/**
 * @typedef {object} Grant
 * @property {string} user
 * @property {string} name
 * @property {string} accessToken
 * @property {string} [refreshToken] not where an application vouches for us
 * @property {number} expires when the access token ends, in milliseconds since 1970
 * @property {string} [userName] of an account with a password
 * @property {boolean} [isVouched] whether a provider (OpenID Connect) signed us in
 */

/**
 * @typedef {object} SignInMethods
 * @property {boolean} anonymous without a password
 * @property {boolean} register with a new one
 * @property {boolean} applications
 * @property {{start: string, label?: string}} [oidc] at a provider: where the browser goes, and what the button says
 */

/** Who we are, kept in the browser's storage so that the same user comes back. */
export class Identity {
  #url;
  #storage;
  #key;
  /** @type {Grant|undefined} */
  #grant;
  #isStale = false;
  /** Who vouches for us, where an application does. @type {undefined | (() => string|Promise<string>)} */
  #voucher;

  /** @param {URL} url @param {Storage} storage */
  constructor(url, storage) {
    this.#url = url;
    this.#storage = storage;
    this.#key = `parley ${url.href}`;
    this.#grant = this.#stored();
  }

  get user() { return this.#grant?.user; }
  get name() { return this.#grant?.name; }
  /** Nothing for a user who came without a password. */
  get userName() { return this.#grant?.userName; }
  /** Whether a provider signed us in. */
  get isVouched() { return this.#grant?.isVouched === true; }

  /** Comes back as who we were, or becomes a new user: names of users do not change here. */
  async signIn(name) {
    this.#voucher = undefined;
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
    this.#voucher = undefined;
    this.#keep({ ...await this.#post('login', { userName, password }), userName });
  }

  /** Makes an account, and becomes its user. */
  async register(userName, password, name) {
    this.#voucher = undefined;
    this.#keep({ ...await this.#post('register', { userName, password, name }), userName });
  }

  /** Which ways to sign in the server offers. @returns {Promise<SignInMethods>} */
  methods() { return this.#send('GET', 'auth/methods', undefined, {}); }

  /** Becomes the user that a provider has just signed in, in this browser. */
  async finish() {
    this.#voucher = undefined;
    this.#keep({ ...await this.#post('oidc/session'), isVouched: true });
  }

  /** Becomes the user that an application's token names. It is kept nowhere: the application is asked for the next one, too. */
  async enter(token) {
    this.#voucher = typeof token === 'function' ? token : () => token;
    await this.#renew();
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

  /** The sign-in that this browser is in, as one word. */
  async device() {
    try {
      return claims(await this.token()).sid ?? 'main';
    } catch {
      return 'main';
    }
  }

  /** Everything the user has here, as lines of JSON. @returns {Promise<Blob>} */
  async export() {
    const answer = await fetch(new URL('v1/auth/export', this.#url), { headers: { Authorization: `Bearer ${await this.token()}` }, redirect: 'error' });
    if (!answer.ok) throw ParleyError.from(await answer.json().then((json) => json.error ?? json, () => ({})));
    return answer.blob();
  }

  /** Ends the account for good. @param {string} [password] without one, a token that was just made is the proof */
  async deleteAccount(password) {
    if (password === undefined) this.markStale();
    await this.#ask('DELETE', 'account', password === undefined ? {} : { password });
  }

  /** Forgets who we were, and asks the server to do so too. */
  signOut() {
    const refreshToken = this.#grant?.refreshToken;
    this.#forget();
    // Out of reach, the server forgets by itself, later.
    if (refreshToken) this.#post('logout', { refreshToken }).catch(() => {});
  }

  #forget() {
    this.#grant = this.#voucher = undefined;
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
    if (this.#voucher) return this.#vouched(await this.#voucher());
    const stored = this.#stored();
    if (stored && stored.refreshToken !== this.#grant?.refreshToken && stored.user === this.#grant?.user) {
      this.#keep(stored);
      if (this.freshFor > 0) return;
    }
    if (!this.#grant) throw new ParleyError('signed_out', 'nobody is signed in');
    try {
      const { refreshToken, userName, isVouched } = this.#grant;
      this.#keep({ ...await this.#post('refresh', { refreshToken }), userName, isVouched });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#forget();
      throw new ParleyError('signed_out', error.message);
    }
  }

  #vouched(token) {
    const { sub, exp, name = '' } = claims(token);
    this.#grant = { user: sub, name, accessToken: token, expires: exp * 1000 };
    this.#isStale = false;
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

  #ask(method, action, body) { return this.ask(method, `auth/${action}`, body); }

  /** Something under `/v1/`, as who we are. */
  async ask(method, path, body) { return this.#send(method, path, body, { Authorization: `Bearer ${await this.token()}` }); }

  #post(action, body) { return this.#send('POST', `auth/${action}`, body, {}); }

  async #send(method, path, body, fields) {
    let answer;
    try {
      answer = await fetch(new URL(`v1/${path}`, this.#url), {
        method,
        headers: { ...fields, ...(body && { 'Content-Type': 'application/json' }) },
        body: body && JSON.stringify(body),
        keepalive: true,
        // What is sent here is for this server alone.
        redirect: 'error',
        signal: timeout(15_000),
      });
    } catch (error) {
      throw new ParleyError('unreachable', `the server cannot be reached: ${error.message}`);
    }
    const json = await textOf(answer).then((text) => JSON.parse(text) ?? {}).catch(() => ({}));
    if (answer.ok) return json;
    throw ParleyError.from(json.error ?? json);
  }
}

// Whether it is signed the server finds out; this is for what the browser keeps of the user's, and for the time of the next one.
function claims(token) {
  try {
    const [, part] = token.split('.');
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    const found = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof found.sub === 'string' && Number.isFinite(found.exp)) return found;
  } catch {
    // Said below.
  }
  throw new ParleyError('unauthorized', 'this is not a token that names a user and its end');
}

function isRefusal(error) {
  return ['unauthorized', 'token_expired', 'forbidden', 'not_found', 'banned', 'bad_request'].includes(error.code);
}

// Tabs of one browser share a storage. Where there are no locks (no HTTPS), `#renew` finds out what another tab did.
function alone(name, work) {
  return navigator.locks ? navigator.locks.request(name, work) : work();
}

// Newer than the types we check with.
function timeout(milliseconds) { return /** @type {any} */ (AbortSignal).timeout(milliseconds); }
