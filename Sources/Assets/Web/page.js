import { ChatList } from './page-chats.js';
import { ChatView } from './page-chat.js';
import { byID, fillTexts, nameButton, notice, show } from './page-elements.js';
import { later } from './page-later.js';
import { Names } from './page-names.js';
import { beWoken, followNotifications, Notifier } from './page-notifications.js';
import { People } from './page-people.js';
import { roomKey } from './page-room-name.js';
import { readRoute, writeRoute } from './page-route.js';
import { applyTheme, settings } from './page-settings.js';
import { keepShell } from './page-shell.js';
import { SignInWays } from './page-sign-in.js';
import { errorText, language, texts } from './page-texts.js';
import { titleState } from './page-title.js';
import { Parley, preferDevices } from './parley.js';

// What the first view does without is loaded soon after it, or when it is needed.
const soon = 1_000;

const parley = new Parley();
const names = new Names(parley);
const people = new People(ring, (person) => openChat(person));
const chatView = new ChatView({ parley, names, people, call: ring });
const chatList = new ChatList({ parley, names, people, open: openChat });
const notifier = new Notifier({ parley, names, open: openChat });
const ways = new SignInWays(parley);
/** @type {import('./page-talks.js').Talks|undefined} */
let talks;
/** @type {import('./page-me.js').MePlace|undefined} */
let me;

async function openTalks() {
  const loaded = await later(() => import('./page-talks.js'));
  if (loaded) talks ??= new loaded.Talks({ parley, people, names, go, place: () => route.place });
  return talks;
}

// MARK: The line to the server

function paintState() {
  byID('connection').dataset.state = parley.state;
  byID('connection').textContent = texts.state[parley.state];
  const isClosed = parley.state === 'closed';
  nameButton(byID('line'), isClosed ? texts.reconnect : texts.disconnect);
  byID('nobody').textContent = isClosed ? texts.unconnected : people.unseen > 0 ? texts.manyOnline(people.unseen) : texts.nobody;
  titleState(parley.state);
}

parley.addEventListener('state', paintState);
parley.addEventListener('presence', ({ detail }) => {
  if (detail.user === parley.user) return;
  people.update(detail);
  if (detail.name !== undefined) names.know(detail);
  chatList.paint();
});
parley.addEventListener('profile', ({ detail }) => {
  people.know(detail);
  names.know(detail);
});
parley.addEventListener('connected', lookAround);
parley.addEventListener('signedOut', ({ detail }) => {
  leaveHome();
  notice(errorText(detail));
});

async function lookAround() {
  try {
    const { count, users } = await parley.watchEverybody();
    for (const view of users) names.know(view);
    people.reset(users.filter(({ user }) => user !== parley.user), count - 1);
    paintState();
    chatList.paint();
  } catch (error) {
    // When the line is lost again, another `connected` follows.
    if (error.code !== 'closed') notice(errorText(error));
  }
}

// MARK: In and out

async function enter(options, button = byID('enter').querySelector('button')) {
  button.disabled = true;
  // A user who was here before sees at once what the browser kept.
  if (options.name !== undefined && options.name === parley.knownName) enterHome();
  try {
    await parley.signIn(options);
    await enterHome();
    await resume();
  } catch (error) {
    // Who left in the meantime knows.
    if (error.code === 'closed') return;
    notice(errorText(error));
    if (parley.state === 'closed') leaveHome();
  } finally {
    button.disabled = false;
  }
}

let followed;

async function enterHome() {
  byID('my-name').textContent = parley.name ?? parley.knownName;
  showMe(true);
  if (followed === parley.chat) return;
  const chat = follow(parley.chat);
  (globalThis.requestIdleCallback ?? setTimeout)(openTalks, { timeout: soon });
  await chat.load();
  if (followed !== chat) return;
  if (document.body.dataset.view === 'welcome') show('home');
  openFirst();
  beWoken(parley);
}

function follow(chat) {
  followed = chat;
  chatList.follow(chat);
  chatView.follow(chat);
  notifier.follow(chat);
  chat.addEventListener('entry', ({ detail }) => sound(detail));
  chat.open().catch((error) => { if (error.code !== 'closed') notice(errorText(error)); });
  return chat;
}

async function sound({ type, from, conversation }) {
  if (!settings.sounds || type !== 'message' || talks?.isTaken || followed.conversation(conversation)?.isMuted) return;
  const { playNote } = await import('./page-tone.js').catch(() => ({ playNote: undefined }));
  playNote?.(from === parley.user ? 'sent' : 'received');
}

function showMe(isIn) {
  for (const id of ['me', 'line', 'sign-out']) byID(id).hidden = !isIn;
}

function leaveHome() {
  people.clear();
  names.clear();
  chatView.close();
  chatList.clear();
  followed = undefined;
  showMe(false);
  show('welcome');
  ways.show();
  byID('name').focus();
}

async function resume() {
  const call = await parley.resumeCall();
  if (call || sessionStorage.getItem(roomKey)) await (await openTalks())?.resume(call);
}

byID('enter').addEventListener('submit', (event) => {
  event.preventDefault();
  enter({ name: byID('name').value.trim() || undefined });
});

byID('log-in').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = new FormData(event.target, event.submitter);
  const isNew = form.has('isNew');
  const [userName, password] = [String(form.get('userName')), String(form.get('password'))];
  enter({ userName, password, isNew, ...(isNew && { name: byID('name').value.trim() || userName }) }, event.submitter);
});

function signOut() {
  for (const key of Object.keys(localStorage)) if (/^parley (draft|places|pinned) /.test(key)) localStorage.removeItem(key);
  const { isVouched } = parley;
  parley.signOut();
  byID('name').value = '';
  byID('log-in').reset();
  history.replaceState(null, '', location.pathname);
  leaveHome();
  if (isVouched) ways.leave();
}

byID('sign-out').addEventListener('click', signOut);

// A user who disconnects keeps their identity, and sees no other meanwhile.
byID('line').addEventListener('click', () => {
  if (parley.state === 'closed') return enter({ name: parley.knownName });
  parley.close();
  people.clear();
});

// MARK: Places

/** @type {import('./page-route.js').Route} */
let route = { place: 'chats' };

function go(next, options) {
  route = next;
  writeRoute(next, options);
  paintPlace();
}

function paintPlace() {
  document.body.dataset.place = route.place;
  for (const button of document.querySelectorAll('[data-place]')) {
    if (button instanceof HTMLButtonElement) button.setAttribute('aria-current', button.dataset.place === route.place ? 'page' : 'false');
  }
  if (route.place === 'me') openMe();
}

async function openMe() {
  const loaded = await later(() => import('./page-me.js'));
  if (!loaded) return;
  me ??= new loaded.MePlace({ parley, names, signedOut: signOut });
  await me.open();
}

// A user without conversations begins with the people.
function openFirst() {
  const first = readRoute() ?? { place: followed.conversations.length > 0 ? 'chats' : 'contacts' };
  openRoute(first, { replaces: true });
  (first.room ? byID('join').querySelector('button') : byID({ chats: 'chats-title', contacts: 'people-title', me: 'me-title' }[first.place])).focus();
}

function openRoute(next, options) {
  if (next.position) return showPosition(next.position);
  if (next.tree !== undefined) return showTree(next.tree);
  go(next, options);
  const { conversation, user, call, order } = next;
  if (call) return takeCall(call);
  if (order) return openOrder(order);
  if (conversation || user) chatView.open(conversation ? { conversation } : { user });
  else if (chatView.id !== undefined || !byID('conversation').hidden) chatView.close();
  if (next.room) byID('room').value = next.room;
}

// Over what one looks at: when it closes, the address is that of the view again.
async function showPosition(link) {
  paintPlace();
  const loaded = await later(() => Promise.all([import('./page-places.js'), import('./page-position.js')]));
  if (!loaded) return;
  const [{ openPosition }, { readPositionLink }] = loaded;
  const position = readPositionLink(link);
  if (position) await openPosition(parley.user, position);
  else notice(errorText('not_found'));
  writeRoute(route, { replaces: true });
}

/** @param {string} path */
async function showTree(path) {
  paintPlace();
  const loaded = await later(() => import('./page-tree.js'));
  if (!loaded) return;
  await loaded.openTree(parley, path);
  writeRoute(route, { replaces: true });
}

/** The conversation of an order, as soon as it is known here. @param {string} order */
function openOrder(order) {
  const chat = followed;
  const look = () => {
    const found = chat.conversations.find(({ kind, subject }) => kind === 'order' && subject === order);
    const isWanted = route.order === order && followed === chat;
    if (found || !isWanted) chat.removeEventListener('list', look);
    if (found && isWanted) openChat({ conversation: found.id });
  };
  chat.addEventListener('list', look);
  look();
}

/** @param {{conversation?: string, user?: string, number?: number}} target */
async function openChat({ conversation, user, number }) {
  await chatView.open(conversation !== undefined ? { conversation } : { user });
  if (number !== undefined) await chatView.jump(number);
  else if (!matchMedia('(pointer: coarse)').matches) byID('write').focus();
}

chatView.onOpened = (id) => {
  chatList.mark(id);
  document.body.classList.add('is-reading');
  if (id) go({ place: route.place === 'me' ? 'chats' : route.place, conversation: id });
};
chatView.onBegun = (id) => {
  chatList.mark(id);
  if (route.place !== 'me') go({ place: route.place, conversation: id });
};
chatView.onPinned = () => chatList.paint();
chatView.onClosed = () => {
  chatList.mark(undefined);
  document.body.classList.remove('is-reading');
  if (document.body.dataset.view === 'home') go({ place: route.place });
};

for (const button of document.querySelectorAll('button[data-place]')) {
  button.addEventListener('click', () => {
    const place = /** @type {any} */ (button).dataset.place;
    if (matchMedia('(max-width: 47.9rem)').matches && document.body.classList.contains('is-reading')) chatView.close();
    go({ ...route, place });
  });
}

addEventListener('popstate', () => {
  const next = readRoute();
  if (!next || document.body.dataset.view !== 'home') return;
  openRoute(next, { replaces: true });
  if (next.room) byID('join').querySelector('button').focus();
});

// MARK: Calls and rooms

async function ring(person, kind) { (await openTalks())?.ring(person, kind); }

/** @param {string} ticket */
async function takeCall(ticket) {
  go({ place: 'contacts' }, { replaces: true });
  if (parley.state !== 'connected') await new Promise((resolve) => parley.addEventListener('connected', resolve, { once: true }));
  const talks = await openTalks();
  // What a page shows on another device leads to its seat there; what a notification told of rings here by itself.
  if (ticket.includes('.')) await talks?.take(ticket);
  else if (!await parley.isRinging(ticket)) talks?.wasOver();
}

parley.addEventListener('call', async ({ detail: call }) => (await openTalks())?.rang(call));

byID('check-devices').addEventListener('click', async () => (await later(() => import('./page-devices.js')))?.openDevices());

byID('join').addEventListener('submit', async (event) => {
  event.preventDefault();
  const { value: kind = 'video' } = event.submitter ?? {};
  await (await openTalks())?.join(byID('room').value.trim(), { kind });
});

// MARK: The start

document.documentElement.lang = language === 'zh' ? 'zh-CN' : language;
applyTheme();
preferDevices({ microphone: settings.microphone, camera: settings.camera });
fillTexts();
paintState();
byID('insecure').hidden = isSecureContext;
if (ways.takeUp()) enter({ isVouched: true });
else if (parley.knownName) enter({ name: parley.knownName });
else {
  ways.show();
  byID('name').focus();
}
keepShell();
followNotifications(parley, ({ conversation, call }) => call ? takeCall(call) : openChat({ conversation }));
