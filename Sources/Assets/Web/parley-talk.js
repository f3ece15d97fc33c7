import { tell } from './parley-error.js';
import { openCamera, openMedia } from './parley-media.js';

/**
 * What a call and a room have in common: our own sound and picture, and others who get them.
 *
 * Events: `local` when what we send has changed.
 */
export class Talk extends EventTarget {
  /** What we send. @type {MediaStream|undefined} */
  localStream;
  /** @type {'audio'|'video'} */
  kind;
  microphone = true;
  camera = false;

  /** @param {'audio'|'video'} kind */
  constructor(kind) {
    super();
    this.kind = kind;
  }

  /**
   * A camera that is to stay off is not opened.
   * @param {MediaStream} [stream] instead of microphone and camera
   * @param {{microphone?: boolean, camera?: boolean}} [devices] what is on; without it, what the kind of talk needs
   */
  async openMedia(stream, { microphone = true, camera = stream !== undefined || this.kind === 'video' } = {}) {
    this.localStream ??= stream ?? (await openWhatIsThere(camera ? 'video' : 'audio'));
    this.microphone = microphone && this.hasMicrophone;
    this.camera = camera && this.localStream.getVideoTracks().length > 0;
    for (const track of this.localStream.getAudioTracks()) track.enabled = this.microphone;
    for (const track of this.localStream.getVideoTracks()) track.enabled = this.camera;
    tell(this, 'local');
  }

  /** Whoever has none listens. */
  get hasMicrophone() { return (this.localStream?.getAudioTracks().length ?? 0) > 0; }

  closeMedia() {
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
    const track = await openCamera();
    this.localStream.addTrack(track);
    for (const peer of this.peers) peer.add(track, this.localStream);
  }

  /** What the others should know of our devices. */
  get devices() { return { microphone: this.microphone, camera: this.camera }; }

  #changed() {
    this.say({ devices: this.devices });
    tell(this, 'local');
  }
}

async function openWhatIsThere(kind) {
  try {
    return await openMedia(kind);
  } catch (error) {
    if (error.code !== 'missing') throw error;
    return new MediaStream();
  }
}
