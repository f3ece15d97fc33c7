const largest = 8;
const step = 1.5;
const byClick = 2.5;
// A hand that moves by less has clicked.
const stillness = 6;

/** A picture that is looked at closely: two fingers, the wheel, a click or a key make it larger, and a hand moves it about. */
export class Zoom {
  #picture;
  #scale = 1;
  #x = 0;
  #y = 0;
  /** Where each finger is. @type {Map<number, {x: number, y: number}>} */
  #fingers = new Map();
  #moved = 0;

  /** @param {HTMLElement} picture over the whole view */
  constructor(picture) {
    this.#picture = picture;
    picture.onpointerdown = (event) => this.#touched(event);
    picture.onpointermove = (event) => this.#dragged(event);
    picture.onpointerup = picture.onpointercancel = ({ pointerId }) => { this.#fingers.delete(pointerId); };
    picture.onclick = ({ clientX, clientY }) => { if (this.#moved < stillness) this.#clicked(clientX, clientY); };
    picture.onwheel = (event) => {
      event.preventDefault();
      this.#by(event.deltaY < 0 ? step : 1 / step, event.clientX, event.clientY);
    };
  }

  /** Whether a hand that moves moves the picture, and does not go to the next one. */
  get isClose() { return this.#scale > 1 || this.#fingers.size > 1; }

  reset() { this.#show(1, 0, 0); }

  /** @param {string} key @returns {boolean} whether it was one of ours */
  press(key) {
    const factor = { '+': step, '=': step, '-': 1 / step, 0: 1 / largest }[key];
    if (factor) this.#by(factor, innerWidth / 2, innerHeight / 2);
    return factor !== undefined;
  }

  #clicked(x, y) { this.#by(this.#scale > 1 ? 1 / largest : byClick, x, y); }

  #touched({ pointerId, clientX: x, clientY: y }) {
    if (this.#fingers.size === 0) this.#moved = 0;
    this.#fingers.set(pointerId, { x, y });
  }

  #dragged({ pointerId, clientX: x, clientY: y }) {
    const finger = this.#fingers.get(pointerId);
    if (!finger) return;
    const before = this.#hand;
    this.#moved += Math.abs(x - finger.x) + Math.abs(y - finger.y);
    Object.assign(finger, { x, y });
    const { x: middleX, y: middleY, width } = this.#hand;
    if (before.width > 0) this.#by(width / before.width, middleX, middleY);
    if (this.#scale > 1) this.#show(this.#scale, this.#x + middleX - before.x, this.#y + middleY - before.y);
  }

  // The middle of all fingers, and how far apart two of them are.
  get #hand() {
    const [one, other = one] = this.#fingers.values();
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, width: Math.hypot(one.x - other.x, one.y - other.y) };
  }

  // What is under the point stays there.
  #by(factor, x, y) {
    const scale = Math.min(largest, Math.max(1, this.#scale * factor));
    const part = scale / this.#scale;
    const [fromMiddleX, fromMiddleY] = [x - innerWidth / 2, y - innerHeight / 2];
    this.#show(scale, fromMiddleX - (fromMiddleX - this.#x) * part, fromMiddleY - (fromMiddleY - this.#y) * part);
  }

  // Its edges do not come into the view.
  #show(scale, x, y) {
    const within = (value, size) => Math.min(size, Math.max(-size, value));
    this.#scale = scale;
    this.#x = within(x, (scale - 1) * innerWidth / 2);
    this.#y = within(y, (scale - 1) * innerHeight / 2);
    this.#picture.classList.toggle('large', scale > 1);
    this.#picture.style.transform = `translate(${this.#x}px, ${this.#y}px) scale(${scale})`;
  }
}
