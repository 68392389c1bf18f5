import { Inject, Injectable } from '@nestjs/common';
import type { Envelope } from '@vuka/contracts';
import { postingLegs, tokenRate, type PostingName, unitOf, type Money } from '@vuka/domain';
import { type Logger, uuidv7 } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import {
  type InboxMark,
  type PaymentCommit,
  CommitWriter,
  type Posting,
  referenceOf,
  type RefundPatch,
} from '../commit/index.js';
import { CONSUMER_GROUP } from '../deposits/index.js';
import { PayoutWake } from '../due-work/index.js';
import {
  DepositStore,
  type KeptDeposit,
  remainderOf,
  takenBackTold,
  type VanishedDeposit,
  withdrawnEvents,
} from '../value/index.js';
import { checkSame, commitUntilDone, debtOf } from './order-move.js';

/**
 * What was credited or went elsewhere is owed (deposit_vanished_paid); waiting value leaves its account. Once per
 * deposit, whatever the order or repetition of events.
 */
@Injectable()
export class RevertOrderDeposit {
  constructor(
    private readonly deposits: DepositStore,
    private readonly writer: CommitWriter,
    private readonly wake: PayoutWake,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Resolves when durable. Throws PermanentEventError if the deposit is somebody else's. */
  async run(event: Envelope<'order-deposit.reverted'>): Promise<void> {
    const { order_number: orderNumber, partner_id: partnerId, deposit: facts } = event.data;
    const kept = await this.deposits.byId(facts.deposit_id);
    if (kept) checkSame(kept, orderNumber, partnerId, facts);
    const mark = { group: CONSUMER_GROUP, eventId: event.id, occurredAt: event.occurredAt };
    const vanished = { depositId: facts.deposit_id, transactionId: orderNumber, mark };
    // Recorded first: if arrival and reversal run at the same time, one finds the other's row.
    await this.deposits.rememberVanished(vanished);
    await this.takeBack(vanished);
  }

  /** Those that vanished before they came into the ledger. */
  async takeBackAmong(depositIds: readonly number[]): Promise<void> {
    for (const vanished of await this.deposits.vanished(depositIds)) await this.takeBack(vanished);
  }

  private async takeBack({ depositId, mark }: VanishedDeposit): Promise<void> {
    let owed = false;
    const taken = await commitUntilDone(this.writer, `the reversal of deposit ${depositId}`, async () => {
      const kept = await this.deposits.byId(depositId);
      if (!kept || kept.state === 'reverted') return null;
      const move = toCommit(kept, mark);
      owed ||= move.incident !== undefined;
      return move;
    });
    if (!taken || !owed) return;
    this.log.error(
      { code: 'order_value_owed', deposit_id: depositId },
      'a deposit vanished after its order was credited, or after it was sent back',
    );
    this.wake.debts.notify();
  }
}

/** At its rate in the order's currency. Nothing can be owed before the order is settled. */
function debtOfRest(kept: KeptDeposit, rest: Money): Posting {
  const { depositId, partnerId, chain, credited, rate, orderCurrency } = kept;
  const currency = credited?.currency ?? orderCurrency;
  if (currency === null) throw new Error(`deposit ${depositId} is ${kept.state}, and its order was never settled`);
  const at = credited ? { from: rest, to: credited } : tokenRate(rate, currency, unitOf(kept));
  return {
    reference: referenceOf('deposit_vanished_paid', depositId),
    kind: 'deposit_vanished_paid',
    legs: postingLegs('deposit_vanished_paid', { partner: partnerId, chain, received: rest, rate: at }),
  };
}

function taken(name: PostingName, { depositId, partnerId, chain }: KeptDeposit, received: Money): Posting {
  return {
    reference: referenceOf(name, depositId),
    kind: name,
    legs: postingLegs(name, { partner: partnerId, chain, received }),
  };
}

/** What its order has not used. */
function takenOfRest(kept: KeptDeposit, rest: Money): Posting {
  switch (kept.state) {
    case 'ordered':
    case 'unapplied':
      return taken('unapplied_deposit_vanished', kept, rest);
    case 'refunding':
      return taken('refunding_deposit_vanished', kept, rest);
    case 'credited':
    case 'refunded':
      return debtOfRest(kept, rest);
    default:
      throw new Error(`deposit ${kept.depositId} of an order is ${kept.state}`);
  }
}

function toCommit(kept: KeptDeposit, mark: InboxMark): PaymentCommit {
  const { depositId, transactionId, chain, state, share, unsignedRefund: refund } = kept;
  const rest = remainderOf(kept);
  const postings = [...(share ? [debtOf(kept, share)] : []), ...(rest.minor > 0n ? [takenOfRest(kept, rest)] : [])];
  const owes = postings.some(({ kind }) => kind === 'deposit_vanished_paid' || kind === 'order_deposit_vanished');
  // A waiting refund ends in the same commit.
  const refundPatches: RefundPatch[] =
    state === 'refunding' && refund !== null
      ? [{ refundId: refund.refundId, expected: refund.state, state: 'FAILED', failure: 'deposit_reverted' }]
      : [];
  const trace = { at: new Date(mark.occurredAt), requestId: '', traceparent: '' };
  return {
    commitId: uuidv7(),
    transactionId: null,
    about: transactionId,
    expectedSequence: 0,
    transitions: [],
    postings,
    depositPatches: [{ depositId, expected: state, state: 'reverted' }],
    ...(refundPatches.length > 0 ? { refundPatches } : {}),
    ...(owes
      ? {
          incident: {
            state: share ? 'COMPLETE' : 'FAILED',
            event: 'deposit.reverted',
            attemptNo: 0,
            detail: `deposit ${depositId} vanished from ${chain}`,
          },
        }
      : {}),
    mark,
    outbox: [
      ...withdrawnEvents(refundPatches, kept.partnerId, trace),
      ...takenBackTold(kept.heldRefund, refundPatches, trace),
    ],
  };
}
