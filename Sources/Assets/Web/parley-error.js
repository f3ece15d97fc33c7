/** Why something was not granted, or could not be done. */
export class ParleyError extends Error {
  /**
   * @param {string} code one of the server's codes, or one of ours: `timeout`, `disconnected`, `unreachable`,
   *   `signed_out`, `closed`; about devices `denied`, `missing`, `in_use`, `insecure`
   * @param {string} message for readers of logs; pages have words of their own for each code
   * @param {number} [retryAfter] milliseconds
   */
  constructor(code, message, retryAfter) {
    super(message);
    this.name = 'ParleyError';
    this.code = code;
    this.retryAfter = retryAfter;
  }

  /** @param {{code?: string, message?: string, retryAfter?: number}} error as the server says it */
  static from(error) {
    return new ParleyError(error?.code ?? 'unavailable', error?.message ?? 'no reason given', error?.retryAfter);
  }
}

/**
 * Tells an object's listeners; what is told is the event's `detail`.
 * @param {EventTarget} target
 * @param {string} type
 * @param {any} [detail]
 */
export function tell(target, type, detail) {
  target.dispatchEvent(new CustomEvent(type, { detail }));
}
