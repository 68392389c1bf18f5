// A partner made by commands, and its payouts: from wallets, and from deposits on each chain.
import { Agent, fetch } from 'undici';

import { lookUntil } from '../../demo/look.mjs';
import { askedByTwo, byTwo } from '../people.mjs';

const CALL_WITHIN_MS = 20_000;
const THERE_WITHIN_MS = 60_000;
const PAID_WITHIN_MS = 90_000;
const LOOK_EVERY_MS = 250;
const ENDED = new Set(['COMPLETE', 'FAILED', 'REVERSED']);
/** Paid by every simulator: the last four digits say what happens (tools/rehearse/providers). */
export const PAID = '1234';

/** What the partner's wallets are funded with. */
export const FUNDED = {
  KES: '100000',
  NGN: '500000',
  UGX: '2000000',
  GHS: '5000',
  MWK: '500000',
  CDF: '500000',
  USD: '500',
  ETB: '50000',
};

const NUBAN = { account_name: 'Ada Obi', bank_code: '058', bank_name: 'Guaranty Trust Bank' };
/**
 * What may be paid, and how its numbers begin. The first of each currency is paid from deposits too, in this order: in
 * a brief rehearsal by each provider.
 */
const CORRIDORS = [
  { currency: 'KES', network: 'Safaricom', prefix: '071', amount: 1_500, more: { type: 'MOBILE' } },
  { currency: 'NGN', kind: 'bank', network: null, prefix: '012', amount: 25_000.5, field: 'account_number', more: NUBAN }, // prettier-ignore
  { currency: 'ETB', network: 'Telebirr', prefix: '091', amount: 900 },
  { currency: 'GHS', network: 'MTN', prefix: '024', amount: 120.5 },
  { currency: 'UGX', network: 'MTN', prefix: '077', amount: 20_000 },
  { currency: 'MWK', network: 'Airtel Money', prefix: '099', amount: 25_000.75, more: { type: 'MOBILE' } },
  { currency: 'CDF', network: 'Airtel Money', prefix: '099', amount: 25_000 },
  { currency: 'KES', network: 'Airtel', prefix: '073', amount: 1_200, more: { type: 'MOBILE' } },
  { currency: 'KES', kind: 'till', network: null, prefix: '', amount: 700, more: { type: 'BUY_GOODS' } },
  { currency: 'KES', kind: 'paybill', network: null, prefix: '', amount: 800, more: { type: 'PAYBILL', account_number: 'ACC-12345' } }, // prettier-ignore
  { currency: 'UGX', network: 'Airtel', prefix: '075', amount: 18_000 },
  { currency: 'GHS', network: 'AirtelTigo', prefix: '027', amount: 75.25 },
  { currency: 'GHS', network: 'Telecel', prefix: '020', amount: 60 },
  { currency: 'MWK', network: 'TNM Mpamba', prefix: '088', amount: 30_000, more: { type: 'MOBILE' } },
  { currency: 'CDF', network: 'Mpesa', prefix: '081', amount: 30_000 },
  { currency: 'CDF', wallet: 'USD', network: 'Airtel Money', prefix: '099', amount: 12.5, more: { currency: 'USD' } },
  { currency: 'CDF', wallet: 'USD', network: 'Mpesa', prefix: '081', amount: 20, more: { currency: 'USD' } },
  { currency: 'ETB', network: 'Cbe Birr', prefix: '091', amount: 800 },
  { currency: 'ETB', network: 'MPESA', prefix: '070', amount: 1_500.25 },
];

/** Those that a route of the providers file carries, each with its providers, first choice first. */
export function corridorsOf(routes) {
  return CORRIDORS.flatMap((corridor) => {
    const { currency, wallet = currency, kind = 'mobile', network } = corridor;
    const route = routes.find(
      (one) => one.kind === kind && one.currency === wallet && (one.network ?? null) === network,
    );
    return route === undefined ? [] : [{ ...corridor, providers: route.providers }];
  });
}

export const walletOf = ({ currency, wallet = currency }) => wallet;

/** `call` throws what is not 200; `ask` gives it. */
export function partnerApi({ publicUrl, authority, key }) {
  const dispatcher = new Agent({ connect: { ca: authority.pem } });
  const ask = async (path, body) => {
    const answer = await fetch(publicUrl + path, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_WITHIN_MS),
      dispatcher,
    });
    const text = await answer.text();
    return { status: answer.status, text, body: JSON.parse(text) };
  };
  /** Asked again where something was not there, or too slow, for a moment: a reference pays once. */
  const call = async (path, body) => {
    const again = () => ask(path, body).catch((error) => ({ status: 503, body: { message: error.message } }));
    const seen = await lookUntil(again, ({ status }) => status < 503, THERE_WITHIN_MS, LOOK_EVERY_MS);
    if (seen.status !== 200) throw new Error(`${path} is answered ${seen.status}: ${seen.body.message}`);
    return seen.body.data;
  };
  const status = (code) => call('/v1/status', { transaction_code: code });
  return {
    ask,
    call,
    status,
    ended: (code, withinMs = PAID_WITHIN_MS) => lookUntil(() => status(code), (row) => ENDED.has(row.status), withinMs, LOOK_EVERY_MS), // prettier-ignore
    close: () => dispatcher.close(),
  };
}

export async function makePartner(people, { wallets }) {
  const [ann] = people;
  const reason = ['--reason', 'rehearsal'];
  const { partner } = await ann.tell('partner-create', 'Rehearsal Remit', '--email', 'pay@remit.example', ...reason);
  const { key } = await askedByTwo(
    people,
    'key-issue',
    String(partner.partner_id),
    '--kind',
    'consumer',
    '--label',
    'payouts',
    ...reason,
  );
  for (const { currency, amount } of wallets)
    await byTwo(people, {
      propose: ['fund', String(partner.partner_id), '--currency', currency, '--amount', amount, ...reason],
      approve: 'approve-adjustment',
      of: ({ adjustment }) => adjustment,
    });
  return { id: partner.partner_id, key };
}

function recipient({ network, prefix, field = 'shortcode', more = {} }, digits, place) {
  return {
    ...more,
    [field]: `${prefix}${String(100 + place)}${digits}`,
    ...(network !== null && { mobile_network: network }),
  };
}

/** Each from a wallet, all at once. */
export function payFromWallets(api, corridors, { digits = PAID, name = 'wallet' } = {}) {
  return Promise.all(
    corridors.map(async (corridor, place) => {
      const code = `rehearsal-${name}-${String(place + 1)}`;
      const from = Date.now();
      const path = `/${corridor.currency.toLowerCase()}/disburse`;
      await api.call(path, { ...recipient(corridor, digits, place), amount: corridor.amount, reference: code });
      return { code, corridor, from };
    }),
  );
}

export async function outcomeOf(api, { code, corridor, from, chain = null }, withinMs) {
  const row = await api.ended(code, withinMs);
  return {
    code,
    from: chain ?? 'wallet',
    currency: walletOf(corridor),
    network: corridor.network ?? corridor.kind,
    provider: corridor.providers[0],
    amount: row.amount,
    status: row.status,
    failure_code: row.failure_code || null,
    receipt: row.receipt_number,
    rate: row.rate,
    took_ms: Date.now() - from,
  };
}

/** A quote, a transfer on the chain, and the pay that names it. `send` is the payer outside. */
export async function payFromDeposit(api, { chain, asset, corridor, place, send, digits = PAID, back }) {
  const code = `rehearsal-${chain.toLowerCase()}-${corridor.currency.toLowerCase()}${digits === PAID ? '' : `-${digits}`}`;
  const currency = corridor.currency.toLowerCase();
  const quote = await api.call(`/v1/quote/${currency}`, { amount: corridor.amount, chain, asset });
  const hash = await send({ chain, asset, amount: quote.asset_amount, to: quote.settlement_wallet_address });
  const from = Date.now();
  const to = { ...recipient(corridor, digits, 100 + place), ...(back !== undefined && { refund_address: back }) };
  const body = { ...to, amount: corridor.amount, reference: code };
  await api.call(`/v1/pay/${currency}`, { ...body, transaction_hash: hash, chain, quote_id: quote.quote_id });
  return { code, corridor, from, chain, asset_amount: quote.asset_amount };
}
