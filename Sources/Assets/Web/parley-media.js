import { ParleyError } from './parley-error.js';

const microphone = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
const camera = { width: { ideal: 1280 }, height: { ideal: 720 }, facingMode: 'user' };

/**
 * Asks for a microphone, and for a camera when `kind` is `video`. Who has only one of them talks, or is seen, without the other.
 * @param {'audio'|'video'} kind
 * @returns {Promise<MediaStream>}
 */
export async function openMedia(kind) {
  const wanted = kind === 'video' ? [{ audio: microphone, video: camera }, { audio: microphone }, { video: camera }] : [{ audio: microphone }];
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
export async function openCamera() {
  return (await ask({ video: camera })).getVideoTracks()[0];
}

async function ask(constraints) {
  // Browsers hide devices from pages that came without HTTPS from another machine.
  if (!navigator.mediaDevices) throw new ParleyError('insecure', 'devices need HTTPS or localhost');
  try {
    return await navigator.mediaDevices.getUserMedia(constraints);
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
