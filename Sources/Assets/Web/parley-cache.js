// What was seen, kept by the browser (IndexedDB), so that it is there at once after a reload and without a network. A
// browser that keeps nothing (some private windows) is as good as an empty one: nothing here fails for that.

const version = 1;
// Of a conversation so many entries are kept; the server has the others.
const mostKept = 2_000;

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
  /** What is to be written with the next transaction: its store, and a value. @type {[string, any][]} */
  #puts = [];
  /** @type {Promise<void>|undefined} */
  #writing;
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

  /** @param {any} view */
  putConversation(view) { this.#put([['conversations', view]]); }

  /** Of a conversation that is gone, or of which something was missed, nothing may be believed any more. */
  async forget(conversation) {
    await this.#change('conversations', (store) => store.delete(conversation));
    await this.forgetEntries(conversation);
  }

  forgetEntries(conversation) { return this.#change('entries', (store) => store.delete(all(conversation))); }

  // MARK: Entries

  /** @param {Entry[]} entries */
  putEntries(entries) { this.#put(entries.map((entry) => ['entries', entry])); }

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

  /** Lets go of what long conversations have behind their newest part. @param {{conversation: string, last: number}[]} views */
  async trim(views) {
    const long = views.filter(({ last }) => last > mostKept);
    if (long.length === 0) return;
    await this.#change('entries', (store) => {
      for (const { conversation, last } of long) store.delete(IDBKeyRange.bound([conversation], [conversation, last - mostKept]));
    });
  }

  // MARK: What waits to be sent

  /** @returns {Promise<any[]|undefined>} in the order in which they were written */
  async unsent() { return this.#ask('unsent', (store) => store.getAll()); }
  putUnsent(message) { return this.#change('unsent', (store) => store.put(message)); }
  deleteUnsent(order) { return this.#change('unsent', (store) => store.delete(order)); }

  /** A user who signs out leaves nothing behind. */
  async erase() {
    this.#puts = [];
    (await this.#database)?.close();
    this.#database = Promise.resolve(undefined);
    indexedDB.deleteDatabase(this.#name);
  }

  // A transaction is dear. What comes while one goes on is written with the next.
  #put(puts) {
    this.#puts.push(...puts);
    this.#writing ??= this.#writeAll().finally(() => { this.#writing = undefined; });
  }

  async #writeAll() {
    while (this.#puts.length > 0) {
      const puts = this.#puts.splice(0);
      await this.#transact(['conversations', 'entries'], (transaction) => {
        for (const [name, value] of puts) transaction.objectStore(name).put(value);
      });
    }
  }

  async #ask(name, request) {
    await this.#writing;
    const database = await this.#database;
    if (!database) return undefined;
    return settled(request(database.transaction(name).objectStore(name)));
  }

  async #change(name, change) {
    await this.#writing;
    await this.#transact([name], (transaction) => change(transaction.objectStore(name)));
  }

  async #transact(names, change) {
    const database = await this.#database;
    if (!database) return;
    const transaction = database.transaction(names, 'readwrite');
    change(transaction);
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
