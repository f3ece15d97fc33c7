import { hearThere } from './page-devices.js';
import { icon, make, nameButton, notice, paintFace } from './page-elements.js';
import { texts } from './page-texts.js';

/** One person on the stage: their picture or their face, their name, and what they have switched off. */
export class Tile {
  #video = make('video', { playsinline: '' });
  #face = make('span', { class: 'face big', 'aria-hidden': 'true' });
  #name = make('span', { class: 'name' });
  #off = make('span', { class: 'off' });
  #recording = make('span', { class: 'records' }, texts.recordsTalk);
  #more = make('button', { class: 'plain more', type: 'button', 'aria-haspopup': 'menu' }, icon('more'));

  /** @param {{isMine?: boolean}} [options] a user does not hear themselves */
  constructor({ isMine = false } = {}) {
    this.#video.autoplay = true;
    if (!isMine) hearThere(this.#video);
    this.#video.muted = isMine;
    this.element = make('figure', { class: 'tile no-picture' },
      this.#video, this.#face, make('figcaption', {}, this.#name, this.#off), this.#recording, this.#more);
    this.#more.hidden = true;
    this.#recording.hidden = true;
    this.element.classList.toggle('mine', isMine);
  }

  get video() { return this.#video; }
  /** Whether a screen is shown here. */
  get isScreen() { return this.element.classList.contains('screen'); }

  /** @param {{person: {user?: string, name?: string}, label?: string, stream?: MediaStream, devices: {microphone: boolean, camera: boolean, screen?: boolean}, isAway?: boolean, isWaiting?: boolean, recording?: number, onMore?: (place: {x: number, y: number}) => void}} content */
  show({ person, label, stream, devices, isAway = false, isWaiting = false, recording, onMore }) {
    const name = label ?? person.name ?? texts.unnamed;
    const hasPicture = devices.camera && (stream?.getVideoTracks() ?? []).some((track) => !track.muted);
    paintFace(this.#face, person);
    this.#name.textContent = name;
    this.#off.textContent = devices.microphone ? '' : texts.muted;
    this.#recording.hidden = recording === undefined;
    this.element.classList.toggle('no-picture', !hasPicture);
    this.element.classList.toggle('screen', hasPicture && devices.screen === true);
    this.element.classList.toggle('away', isAway);
    this.element.classList.toggle('waiting', isWaiting);
    this.#offer(onMore, name);
    this.#video.setAttribute('aria-label', name);
    if (this.#video.srcObject !== (stream ?? null)) this.#play(stream);
  }

  // What may be done to them.
  #offer(open, name) {
    this.#more.hidden = open === undefined;
    nameButton(this.#more, texts.moreOf(name));
    this.#more.onclick = () => {
      const { left: x, bottom: y } = this.#more.getBoundingClientRect();
      open?.({ x, y });
    };
  }

  remove() {
    this.#video.srcObject = null;
    this.element.remove();
  }

  async #play(stream) {
    this.#video.srcObject = stream ?? null;
    if (!stream) return;
    try {
      await this.#video.play();
    } catch (error) {
      // A page that was loaded anew may make no sound before the user touches it.
      if (error.name !== 'NotAllowedError') return;
      notice(texts.tapToHear);
      addEventListener('pointerdown', () => this.#video.play().catch(() => {}), { once: true });
    }
  }
}
