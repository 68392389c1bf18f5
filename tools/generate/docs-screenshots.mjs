// `node tools/generate/docs-screenshots.mjs [folder]`: pictures of the site for partners (/docs) on a phone and a desktop, light and dark, into docs/docs-page/
// unless another folder is named. It serves the site's own files from the build, as a sandbox has them. Needs Chromium: CHROMIUM, or one in the PATH.
import { join, resolve } from 'node:path';

import { ROOT } from '../command/run.mjs';
import { takeScreenshots } from './take-screenshots.mjs';

/** Name, page, device, scheme; and what is typed into the search. */
const PICTURES = [
  ['first-payout', '/docs/guides/first-payout', 'desktop', 'light'],
  ['webhooks', '/docs/guides/webhook-signatures', 'desktop', 'dark'],
  ['operation', '/docs/operations/payouts#disburseKes', 'phone', 'light'],
  ['search', '/docs/guides/states', 'phone', 'dark', 'reversed'],
];
/** Everything that somebody should see after a change of the style: `--all`. */
const ALL = [
  ['home', '/docs'],
  ['first-payout', '/docs/guides/first-payout'],
  ['webhooks', '/docs/guides/webhooks'],
  ['webhook-signatures', '/docs/guides/webhook-signatures'],
  ['states', '/docs/guides/states'],
  ['where-is-my-money', '/docs/guides/where-is-my-money'],
  ['operations', '/docs/operations/payouts'],
  ['operation', '/docs/operations/payouts#disburseKes'],
  ['try', '/docs/try#/Payouts/bankTransferKes'],
  ['search', '/docs/guides/states', 'reversed'],
].flatMap(([name, page, typed]) =>
  ['phone', 'desktop'].flatMap((device) => ['light', 'dark'].map((scheme) => [name, page, device, scheme, typed])),
);

const words = process.argv.slice(2);
await takeScreenshots({
  folder: resolve(words.find((word) => !word.startsWith('-')) ?? join(ROOT, 'docs/docs-page')),
  pictures: (words.includes('--all') ? ALL : PICTURES).map(([name, at, device, scheme, typed]) => ({
    name,
    at,
    device,
    scheme,
    typed,
  })),
  listenerOf: siteListener,
  draw,
});

async function draw(page, baseUrl, { at, typed }) {
  await page.goTo(`${baseUrl}${at}`);
  if (at.startsWith('/docs/try')) await page.evaluate(waitsFor('.opblock.is-open .opblock-body'));
  if (typed !== undefined) {
    await page.evaluate(
      `q.focus(); q.value = ${JSON.stringify(typed)}; q.dispatchEvent(new Event('input')); ${waitsFor('#found a')}`,
    );
  }
}

/** An expression that is settled when the page has what the selector names. */
function waitsFor(selector) {
  return `new Promise((there) => { const check = () => document.querySelector(${JSON.stringify(selector)}) ? there(true) : setTimeout(check, 50); check(); })`;
}

/** The site's own files, without a gateway around them. */
async function siteListener() {
  const { OPERATION_TABLE } = await import('../../apps/gateway/dist/public-operations.js');
  const { DocsSite } = await import('../../apps/gateway/dist/docs/docs-site.js');
  const { CURRENCIES } = await import('../../libs/domain/dist/index.js');
  const files = await new DocsSite(OPERATION_TABLE, CURRENCIES, true).files();
  return (request, response) => {
    const file = files.get(request.url.split('?')[0]);
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': file.type }).end(file.bytes);
  };
}
