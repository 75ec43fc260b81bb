// Everything that is fixed when a process starts, in two words: other values need another process.
import type { RunSpec } from '../../adapters/adapter.ts'
import { hashText } from '../../core/hash-text.ts'
import type { Agent, Dependencies } from '../dependencies.ts'

/**
 * The command with which a new process would resume the session, and the agent's fingerprint. A process that began or forked the
 * session counts as one that resumed it. The environment holds secrets, so only a hash is kept.
 */
export function commandKey({ adapter, runtime }: Agent, spec: RunSpec, sessionId: string): string {
  const resumed = { ...spec, continuation: { kind: 'resume', sessionId } as const }
  const { file, args, env, workDir } = adapter.open(resumed, runtime).command
  const variables = Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return hashText(JSON.stringify([runtime.fingerprint, file, args, workDir, variables]))
}

/** The state of the files that a process reads only when it starts. Taken before the start, so that no change is missed. */
export async function filesKey(
  { files }: Pick<Dependencies, 'files'>,
  { adapter }: Agent,
  { workDir, env }: Pick<RunSpec, 'workDir' | 'env'>,
): Promise<string> {
  const paths = adapter.stay?.startFiles({ workDir, env }) ?? []
  const states = await Promise.all(
    paths.map(async path => {
      const stat = await files.stat(path)
      return stat && [stat.kind, stat.sizeBytes, stat.modifiedMs]
    }),
  )
  return hashText(JSON.stringify(states))
}
