// Where one is, in the address: it can be kept, sent to others, and gone back from.

/**
 * @typedef {{place: 'chats'|'contacts'|'me', conversation?: string, user?: string, room?: string, call?: string, order?: string, position?: string, tree?: string}} Route
 */

/** @returns {Route|undefined} nothing when the address says nothing */
export function readRoute(hash = location.hash) {
  const tree = /^#\/tree(?:\/(.*))?$/.exec(hash);
  if (tree) return { place: 'chats', tree: decoded(tree[1] ?? '') };
  const [, place, name] = /^#\/(chats|contacts|me|c|u|room|call|order|position)(?:\/([^/]+))?$/.exec(hash) ?? [];
  const value = name && decodeURIComponent(name);
  switch (place) {
    case 'chats': case 'contacts': case 'me': return { place };
    case 'c': return { place: 'chats', conversation: value };
    case 'u': return { place: 'chats', user: value };
    case 'position': return { place: 'chats', position: value };
    case 'order': return { place: 'chats', order: value };
    case 'call': return { place: 'contacts', call: value };
    case 'room': return { place: 'contacts', room: value };
    default: return roomOf(hash);
  }
}

/** The address of a place of the realtime tree. @param {string} path */
export function treeLink(path) { return `#/tree/${path.split('/').map(encodeURIComponent).join('/')}`; }

// An address that was typed may be malformed.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Links of earlier pages, which people have kept.
function roomOf(hash) {
  const room = new URLSearchParams(hash.slice(1)).get('room');
  return room ? { place: 'contacts', room } : undefined;
}

/** @param {Route} route */
export function writeRoute({ place, conversation, user, room, order }, { replaces = false } = {}) {
  const hash = room ? `#/room/${encodeURIComponent(room)}` : conversation ? `#/c/${encodeURIComponent(conversation)}`
    : user ? `#/u/${encodeURIComponent(user)}` : order ? `#/order/${encodeURIComponent(order)}` : `#/${place}`;
  if (hash !== location.hash) history[replaces ? 'replaceState' : 'pushState'](null, '', hash);
}
