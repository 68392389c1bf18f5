// Our wallets at pawaPay: topped up, posted by two people, and at the end the fees that pawaPay took.
import { byTwo } from '../people.mjs';

const ONCE = 'rehearsal, statement line 1';
/** By country: what pawaPay calls it, and what our ledger does. */
const FLOATS = [
  { country: 'KEN', wallet: 'ke', currency: 'KES', amount: '1000000' },
  { country: 'UGA', wallet: 'ug', currency: 'UGX', amount: '10000000' },
  { country: 'GHA', wallet: 'gh', currency: 'GHS', amount: '50000' },
  { country: 'MWI', wallet: 'mw', currency: 'MWK', amount: '5000000' },
  { country: 'COD', wallet: 'cd', currency: 'CDF', amount: '5000000' },
  { country: 'COD', wallet: 'cd', currency: 'USD', amount: '10000' },
  { country: 'ETH', wallet: 'et', currency: 'ETB', amount: '500000' },
];

/** docs/operators/floats.md, "Before the first payout". */
export async function fundFloats(people, pawapay) {
  for (const { country, wallet, currency, amount } of FLOATS) {
    const money = ['--currency', currency, '--amount', amount];
    await post(people, ['bank_funded', ...money]);
    await pawapay.topUp({ country, currency, amount });
    await post(people, ['float_funded', '--provider', 'pawapay', '--wallet', wallet, ...money]);
  }
  return FLOATS;
}

/** docs/operators/floats.md, "Fees": what pawaPay's statement says, by wallet. */
export async function postFees(people, { wallets }) {
  const charged = wallets.filter(({ fees }) => Number(fees) > 0);
  for (const { country, currency, fees } of charged) {
    const { wallet } = FLOATS.find((one) => one.country === country && one.currency === currency);
    await post(people, [
      'provider_fee',
      '--provider',
      'pawapay',
      '--wallet',
      wallet,
      '--currency',
      currency,
      '--amount',
      fees,
    ]);
  }
  return charged.map(({ currency, fees }) => ({ currency, fees }));
}

const post = (people, words) =>
  byTwo(people, {
    propose: ['float-move', ...words, '--evidence', ONCE],
    approve: 'float-approve',
    of: ({ movement }) => movement,
  });
