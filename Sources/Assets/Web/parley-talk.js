import { tell } from './parley-error.js';
import { listDevices, openCamera, openMedia, openMicrophone, openScreen, preferDevices } from './parley-media.js';

/**
 * What a call and a room have in common: our own sound and picture, and others who get them.
 *
 * Events: `local` when what we send has changed.
 */
export class Talk extends EventTarget {
  /** Our microphone and camera. @type {MediaStream|undefined} */
  localStream;
  /** What the others get: the same, or a screen in place of the camera. */
  sent = new MediaStream();
  /** @type {'audio'|'video'} */
  kind;
  microphone = true;
  camera = false;
  /** @type {import('./parley-screen.js').Screen|undefined} */
  #screen;
  #isClosed = false;

  /** @param {'audio'|'video'} kind */
  constructor(kind) {
    super();
    this.kind = kind;
  }

  /**
   * A camera that is to stay off is not opened.
   * @param {MediaStream} [stream] instead of microphone and camera
   * @param {{microphone?: boolean, camera?: boolean}} devices what is on; without it, what the kind of talk needs
   */
  async openMedia(stream, { microphone = true, camera = stream !== undefined || this.kind === 'video' } = {}) {
    this.localStream ??= stream ?? (await openWhatIsThere(camera ? 'video' : 'audio'));
    this.microphone = microphone && this.hasMicrophone;
    this.camera = camera && this.localStream.getVideoTracks().length > 0;
    for (const track of this.localStream.getAudioTracks()) track.enabled = this.microphone;
    for (const track of this.localStream.getVideoTracks()) track.enabled = this.camera;
    for (const track of this.localStream.getTracks()) this.sent.addTrack(track);
    tell(this, 'local');
  }

  /** A member without one listens. */
  get hasMicrophone() { return (this.localStream?.getAudioTracks().length ?? 0) > 0; }

  closeMedia() {
    this.#isClosed = true;
    this.#screen?.close();
    this.#screen = undefined;
    for (const track of this.localStream?.getTracks() ?? []) track.stop();
  }

  /** Everybody we are connected to. @returns {Iterable<import('./parley-peer.js').Peer>} */
  get peers() { return []; }

  /** Tells the others something about us. @param {object} data */
  say(data) {}

  setMicrophone(isOn) {
    this.microphone = isOn && this.hasMicrophone;
    for (const track of this.localStream?.getAudioTracks() ?? []) track.enabled = isOn;
    this.#changed();
  }

  /** Opens a camera when there was none so far; the others see it as soon as that is negotiated. */
  async setCamera(isOn) {
    const tracks = this.localStream?.getVideoTracks() ?? [];
    if (isOn && tracks.length === 0) await this.#addCamera();
    for (const track of tracks) track.enabled = isOn;
    this.camera = isOn;
    this.#changed();
  }

  async #addCamera() {
    this.localStream.addTrack(await openCamera());
    this.#resend();
  }

  // MARK: Other devices

  /** @param {string} id of a device of `listDevices` */
  async switchMicrophone(id) {
    preferDevices({ microphone: id });
    if (!this.localStream) return;
    const track = await openMicrophone();
    if (!this.hasMicrophone) this.microphone = true;
    track.enabled = this.microphone;
    this.#putInPlace(track);
    this.#changed();
  }

  /** @param {string} id of a device of `listDevices` */
  async switchCamera(id) {
    preferDevices({ camera: id });
    if (!this.localStream?.getVideoTracks().length) return;
    // Many phones open one camera at a time.
    for (const track of this.localStream.getVideoTracks()) track.stop();
    const track = await openCamera();
    track.enabled = this.camera;
    this.#putInPlace(track);
    this.#changed();
  }

  /** The camera on the other side, or the next one. @returns {Promise<string|undefined>} its id */
  async flipCamera() {
    const { cameras } = await listDevices();
    const now = this.localStream?.getVideoTracks()[0]?.getSettings().deviceId;
    const next = cameras[(cameras.findIndex(({ deviceId }) => deviceId === now) + 1) % cameras.length];
    if (next) await this.switchCamera(next.deviceId);
    return next?.deviceId;
  }

  #putInPlace(track) {
    if (this.#isClosed) return track.stop();
    const old = this.localStream.getTracks().filter(({ kind }) => kind === track.kind);
    for (const other of old) {
      other.stop();
      this.localStream.removeTrack(other);
    }
    this.localStream.addTrack(track);
    this.#resend();
  }

  // MARK: Sharing a screen

  get isSharing() { return this.#screen !== undefined; }

  /** What the user sees of what the others get. @returns {MediaStream|undefined} */
  get localView() { return this.#screen?.stream ?? this.localStream; }

  /**
   * Shows a screen in place of the camera, and lets its sound be heard beside the microphone.
   * @param {MediaStream} [stream] in place of one that the browser asks for
   */
  async share(stream) {
    if (this.isSharing || !this.localStream) return;
    const shown = stream ?? await openScreen();
    const { Screen } = await import('./parley-screen.js');
    const screen = new Screen(shown);
    if (this.#isClosed || this.isSharing) return screen.close();
    this.#screen = screen;
    screen.picture.addEventListener('ended', () => { if (this.#screen === screen) this.stopSharing(); });
    this.#resend();
    this.#changed();
  }

  stopSharing() {
    const screen = this.#screen;
    if (!screen) return;
    this.#screen = undefined;
    this.#resend();
    screen.close();
    this.#changed();
  }

  #resend() {
    const [microphone] = this.localStream.getAudioTracks();
    this.#screen?.mixWith(microphone);
    this.#exchange('audio', this.#screen?.sound ?? microphone);
    this.#exchange('video', this.#screen?.picture ?? this.localStream.getVideoTracks()[0]);
  }

  #exchange(kind, track) {
    const old = this.sent.getTracks().find((sent) => sent.kind === kind);
    if (old === track) return;
    if (old) this.sent.removeTrack(old);
    if (track) this.sent.addTrack(track);
    for (const peer of this.peers) peer.exchange(kind, track);
  }

  // MARK: The network

  /** Looks for a better path through the network, to everybody. */
  repair() { for (const peer of this.peers) peer.restart(); }

  /** What is on. */
  get devices() { return { microphone: this.microphone, camera: this.camera }; }

  /** What the others should know of our devices. */
  get shown() { return this.isSharing ? { microphone: this.microphone, camera: true, screen: true } : this.devices; }

  #changed() {
    this.say({ devices: this.shown });
    tell(this, 'local');
  }
}

/** What another said of its devices. @returns {{microphone: boolean, camera: boolean, screen: boolean}} */
export function devicesOf({ microphone, camera, screen }) {
  return { microphone: microphone !== false, camera: camera !== false, screen: screen === true };
}

async function openWhatIsThere(kind) {
  try {
    return await openMedia(kind);
  } catch (error) {
    if (error.code !== 'missing') throw error;
    return new MediaStream();
  }
}
