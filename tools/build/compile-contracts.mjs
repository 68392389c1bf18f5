// `node tools/build/compile-contracts.mjs`: writes the committed .json of each .sol. Run it after changing one.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import solc from 'solc';

import { ROOT } from '../command/run.mjs';

const SOURCES = ['libs/chains/contracts/sandbox-token.sol', 'libs/chains/spec-contracts/attacks.sol'];

for (const source of SOURCES) {
  const name = basename(source);
  const input = {
    language: 'Solidity',
    sources: { [name]: { content: readFileSync(join(ROOT, source), 'utf8') } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      // All our chains support it.
      evmVersion: 'paris',
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input)));
  for (const { formattedMessage } of errors) console.error(formattedMessage);
  if (errors.length > 0) process.exit(1);
  const artifacts = Object.fromEntries(
    Object.entries(contracts[name]).map(([contract, { abi, evm }]) => [
      contract,
      { abi, bytecode: `0x${evm.bytecode.object}`, deployedBytecode: `0x${evm.deployedBytecode.object}` },
    ]),
  );
  writeFileSync(join(ROOT, source.replace(/\.sol$/, '.json')), `${JSON.stringify(artifacts, null, 1)}\n`);
  console.log(source.replace(/\.sol$/, '.json'));
}
