/** A screen that is shown to others, with its sound mixed to what the microphone hears: one track each, as calls have them. */
export class Screen {
  /** @type {MediaStreamTrack} */
  picture;
  /** The mix, when the screen has a sound. @type {MediaStreamTrack|undefined} */
  sound;
  /** What the user sees of it. @type {MediaStream} */
  stream;

  #context;
  #target;
  #microphone;

  /** @param {MediaStream} stream */
  constructor(stream) {
    this.stream = new MediaStream(stream.getVideoTracks());
    [this.picture] = stream.getVideoTracks();
    this.picture.contentHint = 'detail';
    if (stream.getAudioTracks().length === 0) return;
    this.#context = new AudioContext();
    this.#target = this.#context.createMediaStreamDestination();
    this.#context.createMediaStreamSource(new MediaStream(stream.getAudioTracks())).connect(this.#target);
    [this.sound] = this.#target.stream.getAudioTracks();
    this.#tracks = stream.getTracks();
  }

  #tracks = [];

  /** @param {MediaStreamTrack|undefined} microphone another one than before */
  mixWith(microphone) {
    if (!this.#context) return;
    this.#microphone?.disconnect();
    this.#microphone = microphone && this.#context.createMediaStreamSource(new MediaStream([microphone]));
    this.#microphone?.connect(this.#target);
  }

  close() {
    for (const track of [this.picture, ...this.#tracks]) track.stop();
    this.#context?.close();
  }
}
