// What is fixed when a process starts, in two words: any other value gives another word.
import { expect, test } from 'vitest'
import { commandKey, filesKey } from './start-key.ts'

const COMMAND = {
  file: '/bin/agent',
  args: ['-p'],
  workDir: '/project',
  env: { A: '1', B: '2', C: '3' },
}

function keyOf(command: object = {}, fingerprint = 'f') {
  const opened: object[] = []
  const open = (spec: object) => {
    opened.push(spec)
    return { command: { ...COMMAND, ...command } }
  }
  const agent = { adapter: { open }, runtime: { fingerprint } }
  const key = commandKey(
    agent as never,
    { continuation: { kind: 'new' }, prompt: 'x' } as never,
    's',
  )
  return { key, opened }
}

test('W-1 a process that began a session counts as one that resumed it', () => {
  expect(keyOf().opened).toMatchObject([{ continuation: { kind: 'resume', sessionId: 's' } }])
})

test('W-1 the order of variables does not matter, everything else of a command does', () => {
  const same = keyOf().key
  expect(keyOf({ env: { C: '3', A: '1', B: '2' } }).key).toBe(same)
  expect(keyOf({ env: { B: '2', C: '3', A: '1' } }).key).toBe(same)
  const others = [
    keyOf({ env: { A: '1', B: '2', C: '4' } }),
    keyOf({ file: '/bin/other' }),
    keyOf({ args: ['-p', 'x'] }),
    keyOf({ workDir: '/other' }),
    keyOf({}, 'g'),
  ].map(({ key }) => key)
  expect(new Set([same, ...others]).size).toBe(6)
})

test('W-1 a file that a process reads at its start is known by kind, size and time', async () => {
  const STAT = { kind: 'file', sizeBytes: 5, modifiedMs: 7 }
  const key = (
    stat: object | null,
    stay: object | undefined = { startFiles: () => ['/a', '/b'] },
  ) =>
    filesKey(
      { files: { stat: async (path: string) => (path === '/a' ? stat : null) } } as never,
      { adapter: { stay } } as never,
      { workDir: '/project', env: {} },
    )
  const keys = await Promise.all([
    ...[key(STAT), key(null), key({ ...STAT, kind: 'directory' })],
    ...[key({ ...STAT, sizeBytes: 6 }), key({ ...STAT, modifiedMs: 8 })],
  ])
  expect(new Set(keys).size).toBe(5)
  expect(await key({ ...STAT })).toBe(keys[0])
})
