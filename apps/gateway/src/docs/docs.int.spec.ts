import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { startTestGateway, type TestGateway } from '../testing/gateway.spec-support.js';

let gateway: TestGateway;
const base = (): string => `http://127.0.0.1:${String(gateway.port)}`;

beforeAll(async () => {
  gateway = await startTestGateway();
});

afterAll(() => gateway.stop());

const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${base()}${path}`, init);

describe('/docs', () => {
  it('is a page without a key, with a policy that allows no foreign content and no inline script', async () => {
    const answer = await get('/docs');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const html = await answer.text();
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|style=|https?:/);
  });

  it.each([
    ['/docs', 4],
    ['/docs/guides/webhooks', 4],
    ['/docs/try', 8],
  ])('%s names only files of ours, which a browser may keep for good', async (page, count) => {
    const files = [...(await (await get(page)).text()).matchAll(/(?:src|href|data-index)="([^"]+\?v=[^"]+)"/g)].map(
      ([, file = '']) => file,
    );
    expect(new Set(files).size).toBe(count);
    for (const file of files) {
      const answer = await get(file);
      expect([file, answer.status, answer.headers.get('cache-control')]).toEqual([
        file,
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100);
    }
  });

  it('promises stable content only for addresses with a version', async () => {
    for (const path of [
      '/docs?v=1',
      '/openapi.json?v=1',
      '/docs/docs.js?v=1',
      '/docs/docs.js',
      '/docs/docs.js?v=a&v=b',
    ]) {
      expect([path, (await get(path)).headers.get('cache-control')]).toEqual([path, 'no-cache']);
    }
  });

  it('has its script ask nobody else, and keep no key', async () => {
    const script = await (await get('/docs/try.js')).text();
    expect(script).toContain("url: '/openapi.json'");
    expect(script).toContain('persistAuthorization: false');
    expect(script).toContain('validatorUrl: null');
  });

  it.each(['/docs/', '/docs', '/docs/guides/errors', '/docs/operations/payouts', '/docs/operations/sandbox'])(
    '%s is a page under the same policy',
    async (path) => {
      const answer = await get(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
    },
  );

  it.each([
    '/docs/index.html',
    '/docs/guides',
    '/docs/guides/README',
    '/docs/guides/errors.md',
    '/docs/swagger-ui.js',
    '/docs/swagger-ui-bundle.js.map',
    '/docs/%2e%2e%2fpackage.json',
  ])('%s is nothing', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe('/openapi.json', () => {
  it('is the document, the same at every question', async () => {
    const answer = await get('/openapi.json');
    const document = (await answer.json()) as { openapi: string; servers: unknown };
    expect([answer.headers.get('content-type'), document.openapi, document.servers]).toEqual([
      'application/json; charset=utf-8',
      '3.1.0',
      [{ url: '/', description: 'This sandbox' }],
    ]);
    const again = await get('/openapi.json', { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('is compressed for those who can read that', async () => {
    // fetch unpacks and drops the header, so compare raw lengths.
    const packed = await get('/openapi.json', { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } });
    const plain = await get('/openapi.json', { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
    const length = (answer: Response): number => parseInt(answer.headers.get('content-length') ?? '', 10);
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(length(packed) * 4).toBeLessThan(length(plain));
  });
});

describe.each(['/docs', '/openapi.json'])('reading %s', (path) => {
  it('answers HEAD with the headers of GET and no body', async () => {
    const head = await get(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('request-id')).toMatch(/^[\w-]+$/);
  });

  it('is for reading only', async () => {
    const answer = await get(path, { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('does not mention operations of the sandbox in live', async () => {
    const live = await startTestGateway({ settings: { env: 'live' } });
    try {
      const text = await (await fetch(`http://127.0.0.1:${String(live.port)}${path}`)).text();
      expect(text).not.toContain('/sandbox/');
      expect(text).not.toContain('sandbox.json');
      expect((await fetch(`http://127.0.0.1:${String(live.port)}/docs/operations/sandbox`)).status).toBe(404);
    } finally {
      await live.stop();
    }
  });
});
