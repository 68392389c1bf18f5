import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { afterEach, describe, expect, it } from '@jest/globals';

import { StatementDownload } from './download.js';

let server: Server | undefined;
const heard: { url: string | undefined; headers: object }[] = [];
const open: StatementDownload[] = [];

async function serve(answer: RequestListener): Promise<string> {
  server = createServer((request, response) => {
    heard.push({ url: request.url, headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/statement.csv?X-Signature=abc`;
}

function connect(apiUrl = 'http://api', patienceMs = 5_000, maxBytes = 1_000): StatementDownload {
  const download = new StatementDownload(apiUrl, patienceMs, maxBytes);
  open.push(download);
  return download;
}

afterEach(async () => {
  server?.closeAllConnections();
  await Promise.all(open.splice(0).map((one) => one.close()));
  await new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve)));
  server = undefined;
  heard.length = 0;
});

describe('the download of a statement', () => {
  it('asks for what the address says, and tells the other host nothing of ours', async () => {
    const url = await serve((_, response) => response.end('a,b'));
    expect(await connect().get(url)).toEqual({ bytes: Buffer.from('a,b') });
    expect(heard[0]?.url).toBe('/statement.csv?X-Signature=abc');
    expect(Object.keys(heard[0]?.headers ?? {}).sort()).toEqual(['connection', 'host']);
  });

  it('opens what is packed, as far as it is not too long', async () => {
    let packed = gzipSync('a,b');
    const url = await serve((_, response) => response.end(packed));
    expect(await connect().get(url)).toEqual({ bytes: Buffer.from('a,b') });
    packed = gzipSync('x'.repeat(100_000));
    expect(packed.length).toBeLessThan(1_000);
    expect(await connect().get(url)).toEqual({ failure: expect.stringContaining('ERR_BUFFER_TOO_LARGE') });
  });

  it.each([
    ['goes elsewhere', 302, 'HTTP 302'],
    ['is refused', 403, 'HTTP 403'],
    ['breaks', 500, 'HTTP 500'],
  ])('fails where it %s', async (_, status, detail) => {
    const url = await serve((_request, response) => response.writeHead(status, { location: '/other' }).end('x'));
    expect(await connect().get(url)).toEqual({ failure: expect.stringContaining(detail) });
    expect(heard).toHaveLength(1);
  });

  it('fails where it is too long, too slow, cut off or not there, and says no address', async () => {
    let url = await serve((_, response) => response.end('x'.repeat(1_001)));
    expect(await connect().get(url)).toEqual({ failure: 'the statement has more than 1000 bytes' });
    server?.removeAllListeners('request').on('request', (_, response) => void response.writeHead(200).write('a'));
    expect(await connect('http://api', 300).get(url)).toEqual({ failure: expect.stringContaining('TimeoutError') });
    server?.removeAllListeners('request').on('request', (_, response) => response.socket?.destroy());
    const cut = await connect().get(url);
    expect(cut).toEqual({ failure: expect.stringMatching(/fails: UND_ERR_SOCKET$/) });
    url = 'http://127.0.0.1:9/statement.csv?secret';
    expect(JSON.stringify(await connect().get(url))).not.toContain('secret');
  });

  it('goes to https alone, unless the API itself is plain', async () => {
    const url = await serve((_, response) => response.end('a,b'));
    for (const address of [url, 'file:///etc/passwd', 'ftp://files.example.com/x', 'https://u:p@files.example.com/x', 'x'])
      expect(await connect('https://api.pawapay.io').get(address)).toEqual({ failure: 'the address of the statement is none of https' }); // prettier-ignore
    expect(heard).toEqual([]);
  });
});
