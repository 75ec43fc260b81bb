// 10: whose settings take part in a run, and what holds its processes. Runs from before were as the agent itself works.

export const trustAndSandbox = (): readonly string[] => [
  'alter table threads add column trust text',
  'alter table threads add column sandbox text',
  'alter table jobs add column trust text',
  'alter table jobs add column sandbox text',
  "alter table runs add column trust text not null default 'project'",
  "alter table runs add column sandbox_wanted text not null default 'none'",
  'alter table runs add column sandbox text',
  'alter table runs add column sandbox_note text',
]
