export { type HttpProblem, sendAs, sendProblem, sendSuccess, statusOf } from './answer.js';
export { clientAddress } from './client-address.js';
export { Draining } from './draining.js';
export { ErrorFilter } from './error.filter.js';
export { BODY_LIMIT_BYTES, EMPTY_BODY, isBlank, isJsonType, type JsonBody, parseJsonBody } from './json-body.js';
export { fileAt, PublishedFile, type PublishedFiles, sendFile } from './published-file.js';
export { LIMIT_HEADERS, tellLimit } from './rate-limit-answer.js';
export { answerClientError, answerConnect } from './raw-answer.js';
export {
  KEYS_UNREADABLE,
  NOT_OFFERED_YET,
  problemOfStatus,
  Refusal,
  SENT_TWICE,
  UNAUTHORIZED,
  UNKNOWN_OPERATION,
} from './refusal.js';
export { bodyOf, bytesOf, callerOf, idempotencyKeyOf, queryOf } from './request-parts.js';
export { callContextOf, requestIdOf } from './request-id.js';
export { timesSent } from './times-sent.js';
