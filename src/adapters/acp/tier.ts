// How a program over ACP is held to a tier: it asks before every call, and Reprise answers by the rules of the tier.
import { fieldsIn, parseFields } from '../fields.ts'

export type AcpTier = {
  /** The oldest version that was seen to ask before every call. */
  readonly since: string
  /** Kinds of calls, in the words of ACP, that rules of a tier may name. It is offered no others. */
  readonly kinds: readonly string[]
  /** Whether it says of every turn how many tokens it used. */
  readonly saysTokens: boolean
  /** The mode of the session in which it asks. */
  readonly mode: string
  /** Makes that mode, whatever the settings of the user and the project say. */
  env(env: Readonly<Record<string, string>>): Readonly<Record<string, string>>
}

const MODE = 'reprise-tier'
const CONFIG = 'OPENCODE_CONFIG_CONTENT'

/**
 * The mode is an agent of opencode's own with permissions of its own: those of other agents and of the whole config have no part in it. Tools that
 * are denied are not offered: sub-agents, whose calls nobody would ask about, and tools of servers and of the project. It asks about
 * directories outside of the work dir by the kind `other`.
 */
export const OPENCODE_TIER: AcpTier = {
  since: '1.18.33',
  kinds: ['read', 'search', 'edit', 'execute', 'fetch', 'other'],
  // It reports its last model request alone.
  saysTokens: false,
  mode: MODE,
  env(env) {
    const own = parseFields(env[CONFIG] ?? '') ?? {}
    const asked = ['read', 'glob', 'grep', 'edit', 'bash', 'webfetch', 'external_directory']
    const permission = { '*': 'deny', ...Object.fromEntries(asked.map(tool => [tool, 'ask'])) }
    const config = {
      ...own,
      // After a refusal it tells the model, which goes on.
      experimental: { ...fieldsIn(own.experimental), continue_loop_on_deny: true },
      agent: { ...fieldsIn(own.agent), [MODE]: { mode: 'primary', permission } },
    }
    return { [CONFIG]: JSON.stringify(config) }
  },
}
