import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { drawn as drawnByNumber } from '@vuka/testing';

import { ROOT } from '../command/run.mjs';
import { GROUPS, leftByDraw, pathsPattern } from './draws.mjs';
import { leftToTheOther, namedIn, PARTNERS, PHASES } from './phases.mjs';

const STARTS =
  /\b(borrowDatabase|TestPostgres|start(Embedded|Test)Postgres|startPaymentsDatabase|startLocal(Chain|Kafka|Redis|Node)|startMockKafka|kafkaForTests|startSandboxProvider|startVuka|startStack|open(Shared|Stack|Pay)?Scene)\(/;

const filesOf = (folder) => readdirSync(join(ROOT, folder), { recursive: true }).map((path) => `/${folder}/${path}`);
const suites = ['libs', 'apps', 'tools']
  .flatMap(filesOf)
  .filter((path) => /(\/src\/.*\.spec\.ts|^\/tools\/.*\.spec\.mjs)$/.test(path));

describe('the phase that has no servers', () => {
  const [unit] = PHASES.filter(({ isPure }) => isPure);

  it('has no suite that starts a database, a broker, a chain, a provider or a Vuka', () => {
    const inUnit = suites.filter((path) => path.endsWith('.ts') && new RegExp(unit.suites).test(path));
    expect(inUnit.length).toBeGreaterThan(100);
    expect(inUnit.filter((path) => STARTS.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
  });
});

describe("what a commit's run draws of the suites", () => {
  const grouped = GROUPS.flatMap(({ suites: paths }) => paths);
  const all = suites.map((path) => path.slice(1));
  const left = Array.from({ length: 40 }, (_, number) => {
    process.env.VUKA_TEST_DRAW = String(number);
    return leftByDraw(drawnByNumber, all);
  });

  it('is so many of each promise, and a few runs take all', () => {
    for (const { suites: paths, runs } of GROUPS) {
      expect([runs > 0, runs < paths.length]).toEqual([true, true]);
      for (const one of left) expect(paths.filter((path) => !one.includes(path))).toHaveLength(runs);
    }
    const ever = new Set(left.flat());
    expect([...ever].filter((path) => left.every((one) => one.includes(path)))).toEqual([]);
    expect(grouped.filter((path) => !ever.has(path))).toEqual([]);
  });

  it('is of each suite once at most, and of no suite that alone guards money', () => {
    expect(new Set(grouped).size).toBe(grouped.length);
    const always =
      /\/((rehearse|isolation|races|idempotency|pay|checkout)\.e2e|(every|adapter)-[\w-]+\.int)\.spec|^apps\/offramp\/|^libs\/(domain|chains|payouts)\/|\/(outbox|pay-once|idempotency-key|adapter-[\w-]+)[\w-]*\.int\.spec/;
    for (const one of left) expect(one.filter((path) => always.test(path))).toEqual([]);
    const ofMoney = all.filter((path) => /^apps\/(payments|offramp|checkout)\/.*\.int\.spec\.ts$/.test(path));
    for (const one of left)
      expect(one.filter((path) => ofMoney.includes(path)).length).toBeLessThan(ofMoney.length / 20);
  });

  it('is left out by its whole path, and none of what has no servers', () => {
    const pattern = new RegExp(pathsPattern(['apps/e2e/src/crash.e2e.spec.ts', 'tools/fuzz/fuzz.e2e.spec.mjs']));
    expect(suites.filter((path) => pattern.test(path))).toEqual([
      '/apps/e2e/src/crash.e2e.spec.ts',
      '/tools/fuzz/fuzz.e2e.spec.mjs',
    ]);
    const pure = new RegExp(PHASES.find(({ isPure }) => isPure).suites);
    expect(left.flat().filter((path) => pure.test(`/${path}`))).toEqual([]);
  });
});

describe('the phases', () => {
  it('have every suite, and one of two profiles twice at most', () => {
    const times = (path) => PHASES.filter((phase) => new RegExp(phase.suites).test(path)).length;
    expect(suites.length).toBeGreaterThan(400);
    expect(suites.filter((path) => times(path) < 1 || times(path) > (path.startsWith('/apps/e2e/') ? 2 : 1))).toEqual(
      [],
    );
  });

  describe("of a commit's run", () => {
    const ofPartners = PARTNERS.map((name) => `apps/e2e/src/${name}.e2e.spec.ts`);
    const [embedded, distributed] = PHASES.filter(({ shared }) => shared);
    const drawn = (_, all, count) => all.slice(0, count);
    const left = (phase, given) =>
      namedIn(phase, leftToTheOther(phase.profile, { suites: ofPartners, drawn, ...given }));

    it('ask each suite of partners of one profile at least, and always of processes what they could get wrong together', () => {
      const both = [embedded, distributed].map((phase) => left(phase, { canRunStack: true }));
      const together = ['idempotency', 'races', 'webhook-trust', 'rate-limits'];
      expect(both[0].filter((name) => both[1].includes(name))).toEqual([]);
      expect(both[1].filter((name) => together.includes(name))).toEqual([]);
      expect(together.filter((name) => !both[0].includes(name))).toHaveLength(1);
      expect(both.flat().sort()).toEqual([...PARTNERS, 'rate-limits'].filter((name) => name !== 'idempotency').sort());
    });

    it('ask each suite that needs a Vuka of its own of one profile', () => {
      const [first, second] = PHASES.filter(({ profile, shared }) => profile && !shared).map((phase) =>
        left(phase, { canRunStack: true }),
      );
      expect([...first, ...second].sort()).toEqual(['checkout', 'pay', 'pay-families', 'people', 'terms']);
      expect([first.includes('pay'), first.length]).toEqual([true, 2]);
    });

    it('ask all of the embedded profile where no stack can run, and whatever is named of both', () => {
      expect(left(embedded, { canRunStack: false })).toEqual([]);
      const named = { suites: ofPartners.slice(0, 2), canRunStack: true };
      expect([left(embedded, named), left(distributed, named)]).toEqual([[], []]);
    });
  });
});
