import { ParleyError, tell } from './parley-error.js';
import { Peer } from './parley-peer.js';
import { Talk, devicesOf } from './parley-talk.js';

/** @typedef {{user: string, name?: string, member?: string, recording?: number}} Person */

/**
 * One call with one other.
 *
 *     outgoing   preparing ──▶ calling ──their device rings──▶ ringing ──they accept──▶ connecting ──▶ talking
 *     incoming   ringing ──accept──▶ accepting ──▶ connecting ──▶ talking
 *     any of these ──▶ ended
 *
 * Events: `state`; `stream` when the other side can be seen or heard; `devices` when it switches its microphone or
 * camera; `local`; `away` when `isPeerAway` changes; `recording` when `peerRecording` does; `moved` with a room's name when the other side goes on there; `ended`.
 */
export class Call extends Talk {
  /** @type {'preparing'|'calling'|'ringing'|'accepting'|'connecting'|'talking'|'ended'} */
  state;
  /** @type {Person} */
  peer;
  /** While an outgoing call rings: none of their devices is up yet, but some are being woken. */
  isWaking = false;
  /** The other side's line broke; the call waits for it. */
  isPeerAway = false;
  /** Since when the other side records, in milliseconds since 1970. @type {number|undefined} */
  peerRecording;
  /** @type {{microphone: boolean, camera: boolean, screen?: boolean}} */
  peerDevices;
  /** How it ended: one of the protocol's outcomes. @type {string|undefined} */
  outcome;
  /** Of an outgoing call: settles when the server rings, or has refused to. @type {Promise<void>|undefined} */
  ready;
  /** Whether it was us who ended it. */
  endedByUs = false;
  /** When both were connected, by `performance.now()`. @type {number|undefined} */
  talkingSince;

  #desk;
  #connection;
  #member;

  /**
   * Made by `Parley`.
   * @param {import('./parley-calls.js').CallDesk} desk
   * @param {{id: string, peer: Person, kind: 'audio'|'video', isIncoming: boolean}} call
   */
  constructor(desk, { id, peer, kind, isIncoming }) {
    super(kind);
    this.#desk = desk;
    this.id = id;
    this.peer = peer;
    this.isIncoming = isIncoming;
    this.state = isIncoming ? 'ringing' : 'preparing';
    this.peerDevices = { microphone: true, camera: kind === 'video' };
    this.addEventListener('local', () => this.#remember());
  }

  /** What the other side sends, once it does. @type {MediaStream|undefined} */
  get stream() { return this.#connection?.stream; }
  get peers() { return this.#connection ? [this.#connection] : []; }
  get isOver() { return this.state === 'ended'; }

  /** Takes an incoming call. Fails when there is no microphone; then `decline` or `fail` it, or try again. */
  async accept(options = {}) {
    if (this.state !== 'ringing' || !this.isIncoming) return;
    this.#become('accepting');
    try {
      await this.openMedia(options.stream);
    } catch (error) {
      if (!this.isOver) this.#become('ringing');
      throw error;
    }
    if (this.isOver) return this.closeMedia();
    await this.#ask('call.accept');
  }

  decline() { return this.#leave('call.decline', 'declined'); }

  /** Ends the call, or our own ringing. */
  hangup() { return this.#leave('call.hangup', this.talkingSince || this.#connection ? 'completed' : 'cancelled'); }

  /** Tells the other side that we cannot do our part. */
  fail() { return this.#leave('call.failed', 'failed'); }

  /** With this another device of the same user takes the call over: `Parley.takeCall`. @type {string|undefined} */
  get ticket() { return this.#member && `${this.id}.${this.#member}`; }

  /** Goes on in a room, and tells the other side so. @param {string} room */
  moveTo(room) { this.say({ room }); }

  /** Tells the other side that we record, or no longer do. */
  async tellRecording(isOn = true) { await this.#desk.request('call.record', { call: this.id, on: isOn }); }

  say(data) { if (this.#connection) this.#signal({ data }).catch(() => {}); }

  // For us it is over at once, whether the server hears of it now or later.
  async #leave(event, outcome) {
    if (this.isOver) return;
    const wasAsked = this.state !== 'preparing';
    this.endedByUs = true;
    this.ended(outcome);
    if (wasAsked) await this.#desk.request(event, { call: this.id }).catch(ignoreOver);
  }

  async #ask(event) {
    try {
      await this.#desk.request(event, { call: this.id });
    } catch (error) {
      if (!this.isOver) this.ended(error.code === 'answered_elsewhere' ? 'answeredElsewhere' : 'lost');
      throw error;
    }
  }

  #become(state) {
    if (this.state === state || this.isOver) return;
    this.state = state;
    if (state === 'talking') this.#startClock();
    tell(this, 'state', state);
  }

  #startClock() {
    this.talkingSince ??= performance.now();
    this.#remember();
  }

  #remember() { if (this.#connection) this.#desk.remember(this); }

  // MARK: What happens to it, as `CallDesk` tells

  async ring(options) {
    try {
      await this.openMedia(options.stream);
      if (this.isOver) return this.closeMedia();
      this.#become('calling');
      const invitation = { user: this.peer.user, kind: this.kind, call: this.id };
      const { call } = await this.#desk.request('call.invite', invitation);
      this.#desk.rename(this, call);
    } catch (error) {
      await this.#leave('call.hangup', 'failed');
      throw error;
    }
  }

  rings({ push = false }) {
    const isNews = this.state === 'ringing' && this.isWaking !== push;
    this.isWaking = push;
    this.#become('ringing');
    if (isNews) tell(this, 'state', this.state);
  }

  connected({ role, peer }) {
    this.peer = { ...this.peer, ...peer };
    this.#become('connecting');
    this.#connect(role);
  }

  signalled(signal) { this.#connection?.take(signal); }

  peerWentAway() {
    this.isPeerAway = true;
    tell(this, 'away', true);
  }

  peerRecords(since) {
    if (this.peerRecording === since) return;
    this.peerRecording = since;
    tell(this, 'recording', since);
  }

  /** The same page mends what it has, also when its line is another; a page that was loaded anew begins anew. */
  peerCameBack({ member, keeps }) {
    this.isPeerAway = false;
    tell(this, 'away', false);
    const isSame = keeps || member === this.peer.member;
    this.peer = { ...this.peer, member };
    if (isSame) this.#connection?.mend();
    else if (this.#connection) this.#connect(this.role);
  }

  /** Our own line is there again, with everything that was missed. */
  lineMended() { this.#connection?.mend(); }

  /** Our own line is there again, as a new member: our seat has to be taken anew. What still carries is kept. */
  async takeSeat() {
    if (this.isOver || this.state === 'preparing' || this.state === 'calling') return;
    try {
      const keeps = this.#connection?.state === 'connected';
      const view = await this.#desk.request('call.take', { call: this.id, replaces: this.#member, ...(keeps && { keeps }) });
      this.seated(view);
    } catch (error) {
      // A server that was started anew knows of calls in which two talk, for a minute, and of no others.
      if (['not_found', 'call_over'].includes(error.code)) this.ended(error.code === 'not_found' ? 'serverRestarted' : 'lost');
    }
  }

  seated({ phase, role, peer, keeps }) {
    if (phase === 'talking') this.peerRecords(peer.recording);
    if (phase === 'elsewhere') return this.ended('movedElsewhere');
    if (phase !== 'ringing' && phase !== 'talking') return this.ended(phase);
    if (phase === 'talking' && keeps && this.#connection) return this.#stay(peer);
    if (phase === 'talking') this.connected({ role, peer });
  }

  #stay(peer) {
    this.peer = { ...this.peer, ...peer };
    this.#member = this.#desk.member;
    this.#remember();
  }

  ended(outcome, by) {
    if (this.isOver) return;
    this.endedByUs ||= by !== undefined && by === this.#desk.user;
    this.outcome = outcome;
    this.#become('ended');
    this.#connection?.close();
    this.closeMedia();
    this.#desk.forget(this);
    tell(this, 'ended', outcome);
  }

  // MARK: The media

  #connect(role) {
    this.#connection?.close();
    this.role = role;
    this.#member = this.#desk.member;
    const isCaller = role === 'caller';
    const connection = new Peer({
      configuration: this.#desk.configuration,
      local: this.sent,
      isPolite: !isCaller,
      offers: isCaller,
      send: (signal) => this.#signal(signal),
    });
    this.#connection = connection;
    connection.addEventListener('stream', ({ detail }) => tell(this, 'stream', detail));
    connection.addEventListener('data', ({ detail }) => this.#told(detail));
    connection.addEventListener('state', () => this.#pathChanged(connection));
    // The other side may still go by what a page before this one said.
    this.say({ devices: this.shown });
    this.#remember();
  }

  #pathChanged(connection) {
    if (connection !== this.#connection) return;
    if (connection.state === 'connected') this.#become('talking');
    tell(this, 'path', connection.state);
  }

  #told({ devices, room }) {
    if (typeof room === 'string') tell(this, 'moved', room);
    if (!devices) return;
    this.peerDevices = devicesOf(devices);
    tell(this, 'devices', this.peerDevices);
  }

  #signal(signal) {
    return this.#desk.request('signal', { call: this.id, ...signal }, { onlyThisSession: true });
  }
}

function ignoreOver(error) {
  if (!(error instanceof ParleyError)) throw error;
}
