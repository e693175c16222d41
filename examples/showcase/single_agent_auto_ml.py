"""Single-agent auto ML: one agent, one accelerator, and nothing goes live without a person.

    experiment_contract
      -> candidate_preflight
      -> launch
      -> task_monitor
           -> evaluate
           -> promote | no_promote | retry | replan

A running job is a monitor that holds its place in a pool, so that the second candidate waits for capacity
and not for luck. A launch and a promotion are decisions of a person; a failure is recorded as one.
"""

from __future__ import annotations

from typing import NamedTuple

from drive import End, Lab, expect, play

SCIENTIST = "scientist"
LAUNCH = "resource:action:launch"
PROMOTE = "production:action:promote_model"
RUNNER = ("--required-capability", "experiment_runner")
SAME_AGENT = ("--next-continuation-policy", "same_agent_non_delivery")


class Job(NamedTuple):
    """A job that runs outside: its monitor, and the token of the lease under which it holds the accelerator."""

    monitor: str
    token: str


class Graph(NamedTuple):
    """The first job, and the second candidate that waits for its place."""

    job: Job
    second: str


def running(lab: Lab) -> Graph:
    """experiment_contract -> candidate_preflight -> launch -> task_monitor."""
    lab.start(
        "A model that is better than the baseline",
        "A candidate is live, or it is known why none is",
        {SCIENTIST: ("shell", "experiment_runner")},
    )
    lab.ok("pool", "set", "accelerator", "--capacity", "1")
    contract = lab.work("[P1] Fix metric, data split and budget of the experiments")
    lab.claim(SCIENTIST, contract)
    (preflight,) = lab.complete(
        SCIENTIST, contract, "the contract is written",
        "--next-agent-todo", "[P1] Check data and seeds of the first candidate", *SAME_AGENT,
    )  # fmt: skip
    lab.follows(contract, preflight)
    expect(lab.todo(preflight)["claimed_by"] == SCIENTIST, "the policy keeps the same agent on it")
    launch = _allowed_launch(lab, preflight)
    job = start_job(lab, launch)
    second = lab.work(
        "[P2] Launch the second candidate", "--status", "deferred",
        "--resume-when", "capacity_available:accelerator", "--required-decision-scope", LAUNCH, *RUNNER,
    )  # fmt: skip
    lab.decide(SCIENTIST, "quiet_wait")
    return Graph(job, second)


def _allowed_launch(lab: Lab, preflight: str) -> str:
    """The launch costs money: it waits for a person, whose answer stands for later candidates too."""
    launch = lab.work(
        "[P1] Launch the first candidate", "--blocked-by", preflight, "--required-decision-scope", LAUNCH, *RUNNER
    )
    question = lab.gate("May candidates use the accelerator?", LAUNCH, blocks=SCIENTIST, unblocks=launch)
    lab.complete(SCIENTIST, preflight, "data and seeds are as the contract says", "--successor-todo-id", launch)
    lab.follows(preflight, launch)
    lab.decide(SCIENTIST, "user_gate")
    lab.refused("gate_open", "task-lease", "acquire", launch, "--agent-id", SCIENTIST, "--ttl", "1h")
    lab.ok("gate", "answer", question, "--decision", "approve", "--standing", "--note", "one at a time")
    lab.decide(SCIENTIST, "bounded_delivery", launch)
    return launch


def start_job(lab: Lab, launch: str) -> Job:
    """Launch, and hand the running job with its place on the accelerator to a monitor."""
    token = lease(lab, launch)
    monitor = lab.monitor("Watch the training job")
    with_token = ("--claim-token", token, "--successor-todo-id", monitor)
    lab.refused(
        "claim_token_required", "todo", "complete", launch, "--claimed-by", SCIENTIST,
        "--evidence", "x", "--successor-todo-id", monitor,
    )  # fmt: skip
    lab.complete(SCIENTIST, launch, "the job is accepted", *with_token)
    lab.follows(launch, monitor)
    return Job(monitor, lease(lab, monitor))


def lease(lab: Lab, todo: str) -> str:
    """Hold the todo and the one place of the pool; the token that every write needs from now on."""
    took = lab.ok("task-lease", "acquire", todo, "--agent-id", SCIENTIST, "--ttl", "1h", "--pool", "accelerator")
    return str(took["lease"]["claim_token"])


def evaluating(lab: Lab, job: Job) -> str:
    """task_monitor -> evaluate: the job has ended, its place is free, and its metric wants to be read."""
    token = ("--claim-token", job.token)
    evaluate = lab.noticed(SCIENTIST, job.monitor, "the job has ended", "[P1] Evaluate the candidate", *token)
    lab.complete(SCIENTIST, job.monitor, "the job has ended", "--successor-todo-id", evaluate, *token)
    lab.follows(job.monitor, evaluate)
    lab.decide(SCIENTIST, "bounded_delivery", evaluate)
    lab.claim(SCIENTIST, evaluate)
    return evaluate


def asking_to_promote(lab: Lab, evaluate: str, metric: str, second: str) -> tuple[str, str]:
    """evaluate -> promote, which waits for a person while the second candidate, now with room, could go on."""
    todo = lab.work("[P1] Put the candidate into service", "--required-decision-scope", PROMOTE)
    question = lab.gate("May the candidate go live?", PROMOTE, blocks=SCIENTIST, unblocks=todo)
    lab.complete(SCIENTIST, evaluate, metric, "--successor-todo-id", todo)
    lab.follows(evaluate, todo)
    packet = lab.decide(SCIENTIST, "bounded_delivery", second)
    held = [row["todo_id"] for row in packet["bypass_boundary"]]
    expect(packet["safe_bypass_allowed"] and held == [todo], "the second may run past the promotion, and only that")
    return todo, question


def retire_second(lab: Lab, second: str, reason: str, replacement: str) -> None:
    """The second candidate is not needed any more; it is not called done."""
    options = ("--reason", reason, "--successor-todo-id", replacement)
    lab.ok("todo", "supersede", second, "--agent-id", SCIENTIST, *options)
    lab.closed(second, "superseded")


# --- the ends ----------------------------------------------------------------------------


def promote(lab: Lab) -> None:
    """The candidate is better, and a person lets it go live."""
    graph = running(lab)
    _promoted(lab, evaluating(lab, graph.job), "0.93 against 0.90", graph.second)


def _promoted(lab: Lab, evaluate: str, metric: str, second: str) -> None:
    """The promotion, decided and done; the second candidate is not needed any more."""
    todo, question = asking_to_promote(lab, evaluate, metric, second)
    retire_second(lab, second, "the first candidate is good enough", todo)
    lab.decide(SCIENTIST, "user_gate")
    lab.answer(question, "approve", "watch the error rate for a day")
    lab.decide(SCIENTIST, "bounded_delivery", todo)
    lab.claim(SCIENTIST, todo)
    lab.finish(SCIENTIST, todo, "it serves all requests", "the goal is reached", "--meets", "A1")
    lab.is_over(SCIENTIST)


def no_promote(lab: Lab) -> None:
    """A person says no: the promotion is given up, not done, and the work ends with a record of why."""
    graph = running(lab)
    evaluate = evaluating(lab, graph.job)
    metric = "0.91 against 0.90, within the noise"
    todo, question = asking_to_promote(lab, evaluate, metric, graph.second)
    lab.answer(question, "reject", "the gain is not worth the risk")
    lab.decide(SCIENTIST, "bounded_delivery", graph.second)
    record = lab.work("[P1] Write down why the candidate is not promoted")
    why = ("--reason", "the promotion was rejected")
    lab.ok("todo", "update", evaluate, "--agent-id", SCIENTIST, "--successor-todo-id", record, *why)
    lab.ok("todo", "supersede", todo, "--agent-id", SCIENTIST, "--no-replacement", *why)
    lab.closed(todo, "superseded")
    lab.follows(evaluate, todo, record)
    retire_second(lab, graph.second, "the budget is spent", record)
    lab.decide(SCIENTIST, "bounded_delivery", record)
    lab.claim(SCIENTIST, record)
    lab.finish(SCIENTIST, record, "the note names metric and noise", "no candidate is left", "--meets", "A1")
    lab.is_over(SCIENTIST)


def retry(lab: Lab) -> None:
    """The machine is lost, not the idea: the job failed, and the same agent launches it again."""
    graph = running(lab)
    job = graph.job
    token = ("--claim-token", job.token)
    again = lab.noticed(SCIENTIST, job.monitor, "the node is gone", "[P1] Launch it again", *token, *SAME_AGENT)
    failed = ("--outcome", "failed", "--successor-todo-id", again, *token)
    lab.complete(SCIENTIST, job.monitor, "the node is gone, no metric was written", *failed)
    lab.closed(job.monitor, "failed")
    lab.follows(job.monitor, again)
    lab.decide(SCIENTIST, "bounded_delivery", again)
    _promoted(lab, evaluating(lab, start_job(lab, again)), "0.94 against 0.90", graph.second)


def replan(lab: Lab) -> None:
    """The evaluation fails the contract itself: what waited for it is a repair, and a new contract comes first."""
    graph = running(lab)
    evaluate = evaluating(lab, graph.job)
    summary = lab.work("[P2] Summarise the experiment", "--blocked-by", evaluate)
    (contract,) = lab.complete(
        SCIENTIST, evaluate, "the split leaks the test set", "--outcome", "failed",
        "--next-agent-todo", "[P0] Write a contract with a clean split",
    )  # fmt: skip
    lab.follows(evaluate, contract)
    retire_second(lab, graph.second, "its contract is void", contract)
    packet = lab.decide(SCIENTIST, "bounded_delivery", contract)
    blocking = {
        row["todo_id"]: row["reason_code"] for row in packet["interaction_contract"]["agent_channel"]["blocking"]
    }
    expect(blocking[summary] == "dependency_failed", "a failed dependency is never taken for a met one")
    moved = ("--remove-blocked-by", evaluate, "--blocked-by", contract)
    lab.ok("todo", "update", summary, "--agent-id", SCIENTIST, *moved)
    lab.claim(SCIENTIST, contract)
    lab.complete(SCIENTIST, contract, "the new split is checked", "--successor-todo-id", summary)
    lab.decide(SCIENTIST, "bounded_delivery", summary)
    lab.claim(SCIENTIST, summary)
    lab.finish(SCIENTIST, summary, "the summary says why none is live", "a new goal takes over", "--meets", "A1")
    lab.is_over(SCIENTIST)


ENDS: dict[str, End] = {"promote": promote, "no_promote": no_promote, "retry": retry, "replan": replan}

if __name__ == "__main__":
    raise SystemExit(play(__doc__, ENDS))
