import type { Result } from '@vuka/domain';

/** What is asked once more before anything is signed. */
export interface RefundGuards {
  /** Whether money may be sent there: in the chain's spelling, ours nor a token's nor nobody's. Error: invalid_request; service_unavailable where it cannot be told now. */
  checkAddress(chain: string, address: string): Promise<Result<string>>;
  /** Why nothing of a token is sent at the moment; null: it is. `asset`: USDC@CELO. */
  whyOff(chain: string, asset: string): Promise<string | null>;
  /** Whether screening has the recipient on its list; rejects where it cannot be told now. */
  isListed(chain: string, address: string): Promise<boolean>;
}
