// 3: what agents ask in the middle of a turn, and which run replies to it.
export const questions = (): readonly string[] => [
  `create table questions (
    run_id text not null references runs (id) on delete cascade,
    tool_use_id text not null,
    kind text not null,
    tool text not null,
    input text not null,
    items text not null,
    state text not null,
    delivery text not null,
    answer text,
    asked_at bigint not null,
    expires_at bigint not null,
    closed_at bigint,
    primary key (run_id, tool_use_id)
  )`,
  'create index questions_by_state on questions (state, expires_at)',

  // Whether the agent may ask the user, and the call of its parent run that a run replies to.
  "alter table runs add column questions text not null default 'none'",
  'alter table runs add column replies_to text',
]
