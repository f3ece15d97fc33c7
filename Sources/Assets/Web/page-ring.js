import { byID, paintFace } from './page-elements.js';
import { errorText, texts } from './page-texts.js';
import { titleActivity } from './page-title.js';
import { startTone, stopTone } from './page-tone.js';

/**
 * The card for a call that comes in. It leaves the focus where it is, so that Enter in what the user is writing does not
 * open their microphone: Control and Enter answer, Escape declines.
 */
export class RingDialog {
  #dialog = byID('ring');
  #call;
  #focused;

  onAccepted = () => {};
  onEnded = () => {};

  constructor() {
    byID('accept').onclick = () => this.#accept();
    byID('decline').onclick = () => this.#decline();
    addEventListener('keydown', (event) => this.#keyDown(event));
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
    this.#focused = document.activeElement;
    this.#dialog.open = true;
    if (document.activeElement === document.body) this.#dialog.focus();
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

  #keyDown(event) {
    if (!this.#call || event.isComposing) return;
    if (event.key === 'Enter' && event.ctrlKey && !byID('accept').disabled) this.#accept();
    else if (event.key === 'Escape' && !isWriting()) this.#decline();
    else return;
    event.preventDefault();
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
    if (this.#dialog.contains(document.activeElement)) this.#focused?.focus();
    this.#dialog.open = false;
  }
}

function isWriting() { return document.activeElement?.matches('input, textarea, [contenteditable]') ?? false; }
