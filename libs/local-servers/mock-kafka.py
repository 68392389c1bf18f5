# librdkafka's mock cluster (one broker, in this process, on loopback). Writes its port to the file named first and stays up until it is told to end.
import json
import os
import sys
import threading

from confluent_kafka import Producer

port_file = sys.argv[1]
producer = Producer({"bootstrap.servers": "ignored", "test.mock.num.brokers": 1, "log_level": 3})
brokers = list(producer.list_topics(timeout=10).brokers.values())
draft = port_file + ".part"
with open(draft, "w", encoding="utf-8") as file:
    json.dump({"pid": os.getpid(), "port": brokers[0].port}, file)
os.replace(draft, port_file)
threading.Event().wait()
