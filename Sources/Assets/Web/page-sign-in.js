import { byID, notice } from './page-elements.js';
import { texts } from './page-texts.js';

/**
 * The ways to sign in that this server offers, and the one over a provider (OpenID Connect): the browser goes there, and comes back
 * to where it was.
 */
export class SignInWays {
  #parley;
  #start = '/v1/auth/oidc';

  /** @param {import('./parley.js').Parley} parley */
  constructor(parley) {
    this.#parley = parley;
    byID('provider').addEventListener('click', () => {
      const here = location.pathname + location.hash;
      location.assign(`${this.#start}?return=${encodeURIComponent(here)}`);
    });
  }

  /** Shows what is open. A server out of reach offers what it always did. */
  async show() {
    const methods = await this.#parley.signInMethods().catch(() => undefined);
    if (!methods) return;
    const { anonymous, register, oidc } = methods;
    for (const id of ['welcome-more', 'enter']) byID(id).hidden = anonymous === false;
    byID('register').hidden = register === false;
    byID('provider').hidden = !oidc;
    if (!oidc) return;
    this.#start = oidc.start;
    byID('provider').textContent = oidc.label ?? texts.signInElsewhere;
  }

  /**
   * How a sign-in at the provider went, when the browser comes from there.
   * @returns {boolean} whether it waits to be taken up
   */
  takeUp() {
    const words = new URLSearchParams(location.search);
    const isDone = words.has('signed-in');
    const trouble = words.get('sign-in');
    if (isDone || trouble) history.replaceState(null, '', location.pathname + location.hash);
    if (trouble) notice(texts.signInTrouble[trouble] ?? texts.signInTrouble.refused);
    return isDone;
  }

  /** Signs out at the provider, too, and comes back. */
  leave() { location.assign(`${this.#start}/logout`); }
}
