import { TAGS } from '../../operations/index.js';

const slug = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');

/** Where the operations of a group are told of. */
export const operationsPath = (tag: string): string => `/docs/operations/${slug(tag)}`;

/** Only a sandbox has these. */
const OF_SANDBOX = 'Sandbox';

export const OPERATION_PATHS = Object.keys(TAGS)
  .filter((tag) => tag !== OF_SANDBOX)
  .map(operationsPath);
export const SANDBOX_OPERATION_PATHS = [operationsPath(OF_SANDBOX)];
