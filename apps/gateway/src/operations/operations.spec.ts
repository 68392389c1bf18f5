import { describe, expect, it } from '@jest/globals';

import { OPERATION_TABLE as table, OPERATIONS } from '../public-operations.js';
import type { Operation } from './operation.js';

describe('operations', () => {
  it('knows each path of the table by its method', () => {
    for (const { method, paths } of Object.values(OPERATIONS)) {
      for (const path of paths) {
        expect(table.allowedMethods(path.replace(':currency', 'kes'))).toEqual(
          method === 'GET' ? ['GET', 'HEAD'] : ['POST'],
        );
      }
    }
  });

  it('knows nothing in live of what only the sandbox has, and all else the same', () => {
    for (const operation of Object.values<Operation>(OPERATIONS)) {
      for (const path of operation.paths) {
        const methods = table.allowedMethods(path.replace(':currency', 'kes'), false);
        expect(methods).toEqual(
          operation.sandboxOnly === true ? [] : operation.method === 'GET' ? ['GET', 'HEAD'] : ['POST'],
        );
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
