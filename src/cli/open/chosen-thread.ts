// Which thread a verb continues: the one that -t names, or with -c the latest of the directory.
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Reprise, Thread } from '../../api.ts'
import { RepriseError } from '../../errors.ts'
import type { Io } from '../start/io.ts'

export type ThreadFlags = {
  readonly thread?: string
  readonly continue?: true
  readonly cwd?: string
}

/** `null`: the flags name none, so that a new one begins. */
export async function chosenThread(
  reprise: Reprise,
  io: Io,
  { thread, continue: latest, cwd = '.' }: ThreadFlags,
): Promise<Thread | null> {
  if (thread !== undefined && latest) {
    const what = '-t and -c both choose the thread'
    throw new RepriseError('bad-input', what, 'Give -t THREAD or -c, not both.')
  }
  if (thread !== undefined) return reprise.threads.get(thread)
  if (!latest) return null
  const workDir = withoutLinks(resolve(io.cwd, cwd))
  const [found] = await reprise.threads.list({ workDir, limit: 1 })
  if (found) return reprise.threads.get(found.id)
  const what = `there is no thread in ${workDir} that could be continued`
  throw new RepriseError('not-found', what, 'Leave -c out to begin one, or run `reprise threads`.')
}

/** Threads keep their directory without symbolic links. */
function withoutLinks(directory: string): string {
  try {
    return realpathSync(directory)
  } catch {
    return directory
  }
}
