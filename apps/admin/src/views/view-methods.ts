import { acts, partnerIdGiven as partnerId, personName, reads, reasonGiven } from '@vuka/contracts';
import { ACT_SOURCES } from '@vuka/data-folder';
import { z } from 'zod';

import type { AdminViews } from './admin-views.js';

const code = z.string().min(1).max(100);
const number = z.int().positive();
const wanted = z.strictObject({
  partnerId: number.nullable(),
  by: z.string().max(80).nullable(),
  service: z.enum(ACT_SOURCES).nullable(),
  before: number.nullable(),
});

export type ViewMethods = ReturnType<typeof viewMethods>;

export const viewMethods = (views: AdminViews) => ({
  /** null: of any partner. */
  show: reads([code, partnerId.nullable()], (codeOrId, ofPartner) => views.show(codeOrId, ofPartner)),
  stuck: reads([], () => views.stuck()),
  ledger: reads([], () => views.ledger()),
  partner: reads([z.union([partnerId, personName])], (idOrName) => views.partner(idOrName)),
  refunds: reads([z.int().positive().max(500)], (limit) => views.refunds(limit)),
  acts: reads([wanted], (page) => views.acts(page)),
  deadLetters: reads([], () => views.deadLetters.list()),
  groupsWithDeadLetter: reads([z.uuid()], (eventId) => views.deadLetters.groupsWith(eventId)),
  requestReplay: acts({ group: z.string().min(1).max(100), eventId: z.uuid(), reason: reasonGiven }, (wish) =>
    views.requestReplay(wish),
  ),
});
