import { Inject, Injectable } from '@nestjs/common';
import { canonicalAddress } from '@vuka/chains';
import { chainNamed, fail, ok, sameAddress, type Chain, type ChainFamily, type Result } from '@vuka/domain';

import { accountOf, ADDRESS_SOURCES, type AddressSources, OwnAddresses } from '../addresses/index.js';
import { SERVED_CHAIN_NAMES } from '../chains/index.js';

/** Value sent to these is lost. EVM precompiles are below 0x10000. */
const NOWHERE: Readonly<Record<ChainFamily, readonly string[]>> = {
  evm: [
    '0x000000000000000000000000000000000000dEaD',
    '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
    '0xfFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF',
  ],
  solana: [
    '11111111111111111111111111111111',
    '1nc1nerator11111111111111111111111111111111',
    'So11111111111111111111111111111111111111112',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
    'ComputeBudget111111111111111111111111111111',
    'Config1111111111111111111111111111111111111',
    'Stake11111111111111111111111111111111111111',
    'Vote111111111111111111111111111111111111111',
    'BPFLoaderUpgradeab1e11111111111111111111111',
    'BPFLoader2111111111111111111111111111111111',
    'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
    'Sysvar1111111111111111111111111111111111111',
    'SysvarC1ock11111111111111111111111111111111',
    'SysvarRent111111111111111111111111111111111',
  ],
  // The account of the all-zero key.
  stellar: [`G${'A'.repeat(52)}WHF`],
};
const FIRST_USABLE_EVM = 0x10000n;

/** Does not check whether anybody has the key. */
@Injectable()
export class CheckRefundAddress {
  public constructor(
    @Inject(OwnAddresses) private readonly own: Pick<OwnAddresses, 'among'>,
    @Inject(ADDRESS_SOURCES) private readonly sources: AddressSources,
    @Inject(SERVED_CHAIN_NAMES) private readonly served: ReadonlySet<string>,
  ) {}

  /** Returns the chain's spelling. Errors: invalid_request, service_unavailable (chain not served). */
  public async run({
    chain: name,
    address: text,
  }: {
    readonly chain: string;
    readonly address: string;
  }): Promise<Result<{ readonly address: string }>> {
    const chain = chainNamed(name);
    if (chain === undefined || !this.served.has(name))
      return fail({ code: 'service_unavailable', message: `${name} is not served at the moment` });
    const address = await canonicalAddress(chain.family, text);
    if (!address.ok) return refuse(address.error);
    const account = accountOf(address.value);
    if (isNowhere(chain.family, account)) return refuse('must be an address that somebody has: nobody has this one');
    if (isOfToken(chain, account)) return refuse('must be a wallet: this is a token, or who issues it');
    if (await this.isOurs(chain.family, address.value, account)) return refuse('must be yours: this one is ours');
    return ok({ address: address.value });
  }

  private async isOurs(family: ChainFamily, address: string, account: string): Promise<boolean> {
    if ((await this.own.among([...new Set([address, account])])).size > 0) return true;
    return this.sources.get(family)?.holds(account) ?? false;
  }
}

function refuse(rule: string): Result<never> {
  return fail({ code: 'invalid_request', message: `refund_address ${rule}` });
}

function isNowhere(family: ChainFamily, account: string): boolean {
  return (
    NOWHERE[family].some((known) => sameAddress(family, known, account)) ||
    (family === 'evm' && BigInt(account) < FIRST_USABLE_EVM)
  );
}

function isOfToken({ family, tokens, lookalikes }: Chain, account: string): boolean {
  return [...tokens, ...lookalikes].some((token) => sameAddress(family, token.address, account));
}
