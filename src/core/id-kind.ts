// What has an id of ours, with the letters that such ids begin with.

export const ID_KINDS = ['thread', 'message', 'run', 'chain', 'job', 'session', 'schedule'] as const

/** What an id can belong to. */
export type IdSubject = (typeof ID_KINDS)[number]

export const ID_BEGINNINGS: Readonly<Record<IdSubject, string>> = {
  thread: 'thr_',
  message: 'msg_',
  run: 'run_',
  chain: 'chn_',
  job: 'job_',
  session: 'ses_',
  schedule: 'sch_',
}
