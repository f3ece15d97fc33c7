import { byID, make, paintFace } from './page-elements.js';
import { texts } from './page-texts.js';

/**
 * A modal dialog with a title; what it answers is what its form was sent with, and nothing when it was closed.
 * @param {string} title
 * @param {Node[]} content
 * @param {{confirm?: string, isDanger?: boolean}} [options]
 * @returns {Promise<FormData|undefined>}
 */
export function ask(title, content, { confirm, isDanger = false } = {}) {
  const id = `title-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  const cancel = make('button', { type: 'button' }, confirm ? texts.cancel : texts.close);
  const buttons = confirm ? [make('button', { class: isDanger ? 'danger' : 'primary' }, confirm), cancel] : [cancel];
  const form = make('form', { method: 'dialog' }, ...content, make('div', { class: 'pair' }, ...buttons));
  const dialog = make('dialog', { class: 'sheet', 'aria-labelledby': id }, make('h2', { id }, title), form);
  cancel.onclick = () => dialog.close();
  document.body.append(dialog);
  return new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      resolve(new FormData(form, event.submitter));
      dialog.close();
    };
    dialog.onclose = () => {
      dialog.remove();
      resolve(undefined);
    };
    dialog.showModal();
  });
}

/** @returns {Promise<boolean>} */
export async function isSure(question, confirm = texts.yes) {
  return (await ask(question, [], { confirm, isDanger: true })) !== undefined;
}

/**
 * Choosing people: one by a click, or several by ticks.
 * @param {{user: string, name?: string, avatar?: string}[]} people
 */
export function peopleChoice(people) {
  if (people.length === 0) return make('p', { class: 'hint' }, texts.nobodyHere);
  return make('ul', { class: 'people choice' }, ...people.map((person) => {
    const face = make('span', { class: 'face', 'aria-hidden': 'true' });
    paintFace(face, person);
    const tick = make('input', { type: 'checkbox', name: 'user', value: person.user });
    return make('li', {}, make('label', {}, tick, face, make('span', { class: 'name', dir: 'auto' }, person.name ?? texts.unnamed)));
  }));
}

/** A field with its label. */
export function field(label, attributes) {
  const input = make('input', attributes);
  return make('label', { class: 'field' }, label, input);
}

/** Shows a view and hides the others of its kind. */
export function showOnly(id, ids) { for (const other of ids) byID(other).hidden = other !== id; }
