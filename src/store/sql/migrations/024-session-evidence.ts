// 24: what proved that the agent saved a session. Until now it was always the agent's own file.
export const sessionEvidence = (): readonly string[] => [
  'alter table sessions add column evidence text',
  "update sessions set evidence = 'file' where confirmed_at is not null",
]
