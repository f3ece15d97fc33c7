import { byID } from './page-elements.js';
import { texts } from './page-texts.js';
import { duration } from './page-time.js';

const second = 1_000;

/** How long one still waits where members wait between two messages; beside where one writes. */
export class SlowClock {
  #conversation;
  #timer;

  constructor() {
    /** Told when the wait begins or ends. */
    this.onChanged = () => {};
  }

  get isWaiting() { return (this.#conversation?.wait ?? 0) > 0; }

  /** @param {import('./parley-conversation.js').Conversation|undefined} conversation */
  follow(conversation) {
    this.#conversation = conversation;
    this.#tick();
  }

  #tick() {
    clearTimeout(this.#timer);
    const { wait = 0, slowSeconds = 0 } = this.#conversation ?? {};
    const place = byID('slow');
    place.hidden = wait === 0;
    place.textContent = wait === 0 ? '' : texts.slowWait(duration(Math.ceil(wait / second)), duration(slowSeconds));
    this.onChanged();
    // The next whole second, so that none is left out.
    if (wait > 0) this.#timer = setTimeout(() => this.#tick(), wait % second || second);
  }
}
