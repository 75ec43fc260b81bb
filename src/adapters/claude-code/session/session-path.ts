// Where Claude Code keeps the file of a session.
import type { Files } from '../../../core/world.ts'
import type { SessionPlace } from '../../adapter.ts'

const MAX_NAME_CHARS = 200

/** Where the session of this place is or, when there is none, would be; `null` when no home is known. */
export async function sessionPath(place: SessionPlace, files: Files): Promise<string | null> {
  const projects = projectsDir(place.env)
  if (projects === null) return null
  const workDir = (await files.realpath(place.workDir)) ?? place.workDir
  const name = `${place.sessionId}.jsonl`
  const expected = `${projects}/${projectName(workDir)}/${name}`
  if (await files.stat(expected)) return expected
  return (await findElsewhere(projects, name, files)) ?? expected
}

export async function locate(place: SessionPlace, files: Files) {
  const projects = projectsDir(place.env)
  const path = await sessionPath(place, files)
  if (projects === null || path === null) return { found: null, home: null }
  const workDir = (await files.realpath(place.workDir)) ?? place.workDir
  const home = `${projects}/${projectName(workDir)}/${place.sessionId}.jsonl`
  return { found: (await files.stat(path)) ? path : null, home }
}

/** The directory's name is lossy: `a-b` and `a/b` share one. */
export function projectName(workDir: string): string {
  const name = workDir.replace(/[^A-Za-z0-9]/g, '-')
  if (name.length <= MAX_NAME_CHARS) return name
  return `${name.slice(0, MAX_NAME_CHARS)}-${Math.abs(hashOf(workDir)).toString(36)}`
}

export function projectsDir(env: SessionPlace['env']): string | null {
  if (env.CLAUDE_CONFIG_DIR) return `${env.CLAUDE_CONFIG_DIR}/projects`
  return env.HOME ? `${env.HOME}/.claude/projects` : null
}

/** A session that is resumed from another work dir stays in its first file. */
async function findElsewhere(projects: string, name: string, files: Files): Promise<string | null> {
  for (const project of (await files.list(projects)) ?? []) {
    const path = `${projects}/${project}/${name}`
    if (await files.stat(path)) return path
  }
  return null
}

/** The 32-bit string hash of Java, over UTF-16 units. */
function hashOf(text: string): number {
  let hash = 0
  for (let i = 0; i < text.length; i += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0
  return hash
}
