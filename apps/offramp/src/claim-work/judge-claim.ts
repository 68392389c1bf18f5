import { Inject, Injectable } from '@nestjs/common';
import type { Credit } from '@vuka/domain';

import type { ServedChain } from '../chains/index.js';
import {
  CheckDeposit,
  type ClaimToLookAt,
  type Look,
  type OrderClaim,
  type Recorded,
  RecordLook,
} from '../claims/index.js';
import { CheckOrderDeposit, type OrderLook, RecordOrderLook } from '../orders/index.js';
import { Switches } from '../switches/index.js';
import { ClaimReports } from './claim-reports.js';

/** One look at one claim, of a pay or of an order: read outside any transaction, and recorded under the fence it was taken with. */
@Injectable()
export class JudgeClaim {
  public constructor(
    private readonly pays: CheckDeposit,
    @Inject(RecordLook) private readonly record: Pick<RecordLook, 'run'>,
    private readonly orders: CheckOrderDeposit,
    @Inject(RecordOrderLook) private readonly recordOrder: Pick<RecordOrderLook, 'run'>,
    @Inject(Switches) private readonly switches: Pick<Switches, 'whyOff'>,
    private readonly reports: ClaimReports,
  ) {}

  /** Rejects never: a look that fails for a reason of ours ends nothing, and its lease lapses. */
  public async run(claim: ClaimToLookAt, served: ServedChain | undefined): Promise<void> {
    try {
      if (served === undefined) throw new Error(`${claim.chain} is not served`);
      const recorded = isOrders(claim) ? await this.lookAtOrders(claim, served) : await this.lookAtPays(claim, served);
      this.reports.recorded(claim, recorded);
    } catch (error) {
      this.reports.failed(claim, error);
    }
  }

  private async lookAtPays(claim: ClaimToLookAt, served: ServedChain): Promise<Recorded> {
    const waits = (trouble: string): Look => ({ kind: 'trouble', trouble, rate: claim.rate });
    const creditsOf = (look: Look): readonly Credit[] => (look.kind === 'value' ? look.judgement.credits : []);
    const look = await this.timed(claim, () =>
      this.unlessOff(claim, () => this.pays.run(claim, served), creditsOf, waits),
    );
    return this.record.run(claim, look, served);
  }

  private async lookAtOrders(claim: OrderClaim, served: ServedChain): Promise<Recorded> {
    const waits = (trouble: string): OrderLook => ({ kind: 'trouble', trouble });
    const creditsOf = (look: OrderLook): readonly Credit[] => (look.kind === 'arrived' ? look.credits : []);
    const look = await this.timed(claim, () =>
      this.unlessOff(claim, () => this.orders.run(claim, served), creditsOf, waits),
    );
    return this.recordOrder.run(claim, look, served);
  }

  private async timed<L extends Look | OrderLook>(claim: ClaimToLookAt, look: () => Promise<L>): Promise<L> {
    const started = performance.now();
    const came = await look();
    this.reports.looked(claim, came, (performance.now() - started) / 1_000);
    return came;
  }

  /** While its chain or its token is switched off a claim waits: nothing of it is verified, and none ends by its deadline. */
  private async unlessOff<L>(
    { chain, asset }: ClaimToLookAt,
    ask: () => Promise<L>,
    creditsOf: (look: L) => readonly Credit[],
    waits: (trouble: string) => L,
  ): Promise<L> {
    const { switches } = this;
    const off = await switches.whyOff(chain, asset);
    if (off !== null) return waits(off);
    const look = await ask();
    for (const { token } of creditsOf(look)) {
      const tokenOff = await switches.whyOff(chain, token.symbol);
      if (tokenOff !== null) return waits(tokenOff);
    }
    return look;
  }
}

const isOrders = (claim: ClaimToLookAt): claim is OrderClaim => claim.orderNumber !== null;
