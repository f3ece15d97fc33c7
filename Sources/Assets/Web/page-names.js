import { texts } from './page-texts.js';

const mostAtOnce = 100;

/** Who is called what: asked for once, many at a time. */
export class Names extends EventTarget {
  #parley;
  /** @type {Map<string, {user: string, name?: string, avatar?: string}>} */
  #people = new Map();
  #wanted = new Set();

  /** @param {import('./parley.js').Parley} parley */
  constructor(parley) {
    super();
    this.#parley = parley;
  }

  /** @param {{user: string, name?: string, avatar?: string}} person */
  know({ user, name, avatar }) {
    const known = this.#people.get(user);
    this.#wanted.delete(user);
    this.#people.set(user, { user, name: name ?? known?.name, avatar: avatar ?? known?.avatar });
  }

  /** What is known of a user; when nothing is, it is asked for, and `known` follows. */
  person(user) {
    if (user === this.#parley.user && !this.#people.has(user)) return { user, name: this.#parley.name };
    if (!this.#people.has(user)) this.#ask(user);
    return this.#people.get(user) ?? { user };
  }

  /** @param {string} user */
  name(user) { return user === this.#parley.user ? texts.you : this.person(user).name ?? texts.unnamed; }

  clear() {
    this.#people.clear();
    this.#wanted.clear();
  }

  #ask(user) {
    if (this.#wanted.size === 0) setTimeout(() => this.#askAll());
    this.#wanted.add(user);
  }

  async #askAll() {
    const users = [...this.#wanted].slice(0, mostAtOnce);
    try {
      const answer = await this.#parley.request('profile.list', { users });
      for (const user of users) this.know({ user });
      for (const person of answer.users) this.know(person);
      this.dispatchEvent(new Event('known'));
    } catch {
      // Without a line there are no names; the next time a user is shown asks again.
      for (const user of users) this.#wanted.delete(user);
    }
  }
}
