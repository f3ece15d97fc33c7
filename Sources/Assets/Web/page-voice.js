import { byID, icon, make, nameButton, notice } from './page-elements.js';
import { later } from './page-later.js';
import { errorText, texts } from './page-texts.js';
import { duration } from './page-time.js';

const warnedFrom = 5;
const cancelAbove = 60;
const lockBeyond = 60;

/**
 * The button to speak into: hold it to record, let go to send, slide up to cancel, slide sideways to speak on with the hand free. By
 * keyboard, Enter begins and sends, Escape cancels.
 */
export class VoiceButton {
  #button = byID('record');
  #panel = byID('recording');
  #parts = { meter: make('meter', { max: '1' }), clock: make('span', {}), words: make('span', {}) };
  #recorder;
  /** Another one for each time the button is held. */
  #attempt;
  #longest = 0;
  /** Where the hand that holds the button began. @type {{x: number, y: number}|undefined} */
  #held;
  #isCancelling = false;
  /** It goes on although nobody holds the button. */
  #isLocked = false;
  #send;

  /** @param {(voice: {file: File, seconds: number, waveform: number[]}) => void} send */
  constructor(send) {
    this.#send = send;
    this.#button.onpointerdown = (event) => this.#pressed(event);
    this.#button.onpointermove = (event) => this.#moved(event);
    this.#button.onpointerup = () => this.#letGo();
    this.#button.onpointercancel = () => this.#cancel();
    this.#button.onkeydown = (event) => this.#keyDown(event);
    this.#button.oncontextmenu = (event) => event.preventDefault();
    const { meter, clock, words } = this.#parts;
    this.#panel.append(meter, clock, words, this.#locked('close', texts.cancel, () => this.#cancel()), this.#locked('send', texts.send, () => this.#finish()));
  }

  #locked(sign, text, action) {
    const button = make('button', { type: 'button', class: 'plain icon-only' }, icon(sign));
    nameButton(button, text);
    button.onclick = action;
    return button;
  }

  #pressed(event) {
    if (event.button !== 0) return;
    if (this.#isLocked) return this.#finish();
    this.#button.setPointerCapture(event.pointerId);
    this.#held = { x: event.clientX, y: event.clientY };
    this.#start();
  }

  #moved({ clientX, clientY }) {
    if (!this.#held || this.#isLocked) return;
    this.#slid(this.#held.y - clientY > cancelAbove);
    if (!this.#isCancelling && !this.#panel.hidden && Math.abs(clientX - this.#held.x) > lockBeyond) this.#lock(true);
  }

  #letGo() {
    const wasHeld = this.#held !== undefined;
    this.#held = undefined;
    if (wasHeld && !this.#isLocked) this.#finish();
  }

  #lock(isLocked) {
    this.#isLocked = isLocked;
    this.#panel.classList.toggle('locked', isLocked);
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
    this.#lock(false);
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
    const text = left <= warnedFrom ? texts.secondsLeft(left) : this.#isLocked ? texts.recordingLocked : this.#isCancelling ? texts.letGoToCancel : texts.recording;
    const { meter, clock, words } = this.#parts;
    meter.value = level;
    clock.textContent = duration(seconds);
    words.textContent = text;
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
    this.#held = undefined;
    this.#lock(false);
    this.#recorder = this.#attempt = undefined;
    return recorder;
  }
}
