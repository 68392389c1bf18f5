// `node http-load.mjs <JSON>`: a closed-loop HTTP/1.1 load in its own process.
// Task: `{ host, port, requests: [{ method, path, headers, body }], connections, seconds, warmUpSeconds, perSecond }`.
// `perSecond`: of all connections together; without it each sends as soon as it is answered.
// Raw sockets: a full client would use too much processor.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

const OTHER_EACH_TIME = '#'.repeat(64);
const END_OF_HEAD = Buffer.from('\r\n\r\n');

const task = JSON.parse(process.argv[2]);
const requests = task.requests.map(encode);
const startedAt = performance.now();
const countFrom = startedAt + task.warmUpSeconds * 1_000;
const stopAt = countFrom + task.seconds * 1_000;
const load = randomBytes(16).toString('hex');
/** Of one connection. */
const betweenMs = task.perSecond === undefined ? 0 : (1_000 * task.connections) / task.perSecond;
let sent = 0;
const latencies = [];
const statuses = {};

await Promise.all(
  Array.from({ length: task.connections }, (_, index) => lane(requests[index % requests.length], index)),
);
const { user, system } = process.cpuUsage();
latencies.sort((a, b) => a - b);
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
process.stdout.write(
  JSON.stringify({
    perSecond: latencies.length / task.seconds,
    count: latencies.length,
    p50: at(0.5),
    p99: at(0.99),
    statuses,
    processorSeconds: (user + system) / 1e6,
    wallSeconds: (performance.now() - startedAt) / 1_000,
  }),
);

function encode({ method, path, headers = {}, body = '' }) {
  const all = {
    host: `${task.host}:${task.port}`,
    ...headers,
    ...(body !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  const at = bytes.indexOf(OTHER_EACH_TIME);
  return at === -1 ? () => bytes : () => another(bytes, at);
}

/** A copy: the socket may still be sending the last one. */
function another(bytes, at) {
  const copy = Buffer.from(bytes);
  copy.write(load + (sent += 1).toString(16).padStart(32, '0'), at, 'latin1');
  return copy;
}

function lane(first, index) {
  return new Promise((resolve, reject) => {
    const socket = connect(task.port, task.host).setNoDelay(true);
    let turn = index;
    let sentAt = 0;
    let pending = Buffer.alloc(0);
    let due = startedAt + index * (betweenMs / task.connections);
    const send = (next) => {
      sentAt = performance.now();
      socket.write(next());
    };
    const sendWhenDue = (next) => {
      due += betweenMs;
      const waitMs = due - performance.now();
      if (waitMs <= 0) send(next);
      else setTimeout(send, waitMs, next);
    };
    socket.on('connect', () => send(first));
    socket.on('error', reject);
    socket.on('close', resolve);
    socket.on('data', (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const end = pending.indexOf(END_OF_HEAD);
      if (end === -1) return;
      const head = pending.toString('latin1', 0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (pending.length < end + 4 + length) return;
      pending = Buffer.alloc(0);
      const now = performance.now();
      if (now >= countFrom && now < stopAt) {
        latencies.push(now - sentAt);
        const status = head.slice(9, 12);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
      if (now >= stopAt) socket.end();
      else sendWhenDue(requests[(turn += 1) % requests.length]);
    });
  });
}
