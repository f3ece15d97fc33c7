import { ask, field, isSure } from './page-dialogs.js';
import { act, card, make, notice, save } from './page-elements.js';
import { fileSize } from './page-files.js';
import { errorText, texts } from './page-texts.js';

/**
 * What the user has here: how much the browser keeps, a copy of everything, and the end of the account.
 * @param {{parley: import('./parley.js').Parley, erased: () => void}} parts
 */
export async function accountCard({ parley, erased }) {
  const used = (await navigator.storage?.estimate?.().catch(() => undefined))?.usage;
  const words = make('p', { class: 'hint' }, used === undefined ? texts.storageUnknown : texts.storageUsed(fileSize(used)));
  const erase = act(texts.eraseAccount, () => tried(() => eraseAccount(parley, erased)));
  erase.classList.add('wrong');
  return card(texts.yourData, words, act(texts.exportData, () => tried(() => exportData(parley))), erase);
}

async function exportData(parley) {
  notice(texts.exporting);
  const lines = await parley.exportData();
  // A copy that broke off says so by its missing last line.
  if (!(await lines.slice(-64).text()).includes('"end"')) return notice(texts.exportIncomplete);
  save(lines, `parley-${new Date().toISOString().slice(0, 10)}.jsonl`);
}

async function eraseAccount(parley, erased) {
  const hasPassword = parley.userName !== undefined;
  const hint = make('p', {}, texts.eraseSure);
  const password = field(texts.password, { name: 'password', type: 'password', autocomplete: 'current-password', required: '' });
  const form = hasPassword ? await ask(texts.eraseAccount, [hint, password], { confirm: texts.eraseAccount, isDanger: true }) : undefined;
  if (hasPassword ? !form : !await isSure(texts.eraseSure, texts.eraseAccount)) return;
  await parley.deleteAccount(form && String(form.get('password')));
  erased();
  notice(texts.erased);
}

async function tried(work) {
  try {
    await work();
  } catch (error) {
    notice(errorText(error));
  }
}
