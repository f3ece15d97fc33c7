/** Which conversations a user keeps at the top of the list in this browser. */
export class PinnedChats {
  #key;

  /** @param {string|undefined} user */
  constructor(user) { this.#key = `parley pinned ${user}`; }

  /** @returns {Set<string>} */
  get all() {
    try {
      return new Set(JSON.parse(localStorage.getItem(this.#key)) ?? []);
    } catch {
      return new Set(); // Damaged: as good as nothing.
    }
  }

  /** @param {string} id @param {boolean} isPinned */
  put(id, isPinned) {
    const { all } = this;
    if (isPinned) all.add(id);
    else all.delete(id);
    localStorage.setItem(this.#key, JSON.stringify([...all]));
  }
}
