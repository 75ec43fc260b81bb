// Which session `claude --continue` takes, where that can be known for certain: the file of this work dir that was written last.
import type { Files } from '../../../core/world.ts'
import type { LatestSession, SessionPlace } from '../../adapter.ts'
import { parseFields, textIn } from '../../fields.ts'
import { projectName, projectsDir } from './session-path.ts'

/** Other names are those of sub-agents, which the program passes over. */
const SESSION_FILE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/
/** The program itself looks at no more of a file when it chooses. */
const LOOK_BYTES = 64 * 1024
/** Folders that stand for another one, and sessions of the background, of teams, or that go on elsewhere: versions treat them in their own ways. */
const ALIASES = '.session-aliases'
const SPECIAL =
  /(?<!\\)"(?:sessionKind|teamName|continuedInSessionId|relocatedCwd|superseded\w*|archived\w*)":/

export async function latestSession(
  { workDir, env }: Omit<SessionPlace, 'sessionId'>,
  files: Files,
): Promise<LatestSession> {
  const projects = projectsDir(env)
  if (projects === null) return { unsure: 'nobody knows where its sessions are' }
  const folder = `${projects}/${projectName((await files.realpath(workDir)) ?? workDir)}`
  const names = (await files.list(folder)) ?? []
  if (names.includes(ALIASES)) return { unsure: 'its sessions are in several folders' }
  const [newest, second] = await byTime(folder, names, files)
  if (!newest) return { unsure: 'this work dir has no session yet, so the agent begins one' }
  if (second?.modifiedMs === newest.modifiedMs) {
    return { unsure: 'two sessions of this work dir were written at the same time' }
  }
  if (!(await isPlain(newest, files))) {
    return { unsure: `it is not certain that the agent goes on with ${newest.sessionId}` }
  }
  return { sessionId: newest.sessionId }
}

type Found = {
  readonly sessionId: string
  readonly path: string
  readonly modifiedMs: number
  readonly sizeBytes: number
}

async function byTime(
  folder: string,
  names: readonly string[],
  files: Files,
): Promise<readonly Found[]> {
  const found: Found[] = []
  for (const name of names) {
    const sessionId = SESSION_FILE.exec(name)?.[1]
    const path = `${folder}/${name}`
    const stat = sessionId === undefined ? null : await files.stat(path)
    if (sessionId === undefined || stat?.kind !== 'file') continue
    const { modifiedMs, sizeBytes } = stat
    // The program compares whole milliseconds.
    found.push({ sessionId, path, modifiedMs: Math.trunc(modifiedMs), sizeBytes })
  }
  return found.toSorted((a, b) => b.modifiedMs - a.modifiedMs)
}

/** An ordinary conversation by its beginning and its end. Of a stump without a message, versions make different things. */
async function isPlain({ path, sizeBytes }: Found, files: Files): Promise<boolean> {
  const head = await textAt(path, [0, LOOK_BYTES], files)
  const tail = await textAt(path, [Math.max(0, sizeBytes - LOOK_BYTES), sizeBytes], files)
  if (SPECIAL.test(head) || SPECIAL.test(tail) || head.includes('"isSidechain":true')) return false
  return head.split('\n').some(line => {
    const fields = parseFields(line)
    return fields?.type === 'user' && textIn(fields.uuid) !== null
  })
}

async function textAt(
  path: string,
  [from, to]: readonly [number, number],
  files: Files,
): Promise<string> {
  return new TextDecoder().decode((await files.read(path, from, to)) ?? new Uint8Array())
}
