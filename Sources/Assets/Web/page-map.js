import { act, make } from './page-elements.js';
import { coordinates, distance, distanceText } from './page-position.js';
import { texts } from './page-texts.js';

const width = 480;
const height = 280;
// Lines are at least so far from each other, and the scale is at most twice as long.
const leastGap = 70;
const gaps = [60, 30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001];
const worldSize = 256;
const mostZoom = 20;
const closeZoom = 15;
// A pointer that moved less has clicked.
const clickDistance = 4;
const keyStep = 16;

// Web Mercator, which all maps of the web use: from degrees to parts of the world, and back.
const toX = (longitude) => longitude / 360 + 0.5;
const toY = (latitude) => 0.5 - Math.asinh(Math.tan(Math.max(-85, Math.min(85, latitude)) * Math.PI / 180)) / (2 * Math.PI);
const toLongitude = (x) => (x - 0.5) * 360;
const toLatitude = (y) => Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180 / Math.PI;
const within = (value) => Math.max(0, Math.min(1, value));

/**
 * A map of degrees and a scale with a pin on it. It is drawn here: maps with streets come from others, who would learn where
 * somebody is.
 */
export class PositionMap {
  #svg = draw('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', tabindex: '0' });
  #lines = draw('g', {});
  #pin = draw('path', { class: 'map-pin', d: 'M0 0c-7-9-11-15-11-21a11 11 0 0 1 22 0c0 6-4 12-11 21z' });
  #zoom;
  #x;
  #y;
  #position;
  #mayPick;
  /** @type {{x: number, y: number, moved: number, isPin: boolean}|undefined} */
  #drag;

  /** Somebody moved the pin. @param {import('./page-position.js').Position} position */
  onPicked = (position) => {};

  /** @param {import('./page-position.js').Position} [position] @param {{mayPick?: boolean}} [options] */
  constructor(position, { mayPick = false } = {}) {
    this.#mayPick = mayPick;
    this.#svg.append(this.#lines, this.#pin);
    const buttons = [['+', texts.zoomIn, 1], ['−', texts.zoomOut, -1]].map(([sign, name, step]) => {
      const button = act(sign, () => this.#zoomBy(step));
      button.setAttribute('aria-label', name);
      return button;
    });
    this.element = make('div', { class: 'map' }, this.#svg, make('div', { class: 'map-zoom' }, ...buttons));
    this.#follow();
    this.show(position);
  }

  /** @param {import('./page-position.js').Position} [position] nothing: the world without a pin */
  show(position) {
    this.#position = position;
    [this.#x, this.#y, this.#zoom] = position ? [toX(position.longitude), toY(position.latitude), Math.max(this.#zoom ?? 0, closeZoom)] : [0.5, 0.4, 1];
    this.#paint();
  }

  #follow() {
    const svg = this.#svg;
    svg.onkeydown = (event) => this.#keyDown(event);
    svg.onwheel = (event) => {
      event.preventDefault();
      this.#zoomBy(event.deltaY < 0 ? 1 : -1, this.#pointOf(event));
    };
    svg.onpointerdown = (event) => {
      svg.setPointerCapture(event.pointerId);
      this.#drag = { ...this.#pointOf(event), moved: 0, isPin: this.#mayPick && event.target === this.#pin };
    };
    svg.onpointermove = (event) => { if (this.#drag) this.#dragTo(this.#pointOf(event)); };
    svg.onpointerup = (event) => {
      if (this.#drag && this.#mayPick && this.#drag.moved < clickDistance) this.#pick(this.#placeAt(this.#pointOf(event)));
      this.#drag = undefined;
    };
    svg.onpointercancel = () => { this.#drag = undefined; };
  }

  #dragTo({ x, y }) {
    const [right, down] = [x - this.#drag.x, y - this.#drag.y];
    Object.assign(this.#drag, { x, y, moved: this.#drag.moved + Math.hypot(right, down) });
    if (this.#drag.isPin) this.#movePin(right, down);
    else this.#move(-right, -down);
  }

  #keyDown(event) {
    const zoom = { '+': 1, '=': 1, '-': -1 }[event.key];
    const [right, down] = { ArrowLeft: [-keyStep, 0], ArrowRight: [keyStep, 0], ArrowUp: [0, -keyStep], ArrowDown: [0, keyStep] }[event.key] ?? [];
    if (zoom === undefined && right === undefined) return;
    event.preventDefault();
    if (zoom) return this.#zoomBy(zoom);
    if (this.#mayPick) this.#movePin(right, down);
    this.#move(right, down);
  }

  // MARK: Where things are

  get #size() { return worldSize * 2 ** this.#zoom; }

  #pointOf({ clientX, clientY }) {
    const { left, top, width: shown } = this.#svg.getBoundingClientRect();
    return { x: (clientX - left) * width / shown, y: (clientY - top) * width / shown };
  }

  #placeAt({ x, y }) { return { x: within(this.#x + (x - width / 2) / this.#size), y: within(this.#y + (y - height / 2) / this.#size) }; }

  #pick({ x, y }) {
    const round = (degrees) => Number(degrees.toFixed(6));
    this.#position = { latitude: round(toLatitude(y)), longitude: round(toLongitude(x)) };
    this.#paint();
    this.onPicked(this.#position);
  }

  #movePin(right, down) {
    const { longitude, latitude } = this.#position ?? { longitude: toLongitude(this.#x), latitude: toLatitude(this.#y) };
    this.#pick({ x: within(toX(longitude) + right / this.#size), y: within(toY(latitude) + down / this.#size) });
  }

  #move(right, down) {
    this.#x = within(this.#x + right / this.#size);
    this.#y = within(this.#y + down / this.#size);
    this.#paint();
  }

  // What is under the pointer stays there.
  #zoomBy(step, point = { x: width / 2, y: height / 2 }) {
    const { x, y } = this.#placeAt(point);
    this.#zoom = Math.max(0, Math.min(mostZoom, this.#zoom + step));
    this.#x = within(x - (point.x - width / 2) / this.#size);
    this.#y = within(y - (point.y - height / 2) / this.#size);
    this.#paint();
  }

  // MARK: Drawing

  #paint() {
    const gap = gaps.findLast((degrees) => degrees / 360 * this.#size >= leastGap) ?? gaps[0];
    this.#lines.replaceChildren(...this.#meridians(gap), ...this.#parallels(gap), ...this.#scale());
    this.#pin.style.display = this.#position ? '' : 'none';
    this.#svg.setAttribute('aria-label', this.#position ? texts.mapOf(coordinates(this.#position)) : texts.mapOfWorld);
    if (!this.#position) return;
    const [x, y] = [this.#across(toX(this.#position.longitude)), this.#down(toY(this.#position.latitude))];
    this.#pin.setAttribute('transform', `translate(${x} ${y})`);
  }

  #across(x) { return (x - this.#x) * this.#size + width / 2; }
  #down(y) { return (y - this.#y) * this.#size + height / 2; }

  #meridians(gap) {
    const half = width / 2 / this.#size;
    return steps(toLongitude(within(this.#x - half)), toLongitude(within(this.#x + half)), gap).flatMap((longitude) => {
      const x = this.#across(toX(longitude)).toFixed(1);
      return [draw('path', { d: `M${x} 0V${height}` }), label(x, height - 6, degreesText(longitude, gap), 'middle')];
    });
  }

  #parallels(gap) {
    const half = height / 2 / this.#size;
    return steps(toLatitude(within(this.#y + half)), toLatitude(within(this.#y - half)), gap).flatMap((latitude) => {
      const y = this.#down(toY(latitude));
      return [draw('path', { d: `M0 ${y.toFixed(1)}H${width}` }), label(4, y - 3, degreesText(latitude, gap), 'start')];
    });
  }

  #scale() {
    const latitude = toLatitude(this.#y);
    const most = distance({ latitude, longitude: 0 }, { latitude, longitude: 2 * leastGap / this.#size * 360 });
    const power = 10 ** Math.floor(Math.log10(most));
    const metres = [5, 2, 1].map((part) => part * power).find((length) => length <= most) ?? power;
    const start = width - 12 - 2 * leastGap * metres / most;
    return [draw('path', { class: 'map-scale', d: `M${start.toFixed(1)} 12v6H${width - 12}v-6` }), label(width - 12, 32, distanceText(metres), 'end')];
  }
}

function draw(name, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
}

function label(x, y, text, anchor) {
  const element = draw('text', { x: `${x}`, y: `${y}`, 'text-anchor': anchor });
  element.textContent = text;
  return element;
}

// All multiples of a step between two numbers.
function steps(from, to, step) {
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, index) => (first + index) * step);
}

function degreesText(degrees, gap) { return `${degrees.toFixed(Math.max(0, Math.ceil(-Math.log10(gap))))}°`; }
