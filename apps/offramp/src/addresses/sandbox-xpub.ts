/**
 * Account m/44'/60'/100' of the mnemonic that every development node uses (`test test … junk`): anybody can sign for what derives
 * from it, which is what play money is for. Live has to bring its own.
 */
export const SANDBOX_XPUB =
  'xpub6Ce9NcJvTk3BPj6wYdn8hVkbNEEXAytJC6mcAYAmmVp9TxVCmKbr3zNBsP3zdMSSPY6nc3w6yx9mpkp9WW6jZVWrFDiiBeSoke6dELxAWyG';
