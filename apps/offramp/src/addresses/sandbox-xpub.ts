/** m/44'/60'/100' of the public test mnemonic: anybody can sign for it. Only for play money. */
export const SANDBOX_XPUB =
  'xpub6Ce9NcJvTk3BPj6wYdn8hVkbNEEXAytJC6mcAYAmmVp9TxVCmKbr3zNBsP3zdMSSPY6nc3w6yx9mpkp9WW6jZVWrFDiiBeSoke6dELxAWyG';
