import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get } from 'node:https';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { makeAuthority } from './certificates.mjs';

let authority;
let server;

beforeAll(async () => {
  authority = await makeAuthority('Rehearsal CA');
  server = await authority.issue('first endpoints', ['127.0.0.1', 'localhost']);
});

async function statusBy(ca) {
  const listening = createServer(server, (_, response) => response.end()).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  try {
    return await new Promise((resolve) => {
      const options = { host: '127.0.0.1', port: listening.address().port, ca, agent: false };
      get(options, (response) => resolve(response.resume().statusCode)).on('error', ({ code }) => resolve(code));
    });
  } finally {
    listening.closeAllConnections();
    listening.close();
  }
}

describe('certificates of the rehearsal', () => {
  it('are signed by its authority, for a server at the hosts named and for no other', () => {
    const [ca, leaf] = [authority.pem, server.cert].map((pem) => new X509Certificate(pem));
    expect([ca.ca, leaf.ca]).toEqual([true, false]);
    expect(leaf.checkIssued(ca) && leaf.verify(ca.publicKey)).toBe(true);
    expect([leaf.checkIP('127.0.0.1'), leaf.checkIP('127.0.0.2')]).toEqual(['127.0.0.1', undefined]);
    expect([leaf.checkHost('localhost'), leaf.checkHost('example.com')]).toEqual(['localhost', undefined]);
    expect(Date.parse(leaf.validTo) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
  });

  it('are trusted by who is given the authority alone', async () => {
    expect(await statusBy(authority.pem)).toBe(200);
    expect(await statusBy((await makeAuthority('Rehearsal CA')).pem)).toMatch(/CERT|SIGNATURE/);
    expect(await statusBy(undefined)).toMatch(/SELF_SIGNED|UNABLE/);
  });
});
