import { isSure } from './page-dialogs.js';
import { notice } from './page-elements.js';
import { openMenu } from './page-menu.js';
import { errorText, texts } from './page-texts.js';

/**
 * What the host of a room may do to a member.
 * @param {import('./parley.js').Room} room
 * @param {{user: string, name?: string}} person
 * @param {{x: number, y: number}} place
 */
export function openHostMenu(room, { user, name = texts.unnamed }, place) {
  const remove = async (ban) => {
    const words = ban ? texts.banFromRoom : texts.removeFromRoom;
    if (!await isSure(`${words}: ${name}`, words)) return;
    await room.remove(user, { ban }).catch((error) => notice(errorText(error)));
  };
  openMenu(place, [
    { text: texts.removeFromRoom, isDanger: true, action: () => remove(false) },
    { text: texts.banFromRoom, isDanger: true, action: () => remove(true) },
  ]);
}
