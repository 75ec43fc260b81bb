// Repairs the damaged file of a session that Reprise does not know: there is no copy and no thread from which it could be written.
import type { SessionPlace } from '../../adapters/adapter.ts'
import type { Agent, Dependencies } from '../dependencies.ts'
import { keepDamaged } from './keep-damaged.ts'

/** A program that works on the file may have written half a line. */
const QUIET_MS = 5_000
const NOTHING_KNOWN = { anchors: [], end: null } as const

/** True when the agent can go on from the file, as it was or as it is now. The damaged file stays beside it. */
export async function mendFile(
  dependencies: Dependencies,
  agent: Agent,
  place: SessionPlace,
): Promise<boolean> {
  const { files, fileWriter, clock, random } = dependencies
  const { sessionFiles } = agent.adapter
  if (!sessionFiles) return false
  const look = () => sessionFiles.inspect({ ...place, known: NOTHING_KNOWN }, agent.runtime, files)
  const state = await look()
  if (state.state !== 'damaged') return state.state === 'present'
  const stat = await files.stat(state.path)
  const isQuiet = stat?.kind === 'file' && clock.now() - stat.modifiedMs >= QUIET_MS
  const bytes = isQuiet ? await files.read(state.path) : null
  const { sessionId } = place
  const wanted = { sessionId, known: NOTHING_KNOWN, model: agent.model, uuid: random.uuid }
  const text = bytes && (sessionFiles.repair?.(bytes, wanted).text ?? null)
  if (!text || !fileWriter || !(await keepDamaged(dependencies, state.path))) return false
  await fileWriter.write(state.path, text)
  return (await look()).state === 'present'
}
