import { emotions } from './page-emotions.js';
import { texts } from './page-texts.js';
import { duration } from './page-time.js';

/**
 * What happened, in one line: for lists, quotes and notifications.
 * @param {any} entry
 * @param {{name: (user: string) => string, me: string|undefined}} names
 */
export function digest(entry, names) {
  return entry.type === 'message' ? messageDigest(entry, names) : happeningText(entry, names) ?? '';
}

function messageDigest(message, { name, me }) {
  if (message.recalled) return message.from === me ? texts.recalledOwn : texts.recalled(name(message.from));
  const { kind, body } = message;
  switch (kind) {
    case 'text': return body?.text ?? '';
    case 'call': return callText(message, me);
    case 'emotion': return `${emotions[body?.name] ?? ''} ${texts.emotions[body?.name] ?? texts.kinds.emotion}`.trim();
    case 'file': case 'location': return body?.name ? `${texts.kinds[kind]}: ${body.name}` : texts.kinds[kind];
    case 'mixed': case 'notice': return body?.text || (texts.orderEvents[body?.oc?.type] ?? body?.oc?.type ?? texts.kinds[kind]);
    default: return texts.kinds[kind] ? `[${texts.kinds[kind]}]` : texts.unknownKind;
  }
}

/** How a call went, as it is kept in the conversation. */
export function callText({ body, from }, me) {
  const isMissed = from !== me && ['noAnswer', 'cancelled', 'offline'].includes(body?.outcome);
  const say = texts.calls[isMissed ? 'missed' : body?.outcome] ?? texts.calls.other;
  return say(duration(body?.seconds ?? 0));
}

/** What happened to the conversation itself; nothing for what shows elsewhere. @returns {string|undefined} */
export function happeningText({ type, from, body }, { name }) {
  const say = texts.happened;
  const whom = (users) => (users ?? []).map(name).join(', ');
  switch (type) {
    case 'created': return say.created(name(from));
    case 'joined': return (body?.users ?? []).includes(from) ? say.came(name(from)) : say.joined(name(from), whom(body?.users));
    case 'left': return say.left(name(from));
    case 'removed': return say.removed(name(from), name(body?.user));
    case 'renamed': return say.renamed(name(from), body?.title ?? '');
    case 'dissolved': return say.dissolved(name(from));
    case 'role': return say.role(name(from), name(body?.user), texts.roles[body?.role] ?? '');
    case 'silenced': return (body?.until ? say.silenced : say.unsilenced)(name(from), name(body?.user));
    case 'pinned': return say.pinned(name(from));
    default: return undefined;
  }
}
