import { ParleyError } from './parley-error.js';

/** Where a page that is loaded anew finds its call. */
export const seatKey = 'parley seat';

/** The calls of a page, and their modules, which are loaded with the first of them: most pages have none for a long time. */
export class CallLoader {
  #parts;
  /** @type {import('./parley-calls.js').CallDesk|undefined} */
  #desk;
  /** @type {Promise<import('./parley-calls.js').CallDesk>|undefined} */
  #loading;
  /** What happened while the modules were on their way, in order. @type {((desk: import('./parley-calls.js').CallDesk) => void)[]} */
  #waiting = [];

  /** @param {{parley: import('./parley.js').Parley, link: import('./parley-tabs.js').TabLink, seat: Storage}} parts */
  constructor(parts) { this.#parts = parts; }

  get all() { return this.#desk?.all ?? []; }

  get hasSeat() { return this.#parts.seat.getItem(seatKey) !== null; }

  /** @returns {Promise<import('./parley-calls.js').CallDesk>} */
  load() { return this.#loading ??= this.#load(); }

  async #load() {
    try {
      const { CallDesk } = await import('./parley-calls.js');
      const { parley, link, seat } = this.#parts;
      const desk = this.#desk = new CallDesk(parley, link, seat);
      for (const say of this.#waiting) say(desk);
      return desk;
    } catch {
      this.#loading = undefined;
      throw new ParleyError('unreachable', 'the modules of calls could not be loaded');
    } finally {
      this.#waiting.length = 0;
    }
  }

  received(event, argument) {
    this.load().catch(() => {});
    this.#tell((desk) => desk.received(event, argument));
  }

  /** @param {boolean} recovered */
  lineMended(recovered) { this.#tell((desk) => desk.lineMended(recovered)); }

  /** Another tab of this user takes the call. @param {string} id */
  takenElsewhere(id) { this.#tell((desk) => desk.takenElsewhere(id)); }

  /** @param {(desk: import('./parley-calls.js').CallDesk) => void} say */
  #tell(say) {
    if (this.#desk) say(this.#desk);
    else if (this.#loading) this.#waiting.push(say);
  }
}
