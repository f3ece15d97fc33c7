const longest = 64;

/** Where a page that is loaded anew finds the room it was in. */
export const roomKey = 'parley room';

/**
 * The name by which the server knows a room, made from what a person typed: "Tea Kitchen" and "tea-kitchen" are one room. Letters of
 * other scripts are spelt by their numbers, so that they stay apart and the same everywhere.
 * @param {string} typed
 * @returns {string} nothing when there is no letter and no digit in it
 */
export function roomName(typed) {
  const plain = typed.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '');
  return [...words].map((letter) => (/[a-z0-9-]/.test(letter) ? letter : spelt(letter))).join('').slice(0, longest);
}

function spelt(letter) { return `x${letter.codePointAt(0).toString(36)}`; }
