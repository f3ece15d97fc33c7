import { accountCard } from './page-account.js';
import { ask, field, isSure } from './page-dialogs.js';
import { act, byID, card, make, nameButton, notice, paintFace } from './page-elements.js';
import { canNotify, turnOffNotifications, turnOnNotifications } from './page-notifications.js';
import { later } from './page-later.js';
import { changeSettings, settings } from './page-settings.js';
import { errorText, language, texts } from './page-texts.js';
import { fullTime } from './page-time.js';

/** Oneself: what others see, how the page looks, where one is signed in. */
export class MePlace {
  #parley;
  #names;

  #signedOut;

  /** @param {{parley: import('./parley.js').Parley, names: any, signedOut: () => void}} parts */
  constructor({ parley, names, signedOut }) {
    this.#parley = parley;
    this.#names = names;
    this.#signedOut = signedOut;
  }

  async open() {
    const place = byID('me-content');
    place.replaceChildren(this.#appearance());
    try {
      const profile = await this.#parley.profile();
      const devices = await this.#parley.devices().catch(() => []);
      const blocked = await this.#parley.chat.blocked();
      const account = await accountCard({ parley: this.#parley, erased: () => this.#signedOut() });
      place.replaceChildren(this.#profile(profile), this.#appearance(), this.#devices(devices), ...this.#password(), this.#blocked(blocked), account);
    } catch (error) {
      // Without a line, what needs none is still here.
      if (error.code !== 'closed') notice(errorText(error));
    }
  }

  // MARK: What others see

  #profile(profile) {
    const face = make('span', { class: 'face big', 'aria-hidden': 'true' });
    paintFace(face, profile);
    const input = make('input', { type: 'file', accept: 'image/png,image/jpeg,image/webp,image/gif', hidden: '' });
    input.onchange = () => this.#do(() => this.#changePicture(input.files[0]));
    const choose = act(texts.changePicture, () => input.click());
    const remove = profile.avatar ? [act(texts.removePicture, () => this.#do(() => this.#parley.changeProfile({ avatar: '' })))] : [];
    const form = make('form', {}, field(texts.displayName, { name: 'name', maxlength: '64', value: profile.name ?? '', autocomplete: 'nickname' }),
      make('button', { class: 'primary' }, texts.save));
    form.onsubmit = (event) => {
      event.preventDefault();
      this.#do(() => this.#parley.changeProfile({ name: String(new FormData(form).get('name')) }));
    };
    return card(texts.profile, make('div', { class: 'pair' }, face, choose, ...remove, input), form);
  }

  async #changePicture(file) {
    const picture = file && await (await later(() => import('./page-crop.js')))?.openCrop(file);
    if (picture) await this.#parley.changeProfile({ avatar: await this.#parley.files.upload(picture) });
  }

  async #do(work) {
    try {
      await work();
      const profile = await this.#parley.profile();
      this.#names.know(profile);
      byID('my-name').textContent = profile.name ?? this.#parley.name;
      notice(texts.saved);
    } catch (error) {
      notice(errorText(error));
    }
    await this.open();
  }

  // MARK: How the page looks

  #appearance() {
    const languages = { en: 'English', zh: '中文' };
    const chosen = choice(texts.language, languages, language, (value) => {
      changeSettings({ language: value });
      location.reload();
    });
    const theme = choice(texts.theme, texts.themes, settings.theme, (value) => changeSettings({ theme: value }));
    const sounds = make('input', { type: 'checkbox', ...(settings.sounds && { checked: '' }) });
    sounds.onchange = () => changeSettings({ sounds: sounds.checked });
    const check = act(texts.checkDevices, async () => (await later(() => import('./page-devices.js')))?.openDevices());
    return card(texts.appearance, chosen, theme, make('label', { class: 'tick' }, sounds, texts.sounds), ...this.#notifications(), check);
  }

  #notifications() {
    if (!canNotify()) return [];
    const tick = make('input', { type: 'checkbox', ...(settings.notifications && { checked: '' }) });
    tick.onchange = async () => {
      tick.checked = tick.checked ? await turnOnNotifications(this.#parley) : await turnOffNotifications(this.#parley);
    };
    return [make('label', { class: 'tick' }, tick, texts.notifications), make('p', { class: 'hint small' }, texts.notificationsWhy)];
  }

  // MARK: Where one is signed in

  #devices(devices) {
    const rows = devices.map(({ device, lastUsed, current }) => {
      const words = make('span', { class: 'who' }, make('span', { class: 'name' }, current ? texts.thisDevice : device.slice(0, 8)), make('small', {}, texts.lastUsed(fullTime(lastUsed))));
      const button = act(texts.signOutDevice, async () => {
        await this.#parley.signOutDevice(device).catch((error) => notice(errorText(error)));
        await this.open();
      });
      return make('li', {}, words, ...(current ? [] : [button]));
    });
    const all = act(texts.signOutAll, async () => {
      if (!await isSure(texts.signOutSure, texts.signOutAll)) return;
      await this.#parley.signOutDevice().catch((error) => notice(errorText(error)));
      this.#signedOut();
    });
    return card(texts.devices, make('ul', { class: 'people' }, ...rows), all);
  }

  #password() {
    if (this.#parley.userName === undefined) return [];
    const change = act(texts.changePassword, async () => {
      const form = await ask(texts.changePassword, [
        field(texts.oldPassword, { name: 'old', type: 'password', autocomplete: 'current-password', required: '' }),
        field(texts.newPassword, { name: 'new', type: 'password', autocomplete: 'new-password', minlength: '8', required: '' }),
        make('p', { class: 'hint small' }, texts.passwordHint),
      ], { confirm: texts.changePassword });
      if (!form) return;
      try {
        await this.#parley.changePassword(String(form.get('old')), String(form.get('new')));
        notice(texts.passwordChanged);
      } catch (error) {
        notice(errorText(error));
      }
    });
    return [card(texts.password, change)];
  }

  #blocked(users) {
    const rows = users.map((user) => {
      const button = act(texts.unblock, async () => {
        await this.#parley.chat.block(user, false);
        await this.open();
      });
      nameButton(button, `${texts.unblock}: ${this.#names.name(user)}`);
      return make('li', {}, make('span', { class: 'who' }, make('span', { class: 'name', dir: 'auto' }, this.#names.name(user))), button);
    });
    return card(texts.blockedPeople, rows.length > 0 ? make('ul', { class: 'people' }, ...rows) : make('p', { class: 'hint' }, texts.nobodyBlocked));
  }
}

function choice(label, options, chosen, changed) {
  const select = make('select', {}, ...Object.entries(options).map(([value, text]) =>
    make('option', { value, ...(value === chosen && { selected: '' }) }, text)));
  select.onchange = () => changed(select.value);
  return make('label', { class: 'field' }, label, select);
}
