// `node tools/generate/pay-page-screenshots.mjs [folder]`: pictures of the payer's page, into docs/pay-page/ by
// default.
// Orders are made up and the clock is stopped, so that pictures repeat. Needs Chromium (CHROMIUM or PATH).
import { join, resolve } from 'node:path';

import { ROOT } from '../command/run.mjs';
import { takeScreenshots } from './take-screenshots.mjs';

const NOW = new Date('2026-11-21T12:01:12.000Z');
const HASH = '0x5d3c7b8e4f1a20965b7e8d9c0a1f2e3d4c5b6a79880f1e2d3c4b5a6978695a4b';

const ORDER = {
  order_number: 5_000_000_000_000_017,
  order_id: 'INV-2026-0117',
  status: 'PENDING',
  reason: '',
  message: '',
  network: 'BASE',
  asset: 'USDC',
  token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  decimals: 6,
  currency: 'KES',
  amount_minor: '150000',
  usd_cents: '1160',
  rate: '129.35',
  due_minor: '11596444',
  received_minor: '0',
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  memo_address: '',
  memo: '',
  created_at: '2026-11-21T12:00:00.000Z',
  expires_at: '2026-11-21T12:07:00.000Z',
  transaction_hash: null,
  page_token: 'a-token-that-opens-nothing',
};
const AFTER = { created_at: '2026-11-21T11:50:00.000Z', expires_at: '2026-11-21T11:57:00.000Z' };
const ORDERS = {
  waiting: ORDER,
  stellar: {
    ...ORDER,
    network: 'STELLAR',
    token: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
    decimals: 7,
    due_minor: '115964438',
    memo: '18014398509481999',
    address: 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAGZFQ',
    memo_address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
  },
  short: { ...ORDER, status: 'PROCESSING', received_minor: '8000000', transaction_hash: HASH },
  seen: { ...ORDER, status: 'PROCESSING', received_minor: '11596444', transaction_hash: HASH },
  paid: { ...ORDER, status: 'COMPLETE', received_minor: '11596444', transaction_hash: HASH },
  expired: { ...ORDER, ...AFTER, status: 'FAILED', reason: 'expired' },
};
const PICTURES = [
  ['waiting', 'phone', 'light'],
  ['waiting', 'phone', 'dark'],
  ['short', 'phone', 'light'],
  ['seen', 'phone', 'dark'],
  ['paid', 'phone', 'light'],
  ['expired', 'phone', 'dark'],
  ['stellar', 'phone', 'light'],
  ['waiting', 'desktop', 'light'],
  ['waiting', 'desktop', 'dark'],
  ['seen', 'desktop', 'light'],
  ['paid', 'desktop', 'dark'],
  ['expired', 'desktop', 'light'],
];

await takeScreenshots({
  folder: resolve(process.argv[2] ?? join(ROOT, 'docs/pay-page')),
  pictures: PICTURES.map(([name, device, scheme]) => ({ name, device, scheme, whole: device === 'phone' })),
  listenerOf: pageListener,
  draw,
});

async function draw(page, baseUrl, { name }) {
  // Stops the countdown, which would differ between pictures.
  await page.send('Page.addScriptToEvaluateOnNewDocument', {
    source: 'performance.now = () => 0; Date.now = () => 0;',
  });
  await page.goTo(`${baseUrl}/pay/${name}`);
}

async function pageListener() {
  const { orderPage } = await import('../../apps/gateway/dist/pay-page/order-page.js');
  const { orderPageView } = await import('../../apps/gateway/dist/pay-page/order-page-view.js');
  const { PAY_FILES, payFileAt } = await import('../../apps/gateway/dist/pay-page/files/page-files.js');
  return (request, response) => {
    const [at] = request.url.split('?');
    const file = PAY_FILES.get(at);
    const order = ORDERS[at.split('/').at(-1)];
    if (file !== undefined) response.writeHead(200, { 'content-type': file.type }).end(file.bytes);
    else if (order !== undefined)
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(orderPage(orderPageView(order, NOW), { fileAt: payFileAt, sandbox: true }));
    else response.writeHead(404).end();
  };
}
