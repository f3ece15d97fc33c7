import { byID, icon, make, nameButton, paintFace, putInOrder } from './page-elements.js';
import { texts } from './page-texts.js';

/** Who is here, and who was a moment ago; each with buttons to ring them. */
export class People {
  /** @type {Map<string, {user: string, name?: string, avatar?: string, online: boolean, row: HTMLElement}>} */
  #people = new Map();
  /** How many others are here that the server gave no list of. */
  unseen = 0;
  #ring;
  #write;

  /**
   * @param {(person: {user: string, name?: string}, kind: 'audio'|'video') => void} ring
   * @param {(person: {user: string}) => void} write
   */
  constructor(ring, write) {
    this.#ring = ring;
    this.#write = write;
  }

  /** Everybody who was seen, those who are here first. */
  get all() { return this.#sorted; }

  /** @param {string} user */
  isOnline(user) { return this.#people.get(user)?.online === true; }

  /**
   * Everybody who is here now. Who is not among them has gone, unless there are too many to be listed.
   * @param {{user: string, name?: string, avatar?: string, online: boolean}[]} views
   * @param {number} count
   */
  reset(views, count) {
    this.unseen = views.length === 0 ? Math.max(0, count) : 0;
    const online = new Set(views.map(({ user }) => user));
    for (const person of this.#people.values()) {
      if (!online.has(person.user)) this.#put({ user: person.user, online: false });
    }
    for (const view of views) this.#put(view);
    this.#arrange();
  }

  update(view) {
    this.#put(view);
    this.#arrange();
  }

  /** A user is called something else now, or looks different. */
  know({ user, name, avatar }) {
    const person = this.#people.get(user);
    if (!person) return;
    Object.assign(person, { name: name ?? texts.unnamed, avatar });
    this.#paint(person);
    this.#arrange();
  }

  clear() {
    this.#people.clear();
    this.#arrange();
  }

  /** @param {string} user whose button was used last */
  focus(user) {
    const row = this.#people.get(user)?.row;
    (row?.querySelector('[data-kind]') ?? byID('people-title')).focus();
  }

  name(user) { return this.#people.get(user)?.name; }

  #put({ user, name, avatar, online }) {
    const known = this.#people.get(user);
    const person = known ?? { user, row: this.#makeRow(user) };
    person.name = name ?? known?.name ?? texts.unnamed;
    // Of a user who goes only that is said.
    if (online) person.avatar = avatar;
    person.online = online;
    this.#people.set(user, person);
    this.#paint(person);
  }

  #makeRow(user) {
    const button = (kind) => {
      const button = make('button', { 'data-kind': kind }, icon(kind === 'video' ? 'camera' : 'phone'));
      button.onclick = () => this.#ring(this.#people.get(user), kind);
      return button;
    };
    const write = make('button', { class: 'plain row', type: 'button' }, make('span', { class: 'face', 'aria-hidden': 'true' }),
      make('span', { class: 'who' }, make('span', { class: 'name', dir: 'auto' }), make('small')));
    write.onclick = () => this.#write({ user });
    return make('li', { 'data-user': user }, write, button('audio'), button('video'));
  }

  #paint({ user, name, avatar, online, row }) {
    row.className = online ? 'online' : 'offline';
    paintFace(row.querySelector('.face'), { user, name, avatar });
    row.querySelector('.name').textContent = name;
    row.querySelector('small').textContent = online ? texts.online : texts.offline;
    nameButton(row.querySelector('.row'), `${texts.writeTo(name)}, ${online ? texts.online : texts.offline}`);
    nameButton(row.querySelector('[data-kind="audio"]'), texts.ringAudio(name));
    nameButton(row.querySelector('[data-kind="video"]'), texts.ringVideo(name));
  }

  get #sorted() {
    return [...this.#people.values()].sort((one, other) =>
      other.online - one.online || one.name.localeCompare(other.name) || one.user.localeCompare(other.user));
  }

  #arrange() {
    const list = byID('people');
    const sorted = this.#sorted;
    for (const row of [...list.children]) if (!this.#people.has(row.dataset.user)) row.remove();
    putInOrder(list, sorted.map(({ row }) => row));
    byID('nobody').hidden = this.unseen === 0 && sorted.some(({ online }) => online);
  }
}
