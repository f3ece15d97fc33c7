import { byID, notice, show } from './page-elements.js';
import { Invitation } from './page-invite.js';
import { RingDialog } from './page-ring.js';
import { RoomAccess } from './page-room-access.js';
import { roomKey, roomName } from './page-room-name.js';
import { Stage } from './page-stage.js';
import { errorText, outcomeText, texts } from './page-texts.js';

/** Calls and rooms: who rings, who is rung, and where both lead. Loaded when the user is in, not with the first view. */
export class Talks {
  #parley;
  #people;
  #names;
  #go;
  #place;
  #stage;
  #dialog = new RingDialog();
  #invitation;
  #access;
  #leftRoom;
  #isDialling = false;

  /**
   * @param {object} parts
   * @param {import('./parley.js').Parley} parts.parley
   * @param {any} parts.people
   * @param {any} parts.names
   * @param {(route: import('./page-route.js').Route, options?: {replaces?: boolean}) => void} parts.go
   * @param {() => string} parts.place where the user is
   */
  constructor({ parley, people, names, go, place }) {
    this.#parley = parley;
    this.#people = people;
    this.#names = names;
    this.#go = go;
    this.#place = place;
    this.#stage = new Stage(() => ({ user: parley.user, name: parley.name }));
    this.#invitation = new Invitation({ parley, people, join: (title, options) => this.join(title, options) });
    this.#access = new RoomAccess(parley, byID('join'));
    this.#dialog.onAccepted = (call) => this.#show(call);
    this.#dialog.onEnded = sayHowItEnded;
    this.#stage.onAddPeople = (talk) => this.#invitation.open(talk);
    this.#stage.onMoved = (call) => this.#invitation.moveToDevice(call);
    this.#stage.onLeft = (talk) => this.#left(talk);
    this.#stage.onClosed = (talk) => this.#closed(talk);
    // A call that comes in then rings at once.
    parley.loadTalks().catch(() => {});
  }

  get isTaken() { return this.#stage.isTaken; }

  // MARK: Calls

  async ring(person, kind) {
    if (this.isTaken || this.#isDialling) return;
    this.#isDialling = true;
    try {
      const call = await this.#parley.ring({ user: person.user, name: person.name }, { kind });
      call.ready.catch((error) => notice(errorText(error)));
      this.#show(call);
    } catch (error) {
      notice(errorText(error));
    } finally {
      this.#isDialling = false;
    }
  }

  /** Somebody rings. @param {import('./parley.js').Call} call */
  rang(call) {
    if (call.isOver) sayHowItEnded(call);
    else this.#dialog.show(call);
  }

  /** A call that goes on on another device of the user. @param {string} ticket */
  async take(ticket) {
    const call = await this.#parley.takeCall(ticket);
    if (call) this.#goOn(call);
    else notice(texts.callOver);
  }

  /** A call that was chosen is not there any more. */
  wasOver() { notice(texts.callOver); }

  /** A page that is loaded anew comes back into its call, or into its room, with microphone and camera as they were. */
  async resume(call) {
    if (call) return this.#goOn(call);
    const seat = JSON.parse(sessionStorage.getItem(roomKey) ?? 'null');
    if (seat) await this.join(seat.title, seat);
  }

  #goOn(call) {
    call.peer.name ??= this.#people.name(call.peer.user) ?? this.#names.name(call.peer.user);
    this.#show(call);
  }

  #show(call) {
    call.addEventListener('moved', ({ detail }) => this.#invitation.follow(call, detail));
    call.addEventListener('ended', () => sayHowItEnded(call));
    this.#stage.showCall(call);
  }

  #left(talk) {
    this.#leftRoom = talk.peer ? undefined : talk;
    sessionStorage.removeItem(roomKey);
  }

  #closed(talk) {
    if (!talk.peer) sessionStorage.removeItem(roomKey);
    show('home');
    if (this.#leftRoom) this.#offerReturn(this.#leftRoom);
    else if (this.#place() === 'contacts') this.#focusContact(talk);
    this.#leftRoom = undefined;
  }

  #focusContact(talk) {
    if (talk.peer) this.#people.focus(talk.peer.user);
    else byID('room').focus();
  }

  #offerReturn({ title, kind }) {
    this.#go({ place: 'contacts', room: title });
    byID('room').value = title;
    notice(texts.leftRoom(title));
    byID('join').querySelector(`button[value="${kind}"]`).focus();
  }

  // MARK: Rooms

  /**
   * @param {string} title as a person typed it
   * @param {{kind: 'audio'|'video', devices?: {microphone: boolean, camera: boolean}}} options
   */
  async join(title, { kind, devices }) {
    const name = roomName(title);
    if (!name) return notice(texts.roomUnusable);
    const buttons = [...byID('join').querySelectorAll('button')];
    for (const button of buttons) button.disabled = true;
    try {
      const room = await this.#access.join(name, { kind, devices });
      if (room) this.#enter(room, title, kind);
    } catch (error) {
      notice(errorText(error));
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  }

  #enter(room, title, kind) {
    room.title = title;
    const remember = () => { if (!room.isLeft) sessionStorage.setItem(roomKey, JSON.stringify({ title, kind, devices: room.devices })); };
    room.addEventListener('local', remember);
    remember();
    this.#go({ place: 'contacts', room: title });
    this.#stage.showRoom(room);
  }
}

function sayHowItEnded(call) {
  // What we did ourselves we know, and a device that refused has been told about.
  if (!call.endedByUs && call.outcome !== 'merged') notice(outcomeText(call));
}
