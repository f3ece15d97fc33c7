import { settings } from './page-settings.js';
import { language } from './page-texts.js';

// Where the worker notes what was chosen while there was no page to tell.
const clicksCache = 'parley-clicks';

/** Whether this browser can be woken while the page is closed. */
function canBeWoken() { return Boolean(navigator.serviceWorker && globalThis.PushManager); }

/**
 * Has this browser woken for messages from now on, where it can be and the user wants to be told.
 * @param {import('./parley.js').Parley} parley
 */
export async function wakeHere(parley) {
  if (!canBeWoken() || !settings.notifications || Notification.permission !== 'granted') return;
  const worker = await navigator.serviceWorker.ready;
  // Without a push service there are notifications as long as the page is open.
  await parley.wake(worker, language).catch(() => {});
}

/** @param {import('./parley.js').Parley} parley */
export async function letSleep(parley) {
  if (!canBeWoken()) return;
  const worker = await navigator.serviceWorker.getRegistration();
  if (worker) await parley.letSleep(worker).catch(() => {});
}

/** Tells the server which notifications were chosen. @param {import('./parley.js').Parley} parley */
export async function tellClicks(parley) {
  const cache = await globalThis.caches?.open(clicksCache);
  const kept = await cache?.match('clicks');
  if (!kept) return;
  await cache.delete('clicks');
  for (const push of await kept.json()) await parley.noteClick(push).catch(() => {});
}
