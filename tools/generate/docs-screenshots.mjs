// `node tools/generate/docs-screenshots.mjs [folder]`: pictures of the site for partners (/docs) on a phone and a desktop, light and dark, into docs/docs-page/
// unless another folder is named. It serves the site's own files from the build, as a sandbox has them. Needs Chromium: CHROMIUM, or one in the PATH.
import { createServer } from 'node:http';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { prepare } from '../command/prepare.mjs';
import { giveUp, say } from '../command/progress.mjs';
import { ROOT } from '../command/run.mjs';

const PHONE = { width: 390, height: 844, mobile: true };
const DESKTOP = { width: 1280, height: 860 };

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
const folder = resolve(words.find((word) => !word.startsWith('-')) ?? join(ROOT, 'docs/docs-page'));
const pictures = words.includes('--all') ? ALL : PICTURES;
await prepare({ withInstall: false, withBuild: true, quietly: true });
const { Chromium, findChromium } = await import('../../libs/testing/dist/index.js');
const path = findChromium();
if (path === null)
  giveUp(
    'There is no Chromium here.',
    'Install one (apt-get install chromium), or name it: CHROMIUM=/path/to/chrome node tools/generate/docs-screenshots.mjs',
  );
const server = await serveSite();
const { port } = server.address();
const browser = await Chromium.start(path);
try {
  await mkdir(folder, { recursive: true });
  for (const picture of pictures) await takePicture(picture);
} finally {
  await browser.stop();
  server.close();
}
say(`✓ ${pictures.length} pictures in ${folder}`);

async function takePicture([name, at, device, scheme, typed]) {
  const page = await browser.open();
  await page.setScreen({ ...(device === 'phone' ? PHONE : DESKTOP), dark: scheme === 'dark' });
  await page.goTo(`http://127.0.0.1:${port}${at}`);
  if (at.startsWith('/docs/try')) await page.evaluate(waitsFor('.opblock.is-open .opblock-body'));
  if (typed !== undefined) {
    await page.evaluate(
      `q.focus(); q.value = ${JSON.stringify(typed)}; q.dispatchEvent(new Event('input')); ${waitsFor('#found a')}`,
    );
  }
  await writeFile(join(folder, `${name}-${device}-${scheme}.png`), await page.screenshot());
}

/** An expression that is settled when the page has what the selector names. */
function waitsFor(selector) {
  return `new Promise((there) => { const look = () => document.querySelector(${JSON.stringify(selector)}) ? there(true) : setTimeout(look, 50); look(); })`;
}

/** The site's own files, without a gateway around them. */
async function serveSite() {
  const { OPERATION_TABLE } = await import('../../apps/gateway/dist/public-operations.js');
  const { DocsSite } = await import('../../apps/gateway/dist/docs/docs-site.js');
  const { CURRENCIES } = await import('../../libs/domain/dist/index.js');
  const files = await DocsSite.of(OPERATION_TABLE, CURRENCIES, true).files();
  const site = createServer((request, response) => {
    const file = files.get(request.url.split('?')[0]);
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': file.type }).end(file.bytes);
  });
  await new Promise((listening) => site.listen(0, '127.0.0.1', listening));
  return site;
}
