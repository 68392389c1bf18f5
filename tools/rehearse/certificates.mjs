// A CA of the rehearsal's own and certificates by it: ECDSA on P-256, for a day.
import 'reflect-metadata';
import { createECDH, createPrivateKey, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';

import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const KEY = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' };
const COORDINATE_BYTES = 32;
const DAY_MS = 24 * 3_600_000;

/** `pem` for NODE_EXTRA_CA_CERTS; `issue(name, hosts)` resolves with `{ key, cert }` of a server. Both live for a day. */
export async function makeAuthority(name) {
  const own = await newKey();
  const uses = KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign;
  const authority = await certificate({
    subject: called(name),
    publicKey: own.publicKey,
    issuer: called(name),
    signingKey: own.privateKey,
    extensions: [new BasicConstraintsExtension(true, undefined, true), new KeyUsagesExtension(uses, true)],
  });
  const issue = async (server, hosts) => {
    const { publicKey, pem } = await newKey();
    const cert = await certificate({
      subject: called(server),
      publicKey,
      issuer: called(name),
      signingKey: own.privateKey,
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(
          hosts.map((host) => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host })),
        ),
      ],
    });
    return { key: pem, cert };
  };
  return { pem: authority, issue };
}

async function certificate(parts) {
  const now = Date.now();
  const made = await X509CertificateGenerator.create(
    { ...parts, notBefore: new Date(now - DAY_MS), notAfter: new Date(now + DAY_MS), signingAlgorithm: SIGNATURE },
    webcrypto,
  );
  return `${made.toString('pem')}\n`;
}

const called = (name) => [{ CN: [name] }];

/** Not by generateKeyPair: an export of its keys may stand still. */
async function newKey() {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  const point = pair.getPublicKey().subarray(1);
  const [x, y] = [point.subarray(0, COORDINATE_BYTES), point.subarray(COORDINATE_BYTES)].map(base64url);
  const d = base64url(
    Buffer.concat([Buffer.alloc(COORDINATE_BYTES), pair.getPrivateKey()]).subarray(-COORDINATE_BYTES),
  );
  const open = { kty: 'EC', crv: 'P-256', x, y };
  const [publicKey, privateKey] = await Promise.all([
    webcrypto.subtle.importKey('jwk', open, KEY, true, ['verify']),
    webcrypto.subtle.importKey('jwk', { ...open, d }, KEY, false, ['sign']),
  ]);
  const pem = createPrivateKey({ key: { ...open, d }, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' });
  return { publicKey, privateKey, pem };
}

const base64url = (bytes) => bytes.toString('base64url');
