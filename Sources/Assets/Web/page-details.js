import { ask, field, isSure, peopleChoice } from './page-dialogs.js';
import { make, nameButton, notice, paintFace } from './page-elements.js';
import { PinnedChats } from './page-pinned.js';
import { errorText, texts } from './page-texts.js';

/**
 * Who is in a conversation, and what one may change about it.
 * @param {{chat: import('./parley-chat.js').Chat, conversation: import('./parley-conversation.js').Conversation, names: any, people: any, me: string|undefined, closed: () => void, pinned: () => void}} parts
 */
export async function openDetails(parts) {
  const { chat, conversation } = parts;
  const members = conversation.kind === 'direct' ? [] : (await chat.members(conversation.id).catch(() => ({ members: [] }))).members;
  const buttons = actions(parts, members).map(({ text, work, isDanger }) => {
    const button = make('button', { type: 'button', class: isDanger ? 'plain wrong' : 'plain' }, text);
    button.onclick = async () => {
      button.closest('dialog').close();
      await tried(work);
    };
    return button;
  });
  const list = make('ul', { class: 'people' }, ...members.map((member) => memberRow(member, parts)));
  await ask(conversation.title ?? conversation.peer?.name ?? texts.details, [list, make('div', { class: 'actions' }, ...buttons)]);
}

async function tried(work) {
  try {
    await work();
  } catch (error) {
    notice(errorText(error));
  }
}

function actions({ chat, conversation, people, me, closed, pinned }, members) {
  const { id, kind, role, isMuted, isArchived, peer } = conversation;
  const isGroup = kind !== 'direct';
  const isAdmin = role === 'owner' || role === 'admin';
  const leaving = async () => {
    if (!await isSure(texts.leaveSure, texts.leaveGroup)) return;
    await chat.leave(id);
    closed();
  };
  const clearing = async () => {
    if (!await isSure(texts.clearSure, texts.clearChat)) return;
    await chat.clear(id);
    closed();
  };
  const archiving = async () => {
    await chat.archive(id, !isArchived);
    if (!isArchived) closed();
  };
  const pins = new PinnedChats(me);
  const isPinned = pins.all.has(id);
  const pinning = () => {
    pins.put(id, !isPinned);
    pinned();
  };
  return [
    { text: isPinned ? texts.unpinChat : texts.pinChat, work: pinning },
    { text: isMuted ? texts.unmuteChat : texts.muteChat, work: () => chat.mute(id, !isMuted) },
    { text: isArchived ? texts.unarchiveChat : texts.archiveChat, work: archiving },
    ...(isGroup ? [{ text: texts.addPeople, work: () => addPeople(chat, id, people, members) }] : []),
    ...(isGroup && isAdmin ? [{ text: texts.rename, work: () => rename(chat, conversation) }] : []),
    ...(!isGroup && peer.user !== me ? [{ text: texts.block, work: () => chat.block(peer.user), isDanger: true }] : []),
    { text: texts.clearChat, work: clearing, isDanger: true },
    ...(isGroup ? [{ text: texts.leaveGroup, work: leaving, isDanger: true }] : []),
  ];
}

async function addPeople(chat, id, people, members) {
  const others = people.all.filter(({ user }) => !members.some((member) => member.user === user));
  const form = await ask(texts.addPeople, [peopleChoice(others)], { confirm: texts.add });
  const users = form?.getAll('user').map(String) ?? [];
  if (users.length > 0) await chat.invite(id, users);
}

async function rename(chat, { id, title }) {
  const form = await ask(texts.rename, [field(texts.groupName, { name: 'title', maxlength: '64', required: '', value: title ?? '' })], { confirm: texts.save });
  if (form) await chat.rename(id, String(form.get('title')));
}

function memberRow(member, { chat, conversation, names, me }) {
  names.know(member);
  const face = make('span', { class: 'face', 'aria-hidden': 'true' });
  paintFace(face, member);
  const name = names.name(member.user);
  const row = make('li', {}, face, make('span', { class: 'who' }, make('span', { class: 'name', dir: 'auto' }, name), make('small', {}, texts.roles[member.role] ?? '')));
  if (member.user === me || !mayChange(conversation.role, member.role)) return row;
  const button = (text, sign, work) => {
    const element = make('button', { type: 'button', class: 'plain' }, sign);
    nameButton(element, text);
    element.onclick = async () => {
      element.closest('dialog').close();
      await tried(work);
    };
    return element;
  };
  const isAdmin = member.role === 'admin';
  if (conversation.role === 'owner') {
    row.append(button(isAdmin ? texts.makeMember(name) : texts.makeAdmin(name), isAdmin ? '↓' : '↑', () => chat.role(conversation.id, member.user, isAdmin ? 'member' : 'admin')));
  }
  row.append(button(texts.removeMember(name), '×', () => chat.remove(conversation.id, member.user)));
  return row;
}

function mayChange(mine, theirs) { return mine === 'owner' || (mine === 'admin' && theirs === 'member'); }
