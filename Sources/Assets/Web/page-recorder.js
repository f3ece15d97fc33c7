import { ParleyError } from './parley-error.js';
import { openMedia } from './parley-media.js';

export const shortest = 1;
export const longest = 60;
const bars = 60;
const everyMilliseconds = 100;
const types = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4'];

/**
 * Records a voice message from the microphone.
 *
 * Events: `level` with `{seconds, level}` ten times a second, the level from 0 to 1; `full` when it is as long as it may be.
 */
export class Recorder extends EventTarget {
  #stream;
  #recorder;
  #parts = [];
  #levels = [];
  #context;
  #timer;
  #began = 0;

  get seconds() { return (performance.now() - this.#began) / 1000; }

  async start() {
    if (typeof MediaRecorder === 'undefined') throw new ParleyError('missing', 'this browser cannot record');
    this.#stream = await openMedia('audio');
    this.#recorder = new MediaRecorder(this.#stream, { mimeType: types.find((type) => MediaRecorder.isTypeSupported(type)), audioBitsPerSecond: 24_000 });
    this.#recorder.ondataavailable = ({ data }) => this.#parts.push(data);
    this.#recorder.start();
    this.#began = performance.now();
    this.#measure();
  }

  #measure() {
    this.#context = new AudioContext();
    const analyser = new AnalyserNode(this.#context, { fftSize: 1024 });
    this.#context.createMediaStreamSource(this.#stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    this.#timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      const level = Math.min(1, Math.sqrt(power) * 3);
      this.#levels.push(level);
      this.dispatchEvent(new CustomEvent('level', { detail: { seconds: this.seconds, level } }));
      if (this.seconds >= longest) this.dispatchEvent(new Event('full'));
    }, everyMilliseconds);
  }

  /** What was said; nothing when it was too short. @returns {Promise<{file: File, seconds: number, waveform: number[]}|undefined>} */
  async stop() {
    const seconds = Math.min(longest, this.seconds);
    const isOver = new Promise((resolve) => { this.#recorder.onstop = resolve; });
    this.#recorder.stop();
    await isOver;
    this.#close();
    if (seconds < shortest) return undefined;
    const type = this.#recorder.mimeType.split(';')[0];
    const file = new File(this.#parts, `voice.${type.split('/')[1]}`, { type });
    return { file, seconds: Math.round(seconds * 10) / 10, waveform: this.#waveform() };
  }

  cancel() {
    if (this.#recorder?.state === 'recording') this.#recorder.stop();
    this.#close();
  }

  #close() {
    clearInterval(this.#timer);
    this.#context?.close();
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
  }

  // The loudest of each part, from 0 to 100.
  #waveform() {
    const size = Math.max(1, this.#levels.length / bars);
    const count = Math.min(bars, this.#levels.length);
    return Array.from({ length: count }, (_, index) =>
      Math.round(100 * Math.max(...this.#levels.slice(Math.floor(index * size), Math.max(Math.floor((index + 1) * size), Math.floor(index * size) + 1)))));
  }
}
