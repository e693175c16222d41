"""Capabilities: tools from authority by whole words, and what a call can and cannot give (W8)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.capability import CapabilityKind, capability_kind, effective_capabilities, missing_capabilities
from loopx.core.goal import Agent, Goal

AUTHORITY_NAMES = [
    "credential", "credentials", "production_credential", "github-credentials", "aws_creds", "token",
    "tokens", "GITHUB_TOKEN", "githubToken", "GitHubToken", "github.token", "npm/token", "token:npm",
    "accesstoken", "token2", "oauth2", "OAuth", "gh_auth", "jwt", "session-jwt", "secret", "secrets",
    "clientSecret", "clientsecret", "vault_secrets_read", "password", "db_password", "DBPassword", "passwd",
    "passphrase", "api_key", "apikey", "apiKeys", "APIKey", "api key", "api-key-rotation", "ssh_keys",
    "signing_key", "deploy_key", "openai_key", "key", "keys", "client_certificate", "tls_certs",
    "keychain_read", "kms", "vault", "production", "prod", "prod_access", "prod-db", "prodAccess", "ProdDB",
    "deploy_production", "production2", "non_production", "sudo", "admin_console",
]  # fmt: skip

TOOL_NAMES = [
    "shell", "filesystem_write", "browser", "network", "gpu", "git", "pytest", "docker", "python3.11",
    "k8s", "tokenizer", "tokenize", "detokenizer", "keyboard", "keynote", "hotkeys", "key_value_store",
    "primary_key", "ssh_keygen", "product", "products", "product_search", "producer", "reproduction",
    "productive", "produce", "secretary", "secretariat", "passworded_zip", "author", "authoring",
    "authority_list", "certified", "certification", "incredible", "accredited", "administer", "monkey",
    "deploy", "deploy_preview", "publish", "access", "read_access", "process", "", "--", "123", "日本語",
]  # fmt: skip


@pytest.mark.parametrize("name", AUTHORITY_NAMES)
def test_a_name_with_an_authority_word_is_the_owners_to_give(name: str) -> None:
    assert capability_kind(name) is CapabilityKind.AUTHORITY


@pytest.mark.parametrize("name", TOOL_NAMES)
def test_a_name_that_only_resembles_one_is_a_tool(name: str) -> None:
    assert capability_kind(name) is CapabilityKind.TOOL


@pytest.mark.parametrize(
    ("words", "name", "kind"),
    [
        (["deploy"], "deploy_preview", "authority"),
        (["deploy"], "previewDeploy", "authority"),
        (["deploys"], "deploy", "authority"),
        (["deploy"], "deployer", "tool"),
        (["customer data"], "customer_data_export", "authority"),
        (["customer_data"], "data_customer", "tool"),
        (["customer_data"], "customer_big_data", "tool"),
        (["", "-"], "shell", "tool"),
        (["billing"], "shell", "tool"),
    ],
)
def test_the_registry_may_add_words(words: list[str], name: str, kind: str) -> None:
    assert capability_kind(name, words).value == kind


@given(st.sampled_from(AUTHORITY_NAMES), st.sampled_from("-_.:/ "), st.sampled_from(TOOL_NAMES))
def test_more_words_before_a_name_never_take_its_authority_away(name: str, sign: str, more: str) -> None:
    if name not in ("key", "keys"):
        assert capability_kind(more + sign + name) is CapabilityKind.AUTHORITY


def goal(*registered: str, words: tuple[str, ...] = ()) -> Goal:
    agents = (Agent("agent-a", registered), Agent("agent-b", ("prod_access", "gpu")))
    return Goal("g", "o", agents=agents, authority_capabilities=words)


@pytest.mark.parametrize(
    ("registered", "declared", "effective"),
    [
        ((), None, set()),
        (("shell",), None, {"shell"}),
        (("shell",), (), {"shell"}),
        (("shell", "prod_access"), None, {"shell", "prod_access"}),
        (("shell",), ("browser",), {"browser"}),
        ((), ("shell", "prod_access", "api_key"), {"shell"}),
        (("prod_access",), ("shell", "prod_access"), {"shell", "prod_access"}),
        (("prod_access",), ("shell",), {"shell"}),
        (("api_key",), ("prod_access",), set()),
    ],
)
def test_declaring_an_authority_on_the_call_authorises_nothing(
    registered: tuple[str, ...], declared: tuple[str, ...] | None, effective: set[str]
) -> None:
    assert effective_capabilities(goal(*registered), "agent-a", declared) == effective


def test_words_of_the_registry_count_for_what_a_call_declares() -> None:
    assert effective_capabilities(goal(words=("deploy",)), "agent-a", ("deploy", "shell")) == {"shell"}
    assert effective_capabilities(goal("deploy", words=("deploy",)), "agent-a", ("deploy",)) == {"deploy"}


def test_an_unknown_agent_has_only_the_tools_that_it_declares() -> None:
    assert effective_capabilities(goal(), "agent-z", ("gpu", "prod_access")) == {"gpu"}
    assert effective_capabilities(goal(), "agent-z", None) == frozenset()


def test_what_is_missing_keeps_the_declared_order_and_is_named_once() -> None:
    assert missing_capabilities(("shell", "gpu", "browser", "gpu"), {"shell"}) == ("gpu", "browser")
    assert missing_capabilities((), ()) == ()


@given(st.lists(st.sampled_from("abc")), st.sets(st.sampled_from("abc")))
def test_nothing_is_missing_exactly_where_all_is_available(required: list[str], available: set[str]) -> None:
    assert (missing_capabilities(required, available) == ()) == (set(required) <= available)
