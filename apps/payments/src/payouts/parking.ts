import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { SETTINGS } from '@vuka/service-host';

import type { TransactionSnapshot } from '../transactions/index.js';

interface ParkPolicy {
  /** Then it fails with rail_unavailable. */
  readonly parkForMs: number;
  /** The first retry; later waits get longer. */
  readonly retryAfterMs: number;
}

/** docs/engineers/money.md, "Waiting for a provider". */
const POLICIES: Readonly<Record<Settings['env'], ParkPolicy>> = {
  sandbox: { parkForMs: 30_000, retryAfterMs: 1_000 },
  live: { parkForMs: 4 * 3_600_000, retryAfterMs: 30_000 },
};

/** People are slower than providers. */
const PEOPLE_WAIT_TIMES = 10;

/** Each wait is a tenth of the time so far: short outages end soon, long ones cost few tries. */
const WAIT_GROWS_BY = 10;

@Injectable()
export class Parking {
  private readonly policy: ParkPolicy;

  constructor(@Inject(SETTINGS) { env }: Pick<Settings, 'env'>) {
    this.policy = POLICIES[env];
  }

  /** No deadline while people decide: the provider's time begins with the next try. */
  untilPeople(now: Date): { dueAt: Date; parkDeadline: null } {
    return { dueAt: new Date(now.getTime() + PEOPLE_WAIT_TIMES * this.policy.retryAfterMs), parkDeadline: null };
  }

  /** The first deadline stays. `since`: when the wait began. */
  untilProvider({ life }: TransactionSnapshot, now: Date, since = now): { dueAt: Date; parkDeadline: Date } {
    const { parkForMs, retryAfterMs } = this.policy;
    const parkDeadline = life.parkDeadline ?? new Date(since.getTime() + parkForMs);
    const waited = now.getTime() - (parkDeadline.getTime() - parkForMs);
    const retryAt = new Date(now.getTime() + Math.max(retryAfterMs, Math.floor(waited / WAIT_GROWS_BY)));
    return { dueAt: retryAt < parkDeadline ? retryAt : parkDeadline, parkDeadline };
  }
}
