import type { SandboxDirectory } from '@vuka/data-folder';
import { acceptedTokens, CHAINS, DEFAULT_CHAIN } from '@vuka/domain';
import { z } from 'zod';

export interface ExampleDeposit {
  readonly chain: string;
  readonly asset: string;
  readonly to: string;
}

const networks = z.object({ data: z.array(z.object({ name: z.string(), settlement_wallet_address: z.string() })) });
const ASK_WITHIN_MS = 2_000;

/** undefined: no chain runs, or the API did not answer; it is only an example. */
export async function exampleDeposit({
  base_url: baseUrl,
  partners: [partner],
  chains = {},
}: SandboxDirectory): Promise<ExampleDeposit | undefined> {
  const running = CHAINS.filter(({ name }) => chains[name] !== undefined);
  const chain = running.find(({ name }) => name === DEFAULT_CHAIN) ?? running[0];
  const [token] = chain === undefined ? [] : acceptedTokens(chain);
  if (partner === undefined || chain === undefined || token === undefined) return undefined;
  try {
    const answer = await fetch(`${baseUrl}/account/networks`, {
      method: 'POST',
      headers: { 'x-api-key': partner.consumer_key },
      signal: AbortSignal.timeout(ASK_WITHIN_MS),
    });
    const to =
      networks.parse(await answer.json()).data.find(({ name }) => name === chain.name)?.settlement_wallet_address ?? '';
    return to === '' ? undefined : { chain: chain.name, asset: token.symbol, to };
  } catch {
    return undefined;
  }
}
