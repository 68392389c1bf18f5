import { connect } from 'node:net';

const METADATA_KEY = 3;
const METADATA_VERSION = 2;
const CORRELATION_ID = 7;
const ANSWER_TIMEOUT_MS = 2_000;
/** After the correlation id; version 2 has no throttle time. */
const METADATA_BROKERS_AT = 8;
const MOST_BROKERS = 100;
const LARGEST_ANSWER_BYTES = 64 * 1024;

/** By Metadata (version 2): answered only once the broker serves, later than its port opens. Never throws. */
export async function clusterAt(host: string, port: number): Promise<string | undefined> {
  const answer = await exchange(host, port, metadataRequest());
  try {
    const found = answer && readMetadata(answer);
    return found?.ports.includes(port) ? found.cluster : undefined;
  } catch {
    return undefined;
  }
}

function metadataRequest(): Buffer {
  const clientId = Buffer.from('vuka');
  const request = Buffer.alloc(4 + 2 + 2 + 4 + 2 + clientId.length + 4);
  request.writeInt32BE(request.length - 4, 0);
  request.writeInt16BE(METADATA_KEY, 4);
  request.writeInt16BE(METADATA_VERSION, 6);
  request.writeInt32BE(CORRELATION_ID, 8);
  request.writeInt16BE(clientId.length, 12);
  clientId.copy(request, 14);
  request.writeInt32BE(0, 14 + clientId.length);
  return request;
}

/**
 * int32 correlation id, array of (int32 id, string host, int32 port, nullable string rack), nullable string
 * cluster.
 */
function readMetadata(answer: Buffer): { ports: number[]; cluster: string } {
  if (answer.readInt32BE(0) !== CORRELATION_ID) throw new Error('an answer to another question');
  let at = METADATA_BROKERS_AT;
  const text = (): string => {
    const length = Math.max(answer.readInt16BE(at), 0);
    at += 2 + length;
    return answer.toString('utf8', at - length, at);
  };
  const ports = Array.from({ length: Math.min(answer.readInt32BE(at - 4), MOST_BROKERS) }, () => {
    at += 4;
    text();
    const port = answer.readInt32BE(at);
    at += 4;
    text();
    return port;
  });
  return { ports, cluster: text() };
}

/** Without the length prefix; undefined on timeout. */
function exchange(host: string, port: number, request: Buffer): Promise<Buffer | undefined> {
  return new Promise((settle) => {
    const socket = connect({ host, port });
    let received = Buffer.alloc(0);
    const end = (answer?: Buffer): void => {
      socket.destroy();
      settle(answer);
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => end());
    socket.on('error', () => end());
    socket.on('close', () => end());
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const length = received.length >= 4 ? received.readInt32BE(0) : 0;
      if (length > LARGEST_ANSWER_BYTES) end();
      else if (received.length >= 4 && received.length >= 4 + length) end(received.subarray(4, 4 + length));
    });
  });
}
