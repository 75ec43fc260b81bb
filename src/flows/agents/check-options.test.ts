import { expect, test } from 'vitest'
import { RepriseError } from '../../errors.ts'
import { refuseBadCommand } from './check-options.ts'

const OPTIONS = {
  ...{ workDir: '/project', model: 'sonnet', permissionMode: 'plan', trust: 'project' as const },
  ...{ allowedTools: ['Read'], disallowedTools: ['Bash'] },
}

test('U-4 the adapter sees the options as a run of a new session, in the environment of the agent', () => {
  const opened: unknown[] = []
  const adapter = { open: (...given: readonly unknown[]) => void opened.push(...given) }
  const agent = { adapter, runtime: { version: '2' }, fullEnv: { A: '1' } }
  refuseBadCommand(agent as never, OPTIONS)
  const none = { instructionsFile: null, parkFiles: {}, contextDir: null, asks: false }
  const continuation = { kind: 'new', sessionId: null }
  expect(opened).toMatchObject([
    { ...OPTIONS, ...none, continuation, env: { A: '1' } },
    { version: '2' },
  ])
})

test('U-4 what the adapter refuses is refused before anything is stored', () => {
  const refused = new RepriseError('bad-input', 'no such mode', 'Use plan.')
  const open = () => {
    throw refused
  }
  expect(() => refuseBadCommand({ adapter: { open } } as never, OPTIONS)).toThrow(refused)
})
