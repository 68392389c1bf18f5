import { lookUntil } from './look.mjs';
import { shillings } from './partner-api.mjs';
import { account, codeOf, costs, endsIn } from './tour.mjs';

export const PAY_WITHIN_MS = 60_000;
const STILL_THERE_MS = 5_000;
const PAID_TO = '7890';
export const AMOUNT = 1_000;
const MARKUP = 25;
const TOO_LITTLE = '7';
export const ENOUGH = '8';

const STOPS = [
  { chain: 'CELO', asset: 'USDC' },
  { chain: 'BASE', asset: 'USDC', currency: 'UGX', amount: 20_000, to: phone('077', 'MTN') },
  { chain: 'POLYGON', asset: 'USDT', currency: 'NGN', amount: 50_000, to: bank('044', 'Access Bank') },
  { chain: 'ETHEREUM', asset: 'USDT', currency: 'GHS', amount: 120.5, to: phone('024', 'Telecel') },
  { chain: 'BNB', asset: 'USDT', currency: 'MWK', amount: 50_000, to: phone('099', 'TNM Mpamba', { type: 'MOBILE' }) },
  { chain: 'AVALANCHE', asset: 'USDC', currency: 'CDF', amount: 25_000, to: phone('099', 'Mpesa') },
  { chain: 'ARBITRUM', asset: 'USDT', currency: 'ETB', amount: 1_500.25, to: phone('091', 'Telebirr') },
  { chain: 'SOLANA', asset: 'USDC', currency: 'KES', amount: 750, to: phone('079', 'Safaricom', { type: 'MOBILE' }) },
  { chain: 'STELLAR', asset: 'USDC', currency: 'NGN', amount: 20_000, to: bank('058', 'Guaranty Trust Bank') },
];
/** Other spellings of the same hash, as a partner may try to claim it twice. */
const RESPELLED = {
  SOLANA: (hash) => ({ chain: 'solana', transaction_hash: hash }),
  STELLAR: (hash) => ({ chain: 'stellar', transaction_hash: hash.toUpperCase() }),
};
const withoutPrefix = (hash) => ({ transaction_hash: hash.slice(2).toUpperCase() });
const MS = 1_000;

function phone(prefix, network, more = {}) {
  return (tour) => ({
    ...more,
    shortcode: `${prefix}${account(tour, '').slice(-3)}${PAID_TO}`,
    mobile_network: network,
  });
}

function bank(code, name) {
  return (tour) => ({
    account_number: account(tour, PAID_TO),
    bank_code: code,
    bank_name: name,
    account_name: 'Jane Doe',
  });
}

export const kenyan = phone('071', 'Safaricom', { type: 'MOBILE' });
export const served = ({ chains }) => STOPS.filter(({ chain }) => chains[chain] !== undefined);
const short = (hash) => `${hash.slice(0, 10)}…${hash.slice(-4)}`;

async function payFromAChain(tour) {
  const { screen, api } = tour;
  const [stop] = served(tour);
  if (stop === undefined) return noChains(tour);
  const { chain, asset } = stop;
  await screen.act(
    `Pay from a chain: ${chain}`,
    'Stablecoin instead of the wallet. Get the rate, hold it with a quote, send the tokens to your own address, and name the transfer.',
  );
  const before = await api.wallet();
  await api.call('/v1/exchange-rate', { currency_code: 'KES' });
  const quote = dataOf(await api.call('/v1/quote/kes', { amount: AMOUNT, chain, asset }));
  screen.line(`A real node of ${chain} with play money; the tokens have their real addresses:`);
  const hash = await send(tour, { chain, asset, amount: quote.asset_amount, to: quote.settlement_wallet_address });
  const code = codeOf(tour, 'pay');
  const body = {
    ...kenyan(tour),
    amount: AMOUNT,
    fee: MARKUP,
    transaction_hash: hash,
    chain,
    quote_id: quote.quote_id,
    reference: code,
    callback_url: tour.receiver.url,
  };
  const answer = await api.call('/v1/pay/kes', body);
  screen.promise(
    dataOf(answer).status === 'PENDING',
    'accepted: Vuka follows the transfer on the chain until it is final',
  );
  await watched(tour, code);
  const row = await endsIn(tour, code, 'COMPLETE', PAY_WITHIN_MS);
  screen.promise(
    row.receipt_number !== null && row.rate === quote.rate,
    `paid to ${row.public_name} at the quote's ${row.rate}, receipt ${row.receipt_number}`,
  );
  const gained = (await api.wallet()) - before;
  screen.promise(
    gained === BigInt(MARKUP) * 100n,
    `the wallet is up by ${shillings(gained)}: the markup; a deposit pays no service fee`,
  );
  tour.paid = { code, hash, body };
}

async function noChains({ screen, notices }) {
  await screen.act(
    'Pay from a chain: left out',
    'This sandbox runs no chain, so no deposit can arrive. Here /v1/pay answers 503.',
  );
  screen.line(
    notices.find((line) => line.includes('No chains')) ??
      'Its start said why: this machine has no anvil, or VUKA_SANDBOX_CHAINS is none.',
  );
}

export async function send({ screen, sandbox }, { chain, asset, amount, to }) {
  const hash = await sandbox.transfer({ chain, asset, amount, to });
  screen.typed(
    `npm run --silent sandbox -- transfer --chain ${chain} --asset ${asset} --amount ${amount} --to ${to}`,
    hash,
  );
  return hash;
}

async function watched({ api, screen, paint }, code) {
  const from = Date.now();
  let told = '';
  let toldAt = from;
  const look = async () => {
    const row = await api.status(code);
    const news = `${screen.status(row.status)} ${paint.dim(row.message)}`;
    if (news !== told || Date.now() - toldAt > STILL_THERE_MS) {
      screen.line(
        `${paint.dim('…')} ${news}${news === told ? paint.dim(` after ${Math.round((Date.now() - from) / 1_000)} s`) : ''}`,
      );
      [told, toldAt] = [news, Date.now()];
    }
    return row;
  };
  return lookUntil(look, ({ status }) => ['COMPLETE', 'FAILED', 'REVERSED'].includes(status), PAY_WITHIN_MS);
}

async function otherChains(tour) {
  const { screen } = tour;
  const [, ...stops] = served(tour);
  if (stops.length === 0) return;
  await screen.act(
    'The other chains, all at once',
    'Each has its own rule of finality and its own decimals. Each names the partner in its own way: an address on EVM chains, an owner on Solana, an id of one account on Stellar.',
  );
  const went = await Promise.all(stops.map((stop) => travel(tour, stop)));
  const rows = went.map(({ stop: { chain, asset, currency }, quote, hash, row, isTold, tookMs }) => ({
    isPaid:
      row.status === 'COMPLETE' &&
      row.receipt_number !== null &&
      row.rate === quote.rate &&
      row.chain === chain &&
      isTold,
    cells: [
      chain,
      `${quote.asset_amount} ${asset}`,
      short(hash),
      row.status,
      `${currency} ${row.amount}`,
      `at ${quote.rate}`,
      `${(tookMs / MS).toFixed(1)} s`,
      row.failure_code || `receipt ${row.receipt_number}`,
    ],
  }));
  const widths = rows[0].cells.map((_, column) => Math.max(...rows.map(({ cells }) => cells[column].length)));
  for (const { isPaid, cells } of rows)
    screen.promise(
      isPaid,
      cells
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}

async function travel(tour, stop) {
  const { api, sandbox, receiver } = tour;
  const { chain, asset, currency, amount, to } = stop;
  const code = codeOf(tour, `pay-${chain.toLowerCase()}`);
  const quote = dataOf(await api.ask(`/v1/quote/${currency.toLowerCase()}`, { amount, chain, asset }));
  const hash = await sandbox.transfer({
    chain,
    asset,
    amount: quote.asset_amount,
    to: quote.settlement_wallet_address,
  });
  const body = {
    ...to(tour),
    amount,
    transaction_hash: hash,
    chain,
    quote_id: quote.quote_id,
    reference: code,
    callback_url: receiver.url,
  };
  const from = Date.now();
  dataOf(await api.ask(`/v1/pay/${currency.toLowerCase()}`, body));
  const isTold = (await receiver.waitFor(code, 'COMPLETE', PAY_WITHIN_MS)) !== undefined;
  return { stop, quote, hash, row: await api.status(code), isTold, tookMs: Date.now() - from };
}

export function dataOf({ status, body }) {
  if (status !== 200) throw new Error(`${status} ${body.message}`);
  return body.data;
}

async function underpaid(tour) {
  const { screen, api } = tour;
  const [stop] = served(tour);
  if (stop === undefined) return;
  const { chain, asset } = stop;
  await screen.act(
    'Too little arrives',
    `${TOO_LITTLE} tokens are less than the payout needs. Nobody is paid a part of it, and nothing is lost.`,
  );
  const before = await api.wallet();
  const hash = await send(tour, { chain, asset, amount: TOO_LITTLE, to: await addressOf(api, chain) });
  const code = codeOf(tour, 'underpaid');
  await api.call('/v1/pay/kes', {
    ...kenyan(tour),
    amount: AMOUNT,
    transaction_hash: hash,
    chain,
    reference: code,
    callback_url: tour.receiver.url,
  });
  const row = await endsIn(tour, code, 'FAILED', PAY_WITHIN_MS);
  screen.promise(row.failure_code === 'underpaid', `why: ${row.message}`);
  const { unapplied } = await tour.admin.read('unapplied');
  const kept = unapplied.find(
    ({ transaction_code, partner_id }) => transaction_code === code && partner_id === tour.partner.id,
  );
  screen.promise(
    kept !== undefined && Number(kept.received.amount) === Number(TOO_LITTLE),
    `the money: ${kept?.received.amount} ${kept?.received.currency} kept for the partner, unapplied (npm run vuka -- unapplied)`,
  );
  await costs(tour, before, 0n, 'nothing was paid, nothing was taken');
  tour.unapplied = { chain, asset, hash, amount: TOO_LITTLE };
}

async function someoneElses(tour) {
  const { screen, api, other } = tour;
  const [stop] = served(tour);
  if (stop === undefined) return;
  const { chain, asset } = stop;
  await screen.act(
    "Somebody else's transfer",
    `Hashes are public. "${other.name}" gets a deposit at its own address, and we claim it first.`,
  );
  const before = await api.wallet();
  const hash = await send(tour, { chain, asset, amount: ENOUGH, to: await addressOf(other.api, chain) });
  const code = codeOf(tour, 'stolen');
  const body = { ...kenyan(tour), amount: AMOUNT, transaction_hash: hash, chain, reference: code };
  await api.call('/v1/pay/kes', { ...body, callback_url: tour.receiver.url });
  const row = await endsIn(tour, code, 'FAILED', PAY_WITHIN_MS);
  screen.promise(row.failure_code === 'no_matching_transfer', `for us it is not a deposit: ${row.message}`);
  await costs(tour, before, 0n, 'nothing came, nothing went');
  const theirs = dataOf(await other.api.ask('/v1/pay/kes', body)).transaction_code;
  const paid = await other.api.until(theirs, ({ status }) => status === 'COMPLETE', PAY_WITHIN_MS);
  screen.promise(
    paid.status === 'COMPLETE',
    `the money: still theirs. "${other.name}" claims it now: ${paid.status}, receipt ${paid.receipt_number}`,
  );
}

async function sameAgain(tour) {
  const { screen, api, paid } = tour;
  if (paid === undefined) return;
  await screen.act(
    'The same transfer again',
    'With another reference, and another spelling: a transfer pays for one thing.',
  );
  const before = await api.wallet();
  const answer = await api.call('/v1/pay/kes', {
    ...paid.body,
    ...(RESPELLED[paid.body.chain] ?? withoutPrefix)(paid.hash),
    quote_id: '',
    reference: codeOf(tour, 'again'),
  });
  screen.promise(
    answer.status === 409 && answer.headers.get('error-code') === 'hash_already_processed',
    'refused at once: 409',
  );
  screen.promise(
    answer.headers.get('transaction-code') === paid.code,
    `the money: in ${paid.code}, which the answer names`,
  );
  await costs(tour, before, 0n, 'nothing was paid twice');
}

export async function addressOf(api, chain) {
  return dataOf(await api.ask('/account/networks', {})).find(({ name }) => name === chain).settlement_wallet_address;
}

export const PAY_ACTS = [payFromAChain, otherChains, underpaid, someoneElses, sameAgain];
