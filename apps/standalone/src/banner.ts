import type { SandboxDirectory } from '@vuka/data-folder';
import { type ExampleDeposit, exampleLines } from '@vuka/sandbox';

export interface BannerFacts {
  readonly baseUrl: string;
  readonly env: 'sandbox' | 'live';
  readonly dataDir: string;
  readonly readyAfterMs: number;
  readonly exampleReference: string;
  readonly sandbox?: {
    readonly file: string;
    readonly directory: SandboxDirectory;
    readonly deposit: ExampleDeposit | undefined;
  };
}

export function banner(facts: BannerFacts): string {
  const lines = [
    '',
    `Vuka is ready: ${facts.baseUrl}   (${facts.env}, after ${(facts.readyAfterMs / 1000).toFixed(1)} s)`,
    `  interface  ${facts.baseUrl}/docs`,
    `  health     ${facts.baseUrl}/health/ready`,
    `  data       ${facts.dataDir}`,
  ];
  if (facts.sandbox !== undefined) lines.push(...sandboxLines(facts, facts.sandbox));
  return [...lines, '', 'Ctrl-C stops it; the data stays in the data folder.', ''].join('\n');
}

function sandboxLines(
  { baseUrl, dataDir, exampleReference: reference }: BannerFacts,
  { file, directory, deposit }: NonNullable<BannerFacts['sandbox']>,
): string[] {
  const chains = Object.keys(directory.chains ?? {});
  const own =
    chains.length === 0
      ? []
      : [`  chains     ${chains.join(', ')} (nodes with play money: docs/partners/sandbox-chains.md)`];
  return [
    `  keys       ${file} (two partners, wallets filled)`,
    ...own,
    ...exampleLines({ baseUrl, directory, reference, dataDir, deposit }),
  ];
}
