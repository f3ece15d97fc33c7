import { ParleyError } from './parley-error.js';

const microphone = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
const camera = { width: { ideal: 1280 }, height: { ideal: 720 } };
/** @type {{microphone?: string, camera?: string}} */
const preferred = {};

/**
 * Which devices are opened from now on, by their ids; an empty one leaves it to the browser. In place of a device that is gone
 * another one is opened.
 * @param {{microphone?: string, camera?: string}} choice
 */
export function preferDevices(choice) { Object.assign(preferred, choice); }

/**
 * What there is to choose from. Names are known once a device was opened.
 * @returns {Promise<{microphones: MediaDeviceInfo[], cameras: MediaDeviceInfo[], loudspeakers: MediaDeviceInfo[]}>}
 */
export async function listDevices() {
  const all = await navigator.mediaDevices?.enumerateDevices() ?? [];
  const of = (kind) => all.filter((device) => device.kind === kind && device.deviceId !== '');
  return { microphones: of('audioinput'), cameras: of('videoinput'), loudspeakers: of('audiooutput') };
}

/**
 * Asks for a microphone, and for a camera when `kind` is `video`. Who has only one of them talks, or is seen, without the other.
 * @param {'audio'|'video'} kind
 * @returns {Promise<MediaStream>}
 */
export async function openMedia(kind) {
  const [audio, video] = [microphoneWanted(), cameraWanted()];
  const wanted = kind === 'video' ? [{ audio, video }, { audio }, { video }] : [{ audio }];
  for (const devices of wanted.slice(0, -1)) {
    try {
      return await ask(devices);
    } catch (error) {
      if (error.code !== 'missing') throw error;
    }
  }
  return ask(wanted.at(-1));
}

/** @returns {Promise<MediaStreamTrack>} */
export async function openCamera() { return (await ask({ video: cameraWanted() })).getVideoTracks()[0]; }

/** @returns {Promise<MediaStreamTrack>} */
export async function openMicrophone() { return (await ask({ audio: microphoneWanted() })).getAudioTracks()[0]; }

/** A screen or a window of the user's choice, with its sound where the browser gives it. @returns {Promise<MediaStream>} */
export function openScreen() {
  return granted(() => navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { max: 30 } }, audio: true }));
}

function microphoneWanted() { return { ...microphone, ...(preferred.microphone && { deviceId: { exact: preferred.microphone } }) }; }

function cameraWanted() { return { ...camera, ...(preferred.camera ? { deviceId: { exact: preferred.camera } } : { facingMode: 'user' }) }; }

function ask(constraints) { return granted(() => openPreferred(constraints)); }

async function openPreferred(constraints) {
  try {
    return await navigator.mediaDevices.getUserMedia(constraints);
  } catch (error) {
    if (error.name !== 'OverconstrainedError') throw error;
    const anyDevice = ([kind, wanted]) => [kind, { ...wanted, deviceId: undefined }];
    return navigator.mediaDevices.getUserMedia(Object.fromEntries(Object.entries(constraints).map(anyDevice)));
  }
}

async function granted(open) {
  // Browsers hide devices from pages that came without HTTPS from another machine.
  if (!navigator.mediaDevices) throw new ParleyError('insecure', 'devices need HTTPS or localhost');
  try {
    return await open();
  } catch (error) {
    throw new ParleyError(codes[error.name] ?? 'missing', `${error.name}: ${error.message}`);
  }
}

const codes = {
  NotAllowedError: 'denied',
  SecurityError: 'denied',
  NotReadableError: 'in_use',
  AbortError: 'in_use',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
};
