/**
 * Parley in a browser: sign in, see who is there, ring each other, meet in rooms. No dependencies.
 *
 *     import { Parley } from './parley.js';
 *     const parley = new Parley();
 *     parley.addEventListener('call', ({ detail: call }) => call.accept());
 *     await parley.signIn({ name: 'Anna' });
 *     const call = await parley.ring(user, { kind: 'video' });
 *
 * docs/parley-js.md has the rest.
 * @module
 */
import { CallDesk } from './parley-calls.js';
import { Chat } from './parley-chat.js';
import { ParleyError, tell } from './parley-error.js';
import { Files } from './parley-files.js';
import { Identity } from './parley-identity.js';
import { Link } from './parley-link.js';
import { Room } from './parley-room.js';

export { Call } from './parley-call.js';
export { ParleyError } from './parley-error.js';
export { Room } from './parley-room.js';

const longestTimer = 2 ** 31 - 1;

/**
 * One user on one page.
 *
 * Events: `state` when `state` changes; `presence` with `{user, online, name?, lastSeen?}`; `call` with an incoming
 * `Call`; `connected` with `{recovered}` (ask for presence again); `signedOut` with a `ParleyError` when the server does
 * not let us in any more.
 */
export class Parley extends EventTarget {
  /** How media finds its way, as the server says it. @type {RTCConfiguration} */
  configuration = { iceServers: [] };
  /** @type {string|undefined} */
  name;
  /** @type {string|undefined} */
  user;

  #identity;
  #server;
  #files;
  #link;
  #chat;
  #calls;
  #rooms = new Map();
  #renewal;
  #lastEnding;
  /** Whoever waits to be let in. */
  #entry;

  /**
   * @param {object} [options]
   * @param {string|URL} [options.url] the server; without it, the one this module came from
   * @param {Storage} [options.storage] where the user is kept
   * @param {Storage} [options.session] where a page that is loaded anew finds its call
   */
  constructor({ url = new URL('.', import.meta.url), storage = localStorage, session = sessionStorage } = {}) {
    super();
    const server = new URL('./', new URL(url, location.href));
    this.#server = server;
    this.#identity = new Identity(server, storage);
    this.#files = new Files(server, () => this.#identity.token());
    this.user = this.#identity.user;
    this.#link = new Link(server, () => this.#auth(), (event, argument) => this.#received(event, argument));
    this.#calls = new CallDesk(this, this.#link, session);
    this.#link.addEventListener('state', ({ detail }) => tell(this, 'state', detail));
    this.#link.addEventListener('connected', ({ detail }) => this.#connected(detail.recovered));
    this.#link.addEventListener('refused', ({ detail }) => this.#refused(detail));
    this.#link.addEventListener('dismissed', () => this.#refused(this.#lastEnding));
  }

  /** @type {'closed'|'connecting'|'connected'|'dropped'} */
  get state() { return this.#link.state; }

  /** This page's name among others. @type {string|undefined} */
  get member() { return this.#link.member; }

  /** Who signed in here before. @type {string|undefined} */
  get knownName() { return this.#identity.name; }

  /** The conversations of whoever is signed in, or was before. @returns {Chat|undefined} */
  get chat() {
    const { user } = this.#identity;
    if (user === undefined) return undefined;
    return this.#chat ??= new Chat({ user, link: this.#link, files: this.#files, key: `parley ${this.#server.href}` });
  }

  /** Files that messages and profiles show. */
  get files() { return this.#files; }

  // MARK: Signing in

  /**
   * Signs in: with a password to an account, or without one, where the same name on the same browser is the same user
   * again and another name is somebody new. Whoever was here before need not wait for a network: the line comes when it can.
   * @param {{name?: string} | {userName: string, password: string, isNew?: boolean, name?: string}} [options] `isNew` makes
   *   the account
   */
  async signIn({ name, userName, password, isNew = false } = {}) {
    this.close();
    const welcomed = new Promise((resolve, reject) => { this.#entry = { resolve, reject }; });
    const entering = userName === undefined ? this.#comeBack(name)
      : isNew ? this.#identity.register(userName, password, name) : this.#identity.logIn(userName, password);
    await Promise.race([welcomed, entering]);
    if (this.user !== this.#identity.user) this.#chat = undefined;
    this.user = this.#identity.user;
    this.name = this.#identity.name;
    this.#link.open();
    await welcomed;
  }

  async #comeBack(name) {
    try {
      await this.#identity.signIn(name);
    } catch (error) {
      if (error.code !== 'unreachable' || this.#identity.user === undefined || (name ?? this.#identity.name) !== this.#identity.name) throw error;
    }
  }

  /** Leaves, and forgets who we were, with everything that the browser kept. */
  signOut() {
    this.close();
    this.chat?.erase();
    this.#chat = undefined;
    this.#identity.signOut();
  }

  /** Leaves; `signIn` comes back as the same user. */
  close() {
    for (const room of [...this.#rooms.values()]) room.leave();
    for (const call of this.#calls.all) call.hangup();
    clearTimeout(this.#renewal);
    this.#link.close();
    this.#entry?.reject(new ParleyError('closed', 'nobody waits to be let in any more'));
  }

  async #auth() { return { token: await this.#identity.token(), recover: true }; }

  #refused(error) {
    switch (error?.code) {
      case 'unauthorized': case 'token_expired': return this.#identity.markStale();
      case 'banned': case 'kicked': case 'signed_out': return this.#signedOut(error);
    }
  }

  #signedOut(error) {
    this.#entry?.reject(error);
    this.close();
    tell(this, 'signedOut', error);
  }

  // MARK: One's own account

  /** Nothing for whoever came without a password. @type {string|undefined} */
  get userName() { return this.#identity.userName; }

  /** Every other device is signed out. */
  changePassword(password, newPassword) { return this.#identity.changePassword(password, newPassword); }

  /** Where we are signed in. */
  devices() { return this.#identity.devices(); }

  /** @param {string} [device] without it, all of them */
  signOutDevice(device) { return this.#identity.signOutDevice(device); }

  /** @returns {Promise<{user: string, name?: string, avatar?: string}>} */
  profile() { return this.request('profile.own'); }

  /**
   * What others see. An empty text takes away what there was.
   * @param {{name?: string, avatar?: string}} changes `avatar` is the id of a file
   */
  async changeProfile(changes) {
    const profile = await this.request('profile.change', changes);
    this.name = profile.name ?? this.name;
    return profile;
  }

  // MARK: Presence

  /**
   * From now on `presence` events tell about these users; how they are now is the answer.
   * @param {string[]|'everybody'} users
   * @returns {Promise<{user: string, name?: string, online: boolean}[]>}
   */
  async watch(users) {
    return (await this.#link.request('presence.watch', whom(users))).users;
  }

  /** @param {string[]|'everybody'} users */
  async unwatch(users) {
    await this.#link.request('presence.unwatch', whom(users));
  }

  // MARK: Calls and rooms

  /**
   * Rings somebody. The call is there at once, to follow and to cancel; `ready` settles when the server rings or has
   * refused to, or when there is no microphone.
   * @param {string|{user: string, name?: string}} user
   * @param {{kind?: 'audio'|'video', stream?: MediaStream}} [options]
   * @returns {import('./parley-call.js').Call & {ready: Promise<void>}}
   */
  ring(user, { kind = 'video', ...options } = {}) {
    const call = this.#calls.dial(typeof user === 'string' ? { user } : user, kind);
    call.ready = call.ring(options);
    // Who does not wait for it learns of the end by the call's own events.
    call.ready.catch(() => {});
    return call;
  }

  /** Takes up the call this page was in before it was loaded anew, if there was one and it still goes on. */
  resumeCall(options) { return this.#calls.resume(options); }

  /**
   * Comes into a room; it begins to exist with its first member.
   * @param {string} name 1 to 64 lower-case letters, digits and dashes
   * @param {{kind?: 'audio'|'video', stream?: MediaStream, devices?: {microphone: boolean, camera: boolean}}} [options] `devices`: what
   *   is on at first
   * @returns {Promise<Room>}
   */
  async join(name, { kind = 'video', ...options } = {}) {
    if (this.#rooms.has(name)) return this.#rooms.get(name);
    const room = new Room(this, this.#link, name, kind, (room) => this.#rooms.delete(room.name));
    this.#rooms.set(name, room);
    try {
      await room.join(options);
    } catch (error) {
      room.leave();
      throw error;
    }
    return room;
  }

  /** Any request of the protocol, with its answer. */
  request(event, argument, options) { return this.#link.request(event, argument, options); }

  // MARK: What the server says

  #received(event, argument) {
    switch (event) {
      case 'welcome': return this.#welcomed(argument);
      case 'presence': return tell(this, 'presence', argument);
      case 'ice.servers': return this.#configure(argument.iceServers);
      case 'session.ending': return this.#ending(ParleyError.from(argument.error));
    }
    if (event.startsWith('chat.') || event === 'profile') this.#chat?.received(event, argument);
    const room = argument?.room !== undefined && this.#rooms.get(argument.room);
    if (room) room.received(event, argument);
    else if (argument?.call !== undefined) this.#calls.received(event, argument);
    else tell(this, event, argument);
  }

  #welcomed({ user, name, iceServers }) {
    this.user = user;
    this.name = name;
    this.#configure(iceServers);
    this.#renewInTime();
    this.#mended(false);
  }

  #connected(recovered) {
    this.#lastEnding = undefined;
    // Who is new here is not somebody before `welcome` said so.
    if (recovered) this.#mended(true);
  }

  #mended(recovered) {
    tell(this, 'connected', { recovered });
    this.#entry?.resolve();
    this.#calls.lineMended(recovered);
    this.#chat?.lineMended(recovered);
    for (const room of this.#rooms.values()) room.lineMended(recovered);
  }

  #configure(iceServers = []) {
    this.configuration = { iceServers };
    for (const talk of [...this.#calls.all, ...this.#rooms.values()]) {
      for (const peer of talk.peers) peer.configure(this.configuration);
    }
  }

  // MARK: Tokens

  #renewInTime() {
    clearTimeout(this.#renewal);
    const wait = Math.min(Math.max(this.#identity.freshFor, 1000), longestTimer);
    this.#renewal = setTimeout(() => this.#renew(), wait);
  }

  #ending(error) {
    this.#lastEnding = error;
    if (error.code !== 'token_expired') return;
    this.#identity.markStale();
    this.#renew();
  }

  async #renew() {
    try {
      await this.#link.request('session.refresh', { token: await this.#identity.token() });
      this.#renewInTime();
    } catch (error) {
      // Without a network the link is down too, and asks for a token when it comes back.
      if (error.code === 'signed_out') this.#signedOut(error);
    }
  }
}

function whom(users) { return users === 'everybody' ? { everybody: true } : { users }; }
