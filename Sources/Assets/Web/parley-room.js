import { tell } from './parley-error.js';
import { Peer } from './parley-peer.js';
import { Talk, devicesOf } from './parley-talk.js';

/**
 * Another member of a room.
 * @typedef {object} Member
 * @property {string} member
 * @property {string} user
 * @property {string} name
 * @property {boolean} isAway
 * @property {number} [recording] since when they record, in milliseconds since 1970
 * @property {MediaStream} stream what comes from them
 * @property {{microphone: boolean, camera: boolean, screen?: boolean}} devices
 * @property {Peer} peer
 */

/**
 * A room in which everybody talks with everybody.
 *
 * Events: `joined`, `left`, `changed` with a `Member`; `local`; `knocked` with `{user, name, avatar?}` of somebody who asks to be
 * let in; `recording` with a `Member` who records from now on, or no longer; `host` with the user who may send others away from now on; `closed` when we are out, with a reason when that is another's doing.
 */
export class Room extends Talk {
  /** @type {Map<string, Member>} */
  members = new Map();
  isLeft = false;
  /** What a page calls it, when that is not its name. @type {string|undefined} */
  title;
  /** What it asks of those who come in. @type {'password'|'invitation'|undefined} */
  access;
  /** Who may send others away: who opened the room, or else who has been there for longest. @type {string|undefined} */
  host;

  #key = {};
  #parley;
  #link;
  #forget;
  #member;

  /** Made by `Parley`. */
  constructor(parley, link, name, kind, forget) {
    super(kind);
    this.#parley = parley;
    this.#link = link;
    this.#forget = forget;
    this.name = name;
  }

  /** Whether we may send others away. */
  get isHost() { return this.host !== undefined && this.host === this.#parley.user; }

  get peers() { return [...this.members.values()].map(({ peer }) => peer); }

  async join(options = {}) {
    const { password, byInvitation } = options;
    this.#key = { ...(password !== undefined && { password }), ...(byInvitation && { byInvitation }) };
    await this.openMedia(options.stream, options.devices);
    if (this.isLeft) return this.closeMedia();
    await this.#enter();
  }

  async leave() {
    if (this.isLeft) return;
    this.#close();
    await this.#link.request('room.leave', { room: this.name }).catch(() => {});
  }

  /** Lets somebody in, whether they asked for it or not. */
  async admit(user) { await this.#link.request('room.admit', { room: this.name, user }); }

  /**
   * Removes a member from the room, on all their devices; for the host.
   * @param {string} user
   * @param {{ban?: boolean}} [options] whether they may not come again for as long as the room lasts
   */
  async remove(user, options = {}) {
    await this.#link.request('room.remove', { room: this.name, user, ...(options.ban && { ban: true }) });
  }

  /** Tells the others that we record, or no longer do; whoever comes later is told as well. */
  async tellRecording(isOn = true) { await this.#link.request('room.record', { room: this.name, on: isOn }); }

  say(data, to) {
    if (this.members.size === 0) return;
    this.#signal({ data }, to).catch(() => {});
  }

  /** The newcomer offers to everybody it finds. */
  async #enter(replaces) {
    const view = await this.#link.request('room.join', { room: this.name, ...(replaces && { replaces }), ...this.#key });
    this.#member = view.member;
    this.access = view.access;
    this.#hosted(view.host);
    for (const member of [...this.members.values()]) this.#remove(member.member);
    for (const person of view.members) this.#add(person, true);
  }

  #close(reason) {
    this.isLeft = true;
    for (const { peer } of this.members.values()) peer.close();
    this.members.clear();
    this.closeMedia();
    this.#forget(this);
    tell(this, 'closed', reason);
  }

  #add({ member, user, name, away = false, recording }, isNewcomer) {
    this.#remove(member);
    const peer = new Peer({
      configuration: this.#parley.configuration,
      local: this.sent,
      isPolite: isNewcomer,
      offers: isNewcomer,
      send: (signal) => this.#signal(signal, member),
    });
    const devices = { microphone: true, camera: true };
    const other = { member, user, name, isAway: away, recording, stream: peer.stream, devices, peer };
    this.members.set(member, other);
    this.#follow(other);
    tell(this, 'joined', other);
    if (!this.microphone || !this.camera || this.isSharing) this.say({ devices: this.shown }, member);
  }

  #follow(other) {
    const changed = () => tell(this, 'changed', other);
    other.peer.addEventListener('stream', changed);
    other.peer.addEventListener('state', changed);
    other.peer.addEventListener('data', ({ detail }) => {
      if (!detail.devices) return;
      other.devices = devicesOf(detail.devices);
      changed();
    });
  }

  #remove(member) {
    const other = this.members.get(member);
    if (!other) return;
    other.peer.close();
    this.members.delete(member);
    tell(this, 'left', other);
  }

  #hosted(user) {
    this.host = user;
    tell(this, 'host', user);
  }

  #signal(signal, to) {
    return this.#link.request('signal', { room: this.name, ...(to && { to }), ...signal }, { onlyThisSession: true });
  }

  // MARK: What the server says

  received(event, argument) {
    const other = this.members.get(argument.member);
    switch (event) {
      case 'room.joined': return this.#add(argument, false);
      case 'room.left': return this.#remove(argument.member);
      case 'room.dismissed': return this.#dismissed(argument.reason);
      case 'room.away': return other && this.#mark(other, true);
      case 'room.back': return other && this.#mark(other, false);
      case 'room.recording': return other && this.#recorded(other, argument.since);
      case 'room.host': return this.#hosted(argument.user);
      case 'room.knocked': return tell(this, 'knocked', argument);
      case 'signal': return void this.members.get(argument.from)?.peer.take(argument);
    }
  }

  #mark(other, isAway) {
    other.isAway = isAway;
    if (!isAway) other.peer.mend();
    tell(this, 'changed', other);
  }

  #recorded(other, since) {
    other.recording = since;
    tell(this, 'recording', other);
    tell(this, 'changed', other);
  }

  // A seat that was lost with the line is taken again when the line is mended.
  #dismissed(reason) {
    if (!this.isLeft && reason !== 'lost') this.#close(reason);
  }

  /** @param {boolean} recovered */
  async lineMended(recovered) {
    if (this.isLeft) return;
    try {
      if (!recovered) return await this.#enter(this.#member);
      await this.#mend();
    } catch (error) {
      this.#dismissed(error.code);
    }
  }

  // Seats in rooms are kept for a shorter time than sessions are: we may have to come in again as a newcomer.
  async #mend() {
    try {
      await this.#link.request('room.members', { room: this.name });
      for (const peer of this.peers) peer.mend();
    } catch (error) {
      if (error.code !== 'not_member') throw error;
      await this.#enter();
    }
  }
}
