import { byID, paintFace } from './page-elements.js';
import { errorText, texts } from './page-texts.js';
import { titleActivity } from './page-title.js';
import { startTone, stopTone } from './page-tone.js';

/** The dialog for a call that comes in. Enter answers, Escape declines. */
export class RingDialog {
  #dialog = byID('ring');
  #call;

  onAccepted = () => {};
  onEnded = () => {};

  constructor() {
    byID('accept').onclick = () => this.#accept();
    byID('decline').onclick = () => this.#decline();
    this.#dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      this.#decline();
    });
  }

  /** @param {import('./parley.js').Call} call */
  show(call) {
    this.#call = call;
    const name = call.peer.name ?? texts.unnamed;
    paintFace(byID('ring-face'), call.peer);
    byID('ring-name').textContent = name;
    byID('ring-kind').textContent = call.kind === 'video' ? texts.incomingVideo : texts.incomingAudio;
    byID('ring-wrong').textContent = '';
    byID('accept').disabled = false;
    call.addEventListener('ended', () => this.#ended(call));
    this.#dialog.showModal();
    titleActivity(texts.call.incoming(name));
    startTone('incoming');
  }

  async #accept() {
    const call = this.#call;
    byID('accept').disabled = true;
    stopTone();
    try {
      await call.accept();
      this.#close();
      if (!call.isOver) this.onAccepted(call);
    } catch (error) {
      // The caller still waits: allow the microphone and answer, or decline.
      if (this.#call === call) byID('ring-wrong').textContent = errorText(error);
      byID('accept').disabled = false;
    }
  }

  #decline() {
    const call = this.#call;
    this.#close();
    call?.decline();
  }

  #ended(call) {
    if (this.#call !== call) return;
    this.#close();
    this.onEnded(call);
  }

  #close() {
    this.#call = undefined;
    stopTone();
    titleActivity('');
    this.#dialog.close();
  }
}
