// Which session an invocation of the fake agent works in: a new one, a known one, a copy, or none.
import type { Arguments } from './input/arguments.ts'
import { fakeSessionPath, loadSession, type SavedSession } from './session-file.ts'
import type { Habits } from './versions.ts'
import type { AgentWorld, Invocation } from './world.ts'

export type Opened =
  | {
      readonly kind: 'opened'
      readonly sessionId: string
      readonly path: string
      /** What is continued; `null` in a new session. */
      readonly saved: SavedSession | null
      /** The continued messages must be copied into the new file. */
      readonly copies: boolean
    }
  /** The stream reports it, by a result. */
  | { readonly kind: 'refused'; readonly words: string; readonly sessionId: string }
  /** Only stderr reports it. */
  | { readonly kind: 'problem'; readonly words: string }
  | { readonly kind: 'hangs' }

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export async function openSession(
  args: Arguments,
  habits: Habits,
  { invocation, world }: { invocation: Invocation; world: AgentWorld },
): Promise<Opened> {
  const { env, cwd } = invocation
  const place = { files: world.files, env, cwd, everywhere: habits.findsOtherWorkDirs }
  const problem = problemOf(args)
  if (problem !== null) return { kind: 'problem', words: problem }
  if (args.sessionId !== null) {
    const path = await fakeSessionPath(place, args.sessionId)
    if ((await world.files.stat(path)) !== null)
      return { kind: 'problem', words: `Error: Session ID ${args.sessionId} is already in use.` }
  }
  const newId = args.sessionId ?? world.uuid()
  const newPath = await fakeSessionPath(place, newId)
  if (args.resume === null)
    return { kind: 'opened', sessionId: newId, path: newPath, saved: null, copies: false }
  if (!UUID.test(args.resume))
    return { kind: 'refused', words: noSuchTitle(args.resume), sessionId: world.uuid() }
  const loaded = await loadSession(place, args.resume, args.resumeAt)
  if (loaded.kind === 'hangs') return loaded
  if (loaded.kind === 'refused') return { ...loaded, sessionId: args.resume }
  const saved = loaded.session
  // The real program touches the file of a session that it opens.
  await world.files.append(saved.path, '')
  return args.forkSession
    ? { kind: 'opened', sessionId: newId, path: newPath, saved, copies: true }
    : { kind: 'opened', sessionId: args.resume, path: saved.path, saved, copies: false }
}

/** A session of its own, whatever was asked for. */
export async function openWrongSession(
  world: AgentWorld,
  { env, cwd }: Invocation,
): Promise<Extract<Opened, { kind: 'opened' }>> {
  const sessionId = world.uuid()
  const path = await fakeSessionPath({ files: world.files, env, cwd, everywhere: false }, sessionId)
  return { kind: 'opened', sessionId, path, saved: null, copies: false }
}

function problemOf(args: Arguments): string | null {
  if (args.outputFormat === 'stream-json' && !args.verbose)
    return 'Error: When using --print, --output-format=stream-json requires --verbose'
  if (args.sessionId !== null && !UUID.test(args.sessionId))
    return 'Error: Invalid session ID. Must be a valid UUID.'
  if (args.sessionId !== null && args.resume !== null && !args.forkSession)
    return 'Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.'
  return null
}

function noSuchTitle(value: string): string {
  return `Error: --resume requires a valid session ID or session title when used with --print. Provided value "${value}" is not a UUID and does not match any session title.`
}
