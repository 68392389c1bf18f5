/** OutboundPolicy of @vuka/http: which URLs of partners may be called at all. */
export const OUTBOUND_POLICY = Symbol('OUTBOUND_POLICY');
