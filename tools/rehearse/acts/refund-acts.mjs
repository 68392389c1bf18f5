// Value that came and was not enough goes back on its chain: the ledger holds it, a key signs that no service has.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { payFromDeposit } from './partner-acts.mjs';

const FINAL_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 1_000;
/** More than any corridor pays for the deposits below. */
const ASKED = 100_000;

/** Deposits that are too little for what is asked, one of each family. */
export async function underpay(api, deposits, { send, corridor, networks }) {
  return Promise.all(
    deposits.map(async ({ chain, asset, amount, back }) => {
      const ours = networks.find(({ name }) => name === chain).settlement_wallet_address;
      const hash = await send({ chain, asset, amount, to: ours });
      const code = `rehearsal-underpaid-${chain.toLowerCase()}`;
      const to = { type: 'MOBILE', mobile_network: corridor.network, shortcode: `${corridor.prefix}9001234` };
      await api.call('/v1/pay/kes', { ...to, amount: ASKED, transaction_hash: hash, chain, reference: code });
      const row = await api.ended(code);
      if (row.failure_code !== 'underpaid')
        throw new Error(`${code} is ${row.status} ${row.failure_code}, not underpaid`);
      const body = { chain, transaction_hash: hash, refund_address: back };
      await api.call('/v1/refund', body);
      return { chain, asset, amount, to: back, look: () => api.call('/v1/refund', body).then(({ status }) => status) };
    }),
  );
}

/** A pay whose payout fails goes back by itself, to the address that it named. */
export async function failPay(api, { chain, asset, back, corridor, digits, send }) {
  const sent = await payFromDeposit(api, { chain, asset, corridor, place: 0, send, digits, back });
  const row = await api.ended(sent.code);
  if (row.failure_code !== 'recipient_not_found') throw new Error(`${sent.code} is ${row.status} ${row.failure_code}`);
  return {
    chain,
    asset,
    amount: sent.asset_amount,
    to: back,
    look: () => api.status(sent.code).then(({ refund }) => refund),
  };
}

/** Exported by one, signed on the machine without a network, imported by the other, until all are final. */
export async function signApart(refunds, { people: [one, other], offline, folder, mine }) {
  const statuses = () => Promise.all(refunds.map(({ look }) => look()));
  const giveUpAt = Date.now() + FINAL_WITHIN_MS;
  let seen = await statuses();
  for (let round = 1; seen.some((status) => status !== 'COMPLETE') && Date.now() < giveUpAt; round += 1) {
    const file = join(folder, `refunds-${String(round)}.json`);
    const { transfers } = await one.tell('refunds-export', '--out', file);
    // One that came too late (Solana's live for a minute) is not taken, and exported again.
    if (transfers > 0) await other.ask('refunds-import', await offline.sign(file), '--reason', 'rehearsal');
    await mine(refunds.map(({ chain }) => chain));
    await pause(LOOK_EVERY_MS);
    seen = await statuses();
  }
  return refunds.map(({ chain, asset, amount, to }, place) => ({ chain, asset, amount, to, status: seen[place] }));
}
