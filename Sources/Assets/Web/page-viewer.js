import { icon, make, nameButton } from './page-elements.js';
import { texts } from './page-texts.js';

/**
 * A picture over the whole page; keys, buttons and a swipe go through the others of the conversation.
 * @param {any[]} messages with one picture each, in order
 * @param {any} message the one to begin with
 * @param {import('./parley-files.js').Files} files
 */
export function openViewer(messages, message, files) {
  let index = messages.findIndex(({ number }) => number === message.number);
  const picture = make('img', { alt: '' });
  const button = (name, text, action) => {
    const element = make('button', { class: `round ${name}`, type: 'button' }, icon(name));
    nameButton(element, text);
    element.onclick = action;
    return element;
  };
  const dialog = make('dialog', { class: 'viewer', tabindex: '-1', autofocus: '', 'aria-label': texts.kinds.image }, picture,
    button('previous', texts.previousPicture, () => go(-1)), button('next', texts.nextPicture, () => go(1)),
    button('close', texts.close, () => dialog.close()));

  async function show() {
    const { body } = messages[index];
    picture.alt = texts.picture(body.name ?? '');
    dialog.querySelector('.previous').disabled = index === 0;
    dialog.querySelector('.next').disabled = index === messages.length - 1;
    // A button that goes takes the focus along, and with it the keys.
    if (document.activeElement?.matches(':disabled')) dialog.focus();
    picture.src = (await files.view(body.file).catch(() => ({ url: '' }))).url;
  }

  function go(step) {
    const next = index + step;
    if (next < 0 || next >= messages.length) return;
    index = next;
    picture.classList.remove('large');
    show();
  }

  dialog.onkeydown = ({ key }) => go({ ArrowLeft: -1, ArrowRight: 1 }[key] ?? messages.length);
  picture.onclick = () => picture.classList.toggle('large');
  swiped(dialog, go);
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
  show();
}

function swiped(element, go) {
  let start;
  element.onpointerdown = ({ clientX, pointerType }) => { start = pointerType === 'mouse' ? undefined : clientX; };
  element.onpointerup = ({ clientX }) => {
    if (start !== undefined && Math.abs(clientX - start) > 60) go(clientX < start ? 1 : -1);
    start = undefined;
  };
}
