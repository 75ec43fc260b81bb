// 17: what changed last without an event of a run: threads, chains and jobs, each once, at the place of its latest change.
import type { Dialect } from '../dialect.ts'

export const changes = (dialect: Dialect): readonly string[] => [
  `create table changes (
    position ${dialect.growingKey},
    kind text not null,
    id text not null,
    at bigint not null,
    unique (kind, id)
  )`,
]
