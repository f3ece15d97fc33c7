import { ask } from './page-dialogs.js';
import { make, paintFace } from './page-elements.js';
import { texts } from './page-texts.js';
import { fullTime } from './page-time.js';

// Of a long order the latest events are enough.
const mostEntries = 200;
const orderClass = 1;

/** Whether an entry tells how the order goes: it was accepted, the driver is there, it was rated. */
export function isOrderEvent({ type, body }) { return type === 'message' && body?.oc?.msgClass === orderClass; }

/** What an order is about: who is in it, in which role, and how it went so far. */
export class OrderDetails {
  #chat;
  #conversation;
  #members = [];
  #events = [];

  /** It is known better now. */
  onLoaded = () => {};

  /** @param {import('./parley-chat.js').Chat} chat @param {import('./parley-conversation.js').Conversation} conversation */
  constructor(chat, conversation) {
    this.#chat = chat;
    this.#conversation = conversation;
  }

  /** With the conversation, and again when something happened to the order. */
  async load() {
    const { id } = this.#conversation;
    const [{ members }, { entries }] = await Promise.all([this.#chat.members(id), this.#chat.history(id, { limit: mostEntries })]);
    this.#members = Object.keys(texts.orderRoles).flatMap((wanted) => members.filter(({ role }) => role === wanted));
    this.#events = entries.filter(isOrderEvent);
    this.onLoaded();
  }

  /** One's own role, and how it goes. */
  get status() {
    const latest = this.#events.at(-1);
    return [texts.orderRoles[this.#conversation.role ?? ''], latest && eventText(latest)].filter(Boolean).join(' · ');
  }

  /** The menu at the side. @param {{person: (user: string) => any, name: (user: string) => string}} names @param {Node[]} actions */
  async open(names, actions) {
    const members = this.#members.map(({ user, role }) => {
      const face = make('span', { class: 'face', 'aria-hidden': 'true' });
      paintFace(face, names.person(user));
      return make('li', {}, face, make('span', { class: 'who' }, make('span', { class: 'name', dir: 'auto' }, names.name(user)), make('small', {}, texts.orderRoles[role] ?? '')));
    });
    const course = this.#events.map((event) => make('li', {},
      make('time', { datetime: new Date(event.time).toISOString() }, fullTime(event.time)), ' ', make('span', { dir: 'auto' }, eventText(event))));
    await ask(texts.order(this.#conversation.subject ?? ''), [
      make('ul', { class: 'people side-menu' }, ...members),
      make('h3', {}, texts.orderCourse), course.length > 0 ? make('ol', { class: 'course' }, ...course) : make('p', { class: 'hint' }, texts.orderBegins),
      make('div', { class: 'actions' }, ...actions)]);
  }
}

function eventText({ body }) { return String(body.text || (texts.orderEvents[body.oc.type] ?? body.oc.type)); }
