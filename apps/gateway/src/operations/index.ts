export { type AnswerName, answerSchemas } from './answers.js';
export { type JsonSchema, refTo } from './json-schema.js';
export { lastDays, listBody, logBody } from './list-bodies.js';
export { idParameter, OF_DESTINATIONS, type OperationDocument, type PathParameter } from './operation-document.js';
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
