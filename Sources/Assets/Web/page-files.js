import { make } from './page-elements.js';
import { texts } from './page-texts.js';

/** @param {number} bytes */
export function fileSize(bytes) {
  const units = ['B', 'KB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 || bytes / 1000 ** power >= 10 ? 0 : 1)} ${units[power]}`;
}

/** What a chosen file is sent as. @param {File|Blob} file */
export function kindOf(file) {
  if (/^image\/(png|jpeg|gif|webp)$/.test(file.type)) return 'image';
  if (/^video\/(mp4|webm)$/.test(file.type)) return 'video';
  return 'file';
}

/** What a message says of a file beside its id. @param {File} file */
export async function fileBody(file) {
  const body = { name: file.name, size: file.size };
  if (kindOf(file) !== 'image') return body;
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (!picture) return body;
  const { width, height } = picture;
  picture.close();
  return { ...body, width, height };
}

/**
 * Fills an element with what a file is, once that is known.
 * @param {HTMLElement} element
 * @param {Promise<import('./parley-files.js').FileView>} view
 * @param {(view: import('./parley-files.js').FileView) => void} fill
 */
export async function whenKnown(element, view, fill) {
  try {
    fill(await view);
  } catch {
    element.replaceChildren(make('span', { class: 'gone' }, texts.fileGone));
  }
}
