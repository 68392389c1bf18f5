// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

// What strangers do with tokens on the way to an address of ours. For specs alone; tools/compile-contracts.mjs makes attacks.json of it.

/// An ERC-20 that can take a fee, and lie about it. `transferFrom` of nothing needs no allowance, as with the real ones.
contract Coin {
    string public constant name = "USD Coin";
    string public constant symbol = "USDC";
    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    /// Of a hundred, kept by the token; `lies`: the event tells of the whole all the same.
    uint256 public feePercent;
    bool public lies;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function setFee(uint256 percent, bool lying) external {
        feePercent = percent;
        lies = lying;
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        require(allowance[from][msg.sender] >= value, "allowance");
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "balance");
        uint256 fee = (value * feePercent) / 100;
        balanceOf[from] -= value;
        balanceOf[to] += value - fee;
        balanceOf[address(this)] += fee;
        if (lies) {
            emit Transfer(from, to, value);
            return;
        }
        emit Transfer(from, to, value - fee);
        if (fee > 0) emit Transfer(from, address(this), fee);
    }
}

/// Pays out of its own pocket, several at once, and not always in the end.
contract Payer {
    function payAll(Coin coin, address[] calldata to, uint256[] calldata values) external {
        for (uint256 i = 0; i < to.length; i++) coin.transfer(to[i], values[i]);
    }

    /// The payment reverts, and the transaction succeeds.
    function tryToPay(Coin coin, address to, uint256 value) external {
        try this.payAndRevert(coin, to, value) {} catch {}
    }

    function payAndRevert(Coin coin, address to, uint256 value) external {
        coin.transfer(to, value);
        revert("no");
    }
}

/// Holds no money and says whatever a token would.
contract Forger {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function forge(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }

    /// Four topics, as of a collectible; two words of data; and no indexed field at all.
    function forgeOddly(address from, address to, uint256 value) external {
        bytes32 topic = keccak256("Transfer(address,address,uint256)");
        assembly {
            mstore(0x00, from)
            mstore(0x20, to)
            mstore(0x40, value)
            log4(0x00, 0x00, topic, from, to, value)
            log3(0x00, 0x40, topic, from, to)
            log3(0x00, 0x00, topic, from, to)
            log1(0x00, 0x60, topic)
        }
    }
}

/// Like Tether's: `transfer` returns nothing, and some may not be paid. It can also do nothing at all, and revert nothing.
contract Tether {
    mapping(address => uint256) public balanceOf;
    mapping(address => bool) public isBlackListed;
    bool public idle;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function setBlackListed(address who, bool on) external {
        isBlackListed[who] = on;
    }

    function setIdle(bool on) external {
        idle = on;
    }

    function transfer(address to, uint256 value) external {
        require(!isBlackListed[to]);
        if (idle) return;
        require(balanceOf[msg.sender] >= value);
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}
