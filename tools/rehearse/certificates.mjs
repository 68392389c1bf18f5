// A CA of the rehearsal's own and certificates by it: X.509 v3 (RFC 5280), ECDSA on P-256. Node can read certificates,
// and has nothing that makes one.
import { createECDH, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

const SEQUENCE = 0x30;
const SET = 0x31;
const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT = 0x06;
const TEXT = 0x0c;
const TIME = 0x18;
/** Context-specific: of a certificate its version and extensions, of a name its kind. */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

const OID = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  keyUsage: '551d0f',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  extendedKeyUsage: '551d25',
  serverAuth: '2b06010505070301',
};
const SERIAL_BYTES = 16;
/** keyCertSign and cRLSign; digitalSignature: bit strings. */
const CA_USES = '03020106';
const SERVER_USES = '03020780';
const DAY_MS = 24 * 3_600_000;
const LONG_FORM = 0x80;
const BYTE = 256;

/** `pem` for NODE_EXTRA_CA_CERTS; `issue(name, hosts)` gives `{ key, cert }` of a server. Both live for a day. */
export function makeAuthority(name) {
  const { privateKey, publicKey } = newKey();
  const pem = certificate({ name, issuer: name, publicKey, by: privateKey, extensions: [isAuthority(), use(CA_USES)] });
  const issue = (server, hosts) => {
    const pair = newKey();
    const extensions = [
      use(SERVER_USES),
      extension(OID.extendedKeyUsage, der(SEQUENCE, oid(OID.serverAuth))),
      reachedAs(hosts),
    ];
    const cert = certificate({ name: server, issuer: name, publicKey: pair.publicKey, by: privateKey, extensions });
    return { key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }), cert };
  };
  return { pem, issue };
}

/** Not by generateKeyPair: an export of its keys may stand still. */
function newKey() {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  const point = pair.getPublicKey().subarray(1);
  const [x, y] = [point.subarray(0, 32), point.subarray(32)].map((part) => part.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'P-256', x, y };
  const d = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()])
    .subarray(-32)
    .toString('base64url');
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' });
  const privateKey = createPrivateKey({ key: { ...jwk, d }, format: 'jwk' });
  return { publicKey, privateKey };
}

function certificate({ name, issuer, publicKey, by, extensions }) {
  const algorithm = der(SEQUENCE, oid(OID.ecdsaWithSha256));
  const now = Date.now();
  const signed = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, serial()),
    algorithm,
    called(issuer),
    der(SEQUENCE, time(now - DAY_MS), time(now + DAY_MS)),
    called(name),
    publicKey,
    der(EXTENSIONS, der(SEQUENCE, ...extensions)),
  );
  const whole = der(SEQUENCE, signed, algorithm, bits(sign('sha256', signed, by)));
  return `-----BEGIN CERTIFICATE-----\n${whole
    .toString('base64')
    .match(/.{1,64}/g)
    .join('\n')}\n-----END CERTIFICATE-----\n`;
}

function der(tag, ...parts) {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

function lengthOf({ length }) {
  if (length < LONG_FORM) return Buffer.from([length]);
  const bytes = length < BYTE ? [length] : [length >> 8, length & 0xff];
  return Buffer.from([LONG_FORM | bytes.length, ...bytes]);
}

const oid = (hex) => der(OBJECT, Buffer.from(hex, 'hex'));
const bits = (content) => der(BIT_STRING, Buffer.from([0]), content);
const called = (name) => der(SEQUENCE, der(SET, der(SEQUENCE, oid(OID.commonName), der(TEXT, Buffer.from(name)))));
const time = (ms) => der(TIME, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')}`));
const critical = der(BOOLEAN, Buffer.from([0xff]));
const extension = (id, value, ...flags) => der(SEQUENCE, oid(id), ...flags, der(OCTET_STRING, value));
const isAuthority = () => extension(OID.basicConstraints, der(SEQUENCE, critical), critical);
const use = (hex) => extension(OID.keyUsage, Buffer.from(hex, 'hex'), critical);
const reachedAs = (hosts) => extension(OID.subjectAltName, der(SEQUENCE, ...hosts.map(hostName)));

function hostName(host) {
  if (isIP(host) === 4) return der(IP_ADDRESS, Buffer.from(host.split('.').map(Number)));
  return der(DNS_NAME, Buffer.from(host));
}

/** Positive, and in its shortest form. */
function serial() {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = (bytes[0] & 0x3f) | 0x40;
  return bytes;
}
