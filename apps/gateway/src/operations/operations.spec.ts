import { describe, expect, it } from '@jest/globals';

import { OPERATION_TABLE as table, OPERATIONS } from '../public-operations.js';
import type { Operation } from './operation.js';

/** Providers choose between the two; all other paths have one method. */
function methodsAt(path: string, { method }: Operation): string[] {
  if (path.startsWith('/callbacks/')) return ['POST', 'PUT'];
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

describe('operations', () => {
  it('knows each path of the table by its method', () => {
    for (const operation of Object.values<Operation>(OPERATIONS))
      for (const path of operation.paths)
        expect(table.allowedMethods(path.replace(':currency', 'kes'))).toEqual(methodsAt(path, operation));
  });

  it('knows nothing in live of what only the sandbox has, and all else the same', () => {
    for (const operation of Object.values<Operation>(OPERATIONS)) {
      for (const path of operation.paths) {
        const methods = table.allowedMethods(path.replace(':currency', 'kes'), false);
        expect(methods).toEqual(operation.sandboxOnly === true ? [] : methodsAt(path, operation));
      }
    }
  });

  it.each(['/', '', '*', '/v1', '/%zz/status/x', '/kes/bank-transfer/x'])('knows nothing at %j', (path) => {
    expect(table.allowedMethods(path)).toEqual([]);
    expect(table.isNotOffered(path)).toBe(false);
  });

  it('never offers what it names as not offered', () => {
    for (const path of ['/v1/onramp', '/collect', '/collect/?x=1']) {
      expect(table.isNotOffered(path)).toBe(true);
      expect(table.allowedMethods(path)).toEqual([]);
    }
  });
});
