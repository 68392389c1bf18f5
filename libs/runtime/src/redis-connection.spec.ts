import { describe, expect, it } from '@jest/globals';

import { redisOptions } from './redis-connection.js';

const of = (url: string) => redisOptions({ url, prefix: '' }, 'test');

describe('the Redis URL', () => {
  it.each([
    ['redis://127.0.0.1', { host: '127.0.0.1', port: 6379, db: 0 }],
    ['redis://localhost:6380/', { host: 'localhost', port: 6380, db: 0 }],
    ['redis://:p%40ss@[::1]:7000/3', { host: '::1', port: 7000, db: 3, password: 'p@ss' }],
    [
      'rediss://vuka:secret@redis.example:6379/1',
      { host: 'redis.example', username: 'vuka', password: 'secret', db: 1, tls: {} },
    ],
  ])('%s is read', (url, options) => {
    expect(of(url)).toMatchObject(options);
  });

  it('asks for TLS only where it says so', () => {
    expect(of('redis://127.0.0.1').tls).toBeUndefined();
  });

  it.each([
    '',
    'redis.example:6379',
    'http://u:verysecret@redis.example',
    'redis:///1',
    'redis://u:verysecret@host/name',
    'redis://u:verysecret@host:port/1',
  ])('%j is refused, and not told', (url) => {
    expect(() => of(url)).toThrow(/must look like/);
    expect(() => of(url)).not.toThrow(/verysecret/);
  });

  it('comes back soon, and never again at once', () => {
    const { retryStrategy } = of('redis://127.0.0.1');
    expect([1, 2, 3, 4, 5, 1_000].map((times) => retryStrategy?.(times))).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });
});
