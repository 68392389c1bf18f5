import { acceptedTokens, chainNamed, fail, ok, type Problem, type Result } from '@vuka/domain';

import type { ServedChains } from './served-chains.js';

const CHAINS_UNKNOWN: Problem = {
  code: 'service_unavailable',
  message:
    'Which chains are served cannot be told at the moment, so this request was not accepted. Send the same request again later',
};

/**
 * `asset` null: any token. Errors: service_unavailable (not served now, or unknown), unsupported_network (the token
 * does not count there).
 */
export async function checkServed(
  chains: Pick<ServedChains, 'all'>,
  chainName: string,
  asset: string | null,
): Promise<Result<null>> {
  const all = await chains.all();
  if (all === null) return fail(CHAINS_UNKNOWN);
  const chain = all.find(({ name }) => name === chainName);
  if (chain === undefined) return fail(notServed(chainName, all));
  return asset === null || chain.assets.includes(asset) ? ok(null) : fail(notTaken(asset, chain.name, chain.assets));
}

function notServed(chain: string, served: readonly { readonly name: string }[]): Problem {
  const names = served.length === 0 ? 'No chain is' : `Served: ${served.map(({ name }) => name).join(', ')}`;
  return {
    code: 'service_unavailable',
    message: `${chain} is not served at the moment, so this request was not accepted. ${names}`,
  };
}

/** A known token that is not listed is switched off: the request may be repeated later. */
function notTaken(asset: string, chain: string, assets: readonly string[]): Problem {
  const known = chainNamed(chain);
  if (known !== undefined && acceptedTokens(known).some(({ symbol }) => symbol === asset)) {
    return {
      code: 'service_unavailable',
      message: `${asset} is not taken on ${chain} at the moment, so this request was not accepted. Taken: ${assets.join(', ') || 'none'}`,
    };
  }
  const detail = `asset must be one of ${assets.join(', ')} on ${chain}`;
  return { code: 'unsupported_network', message: detail, faults: [{ detail, pointer: '/asset' }] };
}
