import { texts } from './page-texts.js';

let state = 'closed';
let activity = '';

// Who looks at another tab sees what is going on here.
function write() {
  const trouble = state === 'connected' || state === 'closed' ? '' : texts.state[state];
  document.title = [trouble, activity, 'Parley'].filter(Boolean).join(' · ');
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
