#!/bin/sh
# Made by `npm run generate` from TOPICS (libs/contracts). One writer a topic, its readers, the group of each reader.
# BROKERS=kafka-1:9093 COMMAND_CONFIG=admin.properties sh deploy/kafka/acls.sh
# Needs an authorizer with allow.everyone.if.no.acl.found=false (its default). May be run again: what is there stays.
set -eu
PREFIX="${PREFIX-live.}"
KAFKA_ACLS="${KAFKA_ACLS-kafka-acls.sh}"

allow() {
  login="$1"
  shift
  "$KAFKA_ACLS" --bootstrap-server "$BROKERS" --command-config "$COMMAND_CONFIG" --add --allow-principal "User:$login" "$@"
}

allow vuka_payments --operation Write --operation Describe --topic "$PREFIXpayments.transaction.events.v1"
allow vuka_notifier --operation Read --operation Describe --topic "$PREFIXpayments.transaction.events.v1"
allow vuka_payments --operation Write --operation Describe --topic "$PREFIXpayments.deposit-claim.events.v1"
allow vuka_offramp --operation Read --operation Describe --topic "$PREFIXpayments.deposit-claim.events.v1"
allow vuka_offramp --operation Write --operation Describe --topic "$PREFIXofframp.deposit.events.v1"
allow vuka_payments --operation Read --operation Describe --topic "$PREFIXofframp.deposit.events.v1"
allow vuka_payments --operation Write --operation Describe --topic "$PREFIXpayments.refund.events.v1"
allow vuka_offramp --operation Read --operation Describe --topic "$PREFIXpayments.refund.events.v1"
allow vuka_offramp --operation Write --operation Describe --topic "$PREFIXofframp.refund.events.v1"
allow vuka_payments --operation Read --operation Describe --topic "$PREFIXofframp.refund.events.v1"
allow vuka_offramp --operation Write --operation Describe --topic "$PREFIXofframp.order-deposit.events.v1"
allow vuka_checkout --operation Read --operation Describe --topic "$PREFIXofframp.order-deposit.events.v1"
allow vuka_payments --operation Read --operation Describe --topic "$PREFIXofframp.order-deposit.events.v1"
allow vuka_checkout --operation Write --operation Describe --topic "$PREFIXcheckout.order.events.v1"
allow vuka_notifier --operation Read --operation Describe --topic "$PREFIXcheckout.order.events.v1"
allow vuka_checkout --operation Write --operation Describe --topic "$PREFIXcheckout.settlement.events.v1"
allow vuka_payments --operation Read --operation Describe --topic "$PREFIXcheckout.settlement.events.v1"
allow vuka_offramp --operation Read --operation Describe --topic "$PREFIXcheckout.settlement.events.v1"
allow vuka_gateway --operation Write --operation Describe --topic "$PREFIXgateway.partner.events.v1"
allow vuka_payments --operation Read --operation Describe --topic "$PREFIXgateway.partner.events.v1"
allow vuka_offramp --operation Read --operation Describe --topic "$PREFIXgateway.partner.events.v1"
allow vuka_notifier --operation Write --operation Describe --topic "$PREFIXnotifier.endpoint.events.v1"
allow vuka_gateway --operation Read --operation Describe --topic "$PREFIXnotifier.endpoint.events.v1"
allow vuka_checkout --operation Read --operation Describe --group "$PREFIXcheckout"
allow vuka_gateway --operation Read --operation Describe --group "$PREFIXgateway"
allow vuka_notifier --operation Read --operation Describe --group "$PREFIXnotifier"
allow vuka_offramp --operation Read --operation Describe --group "$PREFIXofframp"
allow vuka_payments --operation Read --operation Describe --group "$PREFIXpayments"
