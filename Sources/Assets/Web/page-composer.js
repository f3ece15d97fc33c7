import { byID, icon, make, nameButton } from './page-elements.js';
import { digest } from './page-digest.js';
import { fileBody, kindOf } from './page-files.js';
import { emotions } from './page-emotions.js';
import { later } from './page-later.js';
import { openMenu } from './page-menu.js';
import { SlowClock } from './page-slow.js';
import { texts } from './page-texts.js';
import { VoiceButton } from './page-voice.js';

const typingAgain = 3_000;
const mostPictures = 5;
export const emoji = ['👍', '❤️', '😂', '😮', '😢', '🙏', '🎉', '😀', '😊', '😍', '🤔', '😴', '😎', '🙈', '👋', '👏', '💪', '🌸', '☕', '🍵', '🚗', '✅', '❌', '🔥'];

/** Where one writes: text, pictures, files, voice; an answer to a message, or other words for one's own. */
export class Composer {
  #chat;
  #target;
  #draftKey;
  #reply;
  #editing;
  #typedAt = 0;
  #slow = new SlowClock();
  #names;
  /** The people one may mention. @type {() => {user: string, name?: string}[]} */
  #people;

  /** @param {{chat: () => import('./parley-chat.js').Chat, names: any, people: () => {user: string, name?: string}[]}} parts */
  constructor({ chat, names, people }) {
    this.#chat = chat;
    this.#names = names;
    this.#people = people;
    const input = byID('write');
    byID('compose').onsubmit = (event) => {
      event.preventDefault();
      this.#submit();
    };
    input.onkeydown = (event) => this.#keyDown(event);
    input.oninput = () => this.#changed();
    input.onpaste = (event) => this.#brought(event, event.clipboardData);
    byID('conversation').ondragover = (event) => event.preventDefault();
    byID('conversation').ondrop = (event) => this.#brought(event, event.dataTransfer);
    byID('attach').onclick = () => byID('files').click();
    byID('files').onchange = () => this.#sendFiles(byID('files'));
    byID('photo').hidden = !navigator.mediaDevices;
    byID('photo').onclick = async () => (await later(() => import('./page-camera.js')))?.openCameraDialog((file, more) => this.#sendFile(file, more));
    byID('locate').onclick = () => this.#sendPosition();
    byID('emoji').onclick = () => this.#openEmoji();
    this.#slow.onChanged = () => { byID('send').disabled = this.#slow.isWaiting && !this.#editing; };
    new VoiceButton(({ file, seconds, waveform }) => this.#send({ kind: 'voice', file, body: { duration: seconds, waveform } }));
  }

  /** @param {{conversation: string}|{user: string}} target */
  open(target) {
    this.#turnTo(target);
    this.#setContext();
    byID('write').value = localStorage.getItem(this.#draftKey) ?? '';
    this.#resize();
  }

  close() {
    this.#slow.follow(undefined);
    if (this.#typedAt > 0) this.#typing(false);
    this.#target = undefined;
  }

  /** A conversation begins to exist with its first message. */
  becomes(conversation) {
    localStorage.removeItem(this.#draftKey);
    this.#turnTo({ conversation });
    this.#changed();
  }

  #turnTo(target) {
    this.#target = target;
    this.#draftKey = `parley draft ${this.#chat().user} ${target.conversation ?? target.user}`;
  }

  /** By the rules of this conversation. @param {import('./parley-conversation.js').Conversation|undefined} conversation */
  obey(conversation) { this.#slow.follow(conversation); }

  reply(message) {
    this.#setContext({ reply: message });
    byID('write').focus();
  }

  edit(message) {
    this.#setContext({ editing: message });
    byID('write').value = message.body?.text ?? '';
    this.#resize();
    byID('write').focus();
  }

  /** The last of one's own messages, when the input is empty and the user asks for it by key. */
  onEditLast = () => {};

  // MARK: What is written

  #keyDown(event) {
    if (event.isComposing) return;
    const isPhone = matchMedia('(pointer: coarse)').matches;
    if (event.key === 'Enter' && !event.shiftKey && !isPhone) {
      event.preventDefault();
      this.#submit();
    } else if (event.key === 'Escape' && (this.#reply || this.#editing)) {
      event.stopPropagation();
      this.#leaveContext();
    } else if (event.key === 'ArrowUp' && byID('write').value === '') {
      event.preventDefault();
      this.onEditLast();
    }
  }

  #changed() {
    this.#resize();
    const { value } = byID('write');
    if (this.#editing) return;
    if (value) localStorage.setItem(this.#draftKey, value);
    else localStorage.removeItem(this.#draftKey);
    this.#typing(value !== '');
  }

  // Said once in a while: the server forgets it after six seconds.
  #typing(on) {
    const { conversation } = this.#target ?? {};
    if (!conversation || (on && Date.now() - this.#typedAt < typingAgain) || (!on && this.#typedAt === 0)) return;
    this.#typedAt = on ? Date.now() : 0;
    this.#chat().typing(conversation, on);
  }

  #resize() {
    const input = byID('write');
    input.rows = Math.min(8, Math.max(1, input.value.split('\n').length));
    byID('send').hidden = input.value.trim() === '';
    byID('record').hidden = !byID('send').hidden;
  }

  #submit() {
    const text = byID('write').value.trim();
    if (!text || !this.#target) return;
    // What is written stays until it may leave.
    if (this.#slow.isWaiting && !this.#editing) return;
    if (this.#editing) this.#change(text);
    else this.#send({ kind: 'text', body: { text }, ...this.#mentions(text), ...(this.#reply && { reply: this.#reply.number }) });
    this.#leaveContext();
  }

  onFailed = () => {};

  #change(text) {
    const { conversation, number, body } = this.#editing;
    if (text === body?.text) return;
    this.#chat().edit(conversation, number, { ...body, text }).catch((error) => this.onFailed(error));
  }

  #mentions(text) {
    const mentions = this.#people().filter(({ name }) => name && text.includes(`@${name}`)).map(({ user }) => user);
    return mentions.length > 0 ? { mentions } : {};
  }

  #send(content) {
    if (!this.#target) return;
    this.#chat().send(this.#target, content);
    this.#typedAt = 0;
  }

  // MARK: Files and emoji

  #brought(event, data) {
    if (!data?.files.length) return;
    event.preventDefault();
    this.#sendFiles(data);
  }

  async #sendFiles(source) {
    const files = [...source.files];
    if (source instanceof HTMLInputElement) source.value = '';
    const pictures = files.filter((file) => kindOf(file) === 'image').slice(0, mostPictures);
    for (const file of files.filter((file) => kindOf(file) !== 'image' || pictures.includes(file))) {
      await this.#sendFile(file);
    }
  }

  async #sendFile(file, more = {}) {
    const [target, body] = [this.#target, await fileBody(file)];
    if (target) this.#chat().send(target, { kind: kindOf(file), file, body: { ...body, ...more } });
  }

  async #sendPosition() {
    const loaded = await later(() => import('./page-places.js'));
    const body = await loaded?.pickPosition(this.#chat().user);
    if (body) this.#send({ kind: 'location', body });
  }

  #openEmoji() {
    const { left, top } = byID('emoji').getBoundingClientRect();
    const grid = make('div', { class: 'emoji-grid', role: 'group', 'aria-label': texts.emoji }, ...emoji.map((sign) => {
      const button = make('button', { type: 'button', class: 'plain', role: 'menuitem' }, sign);
      button.onclick = () => this.#insert(sign);
      return button;
    }));
    const big = make('div', { class: 'emoji-grid big-signs', role: 'group', 'aria-label': texts.bigEmotions }, ...Object.entries(emotions).map(([name, sign]) => {
      const button = make('button', { type: 'button', class: 'plain', role: 'menuitem' }, sign);
      nameButton(button, texts.emotions[name]);
      button.onclick = () => this.#send({ kind: 'emotion', body: { name, text: sign } });
      return button;
    }));
    openMenu({ x: left, y: top - 360 }, [], [grid, make('p', { class: 'hint small' }, texts.bigEmotions), big]);
  }

  #insert(text) {
    const input = byID('write');
    input.setRangeText(text, input.selectionStart, input.selectionEnd, 'end');
    this.#changed();
    setTimeout(() => input.focus());
  }

  // MARK: What it belongs to

  #leaveContext() {
    byID('write').value = '';
    this.#setContext();
    this.#changed();
  }

  #setContext({ reply, editing } = {}) {
    this.#reply = reply;
    this.#editing = editing;
    byID('send').disabled = this.#slow.isWaiting && !editing;
    const message = reply ?? editing;
    byID('context').hidden = message === undefined;
    if (!message) return byID('context').replaceChildren();
    const close = make('button', { type: 'button', class: 'plain' }, icon('close'));
    nameButton(close, texts.cancel);
    close.onclick = () => this.#leaveContext();
    const title = editing ? texts.editing : texts.replyTo(this.#names.name(message.from));
    byID('context').replaceChildren(make('span', {}, make('strong', {}, title), make('span', { dir: 'auto' }, digest(message, this.#names))), close);
  }
}
