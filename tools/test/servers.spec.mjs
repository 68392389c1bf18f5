import { describe, expect, it } from '@jest/globals';

import { judgeServers } from './servers.mjs';

const THERE = { ok: true };
const missing = (why) => ({ ok: false, why });

describe('the servers that tests can have', () => {
  it('says nothing when all are there', () => {
    expect(judgeServers({ kafka: THERE, redis: THERE, anvil: THERE, required: true })).toEqual({
      env: { VUKA_TEST_KAFKA: 'real', VUKA_TEST_REDIS: 'real', VUKA_TEST_ANVIL: 'real' },
      notice: [],
      canRunStack: true,
      skipsChains: false,
      failures: 0,
    });
  });

  it('takes the mock where Kafka cannot be had, and says what did not run and why', () => {
    const { env, notice, canRunStack, failures } = judgeServers({
      kafka: missing('no Java'),
      mock: THERE,
      redis: THERE,
      anvil: THERE,
      required: false,
    });
    expect(env).toMatchObject({ VUKA_TEST_KAFKA: 'mock', VUKA_TEST_KAFKA_WHY: 'no Java', VUKA_TEST_REDIS: 'real' });
    expect(notice.join('\n')).toMatch(
      /SKIPPED: Kafka[\s\S]*Why: no Java[\s\S]*mock cluster of librdkafka ran against the mock/,
    );
    expect([canRunStack, failures]).toEqual([false, 0]);
  });

  it('says that there is neither Kafka nor its mock, nor Redis', () => {
    const { env, notice } = judgeServers({
      kafka: missing('no Java'),
      mock: missing('no Python'),
      redis: missing('no apt'),
      anvil: THERE,
      required: false,
    });
    expect(env).toMatchObject({ VUKA_TEST_KAFKA: 'none', VUKA_TEST_REDIS: 'none', VUKA_TEST_REDIS_WHY: 'no apt' });
    expect(notice.join('\n')).toMatch(/no Java[\s\S]*no Python[\s\S]*SKIPPED: Redis[\s\S]*no apt/);
  });

  it('counts each as a failure where the servers are required', () => {
    const { notice, failures } = judgeServers({
      kafka: missing('no Java'),
      mock: THERE,
      redis: missing('no apt'),
      anvil: THERE,
      required: true,
    });
    expect(failures).toBe(2);
    expect(notice.join('\n')).toMatch(/REQUIRED AND MISSING: Kafka[\s\S]*REQUIRED AND MISSING: Redis/);
  });

  it('says that suites of EVM chains are skipped for want of anvil, and why; in CI they run and fail', () => {
    const judged = (inCi) =>
      judgeServers({ kafka: THERE, redis: THERE, anvil: missing('no anvil on PATH'), required: true, inCi });
    const skipped = judged(false);
    expect(skipped).toMatchObject({
      env: { VUKA_TEST_ANVIL: 'none' },
      canRunStack: true,
      skipsChains: true,
      failures: 0,
    });
    expect(skipped.notice.join('\n')).toMatch(/SKIPPED: anvil[\s\S]*among the skipped[\s\S]*Why: no anvil on PATH/);
    const red = judged(true);
    expect([red.skipsChains, red.notice.join('\n')]).toEqual([
      false,
      expect.stringMatching(/MISSING: anvil[\s\S]*has failed[\s\S]*Why: no anvil on PATH/),
    ]);
  });
});
