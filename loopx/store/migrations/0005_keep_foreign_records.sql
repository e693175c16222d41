-- What importers keep of a foreign record: every field that its todo has no place for.
CREATE TABLE foreign_records (
    todo_id TEXT PRIMARY KEY REFERENCES todo_ids (todo_id),
    kept TEXT NOT NULL CHECK (json_valid(kept))
) STRICT, WITHOUT ROWID;

-- `todo show` asks where a todo comes from.
CREATE INDEX origins_of_todo ON origins (todo_id);
