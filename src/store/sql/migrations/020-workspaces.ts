// 20: where a thread works: the host whose path its work dir is, or a repository that each host checks out for itself.
export const workspaces = (): readonly string[] => [
  'alter table threads add column host text',
  'alter table threads add column repository text',
  'alter table threads add column repository_ref text',
  'alter table threads add column repository_commit text',
]
