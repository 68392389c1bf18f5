export { currencyCode, decimal, id, instant, payoutType, signedDecimal } from './answer-fields.js';
export { answeredAs, type JsonSchema, refTo } from './json-schema.js';
export { lastDays, listBody, logBody } from './list-bodies.js';
export {
  type AnswerSchemas,
  idParameter,
  OF_DESTINATIONS,
  type OperationDocument,
  type PathParameter,
} from './operation-document.js';
export { OperationTable, ROUTER_OPTIONS } from './operation-table.js';
export { Answers, type KeyKind, type Operation, type Operations, SCOPES } from './operation.js';
export { currencyOfPath } from './path-currency.js';
export {
  exampleReference,
  quoteBody,
  refundBody,
  type RequestBody,
  shapedBody,
  transactionBody,
} from './request-bodies.js';
export { TAGS } from './tags.js';
