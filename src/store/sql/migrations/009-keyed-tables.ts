// 9: what is only ever found by its key is kept by it, in one tree instead of two: half the pages to read for a decision.
import type { Dialect } from '../dialect.ts'

export const keyedTables = ({ keyed }: Dialect): readonly string[] => [
  `create table entries_by_key (
    branch_id text not null references branches (id) on delete cascade,
    position integer not null,
    message_id text not null references messages (id) on delete cascade,
    primary key (branch_id, position),
    unique (message_id, branch_id)
  ) ${keyed}`,
  `insert into entries_by_key (branch_id, position, message_id)
   select branch_id, position, message_id
   from branch_entries
   order by branch_id, position`,
  'drop table branch_entries',
  'alter table entries_by_key rename to branch_entries',

  `create table seen_by_key (
    session text not null references sessions (id) on delete cascade,
    position integer not null,
    hash text not null,
    anchor text,
    is_part integer not null,
    primary key (session, position)
  ) ${keyed}`,
  `insert into seen_by_key (session, position, hash, anchor, is_part)
   select session, position, hash, anchor, is_part
   from session_seen
   order by session, position`,
  'drop table session_seen',
  'alter table seen_by_key rename to session_seen',

  `create table leases_by_key (
    resource text primary key,
    token bigint not null,
    run_id text,
    owner text,
    until bigint not null
  ) ${keyed}`,
  `insert into leases_by_key (resource, token, run_id, owner, until)
   select resource, token, run_id, owner, until
   from leases
   order by resource`,
  'drop table leases',
  'alter table leases_by_key rename to leases',
  'create index leases_by_run on leases (run_id)',
]
