// Where pi keeps the file of a session: in a folder for each work dir, named by the time and the id.
import type { Files } from '../../core/world.ts'
import type { SessionPlace } from '../adapter.ts'

const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** `found`: `null` when there is none where pi looks from this work dir; `home`: where our copy belongs. */
export async function locate(
  { sessionId, workDir, env }: SessionPlace,
  files: Files,
): Promise<{ readonly found: string | null; readonly home: string | null }> {
  const root = env.PI_CODING_AGENT_DIR ?? (env.HOME ? `${env.HOME}/.pi/agent` : null)
  if (root === null) return { found: null, home: null }
  const folder = `${root}/sessions/--${workDir.replace(/^\//, '').replace(/[/\\:]/g, '-')}--`
  if (!SESSION_ID.test(sessionId)) return { found: null, home: null }
  const names = (await files.list(folder)) ?? []
  const name = names.find(one => one.endsWith(`_${sessionId}.jsonl`))
  const found = name === undefined ? null : `${folder}/${name}`
  return { found, home: found ?? `${folder}/${timeIn(sessionId)}_${sessionId}.jsonl` }
}

/** The id begins with the time at which it was made. */
function timeIn(sessionId: string): string {
  const ms = Number.parseInt(sessionId.replaceAll('-', '').slice(0, 12), 16)
  return new Date(ms).toISOString().replace(/[:.]/g, '-')
}
