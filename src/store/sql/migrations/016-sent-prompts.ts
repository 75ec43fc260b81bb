// 16: what the agent of a run was given. It is apart from the runs, because lists of runs do not need it.

export const sentPrompts = (): readonly string[] => [
  `create table sent_prompts (
    run_id text primary key references runs (id) on delete cascade,
    json text not null
  )`,
]
