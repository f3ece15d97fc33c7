const page = 100;
// A conversation may have many words between two pictures; so many entries are looked through at a time.
const mostPages = 10;

/** The pictures of a conversation in their order, looked for in both directions as far as somebody goes. */
export class Pictures {
  #chat;
  #id;
  /** @type {any[]} */
  #messages;
  #index = 0;
  /** Everything from here to there was looked through. */
  #first;
  #last;

  /** @param {any} message with a picture, the one to begin with @param {import('./parley-chat.js').Chat} chat */
  constructor(message, chat) {
    this.#chat = chat;
    this.#id = message.conversation;
    this.#messages = [message];
    this.#first = this.#last = message.number;
  }

  get current() { return this.#messages[this.#index]; }

  /** Goes to the one before or after. @param {-1|1} step @returns {Promise<boolean>} whether there is one */
  async go(step) {
    if (!await this.has(step)) return false;
    this.#index += step;
    return true;
  }

  /** @param {-1|1} step @returns {Promise<boolean>} */
  async has(step) {
    for (let turn = 0; turn < mostPages && !this.#messages[this.#index + step]; turn += 1) {
      if (!await (step < 0 ? this.#lookBefore() : this.#lookAfter())) break;
    }
    return this.#messages[this.#index + step] !== undefined;
  }

  async #lookBefore() {
    const { entries } = await this.#chat.history(this.#id, { before: this.#first, limit: page });
    if (entries.length === 0) return false;
    this.#first = entries[0].number;
    const found = entries.filter(isPicture);
    this.#messages.unshift(...found);
    this.#index += found.length;
    return true;
  }

  async #lookAfter() {
    const { entries } = await this.#chat.history(this.#id, { after: this.#last, limit: page });
    if (entries.length === 0) return false;
    this.#last = entries.at(-1).number;
    this.#messages.push(...entries.filter(isPicture));
    return true;
  }
}

function isPicture({ type, kind, recalled }) { return type === 'message' && kind === 'image' && !recalled; }
