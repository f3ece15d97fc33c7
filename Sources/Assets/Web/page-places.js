import { ask, field } from './page-dialogs.js';
import { act, icon, make, notice } from './page-elements.js';
import { PositionMap } from './page-map.js';
import { coordinates, distance, distanceText, geoLink, locate, positionLink, positionOf, rememberPosition, usedPositions } from './page-position.js';
import { errorText, texts } from './page-texts.js';

const mostFound = 6;
const longestName = 80;

/**
 * Lets the user choose a place: where the device is, one used before, or by a pin on a map.
 * @param {string} owner
 * @returns {Promise<import('./page-position.js').Position|undefined>}
 */
export async function pickPosition(owner) {
  const picker = new Picker(owner);
  const form = await ask(texts.sendLocation, [picker.element], { confirm: texts.send });
  const position = form && positionOf(Object.fromEntries(form));
  if (position) rememberPosition(owner, position);
  return position;
}

class Picker {
  #used;
  #map = new PositionMap(undefined, { mayPick: true });
  #search = make('input', { type: 'search', autocomplete: 'off', 'aria-label': texts.usedPlaces, placeholder: texts.usedPlaces });
  #found = make('ul', { class: 'people' });
  #hint = make('p', { class: 'hint small', role: 'status' }, texts.mapHint);
  #name = field(texts.placeName, { name: 'name', maxlength: `${longestName}`, autocomplete: 'off' });
  #latitude = degrees(texts.latitude, 'latitude', 90);
  #longitude = degrees(texts.longitude, 'longitude', 180);

  constructor(owner) {
    this.#used = usedPositions(owner);
    const here = act(texts.whereIAm, () => this.#locate(here));
    const before = this.#used.length > 0 ? [this.#search, this.#found] : [];
    this.element = make('div', { class: 'places-form' }, here, ...before, this.#map.element, this.#hint, this.#name, make('div', { class: 'pair' }, this.#latitude, this.#longitude));
    this.#map.onPicked = (position) => this.#fill(position);
    this.#search.oninput = () => this.#paintFound();
    this.#search.onkeydown = (event) => this.#searchKey(event);
    for (const label of [this.#latitude, this.#longitude]) label.querySelector('input').onchange = () => this.#typed();
    this.#paintFound();
  }

  async #locate(button) {
    button.disabled = true;
    try {
      this.#choose(await locate());
    } catch (error) {
      this.#hint.textContent = errorText(error);
    } finally {
      button.disabled = false;
    }
  }

  #choose(position) {
    this.#fill(position);
    if (position.name) this.#input(this.#name).value = position.name;
    this.#map.show(position);
  }

  #fill({ latitude, longitude }) {
    this.#input(this.#latitude).value = String(latitude);
    this.#input(this.#longitude).value = String(longitude);
  }

  #input(label) { return label.querySelector('input'); }

  #typed() {
    const [latitude, longitude] = [this.#latitude, this.#longitude].map((label) => this.#input(label).value || undefined);
    const position = positionOf({ latitude, longitude });
    if (position) this.#map.show(position);
  }

  get #matches() {
    const wanted = this.#search.value.trim().toLocaleLowerCase();
    return this.#used.filter(({ name = '' }) => name.toLocaleLowerCase().includes(wanted)).slice(0, mostFound);
  }

  #paintFound() {
    this.#found.replaceChildren(...this.#matches.map((position) => {
      const button = act(position.name ?? coordinates(position), () => this.#choose(position));
      button.dir = 'auto';
      button.classList.add('plain');
      return make('li', {}, button);
    }));
  }

  // Enter takes the first one found: it would send the form.
  #searchKey(event) {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const [first] = this.#matches;
    if (first) this.#choose(first);
  }
}

function degrees(text, name, most) { return field(text, { name, type: 'number', step: 'any', min: `${-most}`, max: `${most}`, required: '' }); }

/**
 * The page of one place; it closes when the user goes back.
 * @param {string|undefined} owner
 * @param {import('./page-position.js').Position} position
 */
export async function openPosition(owner, position) {
  if (owner !== undefined) rememberPosition(owner, position);
  const away = make('p', { class: 'hint small', role: 'status' });
  const content = make('div', { class: 'places-form' }, new PositionMap(position).element, make('p', { dir: 'auto' }, position.detail ?? ''),
    make('p', { class: 'coordinates' }, coordinates(position)), away,
    make('div', { class: 'actions' }, act(texts.howFar, () => measure(position, away)), act(texts.copyCoordinates, () => copy(coordinates(position))),
      act(texts.copyPlaceLink, () => copy(new URL(positionLink(position), location.href).href))),
    make('a', { class: 'file', href: geoLink(position) }, icon('pin'), make('span', {}, texts.openInMaps)));
  const close = () => content.closest('dialog')?.close();
  addEventListener('popstate', close);
  await ask(position.name ?? texts.kinds.location, [content]);
  removeEventListener('popstate', close);
}

async function measure(position, line) {
  try {
    line.textContent = texts.distanceAway(distanceText(distance(await locate(), position)));
  } catch (error) {
    line.textContent = errorText(error);
  }
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notice(texts.copied);
  } catch {
    notice(text);
  }
}
