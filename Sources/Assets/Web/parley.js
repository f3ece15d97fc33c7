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
import { CallLoader } from './parley-call-loader.js';
import { Chat } from './parley-chat.js';
import { ParleyError, tell } from './parley-error.js';
import { Files } from './parley-files.js';
import { Identity } from './parley-identity.js';
import { TabLink } from './parley-tabs.js';

export { listDevices, preferDevices } from './parley-media.js';
export { ParleyError } from './parley-error.js';

/** @typedef {import('./parley-call.js').Call} Call */
/** @typedef {import('./parley-room.js').Room} Room */

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
  /** The sign-in that waits for its welcome. */
  #entry;

  /**
   * @param {object} options
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
    this.#link = new TabLink(server, () => this.#auth(), (event, argument) => this.#received(event, argument));
    this.#calls = new CallLoader({ parley: this, link: this.#link, seat: session });
    this.#link.addEventListener('state', ({ detail }) => tell(this, 'state', detail));
    this.#link.addEventListener('connected', ({ detail }) => this.#connected(detail.recovered));
    this.#link.addEventListener('refused', ({ detail }) => this.#refused(detail));
    this.#link.addEventListener('dismissed', () => this.#refused(this.#lastEnding));
    this.#link.addEventListener('asked', ({ detail }) => this.#askedElsewhere(detail));
    this.#link.addEventListener('ended', ({ detail }) => this.#endedElsewhere(detail));
  }

  /** @type {'closed'|'connecting'|'connected'|'dropped'} */
  get state() { return this.#link.state; }

  /** This page's name among others. @type {string|undefined} */
  get member() { return this.#link.member; }

  /** Who signed in here before. @type {string|undefined} */
  get knownName() { return this.#identity.name; }

  /** The conversations of the user who is signed in, or was before. @returns {Chat|undefined} */
  get chat() {
    const { user } = this.#identity;
    if (user === undefined) return undefined;
    return this.#chat ??= new Chat({ user, link: this.#link, files: this.#files, key: `parley ${this.#server.href}` });
  }

  /** Files that messages and profiles show. */
  get files() { return this.#files; }

  /** The server's realtime tree as it changes, for users whom its operator lets look at it. */
  async viewTree() {
    const { TreeView } = await import('./parley-tree.js').catch(() => { throw new ParleyError('unreachable', 'the module of the tree could not be loaded'); });
    return new TreeView(this.#server, (isStale) => {
      if (isStale) this.#identity.markStale();
      return this.#identity.token();
    });
  }

  // MARK: Signing in

  /**
   * Signs in: with a password to an account, with a token of an application, or with neither, where the same name on the same browser is the same user
   * again and another name is a new user. A user who was here before need not wait for a network: the line comes when it can.
   * @param {{name?: string, userName?: string, password?: string, isNew?: boolean, token?: string | (() => string|Promise<string>), isVouched?: boolean}} options
   *   `isNew` makes the account; `token` is one that an application vouches with, or gets the next one; `isVouched` ends a sign-in
   *   that a provider has confirmed in this browser
   */
  async signIn({ name, userName, password, isNew = false, token, isVouched = false } = {}) {
    this.close();
    const welcomed = new Promise((resolve, reject) => { this.#entry = { resolve, reject }; });
    const entering = token !== undefined ? this.#identity.enter(token)
      : isVouched ? this.#identity.finish()
      : userName === undefined ? this.#comeBack(name)
      : isNew ? this.#identity.register(userName, password, name) : this.#identity.logIn(userName, password);
    await Promise.race([welcomed, entering]);
    if (this.user !== this.#identity.user) this.#chat = undefined;
    this.user = this.#identity.user;
    this.name = this.#identity.name;
    this.#link.open(this.user && `parley line ${this.#server.href} ${this.user}`);
    await welcomed;
  }

  /** Which ways to sign in the server offers. */
  signInMethods() { return this.#identity.methods(); }

  /** Whether a provider signed us in, so that signing out there makes sense. */
  get isVouched() { return this.#identity.isVouched; }

  async #comeBack(name) {
    try {
      await this.#identity.signIn(name);
    } catch (error) {
      if (error.code !== 'unreachable' || this.#identity.user === undefined || (name ?? this.#identity.name) !== this.#identity.name) throw error;
    }
  }

  /** Leaves, and forgets who we were, with everything that the browser kept. */
  signOut() {
    this.#leave(() => this.#link.end(new ParleyError('signed_out', 'signed out in another tab')));
    this.chat?.erase();
    this.#chat = undefined;
    this.#identity.signOut();
  }

  /** Leaves; `signIn` comes back as the same user. */
  close() { this.#leave(() => this.#link.close()); }

  #leave(hangUp) {
    for (const room of [...this.#rooms.values()]) room.leave();
    for (const call of this.#calls.all) call.hangup();
    clearTimeout(this.#renewal);
    hangUp();
    this.#entry?.reject(new ParleyError('closed', 'nobody waits to be let in any more'));
  }

  async #auth() { return { token: await this.#identity.token(), recover: true }; }

  #refused(error) {
    switch (error?.code) {
      case 'unauthorized': case 'token_expired': return this.#identity.markStale();
      case 'banned': case 'kicked': case 'signed_out': return this.#signedOut(error);
    }
  }

  // Tabs have one seat in a call and in a room.
  #askedElsewhere({ event, argument }) {
    if (event === 'room.join') this.#rooms.get(argument.room)?.received('room.dismissed', { reason: 'replaced' });
    else if (event === 'call.accept') this.#calls.takenElsewhere(argument.call);
  }

  // Another tab has signed out. What this one keeps open cannot be erased over there.
  #endedElsewhere(error) {
    this.chat?.erase();
    this.#chat = undefined;
    this.#signedOut(error);
  }

  #signedOut(error) {
    this.#entry?.reject(error);
    this.close();
    tell(this, 'signedOut', error);
  }

  // MARK: One's own account

  /** Nothing for a user who came without a password. @type {string|undefined} */
  get userName() { return this.#identity.userName; }

  /** Every other device is signed out. */
  changePassword(password, newPassword) { return this.#identity.changePassword(password, newPassword); }

  /** Where we are signed in. */
  devices() { return this.#identity.devices(); }

  /** @param {string} [device] without it, all of them */
  signOutDevice(device) { return this.#identity.signOutDevice(device); }

  /**
   * Has this browser woken for messages, also while no page is open. Ask the user for notifications before.
   * @param {ServiceWorkerRegistration} worker one that shows what is pushed
   * @param {string} [language] that its user reads
   * @param {{from: string, to: string, offset: number, calls?: boolean}} [quiet] hours without a sound, such as 22:00 to 07:00; `offset` is how many
   *   minutes its clock is ahead of UTC, and `calls` whether those ring
   */
  async wake(worker, language, quiet) {
    const { publicKey } = await this.#identity.ask('GET', 'push');
    const subscription = await subscribe(worker.pushManager, publicKey);
    await this.#identity.ask('PUT', `push/devices/${await this.#identity.device()}`, { ...subscription.toJSON(), language, quiet });
  }

  /** @param {ServiceWorkerRegistration} worker */
  async letSleep(worker) {
    const subscription = await worker.pushManager.getSubscription();
    await subscription?.unsubscribe();
    if (subscription) await this.#identity.ask('DELETE', `push/devices/${await this.#identity.device()}`);
  }

  /** A notification was chosen. @param {string} push its name, as it came with it */
  async noteClick(push) {
    await this.#identity.ask('POST', 'push/clicked', { push, device: await this.#identity.device() });
  }

  /** Everything the user has on the server, as lines of JSON. @returns {Promise<Blob>} */
  exportData() { return this.#identity.export(); }

  /** Ends the account for good, and forgets it here. @param {string} [password] of an account that has one */
  async deleteAccount(password) {
    await this.#identity.deleteAccount(password);
    this.signOut();
  }

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

  /**
   * The same for everybody, with how many are online: beyond 2,000 the list is empty.
   * @returns {Promise<{count: number, users: {user: string, name?: string, avatar?: string, online: boolean}[]}>}
   */
  watchEverybody() { return this.#link.request('presence.watch', { everybody: true }); }

  /**
   * Somebody's profile, by id or by the name they registered with; nothing when there is nobody.
   * @param {string} user
   * @returns {Promise<{user: string, name?: string, avatar?: string, deleted?: boolean}|undefined>}
   */
  async find(user) {
    try {
      return await this.request('profile.of', { user });
    } catch (error) {
      if (error.code === 'not_found' || error.code === 'bad_request') return undefined;
      throw error;
    }
  }

  /** @param {string[]|'everybody'} users */
  async unwatch(users) {
    await this.#link.request('presence.unwatch', whom(users));
  }

  // MARK: Calls and rooms

  /** Loads what rings and talks, which otherwise comes with the first call or room. */
  async loadTalks() { await Promise.all([this.#calls.load(), loadRoom()]); }

  /**
   * Rings a user. The call is there as soon as its modules are, to follow and to cancel; `ready` settles when the server rings or
   * has refused to, or when there is no microphone.
   * @param {string|{user: string, name?: string}} user
   * @param {{kind?: 'audio'|'video', stream?: MediaStream}} options
   * @returns {Promise<Call>}
   */
  async ring(user, { kind = 'video', ...options } = {}) {
    const desk = await this.#calls.load();
    const call = desk.dial(typeof user === 'string' ? { user } : user, kind);
    call.ready = call.ring(options);
    // Who does not wait for it learns of the end by the call's own events.
    call.ready.catch(() => {});
    return call;
  }

  /** Takes up the call this page was in before it was loaded anew, if there was one and it still goes on. */
  async resumeCall(options) { return this.#calls.hasSeat ? (await this.#calls.load()).resume(options) : undefined; }

  /** Whether a call of which this user was told while no page was open still rings. @param {string} id */
  async isRinging(id) {
    try {
      await this.request('call.ringing', { call: id });
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Goes on with a call that the user has on another device, which ends there.
   * @param {string} ticket `Call.ticket` over there
   * @param {{kind?: 'audio'|'video', stream?: MediaStream}} options
   * @returns {Promise<Call|undefined>} nothing when the call is over
   */
  async takeCall(ticket, options) { return (await this.#calls.load()).takeOver(ticket, options); }

  /**
   * Comes into a room; it begins to exist with its first member.
   * @param {string} name 1 to 64 lower-case letters, digits and dashes
   * @param {{kind?: 'audio'|'video', stream?: MediaStream, devices?: {microphone: boolean, camera: boolean},
   *   password?: string, byInvitation?: boolean}} options `devices`: what is on at first; `password` is shown to a room that is
   *   there, and asked by one that we open; `byInvitation` opens it for those whom its members admit
   * @returns {Promise<Room>}
   */
  async join(name, { kind = 'video', ...options } = {}) {
    const Room = await loadRoom();
    if (this.#rooms.has(name)) return this.#rooms.get(name);
    const room = new Room(this, this.#link, name, kind, (room) => this.#rooms.delete(room.name));
    this.#rooms.set(name, room);
    try {
      // Those who are there begin anew with this tab.
      if (this.#link.hasOthers) await this.#link.request('room.leave', { room: name }).catch(() => {});
      await room.join(options);
    } catch (error) {
      room.leave();
      throw error;
    }
    return room;
  }

  /**
   * Asks the members of a room by invitation to be let in; `room.admitted` with `{room}` tells that one of them did.
   * @param {string} name
   */
  async knock(name) { await this.#link.request('room.knock', { room: name }); }

  /** Any request of the protocol, with its answer. */
  request(event, argument, options) { return this.#link.request(event, argument, options); }

  // MARK: What the server says

  #received(event, argument) {
    switch (event) {
      case 'welcome': return this.#welcomed(argument);
      case 'presence': return tell(this, 'presence', argument);
      case 'ice.servers': return this.#configure(argument.iceServers);
      // The line is cut soon, and comes back on another server by itself.
      case 'session.moving': return;
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
    // A new session has no user before `welcome` said so.
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

async function loadRoom() {
  try {
    return (await import('./parley-room.js')).Room;
  } catch {
    throw new ParleyError('unreachable', 'the modules of rooms could not be loaded');
  }
}

function whom(users) { return users === 'everybody' ? { everybody: true } : { users }; }

// A browser keeps one subscription, for the key it was made with.
async function subscribe(manager, key) {
  const known = await manager.getSubscription();
  const knownKey = known?.options.applicationServerKey;
  if (known && knownKey && base64(knownKey) === key) return known;
  await known?.unsubscribe();
  return manager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

function base64(buffer) {
  return btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
