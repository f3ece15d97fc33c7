import { Call } from './parley-call.js';
import { seatKey } from './parley-call-loader.js';
import { tell } from './parley-error.js';

/** All calls of a page: finds the one an event is for. */
export class CallDesk {
  #parley;
  #link;
  #seat;
  /** @type {Map<string, Call>} */
  #calls = new Map();

  /**
   * @param {import('./parley.js').Parley} parley
   * @param {import('./parley-tabs.js').TabLink} link
   * @param {Storage} seat where a page that is loaded anew finds its call
   */
  constructor(parley, link, seat) {
    this.#parley = parley;
    this.#link = link;
    this.#seat = seat;
  }

  get user() { return this.#parley.user; }
  get member() { return this.#link.member; }
  get configuration() { return this.#parley.configuration; }
  get all() { return [...this.#calls.values()]; }

  request(event, argument, options) { return this.#link.request(event, argument, options); }

  /** @param {{user: string, name?: string}} peer */
  dial(peer, kind) {
    const call = new Call(this, { id: randomName(), peer, kind, isIncoming: false });
    this.#calls.set(call.id, call);
    return call;
  }

  // When both ring each other, two calls become one, under one of their names.
  rename(call, id) {
    if (call.id === id || call.isOver) return;
    const other = this.#calls.get(id);
    this.#calls.delete(call.id);
    this.#calls.set(id, call);
    call.id = id;
    if (other && other !== call) other.ended('merged');
  }

  forget(call) {
    if (this.#calls.get(call.id) === call) this.#calls.delete(call.id);
    if (this.#remembered()?.call === call.id) this.#seat.removeItem(seatKey);
  }

  /** For the page that is loaded after this one. */
  remember({ id, kind, devices, talkingSince }) {
    const since = talkingSince === undefined ? undefined : talkingSince + performance.timeOrigin;
    this.#seat.setItem(seatKey, JSON.stringify({ call: id, member: this.member, kind, devices, since }));
  }

  #remembered() { return JSON.parse(this.#seat.getItem(seatKey)) ?? undefined; }

  /** Takes up the call that this page was in before it was loaded anew, if there was one. @returns {Promise<Call|undefined>} */
  resume(options = {}) {
    const seat = this.#remembered();
    return seat ? this.#take(seat, options) : Promise.resolve(undefined);
  }

  /** Takes up a call that goes on on another device. @param {string} ticket @returns {Promise<Call|undefined>} */
  takeOver(ticket, { kind = 'audio', ...options } = {}) {
    const [call, member] = ticket.split('.');
    return this.#take({ call, member, kind }, options);
  }

  async #take(seat, options) {
    if (this.#calls.has(seat.call)) return undefined;
    const call = new Call(this, { id: seat.call, peer: { user: '' }, kind: seat.kind, isIncoming: false });
    try {
      await call.openMedia(options.stream, seat.devices);
      if (seat.since !== undefined) call.talkingSince = seat.since - performance.timeOrigin;
      if (seat.member === this.member) await this.#link.separate();
      const view = await this.request('call.take', { call: seat.call, replaces: seat.member });
      call.peer = { user: view.caller === this.user ? view.callee : view.caller };
      this.#calls.set(call.id, call);
      call.seated(view);
    } catch {
      call.ended('lost');
    }
    return call.isOver ? undefined : call;
  }

  /** Another tab of this user takes the call. */
  takenElsewhere(id) { this.#calls.get(id)?.ended('answeredElsewhere'); }

  // MARK: What the server says

  received(event, argument) {
    switch (event) {
      case 'call.incoming': return this.#incoming(argument);
      case 'call.connected': return this.#connected(argument);
      case 'call.ended': return this.#ended(argument);
    }
    const call = this.#calls.get(argument.call);
    switch (event) {
      case 'call.ringing': return call?.rings(argument);
      case 'call.peerAway': return call?.peerWentAway();
      case 'call.peerBack': return call?.peerCameBack(argument);
      case 'call.recording': return call?.peerRecords(argument.since);
      case 'signal': return call?.signalled(argument);
    }
  }

  /** @param {boolean} recovered */
  lineMended(recovered) {
    for (const call of this.all) {
      if (recovered) call.lineMended();
      else call.takeSeat();
    }
  }

  #incoming({ call: id, kind, from }) {
    this.request('call.ringing', { call: id }).catch(() => {});
    if (this.#calls.has(id) || this.#calls.size >= mostCalls) return;
    const call = new Call(this, { id, peer: from, kind, isIncoming: true });
    this.#calls.set(id, call);
    tell(this.#parley, 'call', call);
  }

  #connected(connection) {
    const crossing = this.all.find((call) => !call.isIncoming && call.state !== 'connecting' && call.state !== 'talking'
      && call.peer.user === connection.peer.user);
    if (crossing) this.rename(crossing, connection.call);
    this.#calls.get(connection.call)?.connected(connection);
  }

  #ended({ call: id, outcome, by, into }) {
    const call = this.#calls.get(id);
    if (!call) return;
    if (outcome === 'merged' && !call.isIncoming) return this.rename(call, into);
    call.ended(outcome, by);
  }
}

// A user takes part in four; each costs a browser a connection.
const mostCalls = 16;

// 120 random bits, in the letters that names of calls are made of.
function randomName() {
  const bytes = crypto.getRandomValues(new Uint8Array(15));
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_');
}
