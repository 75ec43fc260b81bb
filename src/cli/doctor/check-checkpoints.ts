// Finds checkpoints in the user's repositories that nobody needs any more.
import type { KeptCheckpoints, LocalReprise } from '../../api.ts'
import { REF_PREFIX } from '../../core/job/checkpoint-keeping.ts'
import { type Diagnosis, ok } from './finding.ts'

const check = 'checkpoints'

export async function checkCheckpoints(
  reprise: LocalReprise,
  directory: string,
): Promise<readonly Diagnosis[]> {
  const kept = await reprise.keptCheckpoints(directory)
  const over = kept.filter(({ keeping }) => keeping === 'old' || keeping === 'orphaned')
  const unknown = kept.filter(({ keeping }) => keeping === 'unknown')
  if (over.length + unknown.length > 0) return [...overdue(over), ...unknown.map(foreign)]
  return [ok(check, kept.length === 0 ? 'none' : `${totalOf(kept)}, none of them old`)]
}

function overdue(over: readonly KeptCheckpoints[]): readonly Diagnosis[] {
  if (over.length === 0) return []
  const detail = `${totalOf(over)} are old, or their job is gone`
  const hint = 'remove them with `reprise jobs prune`; `reprise serve` does so by itself'
  return [{ check, state: 'warn', detail, hint }]
}

function foreign({ jobId, repository, count }: KeptCheckpoints): Diagnosis {
  const detail = `${count} in ${repository} of ${jobId}, which this data directory does not know`
  const git = `git --git-dir=${quoted(repository)}`
  const list = `${git} for-each-ref --format='delete %(refname)' ${quoted(`${REF_PREFIX}/${jobId}/`)}`
  const hint = `unless another data directory has that job: ${list} | ${git} update-ref --stdin`
  return { check, state: 'warn', detail, hint }
}

function totalOf(kept: readonly KeptCheckpoints[]): string {
  const count = kept.reduce((sum, item) => sum + item.count, 0)
  const repositories = new Set(kept.map(({ repository }) => repository)).size
  return `${count} in ${repositories} ${repositories === 1 ? 'repository' : 'repositories'}`
}

/** Quotes for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
