/** No key exists; the node signs for it. */
export const SANDBOX_PAYER = '0x5a9db0c4d3e4f2a1b6c7d8e9f00112233445566a';
