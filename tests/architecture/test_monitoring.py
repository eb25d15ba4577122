"""Dashboard and alerts ask only for metrics and labels that the service has."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from api.metrics import GAUGES
from workers.counters import COUNTERS, TIMERS

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((DEPLOY / "prometheus" / "fudaba.rules.yml").read_text())["groups"]
    for rule in group["rules"]
]
DASHBOARD = json.loads((DEPLOY / "grafana" / "dashboards" / "fudaba.json").read_text())
ASKED = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
NAMES = {
    *GAUGES,
    *COUNTERS,
    *(f"{name}_{part}" for name in TIMERS for part in ("bucket", "sum", "count")),
}


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"\bfudaba_\w+", expression))


def test_the_dashboard_shows_metrics_that_exist_and_every_one_of_them() -> None:
    shown = set().union(*map(names_in, ASKED))
    assert shown <= NAMES
    roots = {re.sub(r"_(bucket|sum|count)$", "", name) for name in shown}
    assert roots == {*GAUGES, *COUNTERS, *TIMERS}


def test_alerts_are_about_metrics_that_exist_and_say_what_is_wrong() -> None:
    for rule in RULES:
        assert names_in(rule["expr"]) <= NAMES, rule
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"]
    assert len({rule["alert"] for rule in RULES}) == len(RULES)


def test_counts_of_the_whole_service_are_not_added_up_over_instances() -> None:
    """Every API process answers with the same counts."""
    for expression in (*ASKED, *(rule["expr"] for rule in RULES)):
        inner = re.findall(r"(\w+)(?: by \([\w, ]+\))? ?\((?:rate\()?(fudaba_\w+)", expression)
        for function, name in inner:
            per_instance = "instance" in expression or name == "fudaba_database_pool"
            assert function in ("max", "min", "rate") or per_instance, expression


def test_the_rules_lie_where_prometheus_looks_for_them() -> None:
    settings = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    assert settings["rule_files"] == ["/etc/prometheus/*.rules.yml"]
    assert settings["scrape_configs"][0]["job_name"] == "fudaba"
