import { Injectable } from '@nestjs/common';
import { acts, partnerIdGiven as partnerId, reads, reasonGiven } from '@vuka/contracts';
import { z } from 'zod';

import { ReleaseParked } from '../../controls/index.js';
import { SettlePayout } from '../../settlements/index.js';
import { CallbackAdmin } from '../callback-admin.js';
import { CorridorAdmin } from '../corridor-admin.js';
import { ResolveIncident } from '../resolve-incident.js';
import { SetReturnAddress } from '../set-return-address.js';

const number = z.int().positive();
const scope = {
  provider: z.string().min(1).max(40),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .nullable(),
  kind: z.string().min(1).max(40).nullable(),
  network: z.string().min(1).max(40).nullable(),
};
const outcome = z.enum(['paid', 'not_paid', 'cleared']);

@Injectable()
export class DecisionMethods {
  constructor(
    private readonly settlements: SettlePayout,
    private readonly parked: ReleaseParked,
    private readonly incidents: ResolveIncident,
    private readonly addresses: SetReturnAddress,
    private readonly callbackInbox: CallbackAdmin,
    private readonly corridorSwitches: CorridorAdmin,
  ) {}

  readonly methods = {
    propose: acts(
      {
        transactionId: number,
        outcome,
        receipt: z.string().max(100).nullable(),
        paid: z.object({ minor: z.bigint(), currency: z.string().regex(/^[A-Z]{3}$/) }).nullable(),
        evidence: reasonGiven,
      },
      (proposal) => this.settlements.propose(proposal),
    ),
    approve: acts({ settlementId: number }, (act) => this.settlements.approve(act)),
    withdraw: acts({ settlementId: number, reason: reasonGiven }, (act) => this.settlements.withdraw(act)),
    release: acts({ transactionId: number, reason: reasonGiven }, (wish) => this.parked.run(wish)),
    resolveIncident: acts({ incidentId: number, note: reasonGiven }, ({ incidentId, by, note }) =>
      this.incidents.run(incidentId, by, note),
    ),
    setReturnAddress: acts(
      { partnerId, chain: z.string().max(40), address: z.string().max(200).nullable(), reason: reasonGiven },
      (address) => this.addresses.run(address),
    ),
    corridors: reads([], () => this.corridorSwitches.read()),
    corridorOff: acts({ ...scope, reason: reasonGiven }, (wish) => this.corridorSwitches.switchOff(wish)),
    corridorOn: acts({ ...scope, reason: reasonGiven }, (wish) => this.corridorSwitches.switchOn(wish)),
    callbacks: reads([], () => this.callbackInbox.read()),
    resolveCallbacks: acts({ provider: z.string().min(1).max(40), reason: reasonGiven }, (act) =>
      this.callbackInbox.resolve(act),
    ),
  };
}
