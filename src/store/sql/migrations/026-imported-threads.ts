// 26: threads that came in a file, until somebody approves them; the key with which a store signs such files.
export const importedThreads = (): readonly string[] => [
  'alter table threads add column imported text',
  'alter table threads add column import_key text',
  'alter table threads add column approved_at bigint',
  'create unique index threads_by_import on threads (import_key) where import_key is not null',
  'alter table runs add column imported integer not null default 0',
  `create table store_keys (
    name text primary key,
    private_key text not null,
    public_key text not null,
    created_at bigint not null
  )`,
]
