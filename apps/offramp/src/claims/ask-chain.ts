import { Inject, Injectable, Optional } from '@nestjs/common';
import { sameAddress, tokenIdentity, type Chain, type Credit, type Sighting } from '@vuka/domain';
import { answerWithin, type Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { OwnAddresses } from '../addresses/index.js';
import { READ_WITHIN_MS, type ServedChain } from '../chains/index.js';
import { SCREENING, type Screening } from '../screening/index.js';

type Found = Extract<Sighting, { kind: 'found' }>;

/** Well within a check's lease. */
export const READ_MS = 10_000;
/** Extra time before we stop waiting for a reader. */
export const OVERRUN_MS = 1_000;

@Injectable()
export class AskChain {
  public constructor(
    @Inject(OwnAddresses) private readonly own: Pick<OwnAddresses, 'among'>,
    @Inject(SCREENING) private readonly screening: Screening,
    @Inject(CLOCK) private readonly clock: Clock,
    @Optional() @Inject(READ_WITHIN_MS) private readonly readMs: number = READ_MS,
  ) {}

  public sighting({ reader }: ServedChain, transactionHash: string, address: string): Promise<Sighting> {
    const late: Sighting = { kind: 'trouble', reason: 'no answer in time' };
    return answerWithin(
      this.readMs + OVERRUN_MS,
      reader.read(transactionHash, address, this.clock.now().getTime() + this.readMs),
      late,
    );
  }

  /** What our own addresses send is no deposit. */
  public async ownSenders(chain: Chain, sighting: Sighting): Promise<ReadonlySet<string>> {
    return sighting.kind === 'found' ? this.own.among(sendersOf(chain, sighting)) : new Set<string>();
  }

  public isScreened(chain: Chain, sighting: Found, credits: readonly Credit[]): Promise<boolean> {
    return this.screening.isHit(chain.name, sendersOf(chain, sighting, credits));
  }
}

/** Without `credits`: all senders. */
function sendersOf(chain: Chain, { transfers }: Found, credits?: readonly Credit[]): string[] {
  const counts = ({ token }: { token: string }): boolean =>
    credits === undefined ||
    credits.some((credit) => sameAddress(chain.family, tokenIdentity(chain, credit.token), token));
  return [...new Set(transfers.filter(counts).flatMap(({ from, alsoFrom = [] }) => [from, ...alsoFrom]))];
}
