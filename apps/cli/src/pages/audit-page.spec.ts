import { describe, expect, it } from '@jest/globals';
import { type AuditEntriesWanted, AdminViews, type ServiceCalls } from '@vuka/admin';
import { ADMIN_SERVICES } from '@vuka/data-folder';
import type { KeptAuditEntry } from '@vuka/persistence';
import { plainPaint } from '@vuka/terminal';

import { actsPage, olderActs } from './audit-page.js';
import { parseCommand } from '../commands/parse-command.js';

const EVERYTHING: AuditEntriesWanted = { partnerId: null, by: null, service: null, before: null };

const act = (id: number, second: number): KeptAuditEntry => ({
  id,
  at: new Date(Date.UTC(2026, 10, 22) + second * 1_000),
  by: 'Ann',
  act: 'key.revoked',
  partnerId: 7,
  subject: 'k',
  reason: 'r',
  approvedBy: null,
  details: {},
});

function viewsOf(kept: Partial<Record<(typeof ADMIN_SERVICES)[number], readonly KeptAuditEntry[]>>): AdminViews {
  const one = (acts: readonly KeptAuditEntry[]) => ({
    acts: async ({ before, limit }: { before?: number; limit: number }) =>
      acts.filter(({ id }) => before === undefined || id < before).slice(0, limit),
  });
  const services = Object.fromEntries(ADMIN_SERVICES.map((service) => [service, one(kept[service] ?? [])]));
  return new AdminViews(services as unknown as ServiceCalls, true, { acts: async () => [] });
}

const newestFirst = (count: number, secondOf: (id: number) => number): KeptAuditEntry[] =>
  Array.from({ length: count }, (_, index) => act(count - index, secondOf(count - index)));

describe('what people did', () => {
  it('says nothing about more entries if there are none', async () => {
    const page = await viewsOf({
      gateway: newestFirst(3, (id) => id),
      payments: newestFirst(2, (id) => id),
    }).acts(EVERYTHING);
    const [{ acts }, next] = [page, olderActs(page, EVERYTHING)];
    expect([acts.length, next]).toEqual([5, []]);
    expect(actsPage(acts, next, plainPaint)).not.toContain('older');
  });

  it('leads to every older entry once, by the commands that it prints', async () => {
    const views = viewsOf({
      gateway: newestFirst(150, (id) => 1_000 + id * 2),
      payments: newestFirst(450, (id) => 900 + id),
      notifier: newestFirst(3, (id) => id),
    });
    const seen = new Map<string, number>();
    const commands: AuditEntriesWanted[] = [EVERYTHING];
    for (const wanted of commands) {
      const page = await views.acts(wanted);
      const [{ acts }, next] = [page, olderActs(page, wanted)];
      for (const { service, id } of acts)
        seen.set(`${service} ${String(id)}`, (seen.get(`${service} ${String(id)}`) ?? 0) + 1);
      for (const command of next) {
        const parsed = parseCommand(command.split(' ').slice(4));
        if (parsed.kind !== 'command' || parsed.command.name !== 'acts') throw new Error(command);
        commands.push(parsed.command);
      }
    }
    expect(seen.size).toBe(603);
    expect([...seen.values()].every((times) => times === 1)).toBe(true);
  });
});
