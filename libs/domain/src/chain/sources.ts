/** Two sources per enabled token (2026-11-21). No live chain was read. */
export const CHAIN_SOURCES = {
  C1: "npm @circle-fin/bridge-kit@1.15.1 (Circle's own SDK: chain definitions + built-in token registry; read 2026-11-21)",
  C2: 'github.com/circlefin/skills @26dc09ea plugins/circle/skills/use-usdc/SKILL.md (2026-08-13)',
  C4: 'developers.circle.com/stablecoins/eurc-contract-addresses.md - stored excerpt shows the Avalanche and Base rows',
  C5: "developers.circle.com/cctp/supported-domains - BNB Smart Chain listed as 'USYC only' (no Circle USDC on BNB)",
  U1: 'npm @uniswap/default-token-list@22.21.0 (2026-09-23)',
  A1: 'npm @bgd-labs/aave-address-book@4.44.22 tokenlist.json',
  P1: 'npm @pancakeswap/tokens@0.9.1',
  CE1: 'github.com/celo-org/docs @07366f28 tooling/contracts/stablecoin-contracts.mdx (+ token-contracts.mdx)',
  T1: 'tether.to/en/supported-protocols - lists Tether-issued ERC-20 on Ethereum, Avalanche, Celo (and Kava) and a Solana token; Polygon/Arbitrum/Base/BNB are not in the current list',
  ST1: 'developers.stellar.org/docs/tokens/usdt0-layerzero',
  I1: 'docs.iron.xyz/stablecoins-and-blockchains',
  R1: 'docs.range.org/faraday-api/product-info/supported-tokens',
  CW: 'github.com/cowprotocol/token-lists pull 712 (Base USDT)',
  PX: 'github.com/paxosglobal/pyusd-contract README @c9ea7676 (PYUSD proxy on Ethereum)',
  GA: "GuardianAudits USDT0 'Polygon Upgrade' review, 2025-06-05 (in-place upgrade of the Polygon USDT contract to USDT0)",
  SR: 'docs.rs r402-stellar constant USDC_PUBNET_ADDRESS = CCW67TSZ... ; equals the SAC derived here from the issuer (checked)',
  FE: 'several public repositories found by exact string; plus the documented SAC CDTKPWPL... equals the one derived here from code+issuer (checked). Note: many repositories carry this issuer with its last character missing',
  V1: 'npm viem@2.57.20 chain definitions (chain ids)',
  BN: 'cryptomcx.com/?p=768, iq.wiki bsc-usd (Binance-peg explanation; contract 0x55d3...)',
  PH: 'records of native coins in US dollars as price pages had them up to October 2025 (general knowledge, rounded up by some fifth or more; written 2026-11-23, read from no feed)',
} as const satisfies Readonly<Record<string, string>>;

export type SourceKey = keyof typeof CHAIN_SOURCES;
