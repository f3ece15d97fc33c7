// Everything the page says, in one table per language. Another language is another table with the same keys.

const en = {
  enter: 'Enter',
  welcome: 'Talk to each other',
  welcomeMore: 'No account needed. Say what to call you, and see who is here.',
  yourName: 'Your name',
  namePlaceholder: 'Anna',
  signOut: 'Sign out',
  disconnect: 'Disconnect',
  reconnect: 'Reconnect',
  people: 'Who is here',
  unconnected: 'You are not connected: nobody sees you or can ring you.',
  nobody: 'Nobody else is here yet. Open this page on another device or in a private window.',
  rooms: 'Meet in a room',
  roomsMore: 'Everybody who enters the same name meets there.',
  roomName: 'Room name',
  roomPlaceholder: 'tea-kitchen',
  roomHint: 'Lower-case letters, digits and dashes.',
  joinVideo: 'Join with picture',
  joinAudio: 'Sound only',
  online: 'online',
  offline: 'offline',
  ringAudio: (name) => `Ring ${name} with sound`,
  ringVideo: (name) => `Ring ${name} with picture`,
  incomingAudio: 'is ringing you',
  incomingVideo: 'is ringing you with picture',
  accept: 'Answer',
  decline: 'Decline',
  hangUp: 'Hang up',
  cancel: 'Cancel',
  leave: 'Leave',
  mute: 'Mute microphone',
  unmute: 'Unmute microphone',
  cameraOn: 'Turn camera on',
  cameraOff: 'Turn camera off',
  you: 'You',
  muted: 'microphone off',
  aloneInRoom: 'You are the first one here. Tell others the name of the room.',
  inRoom: (name, count) => `${name} · ${count} ${count === 1 ? 'person' : 'people'}`,
  leftRoom: (name) => `You left ${name} to answer the call. Join again when you like.`,
  away: 'The connection broke. Waiting for them to come back…',
  tapToHear: 'Click or tap anywhere to hear the others.',
  unnamed: 'Somebody',

  /** The line to the server. */
  state: {
    closed: 'Not connected',
    connecting: 'Connecting…',
    connected: 'Connected',
    dropped: 'Connection lost. Coming back…',
  },

  /** A call on its way. */
  call: {
    preparing: 'Opening your devices…',
    calling: 'Calling…',
    ringing: 'Ringing…',
    accepting: 'Opening your devices…',
    connecting: 'Connecting…',
    talking: '',
    incoming: (name) => `${name} is ringing`,
  },

  /** How a call ended, said to whoever did not end it. */
  outcome: {
    completed: (name) => `${name} hung up.`,
    declined: (name) => `${name} declined.`,
    busy: (name) => `${name} is in another call.`,
    cancelled: (name) => `${name} rang, and hung up again.`,
    noAnswer: (name) => `${name} did not answer.`,
    missed: (name) => `You missed a call from ${name}.`,
    offline: (name) => `${name} is offline.`,
    lost: (name) => `The connection to ${name} was lost.`,
    failed: (name) => `The call with ${name} did not work out: a device or the network refused.`,
    serverRestarted: () => 'The server was restarted, and the call ended. Ring again.',
    answeredElsewhere: () => 'You answered on another device.',
    movedElsewhere: () => 'The call goes on on another device.',
  },

  /** Why something was not possible. */
  error: {
    denied: 'The browser may not use your microphone or camera. Allow it in the address bar, then try again.',
    missing: 'No microphone was found.',
    in_use: 'Another program uses your microphone or camera.',
    insecure: 'Browsers give microphone and camera only to pages that came over HTTPS or from localhost.',
    unreachable: 'The server cannot be reached.',
    timeout: 'The server did not answer in time.',
    room_full: 'The room is full.',
    too_many_rooms: 'You are in too many rooms.',
    too_many_calls: 'You are in too many calls.',
    rate_limited: 'Too many requests at once. Wait a moment.',
    bad_request: 'That name cannot be used.',
    banned: 'You may not come in here any more.',
    kicked: 'You were sent out.',
    signed_out: 'You are signed out. Enter again.',
    removed: 'You were sent out of the room.',
    replaced: 'You went on in this room on another page.',
    other: 'That did not work.',
  },
};

const languages = { en };

/** The table of the first language the reader knows and we have. */
export const texts = navigator.languages.map((language) => languages[language.split('-')[0]]).find(Boolean) ?? en;

/** @param {{code?: string}|string} error */
export function errorText(error) {
  return texts.error[error?.code ?? error] ?? texts.error.other;
}

/** @param {import('./parley-call.js').Call} call */
export function outcomeText(call) {
  const name = call.peer.name ?? texts.unnamed;
  const isMissed = call.isIncoming && ['noAnswer', 'cancelled'].includes(call.outcome);
  const say = texts.outcome[isMissed ? 'missed' : call.outcome] ?? texts.outcome.failed;
  return say(name);
}
