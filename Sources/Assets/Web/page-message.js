import { bodyView } from './page-bodies.js';
import { digest, happeningText } from './page-digest.js';
import { icon, make, nameButton, paintFace } from './page-elements.js';
import { texts } from './page-texts.js';
import { clockTime, dayLabel, fullTime, isSameHour } from './page-time.js';

// Of an order: how it goes, what is said about it, what concerns the user's account.
const classes = { 1: 'course', 2: 'said', 3: 'account' };
// What one person says within this time is one run.
const run = 5 * 60_000;

/** Whether an entry has a line of its own. */
export function isShown(entry, names) { return entry.type === 'message' || happeningText(entry, names) !== undefined; }

/**
 * One line of a conversation.
 * @param {any} entry
 * @param {import('./page-bodies.js').Surroundings & {isGroup: boolean, hasFaces: boolean, fate: (message: any) => string, quote: (number: number) => Promise<any>, openMenu: Function, jump: (number: number) => void, react: Function}} around
 * @returns {HTMLElement}
 */
export function entryRow(entry, around) {
  const row = entry.type === 'message' ? messageRow(entry, around) : make('li', { class: 'happening' }, happeningText(entry, around));
  if (entry.number !== undefined) row.dataset.number = `${entry.number}`;
  return row;
}

/** What a row looks like depends on the one before it: a new hour has a label, a run of one sender is drawn together. */
export function joinRows(row, entry, before) {
  row.querySelector('.day')?.remove();
  const hasLabel = before === undefined || !isSameHour(before.time, entry.time);
  if (hasLabel) row.prepend(make('time', { class: 'day', datetime: new Date(entry.time).toISOString() }, dayLabel(entry.time)));
  const goesOn = !hasLabel && entry.type === 'message' && before.type === 'message' && before.from === entry.from && entry.time - before.time < run;
  row.classList.toggle('goes-on', goesOn);
}

function messageRow(message, around) {
  const isMine = message.from === around.me;
  const row = make('li', { class: `message ${isMine ? 'mine' : 'theirs'}` });
  const bubble = make('div', { class: 'bubble', 'data-kind': message.kind ?? '', ...(classes[message.body?.oc?.msgClass] && { 'data-class': classes[message.body.oc.msgClass] }) });
  if (around.hasFaces && !isMine) row.append(face(message.from, around));
  if (around.isGroup && !isMine) bubble.append(make('span', { class: 'sender', dir: 'auto' }, around.name(message.from)));
  bubble.append(...inside(message, around), meta(message, isMine, around));
  // Nothing can be done yet with what is not on the server.
  const hasMenu = !message.recalled && message.number !== undefined;
  row.append(bubble, ...(hasMenu ? [menuButton(message, around)] : []));
  if (message.reactions?.length) row.append(reactions(message, around));
  if (hasMenu) row.oncontextmenu = (event) => openMenu(event, message, around);
  return row;
}

function inside(message, around) {
  if (message.recalled) return [make('em', {}, digest(message, around))];
  const quote = message.reply ? [quoteView(message.reply, around)] : [];
  const forwarded = message.forwarded ? [make('small', { class: 'forwarded' }, texts.forwarded)] : [];
  return [...forwarded, ...quote, ...bodyView(message, around)];
}

function face(user, { person }) {
  const element = make('span', { class: 'face', 'aria-hidden': 'true' });
  paintFace(element, person(user));
  return element;
}

function quoteView(number, around) {
  const text = make('span', { dir: 'auto' }, '…');
  const button = make('button', { class: 'quote', type: 'button' }, text);
  button.onclick = () => around.jump(number);
  around.quote(number).then((quoted) => {
    if (quoted) button.replaceChildren(make('strong', {}, around.name(quoted.from)), make('span', { dir: 'auto' }, digest(quoted, around)));
  }).catch(() => {});
  return button;
}

function meta(message, isMine, around) {
  const time = make('time', { datetime: new Date(message.time).toISOString(), title: fullTime(message.time) }, clockTime(message.time));
  const edited = message.edited && !message.recalled ? [make('span', {}, texts.edited)] : [];
  const fate = isMine && !message.recalled ? [fateMark(around.fate(message))] : [];
  return make('span', { class: 'meta' }, ...edited, time, ...fate);
}

/** @param {string} fate */
export function fateMark(fate) {
  const mark = make('span', { class: `fate ${fate}`, role: 'img' }, icon({ sent: 'sent', delivered: 'arrived', read: 'arrived', failed: 'warning' }[fate] ?? 'clock'));
  nameButton(mark, texts.fate[fate]);
  return mark;
}

function menuButton(message, around) {
  const button = make('button', { class: 'menu-button plain', type: 'button', 'aria-haspopup': 'menu' }, icon('more'));
  nameButton(button, texts.actions);
  button.onclick = (event) => openMenu(event, message, around);
  return button;
}

// A user who selected words of a message wants the browser's own menu.
function openMenu(event, message, around) {
  if (event.type === 'contextmenu' && (event.target.closest('a') || !getSelection().isCollapsed)) return;
  event.preventDefault();
  around.openMenu(message, event);
}

function reactions(message, around) {
  return make('div', { class: 'reactions' }, ...message.reactions.map(({ reaction, users }) => {
    const isMine = users.includes(around.me);
    const button = make('button', { type: 'button', 'aria-pressed': `${isMine}` }, `${reaction} ${users.length}`);
    nameButton(button, texts.reactionBy(reaction, users.map(around.name).join(', ')));
    button.onclick = () => around.react(message, reaction, !isMine);
    return button;
  }));
}
