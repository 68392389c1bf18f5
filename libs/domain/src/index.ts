export * from './result/result.js';
export * from './result/errors.js';
export * from './money/money.js';
export * from './money/decimal.js';
export * from './money/rate.js';
export * from './currency/currency.js';
export * from './currency/registry.js';
export type { BankData } from './bank/bank-data.js';
export * from './bank/bank.js';
export * from './destination/destination.js';
export * from './requests/bank-transfer.js';
export * from './requests/payout-request.js';
export * from './requests/name-request.js';
export * from './chain/chain.js';
export * from './chain/registry.js';
export * from './chain/transaction-id.js';
export * from './chain/finality.js';
export * from './chain/transfer-cost.js';
export * from './deposit/deposit.js';
export * from './deposit/sighting.js';
export * from './deposit/amounts.js';
export * from './deposit/tolerance.js';
export * from './deposit/quote.js';
export * from './deposit/judge.js';
export * from './deposit/two-records.js';
export * from './order/judge-order.js';
export * from './order/order-uses.js';
export * from './order/order-step.js';
export * from './order/order-message.js';
export * from './order/order-request.js';
export * from './order/payment-uri.js';
export * from './requests/pay-request.js';
export * from './requests/refund-request.js';
export * from './requests/quote-request.js';
export * from './requests/request-shapes.js';
export * from './terms/terms.js';
export * from './terms/terms-digest.js';
export * from './terms/velocity-limits.js';
export * from './routes/corridors.js';
export * from './routes/coverage-digest.js';
export {
  type Carrier,
  carriersOf,
  type Coverage,
  coveredAmounts,
  fullCoverage,
  type PayableAmounts,
  type Route,
  type RoutedRecipient,
  routedRecipient,
} from './routes/coverage.js';
export * from './routes/refusals.js';
export * from './requests/field-rules.js';
export * from './destination/phone.js';
export * from './requests/request-fields.js';
export * from './requests/request-fingerprint.js';
export { NO_FEE } from './currency/number-rules.js';
export * from './terms/service-fee.js';
export * from './result/failure-codes.js';
export * from './machine/states.js';
export * from './machine/events.js';
export * from './machine/payout-table.js';
export * from './machine/deposit-table.js';
export * from './machine/decide.js';
export * from './machine/attempt.js';
export * from './machine/refund-table.js';
export * from './machine/order-table.js';
export { CONDITIONS, EFFECTS, type Cell, type Condition, type Effect, type Outcome } from './machine/cell.js';
export * from './ledger/accounts.js';
export type { PostingFacts } from './ledger/facts.js';
export * from './ledger/postings.js';
export { faultOfWord, isName, isReason, MAX_NAME, MAX_REASON, nameOf, samePerson } from './person/two-people.js';
