// Keeps the page for times without a network. With one, what the server has now is always what is shown.
//
// The server puts two lines before this file: `shell`, the names of the page's files, and `version`, which is another as soon as
// one of them is. So a new page is a new worker, with a cache of its own.

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
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(url, { cacheName });
    if (kept) return kept;
    throw error;
  }
}
