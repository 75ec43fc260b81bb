// Threads on the fake agent in this process, for which Reprise can write session files.
import { claudeCode } from '../../src/agents/claude-code.ts'
import type { ResumeSettings } from '../../src/core/decide/settings.ts'
import type { Files } from '../../src/core/world.ts'
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
  let losesSight: 'no' | 'of what it wrote' | 'and cannot remove it' = 'no'
  const unseen = new Set<string>()
  const fileWriter = {
    write: async (path: string, content: string | Uint8Array) => {
      if (isFull) throw new Error('ENOSPC')
      const isCut = losesEnds && path.endsWith('.jsonl')
      await files.write(path, isCut ? content.slice(0, -20) : content)
      if (losesSight !== 'no' && path.endsWith('.jsonl')) unseen.add(path)
    },
    remove: async (path: string) => {
      if (losesSight === 'and cannot remove it') throw new Error('EROFS')
      await files.remove(path)
    },
  }
  const seen = (path: string) => {
    if (unseen.has(path)) throw new Error('EIO')
    return path
  }
  const readable: Files = {
    ...files,
    stat: async path => files.stat(seen(path)),
    read: async (path, ...range) => files.read(seen(path), ...range),
  }
  const { reprise } = world.open({
    agents: [claudeCode(agent), claudeCode({ ...agent, name: 'second' })],
    resume,
    dependencies: {
      fileWriter,
      files: readable,
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
  /** Reprise cannot read any session that it writes from now on. */
  const loseSight = (how: Exclude<typeof losesSight, 'no'>) => {
    losesSight = how
  }
  return { world, reprise, lastStart, fillDisk, loseEnds, loseSight, unseen }
}
