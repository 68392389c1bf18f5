import { describe, expect, it } from '@jest/globals';

import { createLogger, maskTail, maskText, nestLogger } from './logger.js';

function recorder() {
  const lines: string[] = [];
  const log = createLogger('payments', {
    level: 'debug',
    destination: { write: (line: string) => void lines.push(line) },
  });
  return {
    log,
    text: () => lines.join(''),
    last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, Record<string, unknown> | undefined>,
  };
}

describe('log', () => {
  it('writes one JSON line per event: level by name, time in UTC, service, fields', () => {
    const { log, last } = recorder();
    log.child({ request_id: 'r-1' }).info({ transaction_code: 'T1', amount_minor: '100' }, 'accepted');
    expect(last()).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      service: 'payments',
      request_id: 'r-1',
      transaction_code: 'T1',
      amount_minor: '100',
      msg: 'accepted',
    });
  });

  it('hides secrets and shortens account and phone numbers, at any depth', () => {
    const { log, text, last } = recorder();
    log.info(
      {
        consumer_key: 'SECRET1',
        headers: { 'x-api-key': 'SECRET2', authorization: 'SECRET3' },
        items: [{ webhook_secret: 'SECRET4', destination: { account_number: 'SECRET5' } }],
        password: 'SECRET6',
        nested: {
          account_number: '0011223344',
          phone: '+254700123456',
          deep: { deeper: { deepest: { password: 'SECRET7' } } },
        },
      },
      'x',
    );
    expect(text()).not.toContain('SECRET');
    expect(last()['nested']).toEqual({
      account_number: '***3344',
      phone: '***3456',
      deep: { deeper: { deepest: '[deep]' } },
    });
  });

  it('keeps what a driver says of rows, statements and values out of errors', () => {
    const { log, text, last } = recorder();
    const cause = Object.assign(new Error('Key whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), { code: 'ECONNRESET' });
    const err = Object.assign(new Error('invalid input: "0011223344"', { cause }), {
      code: '23505',
      constraint: 'notes_pk',
      detail: 'Key (account)=(SECRET) exists',
      parameters: ['SECRET'],
      query: 'SELECT SECRET',
    });
    log.error({ err }, 'failed');
    expect(text()).not.toMatch(/SECRET|0011223344|MfKQ9r8G/);
    expect(last()['err']).toMatchObject({
      type: 'Error',
      code: '23505',
      constraint: 'notes_pk',
      message: 'invalid input: "***3344"',
      cause: { code: 'ECONNRESET' },
    });
    expect(String(last()['err']?.['stack'])).toContain('logger.spec.ts');
  });

  it('guards the fields of children, bytes and an error logged bare', () => {
    const { log, text, last } = recorder();
    log.child({ apiKey: 'SECRET', partner_id: 1 }).info({ sealed: Buffer.from('SECRET') }, 'x');
    expect(last()).toMatchObject({ apiKey: '[redacted]', partner_id: 1, sealed: '[binary]' });
    log.error(new Error('no such account: 0011223344'));
    expect(last()).toMatchObject({ msg: 'no such account: ***3344', err: { message: 'no such account: ***3344' } });
    expect(text()).not.toMatch(/SECRET|0011223344/);
  });

  it('masks text by what it looks like, and leaves ids, times and amounts readable', () => {
    expect(maskText('account 0011223344 of +254700123456')).toBe('account ***3344 of ***3456');
    expect(maskText('key consumer_sandbox_abcdefgh1234')).toBe('key [redacted]');
    expect(maskText('key vk_live_consumer_a1b2c3_abcdefgh1234')).toBe('key vk_live_[redacted]');
    const harmless = '0193e5a4-7c1e-7000-8000-123456789012 at 2026-11-21T10:00:00.000Z: 12345678, REF-00112233445';
    expect(maskText(harmless)).toBe(harmless);
    expect([maskTail('0011223344'), maskTail('123456')]).toEqual(['***3344', '***']);
  });

  it('serves Nest, whose chatter is debug', () => {
    const { log, last } = recorder();
    nestLogger(log).log('Mapped {/health, GET}');
    expect(last()).toMatchObject({ level: 'debug', msg: 'Mapped {/health, GET}' });
    nestLogger(log).error(new Error('boom'));
    expect(last()).toMatchObject({ level: 'error', err: { message: 'boom' } });
  });
});
