// Makes attacks.json of attacks.sol: node libs/chains/spec-contracts/compile.mjs. The result is committed; run it after a change.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import solc from 'solc';

const SOURCE = 'attacks.sol';
const folder = import.meta.dirname;
const input = {
  language: 'Solidity',
  sources: { [SOURCE]: { content: readFileSync(join(folder, SOURCE), 'utf8') } },
  settings: {
    optimizer: { enabled: true, runs: 200 },
    // What every chain of ours runs.
    evmVersion: 'paris',
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  },
};
const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input)));
for (const { formattedMessage } of errors) console.error(formattedMessage);
if (errors.length > 0) process.exit(1);
const artifacts = Object.fromEntries(
  Object.entries(contracts[SOURCE]).map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}`, deployedBytecode: `0x${evm.deployedBytecode.object}` }]),
);
writeFileSync(join(folder, 'attacks.json'), `${JSON.stringify(artifacts, null, 1)}\n`);
