import { digest } from './page-digest.js';
import { byID, notice } from './page-elements.js';
import { changeSettings, settings } from './page-settings.js';
import { texts } from './page-texts.js';

/** Whether this browser can show notifications at all. */
export function canNotify() { return typeof Notification !== 'undefined' && isSecureContext; }

/**
 * Asks the browser, where that was not done before.
 * @param {import('./parley.js').Parley} parley
 * @returns {Promise<boolean>}
 */
export async function turnOnNotifications(parley) {
  const isGranted = await Notification.requestPermission() === 'granted';
  changeSettings({ notifications: isGranted });
  if (!isGranted) notice(texts.notificationsRefused);
  beWoken(parley);
  return isGranted;
}

/** @param {import('./parley.js').Parley} parley */
export async function turnOffNotifications(parley) {
  changeSettings({ notifications: false });
  const { letSleep } = await import('./page-push.js');
  await letSleep(parley);
  return false;
}

/** With each sign-in anew, since a registration ends with it. @param {import('./parley.js').Parley} parley */
export async function beWoken(parley) {
  if (!settings.notifications) return;
  const { tellClicks, wakeHere } = await import('./page-push.js');
  await wakeHere(parley);
  await tellClicks(parley);
}

/**
 * A notification was chosen while a page is open.
 * @param {import('./parley.js').Parley} parley
 * @param {(target: {conversation?: string, call?: string}) => void} open
 */
export function followNotifications(parley, open) {
  if (!navigator.serviceWorker) return;
  navigator.serviceWorker.addEventListener('message', async ({ data }) => {
    if (typeof data?.call === 'string') open({ call: data.call });
    else if (typeof data?.conversation === 'string') open({ conversation: data.conversation });
    const { tellClicks } = await import('./page-push.js');
    await tellClicks(parley);
  });
  navigator.serviceWorker.startMessages();
}

/** Tells of messages and calls while the user looks elsewhere. */
export class Notifier {
  #parley;
  #names;
  #open;
  /** @type {Notification|undefined} */
  #ringing;

  /** @param {{parley: import('./parley.js').Parley, names: any, open: (target: {conversation: string}) => void}} parts */
  constructor({ parley, names, open }) {
    this.#parley = parley;
    this.#names = names;
    this.#open = open;
    byID('notify-on').onclick = () => this.#answer(() => turnOnNotifications(this.#parley));
    byID('notify-not').onclick = () => this.#answer(() => {});
    parley.addEventListener('call', ({ detail }) => this.#rang(detail));
  }

  /** @param {import('./parley-chat.js').Chat} chat */
  follow(chat) { chat.addEventListener('entry', ({ detail }) => this.#happened(detail, chat)); }

  // The reason is there: a message came while the user was away.
  #offer() { byID('notify').hidden = !canNotify() || Notification.permission !== 'default' || settings.wasOfferedNotifications; }

  async #answer(work) {
    byID('notify').hidden = true;
    changeSettings({ wasOfferedNotifications: true });
    await work();
  }

  #happened(entry, chat) {
    const { type, from, conversation } = entry;
    if (type !== 'message' || from === this.#parley.user || !isAway() || chat.conversation(conversation)?.isMuted) return;
    if (entry.kind === 'call' && entry.body?.outcome === 'completed') return;
    if (!settings.notifications) return this.#offer();
    const name = (user) => this.#names.name(user);
    const { title } = chat.conversation(conversation) ?? {};
    const words = digest(entry, { name, me: this.#parley.user });
    this.#show(title ?? name(from), title ? `${name(from)}: ${words}` : words, conversation, () => this.#open({ conversation }));
  }

  #rang(call) {
    if (!settings.notifications || !isAway()) return;
    const text = call.kind === 'video' ? texts.incomingVideo : texts.incomingAudio;
    this.#ringing = this.#show(call.peer.name ?? texts.unnamed, text, `call ${call.id}`, () => {});
    for (const event of ['ended', 'state']) call.addEventListener(event, () => this.#ringing?.close(), { once: true });
  }

  #show(title, body, tag, chosen) {
    try {
      const shown = new Notification(title, { body, tag, icon: 'page-icon.svg' });
      shown.onclick = () => {
        focus();
        shown.close();
        chosen();
      };
      return shown;
    } catch {
      return undefined; // On some phones only a worker may.
    }
  }
}

function isAway() { return document.visibilityState !== 'visible' || !document.hasFocus(); }
