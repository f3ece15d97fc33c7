import { tell } from './parley-error.js';

// A path that is silent for so long is looked for anew; shorter silences mend themselves.
const timeout = 3_000;

/**
 * The media between us and one other: an `RTCPeerConnection` with perfect negotiation, so either side may change what
 * it sends at any time.
 *
 * Events: `stream` when something of the other side can be seen or heard; `state` when `state` changes; `data` with what
 * the other side says about itself.
 */
export class Peer extends EventTarget {
  /** What comes from the other side. */
  stream = new MediaStream();

  #configuration;
  #local;
  /** What carries our sound, and our picture. @type {Map<string, RTCRtpSender>} */
  #senders = new Map();
  #connection;
  #send;
  #isPolite;
  #waitsForOffer;
  #isOffering = false;
  #ignoresOffer = false;
  #isTakingAnswer = false;
  #timer;

  /**
   * @param {object} options
   * @param {RTCConfiguration} options.configuration
   * @param {MediaStream} options.local
   * @param {boolean} options.isPolite gives way when both offer at once
   * @param {boolean} options.offers begins; the other one waits for that
   * @param {(signal: object) => Promise<any>} options.send
   */
  constructor({ configuration, local, isPolite, offers, send }) {
    super();
    this.#send = send;
    this.#isPolite = isPolite;
    this.#waitsForOffer = !offers;
    this.#configuration = configuration;
    this.#local = local;
    this.#begin();
  }

  // What was under way on the connection before, if there was one, never ends.
  #begin() {
    this.#connection?.close();
    for (const track of this.stream.getTracks()) this.stream.removeTrack(track);
    this.#isOffering = this.#isTakingAnswer = this.#ignoresOffer = false;
    if (this.#isPolite && this.#connection) this.#waitsForOffer = true;
    this.#connection = new RTCPeerConnection(this.#configuration);
    this.#senders.clear();
    this.#watch();
    for (const track of this.#local.getTracks()) this.add(track, this.#local);
    // Without a microphone there would be nothing to offer, and nothing to hear.
    if (this.#local.getAudioTracks().length === 0) this.#connection.addTransceiver('audio', { direction: 'recvonly' });
  }

  /** @type {RTCPeerConnectionState} */
  get state() { return this.#connection.connectionState; }

  // There is a path, and no secret on it: two who looked for a path anew at the same time may end so. Nothing mends
  // that, so the impolite one begins anew, and the other follows its offer.
  get #isBroken() {
    return this.state === 'failed' && ['connected', 'completed'].includes(this.#connection.iceConnectionState);
  }

  add(track, stream) { this.#senders.set(track.kind, this.#connection.addTrack(track, stream)); }

  /** Another track in place of the one of its kind; where there was none, it is negotiated. */
  exchange(kind, track) {
    const sender = this.#senders.get(kind);
    if (sender) sender.replaceTrack(track ?? null).catch((error) => this.#complain(error));
    else if (track) this.add(track, this.#local);
  }

  /** How loud the other side is, from 0 to 1. */
  get level() {
    const sounds = this.#connection.getReceivers().filter(({ track }) => track.kind === 'audio');
    return Math.max(0, ...sounds.map((sound) => sound.getSynchronizationSources()[0]?.audioLevel ?? 0));
  }

  stats() { return this.#connection.getStats(); }

  configure(configuration) {
    this.#configuration = configuration;
    this.#connection.setConfiguration(configuration);
  }

  /** Looks for a new path through the network. */
  restart() { if (this.state !== 'closed') this.#connection.restartIce(); }

  /** After a broken line: whatever was agreed on the way may be lost. */
  mend() { if (this.state !== 'connected') this.restart(); }

  close() {
    clearTimeout(this.#timer);
    this.#connection.close();
    for (const track of this.stream.getTracks()) this.stream.removeTrack(track);
  }

  #watch() {
    const connection = this.#connection;
    connection.onnegotiationneeded = () => this.#offer();
    connection.onicecandidate = ({ candidate }) => { if (candidate) this.#say({ candidate: candidate.toJSON() }); };
    connection.onconnectionstatechange = () => this.#stateChanged();
    connection.ontrack = ({ track }) => this.#gained(track);
  }

  #gained(track) {
    this.stream.addTrack(track);
    track.onmute = track.onunmute = () => tell(this, 'stream', this.stream);
    tell(this, 'stream', this.stream);
  }

  #stateChanged() {
    clearTimeout(this.#timer);
    // One after the other, so that both do not offer at once.
    const pause = this.#isPolite ? timeout * 2 : timeout;
    if (this.state === 'connecting') this.#expectPath(pause * 2);
    if (this.state === 'disconnected') this.#timer = setTimeout(() => this.mend(), pause);
    if (this.state === 'failed') this.#failed();
    tell(this, 'state', this.state);
  }

  #failed() {
    if (!this.#isBroken) this.#timer = setTimeout(() => this.mend(), this.#isPolite ? timeout : 0);
    else if (!this.#isPolite) this.#begin();
  }

  // A signal may have been lost with a line that broke: a peer without a path by now looks for one anew.
  #expectPath(pause) {
    this.#timer = setTimeout(() => {
      this.mend();
      this.#expectPath(pause);
    }, pause);
  }

  // A signal that does not arrive belongs to a call that is over, or to a session that is; both are noticed elsewhere.
  #say(signal) {
    this.#send(signal).catch((error) => tell(this, 'undelivered', error));
  }

  // MARK: Perfect negotiation (WebRTC §10.7)

  async #offer() {
    if (this.#waitsForOffer) return;
    try {
      this.#isOffering = true;
      await this.#connection.setLocalDescription();
      this.#say({ description: this.#connection.localDescription });
    } catch (error) {
      this.#complain(error);
    } finally {
      this.#isOffering = false;
    }
  }

  /** Takes what the other side signalled. */
  async take({ description, candidate, data }) {
    try {
      if (description) await this.#takeDescription(description);
      else if (candidate) await this.#takeCandidate(candidate);
      else if (data) tell(this, 'data', data);
    } catch (error) {
      this.#complain(error);
    }
  }

  async #takeDescription(description) {
    const isOffer = description.type === 'offer';
    if (isOffer && this.#isBroken) this.#begin();
    const connection = this.#connection;
    const isReady = !this.#isOffering && (connection.signalingState === 'stable' || this.#isTakingAnswer);
    this.#ignoresOffer = isOffer && !isReady && !this.#isPolite;
    if (this.#ignoresOffer) return;
    // After a broken line something may come twice.
    if (!isOffer && connection.signalingState !== 'have-local-offer') return;
    this.#isTakingAnswer = !isOffer;
    try {
      await connection.setRemoteDescription(description);
    } finally {
      this.#isTakingAnswer = false;
    }
    this.#waitsForOffer = false;
    if (!isOffer) return;
    await connection.setLocalDescription();
    this.#say({ description: connection.localDescription });
  }

  async #takeCandidate(candidate) {
    try {
      await this.#connection.addIceCandidate(candidate);
    } catch (error) {
      if (!this.#ignoresOffer) throw error;
    }
  }

  #complain(error) {
    if (this.state === 'closed') return;
    console.warn('parley: negotiation', error);
    tell(this, 'trouble', error);
  }
}
