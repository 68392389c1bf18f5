import { describe, expect, it } from '@jest/globals';
import { createLogger, ManualClock } from '@vuka/runtime';

import { clientOptions, kafkaClient, logBridge } from './kafka-client.js';
import { brokerName, type KafkaConnection } from './kafka-connection.js';

const plain: KafkaConnection = { brokers: ['a:9092', '127.0.0.1:9093'], prefix: 'vuka.', tls: null, sasl: null };
const lines: string[] = [];
const log = createLogger('test', { level: 'debug', destination: { write: (line: string) => void lines.push(line) } });
const said = (): Record<string, unknown>[] =>
  lines.splice(0).map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the way to the brokers', () => {
  it('is plain TCP with bounds of its own, and made without connecting', () => {
    expect(clientOptions(plain, 'payments', log)).toMatchObject({
      brokers: ['a:9092', '127.0.0.1:9093'],
      clientId: 'payments',
      connectionTimeout: 3_000,
      requestTimeout: 15_000,
      // All five: kafkajs has other defaults under NODE_ENV=test.
      retry: { initialRetryTime: 100, factor: 0.2, multiplier: 2, maxRetryTime: 1_000, retries: 3 },
    });
    expect(clientOptions(plain, 'payments', log)).not.toHaveProperty('ssl');
    expect(clientOptions(plain, 'payments', log)).not.toHaveProperty('sasl');
    expect(kafkaClient(plain, 'payments', log).producer).toBeInstanceOf(Function);
  });

  it('checks the broker’s certificate whenever there is one, and shows its own', () => {
    expect(clientOptions({ ...plain, tls: {} }, 'c', log).ssl).toEqual({ rejectUnauthorized: true });
    const tls = { ca: 'CA', cert: 'CERT', key: 'KEY' };
    expect(clientOptions({ ...plain, tls }, 'c', log).ssl).toEqual({ ...tls, rejectUnauthorized: true });
    expect(() => clientOptions({ ...plain, tls: { cert: 'CERT' } }, 'c', log)).toThrow(/needs its key/);
    expect(() => clientOptions({ ...plain, tls: { key: 'KEY' } }, 'c', log)).toThrow(/needs its key/);
  });

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)('says who it is by %s', (mechanism) => {
    const sasl = { mechanism, username: 'vuka', password: 'p' };
    expect(clientOptions({ ...plain, sasl }, 'c', log).sasl).toEqual(sasl);
  });

  it.each([[[]], [['']], [['host']], [['::1:9092']], [['[::1]:9092']], [['user:pw@host:9092']], [['a:9092', 'b']]])(
    'is refused where the brokers are %j',
    (brokers) => {
      expect(() => clientOptions({ ...plain, brokers }, 'c', log)).toThrow(/host:port/);
    },
  );

  it('puts the prefix before names', () => {
    expect([brokerName(plain, 'things'), brokerName({ prefix: '' }, 'things')]).toEqual(['vuka.things', 'things']);
  });
});

describe('what kafkajs says', () => {
  const line = (
    level: number,
    message: string,
    extra: object = {},
  ): Parameters<ReturnType<ReturnType<typeof logBridge>>>[0] => ({
    namespace: 'Connection',
    level,
    label: 'x',
    log: { timestamp: 't', message, ...extra },
  });

  it('is a warning at most, once a minute, and without what was sent or who we are', () => {
    const clock = new ManualClock(new Date());
    const tell = logBridge(log, clock)(4);
    const extra = {
      broker: 'a:9092',
      error: new Error('refused'),
      stack: 'at x',
      password: 'SECRET',
      data: { value: 'SECRET' },
      ssl: { key: 'SECRET' },
      retryCount: 2,
    };
    tell(line(1, 'Connection error', extra));
    expect(lines.join('')).not.toMatch(/SECRET|at x/);
    expect(said()).toEqual([
      expect.objectContaining({
        level: 'warn',
        broker: 'a:9092',
        error: 'refused',
        retryCount: 2,
        part: 'Connection',
        said: 'Connection error',
      }),
    ]);
    tell(line(1, 'Connection error', extra));
    tell(line(1, 'Connection error', { ...extra, broker: 'b:9092' }));
    clock.advance(60_000);
    tell(line(1, 'Connection error', extra));
    expect(said().map(({ level }) => level)).toEqual(['debug', 'warn', 'warn']);
  });

  it('is kept from the log where it shows what is sent, and chatter is debug', () => {
    const tell = logBridge(log)(5);
    tell(line(5, 'Request Produce', { payload: 'SECRET' }));
    tell(line(4, 'Consumer has joined the group', { groupId: 'g' }));
    expect(said()).toEqual([expect.objectContaining({ level: 'debug', groupId: 'g' })]);
  });

  it('takes a bounded memory, however much it is', () => {
    const tell = logBridge(log, new ManualClock(new Date()))(4);
    for (let n = 0; n < 250; n += 1) tell(line(2, `sentence ${n}`));
    tell(line(2, 'sentence 249'));
    expect(said().filter(({ level }) => level === 'warn')).toHaveLength(250);
  });
});
