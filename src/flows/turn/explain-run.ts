// Explains the stored decision of a run, or decides again with other settings.
import { decide } from '../../core/decide/decide.ts'
import { type Explanation, explain } from '../../core/decide/explain.ts'
import type { ResumeSettings } from '../../core/decide/settings.ts'
import { DEFAULT_RESUME } from '../../core/decide/settings.ts'
import type { Run } from '../../core/run/run.ts'
import { RepriseError } from '../../errors.ts'

export function explainRun(run: Run, settings: Partial<ResumeSettings> | undefined): Explanation {
  if (!run.decision || !run.facts) {
    const what = `run ${run.id} is ${run.status}: nothing has been decided for it`
    throw new RepriseError(
      'conflict',
      what,
      `Run \`reprise runs show ${run.id}\` to see when it has started, then ask again.`,
    )
  }
  if (!settings) return explain(run.decision)
  return explain(decide(run.facts, { ...DEFAULT_RESUME, ...run.resumeSettings, ...settings }))
}
