// Says whether Reprise can write a trimmed copy of a session for an agent as it was found here.
import type { Agent, Dependencies } from '../dependencies.ts'

export function canTrim(
  { fileWriter }: Pick<Dependencies, 'fileWriter'>,
  { adapter, runtime }: Pick<Agent, 'adapter' | 'runtime'>,
): boolean {
  const { sessionFiles, writtenSessions } = adapter
  if (!fileWriter || !sessionFiles || !runtime.abilities.chooseSessionId) return false
  return writtenSessions?.trim !== undefined && writtenSessions.areTaken(runtime)
}
