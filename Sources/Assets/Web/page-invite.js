import { ask, peopleChoice } from './page-dialogs.js';
import { notice } from './page-elements.js';
import { texts } from './page-texts.js';

const lettersOfName = 10;

/** Brings more people into a call, which becomes a room by that, or into a room. */
export class Invitation {
  #parley;
  #people;
  #join;

  /** @param {{parley: import('./parley.js').Parley, people: any, join: (title: string, options: any) => Promise<void>}} parts */
  constructor({ parley, people, join }) {
    this.#parley = parley;
    this.#people = people;
    this.#join = join;
  }

  /** @param {any} talk a call or a room */
  async open(talk) {
    const others = this.#people.all.filter(({ user, online }) => online && user !== talk.peer?.user);
    const form = await ask(texts.addPeople, [peopleChoice(others)], { confirm: texts.add });
    const users = form?.getAll('user').map(String) ?? [];
    if (users.length === 0) return;
    const title = talk.peer ? await this.#move(talk) : talk.title ?? talk.name;
    const text = texts.invitation(`${location.origin}${location.pathname}#/room/${encodeURIComponent(title)}`);
    for (const user of users) this.#parley.chat.send({ user }, { kind: 'text', body: { text } });
    notice(texts.invited);
  }

  async #move(call) {
    const title = randomTitle();
    call.moveTo(title);
    await this.#join(title, { kind: call.kind, devices: call.devices });
    return title;
  }

  /** The other side of a call went on in a room. */
  async follow(call, title) {
    await this.#join(title, { kind: call.kind, devices: call.devices });
    notice(texts.becameRoom);
  }

  /** Leaves a link for one's other devices, in the notes to oneself. */
  moveToDevice(call) {
    const text = texts.moveLink(`${location.origin}${location.pathname}#/call/${call.ticket}`);
    this.#parley.chat.send({ user: this.#parley.user }, { kind: 'text', body: { text } });
    notice(texts.moveSent);
  }
}

function randomTitle() {
  const bytes = crypto.getRandomValues(new Uint8Array(lettersOfName));
  return `call-${[...bytes].map((byte) => (byte % 36).toString(36)).join('')}`;
}
