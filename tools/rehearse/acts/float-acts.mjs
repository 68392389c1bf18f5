// Our wallets at providers: topped up, posted by two people, and at the end the fees that no provider told.
import { byTwo } from '../people.mjs';

const ONCE = 'rehearsal, statement line 1';

/** docs/operators/floats.md, "Before the first payout". */
export async function fundFloats(people, simulators) {
  for (const { id, floats, addFloat } of simulators)
    for (const float of floats) {
      const money = moneyOf(float);
      await post(people, ['bank_funded', ...money]);
      await addFloat(float);
      await post(people, ['float_funded', ...walletAt(id, float), ...money]);
    }
}

/** docs/operators/floats.md, "Fees": what the statements say, by wallet. `books` by provider. */
export async function postFees(people, simulators, books) {
  const charged = simulators
    .filter(({ tellsFees }) => !tellsFees)
    .flatMap(({ id }) => books[id].wallets.map(({ fees, ...wallet }) => ({ provider: id, ...wallet, amount: fees })))
    .filter(({ amount }) => Number(amount) > 0);
  for (const one of charged) await post(people, ['provider_fee', ...walletAt(one.provider, one), ...moneyOf(one)]);
  return charged.map(({ provider, currency, amount }) => ({ provider, currency, fees: amount }));
}

const walletAt = (provider, { wallet }) => ['--provider', provider, '--wallet', wallet];
const moneyOf = ({ currency, amount }) => ['--currency', currency, '--amount', amount];

const post = (people, words) =>
  byTwo(people, {
    propose: ['float-move', ...words, '--evidence', ONCE],
    approve: 'float-approve',
    of: ({ movement }) => movement,
  });
