import { icon, make, nameButton } from './page-elements.js';
import { texts } from './page-texts.js';
import { duration } from './page-time.js';

const speeds = [1, 1.5, 2];
const bars = 40;
let playing;

/**
 * A voice message that can be listened to: a button, its waveform, its length, and a dot until it was listened to. One plays at a time.
 * @param {{view: () => Promise<{url: string, duration?: number, waveform?: number[]}>, seconds?: number, waveform?: number[], isNew?: boolean, heard?: () => void}} voice
 */
export function voicePlayer({ view, seconds = 0, waveform = [], isNew = false, heard = () => {} }) {
  const sound = new Audio();
  sound.preload = 'metadata';
  let source;
  const button = make('button', { class: 'small-round', type: 'button', disabled: '' });
  const wave = make('span', { class: 'wave', 'aria-hidden': 'true' }, ...heights(waveform).map(bar));
  const clock = make('span', { class: 'length' }, duration(seconds));
  const speed = make('button', { class: 'speed plain', type: 'button' }, '1×');
  const dot = make('span', { class: 'dot', role: 'img' });
  nameButton(dot, texts.notHeard);
  const player = make('span', { class: 'voice' }, button, wave, clock, speed, ...(isNew ? [dot] : []));
  paint();
  fetchSound();

  function paint() {
    button.replaceChildren(icon(sound.paused ? 'play' : 'pause'));
    nameButton(button, button.disabled ? texts.soundComing : sound.paused ? texts.play : texts.pause);
    nameButton(speed, texts.speed(sound.playbackRate));
  }

  async function fetchSound() {
    try {
      await refer();
    } catch {
      gone();
    }
  }

  // Links to files are good for a while.
  async function refer() {
    const { url, ...measured } = await view();
    // What its sender does not say, the server has measured.
    seconds ||= measured.duration ?? 0;
    if (waveform.length === 0 && measured.waveform) wave.replaceChildren(...heights(waveform = measured.waveform).map(bar));
    if (url !== source) sound.src = source = url;
  }

  function ready() {
    button.disabled = false;
    clock.textContent = duration(seconds);
    paint();
  }

  // Without a network it comes with the network.
  function gone() {
    clock.replaceChildren(texts.fileGone);
    source = undefined;
    addEventListener('online', fetchSound, { once: true });
  }

  function progressed() {
    const total = Number.isFinite(sound.duration) ? sound.duration : seconds;
    const part = total > 0 ? sound.currentTime / total : 0;
    [...wave.children].forEach((element, index) => element.classList.toggle('played', index < part * bars));
    clock.textContent = duration(sound.paused && part === 0 ? total : sound.currentTime);
  }

  button.onclick = async () => {
    if (!sound.paused) return sound.pause();
    playing?.pause();
    playing = sound;
    try {
      await refer();
      await sound.play();
      if (dot.isConnected) heard();
      dot.remove();
    } catch {
      gone();
    }
  };
  speed.onclick = () => {
    sound.playbackRate = speeds[(speeds.indexOf(sound.playbackRate) + 1) % speeds.length];
    speed.textContent = `${sound.playbackRate}×`;
    paint();
  };
  sound.onplay = sound.onpause = () => {
    player.classList.toggle('playing', !sound.paused);
    paint();
  };
  sound.onloadedmetadata = ready;
  sound.onerror = gone;
  sound.ontimeupdate = progressed;
  sound.onended = () => {
    player.classList.remove('playing');
    sound.currentTime = 0;
    progressed();
    player.dispatchEvent(new Event('heard', { bubbles: true }));
  };
  return player;
}

function heights(waveform) {
  if (waveform.length === 0) return Array(bars).fill(20);
  return Array.from({ length: bars }, (_, index) => waveform[Math.floor(index * waveform.length / bars)] ?? 0);
}

// Classes, not styles: the page allows itself none inline. Ten steps are enough to see a voice.
function bar(height) { return make('i', { 'data-height': `${Math.min(10, Math.max(1, Math.round(height / 10)))}` }); }
