import type { MoneyView } from '@vuka/admin';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function moneyText({ amount, currency }: MoneyView): string {
  const [whole = '', fraction] = amount.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${currency} ${fraction === undefined ? grouped : `${grouped}.${fraction}`}`;
}

/** `2026-05-12 09:30:15 UTC`. */
export function timeText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}

export function clockText(at: string): string {
  return at.slice(11, 23);
}

export function durationText(ms: number): string {
  const length = Math.max(0, ms);
  if (length < SECOND) return `${Math.round(length)} ms`;
  if (length < MINUTE) return `${Math.floor(length / SECOND)} s`;
  if (length < HOUR) return `${Math.floor(length / MINUTE)} min`;
  if (length < DAY)
    return `${Math.floor(length / HOUR)} h ${String(Math.floor((length % HOUR) / MINUTE)).padStart(2, '0')} min`;
  return `${Math.floor(length / DAY)} d ${Math.floor((length % DAY) / HOUR)} h`;
}

export function relativeText(at: string, now: Date): string {
  const ms = now.getTime() - Date.parse(at);
  if (Math.abs(ms) < SECOND) return 'now';
  return ms > 0 ? `${durationText(ms)} ago` : `in ${durationText(-ms)}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
