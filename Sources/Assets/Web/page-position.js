import { locale, texts } from './page-texts.js';

// The mean radius of the Earth, in metres.
const earthRadius = 6_371_009;
const mostKept = 50;
const timeout = 15_000;
const freshFor = 60_000;

/**
 * A place on Earth, in degrees (WGS 84), as a message of the kind `location` has it.
 * @typedef {{latitude: number, longitude: number, name?: string, detail?: string}} Position
 */

/** @param {any} body @returns {Position|undefined} nothing when that is no place on Earth */
export function positionOf({ latitude, longitude, name, detail } = {}) {
  const position = { latitude: Number.parseFloat(latitude), longitude: Number.parseFloat(longitude), ...(name && { name: String(name) }), ...(detail && { detail: String(detail) }) };
  return Math.abs(position.latitude) <= 90 && Math.abs(position.longitude) <= 180 ? position : undefined;
}

/** @param {Position} position */
export function coordinates({ latitude, longitude }) { return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`; }

/** What map programs open (RFC 5870). @param {Position} position */
export function geoLink({ latitude, longitude }) { return `geo:${latitude},${longitude}`; }

/** Where the page shows it. @param {Position} position */
export function positionLink({ latitude, longitude, name = '' }) { return `#/position/${latitude},${longitude},${encodeURIComponent(name)}`; }

/** @param {string} text the end of such a link */
export function readPositionLink(text) {
  const [latitude, longitude, ...name] = text.split(',');
  return positionOf({ latitude, longitude, name: name.join(',') });
}

/** As the crow flies, in metres. @param {Position} one @param {Position} other */
export function distance(one, other) {
  const radians = (degrees) => degrees * Math.PI / 180;
  const [from, to] = [radians(one.latitude), radians(other.latitude)];
  const half = (angle) => Math.sin(angle / 2) ** 2;
  const part = half(to - from) + Math.cos(from) * Math.cos(to) * half(radians(other.longitude - one.longitude));
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(part)));
}

/** @param {number} metres */
export function distanceText(metres) {
  const [value, unit] = metres < 1_000 ? [metres, 'meter'] : [metres / 1_000, 'kilometer'];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumSignificantDigits: value < 10_000 ? 3 : 5 }).format(value);
}

/** @type {{position: Position, time: number}|undefined} */
let found;

/** Where the device is; the browser asks its user. @returns {Promise<Position>} */
export function locate() {
  return new Promise((resolve, reject) => {
    if (!navigator.geolocation || !isSecureContext) return reject({ code: 'position_insecure' });
    navigator.geolocation.getCurrentPosition(({ coords: { latitude, longitude } }) => {
      found = { position: { latitude, longitude }, time: Date.now() };
      resolve(found.position);
    }, ({ code }) => reject({ code: code === 1 ? 'position_denied' : 'position_unknown' }), { timeout, enableHighAccuracy: true });
  });
}

/** How far a place is, where the user has let the page know before: nobody is asked because of a message. @param {Position} position */
export async function howFar(position) {
  if (found && Date.now() - found.time < freshFor) return texts.distanceAway(distanceText(distance(found.position, position)));
  const permission = await navigator.permissions?.query({ name: 'geolocation' }).catch(() => undefined);
  if (permission?.state !== 'granted') return undefined;
  return locate().then((here) => texts.distanceAway(distanceText(distance(here, position))), () => undefined);
}

const key = (owner) => `parley places ${owner}`;

/** Places that were sent or looked at before, the latest first. @param {string} owner @returns {Position[]} */
export function usedPositions(owner) {
  try {
    return JSON.parse(localStorage.getItem(key(owner)) ?? '[]');
  } catch {
    return [];
  }
}

/** @param {string} owner @param {Position} position */
export function rememberPosition(owner, position) {
  const others = usedPositions(owner).filter((one) => coordinates(one) !== coordinates(position));
  localStorage.setItem(key(owner), JSON.stringify([position, ...others].slice(0, mostKept)));
}
