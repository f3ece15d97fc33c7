import { ask } from './page-dialogs.js';
import { make } from './page-elements.js';
import { texts } from './page-texts.js';

const side = 512;
const shown = 280;
const mostZoom = 4;
const step = 0.05;

/**
 * Lets the user choose the square of a picture that others will see: by dragging, by arrow keys, and with a slider for its size.
 * @param {File} file
 * @returns {Promise<File|undefined>} nothing when the user thought better of it; the file itself when it is no picture the browser knows
 */
export async function openCrop(file) {
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (!picture) return file;
  const crop = new Crop(picture);
  const answer = await ask(texts.cropPicture, [crop.element], { confirm: texts.save });
  const result = answer && await crop.result();
  picture.close();
  return result;
}

class Crop {
  #picture;
  #canvas = make('canvas', { width: `${shown}`, height: `${shown}`, tabindex: '0', role: 'img', 'aria-label': texts.cropHint });
  #zoom = make('input', { type: 'range', min: '1', max: `${mostZoom}`, step: `${step}`, value: '1', 'aria-label': texts.pictureSize });
  /** The middle of the square, as parts of the picture. */
  #x = 0.5;
  #y = 0.5;

  constructor(picture) {
    this.#picture = picture;
    this.element = make('div', { class: 'crop' }, this.#canvas, this.#zoom, make('p', { class: 'hint small' }, texts.cropHint));
    this.#zoom.oninput = () => this.#paint();
    this.#canvas.onpointermove = (event) => { if (event.buttons) this.#move(-event.movementX / shown, -event.movementY / shown); };
    this.#canvas.onpointerdown = ({ pointerId }) => this.#canvas.setPointerCapture(pointerId);
    this.#canvas.onkeydown = (event) => this.#keyDown(event);
    this.#paint();
  }

  #keyDown(event) {
    const [x, y] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key] ?? [];
    if (x === undefined) return;
    event.preventDefault();
    this.#move(x, y);
  }

  // By parts of the square that is seen.
  #move(x, y) {
    const size = this.#size;
    this.#x += x * size / this.#picture.width;
    this.#y += y * size / this.#picture.height;
    this.#paint();
  }

  /** The square's side in points of the picture. */
  get #size() { return Math.min(this.#picture.width, this.#picture.height) / Number(this.#zoom.value); }

  #paint() {
    const { width, height } = this.#picture;
    const half = this.#size / 2;
    this.#x = Math.min(1 - half / width, Math.max(half / width, this.#x));
    this.#y = Math.min(1 - half / height, Math.max(half / height, this.#y));
    this.#draw(this.#canvas, shown);
  }

  #draw(canvas, target) {
    const { width, height } = this.#picture;
    const size = this.#size;
    canvas.getContext('2d').drawImage(this.#picture, this.#x * width - size / 2, this.#y * height - size / 2, size, size, 0, 0, target, target);
  }

  async result() {
    const canvas = new OffscreenCanvas(side, side);
    this.#draw(canvas, side);
    return new File([await canvas.convertToBlob({ type: 'image/png' })], 'picture.png', { type: 'image/png' });
  }
}
