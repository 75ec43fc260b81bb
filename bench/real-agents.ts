// The real agents of test/real-agents, each in a world of its own: home, work dir, and the fake model API as its only contact.
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { realAgentEnv } from '../src/testing/index.ts'

const MODULES = fileURLToPath(
  new URL('../test/real-agents/node_modules/@anthropic-ai', import.meta.url),
)

/** Default first: the newer one. */
export const REAL_AGENTS: readonly { readonly version: string; readonly executable: string }[] = [
  { version: '2.1.327', executable: place('claude-agent-sdk') },
  { version: '2.1.197', executable: place('claude-code') },
]

export type AgentWorld = {
  readonly directory: string
  readonly workDir: string
  /** `claude` on PATH is the agent. */
  readonly env: Readonly<Record<string, string>>
  remove(): void
}

export function createWorld(executable: string, apiUrl: string): AgentWorld {
  const directory = mkdtempSync(join(tmpdir(), 'reprise-bench-'))
  const [home, workDir, bin] = ['home', 'work', 'bin'].map(name => join(directory, name))
  if (home === undefined || workDir === undefined || bin === undefined) throw new Error('no place')
  for (const path of [home, workDir, bin]) mkdirSync(path)
  symlinkSync(executable, join(bin, 'claude'))
  const PATH = [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter)
  // Prices are compared in one model, whatever a version of the agent would choose by itself.
  const ANTHROPIC_MODEL = 'claude-sonnet-4-5'
  const env = { ...realAgentEnv({ api: { url: apiUrl }, home }), PATH, ANTHROPIC_MODEL }
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  return { directory, workDir, env, remove }
}

function place(name: string): string {
  const path = join(MODULES, `${name}-${process.platform}-${process.arch}`, 'claude')
  if (existsSync(path)) return path
  throw new Error(`${path} is not there: run \`npm ci --prefix test/real-agents\` first`)
}
