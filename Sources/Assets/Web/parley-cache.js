// What was seen, kept by the browser (IndexedDB), so that it is there at once after a reload and without a network. A
// browser that keeps nothing (some private windows) is as good as an empty one: nothing here fails for that.

const version = 1;

/**
 * @typedef {object} Entry one entry of a conversation, as the server tells it
 * @property {string} conversation
 * @property {number} number
 * @property {string} type
 * @property {string} from
 * @property {number} time
 * @property {string} [client]
 * @property {string} [kind]
 * @property {any} [body]
 */

/** The conversations, entries and unsent messages of one user. */
export class ChatCache {
  #name;
  /** @type {Promise<IDBDatabase|undefined>} */
  #database;

  /** @param {string} name another user has another one */
  constructor(name) {
    this.#name = name;
    this.#database = open(name).catch(() => undefined);
  }

  // MARK: Conversations

  /** @returns {Promise<any[]>} */
  async conversations() { return (await this.#ask('conversations', (store) => store.getAll())) ?? []; }

  putConversation(view) { return this.#change('conversations', (store) => store.put(view)); }

  /** Of a conversation that is gone, or of which something was missed, nothing may be believed any more. */
  async forget(conversation) {
    await this.#change('conversations', (store) => store.delete(conversation));
    await this.forgetEntries(conversation);
  }

  forgetEntries(conversation) { return this.#change('entries', (store) => store.delete(all(conversation))); }

  // MARK: Entries

  /** @param {Entry[]} entries */
  putEntries(entries) {
    return this.#change('entries', (store) => { for (const entry of entries) store.put(entry); });
  }

  /** @returns {Promise<Entry|undefined>} */
  entry(conversation, number) { return this.#ask('entries', (store) => store.get([conversation, number])); }

  /**
   * The entries from one number to another, if every one of them is kept.
   * @returns {Promise<Entry[]|undefined>}
   */
  async entries(conversation, first, last) {
    const range = IDBKeyRange.bound([conversation, first], [conversation, last]);
    const found = await this.#ask('entries', (store) => store.getAll(range));
    return found?.length === last - first + 1 ? found : undefined;
  }

  // MARK: What waits to be sent

  /** @returns {Promise<any[]>} in the order in which they were written */
  async unsent() { return (await this.#ask('unsent', (store) => store.getAll())) ?? []; }
  putUnsent(message) { return this.#change('unsent', (store) => store.put(message)); }
  deleteUnsent(order) { return this.#change('unsent', (store) => store.delete(order)); }

  /** Whoever signs out leaves nothing behind. */
  async erase() {
    (await this.#database)?.close();
    this.#database = Promise.resolve(undefined);
    indexedDB.deleteDatabase(this.#name);
  }

  async #ask(name, request) {
    const database = await this.#database;
    if (!database) return undefined;
    return settled(request(database.transaction(name).objectStore(name)));
  }

  async #change(name, change) {
    const database = await this.#database;
    if (!database) return;
    const transaction = database.transaction(name, 'readwrite');
    change(transaction.objectStore(name));
    await new Promise((resolve) => { transaction.oncomplete = transaction.onerror = transaction.onabort = resolve; });
  }
}

function open(name) {
  const request = indexedDB.open(name, version);
  request.onupgradeneeded = () => {
    const database = request.result;
    database.createObjectStore('conversations', { keyPath: 'conversation' });
    database.createObjectStore('entries', { keyPath: ['conversation', 'number'] });
    database.createObjectStore('unsent', { keyPath: 'order' });
  };
  return settled(request);
}

function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function all(conversation) { return IDBKeyRange.bound([conversation], [conversation, []]); }
