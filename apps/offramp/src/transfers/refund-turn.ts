import { Inject, Injectable } from '@nestjs/common';
import { chainNamed } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';

import { REFUND_WALLETS, type RefundWallets } from '../addresses/index.js';
import type { Recorded, RefundInHand } from '../refunds/index.js';
import { AwaitSignature } from './await-signature.js';
import { FollowTransfer } from './follow-transfer.js';
import { PrepareTransfer } from './prepare-transfer.js';
import { TurnWaits } from './turn-waits.js';

/** Chain calls are outside any transaction; RecordRefund commits. */
@Injectable()
export class RefundTurn {
  public constructor(
    @Inject(REFUND_WALLETS) private readonly wallets: RefundWallets,
    private readonly preparation: PrepareTransfer,
    private readonly signature: AwaitSignature,
    private readonly follow: FollowTransfer,
    private readonly waits: TurnWaits,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Never rejects. After a failure of ours it is claimed again. A chain's outage is recorded as trouble and ends
   * nothing.
   */
  public async run(refund: RefundInHand): Promise<void> {
    const facts = { refund_id: refund.refundId, partner_id: refund.partnerId, chain: refund.chain };
    try {
      const outcome = await this.step(refund);
      if (outcome === 'lapsed') this.log.warn(facts, 'a step of a refund took longer than its lease and is dropped');
      else if (outcome !== 'again') this.log.info({ ...facts, from: refund.state, outcome }, 'refund moved on');
    } catch (error) {
      this.log.error({ err: error, ...facts }, 'a step of a refund failed; it is tried again');
    }
  }

  private async step(refund: RefundInHand): Promise<Recorded | 'again'> {
    const chain = chainNamed(refund.chain);
    if (chain === undefined) throw new Error(`${refund.chain} is no chain`);
    const wallet = this.wallets.get(chain.family);
    switch (refund.state) {
      case 'queued':
        return wallet === undefined
          ? this.waits.again(refund, chain, `no refund wallet of the family ${chain.family} is set`)
          : this.preparation.run(refund, chain, wallet);
      case 'prepared':
        return this.signature.run(refund, chain, wallet);
      default:
        return this.follow.run(refund, chain, wallet);
    }
  }
}
