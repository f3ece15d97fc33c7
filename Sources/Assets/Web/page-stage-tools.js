import { openDevices } from './page-devices.js';
import { byID, nameButton, notice } from './page-elements.js';
import { openMenu } from './page-menu.js';
import { changeSettings } from './page-settings.js';
import { errorText, texts } from './page-texts.js';
import { listDevices } from './parley.js';

/** What one may do in a call beside talking: share a screen, other devices, other views, more people. */
export class StageTools {
  #stage;
  #cameras = 0;

  /** @param {import('./page-stage.js').Stage} stage */
  constructor(stage) {
    this.#stage = stage;
    byID('share').hidden = !navigator.mediaDevices?.getDisplayMedia;
    byID('share').onclick = () => this.#do(() => this.#share());
    byID('stage-more').onclick = () => this.#open();
    navigator.mediaDevices?.addEventListener('devicechange', () => this.#count());
    byID('tiles').ondblclick = () => this.#do(toggleFullScreen);
  }

  get #talk() { return this.#stage.talk; }

  // A browser may answer only once its window has the focus: no menu waits for that.
  begin() { this.#count(); }

  paint() {
    const { isSharing, localStream } = this.#talk;
    byID('share').disabled = localStream === undefined;
    byID('share').setAttribute('aria-pressed', `${isSharing}`);
    nameButton(byID('share'), isSharing ? texts.stopSharing : texts.shareScreen);
  }

  async #count() { this.#cameras = (await listDevices()).cameras.length; }

  #open() {
    const { left, top } = byID('stage-more').getBoundingClientRect();
    openMenu({ x: left, y: top - 320 }, this.#items());
  }

  #items() {
    const talk = this.#talk;
    const items = [{ text: texts.devicesTitle, action: () => openDevices(talk) }];
    const add = (isThere, text, action) => { if (isThere) items.push({ text, action: () => this.#do(action) }); };
    add(this.#cameras > 1 && talk.camera, texts.flipCamera, async () => changeSettings({ camera: await talk.flipCamera() ?? '' }));
    add(this.#stage.others > 1, this.#stage.isSpeakerView ? texts.gridView : texts.speakerView, () => this.#stage.toggleView());
    add(document.fullscreenEnabled, document.fullscreenElement ? texts.leaveFullScreen : texts.fullScreen, toggleFullScreen);
    add(document.pictureInPictureEnabled && this.#stage.mainVideo, texts.pictureInPicture, () => this.#stage.mainVideo.requestPictureInPicture());
    add(this.#stage.onAddPeople, texts.addPeople, () => this.#stage.onAddPeople(talk));
    add(talk.ticket && this.#stage.onMoved, texts.moveCall, () => this.#stage.onMoved(talk));
    return items;
  }

  async #share() {
    if (this.#talk.isSharing) this.#talk.stopSharing();
    else await this.#talk.share();
  }

  async #do(work) {
    try {
      await work();
    } catch (error) {
      // A user who chose no screen knows that.
      if (error.code !== 'denied' || !navigator.mediaDevices) notice(errorText(error));
    }
  }
}

async function toggleFullScreen() {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen();
}
