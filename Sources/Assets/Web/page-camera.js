import { ask } from './page-dialogs.js';
import { act, make, nameButton } from './page-elements.js';
import { errorText, texts } from './page-texts.js';
import { duration } from './page-time.js';
import { listDevices, preferDevices } from './parley.js';
import { openMedia } from './parley-media.js';

const longest = 30;
const holdMilliseconds = 350;
const types = ['video/webm;codecs=vp8,opus', 'video/webm', 'video/mp4'];

/**
 * The camera: a tap takes a photo, holding takes a short video.
 * @param {(file: File, more: {duration?: number}) => void} send
 */
export async function openCameraDialog(send) {
  const camera = new CameraPanel();
  const closed = ask(texts.takePhoto, [camera.element]);
  camera.onDone = (file, more) => {
    send(file, more);
    camera.element.closest('dialog').close();
  };
  // A browser may name its devices only once its window has the focus: the camera ends with the dialog all the same.
  camera.start();
  await closed;
  camera.stop();
}

class CameraPanel {
  onDone = (file, more) => {};
  #stream;
  #cameras = [];
  #recorder;
  #began = 0;
  #hold;
  #timer;
  #isOver = false;
  #video = make('video', { playsinline: '', class: 'preview', 'aria-label': texts.yourCamera });
  #status = make('p', { class: 'hint', role: 'status' });
  #shutter = act(texts.photo, () => {});
  #film = act(texts.recordVideo, () => this.#toggleFilm());
  #flip = act(texts.flipCamera, () => this.#next());

  constructor() {
    this.#video.autoplay = this.#video.muted = true;
    this.#shutter.classList.add('primary');
    nameButton(this.#shutter, texts.photoHint);
    this.#shutter.onpointerdown = ({ pointerId }) => {
      this.#shutter.setPointerCapture(pointerId);
      this.#hold = setTimeout(() => this.#startFilm(), holdMilliseconds);
    };
    this.#shutter.onpointerup = () => this.#pressed();
    // By keyboard there is a click and no pointer.
    this.#shutter.onclick = ({ detail }) => { if (detail === 0) this.#pressed(); };
    this.#shutter.onpointercancel = () => clearTimeout(this.#hold);
    this.#flip.hidden = true;
    this.element = make('div', { class: 'devices' }, this.#video, this.#status, make('div', { class: 'pair' }, this.#shutter, this.#film, this.#flip));
  }

  async start() {
    try {
      const stream = await openMedia('video');
      if (this.#isOver) return stop(stream);
      stop(this.#stream);
      this.#stream = stream;
      this.#video.srcObject = stream;
      if (stream.getVideoTracks().length === 0) return this.#fail(texts.noCameraHere);
      this.#cameras = (await listDevices()).cameras;
      this.#flip.hidden = this.#cameras.length < 2;
    } catch (error) {
      this.#fail(errorText(error));
    }
  }

  stop() {
    this.#isOver = true;
    clearTimeout(this.#hold);
    clearInterval(this.#timer);
    if (this.#recorder?.state === 'recording') this.#recorder.stop();
    stop(this.#stream);
  }

  #fail(text) {
    this.#status.textContent = text;
    for (const button of [this.#shutter, this.#film]) button.disabled = true;
  }

  async #next() {
    const now = this.#stream?.getVideoTracks()[0]?.getSettings().deviceId;
    const index = this.#cameras.findIndex(({ deviceId }) => deviceId === now);
    preferDevices({ camera: this.#cameras[(index + 1) % this.#cameras.length].deviceId });
    stop(this.#stream);
    await this.start();
  }

  // Letting go of a video that was held ends it; anything shorter was a tap.
  #pressed() {
    clearTimeout(this.#hold);
    if (this.#recorder) this.#toggleFilm();
    else this.#takePhoto();
  }

  async #takePhoto() {
    const { videoWidth: width, videoHeight: height } = this.#video;
    if (!width) return;
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext('2d').drawImage(this.#video, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
    this.onDone(new File([blob], `photo-${stamp()}.jpg`, { type: 'image/jpeg' }), {});
  }

  #toggleFilm() {
    if (this.#recorder?.state === 'recording') this.#recorder.stop();
    else this.#startFilm();
  }

  #startFilm() {
    if (!this.#stream || this.#recorder || typeof MediaRecorder === 'undefined') return;
    const parts = [];
    const recorder = new MediaRecorder(this.#stream, { mimeType: types.find((type) => MediaRecorder.isTypeSupported(type)), videoBitsPerSecond: 1_200_000 });
    this.#recorder = recorder;
    this.#began = performance.now();
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => this.#filmed(recorder, parts);
    recorder.start();
    this.#film.textContent = texts.stopVideo;
    this.#timer = setInterval(() => this.#tick(), 250);
  }

  #tick() {
    const seconds = (performance.now() - this.#began) / 1000;
    this.#status.textContent = `● ${duration(seconds)} / ${duration(longest)}`;
    if (seconds >= longest) this.#recorder.stop();
  }

  #filmed(recorder, parts) {
    clearInterval(this.#timer);
    if (this.#isOver) return;
    const type = recorder.mimeType.split(';')[0];
    const file = new File(parts, `video-${stamp()}.${type.split('/')[1]}`, { type });
    this.onDone(file, { duration: Math.round((performance.now() - this.#began) / 100) / 10 });
  }
}

function stop(stream) { for (const track of stream?.getTracks() ?? []) track.stop(); }

function stamp() { return new Date().toISOString().slice(0, 19).replaceAll(/[-:T]/g, ''); }
