import { make } from './page-elements.js';

/**
 * A menu beside what it is about. Arrows move, Escape closes, and the focus goes back to where it was.
 * @param {{x: number, y: number}} place
 * @param {{text: string, action: () => void, isDanger?: boolean}[]} items
 * @param {Element[]} [above] what else stands in it, over the items
 */
export function openMenu({ x, y }, items, above = []) {
  document.querySelector('.menu')?.remove();
  const before = document.activeElement;
  const menu = make('div', { class: 'menu', role: 'menu', popover: 'auto' }, ...above);
  const close = () => menu.hidePopover();
  for (const { text, action, isDanger } of items) {
    const item = make('button', { role: 'menuitem', type: 'button', class: isDanger ? 'plain wrong' : 'plain' }, text);
    item.onclick = () => {
      close();
      action();
    };
    menu.append(item);
  }
  for (const element of above) element.addEventListener('click', close);
  menu.onkeydown = (event) => move(event, menu);
  menu.addEventListener('toggle', ({ newState }) => {
    if (newState !== 'closed') return;
    if (menu.contains(document.activeElement) || document.activeElement === document.body) before?.focus();
    menu.remove();
  });
  document.querySelector('main').append(menu);
  menu.showPopover();
  place(menu, x, y);
  menu.querySelector('button')?.focus();
  return close;
}

function move(event, menu) {
  const buttons = [...menu.querySelectorAll('button')];
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (event.key === 'Home') buttons[0].focus();
  else if (event.key === 'End') buttons.at(-1).focus();
  else if (step) buttons.at((buttons.indexOf(document.activeElement) + step) % buttons.length).focus();
  else return;
  event.preventDefault();
}

function place(menu, x, y) {
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(y, innerHeight - height - 8))}px`;
}
