/**
 * Asks one thing at a time under each name. Of what is asked for meanwhile only the last is asked: how far one has read is said
 * once, not for each of a hundred messages.
 */
export class LatestOnly {
  #work;
  /** What waits, under each name that something is under way for. */
  #waiting = new Map();

  /** @param {(name: string, value: number) => Promise<any>} work */
  constructor(work) { this.#work = work; }

  /** @param {string} name @param {number} value */
  async ask(name, value) {
    if (this.#waiting.has(name)) return void this.#waiting.set(name, value);
    this.#waiting.set(name, undefined);
    try {
      await this.#work(name, value);
    } finally {
      const next = this.#waiting.get(name);
      this.#waiting.delete(name);
      if (next !== undefined) this.ask(name, next).catch(() => {});
    }
  }
}
