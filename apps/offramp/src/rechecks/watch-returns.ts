import { Inject, Injectable } from '@nestjs/common';
import { type DepositFacts, encodeDeposit } from '@vuka/contracts';
import { isFinalForGood, type Sighting, zero, type Money } from '@vuka/domain';
import { appendToOutbox, newEnvelope } from '@vuka/messaging';
import { Database, type Transaction } from '@vuka/persistence';
import type { Clock, Logger, WakeSignal } from '@vuka/runtime';

import { CLOCK, LOGGER, OUTBOX_SIGNAL } from '@vuka/service-host';

import { OwnAddresses } from '../addresses/index.js';
import type { ServedChain } from '../chains/index.js';
import { ClaimStore, type ClaimToTell, DepositStore, RecheckStore, type RevertedDeposit } from '../claims/index.js';
import { OrderWatchStore, tellOfOrder } from '../orders/index.js';
import { recheckAfterMs } from './recheck-pace.js';
import { AskAgain, factsOf, receivedOf } from './recheck.js';

type Found = Extract<Sighting, { kind: 'found' }>;

/**
 * One that is final again becomes a new deposit: for a pay unapplied, as it is too late; for an order one more payment.
 */
@Injectable()
export class WatchReturns {
  private readonly store: RecheckStore;

  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query' | 'inTransaction'>,
    @Inject(OwnAddresses) private readonly own: Pick<OwnAddresses, 'among'>,
    private readonly ask: AskAgain,
    @Inject(OUTBOX_SIGNAL) private readonly outboxSignal: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.store = new RecheckStore(db);
  }

  public async check(reverted: readonly [RevertedDeposit, ...RevertedDeposit[]], served: ServedChain): Promise<void> {
    const sighting = await this.ask.once(reverted[0], served);
    const back =
      sighting.kind === 'found' && isFinalForGood(served.chain.finality, sighting.heights, sighting.block.number)
        ? await this.ofStrangers(sighting)
        : null;
    for (const deposit of reverted) {
      const received = back && receivedOf(served.chain, deposit.received.currency, back.transfers);
      if (back && received && received.minor > 0n) await this.keep(deposit, back, received);
      else
        await this.store.checkForAgain(
          deposit,
          this.isOver(deposit, sighting, back !== null) ? null : this.nextCheckAt(deposit, served),
        );
    }
  }

  /** What we sent ourselves does not count. */
  private async ofStrangers(sighting: Found): Promise<Found> {
    const sendersOf = ({ from, alsoFrom = [] }: Found['transfers'][number]): string[] => [from, ...alsoFrom];
    const ours = await this.own.among([...new Set(sighting.transfers.flatMap(sendersOf))]);
    return {
      ...sighting,
      transfers: sighting.transfers.filter((transfer) => !sendersOf(transfer).some((sender) => ours.has(sender))),
    };
  }

  /**
   * `isSettled`: final, and worth nothing. Else the first check after the end that does not find it; trouble never ends
   * the watch.
   */
  private isOver({ watchUntil }: RevertedDeposit, { kind }: Sighting, isSettled: boolean): boolean {
    return isSettled || (this.clock.now() >= watchUntil && (kind === 'not_found' || kind === 'failed'));
  }

  private nextCheckAt({ revertedAt }: RevertedDeposit, { chain }: ServedChain): Date {
    const now = this.clock.now();
    return new Date(now.getTime() + recheckAfterMs(chain.blockMs, now.getTime() - revertedAt.getTime()));
  }

  private async keep(deposit: RevertedDeposit, { block, heights }: Found, received: Money): Promise<void> {
    const { db, clock, log, outboxSignal } = this;
    const now = clock.now();
    const as = await db.inTransaction(
      async (tx) => {
        const orderNumber = await ClaimStore.orderOf(tx, deposit.claimId);
        const order = orderNumber === null ? null : await OrderWatchStore.lockToTell(tx, orderNumber);
        const claim = await ClaimStore.lockToTell(tx, deposit.claimId);
        const transfer = {
          claimId: deposit.claimId,
          partnerId: deposit.partnerId,
          chain: deposit.chain,
          transactionHash: deposit.transactionHash,
          address: deposit.address,
          screeningHit: deposit.screeningHit,
          rate: deposit.rate,
          block: { number: block.number, hash: block.hash, time: new Date(block.timeMs) },
          ruleVersion: deposit.ruleVersion,
          evidence: { heights, returned: deposit.depositId },
          finalizedAt: now,
        };
        const kept =
          order === null
            ? ({ state: 'unapplied' } as const)
            : ({ state: 'consumed', used: zero(received.currency) } as const);
        const ids = await DepositStore.insert(
          tx,
          transfer,
          [{ received, decimals: deposit.decimals, token: deposit.token, ...kept }],
          now,
        );
        const [id] = ids ?? [];
        // Another claim has the transfer, or it is the other part of a split, which returned whole.
        if (id === undefined) return null;
        if (!(await RecheckStore.returned(tx, deposit, id))) throw new Error('another process checks it');
        const facts = encodeDeposit({
          ...deposit,
          depositId: id,
          received,
          blockNumber: block.number,
          blockTime: transfer.block.time,
        });
        const { claimId, screeningHit } = deposit;
        if (order === null) await tellOfPay(tx, deposit, claim, facts, now);
        // Checkout decides on it.
        else
          await tellOfOrder(
            tx,
            order,
            'order-deposit.confirmed',
            { claim_id: claimId, deposits: [facts], screening_hit: screeningHit, rate: order.rate },
            now,
          );
        return id;
      },
      { retries: 2 },
    );
    if (as === null) {
      await this.store.checkForAgain(deposit, null);
      return;
    }
    outboxSignal.notify();
    log.info(
      { ...factsOf(deposit), returned_as: as },
      'a vanished deposit is on its chain again: its value waits unapplied, or for its order',
    );
  }
}

async function tellOfPay(
  tx: Transaction,
  { claimId, partnerId, rate }: RevertedDeposit,
  { sequence, correlationId, causationId }: ClaimToTell,
  facts: DepositFacts,
  now: Date,
): Promise<void> {
  await appendToOutbox(tx, [
    newEnvelope({
      type: 'deposit.unapplied',
      key: String(claimId),
      sequence,
      occurredAt: now,
      correlationId,
      causationId,
      producer: 'offramp',
      data: { claim_id: claimId, partner_id: partnerId, deposit: facts, also: [], reason: 'deposit_late', rate },
    }),
  ]);
  await ClaimStore.told(tx, claimId, sequence);
}
