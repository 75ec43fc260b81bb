// 25: the run whose process a run used: its own, or an earlier one whose process was kept.
export const processOfRun = (): readonly string[] => [
  'alter table runs add column process_run_id text',
]
