import { byID } from './page-elements.js';
import { locale, texts } from './page-texts.js';
import { PathMeter } from './parley-path.js';

const everyMilliseconds = 2_000;
// A moment is no trouble; this many looks in a row are.
const poorLooks = 3;
const betweenRepairs = 30_000;
const order = { good: 0, fair: 1, poor: 2 };
const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });

/** What the network does during a call: a small picture, and a sentence when it is bad. A path that stays bad is looked for anew. */
export class NetworkView {
  #talk;
  /** @type {Map<any, PathMeter>} */
  #meters = new Map();
  #timer;
  #poorLooks = 0;
  #repairedAt = -Infinity;

  /** @param {import('./parley-talk.js').Talk} talk */
  follow(talk) {
    this.stop();
    this.#talk = talk;
    this.#timer = setInterval(() => this.#look(), everyMilliseconds);
  }

  stop() {
    clearInterval(this.#timer);
    this.#meters.clear();
    this.#poorLooks = 0;
    byID('network').hidden = true;
    byID('network-advice').textContent = '';
  }

  async #look() {
    const talk = this.#talk;
    const states = (await Promise.all([...talk.peers].map((peer) => this.#meter(peer).look().catch(() => undefined)))).filter(Boolean);
    if (talk !== this.#talk || states.length === 0) return;
    // Nothing comes from a side that sends nothing; only where all is silent is that the network.
    for (const peer of this.#meters.keys()) if (![...talk.peers].includes(peer)) this.#meters.delete(peer);
    const worst = states.reduce((one, other) => (order[other.quality] > order[one.quality] ? other : one));
    const bitrate = states.reduce((sum, state) => sum + state.bitrate, 0);
    this.#paint({ ...worst, bitrate });
    this.#poorLooks = worst.quality === 'poor' ? this.#poorLooks + 1 : 0;
    if (this.#poorLooks >= poorLooks) this.#trouble(worst);
    else byID('network-advice').textContent = '';
  }

  #meter(peer) {
    if (!this.#meters.has(peer)) this.#meters.set(peer, new PathMeter(peer));
    return this.#meters.get(peer);
  }

  #paint({ quality, roundTrip, loss, bitrate, isRelayed }) {
    const way = isRelayed ? texts.network.relayed : texts.network.direct;
    const parts = [roundTrip === undefined ? '' : `${Math.round(roundTrip)} ms`, texts.network.lost(Math.round(loss * 100)), speed(bitrate), way];
    byID('network').hidden = false;
    byID('network').dataset.quality = quality;
    byID('network-words').textContent = parts.filter(Boolean).join(' · ');
    byID('network-picture').setAttribute('aria-label', texts.network[quality]);
  }

  #trouble({ isSilent, loss, roundTrip = 0 }) {
    const say = texts.network;
    const text = isSilent ? say.silent : loss >= 0.08 ? say.lossy : roundTrip >= 500 ? say.slow : say.lossy;
    if (byID('network-advice').textContent !== text) byID('network-advice').textContent = text;
    if (performance.now() - this.#repairedAt < betweenRepairs) return;
    this.#repairedAt = performance.now();
    this.#talk.repair();
  }
}

function speed(bits) { return bits >= 1e6 ? `${number.format(bits / 1e6)} Mbit/s` : `${Math.round(bits / 1000)} kbit/s`; }
