const ANSWER_WITHIN_MS = 15_000;
const AT_ONCE = 100;

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export async function askNode(url: string, calls: readonly RpcCall[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let from = 0; from < calls.length; from += AT_ONCE)
    answers.push(...(await askOnce(url, calls.slice(from, from + AT_ONCE))));
  return answers;
}

async function askOnce(url: string, calls: readonly RpcCall[]): Promise<unknown[]> {
  const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const told = (await response.json()) as { id: number; result?: unknown; error?: { message: string } }[];
  const byId = new Map(told.map((one) => [one.id, one]));
  return calls.map(({ method }, id) => {
    const answer = byId.get(id);
    if (answer === undefined || answer.error !== undefined)
      throw new Error(`${method}: ${answer?.error?.message ?? 'no answer'}`);
    return answer.result;
  });
}
