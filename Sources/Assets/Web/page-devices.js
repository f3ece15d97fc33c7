import { ask } from './page-dialogs.js';
import { make, notice } from './page-elements.js';
import { changeSettings, settings } from './page-settings.js';
import { errorText, texts } from './page-texts.js';
import { playNote } from './page-tone.js';
import { listDevices, preferDevices } from './parley.js';
import { openCamera, openMicrophone } from './parley-media.js';

const everyMilliseconds = 100;

/** Lets an element be heard where the user wants to hear. @param {HTMLMediaElement} element */
export function hearThere(element) { element.setSinkId?.(settings.loudspeaker).catch(() => {}); }

/**
 * Lets the user choose microphone, camera and loudspeaker, and see and hear that they work; in a call they change at once.
 * @param {import('./parley-talk.js').Talk} [talk] the one that goes on
 */
export async function openDevices(talk) {
  const panel = new DevicesPanel(talk);
  const closed = ask(texts.devicesTitle, [panel.element]);
  await panel.start();
  await closed;
  panel.stop();
}

class DevicesPanel {
  #talk;
  #picture = make('video', { playsinline: '', muted: '', class: 'preview', 'aria-label': texts.yourCamera });
  #meter = make('meter', { max: '1', value: '0', 'aria-label': texts.level });
  #hint = make('p', { class: 'hint small', role: 'status' });
  #choices = make('div', { class: 'choices' });
  /** What was opened here, and has to be closed here. @type {MediaStreamTrack[]} */
  #opened = [];
  #context;
  #timer;
  #isOver = false;

  constructor(talk) {
    this.#talk = talk;
    this.#picture.autoplay = this.#picture.muted = true;
    this.element = make('div', { class: 'devices' }, this.#picture, this.#choices, this.#meter, this.#hint);
  }

  async start() {
    await this.#open();
    if (!this.#isOver) await this.#paint();
  }

  stop() {
    this.#isOver = true;
    this.#release();
  }

  #release() {
    clearInterval(this.#timer);
    this.#context?.close();
    this.#context = undefined;
    for (const track of this.#opened.splice(0)) track.stop();
  }

  async #open() {
    this.#release();
    const [sound, picture] = this.#talk ? this.#ofTalk() : [await this.#try(openMicrophone), await this.#try(openCamera, texts.noCamera)];
    if (this.#isOver) return this.#release();
    this.#picture.hidden = !picture;
    this.#picture.srcObject = picture ? new MediaStream([picture]) : null;
    if (sound) this.#measure(sound);
  }

  #ofTalk() { return [this.#talk.localStream?.getAudioTracks()[0], this.#talk.localStream?.getVideoTracks()[0]]; }

  async #try(open, otherwise) {
    try {
      const track = await open();
      this.#opened.push(track);
      return track;
    } catch (error) {
      this.#hint.textContent = otherwise ?? errorText(error);
      return undefined;
    }
  }

  #measure(track) {
    this.#context = new AudioContext();
    const analyser = new AnalyserNode(this.#context, { fftSize: 1024 });
    this.#context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    this.#timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      this.#meter.value = Math.min(1, Math.max(...samples.map(Math.abs)) * 1.5);
    }, everyMilliseconds);
  }

  async #paint() {
    const { microphones, cameras, loudspeakers } = await listDevices();
    const canChoose = 'setSinkId' in HTMLMediaElement.prototype;
    this.#choices.replaceChildren(
      this.#choice(texts.microphone, 'microphone', microphones, (id) => this.#talk?.switchMicrophone(id)),
      this.#choice(texts.camera, 'camera', cameras, (id) => this.#talk?.switchCamera(id)),
      ...(canChoose && loudspeakers.length > 0 ? [this.#choice(texts.loudspeaker, 'loudspeaker', loudspeakers, applyLoudspeaker)] : []),
      this.#test());
  }

  #choice(label, key, devices, apply) {
    const options = [['', texts.deviceDefault], ...devices.map(({ deviceId, label: name }, index) => [deviceId, name || `${label} ${index + 1}`])];
    const select = make('select', {}, ...options.map(([value, text]) => make('option', { value, ...(value === settings[key] && { selected: '' }) }, text)));
    select.onchange = async () => {
      changeSettings({ [key]: select.value });
      preferDevices({ microphone: settings.microphone, camera: settings.camera });
      try {
        await apply(select.value);
      } catch (error) {
        notice(errorText(error));
      }
      await this.#open();
    };
    return make('label', { class: 'field' }, label, select);
  }

  #test() {
    const button = make('button', { type: 'button' }, texts.testSound);
    button.onclick = () => playNote('received', settings.loudspeaker);
    return button;
  }
}

function applyLoudspeaker() { for (const element of document.querySelectorAll('video, audio')) hearThere(/** @type {HTMLMediaElement} */ (element)); }
