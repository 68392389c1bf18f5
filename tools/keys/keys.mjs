// `npm run --silent keys`, on an offline machine: docs/operators/deposit-addresses.md and refund-wallets.md.
const args = process.argv.slice(2);
if (['sign', 'refund-wallet'].includes(args[0])) {
  const { signTransfers } = await import('./sign-transfers.mjs');
  await signTransfers(args);
} else {
  const { runPhraseCommand } = await import('./phrase-command.mjs');
  process.exitCode = await runPhraseCommand(args);
}
