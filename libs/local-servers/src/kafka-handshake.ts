import { connect } from 'node:net';

const METADATA_KEY = 3;
const METADATA_VERSION = 1;
const CORRELATION_ID = 7;
const ANSWER_TIMEOUT_MS = 2_000;
const LARGEST_ANSWER_BYTES = 64 * 1024;

/**
 * Whether a broker at that port names itself in its answer to a Metadata request (Kafka protocol, version 1: no topics): it does from
 * the moment the controller lets it serve, not from the moment its port is open. Never throws.
 */
export async function kafkaAnswers(host: string, port: number): Promise<boolean> {
  const answer = await exchange(host, port, metadataRequest());
  try {
    return answer !== undefined && brokersIn(answer).some((broker) => broker.port === port);
  } catch {
    return false;
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

function brokersIn(answer: Buffer): { host: string; port: number }[] {
  if (answer.readInt32BE(0) !== CORRELATION_ID) return [];
  let at = 8;
  return Array.from({ length: Math.min(answer.readInt32BE(4), 100) }, () => {
    const hostLength = answer.readInt16BE(at + 4);
    const host = answer.toString('utf8', at + 6, at + 6 + hostLength);
    const port = answer.readInt32BE(at + 6 + hostLength);
    const rackLength = answer.readInt16BE(at + 10 + hostLength);
    at += 12 + hostLength + Math.max(rackLength, 0);
    return { host, port };
  });
}

/** One request and its answer without the length before it; undefined where there is none in time. */
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
