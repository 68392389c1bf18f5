import { Inject, Injectable } from '@nestjs/common';
import { assetSymbol, type Chain, ok, type Result } from '@vuka/domain';

import { type Recorded, RecordRefund, type RefundInHand, SCREENED, SUSPENDED, WITHHELD } from '../refunds/index.js';
import { CheckRefundAddress, SCREENING, type Screening } from '../screening/index.js';
import { Switches } from '../switches/index.js';
import { endingOf } from './proven-when.js';
import { SOON_MS, TurnWaits, UNSIGNED_AGAIN_MS } from './turn-waits.js';

/** Resuming makes it due; this is for a turn under way then. */
const SUSPENDED_AGAIN_MS = 60_000;

/** Checks that are repeated before signing. */
@Injectable()
export class RefundGuards {
  public constructor(
    private readonly addresses: CheckRefundAddress,
    private readonly switches: Switches,
    @Inject(SCREENING) private readonly screening: Screening,
  ) {}

  /**
   * Returns the chain's spelling. Refuses our own, token and nobody's addresses. Errors: invalid_request,
   * service_unavailable.
   */
  public async checkAddress(chain: string, address: string): Promise<Result<string>> {
    const checked = await this.addresses.run({ chain, address });
    return checked.ok ? ok(checked.value.address) : checked;
  }

  /** null: it is on. `asset`: USDC@CELO. */
  public whyOff(chain: string, asset: string): Promise<string | null> {
    return this.switches.whyOff(chain, assetSymbol(asset));
  }

  /** Rejects when screening cannot answer. */
  public isListed(chain: string, address: string): Promise<boolean> {
    return this.screening.isHit(chain, [address]);
  }
}

@Injectable()
export class Hindrances {
  public constructor(
    @Inject(RefundGuards) private readonly guards: Pick<RefundGuards, 'isListed' | 'whyOff'>,
    @Inject(RecordRefund) private readonly record: Pick<RecordRefund, 'checked' | 'screened' | 'lapsed'>,
    private readonly waits: TurnWaits,
  ) {}

  public whyOff(refund: RefundInHand): Promise<string | null> {
    return this.guards.whyOff(refund.chain, refund.amount.currency);
  }

  /** null: it may be signed. */
  public async of(refund: RefundInHand, chain: Chain): Promise<Recorded | 'again' | null> {
    const { record, guards } = this;
    const checked = await record.checked(refund);
    const standing =
      checked === 'done' && !refund.isCleared && (await guards.isListed(chain.name, refund.address))
        ? await record.screened(refund)
        : checked;
    if (standing === 'done') return null;
    if (standing === 'ending') return this.waits.later(refund, UNSIGNED_AGAIN_MS, endingOf(refund));
    if (standing === 'may_vanish' || standing === 'ungranted') return this.waits.again(refund, chain, null);
    if (standing === 'withheld')
      return this.wait(
        refund,
        chain,
        `${WITHHELD}: another deposit of its partner vanished, so the partner may owe money. A person decides whether it may be sent`,
      );
    if (standing === 'suspended')
      return this.wait(refund, chain, `${SUSPENDED}: nothing is sent until its partner is resumed`, SUSPENDED_AGAIN_MS);
    return standing === 'screened'
      ? this.wait(refund, chain, `${SCREENED}: a person decides whether it may be sent`)
      : standing;
  }

  /** People may take long: an unseen transfer gives its place back. */
  public wait(refund: RefundInHand, chain: Chain, trouble: string, againMs?: number): Promise<Recorded | 'again'> {
    const isUnseen = refund.versions.some(({ state, isExported }) => state === 'prepared' && !isExported);
    if (isUnseen) return this.anew(refund);
    return againMs === undefined
      ? this.waits.again(refund, chain, trouble)
      : this.waits.later(refund, againMs, trouble);
  }

  /** No signer has seen it, so no proof is needed. */
  public async anew(refund: RefundInHand): Promise<Recorded | 'again'> {
    const lapsed = await this.record.lapsed(refund, 'unshown');
    return lapsed === 'void' ? this.waits.later(refund, SOON_MS) : lapsed;
  }
}
