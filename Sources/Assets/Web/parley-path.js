/**
 * How the network does between us and one other.
 * @typedef {object} PathState
 * @property {number|undefined} roundTrip milliseconds
 * @property {number} loss what was lost of what came since the last look, from 0 to 1
 * @property {number} bitrate bits a second, both ways
 * @property {boolean} isRelayed through a relay, not directly
 * @property {boolean} isSilent nothing came since the last look
 * @property {'good'|'fair'|'poor'} quality
 */

const fair = { loss: 0.03, roundTrip: 250 };
const poor = { loss: 0.08, roundTrip: 500 };

/** Looks at one connection again and again; what it says is about the time since the last look. */
export class PathMeter {
  #peer;
  /** @type {{time: number, bytes: number, received: number, lost: number}|undefined} */
  #before;

  /** @param {import('./parley-peer.js').Peer} peer */
  constructor(peer) { this.#peer = peer; }

  /** @returns {Promise<PathState|undefined>} nothing at the first look */
  async look() {
    const stats = [...(await this.#peer.stats()).values()];
    const [now, before] = [count(stats), this.#before];
    this.#before = now;
    if (!before || now.time <= before.time) return undefined;
    const received = Math.max(0, now.received - before.received);
    const lost = Math.max(0, now.lost - before.lost);
    const loss = received + lost > 0 ? lost / (received + lost) : 0;
    const bitrate = Math.max(0, now.bytes - before.bytes) * 8000 / (now.time - before.time);
    const { roundTrip, isRelayed } = way(stats);
    const isSilent = received === 0;
    return { roundTrip, loss, bitrate, isRelayed, isSilent, quality: qualityOf(loss, roundTrip, isSilent) };
  }
}

function count(stats) {
  const sum = (type, name) => stats.filter((one) => one.type === type).reduce((total, one) => total + (one[name] ?? 0), 0);
  return {
    time: performance.now(),
    bytes: sum('inbound-rtp', 'bytesReceived') + sum('outbound-rtp', 'bytesSent'),
    received: sum('inbound-rtp', 'packetsReceived'),
    lost: sum('inbound-rtp', 'packetsLost'),
  };
}

function way(stats) {
  const used = stats.find(({ type }) => type === 'transport')?.selectedCandidatePairId;
  const pair = stats.find(({ type, id, nominated, state }) => type === 'candidate-pair' && (used ? id === used : nominated && state === 'succeeded'));
  const ends = stats.filter(({ id }) => pair && [pair.localCandidateId, pair.remoteCandidateId].includes(id));
  const seconds = pair?.currentRoundTripTime ?? stats.find(({ type }) => type === 'remote-inbound-rtp')?.roundTripTime;
  return { roundTrip: seconds === undefined ? undefined : seconds * 1000, isRelayed: ends.some(({ candidateType }) => candidateType === 'relay') };
}

function qualityOf(loss, roundTrip = 0, isSilent = false) {
  if (isSilent || loss >= poor.loss || roundTrip >= poor.roundTrip) return 'poor';
  return loss >= fair.loss || roundTrip >= fair.roundTrip ? 'fair' : 'good';
}
