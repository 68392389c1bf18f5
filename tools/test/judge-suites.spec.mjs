import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { judgeSecondTry, MOST_TRIED_AGAIN, unsteadyNotice, worthAnotherTry } from './judge-suites.mjs';
import { ROOT } from '../command/run.mjs';

const failed = (path, messages = 'not within 45000 ms') => ({ path, messages, tests: [`${path} ends`] });
const COUNTS = { passed: 40, failed: 2, skipped: 1 };
const again = [failed('a.e2e.spec.ts'), failed('b.e2e.spec.ts')];
const PASSED = { counts: { passed: 7, failed: 0, skipped: 0 } };

describe('suites that failed', () => {
  it('are worth another try where they are few, none of them found money wrong, and the phase came to its end', () => {
    const many = Array.from({ length: MOST_TRIED_AGAIN + 1 }, (_, at) => failed(`${at}.spec.ts`));
    expect(worthAnotherTry({ failures: again, timedOut: false })).toEqual(again);
    expect(worthAnotherTry({ failures: many, timedOut: false })).toEqual([]);
    expect(worthAnotherTry({ failures: again, timedOut: true })).toEqual([]);
    for (const found of ['seen from outside, 2 faults:', 'The ledger is NOT sound', 'one was accepted and lost']) {
      expect(worthAnotherTry({ failures: [...again, failed('c.e2e.spec.ts', found)], timedOut: false })).toEqual([]);
    }
  });

  it('and have a database, a chain or a provider in them stay failed, also where they pass alone', () => {
    const { counts, unsteady } = judgeSecondTry({ first: { counts: COUNTS }, second: PASSED, again, isPure: false });
    expect(counts).toEqual(COUNTS);
    expect(unsteadyNotice(unsteady)).toEqual([
      expect.stringMatching(
        /^✗ UNSTEADY, counted as FAILED: [^\n]*\n {2}a\.e2e\.spec\.ts: a\.e2e\.spec\.ts ends\n {2}b\.e2e\.spec\.ts: b\.e2e\.spec\.ts ends$/,
      ),
    ]);
  });

  it('and are pure count as passed where they pass alone, and are named', () => {
    const { counts, unsteady } = judgeSecondTry({ first: { counts: COUNTS }, second: PASSED, again, isPure: true });
    expect(counts).toEqual({ passed: 42, failed: 0, skipped: 1 });
    expect(unsteadyNotice(unsteady)).toEqual([expect.stringMatching(/^! UNSTEADY, counted as passed: /)]);
  });

  it.each([
    ['fail again', { passed: 6, failed: 1, skipped: 0 }],
    ['run no test', { passed: 0, failed: 0, skipped: 7 }],
  ])('and %s alone are failed, whatever they are', (_, counts) => {
    for (const isPure of [true, false])
      expect(judgeSecondTry({ first: { counts: COUNTS }, second: { counts }, again, isPure })).toEqual({
        counts: COUNTS,
        unsteady: [],
      });
  });
});

describe('the only phase whose suites are forgiven', () => {
  const STARTS =
    /\b(borrowDatabase|TestPostgres|start(Embedded|Test)Postgres|startPaymentsDatabase|startLocal(Chain|Kafka|Redis|Node)|startMockKafka|kafkaForTests|startSandboxRail|startVuka|startStack|open(Shared|Stack|Pay)?Scene)\(/;

  it('is the pure one', () => {
    expect(readFileSync(join(ROOT, 'tools/test/test.mjs'), 'utf8').match(/name: '[^']*',[^}]*isPure: true/g)).toEqual([
      expect.stringMatching(/^name: 'unit'/),
    ]);
  });

  it('has no suite that starts a database, a broker, a chain, a rail or a Vuka', () => {
    const folders = ['libs', 'apps'].flatMap((group) =>
      readdirSync(join(ROOT, group)).map((name) => join(group, name, 'src')),
    );
    const paths = folders.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true }).map((path) => join(folder, path)),
    );
    const suites = paths.filter((path) => /(?<!\.(int|e2e))\.spec\.ts$/.test(path));
    expect(suites.length).toBeGreaterThan(100);
    expect(suites.filter((path) => STARTS.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
  });
});
