import { describe, expect, it } from '@jest/globals';

import type { AskedRefund } from '../partner/asked-refund.js';
import type { IncomingTransfer } from '../books/chain-book.js';
import { tokenNamed } from '../books/chain-facts.js';
import { refundFaults } from './check-refunds.js';
import type { DepositFate } from './deposit-fate.js';
import type { Told } from './outside-view.js';
import type { Outflow } from '../books/refund-outflows.js';

const OURS = '0x00000000000000000000000000000000000000a1';
const THEIRS = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
const ELSEWHERE = '0x00000000000000000000000000000000000000b2';
const HASH = `0x${'1'.repeat(64)}`;
const INCOMING_TRANSFER: IncomingTransfer = {
  chain: 'CELO',
  hash: HASH,
  otherHashes: [],
  address: OURS,
  token: tokenNamed('CELO', 'USDC')!,
  received: 7_000_000n,
  senders: [],
  block: 1,
  at: new Date(0),
  finalAt: new Date(0),
};
const ASKED: AskedRefund = {
  partner: 1,
  chain: 'CELO',
  hash: HASH,
  to: THEIRS,
  told: { address: THEIRS, asset: 'USDC', amount: '7.000000' },
};
const LEFT: Outflow = { chain: 'CELO', hash: '0x2', to: THEIRS.toLowerCase(), symbol: 'USDC', value: 7_000_000n };

interface PayFacts {
  readonly refundTo?: string | null;
  readonly failure?: string;
  readonly status?: string;
  readonly debt?: bigint;
}

function pay(
  refund: string,
  { refundTo = null, failure = 'underpaid', status = 'FAILED', debt = 0n }: PayFacts = {},
): Told {
  const fate = {
    kind: failure === 'underpaid' ? 'unapplied' : 'funds',
    incomingTransfer: INCOMING_TRANSFER,
  } as DepositFate;
  const sent = {
    partner: 1,
    code: 'short',
    deposit: { chain: 'CELO', hash: HASH, asset: null, quote: null, refundTo },
  };
  return {
    sent,
    row: { status, failure_code: failure, refund },
    fate,
    vanished: null,
    expected: { end: status, debt },
  } as unknown as Told;
}

/** A quote prices 2.01 of 7 USDC; its payout was made, or failed. */
function parted(
  refund: string,
  { failed = false, refundTo = null }: { failed?: boolean; refundTo?: string | null } = {},
): Told {
  const told = pay(refund, { refundTo, failure: 'rail_rejected' });
  return {
    ...told,
    fate: { ...told.fate, beyond: 4_990_000n } as DepositFate,
    row: { ...told.row, ...(failed ? {} : { status: 'COMPLETE', failure_code: '' }) },
  };
}
const BEYOND: AskedRefund = { ...ASKED, told: { address: THEIRS, asset: 'USDC', amount: '4.990000' } };
const [PRICED_LEFT, BEYOND_LEFT]: readonly [Outflow, Outflow] = [
  { ...LEFT, value: 2_010_000n },
  { ...LEFT, value: 4_990_000n },
];

function faultsOf(told: Told, asked: readonly AskedRefund[], ...outflows: Outflow[]): string {
  const deposits = {
    books: [{ chain: 'CELO', height: 9, incomingTransfers: [INCOMING_TRANSFER], reverted: new Set<string>() }],
    addresses: new Map([[1, { evm: OURS }]]),
    rates: new Map(),
  };
  return refundFaults([told], { refunds: { asked, outflows }, deposits }).join('\n');
}

describe('the check of what goes back', () => {
  it.each<[string, Told, AskedRefund[], Outflow[]]>([
    ['nothing, where nothing was asked for', pay(''), [], []],
    ['what was asked for', pay('COMPLETE'), [ASKED], [LEFT]],
    ['what is under way, and is there or not', pay('PROCESSING'), [ASKED], [LEFT]],
    ['what waits', pay('PENDING'), [ASKED], []],
    ['what nobody was answered about, and is on its way', pay('PENDING'), [{ ...ASKED, told: null }], [LEFT]],
    ['what its pay named an address for', pay('COMPLETE', { refundTo: THEIRS, failure: 'rail_rejected' }), [], [LEFT]],
    ['what failed', pay('FAILED'), [ASKED], []],
    [
      'what came beyond the quote of a pay that was paid, and was asked for',
      parted('COMPLETE'),
      [BEYOND],
      [BEYOND_LEFT],
    ],
    [
      'both parts of a failed pay that named an address',
      parted('COMPLETE', { failed: true, refundTo: THEIRS }),
      [],
      [PRICED_LEFT, BEYOND_LEFT],
    ],
    [
      'the part that a quote priced, where the other is on its way',
      parted('COMPLETE', { failed: true, refundTo: THEIRS }),
      [],
      [PRICED_LEFT],
    ],
    [
      'what came beyond the quote of a failed pay that named no address: what was priced is in the wallet',
      parted('COMPLETE', { failed: true }),
      [BEYOND],
      [BEYOND_LEFT],
    ],
    [
      'what came beyond the quote, where the refund of the rest failed',
      parted('FAILED', { failed: true, refundTo: THEIRS }),
      [],
      [BEYOND_LEFT],
    ],
    ['nothing of a pay that was paid', pay('', { failure: '', status: 'COMPLETE' }), [], []],
    [
      'what goes back though it was paid after all, for its partner owes that',
      pay('COMPLETE', { refundTo: THEIRS, failure: 'rail_rejected', debt: 100n }),
      [],
      [LEFT],
    ],
    [
      'what stays, because its partner owes',
      pay('', { refundTo: THEIRS, failure: 'rail_rejected', debt: 100n }),
      [],
      [],
    ],
    [
      'a refund that ended because its payment was paid',
      pay('FAILED', { refundTo: THEIRS, failure: 'rail_rejected', debt: 100n }),
      [],
      [],
    ],
  ])('takes %s', (_, told, asked, outflows) => {
    expect(faultsOf(told, asked, ...outflows)).toBe('');
  });

  it.each<[string, Told, AskedRefund[], Outflow[], RegExp]>([
    [
      'that nobody asked for',
      pay(''),
      [],
      [LEFT],
      /7000000 USDC to 0xab\w+ on CELO left a refund wallet 1 times, and 0 were asked for/,
    ],
    ['twice', pay('COMPLETE'), [ASKED], [LEFT, LEFT], /2 times, and 1 were asked for/],
    [
      'to somebody else',
      pay('COMPLETE'),
      [ASKED],
      [{ ...LEFT, to: ELSEWHERE }],
      /to 0x0+b2 on CELO left a refund wallet 1 times, and 0[^]*to 0xab\w+ on CELO left a refund wallet 0 times, and 1 are COMPLETE/,
    ],
    ['a unit short', pay('COMPLETE'), [ASKED], [{ ...LEFT, value: 6_999_999n }], /^6999999 USDC/],
    ['never, though it is COMPLETE', pay('COMPLETE'), [ASKED], [], /0 times, and 1 are COMPLETE/],
    ['though it FAILED', pay('FAILED'), [ASKED], [LEFT], /1 times, and 0 were asked for/],
    [
      'as another amount than came',
      pay('PENDING'),
      [{ ...ASKED, told: { ...ASKED.told!, amount: '7.000001' } }],
      [],
      /7.000001 USDC of 0x1+ on CELO is told to go back, and did not come/,
    ],
    [
      'of a pay that was paid, as what it was paid with',
      parted('COMPLETE'),
      [BEYOND],
      [BEYOND_LEFT, PRICED_LEFT],
      /^2010000 USDC to 0xab\w+ on CELO left a refund wallet 1 times, and 0 were asked for$/,
    ],
    [
      'of a pay that was paid, as all that came',
      parted('PENDING'),
      [ASKED],
      [],
      /7.000000 USDC of 0x1+ on CELO is told to go back, and did not come, or was used/,
    ],
    [
      'of a failed pay, as all that came at once',
      parted('COMPLETE', { failed: true, refundTo: THEIRS }),
      [],
      [LEFT],
      /7000000 USDC to 0xab\w+ on CELO left a refund wallet 1 times, and 0/,
    ],
    [
      'never, of a part that a quote priced, though it is COMPLETE',
      parted('COMPLETE', { failed: true, refundTo: THEIRS }),
      [],
      [BEYOND_LEFT],
      /^2010000 USDC to 0xab\w+ on CELO left a refund wallet 0 times, and 1 are COMPLETE$/,
    ],
    [
      'to a partner that it did not come to',
      pay(''),
      [{ ...ASKED, partner: 2 }],
      [],
      /is told to go back, and did not come/,
    ],
    [
      'and has paid its recipient',
      pay('', { failure: '', status: 'COMPLETE' }),
      [],
      [LEFT],
      /1 times, and 0 were asked for/,
    ],
    [
      'and has paid its recipient, asked for and told',
      pay('', { failure: '', status: 'COMPLETE' }),
      [ASKED],
      [LEFT],
      /is told to go back, and did not come, or was used[^]*1 times, and 0 were asked for/,
    ],
    [
      'and is behind a payout',
      pay('', { failure: '', status: 'PROCESSING' }),
      [ASKED],
      [],
      /is told to go back, and did not come, or was used/,
    ],
    [
      'and is in the wallet, of a pay that failed and named nothing',
      pay('', { failure: 'rail_rejected' }),
      [{ ...ASKED, told: null }],
      [LEFT],
      /1 times, and 0 were asked for/,
    ],
    [
      'and is in the wallet, of a pay whose partner owed',
      pay('', { refundTo: THEIRS, failure: 'rail_rejected', debt: 100n }),
      [],
      [LEFT],
      /1 times, and 0 were asked for/,
    ],
    [
      'though its refund ended because its payment was paid',
      pay('FAILED', { refundTo: THEIRS, failure: 'rail_rejected', debt: 100n }),
      [],
      [LEFT],
      /1 times, and 0 were asked for/,
    ],
    [
      'nowhere, though its pay failed and named an address',
      pay('', { refundTo: THEIRS, failure: 'rail_rejected' }),
      [],
      [],
      /short failed, named an address, and has no refund/,
    ],
  ])('finds what goes back %s', (_, told, asked, outflows, fault) => {
    expect(faultsOf(told, asked, ...outflows)).toMatch(fault);
  });
});
