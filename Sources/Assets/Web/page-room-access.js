import { ask, field, isSure } from './page-dialogs.js';
import { make, notice } from './page-elements.js';
import { errorText, texts } from './page-texts.js';

const longest = 128;

/**
 * Who may come into rooms: what we ask of others, what a room asks of us, and who waits at the door.
 */
export class RoomAccess {
  #parley;
  #password;
  #byInvitation;

  /** @param {import('./parley.js').Parley} parley @param {HTMLFormElement} form in which rooms are named */
  constructor(parley, form) {
    this.#parley = parley;
    this.#password = make('input', { type: 'password', autocomplete: 'off', maxlength: String(longest) });
    this.#byInvitation = make('input', { type: 'checkbox' });
    // One or the other.
    this.#byInvitation.onchange = () => { this.#password.disabled = this.#byInvitation.checked; };
    form.querySelector('.pair').before(make('details', {}, make('summary', {}, texts.roomAccess),
      make('label', { class: 'field' }, texts.roomPassword, this.#password),
      make('label', {}, this.#byInvitation, ` ${texts.roomByInvitation}`)));
  }

  /**
   * Comes into a room, and asks the person for whatever it asks for. Nothing when they would rather not.
   * @param {string} name
   * @param {object} options as for `Parley.join`
   */
  async join(name, options) {
    let key = this.#wanted();
    for (;;) {
      try {
        const room = await this.#parley.join(name, { ...options, ...key });
        room.addEventListener('knocked', ({ detail }) => this.#letIn(room, detail));
        this.#forget();
        return room;
      } catch (error) {
        key = await this.#answer(name, error);
        if (key === undefined) return undefined;
      }
    }
  }

  #wanted() {
    if (this.#byInvitation.checked) return { byInvitation: true };
    return this.#password.value ? { password: this.#password.value } : {};
  }

  #forget() {
    this.#password.value = '';
    this.#password.disabled = this.#byInvitation.checked = false;
  }

  async #answer(name, error) {
    switch (error.code) {
      case 'password_required': return this.#ask(texts.passwordAsked);
      case 'wrong_password': return this.#ask(errorText(error));
      case 'invitation_required': return await this.#knock(name) ? {} : undefined;
      default: throw error;
    }
  }

  async #ask(title) {
    const password = field(texts.roomPassword, {
      name: 'password', type: 'password', autocomplete: 'off', maxlength: String(longest), required: '',
    });
    const given = (await ask(title, [password], { confirm: texts.enterRoom }))?.get('password');
    return given ? { password: String(given) } : undefined;
  }

  /** @returns {Promise<boolean>} whether we were let in */
  async #knock(name) {
    if (!await ask(texts.invitationAsked, [], { confirm: texts.knock })) return false;
    const admitted = new Promise((resolve) => {
      const heard = ({ detail }) => {
        if (detail.room !== name) return;
        this.#parley.removeEventListener('room.admitted', heard);
        resolve(true);
      };
      this.#parley.addEventListener('room.admitted', heard);
    });
    await this.#parley.knock(name);
    notice(texts.knocked);
    return admitted;
  }

  async #letIn(room, { user, name }) {
    if (room.isLeft || !await isSure(texts.asksToComeIn(name), texts.letIn)) return;
    await room.admit(user).catch((error) => notice(errorText(error)));
  }
}
