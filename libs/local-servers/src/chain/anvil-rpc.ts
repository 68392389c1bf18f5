const TIMEOUT_MS = 10_000;
const LARGEST_ANSWER_BYTES = 512 * 1024 * 1024;

export interface RpcCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Answers in order. Throws on a late answer or an error. */
export async function askAnvil(url: string, calls: readonly RpcCall[]): Promise<unknown[]> {
  const body = JSON.stringify(calls.map(({ method, params = [] }, id) => ({ jsonrpc: '2.0', id, method, params })));
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answers = JSON.parse(await boundedText(response)) as {
    id: number;
    result?: unknown;
    error?: { message?: string };
  }[];
  return calls.map(({ method }, id) => {
    const answer = answers.find((one) => one.id === id);
    if (answer === undefined || answer.error !== undefined)
      throw new Error(`anvil refuses ${method}: ${answer?.error?.message ?? 'no answer'}`);
    return answer.result;
  });
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).byteLength;
    if (bytes > LARGEST_ANSWER_BYTES) throw new Error(`an answer of anvil is over ${LARGEST_ANSWER_BYTES} bytes`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}
