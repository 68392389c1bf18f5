import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@vuka/runtime';

import { CLOCK, LOGGER } from '@vuka/service-host';

import type { ServedChain } from '../chains/index.js';
import { OfframpMetrics } from '../claim-work/index.js';
import { type DepositToRecheck, RecheckStore } from '../claims/index.js';
import { recheckAfterMs } from './recheck-pace.js';
import { AskAgain, type DepositStands, factsOf, type SecondCheck, standsOf } from './recheck.js';
import { RecordReversal } from './record-reversal.js';

/**
 * Until the block is final (docs/engineers/deposits.md, "Looked at again"). If enough endpoints agree that deposit and
 * block are gone, it alerts. It reverts only when a later check agrees, after the chain has finalised past the block.
 * Endpoint trouble or forgetting reverts nothing.
 */
@Injectable()
export class RecheckDeposits {
  public constructor(
    @Inject(RecheckStore) private readonly store: Pick<RecheckStore, 'stands'>,
    private readonly ask: AskAgain,
    @Inject(RecordReversal) private readonly reversals: Pick<RecordReversal, 'run'>,
    private readonly metrics: OfframpMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async check(deposits: readonly [DepositToRecheck, ...DepositToRecheck[]], served: ServedChain): Promise<void> {
    const check = await this.ask.surely(deposits[0], served);
    for (const deposit of deposits) await this.record(deposit, check, served);
  }

  private async record(deposit: DepositToRecheck, check: SecondCheck, { chain }: ServedChain): Promise<void> {
    const { store, reversals, metrics, clock } = this;
    const now = clock.now();
    const since = deposit.missingSince ?? deposit.createdAt;
    const recheckAt = new Date(now.getTime() + recheckAfterMs(chain.blockMs, now.getTime() - since.getTime()));
    if (check.kind === 'trouble') {
      metrics.rechecked(deposit.chain, 'trouble');
      await store.stands(
        deposit,
        { block: null, missingSince: deposit.missingSince, untoldSince: deposit.untoldSince, recheckAt },
        now,
      );
      return;
    }
    const stands = standsOf(chain, check, deposit);
    metrics.rechecked(deposit.chain, outcomeOf(stands));
    if (stands.kind === 'there') {
      const block =
        check.kind === 'found'
          ? {
              number: check.sighting.block.number,
              hash: check.sighting.block.hash,
              time: new Date(check.sighting.block.timeMs),
            }
          : null;
      await store.stands(
        deposit,
        { block, missingSince: null, untoldSince: null, recheckAt: stands.forGood ? null : recheckAt },
        now,
      );
      this.tellMoved(deposit, block?.hash ?? deposit.blockHash);
    } else if (stands.kind === 'untold') {
      if (deposit.untoldSince === null) this.callOut(deposit, 'deposit_untold');
      await store.stands(
        deposit,
        { block: null, missingSince: null, untoldSince: deposit.untoldSince ?? now, recheckAt },
        now,
      );
    } else if (stands.forGood && deposit.missingSince !== null) {
      await reversals.run(deposit, chain.blockMs);
    } else {
      if (deposit.missingSince === null) this.callOut(deposit, 'deposit_vanished');
      await store.stands(
        deposit,
        { block: null, missingSince: deposit.missingSince ?? now, untoldSince: null, recheckAt },
        now,
      );
    }
  }

  private tellMoved(deposit: DepositToRecheck, hash: string): void {
    if (hash === deposit.blockHash && deposit.missingSince === null) return;
    this.log.info(
      { ...factsOf(deposit), was_missing: deposit.missingSince !== null },
      'a reorganisation moved a deposit to another block, with the same value',
    );
  }

  private callOut(deposit: DepositToRecheck, code: keyof typeof CALLS): void {
    this.log.error({ code, ...factsOf(deposit) }, CALLS[code]);
  }
}

const CALLS = {
  deposit_vanished: 'a reported deposit is no longer on its chain; if that lasts, it is reverted',
  deposit_untold:
    'the endpoints report no deposit, or a smaller one, although its block still exists: it is not reverted',
} as const;

function outcomeOf({ kind, forGood }: DepositStands): string {
  if (kind === 'untold') return kind;
  if (kind === 'there') return forGood ? 'final' : 'there';
  return forGood ? 'gone' : 'missing';
}
