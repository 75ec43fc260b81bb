// Where pi keeps the file of a session: in a folder for each work dir, or in one that the user has chosen, named by the time and the id.
import type { Files } from '../../core/world.ts'
import type { SessionPlace } from '../adapter.ts'
import { parseFields, textIn } from '../fields.ts'

const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** `found`: `null` when there is none where pi looks from this work dir; `home`: where our copy belongs. */
export async function locate(
  { sessionId, ...place }: SessionPlace,
  files: Files,
): Promise<{ readonly found: string | null; readonly home: string | null }> {
  const folder = await folderOf(place, files)
  if (folder === null || !SESSION_ID.test(sessionId)) return { found: null, home: null }
  const names = (await files.list(folder)) ?? []
  const name = names.find(one => one.endsWith(`_${sessionId}.jsonl`))
  const found = name === undefined ? null : `${folder}/${name}`
  return { found, home: found ?? `${folder}/${timeIn(sessionId)}_${sessionId}.jsonl` }
}

type Place = Omit<SessionPlace, 'sessionId'>

/** `null`: nobody can know. Pi asks its variable first, then the settings of the project, then those of the user. */
async function folderOf(place: Place, files: Files): Promise<string | null> {
  const { workDir, env } = place
  const asked = env.PI_CODING_AGENT_SESSION_DIR
  if (asked) return absolute(asked, place)
  const root = env.PI_CODING_AGENT_DIR
    ? absolute(env.PI_CODING_AGENT_DIR, place)
    : env.HOME && `${env.HOME}/.pi/agent`
  if (!root) return null
  for (const settings of [`${workDir}/.pi/settings.json`, `${root}/settings.json`]) {
    const bytes = await files.read(settings)
    const chosen = bytes && textIn(parseFields(new TextDecoder().decode(bytes))?.sessionDir)
    if (chosen) return absolute(chosen, place)
  }
  return `${root}/sessions/--${workDir.replace(/^\//, '').replace(/[/\\:]/g, '-')}--`
}

function absolute(path: string, { workDir, env }: Place): string | null {
  if (path.startsWith('/')) return path
  if (path !== '~' && !path.startsWith('~/')) return `${workDir}/${path}`
  return env.HOME ? `${env.HOME}${path.slice(1)}` : null
}

/** The id begins with the time at which it was made. */
function timeIn(sessionId: string): string {
  const ms = Number.parseInt(sessionId.replaceAll('-', '').slice(0, 12), 16)
  return new Date(ms).toISOString().replace(/[:.]/g, '-')
}
