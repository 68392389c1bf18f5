import { PublishedFile, type PublishedFiles } from '../../http/index.js';
import { ICON } from '../../docs/index.js';
import { SCRIPT } from './page-script.js';
import { STYLE } from './page-style.js';

const FOLDER = '/pay/assets/';

export const PAY_FILES: PublishedFiles = new Map([
  [`${FOLDER}pay.css`, new PublishedFile('text/css; charset=utf-8', Buffer.from(STYLE))],
  [`${FOLDER}pay.js`, new PublishedFile('text/javascript; charset=utf-8', Buffer.from(SCRIPT))],
  [`${FOLDER}icon.svg`, new PublishedFile('image/svg+xml', Buffer.from(ICON))],
]);

/** With the version in the address, browsers may cache a file for good. */
export function payFileAt(name: string): string {
  const path = FOLDER + name;
  return `${path}?v=${PAY_FILES.get(path)?.version ?? ''}`;
}
