"""Issue fix: from a report to a merged change, with a monitor on the pull request.

    feasibility
      -> fix_pr
      -> pr_monitor
           -> ci_failure_replan | review_changes_replan
           -> branch_or_merge_blocker_replan | no_followup

Waiting for checks is a monitor and never work. Each arrow is a successor with its lineage. Whatever the
monitor brings, the graph goes on until the change is merged and nothing is left.
"""

from __future__ import annotations

from typing import NamedTuple

from drive import REPOSITORY, End, Lab, play, worktree_of

DEV, PEER = "dev", "peer"
PULL_REQUEST = "example/project#7"
RELEASE = "production:action:release_note"
WRITES = ("--task-repository", REPOSITORY, "--required-write-scope", "src/**")


class Graph(NamedTuple):
    """The ids that the ends go on from."""

    monitor: str
    note: str
    question: str
    desk: str


def under_watch(lab: Lab) -> Graph:
    """feasibility -> fix_pr -> pr_monitor: the change waits for its checks."""
    lab.start(
        "The parser no longer crashes on an empty file",
        "The fix is merged",
        {DEV: ("shell", "filesystem_write"), PEER: ("shell",)},
    )
    feasibility = lab.work("[P1] Find out whether the crash can be reproduced", "--required-capability", "shell")
    fix = lab.work(
        "[P1] Fix the crash on a branch", "--required-capability", "filesystem_write",
        "--blocked-by", feasibility, *WRITES,
    )  # fmt: skip
    lab.decide(DEV, "bounded_delivery", feasibility)
    lab.refused("todo_blocked", "todo", "complete", fix, "--claimed-by", DEV, "--evidence", "x", "--no-follow-up")
    lab.claim(DEV, feasibility)
    lab.complete(DEV, feasibility, "a test of one line reproduces it", "--successor-todo-id", fix)
    lab.follows(feasibility, fix)
    return _delivered(lab, fix)


def _delivered(lab: Lab, fix: str) -> Graph:
    """The fix is written in a worktree of its own, by the peer that can write, and handed to a monitor."""
    lab.decide(DEV, "workspace_repair", None, "--workspace", str(lab.folder))
    lab.decide(PEER, "capability_repair", None, "--workspace", str(lab.folder))
    desk = str(worktree_of(lab.folder, "fix"))
    lab.decide(DEV, "bounded_delivery", fix, "--workspace", desk)
    lab.claim(DEV, fix)
    report(lab, fix, desk, "the branch is pushed and the pull request is open")
    monitor = lab.monitor("Watch the checks and the review of the pull request")
    note = lab.work(
        "[P2] Publish the release note", "--status", "deferred", "--resume-when", f"pr_merged:{PULL_REQUEST}",
        "--required-decision-scope", RELEASE,
    )  # fmt: skip
    question = lab.gate("May the release note go out?", RELEASE, blocks=DEV, unblocks=note)
    lab.complete(DEV, fix, "the pull request is open", "--successor-todo-id", monitor)
    lab.follows(fix, monitor)
    lab.decide(DEV, "quiet_wait", None, "--workspace", desk)
    lab.decide(PEER, "wait_peers", None, "--workspace", desk)
    lab.refused(
        "monitor_not_due", "monitor", "poll", monitor, "--agent-id", DEV,
        "--result", "no_change", "--evidence", "still pending",
    )  # fmt: skip
    return Graph(monitor, note, question, desk)


def report(lab: Lab, todo: str, desk: str, evidence: str) -> None:
    """Write the run back from where it was done, and book the one slot that it may cost."""
    run = lab.ok(
        "refresh-state", "--agent-id", DEV, "--todo-id", todo, "--run-kind", "work",
        "--evidence", evidence, "--validation", "the test suite passes", "--delivery-workspace", desk,
    )["run"]["run_id"]  # fmt: skip
    spend = ("quota", "spend-slot", "--agent-id", DEV, "--run-id", run)
    lab.refused("workspace_mismatch", *spend, "--workspace", str(lab.folder / "base"))
    lab.ok(*spend, "--workspace", desk)
    lab.refused("spend_already_recorded", *spend, "--workspace", desk)


def merged(lab: Lab, graph: Graph) -> None:
    """The change is merged: what waited for that wakes, a person allows the note, and nothing is left."""
    lab.ok("fact", "record", f"pr_merged:{PULL_REQUEST}", "--evidence", "merged as 1a2b3c")
    lab.finish(DEV, graph.monitor, "the pull request is merged", "there is nothing left to watch", "--meets", "A1")
    lab.decide(DEV, "user_gate")
    lab.claim(DEV, graph.note)  # says who is on it, wakes it, and starts nothing
    lab.refused("gate_open", "todo", "complete", graph.note, "--claimed-by", DEV, "--evidence", "x", "--no-follow-up")
    lab.answer(graph.question, "approve", "yes, with the next release")
    lab.decide(DEV, "bounded_delivery", graph.note)
    lab.finish(DEV, graph.note, "the note is published", "the issue is closed")
    lab.is_over(PEER)


# --- the ends ----------------------------------------------------------------------------


def ci_failure_replan(lab: Lab) -> None:
    """The checks fail: the monitor brings forth urgent work, which any able peer may take."""
    graph = under_watch(lab)
    mend = lab.noticed(DEV, graph.monitor, "the checks fail on an old interpreter", "[P0] Mend the build")
    lab.follows(graph.monitor, mend)
    lab.ok("todo", "update", mend, "--agent-id", DEV, "--required-capability", "filesystem_write", *WRITES)
    lab.decide(DEV, "bounded_delivery", mend, "--workspace", graph.desk)
    lab.claim(DEV, mend)
    lab.finish(DEV, mend, "the checks pass", "the monitor goes on")
    lab.decide(DEV, "quiet_wait", None, "--workspace", graph.desk)
    merged(lab, graph)


def review_changes_replan(lab: Lab) -> None:
    """The review wants another way: the first plan is superseded, not called done, and the author does not review."""
    graph = under_watch(lab)
    plan = lab.noticed(PEER, graph.monitor, "changes are requested", "[P1] Answer the review with a second check")
    lab.follows(graph.monitor, plan)
    replaced = lab.ok(
        "todo", "supersede", plan, "--agent-id", PEER, "--reason", "the reader itself must cope with empty input",
        "--next-agent-todo", "[P1] Make the reader cope with empty input",
    )  # fmt: skip
    (rework,) = replaced["successors"]
    lab.closed(plan, "superseded")
    lab.follows(plan, rework)
    lab.decide(DEV, "bounded_delivery", rework)
    lab.claim(DEV, rework)
    review = lab.work("[P1] Read the second version", "--action-kind", "review", "--excluded-agent", DEV)
    lab.complete(DEV, rework, "the second version is pushed", "--successor-todo-id", review)
    lab.refused("agent_excluded", "todo", "claim", review, "--claimed-by", DEV)
    lab.decide(DEV, "wait_peers")
    lab.decide(PEER, "bounded_delivery", review)
    lab.claim(PEER, review)
    lab.finish(PEER, review, "read and approved", "the monitor goes on")
    merged(lab, graph)


def branch_or_merge_blocker_replan(lab: Lab) -> None:
    """The target branch is frozen: a known fact holds the new plan until somebody says that it is over."""
    graph = under_watch(lab)
    rebase = lab.noticed(DEV, graph.monitor, "the branch is frozen for a release", "[P1] Rebase on the release branch")
    frozen = lab.work(
        "The target branch is frozen", "--task-class", "blocker",
        "--reason", "the release of Friday; the release team lifts it",
    )  # fmt: skip
    lab.ok("todo", "update", rebase, "--agent-id", DEV, "--blocked-by", frozen)
    lab.follows(graph.monitor, rebase)
    lab.decide(DEV, "quiet_wait")
    lab.complete(DEV, frozen, "the release is out, the branch is open again", "--successor-todo-id", rebase)
    lab.decide(DEV, "bounded_delivery", rebase)
    lab.claim(DEV, rebase)
    lab.finish(DEV, rebase, "rebased, no conflict", "the monitor goes on")
    merged(lab, graph)


def no_followup(lab: Lab) -> None:
    """The change is merged as it is; that nothing follows is earned, not declared."""
    merged(lab, under_watch(lab))


ENDS: dict[str, End] = {
    "ci_failure_replan": ci_failure_replan,
    "review_changes_replan": review_changes_replan,
    "branch_or_merge_blocker_replan": branch_or_merge_blocker_replan,
    "no_followup": no_followup,
}

if __name__ == "__main__":
    raise SystemExit(play(__doc__, ENDS))
