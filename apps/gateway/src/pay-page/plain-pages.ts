import { html, NOTHING } from '../markup/index.js';
import { pageFrame, type PageSurroundings } from './order-page.js';

/** Reloads after these seconds; null: never. */
interface PlainPage {
  readonly title: string;
  readonly text: string;
  readonly again: number | null;
}

function plainPage(surroundings: PageSurroundings, { title, text, again }: PlainPage): string {
  const head = again === null ? NOTHING : html`<meta http-equiv="refresh" content="${String(again)}">`;
  const waits = again === null ? NOTHING : html`<p>This page tries again by itself in ${String(again)} seconds.</p>`;
  return pageFrame(surroundings, {
    title,
    head,
    body: html`<main class="plain"><h1>${title}</h1><p>${text}</p>${waits}</main>`,
  }).text;
}

/** The same for every bad link, so that it reveals nothing. */
export function noSuchOrderPage(surroundings: PageSurroundings): string {
  return plainPage(surroundings, {
    title: 'There is no such payment',
    text: 'This link belongs to no order. Check that all of it was copied, or ask the seller for a new one. Do not send money to an address that you got elsewhere.',
    again: null,
  });
}

export function awayPage(surroundings: PageSurroundings, again: number): string {
  return plainPage(surroundings, {
    title: 'This payment cannot be shown at the moment',
    text: 'The trouble is ours. If you have paid already, your payment is found all the same: do not send it again.',
    again,
  });
}

export function tooManyPage(surroundings: PageSurroundings, again: number): string {
  return plainPage(surroundings, {
    title: 'Too many requests',
    text: 'Too many payment pages are asked for from where you are.',
    again,
  });
}
