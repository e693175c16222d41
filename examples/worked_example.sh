#!/bin/sh
# The worked example: a decision that holds the most urgent work, and everything that goes on meanwhile.
#
# Two equal peers share a throw-away project. It ends with 0 only if every expectation holds.
# The command is `loopx` from PATH, or what LOOPX names.
set -eu

LOOPX=${LOOPX:-loopx}
unset LOOPX_AGENT_ID LOOPX_IDENTITY LOOPX_ROLE
LOOPX_PROJECT=$(mktemp -d)
LOOPX_FORMAT=json
export LOOPX_PROJECT LOOPX_FORMAT
trap 'rm -rf "$LOOPX_PROJECT"' EXIT

say() { printf '\n%s\n' "$*"; }

# read_at PLACE: what stands at a dotted place of the JSON document on standard input.
# holds PLACE WANTED...: the document says that; stop where it does not.
read_json='
import json, sys
document = json.load(sys.stdin)
def found(place):
    at = document
    for name in place.split("."):
        at = at[int(name)] if isinstance(at, list) else at[name]
    return at if isinstance(at, str) else json.dumps(at)
if len(sys.argv) == 2:
    print(found(sys.argv[1]))
for place, wanted in zip(sys.argv[1::2], sys.argv[2::2]):
    if found(place) != wanted:
        sys.exit(f"not so: {place} should be {wanted} and is {found(place)}")
    print(f"  {place}: {wanted}")
'
read_at() { python3 -c "$read_json" "$1"; }
holds() { python3 -c "$read_json" "$@"; }

# refused CODE WORDS...: the call must be refused with that error code.
refused() {
    code=$1
    shift
    if answer=$("$LOOPX" "$@"); then
        printf 'not refused: %s\n' "$*" >&2
        exit 1
    fi
    printf '%s' "$answer" | holds error.code "$code"
}

add() { "$LOOPX" todo add "$@" | sed -n 's/.*"todo_id":"\(todo_[a-z0-9]*\)".*/\1/p'; }
ask() { "$LOOPX" quota should-run --agent-id "$1" --available-capability shell; }
complete() { "$LOOPX" todo complete "$@"; }

DECISION=direction:action:public_api_change

say "One goal, two peers, no leader."
"$LOOPX" init --goal-id lab --objective "A public API that can change safely" \
    --acceptance "The new API is published" --agent agent-a --agent agent-b >/dev/null

say "The P0 needs a decision; agent-a is on it. The question holds agent-a on this decision and nothing else."
p0=$(add --role agent --text "[P0] Change the public API" --required-decision-scope "$DECISION")
"$LOOPX" todo claim "$p0" --claimed-by agent-a >/dev/null
gate=$(add --role user --task-class user_gate --text "May the public API change?" \
    --decision-scope "$DECISION" --blocks-agent agent-a --unblocks-todo-id "$p0")

say "An independent P1 needs a shell; a monitor watches the outside from tomorrow on."
p1=$(add --role agent --text "[P1] Add a characterization smoke" --required-capability shell)
monitor=$(add --role agent --task-class continuous_monitor --text "Watch the external pull request" \
    --poll-every 1h --next-due-at in:24h)

say "agent-a is asked to do the P1 while a person is asked the question."
ask agent-a | holds interaction_contract.mode bounded_delivery selected_todo.todo_id "$p1" \
    interaction_contract.user_channel.action_required true \
    interaction_contract.user_channel.todos.0.todo_id "$gate" \
    safe_bypass_allowed true bypass_boundary.0.todo_id "$p0"

say "agent-b gets the P1 as well, and nobody is woken by the monitor."
ask agent-b | holds selected_todo.todo_id "$p1" frontier.monitors_due 0 frontier.monitors_waiting 1

say "What is held stays held: no peer takes it, nobody finishes it, and no agent answers for the person."
refused already_claimed todo claim "$p0" --claimed-by agent-b
refused gate_open todo complete "$p0" --claimed-by agent-a --evidence "done" --no-follow-up
refused user_decision_required gate answer "$gate" --decision approve --agent-id agent-a

say "agent-b delivers the P1, and a review follows that belongs to nobody yet."
"$LOOPX" todo claim "$p1" --claimed-by agent-b >/dev/null
review=$(complete "$p1" --claimed-by agent-b --evidence "the smoke passes" \
    --next-agent-todo "[P1] Review the smoke" --next-continuation-policy independent_handoff | read_at successors.0)
"$LOOPX" todo show "$review" | holds todo.predecessor "$p1" todo.claimed_by null

say "The person says yes, and the P0 is what agent-a should do."
"$LOOPX" gate answer "$gate" --decision approve --note "yes, behind a version bump" >/dev/null
ask agent-a | holds selected_todo.todo_id "$p0"
complete "$p0" --claimed-by agent-a --evidence "version 2 is published" --no-follow-up \
    --reason "this is the API that was agreed" --meets A1 >/dev/null
complete "$review" --claimed-by agent-a --evidence "read and run" --no-follow-up --reason "nothing to add" >/dev/null

say "A monitor still waits, so the goal is not at its end."
ask agent-a | holds interaction_contract.mode quiet_wait
refused monitor_not_due monitor poll "$monitor" --agent-id agent-b --result no_change --evidence "still open"

say "The pull request is merged; nothing is left, and that is derived, not declared."
complete "$monitor" --claimed-by agent-b --evidence "it was merged" --no-follow-up --reason "nothing to watch" >/dev/null
ask agent-b | holds interaction_contract.mode terminal_no_followup

say "Every expectation holds."
