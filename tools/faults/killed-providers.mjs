// The providers whose payouts are under way when payments is killed. How each is set and read is told as the rehearsal
// tells it (tools/rehearse/providers).
import { payoutIdOf } from '../../libs/payouts/dist/index.js';
import { PROVIDERS } from '../rehearse/providers/index.mjs';

const rehearsed = (id) => PROVIDERS.find((provider) => provider.id === id);

/**
 * `pays`: the path of the call that pays. `digits`: of its simulator (behaviour/numbers.ts); all of them end within
 * seconds once they are taken. `bookIdOf`: what its book calls an attempt of ours. `asksFirst`: before it pays it asks
 * us. `mayStayInDoubt`: nothing is sent to it again, and only people end what it never got.
 */
export const KILLED_PROVIDERS = [
  {
    ...rehearsed('pawapay'),
    pays: '/v2/payouts',
    route: { currency: 'MWK', kind: 'mobile', network: 'Airtel Money' },
    destinationOf: (digits) => ({ kind: 'mobile', phone: `+26599345${digits}`, mobile_network: 'Airtel Money' }),
    digits: ['1234', '0001', '0004', '0006', '0016', '0301', '0302', '0303', '0305', '0312', '6089'],
    bookIdOf: payoutIdOf,
    asksFirst: false,
    mayStayInDoubt: false,
  },
  {
    ...rehearsed('paystack'),
    pays: '/transfer',
    route: { currency: 'NGN', kind: 'bank' },
    destinationOf: (digits) => ({
      kind: 'bank',
      account_number: `012345${digits}`,
      bank_code: '044',
      bank_name: 'Access Bank',
    }),
    digits: ['1234', '0001', '0004', '0006', '0016', '0020', '0301', '0302', '0303', '0305', '0311', '0501', '0701'],
    bookIdOf: (attempt) => attempt,
    asksFirst: false,
    mayStayInDoubt: false,
  },
  {
    ...rehearsed('chapa'),
    // A call that is repeated pays again.
    settings: (given) => ({ ...rehearsed('chapa').settings(given), REPEATS: 'paid_again' }),
    pays: '/v1/transfers',
    route: { currency: 'ETB', kind: 'mobile', network: 'Telebirr' },
    destinationOf: (digits) => ({ kind: 'mobile', phone: `+25191234${digits}`, mobile_network: 'Telebirr' }),
    digits: ['1234', '0001', '0004', '0006', '0016', '0301', '0302', '0303', '0305', '0312', '0501', '0604', '0609'],
    bookIdOf: (attempt) => attempt,
    asksFirst: true,
    mayStayInDoubt: true,
  },
];
