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

allow vuka_payments --operation Write --operation Describe --topic "${PREFIX}payments.transaction.events.v1"
allow vuka_notifier --operation Read --operation Describe --topic "${PREFIX}payments.transaction.events.v1"
allow vuka_payments --operation Write --operation Describe --topic "${PREFIX}payments.deposit-claim.events.v1"
allow vuka_offramp --operation Read --operation Describe --topic "${PREFIX}payments.deposit-claim.events.v1"
allow vuka_offramp --operation Write --operation Describe --topic "${PREFIX}offramp.deposit.events.v1"
allow vuka_payments --operation Read --operation Describe --topic "${PREFIX}offramp.deposit.events.v1"
allow vuka_payments --operation Write --operation Describe --topic "${PREFIX}payments.refund.events.v1"
allow vuka_offramp --operation Read --operation Describe --topic "${PREFIX}payments.refund.events.v1"
allow vuka_offramp --operation Write --operation Describe --topic "${PREFIX}offramp.refund.events.v1"
allow vuka_payments --operation Read --operation Describe --topic "${PREFIX}offramp.refund.events.v1"
allow vuka_offramp --operation Write --operation Describe --topic "${PREFIX}offramp.order-deposit.events.v1"
allow vuka_checkout --operation Read --operation Describe --topic "${PREFIX}offramp.order-deposit.events.v1"
allow vuka_payments --operation Read --operation Describe --topic "${PREFIX}offramp.order-deposit.events.v1"
allow vuka_checkout --operation Write --operation Describe --topic "${PREFIX}checkout.order.events.v1"
allow vuka_notifier --operation Read --operation Describe --topic "${PREFIX}checkout.order.events.v1"
allow vuka_checkout --operation Write --operation Describe --topic "${PREFIX}checkout.settlement.events.v1"
allow vuka_payments --operation Read --operation Describe --topic "${PREFIX}checkout.settlement.events.v1"
allow vuka_offramp --operation Read --operation Describe --topic "${PREFIX}checkout.settlement.events.v1"
allow vuka_gateway --operation Write --operation Describe --topic "${PREFIX}gateway.partner.events.v1"
allow vuka_payments --operation Read --operation Describe --topic "${PREFIX}gateway.partner.events.v1"
allow vuka_offramp --operation Read --operation Describe --topic "${PREFIX}gateway.partner.events.v1"
allow vuka_notifier --operation Write --operation Describe --topic "${PREFIX}notifier.endpoint.events.v1"
allow vuka_gateway --operation Read --operation Describe --topic "${PREFIX}notifier.endpoint.events.v1"
allow vuka_checkout --operation Read --operation Describe --group "${PREFIX}checkout"
allow vuka_gateway --operation Read --operation Describe --group "${PREFIX}gateway"
allow vuka_notifier --operation Read --operation Describe --group "${PREFIX}notifier"
allow vuka_offramp --operation Read --operation Describe --group "${PREFIX}offramp"
allow vuka_payments --operation Read --operation Describe --group "${PREFIX}payments"
