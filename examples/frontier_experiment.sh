#!/bin/sh
# A frontier that can be computed: the same graph, seen by two peers before and after a decision.
#
# The question of the experiment: what changes for whom when one precise gate holds one peer? It prints
# both views side by side and ends with 0 only if they are as they must be.
set -eu

LOOPX=${LOOPX:-loopx}
unset LOOPX_AGENT_ID LOOPX_IDENTITY LOOPX_ROLE
LOOPX_PROJECT=$(mktemp -d)
LOOPX_FORMAT=json
export LOOPX_PROJECT LOOPX_FORMAT
trap 'rm -rf "$LOOPX_PROJECT"' EXIT

SCOPE=direction:action:public_schema

new_todo() { "$LOOPX" todo add --goal-id lab "$@" | sed -n 's/.*"todo_id":"\(todo_[a-z0-9]*\)".*/\1/p'; }

# view AGENT: one line with what the decision means for that peer.
view() {
    "$LOOPX" quota should-run --goal-id lab --agent-id "$1" --available-capability shell | python3 -c '
import json, sys
packet = json.load(sys.stdin)
contract = packet["interaction_contract"]
user, agent = contract["user_channel"], contract["agent_channel"]
print(
    "mode=" + contract["mode"],
    "selected=" + str((packet["selected_todo"] or {}).get("todo_id")),
    "person_must_act=" + str(user["action_required"]).lower(),
    "questions=" + str(user["open_count"]),
    "must_attempt=" + str(agent["must_attempt"]).lower(),
    "bypass=" + str(packet["safe_bypass_allowed"]).lower(),
    "held=" + ",".join(row["todo_id"] for row in packet["bypass_boundary"]),
)'
}

# same AGENT WANTED: the view must be exactly that.
same() {
    found=$(view "$1")
    printf '  %s  %s\n' "$1" "$found"
    [ "$found" = "$2" ] || { printf 'not so, it should be\n  %s  %s\n' "$1" "$2" >&2; exit 1; }
}

"$LOOPX" init --goal-id lab --objective "See a frontier" --agent agent-a --agent agent-b >/dev/null

printf '1. A P0 that needs a decision which nobody has been asked for is a repair, for both.\n'
p0=$(new_todo --role agent --text "[P0] Change the public response schema" \
    --task-class advancement_task --action-kind change_public_schema --required-decision-scope "$SCOPE")
same agent-a "mode=control_plane_self_repair selected=None person_must_act=false questions=0 must_attempt=true bypass=false held="
same agent-b "mode=control_plane_self_repair selected=None person_must_act=false questions=0 must_attempt=true bypass=false held="

printf '2. A precise gate: the question holds agent-a. agent-b has nothing to do and nothing to ask.\n'
gate=$(new_todo --role user --text "May the public response schema change?" --task-class user_gate \
    --decision-scope "$SCOPE" --blocks-agent agent-a --unblocks-todo-id "$p0")
same agent-a "mode=user_gate selected=None person_must_act=true questions=1 must_attempt=false bypass=false held="
same agent-b "mode=wait_peers selected=None person_must_act=false questions=1 must_attempt=false bypass=false held="

printf '3. An independent P1: both may take it, past the held P0. Only agent-a has a person to wait for.\n'
p1=$(new_todo --role agent --text "[P1] Add a characterization smoke that keeps the behaviour" \
    --task-class advancement_task --action-kind add_characterization --required-capability shell)
same agent-a "mode=bounded_delivery selected=$p1 person_must_act=true questions=1 must_attempt=true bypass=true held=$p0"
same agent-b "mode=bounded_delivery selected=$p1 person_must_act=false questions=1 must_attempt=true bypass=true held=$p0"

printf '4. agent-b claims it: for agent-a only the question is left, and agent-b goes on.\n'
"$LOOPX" todo claim --goal-id lab --todo-id "$p1" --claimed-by agent-b >/dev/null
same agent-a "mode=user_gate selected=None person_must_act=true questions=1 must_attempt=false bypass=false held="
same agent-b "mode=bounded_delivery selected=$p1 person_must_act=false questions=1 must_attempt=true bypass=true held=$p0"

printf '5. The person says yes: the P0 is the best of what may run, for both.\n'
"$LOOPX" gate answer "$gate" --decision approve --note "with a new version number" >/dev/null
same agent-a "mode=bounded_delivery selected=$p0 person_must_act=false questions=0 must_attempt=true bypass=false held="
same agent-b "mode=bounded_delivery selected=$p0 person_must_act=false questions=0 must_attempt=true bypass=false held="

printf 'The frontier is as computed.\n'
