// What the user chose for this browser.
const key = 'parley settings';

const defaults = { language: '', theme: '', sounds: true, notifications: false, microphone: '', camera: '', loudspeaker: '' };

/** @type {typeof defaults} */
export const settings = { ...defaults, ...read() };

/** @param {Partial<typeof defaults>} changes */
export function changeSettings(changes) {
  Object.assign(settings, changes);
  localStorage.setItem(key, JSON.stringify(settings));
  applyTheme();
}

/** Light or dark, or what the system says. */
export function applyTheme() {
  document.documentElement.dataset.theme = settings.theme;
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {
    return {}; // Damaged: as good as nothing.
  }
}
