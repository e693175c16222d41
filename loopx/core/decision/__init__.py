"""The decision compiler: one pure function from a snapshot to what one agent does now.

- `compile.compile_decision`: the decision
- `explain.explain`, `explain.why`: every obstacle of every todo, every stage of one
- `examine.runnable_cohorts`: the candidates alone, for verbs that take one
- `stages`: the order, as data
"""
