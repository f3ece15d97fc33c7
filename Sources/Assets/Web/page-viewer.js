import { icon, make, nameButton } from './page-elements.js';
import { Pictures } from './page-pictures.js';
import { texts } from './page-texts.js';
import { Zoom } from './page-zoom.js';

/**
 * A picture over the whole page, which can be looked at closely; keys, buttons and a swipe go through all others of the conversation.
 * @param {any} message the one to begin with
 * @param {{chat: import('./parley-chat.js').Chat, files: import('./parley-files.js').Files}} parts
 */
export function openViewer(message, { chat, files }) {
  const pictures = new Pictures(message, chat);
  const picture = make('img', { alt: '' });
  const zoom = new Zoom(picture);
  const button = (name, text, action) => {
    const element = make('button', { class: `round ${name}`, type: 'button' }, icon(name));
    nameButton(element, text);
    element.onclick = action;
    return element;
  };
  const previous = button('previous', texts.previousPicture, () => go(-1));
  const next = button('next', texts.nextPicture, () => go(1));
  const dialog = make('dialog', { class: 'viewer', tabindex: '-1', autofocus: '', 'aria-label': texts.kinds.image }, picture, previous, next,
    button('close', texts.close, () => dialog.close()));
  // One step after the other, however quickly they are asked for.
  let turn = Promise.resolve();

  // Who goes on does not wait for a picture that is slow to come.
  async function show() {
    const message = pictures.current;
    picture.alt = texts.picture(message.body.name ?? '');
    const { url } = await files.view(message.body.file).catch(() => ({ url: '' }));
    if (message === pictures.current) picture.src = url;
  }

  // Without a network there are those that the browser keeps.
  async function look() {
    for (const [element, step] of /** @type {[any, -1|1][]} */ ([[previous, -1], [next, 1]])) {
      element.disabled = !await pictures.has(step).catch(() => false);
    }
  }

  /** @param {-1|1} step */
  function go(step) {
    turn = turn.then(async () => {
      if (!await pictures.go(step).catch(() => false)) return;
      zoom.reset();
      show();
      await look();
    });
  }

  // A button that is disabled takes the focus along. Keys are for the picture wherever the focus is.
  const closed = new AbortController();
  addEventListener('keydown', ({ key }) => {
    if (key === 'ArrowLeft' || key === 'ArrowRight') go(key === 'ArrowLeft' ? -1 : 1);
    else zoom.press(key);
  }, { capture: true, signal: closed.signal });
  swiped(dialog, (step) => { if (!zoom.isClose) go(step); });
  dialog.onclose = () => {
    closed.abort();
    dialog.remove();
  };
  previous.disabled = next.disabled = true;
  document.body.append(dialog);
  dialog.showModal();
  show();
  turn = look();
}

function swiped(element, go) {
  let start;
  element.onpointerdown = ({ clientX, pointerType, isPrimary }) => { start = pointerType === 'mouse' || !isPrimary ? undefined : clientX; };
  element.onpointerup = ({ clientX }) => {
    if (start !== undefined && Math.abs(clientX - start) > 60) go(clientX < start ? 1 : -1);
    start = undefined;
  };
}
