// Threads on the fake agent in this process, which takes the session files that Reprise writes for it.
import { claudeCode } from '../../src/agents/claude-code.ts'
import type { ResumeSettings } from '../../src/core/decide/settings.ts'
import type { FakeScript } from '../../src/testing/fake-agent/script.ts'
import { processes } from './processes.ts'

export async function openWritingThreads(
  script: FakeScript = [],
  resume: Partial<ResumeSettings> = {},
) {
  const world = await processes(script)
  const { files } = world
  const { adapter, ...config } = claudeCode({
    executable: '/bin/agent',
    env: { CLAUDE_CONFIG_DIR: '/config' },
    model: 'claude-sonnet-4-5',
  })
  const { writtenSessions } = adapter
  // The fake agent is known as a program that only speaks like Claude Code, for which nobody writes sessions.
  const takes = writtenSessions && { ...writtenSessions, areTaken: () => true }
  const agent = { ...config, adapter: { ...adapter, ...(takes && { writtenSessions: takes }) } }
  const fileWriter = {
    write: (path: string, content: string | Uint8Array) => files.write(path, content),
    remove: (path: string) => files.remove(path),
  }
  const { reprise } = world.open({
    agents: [agent, { ...agent, name: 'second' }],
    resume,
    dependencies: { fileWriter },
  })
  const lastStart = () => world.runner.journal.at(-1)
  return { world, reprise, lastStart }
}
