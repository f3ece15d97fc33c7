import { texts } from './page-texts.js';

let state = 'closed';
let activity = '';
let unread = 0;

// Who looks at another tab sees what is going on here.
function write() {
  const trouble = state === 'connected' || state === 'closed' ? '' : texts.state[state];
  const count = unread > 0 ? `(${unread > 99 ? '99+' : unread}) ` : '';
  const title = count + [trouble, activity, 'Parley'].filter(Boolean).join(' · ');
  if (document.title !== title) document.title = title;
}

/** @param {import('./parley.js').Parley['state']} newState */
export function titleState(newState) {
  state = newState;
  write();
}

/** @param {string} newActivity what the user is in, or nothing */
export function titleActivity(newActivity) {
  activity = newActivity;
  write();
}

/** @param {number} number of messages in all conversations */
export function titleUnread(number) {
  unread = number;
  write();
}
