import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { SETTINGS } from '@vuka/service-host';

import type { TransactionSnapshot } from '../transactions/index.js';

interface ParkPolicy {
  /** How long a transaction may wait for a provider before it fails with rail_unavailable. */
  readonly parkForMs: number;
  /** How long until a parked transaction is first tried again; the longer it has waited, the longer the next wait. */
  readonly retryAfterMs: number;
}

/** docs/engineers/money.md, "Waiting for a provider": how long a transaction waits for a provider. */
const POLICIES: Readonly<Record<Settings['env'], ParkPolicy>> = {
  sandbox: { parkForMs: 30_000, retryAfterMs: 1_000 },
  live: { parkForMs: 4 * 3_600_000, retryAfterMs: 30_000 },
};

/** How much longer than for a rail: people are slower. */
const PEOPLE_WAIT_TIMES = 10;

/** A try after one more tenth of the wait so far: what is away for a minute is found in seconds, what is away for hours is not asked a thousand times. */
const WAIT_GROWS_BY = 10;

/** When a transaction that cannot start is tried again, and until when it may wait. */
@Injectable()
export class Parking {
  private readonly policy: ParkPolicy;

  constructor(@Inject(SETTINGS) { env }: Pick<Settings, 'env'>) {
    this.policy = POLICIES[env];
  }

  /** While it waits for people it has no deadline, so that none runs out by that alone: the wait for a provider begins with the first try afterwards. */
  untilPeople(now: Date): { dueAt: Date; parkDeadline: null } {
    return { dueAt: new Date(now.getTime() + PEOPLE_WAIT_TIMES * this.policy.retryAfterMs), parkDeadline: null };
  }

  /** Where no provider takes it: the first deadline stands. */
  untilProvider({ life }: TransactionSnapshot, now: Date): { dueAt: Date; parkDeadline: Date } {
    const { parkForMs, retryAfterMs } = this.policy;
    const parkDeadline = life.parkDeadline ?? new Date(now.getTime() + parkForMs);
    const waited = now.getTime() - (parkDeadline.getTime() - parkForMs);
    const retryAt = new Date(now.getTime() + Math.max(retryAfterMs, Math.floor(waited / WAIT_GROWS_BY)));
    return { dueAt: retryAt < parkDeadline ? retryAt : parkDeadline, parkDeadline };
  }
}
