const everyMilliseconds = 500;
// Between two words a speaker stays the speaker.
const audible = 0.02;
const shortestTurn = 1_500;

/** Who speaks among several: the loudest, a while after another began. */
export class SpeakerWatch {
  #levels;
  #changed;
  #timer;
  #since = 0;
  /** @type {string|undefined} */
  speaker;
  /** @type {Set<string>} */
  speaking = new Set();

  /**
   * @param {() => [string, number][]} levels how loud each of the others is
   * @param {() => void} changed
   */
  constructor(levels, changed) {
    this.#levels = levels;
    this.#changed = changed;
  }

  start() {
    this.stop();
    this.#timer = setInterval(() => this.#look(), everyMilliseconds);
  }

  stop() {
    clearInterval(this.#timer);
    this.speaker = undefined;
    this.speaking.clear();
  }

  #look() {
    const levels = this.#levels().sort(([, one], [, other]) => other - one);
    const loud = levels.filter(([, level]) => level >= audible).map(([key]) => key);
    const before = [this.speaker, ...this.speaking].join();
    this.speaking = new Set(loud);
    const isGone = !levels.some(([key]) => key === this.speaker);
    const next = loud[0] ?? (isGone ? levels[0]?.[0] : this.speaker);
    if (next !== this.speaker && (isGone || performance.now() - this.#since > shortestTurn)) {
      this.speaker = next;
      this.#since = performance.now();
    }
    if ([this.speaker, ...this.speaking].join() !== before) this.#changed();
  }
}
