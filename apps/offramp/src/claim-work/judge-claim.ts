import { Inject, Injectable } from '@nestjs/common';
import type { Credit } from '@vuka/domain';

import type { ServedChain } from '../chains/index.js';
import {
  CheckDeposit,
  type ClaimToCheck,
  type Check,
  type OrderClaim,
  type Recorded,
  RecordCheck,
} from '../claims/index.js';
import { CheckOrderDeposit, type OrderCheck, RecordOrderCheck } from '../orders/index.js';
import { Switches } from '../switches/index.js';
import { ClaimReports } from './claim-reports.js';

/** Reads outside any transaction, records under the fence. */
@Injectable()
export class JudgeClaim {
  public constructor(
    private readonly pays: CheckDeposit,
    @Inject(RecordCheck) private readonly record: Pick<RecordCheck, 'run'>,
    private readonly orders: CheckOrderDeposit,
    @Inject(RecordOrderCheck) private readonly recordOrder: Pick<RecordOrderCheck, 'run'>,
    @Inject(Switches) private readonly switches: Pick<Switches, 'whyOff'>,
    private readonly reports: ClaimReports,
  ) {}

  /** Never rejects: after a failure of ours the lease expires. */
  public async run(claim: ClaimToCheck, served: ServedChain | undefined): Promise<void> {
    try {
      if (served === undefined) throw new Error(`${claim.chain} is not served`);
      const recorded = isOrders(claim) ? await this.checkOrders(claim, served) : await this.checkPays(claim, served);
      this.reports.recorded(claim, recorded);
    } catch (error) {
      this.reports.failed(claim, error);
    }
  }

  private async checkPays(claim: ClaimToCheck, served: ServedChain): Promise<Recorded> {
    const waits = (trouble: string): Check => ({ kind: 'trouble', trouble, rate: claim.rate });
    const creditsOf = (check: Check): readonly Credit[] => (check.kind === 'value' ? check.judgement.credits : []);
    const check = await this.timed(claim, () =>
      this.unlessOff(claim, () => this.pays.run(claim, served), creditsOf, waits),
    );
    return this.record.run(claim, check, served);
  }

  private async checkOrders(claim: OrderClaim, served: ServedChain): Promise<Recorded> {
    const waits = (trouble: string): OrderCheck => ({ kind: 'trouble', trouble });
    const creditsOf = (check: OrderCheck): readonly Credit[] => (check.kind === 'arrived' ? check.credits : []);
    const check = await this.timed(claim, () =>
      this.unlessOff(claim, () => this.orders.run(claim, served), creditsOf, waits),
    );
    return this.recordOrder.run(claim, check, served);
  }

  private async timed<L extends Check | OrderCheck>(claim: ClaimToCheck, check: () => Promise<L>): Promise<L> {
    const started = performance.now();
    const came = await check();
    this.reports.checked(claim, came, (performance.now() - started) / 1_000);
    return came;
  }

  /** While switched off, a claim is not verified and does not expire. */
  private async unlessOff<L>(
    { chain, asset }: ClaimToCheck,
    ask: () => Promise<L>,
    creditsOf: (check: L) => readonly Credit[],
    waits: (trouble: string) => L,
  ): Promise<L> {
    const { switches } = this;
    const off = await switches.whyOff(chain, asset);
    if (off !== null) return waits(off);
    const check = await ask();
    for (const { token } of creditsOf(check)) {
      const tokenOff = await switches.whyOff(chain, token.symbol);
      if (tokenOff !== null) return waits(tokenOff);
    }
    return check;
  }
}

const isOrders = (claim: ClaimToCheck): claim is OrderClaim => claim.orderNumber !== null;
