"""The store on PostgreSQL: the same queries and transactions, shared by several machines (design.md §3)."""
