import { runNode } from '../node-program.js';
import { openStellarNode } from './horizon-node.js';

await runNode((folder) => openStellarNode(folder));
