import { type Operations } from '../operations/index.js';

export const PAY_PAGE_OPERATIONS = {
  payPage: {
    method: 'GET',
    paths: ['/pay/:token'],
    key: null,
    money: false,
    offer: null,
    document: null,
  },
  payPageState: {
    method: 'GET',
    paths: ['/pay/:token/state'],
    key: null,
    money: false,
    offer: null,
    document: null,
  },
  payPageFiles: {
    method: 'GET',
    paths: ['/pay/assets/pay.css', '/pay/assets/pay.js', '/pay/assets/icon.svg'],
    key: null,
    money: false,
    offer: null,
    document: null,
  },
} as const satisfies Operations;
