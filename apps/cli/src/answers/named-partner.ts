import type { PartnerView } from '@vuka/admin';
import { oneLine } from '@vuka/terminal';

import { refusal, type Answer } from './answer.js';
import { CALL } from '../commands/help.js';
import type { Admin } from '../admin-client.js';
import type { PartnerWord } from '../commands/partner-words.js';

export async function withPartner(
  word: PartnerWord,
  admin: Admin,
  work: (partner: PartnerView) => Promise<Answer>,
): Promise<Answer> {
  const found = await admin.gateway.partner(word);
  return found.ok ? work(found.value) : refusal(found.error, [`${CALL} partners`]);
}

export function namedPartner({ partner_id: id, name }: Pick<PartnerView, 'partner_id' | 'name'>): string {
  return `${String(id)} ${oneLine(name)}`;
}
