import { expect, it } from '@jest/globals';

import { takeMuxedApart } from './stellar-address.js';

it.each([
  // The examples of SEP-23.
  ['MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ', '0'],
  ['MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK', '9223372036854775808'],
])('%s is an account and the id %s', (address, id) => {
  expect(takeMuxedApart(address)).toEqual({ account: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ', id });
});
