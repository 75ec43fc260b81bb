// The queue of the engine from which jobs are handed out.
export const JOB_QUEUE = 'jobs'
