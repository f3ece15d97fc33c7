import { Parley } from './parley.js';
import { byID, fillTexts, nameButton, notice, show } from './page-elements.js';
import { People } from './page-people.js';
import { RingDialog } from './page-ring.js';
import { Stage } from './page-stage.js';
import { errorText, outcomeText, texts } from './page-texts.js';
import { titleState } from './page-title.js';

const parley = new Parley();
const people = new People(ring);
const stage = new Stage(() => ({ user: parley.user, name: parley.name }));
const dialog = new RingDialog();

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
  if (detail.user !== parley.user) people.update(detail);
});
parley.addEventListener('profile', ({ detail }) => people.know(detail));
parley.addEventListener('connected', lookAround);
parley.addEventListener('signedOut', ({ detail }) => {
  leaveLobby();
  notice(errorText(detail));
});

async function lookAround() {
  try {
    const views = await parley.watch('everybody');
    people.reset(views.filter(({ user }) => user !== parley.user));
  } catch (error) {
    // When the line is lost again, another `connected` follows.
    if (error.code !== 'closed') notice(errorText(error));
  }
}

// MARK: In and out

async function enter(name) {
  const button = byID('enter').querySelector('button');
  button.disabled = true;
  try {
    await parley.signIn({ name });
    enterLobby();
    await resume();
  } catch (error) {
    // Who left in the meantime knows.
    if (error.code === 'closed') return;
    notice(errorText(error));
    if (parley.state === 'closed') leaveLobby();
  } finally {
    button.disabled = false;
  }
}

function enterLobby() {
  byID('my-name').textContent = parley.name;
  showMe(true);
  show('lobby');
  const room = new URLSearchParams(location.hash.slice(1)).get('room');
  if (room) byID('room').value = room;
  (room ? byID('join').querySelector('button') : byID('people-title')).focus();
}

function showMe(isIn) {
  for (const id of ['me', 'line', 'sign-out']) byID(id).hidden = !isIn;
}

function leaveLobby() {
  people.clear();
  showMe(false);
  show('welcome');
  byID('name').focus();
}

async function resume() {
  const call = await parley.resumeCall();
  if (!call) return;
  call.peer.name ??= people.name(call.peer.user);
  showCall(call);
}

byID('enter').addEventListener('submit', (event) => {
  event.preventDefault();
  enter(byID('name').value.trim() || undefined);
});

byID('sign-out').addEventListener('click', () => {
  parley.signOut();
  byID('name').value = '';
  leaveLobby();
});

// Who disconnects stays who they are, and sees nobody meanwhile.
byID('line').addEventListener('click', () => {
  if (parley.state === 'closed') return enter(parley.knownName);
  parley.close();
  people.clear();
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
stage.onLeft = (talk) => { leftRoom = talk.peer ? undefined : talk; };

stage.onClosed = (talk) => {
  show('lobby');
  if (leftRoom) offerReturn(leftRoom);
  else if (talk.peer) people.focus(talk.peer.user);
  else byID('room').focus();
  leftRoom = undefined;
};

function offerReturn({ name, kind }) {
  byID('room').value = name;
  notice(texts.leftRoom(name));
  byID('join').querySelector(`button[value="${kind}"]`).focus();
}

// MARK: Rooms

byID('join').addEventListener('submit', async (event) => {
  event.preventDefault();
  const name = byID('room').value;
  const buttons = [...byID('join').querySelectorAll('button')];
  for (const button of buttons) button.disabled = true;
  try {
    const room = await parley.join(name, { kind: event.submitter?.value ?? 'video' });
    history.replaceState(null, '', `#${new URLSearchParams({ room: name })}`);
    stage.showRoom(room);
  } catch (error) {
    notice(errorText(error));
  } finally {
    for (const button of buttons) button.disabled = false;
  }
});

// MARK: The start

fillTexts();
paintState();
if (parley.knownName) enter(parley.knownName);
else byID('name').focus();
