import { randomUUID } from 'node:crypto';

import { describe, it } from '@jest/globals';
import { formatDecimal } from '@vuka/domain';

import { describeRudeRail } from '../../conformance/provider-conformance.js';
import type { ForgedAnswer } from '../../conformance/rude-server.js';
import type { PayoutInstruction } from '../../payout-provider.js';
import { sandboxProvider } from './sandbox-provider.js';

function payable(): PayoutInstruction {
  return {
    attemptId: randomUUID(),
    amountMinor: 150_050n,
    currency: 'KES',
    destination: { kind: 'bank', account_number: '0110123456789', bank_code: '01', bank_name: 'KCB Bank Kenya' },
  };
}

function record(payout: PayoutInstruction, end: object): ForgedAnswer {
  return {
    status: 200,
    body: {
      id: payout.attemptId,
      amount: formatDecimal(payout.amountMinor, 2),
      currency: payout.currency,
      recipient: { account_number: payout.destination.account_number, bank_code: payout.destination.bank_code },
      ...end,
    },
  };
}

describeRudeRail('the sandbox adapter', { describe, it }, {
  connect: sandboxProvider,
  payable,
  accepted: (payout) => ({ status: 202, body: { id: payout.attemptId, status: 'ACCEPTED', created_at: '2026-11-21T10:00:00.000Z' } }),
  paid: (payout) => record(payout, { status: 'PAID', receipt: 'SBX0000000001', name: 'TEST 6789' }),
  paidWithoutReceipt: (payout) => record(payout, { status: 'PAID', name: 'TEST 6789' }),
  paidWith: (receipt, name) => (payout) => record(payout, { status: 'PAID', receipt, name }),
  unknownStatus: (payout) => record(payout, { status: 'QUEUED_AT_BANK' }),
  unknownFailure: (payout) => record(payout, { status: 'FAILED', code: 'MOON_PHASE' }),
});
