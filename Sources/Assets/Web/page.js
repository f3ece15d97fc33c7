import { ChatList } from './page-chats.js';
import { ChatView } from './page-chat.js';
import { byID, fillTexts, nameButton, notice, show } from './page-elements.js';
import { MePlace } from './page-me.js';
import { Names } from './page-names.js';
import { People } from './page-people.js';
import { RingDialog } from './page-ring.js';
import { roomName } from './page-room-name.js';
import { readRoute, writeRoute } from './page-route.js';
import { applyTheme, settings } from './page-settings.js';
import { keepShell } from './page-shell.js';
import { Stage } from './page-stage.js';
import { errorText, language, outcomeText, texts } from './page-texts.js';
import { titleState } from './page-title.js';
import { playNote } from './page-tone.js';
import { Parley } from './parley.js';

const roomKey = 'parley room';
const parley = new Parley();
const names = new Names(parley);
const people = new People(ring, (person) => openChat(person));
const stage = new Stage(() => ({ user: parley.user, name: parley.name }));
const dialog = new RingDialog();
const chatView = new ChatView({ parley, names, people, call: ring });
const chatList = new ChatList({ parley, names, people, open: openChat });
const me = new MePlace({ parley, names });

// MARK: The line to the server

function paintState() {
  byID('connection').dataset.state = parley.state;
  byID('connection').textContent = texts.state[parley.state];
  const isClosed = parley.state === 'closed';
  nameButton(byID('line'), isClosed ? texts.reconnect : texts.disconnect);
  byID('nobody').textContent = isClosed ? texts.unconnected : texts.nobody;
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
    const views = await parley.watch('everybody');
    for (const view of views) names.know(view);
    people.reset(views.filter(({ user }) => user !== parley.user));
    chatList.paint();
  } catch (error) {
    // When the line is lost again, another `connected` follows.
    if (error.code !== 'closed') notice(errorText(error));
  }
}

// MARK: In and out

async function enter(options, button = byID('enter').querySelector('button')) {
  button.disabled = true;
  // Whoever was here before sees at once what the browser kept.
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
  await chat.load();
  if (followed !== chat) return;
  if (document.body.dataset.view === 'welcome') show('home');
  openFirst();
}

function follow(chat) {
  followed = chat;
  chatList.follow(chat);
  chatView.follow(chat);
  chat.addEventListener('entry', ({ detail }) => sound(detail));
  chat.open().catch((error) => { if (error.code !== 'closed') notice(errorText(error)); });
  return chat;
}

function sound({ type, from, conversation }) {
  if (!settings.sounds || type !== 'message' || stage.isTaken || followed.conversation(conversation)?.isMuted) return;
  playNote(from === parley.user ? 'sent' : 'received');
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
  byID('name').focus();
}

async function resume() {
  const call = await parley.resumeCall();
  if (!call) return resumeRoom();
  call.peer.name ??= people.name(call.peer.user);
  showCall(call);
}

// A page that is loaded anew comes back into its room, with microphone and camera as they were.
async function resumeRoom() {
  const seat = JSON.parse(sessionStorage.getItem(roomKey) ?? 'null');
  if (seat) await joinRoom(seat.title, seat);
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
  for (const key of Object.keys(localStorage)) if (key.startsWith('parley draft ')) localStorage.removeItem(key);
  parley.signOut();
  byID('name').value = '';
  byID('log-in').reset();
  history.replaceState(null, '', location.pathname);
  leaveHome();
}

byID('sign-out').addEventListener('click', signOut);
me.onSignedOut = signOut;

// Who disconnects stays who they are, and sees nobody meanwhile.
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
  if (route.place === 'me') me.open();
}

// Whoever never wrote to anybody begins with the people.
function openFirst() {
  const first = readRoute() ?? { place: followed.conversations.length > 0 ? 'chats' : 'contacts' };
  openRoute(first, { replaces: true });
  if (first.room) byID('room').value = first.room;
  (first.room ? byID('join').querySelector('button') : byID({ chats: 'chats-title', contacts: 'people-title', me: 'me-title' }[first.place])).focus();
}

function openRoute(next, options) {
  go(next, options);
  const { conversation, user } = next;
  if (conversation || user) chatView.open(conversation ? { conversation } : { user });
  else if (chatView.id !== undefined || !byID('conversation').hidden) chatView.close();
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
  if (next && document.body.dataset.view === 'home') openRoute(next, { replaces: true });
});

// MARK: Calls

function ring(person, kind) {
  if (stage.isTaken) return;
  const call = parley.ring({ user: person.user, name: person.name }, { kind });
  call.ready.catch((error) => notice(errorText(error)));
  showCall(call);
}

function showCall(call) {
  call.addEventListener('ended', () => sayHowItEnded(call));
  stage.showCall(call);
}

function sayHowItEnded(call) {
  // What we did ourselves we know, and a device that refused has been told about.
  if (!call.endedByUs && call.outcome !== 'merged') notice(outcomeText(call));
}

parley.addEventListener('call', ({ detail: call }) => dialog.show(call));
dialog.onAccepted = showCall;
dialog.onEnded = sayHowItEnded;

let leftRoom;
stage.onLeft = (talk) => {
  leftRoom = talk.peer ? undefined : talk;
  sessionStorage.removeItem(roomKey);
};

stage.onClosed = (talk) => {
  if (!talk.peer) sessionStorage.removeItem(roomKey);
  show('home');
  if (leftRoom) offerReturn(leftRoom);
  else if (route.place === 'contacts') focusContact(talk);
  leftRoom = undefined;
};

function focusContact(talk) {
  if (talk.peer) people.focus(talk.peer.user);
  else byID('room').focus();
}

function offerReturn({ title, kind }) {
  go({ place: 'contacts', room: title });
  byID('room').value = title;
  notice(texts.leftRoom(title));
  byID('join').querySelector(`button[value="${kind}"]`).focus();
}

// MARK: Rooms

byID('join').addEventListener('submit', (event) => {
  event.preventDefault();
  joinRoom(byID('room').value.trim(), { kind: event.submitter?.value ?? 'video' });
});

/**
 * @param {string} title as a person typed it
 * @param {{kind: 'audio'|'video', devices?: {microphone: boolean, camera: boolean}}} options
 */
async function joinRoom(title, { kind, devices }) {
  const name = roomName(title);
  if (!name) return notice(texts.roomUnusable);
  const buttons = [...byID('join').querySelectorAll('button')];
  for (const button of buttons) button.disabled = true;
  try {
    const room = await parley.join(name, { kind, devices });
    room.title = title;
    const remember = () => { if (!room.isLeft) sessionStorage.setItem(roomKey, JSON.stringify({ title, kind, devices: room.devices })); };
    room.addEventListener('local', remember);
    remember();
    go({ place: 'contacts', room: title });
    stage.showRoom(room);
  } catch (error) {
    notice(errorText(error));
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

// MARK: The start

document.documentElement.lang = language === 'zh' ? 'zh-CN' : language;
applyTheme();
fillTexts();
paintState();
byID('insecure').hidden = isSecureContext;
if (parley.knownName) enter({ name: parley.knownName });
else byID('name').focus();
keepShell();
