// Keeps the page for times without a network. With one, what the server has now is always what is shown.
//
// The server puts two lines before this file: `shell`, the names of the page's files, and `version`, which is another as soon as
// one of them is. So a new page is a new worker, with a cache of its own.

// A network that lets nothing through keeps no user waiting for longer.
const timeout = 3_000;

const cacheName = `parley ${version}`;
const names = new Set(shell.map((name) => new URL(name, registration.scope).href));

addEventListener('install', (event) => event.waitUntil(keep().then(() => skipWaiting())));
addEventListener('activate', (event) => event.waitUntil(forgetOthers().then(() => clients.claim())));

addEventListener('fetch', (event) => {
  const { request } = event;
  const url = request.url.split(/[?#]/)[0];
  if (request.method === 'GET' && names.has(url)) event.respondWith(fresh(request, url));
});

async function keep() {
  const cache = await caches.open(cacheName);
  await cache.addAll([...names]);
}

async function forgetOthers() {
  const others = (await caches.keys()).filter((name) => name.startsWith('parley ') && name !== cacheName);
  await Promise.all(others.map((name) => caches.delete(name)));
}

async function fresh(request, url) {
  const kept = () => caches.match(url, { cacheName });
  // A proxy in front of a server that is away answers in its stead.
  const answer = fetch(request).then(async (answer) => (answer.status >= 500 && await kept()) || answer);
  const late = new Promise((resolve) => setTimeout(resolve, timeout)).then(kept);
  try {
    return await Promise.race([answer, late]) ?? await answer;
  } catch (error) {
    const page = await kept();
    if (page) return page;
    throw error;
  }
}

// MARK: Messages and calls that come while the page is closed

const clicksCache = 'parley-clicks';
const nameless = 'Parley';

// One after the other: Chromium, asked what it shows, forgets for good what it was just about to show.
let turn = Promise.resolve();

addEventListener('push', (event) => {
  turn = turn.then(() => tell(event.data)).catch(() => {});
  event.waitUntil(turn);
});
addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data ?? {}));
});

async function tell(data) {
  const message = read(data);
  if (message.type === 'callOver') return close(callTag(message.call));
  if (message.type === 'announcementOver') return close(message.topic);
  if (Number.isFinite(message.badge)) await navigator.setAppBadge?.(message.badge).catch(() => {});
  if (message.type === 'read') return close(message.conversation, message.number);
  if (message.type === 'call') return ring(message);
  const { title, body } = said(message);
  const pages = await openPages();
  if (message.type === 'message' && pages.some((page) => page.focused)) return;
  const { conversation, topic, number, push, silent = false } = message;
  await registration.showNotification(title, { body, tag: conversation ?? topic ?? 'parley', icon: 'page-icon.svg', data: { conversation, number, push }, silent, renotify: !silent });
}

// The server says `words` in the language of this device, where there are none of the sender's.
function said({ type, name, title, text, words = nameless, content }) {
  if (type === 'announcement') return { title: title ?? nameless, body: text ?? content ?? '' };
  const body = text || words;
  return { title: title ?? name ?? nameless, body: title && name ? `${name}: ${body}` : body };
}

// It stays until somebody chooses it, or until the call rings no more.
async function ring({ call, name = nameless, words = nameless, push }) {
  const pages = await openPages();
  if (pages.some((page) => page.focused)) return;
  await registration.showNotification(name, {
    body: words, tag: callTag(call), icon: 'page-icon.svg', data: { call, push }, renotify: true, requireInteraction: true, vibrate: [400, 200, 400, 200, 400],
  });
}

function callTag(call) { return `call ${call}`; }

// What is newer than what was read stays.
async function close(tag, number = Infinity) {
  const shown = await registration.getNotifications({ tag });
  for (const notification of shown) if (!(notification.data?.number > number)) notification.close();
}

// Of this origin may be pictures and documents, too.
async function openPages() {
  const all = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  return all.filter(({ url }) => url.split(/[?#]/)[0] === registration.scope);
}

function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

// A page that is open shows it; else one is opened, and goes there when it has loaded.
async function open({ conversation, call, push }) {
  if (push) await keepClick(push);
  const pages = await openPages();
  const page = pages.find(({ focused }) => focused) ?? pages[0];
  const place = call ? `#/call/${encodeURIComponent(call)}` : conversation ? `#/c/${encodeURIComponent(conversation)}` : '';
  if (!page) return void (await clients.openWindow(`./${place}`));
  await page.focus().catch(() => {});
  page.postMessage({ conversation, call });
}

// The next page that is signed in tells the server: the worker has no name there.
async function keepClick(push) {
  const cache = await caches.open(clicksCache);
  const kept = await cache.match('clicks').then((answer) => answer?.json()).catch(() => undefined) ?? [];
  await cache.put('clicks', Response.json([...kept, push].slice(-10)));
}
