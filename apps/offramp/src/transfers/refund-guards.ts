import { Inject, Injectable } from '@nestjs/common';
import { assetSymbol, type Chain, ok, type Result } from '@vuka/domain';

import { type Recorded, RecordRefund, type RefundInHand, SCREENED, SUSPENDED, WITHHELD } from '../refunds/index.js';
import { CheckRefundAddress, SCREENING, type Screening } from '../screening/index.js';
import { Switches } from '../switches/index.js';
import { endingOf } from './proven-when.js';
import { SOON_MS, TurnWaits, UNSIGNED_AGAIN_MS } from './turn-waits.js';

/** Its partner's return makes it due; one that was just being looked at then finds that out by itself. */
const SUSPENDED_AGAIN_MS = 60_000;

/** What is asked once more before anything is signed. */
@Injectable()
export class RefundGuards {
  public constructor(
    private readonly addresses: CheckRefundAddress,
    private readonly switches: Switches,
    @Inject(SCREENING) private readonly screening: Screening,
  ) {}

  /** Whether money may be sent there: in the chain's spelling, ours nor a token's nor nobody's. Error: invalid_request; service_unavailable where it cannot be told now. */
  public async checkAddress(chain: string, address: string): Promise<Result<string>> {
    const checked = await this.addresses.run({ chain, address });
    return checked.ok ? ok(checked.value.address) : checked;
  }

  /** Why nothing of a token is sent at the moment; null: it is. `asset`: USDC@CELO. */
  public whyOff(chain: string, asset: string): Promise<string | null> {
    return this.switches.whyOff(chain, assetSymbol(asset));
  }

  /** Whether screening has the recipient on its list; rejects where it cannot be told now. */
  public isListed(chain: string, address: string): Promise<boolean> {
    return this.screening.isHit(chain, [address]);
  }
}

/** What keeps a refund from being signed, and what it does meanwhile. */
@Injectable()
export class Hindrances {
  public constructor(
    @Inject(RefundGuards) private readonly guards: Pick<RefundGuards, 'isListed' | 'whyOff'>,
    @Inject(RecordRefund) private readonly record: Pick<RecordRefund, 'checked' | 'screened' | 'lapsed'>,
    private readonly waits: TurnWaits,
  ) {}

  /** Why nothing of its token is sent at the moment; null: it is. */
  public whyOff(refund: RefundInHand): Promise<string | null> {
    return this.guards.whyOff(refund.chain, refund.amount.currency);
  }

  /** What a turn comes to where nothing of it may be signed now: its deposit is gone or may vanish, or people have to look first. null: it may. */
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
        `${WITHHELD}: another deposit of its partner has vanished, which may owe for it: people decide whether it may be sent`,
      );
    if (standing === 'suspended')
      return this.wait(
        refund,
        chain,
        `${SUSPENDED}: its partner is: nothing is sent before it is resumed`,
        SUSPENDED_AGAIN_MS,
      );
    return standing === 'screened'
      ? this.wait(refund, chain, `${SCREENED}: people decide whether it may be sent`)
      : standing;
  }

  /** For people, who knows how long: what was prepared and nobody has seen keeps no place that others wait behind. */
  public wait(refund: RefundInHand, chain: Chain, trouble: string, againMs?: number): Promise<Recorded | 'again'> {
    const isUnseen = refund.versions.some(({ state, isExported }) => state === 'prepared' && !isExported);
    if (isUnseen) return this.anew(refund);
    return againMs === undefined
      ? this.waits.again(refund, chain, trouble)
      : this.waits.later(refund, againMs, trouble);
  }

  /** What nobody has seen is prepared anew, and needs no proof. */
  public async anew(refund: RefundInHand): Promise<Recorded | 'again'> {
    const lapsed = await this.record.lapsed(refund, 'unshown');
    return lapsed === 'void' ? this.waits.later(refund, SOON_MS) : lapsed;
  }
}
