// A quiet tone while something rings: two notes for who is rung, one for who waits.
const tones = {
  incoming: { notes: [660, 880], every: 2000 },
  outgoing: { notes: [440], every: 4000 },
};

let context;
let timer;

/** @param {'incoming'|'outgoing'} kind */
export function startTone(kind) {
  stopTone();
  context ??= new AudioContext();
  const { notes, every } = tones[kind];
  const play = () => notes.forEach((pitch, index) => note(pitch, context.currentTime + index * 0.25));
  play();
  timer = setInterval(play, every);
}

export function stopTone() {
  clearInterval(timer);
  context?.close();
  context = undefined;
}

function note(pitch, at) {
  const oscillator = new OscillatorNode(context, { frequency: pitch });
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setTargetAtTime(0.08, at, 0.02);
  gain.gain.setTargetAtTime(0, at + 0.2, 0.06);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + 0.8);
}

const notes = { sent: [520], received: [740, 880] };

/**
 * A short sound for a message.
 * @param {'sent'|'received'} kind
 * @param {string} [loudspeaker]
 */
export async function playNote(kind, loudspeaker) {
  // A page that was not touched yet may make no sound; then there is none.
  if (navigator.userActivation?.hasBeenActive === false) return;
  if (!navigator.locks) return soundNote(kind, loudspeaker);
  // Many messages at once, and two tabs, are heard once.
  await navigator.locks.request('parley note', { ifAvailable: true }, (lock) => lock && soundNote(kind, loudspeaker));
}

async function soundNote(kind, loudspeaker) {
  const context = new AudioContext();
  if (loudspeaker) await context.setSinkId?.(loudspeaker).catch(() => {});
  const end = notes[kind].map((pitch, index) => beep(context, pitch, context.currentTime + index * 0.08)).at(-1);
  await new Promise((resolve) => { end.onended = resolve; });
  context.close();
}

function beep(context, frequency, at) {
  const oscillator = new OscillatorNode(context, { frequency });
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setTargetAtTime(0.04, at, 0.01);
  gain.gain.setTargetAtTime(0, at + 0.05, 0.03);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + 0.3);
  return oscillator;
}
