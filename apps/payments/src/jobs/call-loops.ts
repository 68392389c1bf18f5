import { Inject, Injectable } from '@nestjs/common';
import type { PayoutProvider } from '@vuka/payouts';
import type { Clock, Logger, MonotonicClock } from '@vuka/runtime';
import { CLOCK, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { ClaimLoop, leaseFor, PayoutWake } from '../due-work/index.js';
import { AttemptClaims, type ClaimedAttempt, type ClaimPurpose } from '../transactions/index.js';
import { giveWay } from './loop-times.js';
import { MakeCall } from './make-call.js';

/** Watching ended attempts takes only this part of a provider's room. */
const WATCH_SHARE = 4;
/** A query, the same id again, and a query of the result. */
const CALLS_PER_CLAIM = 3;
const LEASE_MARGIN_MS = 1_000;

/** Three loops per provider, so that a slow one delays no other. */
@Injectable()
export class CallLoops {
  private readonly loops: ClaimLoop<ClaimedAttempt>[] = [];

  constructor(
    @Inject(PAYOUT_PROVIDERS) private readonly providers: readonly PayoutProvider[],
    private readonly claims: AttemptClaims,
    private readonly caller: MakeCall,
    private readonly wake: PayoutWake,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  start(): void {
    for (const provider of this.providers)
      this.loops.push(...(['submit', 'poll', 'watch'] as const).map((purpose) => this.loopOf(provider, purpose)));
    for (const loop of this.loops) loop.start();
    this.warnOfOtherProviders().catch((error: unknown) => {
      this.log.error({ err: error }, 'attempts of providers that are not configured could not be listed');
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  private loopOf({ id, capabilities }: PayoutProvider, purpose: ClaimPurpose): ClaimLoop<ClaimedAttempt> {
    const { clock, log, wake } = this;
    // An expired lease should mean that its holder is gone; CallProvider makes no call that pays after it.
    const leaseMs = CALLS_PER_CLAIM * capabilities.callTimeoutMs + LEASE_MARGIN_MS;
    return new ClaimLoop({
      name: `payments.${purpose}-payouts ${id}`,
      claim: (limit) => this.claims.claim(purpose, id, leaseFor(leaseMs, clock), limit),
      handle: (attempt) => this.caller.run(purpose, attempt),
      limit: purpose === 'watch' ? Math.ceil(capabilities.callsAtOnce / WATCH_SHARE) : capabilities.callsAtOnce,
      giveWay: () => giveWay(wake),
      signal: { submit: wake.submits, poll: wake.polls, watch: wake.watches }[purpose].join(id),
      log,
    });
  }

  /** Somebody must configure the provider, or settle these. */
  private async warnOfOtherProviders(): Promise<void> {
    const providers = this.providers.map(({ id }) => id);
    for (const { provider, attempts } of await this.claims.waitingForOtherProviders(providers)) {
      this.log.error(
        { code: 'rail_not_configured', provider, attempts },
        'attempts wait for a provider that is not configured',
      );
    }
  }
}
