import { icon, make, nameButton } from './page-elements.js';
import { callText } from './page-digest.js';
import { emotionView } from './page-emotions.js';
import { fileSize, whenKnown } from './page-files.js';
import { linked } from './page-links.js';
import { voicePlayer } from './page-player.js';
import { coordinates, howFar, positionLink, positionOf } from './page-position.js';
import { texts } from './page-texts.js';

// A text beyond this is folded.
const longText = 1_500;
const widestPicture = 280;
// A card or a mixed message may say anything; so much of it is shown.
const mostFacts = 20;
const mostParts = 20;
const listened = '🎧';
// Up to three signs and nothing else are shown large.
const onlySigns = /^(?:\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]*(?:\u200D\p{Extended_Pictographic}\uFE0F?)*){1,3}$/u;

/**
 * What the views of messages need from the page.
 * @typedef {object} Surroundings
 * @property {import('./parley-files.js').Files} files
 * @property {string|undefined} me
 * @property {(user: string) => string} name
 * @property {(user: string) => {user: string, name?: string}} person
 * @property {(message: any) => void} openPicture
 * @property {(user: string, kind: string) => void} callBack
 * @property {(message: any, reaction: string) => void} heard
 */

/**
 * The inside of a bubble. What one does not know is said kindly, and kept.
 * @param {any} message
 * @param {Surroundings} around
 * @returns {(Node|string)[]}
 */
export function bodyView(message, around) {
  const view = views[message.kind];
  return view ? view(message.body ?? {}, message, around) : [make('span', { class: 'unknown' }, texts.unknownKind)];
}

const views = {
  text: ({ text = '' }, message, { person }) => textView(String(text), (message.mentions ?? []).map((user) => person(user).name)),
  notice: ({ text, oc }) => textView(String(text || (texts.orderEvents[oc?.type] ?? oc?.type ?? '')), []),
  image: (body, message, around) => [pictureView(body, message, around), ...caption(body)],
  video: (body, message, around) => [videoView(body, around)],
  voice: (body, message, around) => [voiceView(body, message, around)],
  file: (body, message, around) => [fileView(body, around)],
  location: (body) => [locationView(body)],
  card: (body) => cardView(body),
  mixed: (body, message, around) => mixedView(body, message, around),
  emotion: (body) => [emotionView(body)],
  call: (body, message, around) => [callView(body, message, around)],
};

function textView(text, mentioned) {
  const isName = (name) => mentioned.includes(name);
  if (text.length <= longText) return [make('span', { class: onlySigns.test(text) ? 'text signs' : 'text', dir: 'auto' }, ...linked(text, isName))];
  const shown = make('span', { class: 'text', dir: 'auto' }, ...linked(`${text.slice(0, longText)}…`, isName));
  const button = make('button', { class: 'plain', type: 'button' }, texts.showMore);
  button.onclick = () => {
    shown.replaceChildren(...linked(text, isName));
    button.remove();
  };
  return [shown, button];
}

function caption({ text }) { return text ? textView(String(text), []) : []; }

function pictureView({ file, name = '', width, height }, message, { files, openPicture }) {
  const picture = make('img', { alt: texts.picture(name), loading: 'lazy', ...shownSize(width, height) });
  const button = make('button', { class: 'picture', type: 'button' }, picture);
  button.onclick = () => openPicture(message);
  whenKnown(button, files.view(file), (view) => { picture.src = view.thumbnail?.url ?? view.url; });
  return button;
}

// A place of the right size from the start: nothing moves when the picture comes.
function shownSize(width, height) {
  if (!width || !height) return {};
  const part = Math.min(1, widestPicture / Math.max(width, height));
  return { width: `${Math.round(width * part)}`, height: `${Math.round(height * part)}` };
}

function videoView({ file }, { files }) {
  const video = make('video', { controls: '', preload: 'metadata', playsinline: '' });
  whenKnown(video, files.view(file), ({ url }) => { video.src = url; });
  return video;
}

// Who listened is kept as a reaction: so the server knows, all devices of the user do, and who spoke sees it.
function voiceView({ file, duration: seconds, waveform }, message, { files, me, heard }) {
  const isNew = message.from !== me && !message.reactions?.some(({ reaction, users }) => reaction === listened && users.includes(me));
  return voicePlayer({ view: () => files.view(file), seconds, waveform, isNew, heard: () => heard(message, listened) });
}

function fileView({ file, name, size }, { files }) {
  const title = make('span', { class: 'file-name', dir: 'auto' }, String(name ?? texts.kinds.file));
  const link = make('a', { class: 'file', download: '' }, icon('file'), make('span', {}, title, make('small', {}, size ? fileSize(size) : '')));
  whenKnown(link, files.view(file), (view) => {
    link.href = view.url;
    title.textContent = name ?? view.name ?? texts.kinds.file;
    nameButton(link, texts.download(title.textContent));
    link.querySelector('small').textContent = fileSize(view.size);
  });
  return link;
}

function locationView(body) {
  const position = positionOf(body);
  const title = make('span', { class: 'file-name', dir: 'auto' }, String(body.name || texts.kinds.location));
  if (!position) return title;
  const away = make('small', { class: 'away' });
  howFar(position).then((text) => { away.textContent = text ?? ''; });
  return make('a', { class: 'file', href: positionLink(position) }, icon('pin'),
    make('span', {}, title, make('small', { dir: 'auto' }, position.detail ?? ''), make('small', {}, coordinates(position)), away));
}

// A title, what there is to know of it, and where it is.
function cardView({ title, name, detail, map }) {
  const facts = typeof detail === 'object' && detail !== null ? Object.entries(detail).slice(0, mostFacts) : [];
  const list = facts.flatMap(([key, value]) => [make('dt', { dir: 'auto' }, String(key)), make('dd', { dir: 'auto' }, [value].flat().join(', '))]);
  return [
    make('span', { class: 'card-name', dir: 'auto' }, String(title ?? name ?? texts.kinds.card)),
    ...(typeof detail === 'string' ? textView(detail, []) : []),
    ...(list.length > 0 ? [make('dl', { class: 'facts' }, ...list)] : []),
    ...(positionOf(map ?? {}) ? [locationView(map)] : []),
  ];
}

// Texts and pictures in the order in which they were put together.
function mixedView({ text, parts, files }, message, around) {
  const views = (Array.isArray(parts) ? parts.slice(0, mostParts) : []).flatMap((part) => partView(part ?? {}, message, around));
  return [...(text ? textView(String(text), []) : []), ...views, ...(Array.isArray(files) ? files : []).map((file) => fileView({ file }, around))];
}

function partView({ text, image }, message, around) {
  if (text) return textView(String(text), []);
  return image ? [pictureView({ file: String(image) }, message, around)] : [];
}

function callView(body, message, { me, callBack }) {
  const button = make('button', { class: 'call-back plain', type: 'button' }, icon(body.kind === 'video' ? 'camera' : 'phone'), callText(message, me));
  nameButton(button, `${callText(message, me)}. ${texts.callBack}`);
  button.onclick = () => callBack(message.conversation, body.kind ?? 'audio');
  return button;
}
