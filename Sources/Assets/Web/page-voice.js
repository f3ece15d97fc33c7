import { byID, make, notice } from './page-elements.js';
import { later } from './page-later.js';
import { errorText, texts } from './page-texts.js';
import { duration } from './page-time.js';

const warnedFrom = 5;
const cancelAbove = 60;

/**
 * The button to speak into: hold it to record, let go to send, slide up to cancel. By keyboard, Enter begins and sends, Escape
 * cancels.
 */
export class VoiceButton {
  #button = byID('record');
  #panel = byID('recording');
  #recorder;
  /** Another one for each time the button is held. */
  #attempt;
  #longest = 0;
  #startY = 0;
  #isCancelling = false;
  #send;

  /** @param {(voice: {file: File, seconds: number, waveform: number[]}) => void} send */
  constructor(send) {
    this.#send = send;
    this.#button.onpointerdown = (event) => this.#pressed(event);
    this.#button.onpointermove = ({ clientY }) => this.#slid(this.#startY - clientY > cancelAbove);
    this.#button.onpointerup = () => this.#finish();
    this.#button.onpointercancel = () => this.#cancel();
    this.#button.onkeydown = (event) => this.#keyDown(event);
    this.#button.oncontextmenu = (event) => event.preventDefault();
  }

  #pressed(event) {
    if (event.button !== 0) return;
    this.#button.setPointerCapture(event.pointerId);
    this.#startY = event.clientY;
    this.#start();
  }

  #keyDown(event) {
    if (event.key === 'Escape' && this.#recorder) this.#cancel();
    else if (event.key !== 'Enter' || event.repeat) return;
    else if (this.#recorder) this.#finish();
    else this.#start();
    event.preventDefault();
  }

  async #start() {
    const attempt = this.#attempt = {};
    this.#slid(false);
    const loaded = await later(() => import('./page-recorder.js'));
    if (!loaded || this.#attempt !== attempt) return;
    const recorder = this.#recorder = new loaded.Recorder();
    this.#longest = loaded.longest;
    recorder.addEventListener('level', ({ detail }) => this.#paint(detail));
    recorder.addEventListener('full', () => this.#finish());
    try {
      await recorder.start();
      // Let go before the microphone was there.
      if (this.#recorder !== recorder) return recorder.cancel();
      this.#paint({ seconds: 0, level: 0 });
      this.#panel.hidden = false;
    } catch (error) {
      this.#recorder = undefined;
      notice(errorText(error));
    }
  }

  #paint({ seconds, level }) {
    const left = Math.ceil(this.#longest - seconds);
    const text = left <= warnedFrom ? texts.secondsLeft(left) : this.#isCancelling ? texts.letGoToCancel : texts.recording;
    this.#panel.replaceChildren(make('meter', { max: '1', value: level.toFixed(2) }), make('span', {}, duration(seconds)), make('span', {}, text));
    this.#panel.classList.toggle('ending', left <= warnedFrom);
  }

  #slid(isCancelling) {
    this.#isCancelling = isCancelling;
    this.#panel.classList.toggle('cancelling', isCancelling);
  }

  async #finish() {
    if (this.#isCancelling) return this.#cancel();
    const recorder = this.#take();
    if (!recorder || this.#panel.hidden) return;
    this.#panel.hidden = true;
    const voice = await recorder.stop();
    if (voice) this.#send(voice);
    else notice(texts.tooShort);
  }

  #cancel() {
    this.#take()?.cancel();
    this.#panel.hidden = true;
  }

  #take() {
    const recorder = this.#recorder;
    this.#recorder = this.#attempt = undefined;
    return recorder;
  }
}
