import { ParleyError } from './parley-error.js';

const chunk = 1 << 20;
const firstPause = 500;
const longestPause = 8_000;
// Not at the offset we believed, brought by another request just now, too much at once, a server that starts.
const passing = [409, 423, 429, 500, 502, 503, 504];
const restarts = 3;
const resumable = { 'Tus-Resumable': '1.0.0' };

/**
 * What the server says of a file.
 * @typedef {object} FileView
 * @property {string} file
 * @property {string} type
 * @property {number} size
 * @property {string} url good until `expires`
 * @property {number} expires
 * @property {string} [name]
 * @property {number} [width]
 * @property {number} [height]
 * @property {{url: string, width: number, height: number}} [thumbnail]
 * @property {number} [duration] of a recording, in seconds
 * @property {number[]} [waveform] of a recording: sixty bars from 0 to 100
 */

/** Brings files to the server, and finds those of others. */
export class Files {
  #url;
  #token;
  /** @type {Map<string, Promise<FileView>>} */
  #views = new Map();

  /** @param {URL} url @param {() => Promise<string>} token */
  constructor(url, token) {
    this.#url = url;
    this.#token = token;
  }

  /**
   * Brings a file, in parts (tus 1.0): a line that breaks costs one part, and `location` goes on where an earlier page stopped. When what
   * was brought is gone, as with its server among several, it begins anew.
   * @param {Blob} file
   * @param {object} options
   * @param {string} [options.location] of an upload that was begun before
   * @param {(location: string) => any} [options.located]
   * @param {(part: number) => void} [options.progressed] from 0 to 1
   * @param {AbortSignal} [options.signal]
   * @returns {Promise<string>} the file's id
   */
  async upload(file, { location, ...options } = {}) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#bringAll(file, attempt === 0 ? location : undefined, options);
      } catch (error) {
        if (error.code !== 'gone' || attempt === restarts) throw error;
      }
    }
  }

  /** @param {Blob} file @param {string | undefined} location @param {any} options */
  async #bringAll(file, location, { located = () => {}, progressed = () => {}, signal }) {
    if (!location) {
      location = await this.#patiently(() => this.#create(file, signal), signal);
      await located(location);
    }
    let offset = await this.#patiently(() => this.#offset(location, signal), signal);
    while (offset < file.size) {
      progressed(offset / file.size);
      offset = await this.#patiently((isAgain) => this.#bring(file, location, offset, isAgain, signal), signal);
    }
    progressed(1);
    return location.split('/').at(-1);
  }

  async #create(file, signal) {
    const name = file instanceof File ? `filename ${base64(file.name)}` : '';
    const answer = await this.#ask('v1/uploads', 'POST', signal, { 'Upload-Length': `${file.size}`, ...(name && { 'Upload-Metadata': name }) });
    return new URL(answer.headers.get('Location'), this.#url).href;
  }

  async #offset(location, signal) {
    const answer = await this.#ask(location, 'HEAD', signal);
    return Number(answer.headers.get('Upload-Offset'));
  }

  // After a failure the client does not know how much came through; the server says.
  async #bring(file, location, offset, isAgain, signal) {
    const start = isAgain ? await this.#offset(location, signal) : offset;
    if (start === file.size) return start;
    const fields = { 'Upload-Offset': `${start}`, 'Content-Type': 'application/offset+octet-stream' };
    const answer = await this.#ask(location, 'PATCH', signal, fields, file.slice(start, start + chunk));
    return Number(answer.headers.get('Upload-Offset'));
  }

  // What the network refuses is tried again for as long as it takes; what the server refuses is not.
  async #patiently(work, signal) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work(attempt > 0);
      } catch (error) {
        if (signal?.aborted || error instanceof ParleyError) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.min(longestPause, firstPause * 2 ** attempt)));
      }
    }
  }

  async #ask(path, method, signal, fields = {}, body) {
    const headers = { ...resumable, ...fields, Authorization: `Bearer ${await this.#token()}` };
    const answer = await fetch(new URL(path, this.#url), { method, headers, body, signal });
    if (answer.ok) return answer;
    if (passing.includes(answer.status)) throw new Error(`${answer.status}`);
    const problem = await answer.json().catch(() => ({}));
    // An answer to HEAD has no words.
    const code = answer.status === 410 ? 'gone' : 'bad_request';
    throw ParleyError.from({ code, ...problem, message: problem.detail ?? `${answer.status}` });
  }

  /** What a file is, and a link to it that works for a while. @returns {Promise<FileView>} */
  async view(file) {
    const known = await this.#views.get(file)?.catch(() => undefined);
    if (known && known.expires - Date.now() > 60_000) return known;
    const asked = this.#ask(`v1/files/${encodeURIComponent(file)}`, 'GET').then((answer) => answer.json());
    this.#views.set(file, asked);
    return asked;
  }
}

function base64(text) { return btoa(String.fromCodePoint(...new TextEncoder().encode(text))); }
