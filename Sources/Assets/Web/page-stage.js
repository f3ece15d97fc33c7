import { byID, nameButton, notice, show } from './page-elements.js';
import { NetworkView } from './page-network.js';
import { openHostMenu } from './page-room-host.js';
import { SpeakerWatch } from './page-speaker.js';
import { StageTools } from './page-stage-tools.js';
import { errorText, texts } from './page-texts.js';
import { Tile } from './page-tile.js';
import { titleActivity } from './page-title.js';
import { startTone, stopTone } from './page-tone.js';

/** Where a call or a room is seen: tiles, and buttons below them. */
export class Stage {
  #me;
  #talk;
  #listeners;
  #mine;
  #tiles = new Map();
  #clock;
  #tone = false;
  #network = new NetworkView();
  #tools = new StageTools(this);
  #speakers = new SpeakerWatch(() => this.#levels(), () => this.#arrange());
  isSpeakerView = false;

  /** @param {() => {user: string, name: string}} me */
  constructor(me) {
    this.#me = me;
    byID('microphone').onclick = () => this.#talk.setMicrophone(!this.#talk.microphone);
    byID('camera').onclick = () => this.#talk.setCamera(!this.#talk.camera).catch((error) => notice(errorText(error)));
    byID('hang-up').onclick = () => this.#end();
    byID('copy-link').onclick = () => this.#copyLink();
    addEventListener('resize', () => this.#arrange());
    byID('stage').addEventListener('keydown', ({ key }) => {
      if (key === 'Escape' && this.#talk?.peer && !this.#talk.talkingSince) this.#end();
    });
  }

  get isTaken() { return this.#talk !== undefined; }
  get talk() { return this.#talk; }
  /** How many tiles of others there are. */
  get others() { return this.#tiles.size; }
  /** The picture of the one who matters most now. @returns {HTMLVideoElement|undefined} */
  get mainVideo() { return (this.#tiles.get(this.#mainKey) ?? [...this.#tiles.values()][0])?.video; }

  toggleView() {
    this.isSpeakerView = !this.isSpeakerView;
    this.#arrange();
  }

  /** @param {import('./parley.js').Call} call */
  showCall(call) {
    this.#open(call, ['state', 'stream', 'path', 'devices', 'away', 'recording', 'local'], () => this.#paintCall(call));
    call.addEventListener('ended', () => this.#close(call), { signal: this.#listeners.signal });
    if (call.isOver) this.#close(call);
  }

  /** @param {import('./parley.js').Room} room */
  showRoom(room) {
    this.#open(room, ['joined', 'left', 'changed', 'local', 'host'], () => this.#paintRoom(room));
    if (!room.hasMicrophone) notice(texts.listening);
    room.addEventListener('closed', ({ detail }) => {
      if (detail) notice(errorText(detail));
      this.#close(room);
    }, { signal: this.#listeners.signal });
  }

  onClosed = () => {};
  /** The user went from one talk into another, and left the first. */
  onLeft = () => {};
  /** More people are wanted. @type {((talk: any) => void)|undefined} */
  onAddPeople;
  /** The call is wanted on another device. @type {((talk: any) => void)|undefined} */
  onMoved;

  #open(talk, events, paint) {
    this.#leave(this.#talk);
    this.#talk = talk;
    this.#listeners = new AbortController();
    this.#mine = new Tile({ isMine: true });
    byID('tiles').replaceChildren(this.#mine.element);
    for (const event of events) talk.addEventListener(event, paint, { signal: this.#listeners.signal });
    byID('copy-link').hidden = talk.peer !== undefined;
    show('stage');
    this.#network.follow(talk);
    this.#tools.begin();
    this.#speakers.start();
    paint();
    byID('stage-title').focus();
  }

  // What is not on the stage must not go on sending.
  #leave(talk) {
    if (!talk) return;
    this.#clear();
    end(talk);
    this.onLeft(talk);
  }

  #close(talk) {
    if (this.#talk !== talk) return;
    this.#clear();
    this.onClosed(talk);
  }

  #clear() {
    this.#listeners.abort();
    this.#network.stop();
    this.#speakers.stop();
    if (document.pictureInPictureElement) document.exitPictureInPicture().catch(() => {});
    stopTone();
    clearInterval(this.#clock);
    this.#clock = undefined;
    byID('stage-clock').textContent = '';
    for (const tile of [...this.#tiles.values(), this.#mine]) tile.remove();
    this.#tiles.clear();
    this.#talk = undefined;
    titleActivity('');
  }

  #end() {
    const talk = this.#talk;
    end(talk);
    this.#close(talk);
  }

  async #copyLink() {
    try {
      await navigator.clipboard.writeText(location.href);
      notice(texts.linkCopied);
    } catch {
      // Without HTTPS, or without leave, a page may not write there.
      notice(location.href);
    }
  }

  // MARK: A call

  #paintCall(call) {
    const name = call.peer.name ?? texts.unnamed;
    const isWaiting = !call.stream;
    this.#head(name, call.isPeerAway ? texts.away : texts.call[call.isWaking && call.state === 'ringing' ? 'waking' : call.state] ?? '');
    this.#paintOthers([{
      key: 'peer', person: call.peer, stream: call.stream, devices: call.peerDevices, isAway: call.isPeerAway, isWaiting, recording: call.peerRecording,
    }]);
    this.#paintMine();
    this.#paintTools(isWaiting ? texts.cancel : texts.hangUp);
    this.#ringTone(call);
    if (call.talkingSince !== undefined) this.#startClock(call.talkingSince);
  }

  #ringTone(call) {
    const rings = call.state === 'ringing' && !call.isIncoming;
    if (rings && !this.#tone) startTone('outgoing');
    if (!rings && this.#tone) stopTone();
    this.#tone = rings;
  }

  #startClock(since) {
    if (this.#clock !== undefined) return;
    const tick = () => {
      const seconds = Math.floor((performance.now() - since) / 1000);
      byID('stage-clock').textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    };
    tick();
    this.#clock = setInterval(tick, 1000);
  }

  // MARK: A room

  #paintRoom(room) {
    const others = [...room.members.values()];
    this.#head(texts.inRoom(room.title ?? room.name, others.length + 1), others.length === 0 ? texts.aloneInRoom : '');
    const more = (person) => room.isHost && ((place) => openHostMenu(room, person, place));
    this.#paintOthers(others.map((other) => ({ key: other.member, person: other, onMore: more(other) || undefined, ...other })));
    this.#paintMine();
    this.#paintTools(texts.leave);
  }

  // MARK: Both

  #head(title, status) {
    if (byID('stage-title').textContent !== title) byID('stage-title').textContent = title;
    if (byID('stage-status').textContent !== status) byID('stage-status').textContent = status;
    titleActivity(title);
  }

  #paintMine() {
    const { localView, shown } = this.#talk;
    this.#mine.show({ person: this.#me(), label: texts.you, stream: localView, devices: shown });
  }

  #paintOthers(others) {
    const gone = new Set(this.#tiles.keys());
    for (const other of others) {
      gone.delete(other.key);
      this.#tile(other.key).show(other);
    }
    for (const key of gone) {
      this.#tiles.get(key).remove();
      this.#tiles.delete(key);
    }
    this.#arrange();
  }

  #tile(key) {
    if (!this.#tiles.has(key)) {
      const tile = new Tile();
      this.#tiles.set(key, tile);
      this.#mine.element.before(tile.element);
    }
    return this.#tiles.get(key);
  }

  // A screen is what all look at; else it is the one who speaks.
  get #mainKey() {
    const screen = [...this.#tiles].find(([, { isScreen }]) => isScreen)?.[0];
    return screen ?? (this.isSpeakerView ? this.#speakers.speaker ?? [...this.#tiles.keys()][0] : undefined);
  }

  #levels() {
    const { members, peers } = this.#talk;
    return members ? [...members.values()].map(({ member, peer }) => [member, peer.level]) : [...peers].map((peer) => ['peer', peer.level]);
  }

  #arrange() {
    const tiles = byID('tiles');
    const main = this.#tiles.size > 1 ? this.#mainKey : undefined;
    tiles.classList.toggle('has-main', main !== undefined);
    for (const [key, { element }] of this.#tiles) {
      element.classList.toggle('main', key === main);
      element.classList.toggle('speaks', this.#speakers.speaking.has(key));
    }
    const isPair = this.#tiles.size === 1;
    const count = isPair ? 1 : this.#tiles.size + 1;
    const isTall = tiles.clientHeight > tiles.clientWidth;
    const inARow = count <= 3 ? count : Math.ceil(Math.sqrt(count));
    tiles.classList.toggle('pair-of-two', isPair);
    tiles.style.setProperty('--columns', isTall ? Math.ceil(count / 3) : inARow);
  }

  #paintTools(endText) {
    const { microphone, camera } = this.#talk;
    this.#paintSwitch('microphone', microphone, microphone ? texts.mute : texts.unmute);
    this.#paintSwitch('camera', camera, camera ? texts.cameraOff : texts.cameraOn);
    nameButton(byID('hang-up'), endText);
    this.#tools.paint();
  }

  #paintSwitch(id, isOn, text) {
    const button = byID(id);
    button.disabled = this.#talk.localStream === undefined || (id === 'microphone' && !this.#talk.hasMicrophone);
    button.classList.toggle('off', !isOn);
    nameButton(button, text);
  }
}

/** @param {import('./parley.js').Call | import('./parley.js').Room} talk */
function end(talk) { return talk.leave ? talk.leave() : talk.hangup(); }
