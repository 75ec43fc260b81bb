// 2: every event has a place among all events; requests that must not be done twice leave their key.
import type { Dialect } from '../dialect.ts'

export const feedAndKeys = (dialect: Dialect): readonly string[] => [
  // The key only grows and is never given twice: a reader's place stays true when threads are removed.
  `create table positioned_events (
    position ${dialect.growingKey},
    run_id text not null references runs (id) on delete cascade,
    seq integer not null,
    at bigint not null,
    type text not null,
    json text not null,
    unique (run_id, seq)
  )`,
  `insert into positioned_events (run_id, seq, at, type, json)
    select events.run_id, events.seq, events.at, events.type, events.json
    from events
    join runs on runs.id = events.run_id
    order by runs.seq, events.seq`,
  'drop table events',
  'alter table positioned_events rename to events',

  `create table request_keys (
    key text primary key,
    request text not null,
    thread_id text not null,
    run_id text,
    message_id text,
    note text not null,
    created_at bigint not null
  )`,
  'create index request_keys_by_age on request_keys (created_at)',

  `create index runs_by_outcome on runs (status, ${dialect.textIn('decision', 'action')})`,
]
