// `npm run --silent keys`: a phrase and the public keys that follow from it; the wallets of refunds, and their signatures. Each on a machine without a
// network. docs/operators/deposit-addresses.md, docs/operators/refund-wallets.md.
const args = process.argv.slice(2);
if (['sign', 'refund-wallet'].includes(args[0])) {
  const { signTransfers } = await import('./sign-transfers.mjs');
  await signTransfers(args);
} else {
  const { runPhraseCommand } = await import('./phrase-command.mjs');
  process.exitCode = await runPhraseCommand(args);
}
