import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CliWorld } from './cli-world.ts'

let mine: CliWorld
let theirs: CliWorld
beforeEach(async () => {
  mine = await new CliWorld().open('with a store')
  theirs = await new CliWorld().open('with a store')
})
afterEach(() => {
  mine.close()
  theirs.close()
})

test('V-3 S24 a thread goes from one person to another as a file, is read, approved and continued in its session', async () => {
  const { threadId } = await mine.json(['send', 'one'])
  const file = mine.path('health.reprise')
  const exported = await mine.here(['threads', 'export', threadId, '-o', file])
  expect([exported.code, exported.out]).toEqual([0, expect.stringContaining(`${file}: `)])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const again = await mine.here(['threads', 'export', threadId, '-o', file])
  expect([again.code, again.err]).toEqual([4, expect.stringContaining('is there already')])

  const imported = await theirs.here(['threads', 'import', file])
  expect(imported.code).toBe(0)
  const id = /^thr_\w+/.exec(imported.out)?.[0] ?? ''
  expect(imported.out).toContain(`reprise threads approve ${id}`)
  const shown = (await theirs.here(['threads', 'show', id])).out
  expect([shown, shown]).toEqual([
    expect.stringContaining('only data'),
    expect.stringContaining('echo: one'),
  ])
  const refused = await theirs.here(['send', '-t', id, 'two'])
  expect([refused.code, refused.err]).toEqual([4, expect.stringContaining(`threads approve ${id}`)])
  expect((await theirs.list(['threads', '--unapproved'])).map(thread => thread.id)).toEqual([id])
  // Nobody is at a terminal, and an agent could give this command.
  expect((await theirs.here(['threads', 'approve', id])).code).toBe(2)
  expect((await theirs.here(['threads', 'approve', id], theirs.approving)).code).toBe(0)
  expect(await theirs.list(['threads', '--unapproved'])).toEqual([])
  const { run, text } = await theirs.json(['send', '-t', id, 'two'])
  expect({ run, text }).toMatchObject({ run: { sessionResumed: true }, text: 'echo: two' })
  const known = await theirs.here(['threads', 'import', file])
  expect(known.out).toContain(`${id}: it was here already`)
})

test('S24 a key that the user names needs no approval, and any other file is refused', async () => {
  const { threadId } = await mine.json(['send', 'one'])
  await mine.here(['threads', 'export', threadId, '--no-sessions'])
  const file = join(mine.workDir, `${threadId}.reprise`)
  const key = (await mine.here(['threads', 'key'])).out.trim()
  const own = (await theirs.here(['threads', 'key'])).out.trim()
  const take = (trusted: string) =>
    theirs.here(['threads', 'import', file, '--trust-key', trusted], theirs.approving)
  expect((await take(own)).code).toBe(4)
  const taken = await take(key)
  expect([taken.code, taken.out]).toEqual([0, expect.stringContaining('reprise send -t')])
  expect(taken.out).toContain('0 sessions')
  expect(taken.out).toContain(
    'the session of claude-code will be replayed: the file does not bring its session file',
  )
})

test('V-3 sessions export writes the thread of a session, and sessions import takes it in', async () => {
  const { run, threadId } = await mine.json(['send', 'one'])
  const [session] = (await mine.json(['sessions', '-t', threadId])).items
  expect(session?.sessionId).toBe(run.sessionId)
  const file = mine.path('session.reprise')
  const exported = await mine.json(['sessions', 'export', session?.id ?? '', '-o', file])
  expect(exported).toMatchObject({ threadId, path: file })
  const imported = await theirs.json(['sessions', 'import', file])
  expect(imported).toMatchObject({ isNew: true, messages: 2, sessions: 1 })
  const unknown = await mine.here(['sessions', 'export', 'ses_aaaaaaaaaaaaaaaa'])
  expect([unknown.code, unknown.err]).toEqual([3, expect.stringContaining('hint')])
})

test('U-4 S23 what cannot be read or written is said, and nothing is left', async () => {
  const { threadId } = await mine.json(['send', 'one'])
  const file = mine.path('broken.reprise')
  writeFileSync(file, 'reprise-thread-file\n{}\n')
  for (const [args, code] of [
    [['threads', 'import', 'nowhere.reprise'], 3],
    [['threads', 'import', '.'], 3],
    [['threads', 'import', file], 2],
    [['threads', 'import', file, '--trust-key', 'mine'], 2],
    [['threads', 'export', threadId, '-o', mine.path('no/such/directory')], 2],
    [['threads', 'export', 'thr_aaaaaaaaaaaaaaaa'], 3],
    [['threads', 'approve', threadId], 4],
  ] as const) {
    const ran = await mine.here(args, mine.approving)
    expect([args, ran.code, ran.err]).toEqual([args, code, expect.stringContaining('hint')])
  }
  expect(readdirSync(join(mine.home, 'staging'))).toEqual([])
  expect(existsSync(mine.path('no'))).toBe(false)
})
