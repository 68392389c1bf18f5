"""What schemathesis has to be told of Vuka: where callbacks may go, which banks there are, and what JSON Schema cannot say."""

import hashlib
import re
import zlib

import schemathesis

# Where callbacks go instead of wherever a fuzz makes up: nobody outside is to be called.
NOWHERE = "http://127.0.0.1:9/"
WEB_ADDRESS = re.compile(r"^https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d*)?(?=[/?#]|$)/?")

# Rules about two fields, about a list or about the size of a text's number: the schema cannot say them, so well-formed requests
# may be refused for them, and for nothing else.
BEYOND_SCHEMA = re.compile(
    r"^(Failed - Bad Request: )?("
    r"The amount field must be at least [\d,.]+"
    r"|amount must be (at most|between) "
    r"|fee must be at least 0 and less than amount"
    # JSON's numbers have exponents, which no schema of a number can shut out.
    r"|(amount|fee) must be a decimal number such as 100 or 100.50, without sign, exponent"
    r"|(amount|fee) must (be a whole number|have at most \d+ decimals)"
    # As JSON has it, 10.0 and 1e1 are integers, too.
    r"|limit must be a whole number from "
    r"|bank_code (?!must )"
    r"|bank_name is the name of another bank"
    r"|account_number must have \d+ digits at "
    r"|shortcode must be a mobile number such as "
    r"|end_date must "
    r"|start_date must "
    r"|cursor "
    # What a hash, a token and an address are is the chain's; a quote has one of our names. Lengths count as UTF-16 does, a schema's in characters.
    r"|transaction_hash must be "
    r"|asset must (be one of|have at most) "
    r"|refund_address must be "
    r"|quote_id must be "
    # Whether there is one is the partner's.
    r"|There is no default webhook URL to test\."
    r")"
)


# Of pays and quotes: the sandbox has seven of the nine chains, and none where it cannot run a node.
NOT_SERVED = re.compile(r"^[A-Z]+ is not served ")


@schemathesis.hook
def before_call(ctx, case, kwargs):
    to_known_order(case)
    body = case.body
    if not isinstance(body, dict):
        return
    changed = to_nowhere(body)
    if case.meta.generation.mode.is_negative:
        changed.update(beside_pattern(case, body))
    elif zlib.crc32(repr(body).encode()) % 3 > 0:
        changed.update(to_known_bank(case, body), **to_affordable(case, body), **to_known_deposit(case, body))
    if changed:
        case.body = {**body, **changed}


def to_nowhere(body):
    """The same URLs, as long as they were, at an address where nobody listens."""
    urls = {field: body.get(field) for field in ("callback_url", "url")}
    return {field: nowhere(url) for field, url in urls.items() if isinstance(url, str) and WEB_ADDRESS.match(url)}


def nowhere(url):
    return (NOWHERE + WEB_ADDRESS.sub("", url) + "x" * len(NOWHERE))[: max(len(url), len(NOWHERE))]


def beside_pattern(case, body):
    """Where a pattern is to be broken by an empty text, which means absent here, another text that no number looks like."""
    data = case.meta.phase.data
    if getattr(getattr(data, "scenario", None), "value", None) != "invalid_pattern":
        return {}
    fields = re.findall(r"/properties/(\w+)(?=/|$)", data.location or "")
    return {field: "~~" for field in fields[-1:] if body.get(field) == ""}


# Two in three well-formed payouts get beyond the list of banks and the decimals of a float, and leave money for the others.
def to_known_bank(case, body):
    known = example_of(case, "bank_code")
    if known is None or not isinstance(body.get("bank_code"), str):
        return {}
    return {field: known[field] for field in ("bank_code", "bank_name") if field in known and field in body}


def to_affordable(case, body):
    known = example_of(case, "amount")
    if known is None:
        return {}
    least = {"amount": known["amount"], "fee": 0}
    sent = {field: body[field] for field in least if type(body.get(field)) in (int, float)}
    return {field: smaller(value, least[field]) for field, value in sent.items()}


# And two in three pays, quotes and refunds name a chain that is served, a token of it, and a transfer that nobody has claimed.
def to_known_deposit(case, body):
    if not re.search(r"/(pay|quote|refund)(/|$)", case.operation.path) or "/sandbox/" in case.operation.path:
        return {}
    digits = hashlib.sha256(repr(body).encode()).hexdigest()
    known = {"chain": "CELO", "asset": "USDC", "transaction_hash": "0x" + digits, "refund_address": "0x" + digits[:40]}
    return {field: value for field, value in known.items() if isinstance(body.get(field), str) and body[field] != ""}


# An order's parameters are its query. Two in three well-formed ones name a chain that is served, a token of it and an amount that its currency takes.
def to_known_order(case):
    query = case.query
    if not case.operation.path.endswith("/checkout/") or not isinstance(query, dict) or case.meta.generation.mode.is_negative:
        return
    if zlib.crc32(repr(query).encode()) % 3 > 0:
        known = {"network": "CELO", "asset": "USDC", "amount": "1500"}
        case.query = {**query, **{field: value for field, value in known.items() if isinstance(query.get(field), str)}}


def smaller(value, least):
    if value <= least:
        return value
    return least + (value - least) // 50 if isinstance(value, int) else round(least + (value - least) / 50, 2)


def example_of(case, field):
    """The documented request of the operation that has this field."""
    content = case.operation.definition.raw.get("requestBody", {}).get("content", {})
    examples = content.get("application/json", {}).get("examples", {}).values()
    return next((example["value"] for example in examples if field in example["value"]), None)


@schemathesis.hook
def filter_failure(ctx, failure, case, response):
    """Drops what is no fault: a rule that no schema can say, the sandbox's rail that is down, and a chain that is not served."""
    kind = type(failure).__name__
    if kind == "RejectedPositiveData" and response.status_code == 400:
        return BEYOND_SCHEMA.match(message_of(response)) is None
    if kind == "ServerError" and response.status_code == 503:
        return not (asks_for_a_rail_that_is_down(case) or NOT_SERVED.match(message_of(response)))
    return True


def message_of(response):
    body = response.json()
    return body.get("message") or body.get("detail") or ""


def asks_for_a_rail_that_is_down(case):
    body = case.body if isinstance(case.body, dict) else {}
    numbers = (body.get("shortcode"), body.get("account_number"))
    return "/validation" in case.operation.path and any(isinstance(number, str) and number.endswith("0011") for number in numbers)
