// Threads on the fake agent in this process, for which Reprise can write session files.
import { claudeCode } from '../../src/agents/claude-code.ts'
import type { ResumeSettings } from '../../src/core/decide/settings.ts'
import type { FakeScript } from '../../src/testing/fake-agent/script.ts'
import { NO_VAULT } from '../../src/vault/vault.ts'
import { processes } from './processes.ts'

export async function openWritingThreads(
  script: FakeScript = [],
  resume: Partial<ResumeSettings> = {},
  {
    model = 'claude-sonnet-4-5',
    vaultIsShared = false,
  }: { readonly model?: string | null; readonly vaultIsShared?: boolean } = {},
) {
  const world = await processes(script)
  const { files } = world
  const agent = {
    executable: '/bin/agent',
    env: { CLAUDE_CONFIG_DIR: '/config' },
    ...(model !== null && { model }),
  }
  let isFull = false
  let losesEnds = false
  const fileWriter = {
    write: async (path: string, content: string | Uint8Array) => {
      if (isFull) throw new Error('ENOSPC')
      const isCut = losesEnds && path.endsWith('.jsonl')
      await files.write(path, isCut ? content.slice(0, -20) : content)
    },
    remove: (path: string) => files.remove(path),
  }
  const { reprise } = world.open({
    agents: [claudeCode(agent), claudeCode({ ...agent, name: 'second' })],
    resume,
    dependencies: {
      fileWriter,
      ...(vaultIsShared && { vault: { ...NO_VAULT, isShared: true } }),
    },
  })
  const lastStart = () => world.runner.journal.at(-1)
  const fillDisk = () => {
    isFull = true
  }
  /** What Reprise writes as a session lacks its last bytes from now on. */
  const loseEnds = () => {
    losesEnds = true
  }
  return { world, reprise, lastStart, fillDisk, loseEnds }
}
