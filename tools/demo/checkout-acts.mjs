import { lookUntil } from './look.mjs';
import { shillings } from './partner-api.mjs';
import { dataOf, PAY_WITHIN_MS, send, served } from './pay-acts.mjs';
import { codeOf } from './tour.mjs';

const PAGE_WITHIN_MS = 5_000;
const TOLD_WITHIN_MS = 10_000;
const DAY_MS = 86_400_000;
const AMOUNT = 1_000;
/** In tokens: more than is due. */
const GENEROUS = '9';

/** A payer without any account gets its own address for seven minutes, and a page that shows it. */
async function checkout(tour) {
  const { screen, api, paint } = tour;
  const [stop] = served(tour);
  if (stop === undefined) return;
  const { chain, asset } = stop;
  await screen.act(
    'Checkout: somebody else pays you',
    'An order has a new address, and a rate for seven minutes. The payer gets a page. Your wallet gets the money when the transfer is final.',
  );
  const before = await api.wallet();
  if (tour.isOurs) await api.call('/v1/webhooks/endpoint', { url: tour.receiver.url });
  const query = { network: chain, asset, currency_code: 'KES', amount: AMOUNT, order_id: codeOf(tour, 'order') };
  const order = dataOf(await api.order(query));
  screen.promise(
    order.status === 'PENDING',
    `${order.asset_amount} ${asset} on ${chain} to ${order.address}, within ${order.expires_in} s`,
  );
  const page = await fetch(order.payment_url, { signal: AbortSignal.timeout(PAGE_WITHIN_MS) });
  screen.promise(
    page.status === 200 && (await page.text()).includes(order.address),
    `the payer's page, with a QR code and a clock: ${order.payment_url}`,
  );
  const again = dataOf(await api.order(query));
  screen.promise(again.address === order.address, 'a repeat gives the same order, with the remaining time');
  await send(tour, { chain, asset, amount: order.asset_amount, to: order.address });
  const row = await ended(tour, query.order_id);
  screen.promise(row.status === 'COMPLETE', `${row.status}: ${row.message}`);
  if (tour.isOurs)
    screen.promise(
      (await tour.receiver.waitForOrder(query.order_id, 'COMPLETE', TOLD_WITHIN_MS)) !== undefined,
      'a signed webhook tells COMPLETE',
    );
  const gained = await gain(tour, before);
  screen.promise(
    gained === BigInt(AMOUNT) * 100n,
    `the wallet is up by ${shillings(gained)}: what the order was about, to the cent ${paint.dim('(a row of type CHECKOUT, in the list of transactions)')}`,
  );
}

async function paidTooMuch(tour) {
  const { screen, api } = tour;
  const [stop] = served(tour);
  if (stop === undefined) return;
  const { chain, asset } = stop;
  await screen.act(
    'Too much for an order',
    'Payers round up. The order uses its amount, and the rest stays the money of the partner.',
  );
  const before = await api.wallet();
  const query = { network: chain, asset, currency_code: 'KES', amount: AMOUNT, order_id: codeOf(tour, 'generous') };
  const order = dataOf(await api.order(query));
  await send(tour, { chain, asset, amount: GENEROUS, to: order.address });
  const row = await ended(tour, query.order_id);
  screen.promise(
    row.status === 'COMPLETE' && row.reason === 'overpaid',
    `${row.status}, ${row.reason}: ${row.message}`,
  );
  screen.promise(
    (await gain(tour, before)) === BigInt(AMOUNT) * 100n,
    'the wallet has the amount of the order, and no more',
  );
  const { unapplied } = await tour.admin.read('unapplied');
  const code = await creditOf(api, query.order_id);
  const kept = unapplied.find(({ transaction_code }) => transaction_code === code);
  screen.promise(
    kept !== undefined && code !== undefined,
    `the rest: ${kept?.received.amount} ${kept?.received.currency} kept for the partner (npm run vuka -- unapplied), and POST /v1/refund sends it back`,
  );
}

async function ended({ api, screen, paint }, id) {
  let told = '';
  const look = async () => {
    const row = dataOf(await api.ask('/v1/checkout/status', { order_id: id }));
    const news = `${screen.status(row.status)} ${paint.dim(row.message)}`;
    if (news !== told) screen.line(`${paint.dim('…')} ${news}`);
    told = news;
    return row;
  };
  return lookUntil(look, ({ status }) => ['COMPLETE', 'FAILED'].includes(status), PAY_WITHIN_MS);
}

const gain = ({ api }, before) =>
  lookUntil(
    async () => (await api.wallet()) - before,
    (gained) => gained !== 0n,
    TOLD_WITHIN_MS,
  );

async function creditOf(api, id) {
  const [yesterday, tomorrow] = [-DAY_MS, DAY_MS].map((by) => new Date(Date.now() + by).toISOString().slice(0, 10));
  const rows = dataOf(await api.ask('/v1/transactions/kes', { start_date: yesterday, end_date: tomorrow }));
  return rows.find(({ type, order_id: of }) => type === 'CHECKOUT' && of === id)?.transaction_code;
}

export const CHECKOUT_ACTS = [checkout, paidTooMuch];
