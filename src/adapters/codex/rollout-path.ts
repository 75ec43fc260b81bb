// Where codex keeps a session: one rollout file per thread, in a folder of the day on which it began.
import type { Files } from '../../core/world.ts'
import type { SessionPlace } from '../adapter.ts'

const THREAD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function codexHome(env: Readonly<Record<string, string>>): string | null {
  if (env.CODEX_HOME) return env.CODEX_HOME
  return env.HOME ? `${env.HOME}/.codex` : null
}

/**
 * `found`: `null` when there is none; `home`: where our copy belongs when the file is lost. Codex keeps an index of the paths of its
 * files, so a copy must be where the file was. If the name was made in another second than the id, codex does not find the copy, and
 * the turn goes on with the transcript.
 */
export async function locate(
  { sessionId, env }: SessionPlace,
  files: Files,
): Promise<{ readonly found: string | null; readonly home: string | null }> {
  const root = codexHome(env)
  if (root === null || !THREAD_ID.test(sessionId)) return { found: null, home: null }
  const sessions = `${root}/sessions`
  const found = await findIn(likelyFolders(sessions, sessionId), sessionId, files)
  const path = found ?? (await findIn(await allFolders(sessions, files), sessionId, files))
  const time = localTime(sessionId)
  const home = `${folderOf(sessions, time)}/rollout-${time}-${sessionId}.jsonl`
  return { found: path, home: path ?? home }
}

export async function rolloutPath(place: SessionPlace, files: Files): Promise<string | null> {
  return (await locate(place, files)).found
}

async function findIn(
  folders: readonly string[],
  sessionId: string,
  files: Files,
): Promise<string | null> {
  for (const folder of folders) {
    const names = (await files.list(folder)) ?? []
    const name = names.find(
      one => one.startsWith('rollout-') && one.endsWith(`-${sessionId}.jsonl`),
    )
    if (name !== undefined) return `${folder}/${name}`
  }
  return null
}

/** The id begins with the time at which it was made. The folder is named by the day in local time. */
function likelyFolders(sessions: string, sessionId: string): readonly string[] {
  return [folderOf(sessions, localTime(sessionId))]
}

function folderOf(sessions: string, time: string): string {
  return `${sessions}/${time.slice(0, 10).replaceAll('-', '/')}`
}

/** As codex writes it into the name of the file, such as `2026-11-17T19-16-45`. */
function localTime(sessionId: string): string {
  const ms = Number.parseInt(sessionId.replaceAll('-', '').slice(0, 12), 16)
  const at = new Date(ms)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day}T${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join('-')}`
}

async function allFolders(sessions: string, files: Files): Promise<readonly string[]> {
  const below = async (folder: string) =>
    ((await files.list(folder)) ?? [])
      .filter(name => !name.endsWith('.jsonl'))
      .map(name => `${folder}/${name}`)
  const folders = [sessions]
  for (let from = 0, depth = 0; depth < 3; depth += 1) {
    const level = folders.slice(from)
    from = folders.length
    for (const folder of level) folders.push(...(await below(folder)))
  }
  return folders
}
