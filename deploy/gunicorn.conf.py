"""How gunicorn serves the API in a container; each number may be changed by the environment."""

import os

bind = os.environ.get("GUNICORN_BIND", "0.0.0.0:8317")
workers = int(os.environ.get("GUNICORN_WORKERS", "2"))
threads = int(os.environ.get("GUNICORN_THREADS", "8"))
worker_class = "gthread"
timeout = 60
graceful_timeout = 20
keepalive = 15
max_requests = 20_000
max_requests_jitter = 2_000
limit_request_line = 4094
limit_request_fields = 64
control_socket_disable = True
accesslog = None
