// Engine.IO 4 from the client's side: packets as text, over a WebSocket or by polling. Nothing here knows what is in
// a message.

const separator = '\x1e';

/** More than any server of ours says at once, in bytes of a body or letters of a packet. */
export const longestBody = 4_000_000;

/**
 * The text of an answer's body, which may have no end.
 * @param {Response} answer
 */
export async function textOf(answer) {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  const reader = answer.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > longestBody) {
      reader.cancel().catch(() => {});
      throw new RangeError('the body is too long');
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * @typedef {object} ChannelEvents
 * @property {(packet: string) => void} packet
 * @property {() => void} closed told once, also when the channel never opened
 */

/** Packets as the messages of one WebSocket. */
export class WebSocketChannel {
  #socket;

  /** @param {URL} url @param {ChannelEvents} events */
  constructor(url, events) {
    this.#socket = new WebSocket(address(url, 'websocket').href.replace(/^http/, 'ws'));
    this.#socket.onmessage = ({ data }) => {
      // Our own events hold no bytes; attachments of other servers have no place to go.
      if (typeof data === 'string') events.packet(data);
    };
    this.#socket.onclose = () => events.closed();
  }

  send(packet) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(packet);
  }

  close() {
    this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
  }
}

/** Packets as the bodies of requests, for networks that let no WebSocket through. */
export class PollingChannel {
  #url;
  #events;
  #waiting = [];
  #isPosting = false;
  #abort = new AbortController();

  /** @param {URL} url @param {ChannelEvents} events */
  constructor(url, events) {
    this.#url = address(url, 'polling');
    this.#events = events;
    this.#read().catch(() => this.#lost());
  }

  send(packet) {
    this.#waiting.push(packet);
    if (!this.#isPosting) this.#write().catch(() => this.#lost());
  }

  close() {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort();
    if (!this.#url.searchParams.has('sid')) return;
    // Without a goodbye the session would only be noticed to be gone when its heartbeat is missing.
    const body = [...this.#waiting, '1'].join(separator);
    fetch(this.#url, { method: 'POST', body, keepalive: true }).catch(() => {});
  }

  async #read() {
    while (!this.#abort.signal.aborted) {
      const body = await this.#ask({ method: 'GET', cache: 'no-store' });
      for (const packet of body.split(separator)) {
        this.#take(packet);
        await turn();
      }
    }
  }

  #take(packet) {
    if (this.#abort.signal.aborted) return;
    if (packet[0] === '0') this.#url.searchParams.set('sid', JSON.parse(packet.slice(1)).sid);
    this.#events.packet(packet);
  }

  async #write() {
    this.#isPosting = true;
    await turn();
    while (this.#waiting.length > 0 && !this.#abort.signal.aborted) {
      await this.#ask({ method: 'POST', body: this.#waiting.splice(0).join(separator) });
    }
    this.#isPosting = false;
  }

  async #ask(request) {
    const answer = await fetch(this.#url, { ...request, signal: this.#abort.signal });
    if (!answer.ok) throw new Error(`${answer.status}`);
    return textOf(answer);
  }

  #lost() {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort();
    this.#events.closed();
  }
}

// Lets everything happen that a packet brought about, as between two messages of a WebSocket. A timer would be slow in
// a tab in the background.
function turn() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

function address(url, transport) {
  const address = new URL('socket.io/', url);
  address.search = new URLSearchParams({ EIO: '4', transport }).toString();
  return address;
}
