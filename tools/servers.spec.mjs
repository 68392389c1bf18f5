import { describe, expect, it } from '@jest/globals';

import { judgeServers } from './servers.mjs';

const THERE = { ok: true };
const missing = (why) => ({ ok: false, why });

describe('the servers that tests can have', () => {
  it('says nothing when all are there', () => {
    expect(judgeServers({ kafka: THERE, redis: THERE, required: true })).toEqual({ env: { VUKA_TEST_KAFKA: 'real', VUKA_TEST_REDIS: 'real' }, notice: [], canRunStack: true, failures: 0 });
  });

  it('takes the mock where Kafka cannot be had, and says what did not run and why', () => {
    const { env, notice, canRunStack, failures } = judgeServers({ kafka: missing('no Java'), mock: THERE, redis: THERE, required: false });
    expect(env).toMatchObject({ VUKA_TEST_KAFKA: 'mock', VUKA_TEST_KAFKA_WHY: 'no Java', VUKA_TEST_REDIS: 'real' });
    expect(notice.join('\n')).toMatch(/SKIPPED: Kafka[\s\S]*Why: no Java[\s\S]*mock cluster ran against that/);
    expect([canRunStack, failures]).toEqual([false, 0]);
  });

  it('says that there is neither Kafka nor its mock, nor Redis', () => {
    const { env, notice } = judgeServers({ kafka: missing('no Java'), mock: missing('no Python'), redis: missing('no apt'), required: false });
    expect(env).toMatchObject({ VUKA_TEST_KAFKA: 'none', VUKA_TEST_REDIS: 'none', VUKA_TEST_REDIS_WHY: 'no apt' });
    expect(notice.join('\n')).toMatch(/no Java[\s\S]*no Python[\s\S]*SKIPPED: Redis[\s\S]*no apt/);
  });

  it('counts each as a failure where the servers are required', () => {
    const { notice, failures } = judgeServers({ kafka: missing('no Java'), mock: THERE, redis: missing('no apt'), required: true });
    expect(failures).toBe(2);
    expect(notice.join('\n')).toMatch(/REQUIRED AND MISSING: Kafka[\s\S]*REQUIRED AND MISSING: Redis/);
  });
});
