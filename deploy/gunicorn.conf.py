"""How gunicorn serves the API in a container; the environment may change what depends on the machine."""

import os

bind = os.environ.get("GUNICORN_BIND", "0.0.0.0:8317")
workers = int(os.environ.get("GUNICORN_WORKERS", "2"))
threads = int(os.environ.get("GUNICORN_THREADS", "8"))
worker_class = "gthread"
timeout = 60  # a process that gives no sign of life for so long is replaced
graceful_timeout = 20
keepalive = 15
backlog = 512
max_requests = 20_000
max_requests_jitter = 2_000
limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 8190
worker_tmp_dir = "/dev/shm"  # in memory, so that a slow disk is not taken for a process that hangs
control_socket_disable = True
accesslog = None  # every request is one line of the API's own log
