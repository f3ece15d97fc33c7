import { locale, texts } from './page-texts.js';

const day = 86_400_000;
const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long' });
const date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' });
const shortDate = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'numeric', year: '2-digit' });

/** Hours and minutes, as the reader's clock has them. */
export function clockTime(time) { return clock.format(time); }

/** A moment in full. */
export function fullTime(time) { return `${date.format(time)}, ${clockTime(time)}`; }

/** The day and the hour over a part of a conversation. */
export function dayLabel(time, now = Date.now()) {
  const days = daysBetween(time, now);
  if (days === 0) return `${texts.today}, ${clockTime(time)}`;
  if (days === 1) return `${texts.yesterday}, ${clockTime(time)}`;
  return fullTime(time);
}

/** What fits into a line of a list. */
export function listTime(time, now = Date.now()) {
  const days = daysBetween(time, now);
  if (days === 0) return clockTime(time);
  if (days === 1) return texts.yesterday;
  return days < 7 ? weekday.format(time) : shortDate.format(time);
}

/** Whether two moments stand under one label: one an hour. */
export function isSameHour(one, other) {
  return Math.floor(one / 3_600_000) === Math.floor(other / 3_600_000);
}

/** Minutes and seconds. */
export function duration(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

function daysBetween(time, now) { return Math.round((midnight(now) - midnight(time)) / day); }

function midnight(time) {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
