import { notice } from './page-elements.js';
import { errorText } from './page-texts.js';

/**
 * A part of the page that is loaded when it is first needed. Without a network it comes from what the browser keeps, and where that
 * keeps nothing the user learns why nothing happens.
 * @template Module
 * @param {() => Promise<Module>} load
 * @returns {Promise<Module|undefined>}
 */
export async function later(load) {
  try {
    return await load();
  } catch {
    notice(errorText('unreachable'));
    return undefined;
  }
}
