import { CHAINS } from '@vuka/domain';

import { runNode } from '../node-program.js';
import { openSolanaNode } from './solana-node.js';

const chain = CHAINS.find(({ family }) => family === 'solana');
if (chain?.family !== 'solana') throw new Error('no chain of this family is listed');
await runNode((folder) => openSolanaNode(folder, chain));
